"""The row gaussian: fits, checkpoints, masks that were given, and what its models predict."""

import base64
import random
import struct

from support import DATA, USAGE, CommandTest, predict, sealed

ROW = ("--algorithm", "gaussian")
K = (*ROW, "-k", "4")
D = 9


class Causes:
    """Three hidden causes and noise."""

    def __init__(self, rows, seed=1):
        draw = random.Random(seed)
        self.names = [f"a{i}" for i in range(D)]
        self.x, self.y = [], []
        for _ in range(rows):
            f = [draw.gauss(0, 1) for _ in range(3)]
            self.x.append([round(sum(((5 * j + 3 * k) % 7 - 3) * f[k] for k in range(3)) + draw.gauss(0, 0.7), 5)
                           for j in range(D)])
            self.y.append(round(f[0] - 2 * f[1] + draw.gauss(0, 0.4), 5))

    def csv(self, there=None):
        lines = [",".join([*self.names, "y"])]
        for r, (x, y) in enumerate(zip(self.x, self.y)):
            lines.append(",".join([*("" if there and not there[r][j] else str(v) for j, v in enumerate(x)), str(y)]))
        return "\n".join(lines) + "\n"


class Gaussian(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Causes(150)
        self.write("data.csv", self.table.csv())

    def holes(self, rows=150, seed=4):
        """A table with a third of its cells empty; which are there, row by row."""
        draw, table = random.Random(seed), Causes(rows, seed)
        there = [[draw.random() > 1 / 3 for _ in x] for x in table.x]
        self.write("holes.csv", table.csv(there))
        return table, there

    # ---- the run ----------------------------------------------------------------

    def test_k_holds_for_every_example(self):
        printed, model = self.fit("data.csv", *K)
        self.assertEqual(printed["max_bought_per_example"], 4)
        self.assertEqual(printed["attributes_bought"], 4 * 150)
        self.assertEqual(sum(model["purchases"]), 4 * 150)
        self.assertGreater(printed["penalty"], 0)
        self.assertGreater(printed["risk"], 0)
        self.assertTrue(all(model["weights"]))

    def test_it_learns(self):
        """Better from four attributes of an example than the mean, by far."""
        self.fit("data.csv", *K)
        self.write("test.csv", Causes(300, seed=9).csv())
        self.assertGreater(self.succeeds("eval", "model.json", "test.csv", "--json").json["r2"], 0.8)

    def test_the_model_depends_on_what_was_told_alone(self):
        """A budget that ends at a renewal asks once more than it can pay for."""
        _, model = self.fit("data.csv", *K, "--examples", "40")
        _, spent = self.fit("data.csv", *K, "--budget", "160")
        self.assertEqual(spent["ledger"]["examples"], 40)
        self.assertEqual(spent["weights"], model["weights"])
        self.assertEqual(spent["gaussian"], model["gaussian"])

    def test_a_single_attribute_that_is_there(self):
        self.write("one.csv", "a,y\n" + "".join(f"{x[0]},{3 * x[0] + 1}\n" for x in self.table.x))
        _, model = self.fit("one.csv", *ROW, "--observed")
        self.assertAlmostEqual(model["weights"][0], 3, delta=0.3)

    def test_show_tells_what_to_buy_in_order(self):
        """The first is the one that explains most; the meter then counts just those."""
        _, model = self.fit("data.csv", *K)
        g = model["gaussian"]

        def covariance(i, j):
            return g["covariance"][i * (i + 1) // 2 + j]

        explained = [covariance(D, j) ** 2 / covariance(j, j) for j in range(D)]
        shown = self.succeeds("show", "model.json", "--top", "3").out.split("buy in this order\n")[1].split()
        self.assertEqual(shown[0], self.table.names[explained.index(max(explained))])
        self.assertEqual(len(set(shown)), 3)
        self.assertNotIn("buy in this order", self.succeeds("show", "model.json", "--top", "0").out)
        self.fit("data.csv", "--algorithm", "auto", "-k", "4")
        self.assertNotIn("buy in this order", self.succeeds("show", "model.json").out)

    def test_threads_and_memory_are_not_of_the_model(self):
        self.fit("data.csv", *K, "--threads", "1")
        before = self.read("model.json")
        for words in (["--threads", "2"], ["--threads", "5"], ["--memory", "1"]):
            self.fit("data.csv", *K, *words)
            self.assertEqual(self.read("model.json"), before)

    def test_what_is_too_large_is_refused_with_its_size(self):
        self.refuses(DATA, ["gaussian needs", "GiB", "9 attributes", "1e-05"], "fit", "data.csv", *K, "--memory",
                     "0.00001", "-o", "new.json", "--checkpoint", "c.json")
        names = [f"a{i}" for i in range(200)]
        self.write("wide.csv", ",".join([*names, "y"]) + "\n" + (",".join(["1"] * 201) + "\n") * 3)
        self.refuses(DATA, ["gaussian needs", "GiB", "200 attributes", "0.001"], "fit", "wide.csv", *K, "--memory",
                     "0.001", "-o", "new.json")

    def test_what_it_does_not_take_is_refused(self):
        self.refuses(USAGE, "k is missing", "fit", "data.csv", *ROW)
        self.refuses(USAGE, "one pass", "fit", "data.csv", *K, "--passes", "2")
        for option in ("radius", "penalty", "eta", "spend"):
            self.refuses(USAGE, option, "fit", "data.csv", *K, f"--{option}", "3")
        self.refuses(USAGE, "norm", "fit", "data.csv", *K, "--norm", "1")
        self.refuses(DATA, "10", "fit", "data.csv", *ROW, "-k", "10")
        self.refuses(USAGE, "shared", "tune", "data.csv", *K, "--grid", "observed=no")

    def test_few_examples_and_odd_columns_are_no_error(self):
        for rows in (1, 2, 9, 10, 11, 40):
            table = Causes(rows)
            for r, x in enumerate(table.x):
                x[0], x[1], x[2] = 5.0, 1.0 if r == 3 else 0.0, x[3]
            for y in (table.y, [2.5] * rows):
                table.y = y
                self.write("few.csv", table.csv())
                for words in (K, (*ROW, "-k", str(D)), (*ROW, "--observed")):
                    model = self.fit("few.csv", *words)[1]
                    self.assertEqual(model["weights"][0], 0)
                    if rows < 10:
                        self.assertFalse(any(model["weights"]))
                        self.assertAlmostEqual(model["intercept"], sum(y) / rows)
                        self.assertEqual("gaussian" in model, len(set(y)) > 1)
                    if y[0] == 2.5:
                        self.assertAlmostEqual(predict(model, table.x[0]), 2.5, places=5)

    def test_costs_are_charged(self):
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i}\n" for i in range(D)))
        printed, model = self.fit("data.csv", *K, "--costs", "costs.csv", "--budget-cost", "300")
        spent = sum((1 + i) * n for i, n in enumerate(model["purchases"]))
        self.assertAlmostEqual(printed["money_spent"], spent)
        self.assertLessEqual(spent, 300)

    # ---- a mask that was given ---------------------------------------------------

    def test_observed_counts_what_is_there(self):
        _, there = self.holes()
        printed, model = self.fit("holes.csv", *ROW, "--observed")
        self.assertEqual(printed["k"], D)
        self.assertEqual(printed["attributes_bought"], sum(map(sum, there)))
        self.assertEqual(printed["max_bought_per_example"], max(map(sum, there)))
        self.assertEqual(printed["missing_cells"], 0)
        self.assertEqual(model["purchases"], [sum(column) for column in zip(*there)])
        self.write("test.csv", Causes(300, seed=9).csv())
        self.assertGreater(self.succeeds("eval", "model.json", "test.csv", "--json").json["r2"], 0.8)

    def test_observed_refuses_what_contradicts_it(self):
        self.refuses(USAGE, ["observed", "missing"], "fit", "data.csv", *ROW, "--observed", "--missing", "error")
        self.refuses(DATA, ["observed", str(D)], "fit", "data.csv", *K, "--observed")

    # ---- checkpoints -------------------------------------------------------------

    def test_it_resumes_to_the_same_bits(self):
        self.holes()
        for data, words in (("data.csv", K), ("holes.csv", (*ROW, "--observed")), ("holes.csv", K)):
            for cut in (12, 40, 90):
                self.succeeds("fit", data, *words, "-q", "--examples", "100", "-o", "whole.json", "--checkpoint",
                              "c.json", "--every", str(cut))
                self.succeeds("fit", data, *words, "-q", "--examples", str(cut), "--checkpoint", "cut.json")
                self.succeeds("fit", data, *words, "-q", "--examples", str(cut), "-o", "part.json")
                self.succeeds("fit", data, "--resume", "cut.json", "-q", "-o", "resumed.json")
                self.assertEqual(self.read("resumed.json"), self.read("part.json"))
                self.succeeds("fit", data, "--resume", "c.json", "-q", "-o", "resumed.json")
                self.assertEqual(self.read("resumed.json"), self.read("whole.json"))

    def test_a_fit_that_was_stopped_goes_on(self):
        """A budget ends a fit early; the ledger and the looks are those of an uninterrupted one."""
        words = ("fit", "data.csv", *K, "-q", "--budget", "240")
        self.succeeds(*words, "-o", "whole.json", "--checkpoint", "c.json")
        self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
        self.assertEqual(self.read("resumed.json"), self.read("whole.json"))

    def test_a_damaged_checkpoint_is_refused(self):
        self.succeeds("fit", "data.csv", *K, "-q", "--checkpoint", "c.json")
        good = self.model("c.json")
        learner = good["checkpoint"]["learner"]

        def packed(key, code, place, value):
            numbers = bytearray(base64.b64decode(learner[key]))
            struct.pack_into(code, numbers, place * struct.calcsize(code), value)
            return {key: base64.b64encode(numbers).decode()}

        changes = [{key: None} for key in ("renew_at", "chosen_at", "noise", "follow", "explore", "looks",
                                           "sizes", "attributes", "values", "targets")]
        changes += [{"renew_at": 0}, {"chosen_at": 151}, {"noise": 0}, {"noise": -1}, {"noise": "?"}, {"noise": [1]},
                    {"follow": [-1] + [1] * (D - 1)}, {"follow": [1]},
                    {"explore": [0] + [1] * (D - 1)}, {"looks": 599}, {"values": learner["values"][4:]},
                    {"targets": "?" + learner["targets"][1:]},
                    packed("sizes", "<I", 0, 3), packed("sizes", "<I", 149, 2**32 - 1), packed("attributes", "<I", 0, D),
                    packed("attributes", "<I", 5, 2**31), packed("values", "<d", 9, float("nan")),
                    packed("values", "<d", 9, 0.5),
                    packed("targets", "<d", 9, float("inf"))]
        for change in changes:
            with self.subTest(change=str(change)[:60]):
                changed = {**good["checkpoint"], "learner": {**learner, **change}}
                self.write("bad.json", sealed({**good, "checkpoint": changed}))
                self.refuses(DATA, "bad.json", "fit", "data.csv", "--resume", "bad.json")

    # ---- what a model predicts ---------------------------------------------------

    def rows(self, *words):
        """The lines that predict prints, as numbers; the first may be a header."""
        lines = self.succeeds("predict", "model.json", *words).out.split()
        return [[float(v) for v in line.split(",")] for line in lines if not line[0].isalpha()]

    def test_the_joint_distribution_agrees_with_the_weights(self):
        """The weights for all attributes have a larger penalty, so about."""
        model = self.fit("data.csv", *K)[1]
        self.assertEqual(model["gaussian"]["attributes"], list(range(D)))
        self.assertEqual(len(model["gaussian"]["mean"]), D + 1)
        found, apart = self.rows("data.csv", "--interval", "0.8"), 0
        for (mean, low, high), x in zip(found, self.table.x, strict=True):
            apart += (mean - predict(model, x)) ** 2 / 150
            self.assertLess(low, mean)
            self.assertLess(mean, high)
        self.assertLess(apart, 0.01 * sum(y * y for y in self.table.y) / 150)
        inside = sum(low <= y <= high for (_, low, high), y in zip(found, self.table.y))
        self.assertTrue(0.65 < inside / 150 < 0.95, inside)

    def test_it_predicts_from_few(self):
        self.fit("data.csv", *K)
        self.write("test.csv", Causes(200, seed=9).csv())
        self.assertEqual(len(self.rows("test.csv", "-k", "3")), 200)
        self.assertEqual(self.rows("test.csv", "-k", str(D)), self.rows("test.csv", "-k", str(D)))
        curve = self.succeeds("eval", "model.json", "test.csv", "-k", "4", "--json").json["curve"]
        errors = [point["squared_error"] for point in curve]
        self.assertEqual(len(errors), 5)
        self.assertLess(errors[4], 0.4 * errors[0])
        self.assertLess(errors[2], errors[0])

    def test_two_values_stay_two_values(self):
        table = self.table
        table.y = [3 if y > 0 else -1 for y in table.y]
        self.write("two.csv", table.csv())
        model = self.fit("two.csv", *K)[1]
        self.assertEqual(model["gaussian"]["target_values"], [-1, 3])
        for mean, low, high in self.rows("two.csv", "--interval", "0.9"):
            self.assertTrue(-1 <= mean <= 3 and low in (-1, 3) and high in (-1, 3))

    def test_its_risk_has_a_standard_error(self):
        printed = self.fit("data.csv", *K)[0]
        self.assertGreater(printed["risk_error"], 0)
        self.assertGreater(printed["risk"], 0)
        table = self.succeeds("fit", "data.csv", *K).err.splitlines()
        self.assertEqual(table[0].split(), ["examples", "attributes", "risk", "+-"])
        rows = [line.split() for line in table[1:] if line.split() and line.split()[0].isdigit()]
        self.assertEqual(len(rows[-1]), 4, rows)

    def test_two_numbers_are_not_two_values(self):
        """Two rows, 10 and 20: a later one may be 30.  Declared classes are two."""
        for words, numbers in (((), True), (("--classes", "10,20"), False)):
            self.write("two.csv", "a,b,y\n1,2,10\n3,1,20\n")
            model = self.fit("two.csv", *ROW, "-k", "2", *words)[1]
            self.assertEqual("target_values" in model["gaussian"], not numbers)
            (mean, low, high), *_ = self.rows("two.csv", "--interval", "0.99")
            if numbers:
                self.assertTrue(low < 10 and high > 20, (low, high))
            else:
                self.assertTrue({low, high} <= {-1, 1})

    # ---- files -----------------------------------------------------------------------

    def test_no_setting_may_be_missing(self):
        for words in (["--clip", "none"], []):
            model = self.fit("data.csv", *K, *words)[1]
            for gone in (["spend"], ["thrift"], ["spend", "thrift"]):
                settings = {k: v for k, v in model["settings"].items() if k not in gone}
                self.write("wrong.json", sealed({**model, "settings": settings}))
                self.refuses(DATA, ["wrong.json", gone[0], "missing"], "show", "wrong.json")

    def test_a_state_of_another_version_is_refused(self):
        self.succeeds("fit", "data.csv", *K, "--clip", "none", "-q", "--budget", "200", "--checkpoint", "c.json")
        model = self.model("c.json")
        learner = {**model["checkpoint"]["learner"], "state": 2}
        self.write("old.json", sealed({**model, "checkpoint": {**model["checkpoint"], "learner": learner}}))
        self.succeeds("show", "old.json")
        self.refuses(DATA, ["old.json", "of version 2", "reads version 3"], "fit", "data.csv", "--resume", "old.json")

    def test_checkpoints_are_models_too(self):
        """In the middle, before and after there is more to keep than the target."""
        for examples in ("5", "60"):
            self.succeeds("fit", "data.csv", *K, "-q", "--examples", examples, "--checkpoint", "c.json")
            known = self.model("c.json")["gaussian"]["attributes"]
            self.assertEqual(known, list(range(D)) if examples == "60" else [])
            self.succeeds("predict", "c.json", "data.csv")
            self.succeeds("show", "c.json")
