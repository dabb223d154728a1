"""scant curve: every point against a fit by hand, what must hold of the
budgets, and what it refuses."""
import csv
import math
import os
import random
import xml.etree.ElementTree

from support import DATA, IO, NO_INPUT, USAGE, CommandTest, Table, npy

COLUMNS = "algorithm,point,attributes_bought,examples,money,squared_error,sd,absolute_error,r2,accuracy,runs"
D = 8


class CurveTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(240, D)
        noise = random.Random(4)
        self.table.y = [8 * y + noise.randint(-64, 64) / 128 for y in self.table.y]  # else references are exact
        self.write("data.csv", self.table.part(0, 200).csv())
        self.write("test.csv", self.table.part(200, 240).csv())
        draw = random.Random(3)
        costs = [f"{name},{draw.choice((1, 2.5, 10, 20.25))}\n" for name in self.table.names]
        self.write("costs.csv", "attribute,cost\n" + "".join(costs))

    def curve(self, *options, out="figures"):
        self.printed = self.succeeds("curve", "data.csv", "-q", "--out", out, *options).out
        return self.rows(f"{out}/curve.csv")

    def rows(self, path):
        with open(self.path(path), newline="") as file:
            self.assertEqual(file.readline().rstrip("\n"), COLUMNS)
            file.seek(0)
            found = list(csv.DictReader(file))
        return [{key: value if key == "algorithm" else float(value) if value else None for key, value in row.items()}
                for row in found]

    def by_hand(self, *options, data="data.csv"):
        """(examples, attributes, money, scores) of a fit."""
        printed = self.succeeds("fit", data, "-q", "--json", *options).json
        return printed["examples"], printed["attributes_bought"], printed.get("money_spent"), printed["test"]

    def check_point(self, row, hand, places=8):
        examples, attributes, money, scores = hand
        self.assertEqual((row["examples"], row["attributes_bought"], row["money"]), (examples, attributes, money))
        for column in ("squared_error", "absolute_error"):
            self.assertAlmostEqual(row[column] / scores[column], 1, places=places)


class Points(CurveTest):
    def test_a_point_is_a_fit_of_as_many_examples(self):
        """auto knows no horizon, and with eta given neither does aerr."""
        rows = self.curve("-k", 3, "--runs", 1, "--seed", 5, "--algorithms", "auto,aerr eta=0.05 radius=2")
        # aerr draws some attributes twice: its examples end before the budget does
        self.assertEqual([r["algorithm"] for r in rows], ["auto"] * 10 + ["aerr eta=0.05 radius=2"] * 9)
        self.assertEqual([r["point"] for r in rows], [*range(1, 11), *range(1, 10)])
        words = {"auto": (), "aerr": ("--eta", "0.05", "--radius", "2")}
        for row in rows:
            name, step = row["algorithm"].split()[0], 3 * 180 * row["point"] / 10
            common = ("-k", 3, "--seed", 5, "--split", "0.1", "--algorithm", name, *words[name])
            self.check_point(row, self.by_hand(*common, "--examples", int(row["examples"])))
            self.assertLessEqual(row["attributes_bought"], step)
            if row["examples"] < 180:  # the next one does not fit
                self.assertGreater(self.by_hand(*common, "--examples", int(row["examples"]) + 1)[1], step)
            self.assertEqual((row["money"], row["sd"], row["accuracy"], row["runs"]), (None, 0, None, 1))
        self.assertEqual((rows[9]["examples"], rows[18]["examples"]), (180, 180))

    def test_the_last_point_is_a_fit_with_the_budget(self):
        """The theorem's step size follows from the examples that the budget pays for."""
        for name in ("aerr", "aelr", "auto", "ridge", "coinflip"):
            row = self.curve("-k", 3, "--runs", 1, "--test", "test.csv", "--budget", 300, "--algorithms", name)[-1]
            self.assertEqual(row["point"], 10)
            self.check_point(row, self.by_hand("-k", 3, "--test", "test.csv", "--budget", 300, "--algorithm", name))
        row = self.curve("-k", 3, "--runs", 1, "--test", "test.csv", "--algorithms", "auto")[-1]
        self.check_point(row, self.by_hand("-k", 3, "--test", "test.csv", "--algorithm", "auto"))
        self.assertEqual(row["examples"], 200)

    def test_references_are_fits_of_every_prefix(self):
        rows = self.curve("-k", 4, "--runs", 1, "--points", 4,
                          "--algorithms", "full-ridge,full-lasso center=no radius=0.5,online-ridge,full-ridge x-bound=2")
        self.assertEqual(len(rows), 16)
        for row in rows:
            name, words = row["algorithm"], ("--split", "0.1", "--examples", int(row["examples"]))
            self.assertEqual(row["examples"], math.floor(4 * 180 * row["point"] / 4 / D))
            self.assertEqual(row["attributes_bought"], D * row["examples"])
            chosen = ("--radius", "auto", "--center")
            if name == "online-ridge":
                solved = self.succeeds("fit", "data.csv", "-q", "--json", "--algorithm", "full-ridge", *chosen, *words)
                chosen = ("--radius", solved.json["radius"], "--center")
            options = {"full-ridge x-bound=2": (*chosen, "--x-bound", 2),
                       "full-lasso center=no radius=0.5": ("--radius", 0.5)}.get(name, chosen)
            self.check_point(row, self.by_hand("--algorithm", name.split()[0], *options, *words), places=6)

    def test_runs_are_fits_with_seeds_in_a_row(self):
        both = self.curve("-k", 3, "--runs", 3, "--seed", 7, "--algorithms", "auto,full-ridge")
        alone = [self.curve("-k", 3, "--runs", 1, "--seed", 7 + i, "--algorithms", "auto,full-ridge") for i in range(3)]
        for i, row in enumerate(both):
            errors = [rows[i]["squared_error"] for rows in alone]
            mean = math.fsum(errors) / 3
            self.assertAlmostEqual(row["squared_error"] / mean, 1, places=7)
            self.assertAlmostEqual(row["sd"], math.sqrt(math.fsum((e - mean) ** 2 for e in errors) / 2), delta=1e-6 * mean)
            for column in ("attributes_bought", "examples", "absolute_error", "r2"):
                self.assertAlmostEqual(row[column], math.fsum(rows[i][column] for rows in alone) / 3, delta=0.006)
            self.assertEqual(row["runs"], 3)
        self.assertEqual(len({rows[-1]["squared_error"] for rows in alone}), 3)

    def test_threads_and_company_change_nothing(self):
        words = ("-k", 3, "--runs", 4, "--costs", "costs.csv")
        self.curve(*words, "--algorithms", "auto,aerr,full-ridge,online-lasso", "--threads", 1)
        for threads in (2, 5):
            self.curve(*words, "--algorithms", "auto,aerr,full-ridge,online-lasso", "--threads", threads, out="b")
            for name in os.listdir(self.path("figures")):
                self.assertEqual(self.read(f"figures/{name}"), self.read(f"b/{name}"), name)
        self.curve(*words, "--algorithms", "full-ridge,auto", out="c")
        self.assertLess(set(self.read("c/curve.csv").splitlines()), set(self.read("figures/curve.csv").splitlines()))
        self.curve(*words, "--seed", 2, out="c")
        self.assertNotEqual(self.read("c/curve.csv"), self.read("figures/curve.csv"))

    def test_the_default_list_and_a_line_for_each(self):
        rows = self.curve("-k", 3, "--runs", 2)
        self.assertEqual(list(dict.fromkeys(r["algorithm"] for r in rows)), ["auto", "full-ridge standardise=yes"])
        lines = self.printed.splitlines()
        self.assertEqual(len(lines), 3)
        for name, line in zip(("auto", "full-ridge standardise=yes"), lines):
            last = [r for r in rows if r["algorithm"] == name][-1]
            self.assertTrue(line.startswith(name + " "), line)
            for text in (f"squared error {last['squared_error']:.4g} +- {last['sd']:.4g}", f"R^2 {last['r2']:.3f}"):
                self.assertIn(text, line)
        self.assertNotIn("money", self.printed)
        self.assertIn("figures/curve.csv", lines[2])

    def test_points_that_cannot_be_had_are_left_out(self):
        rows = self.curve("-k", 3, "--runs", 2, "--budget", 60, "--algorithms", "full-ridge,aerr,online-ridge radius=1")
        points = {}
        for r in rows:
            points.setdefault(r["algorithm"].split()[0], []).append((r["point"], r["examples"]))
        # cross-validation needs 4 examples of 8 attributes, a radius that is given 1
        self.assertEqual(points["full-ridge"], [(p, math.floor(6 * p / 8)) for p in range(6, 11)])
        self.assertEqual(points["online-ridge"], [(p, math.floor(6 * p / 8)) for p in range(2, 11)])
        self.assertEqual([p for p, _ in points["aerr"]], list(range(1, 11)))
        self.curve("-k", 3, "--runs", 1, "--budget", 20, "--algorithms", "full-ridge,auto")
        self.assertIn("full-ridge  no point", self.printed)


class Looks(CurveTest):
    """Entries with a K of their own."""

    def test_each_entry_has_its_k(self):
        rows = self.curve("--runs", 1, "--points", 4, "--algorithms", "auto k=2,auto k=5,full-ridge")
        for row in rows:
            self.assertLessEqual(row["attributes_bought"], 5 * 180 * row["point"] / 4)  # the largest K sets the budget
        for name, k in (("auto k=2", 2), ("auto k=5", 5)):
            mine = [r for r in rows if r["algorithm"] == name]
            self.assertEqual(mine[-1]["examples"], 180)
            for row in mine:
                words = ("--algorithm", "auto", "-k", k, "--split", "0.1", "--examples", int(row["examples"]))
                self.check_point(row, self.by_hand(*words))
        self.assertEqual([r["point"] for r in rows if r["algorithm"] == "full-ridge"], [1, 2, 3, 4])

    def test_an_entry_goes_before_the_option(self):
        both = self.curve("-k", 3, "--runs", 2, "--algorithms", "auto,auto k=5")
        self.assertEqual(both[:10], self.curve("-k", 3, "--runs", 2, "--algorithms", "auto"))
        five = self.curve("-k", 5, "--runs", 2, "--budget", 540, "--algorithms", "auto")  # K = 3 of 180 examples
        self.assertEqual([{**r, "algorithm": "auto k=5"} for r in five], both[10:])

    def test_pictures_name_a_k_that_all_have(self):
        for words, said in ((("--algorithms", "auto k=2,auto k=5"), "data.csv: 8 attributes<"),
                            (("--algorithms", "auto k=2,aerr k=2,full-ridge"), "at most 2 of 8 attributes"),
                            (("-k", "3"), "at most 3 of 8 attributes")):
            self.curve("--runs", 1, *words)
            picture = self.read("figures/curve.svg").decode()
            self.assertIn(said, picture)
            self.assertIn("than one that sees" if "auto k=5" in str(words) else "times as many labels", picture)


class Runs(CurveTest):
    """curve-runs.csv: a row for each run at each point."""

    HEAD = ("algorithm,run,seed,point,attributes_bought,examples,money,squared_error,absolute_error,r2,accuracy,risk,"
            "risk_error")

    def runs(self, out="figures"):
        with open(self.path(f"{out}/curve-runs.csv"), newline="") as file:
            self.assertEqual(file.readline().rstrip("\n"), self.HEAD)
            file.seek(0)
            return list(csv.DictReader(file))

    def test_means_are_the_means_of_the_runs(self):
        rows = self.curve("-k", 3, "--runs", 3, "--seed", 7, "--costs", "costs.csv", "--budget-cost", 1500,
                          "--algorithms", "auto,full-ridge,coinflip")
        runs = self.runs()
        self.assertEqual({(r["run"], r["seed"]) for r in runs}, {("1", "7"), ("2", "8"), ("3", "9")})
        for row in rows:
            mine = [r for r in runs if (r["algorithm"], r["point"]) == (row["algorithm"], str(int(row["point"])))]
            self.assertEqual(len(mine), 3)
            for column in ("attributes_bought", "examples", "money"):
                self.assertAlmostEqual(math.fsum(float(r[column]) for r in mine) / 3, row[column], delta=0.006)
            for column in ("squared_error", "absolute_error"):
                self.assertAlmostEqual(math.fsum(float(r[column]) for r in mine) / 3 / row[column], 1, places=7)

    def test_a_run_is_a_fit_with_its_seed(self):
        self.curve("-k", 3, "--runs", 2, "--seed", 5, "--points", 2, "--algorithms", "auto,full-ridge")
        for row in self.runs():
            words = ("-k", 3) if row["algorithm"] == "auto" else ("--radius", "auto", "--center")
            fit = self.succeeds("fit", "data.csv", "-q", "--json", "--seed", row["seed"], "--split", "0.1", "--algorithm",
                                row["algorithm"], "--examples", row["examples"], *words).json
            self.assertEqual(int(row["attributes_bought"]), fit["attributes_bought"])
            self.assertEqual((row["money"], row["accuracy"]), ("", ""))
            self.assertEqual(row["risk"] == "", row["algorithm"] == "full-ridge")
            if row["algorithm"] == "auto":  # to the bit
                for column in ("squared_error", "absolute_error"):
                    self.assertEqual(float(row[column]), fit["test"][column])
                self.assertAlmostEqual(float(row["risk"]) / fit["risk"], 1, places=7)
            else:
                self.assertAlmostEqual(float(row["squared_error"]) / fit["test"]["squared_error"], 1, places=6)

    def test_runs_that_are_over_have_no_more_rows(self):
        rows = self.curve("-k", 3, "--runs", 2, "--algorithms", "aerr eta=0.05 radius=2,full-ridge", "--budget", 60)
        runs = self.runs()
        points = [r["point"] for r in runs if r["algorithm"] == "full-ridge" and r["run"] == "2"]
        self.assertEqual(points, [str(p) for p in range(6, 11)])  # before, there is too little to choose a radius by
        self.assertEqual(len(runs), 2 * len(rows))
        self.curve("-k", 3, "--runs", 1, "--algorithms", "aerr eta=0.05 radius=2")
        self.assertEqual(self.runs()[-1]["point"], "9")  # its examples end before the budget does


class Money(CurveTest):
    def spent(self, name, rows):
        return [r for r in rows if r["algorithm"] == name]

    def test_steps_of_money(self):
        words = ("-k", 3, "--costs", "costs.csv", "--budget-cost", 1500)
        rows = self.curve(*words, "--runs", 1, "--algorithms", "auto,auto thrift=no,aerr,full-ridge,coinflip")
        for name in ("auto", "auto thrift=no", "aerr", "full-ridge", "coinflip"):
            found = self.spent(name, rows)
            self.assertEqual([r["point"] for r in found], list(range(11 - len(found), 11)), name)
            self.assertEqual(len(found), 9 if name == "full-ridge" else 10)
            for r in found:
                self.assertLessEqual(r["money"], 150 * r["point"])
            for column in ("money", "examples", "attributes_bought"):
                values = [r[column] for r in found]
                self.assertEqual(values, sorted(values))
        fit = (*words, "--split", "0.1")
        self.check_point(self.spent("auto", rows)[-1], self.by_hand(*fit, "--algorithm", "auto"))
        self.check_point(self.spent("auto thrift=no", rows)[-1], self.by_hand(*fit, "--algorithm", "auto", "--no-thrift"))
        for r in self.spent("auto thrift=no", rows):  # the law of its looks does not know the budget
            count = int(r["examples"])
            plain = ("-k", 3, "--split", "0.1", "--costs", "costs.csv", "--algorithm", "auto", "--no-thrift")
            self.check_point(r, self.by_hand(*plain, "--examples", count))
            self.assertGreater(self.by_hand(*plain, "--examples", count + 1)[2], 150 * r["point"])
        whole = self.by_hand("--algorithm", "full-ridge", "--split", "0.1", "--costs", "costs.csv", "--examples", 1)[2]
        for r in self.spent("full-ridge", rows):
            self.assertEqual(r["examples"], math.floor(150 * r["point"] / whole))
        thrifty, careless = [self.spent(n, rows)[-1] for n in ("auto", "auto thrift=no")]
        self.assertGreater(thrifty["examples"], 1.1 * careless["examples"])
        self.assertEqual(self.printed.count("money "), 5)

    def test_a_curve_ends_with_its_examples(self):
        most = self.by_hand("-k", 3, "--costs", "costs.csv", "--split", "0.1", "--algorithm", "auto", "--no-thrift")[2]
        budget = round(1.95 * most, 2)
        rows = self.curve("-k", 3, "--costs", "costs.csv", "--budget-cost", budget, "--runs", 1, "--algorithms",
                          "auto thrift=no,full-ridge")
        ended = self.spent("auto thrift=no", rows)
        self.assertEqual([r["point"] for r in ended], [1, 2, 3, 4, 5, 6])  # 1/1.95 lies in the sixth tenth
        self.assertEqual((ended[-1]["examples"], ended[-1]["money"]), (180, most))
        self.assertLess(ended[-2]["examples"], 180)
        self.assertEqual(self.spent("full-ridge", rows)[-1]["point"], 10)

    def test_attributes_stay_the_steps_without_a_budget_of_money(self):
        rows = self.curve("-k", 3, "--costs", "costs.csv", "--runs", 1, "--algorithms", "auto")
        for r in rows:
            self.assertLessEqual(r["attributes_bought"], 54 * r["point"])
            self.assertGreater(r["money"], r["attributes_bought"])  # nothing costs less than 1
        self.assertTrue(os.path.exists(self.path("figures/curve-money.svg")))

    def test_spend_goes_to_the_rows_that_take_it(self):
        words = ("--costs", "costs.csv", "--budget-cost", 900, "--runs", 1)
        rows = self.curve(*words, "--spend", "41", "--algorithms", "auto,full-ridge")
        fit = ("--costs", "costs.csv", "--budget-cost", 900, "--split", "0.1", "--spend", "41", "--algorithm", "auto")
        self.check_point(self.spent("auto", rows)[-1], self.by_hand(*fit))
        self.assertEqual(self.spent("full-ridge", rows)[-1]["point"], 10)


class Files(CurveTest):
    def test_pictures(self):
        names = ["curve.svg", "curve-examples.svg", "curve-money.svg"]
        rows = self.curve("-k", 3, "--runs", 2, "--algorithms", "auto,auto like-units=yes,full-ridge", "--costs",
                          "costs.csv")
        values = ([r["attributes_bought"] for r in rows], [math.log(r["examples"]) for r in rows],
                  [r["money"] for r in rows])
        for name, across, label in zip(names, values, ("attributes bought", "labels", "money spent")):
            root = xml.etree.ElementTree.parse(self.path(f"figures/{name}")).getroot()
            text = "".join(root.itertext())
            for word in ("data.csv", label, "auto like-units=yes", "of 2 random splits", "labels"):
                self.assertIn(word, text)
            width, height = [float(v) for v in root.get("viewBox").split()[2:]]
            lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
            self.assertEqual(len(lines), 3)
            points = [[float(v) for v in p.split(",")] for line in lines for p in line.get("points").split()]
            self.assertTrue(all(0 <= x <= width and 0 <= y <= height for x, y in points))
            errors = [r["squared_error"] for r in rows]
            errors = [math.log(e) for e in errors] if max(errors) > 8 * min(errors) else errors
            for place, drawn in ((across, [x for x, _ in points]), (errors, [-y for _, y in points])):
                least, most = place.index(min(place)), place.index(max(place))
                for value, at in zip(place, drawn):
                    share = (value - place[least]) / (place[most] - place[least])
                    self.assertAlmostEqual((at - drawn[least]) / (drawn[most] - drawn[least]), share, delta=0.002)
        self.assertIn("sees more labels", self.read("figures/curve.svg").decode())  # panels and what is free count otherwise
        self.curve("-k", 3, "--runs", 1, "--algorithms", "auto", "--test", "test.csv", out="b")
        self.assertFalse(os.path.exists(self.path("b/curve-money.svg")))
        self.assertIn("1 orders of the examples", self.read("b/curve.svg").decode())

    def test_every_format_gives_the_same(self):
        part, words = self.table.part(0, 200), ("-k", 3, "--runs", 2, "--algorithms", "auto,full-ridge")
        self.curve(*words)
        files = {"d.npy": (npy(part.x), "--labels", "y.npy"), "d.svm": (part.libsvm(0), "--format", "libsvm",
                 "--index-base", 0), "d.txt": (part.csv(header=False), "--format", "csv", "--header", "no")}
        self.write("y.npy", npy(part.y))
        for name, (content, *options) in files.items():
            self.write(name, content)
            self.succeeds("curve", name, "-q", "--out", "b", *words, *options)
            self.assertEqual(self.read("figures/curve.csv"), self.read("b/curve.csv"), name)
        self.write("first.csv", "\n".join(",".join([line.split(",")[-1], *line.split(",")[:-1]])
                                          for line in part.csv().splitlines()) + "\n")
        self.succeeds("curve", "first.csv", "-q", "--out", "b", *words, "--target", "y")
        self.assertEqual(self.read("figures/curve.csv"), self.read("b/curve.csv"))

    def test_test_files_are_read_by_name_or_with_their_labels(self):
        words = ("-k", 3, "--runs", 1, "--algorithms", "auto", "--test")
        self.curve(*words, "test.csv")
        test = self.table.part(200, 240)
        self.write("turned.csv", "\n".join(",".join(line.split(",")[::-1]) for line in test.csv().splitlines()) + "\n")
        self.curve(*words, "turned.csv", out="b")
        self.assertEqual(self.read("figures/curve.csv"), self.read("b/curve.csv"))
        self.write("t.npy", npy(test.x))
        self.write("u.npy", npy(test.y))
        self.write("x.npy", npy(self.table.part(0, 200).x))
        self.write("y.npy", npy(self.table.part(0, 200).y))
        self.succeeds("curve", "x.npy", "--labels", "y.npy", "-q", "--out", "b", *words, "t.npy",
                      "--test-labels", "u.npy")
        self.assertEqual(self.read("figures/curve.csv"), self.read("b/curve.csv"))
        self.refuses(USAGE, "--test-labels", "curve", "data.csv", *words, "t.npy", "--out", "c")

    def test_classes_have_an_accuracy(self):
        labelled = Table(200, D).with_labels("no", "yes")
        self.write("data.csv", labelled.csv())
        rows = self.curve("-k", 3, "--runs", 1, "--classes", "no,yes", "--algorithms", "auto")
        hand = self.by_hand("-k", 3, "--split", "0.1", "--classes", "no,yes", "--algorithm", "auto")
        self.assertAlmostEqual(rows[-1]["accuracy"], hand[3]["accuracy"], places=6)
        self.assertIn("accuracy", self.printed)


class Refusals(CurveTest):
    def refuses_curve(self, code, words, *options, data="data.csv"):
        self.refuses(code, words, "curve", data, "--out", "new", *options)
        self.assertEqual(os.listdir(self.path("new")) if os.path.exists(self.path("new")) else [], [])

    def test_the_command_line(self):
        self.refuses(USAGE, "DATA", "curve", "-k", "3")
        self.refuses(USAGE, "'test.csv' is one word too many", "curve", "data.csv", "test.csv", "-k", "3")
        self.refuses_curve(USAGE, "k is missing")
        self.refuses_curve(USAGE, "'tango'", "-k", "3", "--algorithms", "auto,tango")
        self.refuses_curve(USAGE, "none", "-k", "3", "--algorithms", " , ")
        self.refuses_curve(USAGE, "twice", "-k", "3", "--algorithms", "auto,aerr,auto")
        self.refuses_curve(USAGE, ["eta", "auto"], "-k", "3", "--algorithms", "auto eta=1")
        self.refuses_curve(USAGE, ["seed", "auto"], "-k", "3", "--algorithms", "auto seed=1")
        self.refuses_curve(USAGE, ["eta", "'x'"], "-k", "3", "--algorithms", "aerr eta=x")
        self.refuses_curve(USAGE, ["k", "full-ridge"], "-k", "3", "--algorithms", "full-ridge k=4")
        self.refuses_curve(USAGE, ["k", "'x'"], "--algorithms", "auto k=x")
        self.refuses_curve(USAGE, ["auto", "at least 2"], "--algorithms", "auto k=1")
        self.refuses_curve(USAGE, "auto: k is missing", "--algorithms", "auto k=4,auto")
        self.refuses_curve(DATA, ["auto k=9", "k = 9"], "-k", "3", "--algorithms", "auto,auto k=9")
        self.refuses_curve(USAGE, "NAME=VALUE", "-k", "3", "--algorithms", "aerr center")
        self.refuses_curve(USAGE, "half", "-k", "3", "--algorithms", "aerr average=half")
        self.refuses_curve(USAGE, "too long", "-k", "3", "--algorithms", "aerr" + " eta=0.1" * 30)
        self.refuses_curve(USAGE, "20", "-k", "3", "--algorithms", ",".join(f"aerr eta=0.{i}" for i in range(1, 23)))
        self.refuses_curve(USAGE, "aer needs an even k", "-k", "3", "--algorithms", "aer")
        self.refuses_curve(USAGE, "not both", "-k", "3", "--test", "test.csv", "--split", "0.2")
        self.refuses_curve(USAGE, "--test", "-k", "3", "--test-labels", "test.csv")
        self.refuses_curve(USAGE, "not both", "-k", "3", "--costs", "costs.csv", "--budget", "9", "--budget-cost", "9")
        for option in ("--budget-cost", "--spend"):
            self.refuses_curve(USAGE, "--costs", "-k", "3", option, "9")
        self.refuses_curve(USAGE, "--costs", "-k", "3", "--algorithms", "auto thrift=no")
        self.refuses_curve(USAGE, "spend", "-k", "3", "--costs", "costs.csv", "--spend", "much")
        for option in (("--points", "0"), ("--split", "0"), ("--split", "1"), ("--runs", "0")):
            self.refuses_curve(USAGE, option[0].strip("-"), "-k", "3", *option)
        for option in ("--algorithm", "--passes", "--eta"):
            self.refuses_curve(USAGE, option, "-k", "3", option, "2")
        self.refuses_curve(USAGE, "--pair", "-k", "3", "--pair", "3,5")

    def test_files(self):
        self.refuses_curve(NO_INPUT, "absent.csv", "-k", "3", data="absent.csv")
        self.refuses_curve(NO_INPUT, "absent.csv", "-k", "3", "--test", "absent.csv")
        self.refuses_curve(NO_INPUT, "absent.csv", "-k", "3", "--costs", "absent.csv")
        self.refuses_curve(DATA, "k = 9", "-k", "9")
        self.write("narrow.csv", "a0,a1,y\n1,2,3\n")
        self.refuses_curve(DATA, ["narrow.csv", "a2"], "-k", "3", "--test", "narrow.csv")
        self.write("few.csv", "a0,a1,y\n" + "0.1,0.2,0.3\n" * 4)
        self.refuses_curve(DATA, "holds out none", "-k", "2", data="few.csv")
        lines = self.table.part(0, 200).csv().splitlines()
        lines[17] = "what" + lines[17][lines[17].index(","):]
        self.write("bad.csv", "\n".join(lines) + "\n")
        self.refuses_curve(DATA, ["bad.csv, line 18", "'what'"], "-k", "3", data="bad.csv")
        self.write("costs.csv", "attribute,cost\na0,1\n")
        self.refuses_curve(DATA, "costs.csv", "-k", "3", "--costs", "costs.csv")
        self.write("file", "x")
        self.refuses(IO, "file", "curve", "data.csv", "-k", "3", "--out", "file/new")

    def test_inputs_are_not_overwritten(self):
        os.rename(self.path("data.csv"), self.path("curve.csv"))
        self.refuses(USAGE, "curve.csv", "curve", "curve.csv", "-k", "3", "--out", ".")
        os.rename(self.path("curve.csv"), self.path("curve-runs.csv"))
        self.refuses(USAGE, "curve-runs.csv", "curve", "curve-runs.csv", "-k", "3", "--out", ".")
