"""scant study: how one is made, with and without a named algorithm, and what is read from it."""
import contextlib
import csv
import json
import os
import pathlib
import random
import re
import sqlite3
import xml.dom.minidom

from studies import FILE, NAMES, StudyTest, patient
from support import DATA, IO, NO_INPUT, USAGE, CommandTest


class Create(StudyTest):
    def test_the_risk_is_null_until_it_is_known(self):
        """Of one example there is a number, 0 or another, and no standard error: that is not to know it."""
        self.create("-k", "2", file="new")
        for known in (False, False, True):
            status = self.status("new")
            self.assertEqual((status["risk"] is not None, status["risk_error"] is not None), (known, known), status)
            self.assertEqual("not known yet" not in self.study("status", "new").out, known)
            self.go_on([status["learned"]], "new")

    def test_a_study_is_no_model(self):
        self.create("-k", "2", file="new")
        for words in (("show", "new"), ("next", "new"), ("predict", "new", "attributes.csv")):
            self.refuses(DATA, ["it is a study", "export"], *words)

    def test_blank_units_and_groups_are_none(self):
        self.write("blank.csv", "name,unit,group\na,,\nb, ,  \nc,mg,\n")
        self.create("-k", "2", file="blank", catalogue="blank.csv")
        self.study("ask", "blank", "x", "--json")
        self.assertEqual({line["unit"] for line in self.ask("x", "blank")["lines"]} - {"mg"}, {None})

    def test_settings_that_can_not_be(self):
        base = ("study", "create", "new", "--attributes", "attributes.csv")
        for code, words, more in (
                (USAGE, "k is missing", ()), (USAGE, "max-open", ("-k", "2", "--max-open", "0")),
                (USAGE, "max-open", ("-k", "2", "--max-open", "many")), (USAGE, "examples", ("-k", "2", "--examples", "x")),
                (USAGE, "no option --passes", ("-k", "2", "--passes", "2")),
                (USAGE, "no option --costs", ("-k", "2", "--costs", "attributes.csv")),
                (USAGE, "known attributes and groups", ("-k", "4", "--algorithm", "aerr")),
                (USAGE, "algorithm", ("-k", "2", "--algorithm", "dance")),
                (DATA, "name of the target", ("-k", "2", "--target", "age")),
                (DATA, "target", ("-k", "2", "--target", "a=b")), (DATA, "target", ("-k", "2", "--target", "")),
                (USAGE, "does not use --json", ("-k", "2", "--json"))):
            with self.subTest(more=more):
                self.refuses(code, words, *base, *more)
        self.refuses(USAGE, "--attributes", "study", "create", "new", "-k", "2")
        self.refuses(NO_INPUT, "none.csv", "study", "create", "new", "--attributes", "none.csv", "-k", "2")
        self.refuses(IO, "none/new", "study", "create", "none/new", "--attributes", "attributes.csv", "-k", "2")

    def test_bad_catalogues(self):
        for content, words in (("", "name"), ("name\nonly\n", "at least two"),
                               ("cost\n1\n2\n", "no column 'name'"), ("name,price\na,1\nb,2\n", "'price'"),
                               ("name,cost\na,1.001\nb,2\n", ["line 2", "1.001"]), ("name,cost\na,-1\nb,2\n", "line 2"),
                               ("name\na\na\n", ["'a'", "twice"]), ("name\na=b\nc\n", "'='"),
                               ("name,low,high\na,3,2\nb,,\n", ["'a'", "range"]), ("name,low\na,nan\nb,\n", "line 2"),
                               ("name,known\na,maybe\nb,\n", ["line 2", "maybe"]),
                               ('name,unit,cost\na,"m\ng",1\nb,,x\n', ["line 4", "'x'"]),
                               ("name,known,cost\na,yes,3\nb,,\nc,,\n", ["'a'", "known"])):
            with self.subTest(content=content):
                self.write("bad.csv", content)
                self.refuses(DATA, words, "study", "create", "new", "--attributes", "bad.csv", "-k", "2")

    def test_settings_are_kept(self):
        self.create("-k", "3", "--algorithm", "ridge", "--seed", "9", "--budget", "50", "--examples", "100",
                    "--missing", "skip-example")
        self.go_on(range(3))
        self.study("export", FILE, "-o", "m.json")
        settings = self.model("m.json")["settings"]
        self.assertEqual({k: settings[k] for k in ("algorithm", "k", "seed", "budget", "missing")},
                         {"algorithm": "ridge", "k": 3, "seed": 9, "budget": 50, "missing": "skip-example"})

    def test_json_is_one_line_of_json(self):
        self.create("-k", "2", "--budget-cost", "500", "--budget", "100")
        self.go_on(range(3))
        self.ask("open")
        for words in (["ask", FILE, "P1"], ["status", FILE], ["predict", FILE, "age=50"], ["verify", FILE]):
            out = self.study(*words, "--json").out
            self.assertEqual(out.count("\n"), 1)
            json.loads(out)

    def test_one_of_something_is_not_many(self):
        self.create("-k", "2")
        self.assertIn("ledger       1 event\n", self.study("status", FILE).out)
        self.assertIn("1 event replayed:", self.study("replay", FILE).out)
        self.write("past.csv", "age,y\n50,9\n")
        self.assertEqual(self.study("import", FILE, "--csv", "past.csv").out, "1 row taken down, 1 example learned\n")
        self.assertIn("imported     1 example\n", self.study("status", FILE).out)


class Use(StudyTest):
    made = {}  # the files of a study of 30 examples, by name: made once, as that takes 60 commands

    def setUp(self):
        super().setUp()
        for name, content in self.made.items():
            pathlib.Path(self.path(name)).write_bytes(content)
        if not self.made:
            self.create("-k", "2", "--budget-cost", "5000")
            self.go_on(range(30))
            self.made.update((name, pathlib.Path(self.path(name)).read_bytes()) for name in os.listdir(self.folder))

    def test_a_prediction_with_its_interval(self):
        out = self.study("predict", FILE, "age=50", "scan=1.5").out
        match = re.fullmatch(r"y = (\S+), and from (\S+) to (\S+) with probability 0\.9\n", out)
        mean, low, high = (float(g) for g in match.groups())
        self.assertTrue(low < mean < high)
        wide = self.study("predict", FILE, "age=50", "scan=1.5", "--interval", "0.99", "--json").json
        self.assertAlmostEqual(wide["prediction"], mean, delta=1e-4 * abs(mean))
        self.assertTrue(wide["low"] < low and high < wide["high"])
        self.assertEqual(wide["level"], 0.99)
        self.assertNotEqual(self.study("predict", FILE).out, out)  # of nothing known
        self.assertEqual(self.study("predict", FILE, "age=50", "hdl=missing", "scan=1.5").out, out)

    def test_an_exported_model_is_a_model(self):
        self.assertEqual(self.study("export", FILE, "-o", "m.json").out, "model: m.json, of 30 examples\n")
        self.study("export", FILE, "-o", "g.json", "--gaussian")
        rows = [patient(n)[0] for n in range(200, 220)]
        self.write("new.csv", ",".join(NAMES) + "\n" + "".join(",".join(str(x[n]) for n in NAMES) + "\n" for x in rows))
        model = self.model("m.json")
        weights = model["weights"]
        expected = [model["intercept"] + sum(w * x[n] for w, n in zip(weights, NAMES)) for x in rows]
        found = [float(v) for v in self.succeeds("predict", "m.json", "new.csv").out.split()]
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, places=9)
        self.assertIn("scan", self.succeeds("show", "m.json").out)
        self.assertIn("gaussian", self.succeeds("show", "g.json").out)
        lines = self.succeeds("predict", "g.json", "new.csv", "--interval", "0.9").out.splitlines()[1:]
        for line, x in zip(lines, rows):
            p = self.study("predict", FILE, *(f"{n}={x[n]}" for n in NAMES), "--json").json
            for a, b in zip(line.split(","), (p["prediction"], p["low"], p["high"])):
                self.assertAlmostEqual(float(a), b, places=9)

    def test_studies_of_dense_rows_are_verified(self):
        """When such a row was solved is not in the ledger: exports in between must not matter."""
        self.write("plain.csv", "name\n" + "\n".join(NAMES) + "\n")
        for row in ("gaussian", "moments"):
            with self.subTest(row=row):
                self.create("-k", "4", "--algorithm", row, file=row, catalogue="plain.csv")
                self.go_on(range(24), row)
                self.study("export", row, "-o", f"{row}.json")
                self.go_on(range(24, 30), row)
                self.verified(row)

    def test_a_ledger_whose_end_is_gone_is_not_replayed(self):
        self.create("-k", "2", file="cut")
        self.go_on(range(3), "cut")
        self.edit("DELETE FROM ledger WHERE sequence = (SELECT max(sequence) FROM ledger)", file="cut")
        self.refuses(DATA, "told has more rows", "study", "replay", "cut")

    def test_reading_changes_nothing(self):
        before = self.read(FILE)
        for words in (["status"], ["ledger"], ["verify"], ["predict"]):
            self.study(words[0], FILE)
        self.assertEqual(self.read(FILE), before)

    def texts(self, drawing):
        return [n.firstChild.data for n in drawing.getElementsByTagName("text") if n.firstChild]

    def test_a_plot_is_drawn(self):
        self.assertIn("\ncurve.svg is drawn\n", self.study("status", FILE, "--plot", "curve.svg").out)
        drawing = xml.dom.minidom.parseString(self.read("curve.svg"))
        text = "".join(self.texts(drawing))
        for word in (*NAMES, "risk", "examples learned"):
            self.assertIn(word, text)
        bars = [float(r.getAttribute("width")) for r in drawing.getElementsByTagName("rect")[1:]]
        self.assertEqual(len(bars), 12)
        purchases = sorted((a["purchases"] for a in self.status()["attributes"]), reverse=True)
        for width, count in zip(bars, purchases):
            self.assertAlmostEqual(width / bars[0], count / purchases[0], places=2)
        points = drawing.getElementsByTagName("polyline")[0].getAttribute("points").split()
        self.assertTrue(2 <= len(points) <= 20, points)
        self.create("-k", "2", file="empty")
        self.study("status", "empty", "--plot", "empty.svg")
        drawing = xml.dom.minidom.parseString(self.read("empty.svg"))
        self.assertIn("nothing was learned yet", self.texts(drawing))
        self.assertNotIn("examples learned", self.texts(drawing))
        self.assertEqual(drawing.getElementsByTagName("polyline"), [])

    def test_a_plot_of_few_examples_and_long_names(self):
        names = ["left ventricular ejection fraction", "W" * 60, "größe-" * 10 + "links", "x"]
        self.write("long.csv", "name\n" + "".join(f"{n}\n" for n in names))
        self.create("-k", "4", "--target", "score", "--algorithm", "ridge", file="long.study", catalogue="long.csv")
        for number in range(3):
            self.study("ask", "long.study", str(number))
            self.study("tell", "long.study", str(number), *(f"{n}={number}" for n in names), f"score={number}")
        self.study("status", "long.study", "--plot", "long.SVG")
        drawing = xml.dom.minidom.parseString(self.read("long.SVG"))
        texts = self.texts(drawing)
        self.assertIn("long.study: estimated risk of score, ridge", texts)
        self.assertIn(names[0], texts)  # whole
        for name in names[1:3]:
            short = next(t for t in texts if t.startswith(name[:9]))
            self.assertTrue(short.endswith("…") and name.startswith(short[:-1]) and len(short) > 20, short)
        labels = [n for n in drawing.getElementsByTagName("text") if n.getAttribute("text-anchor") == "end"]
        for label in labels:  # a capital W is as wide as its letters are high, others are less
            wide = sum(13 if c == "W" else 8 for c in label.firstChild.data)
            self.assertGreaterEqual(float(label.getAttribute("x")) - wide, 0, label.firstChild.data)
        below = [n.firstChild.data for n in drawing.getElementsByTagName("text")
                 if n.getAttribute("text-anchor") == "middle" and not n.getAttribute("transform")]
        self.assertEqual(below[-2:], ["3", "examples learned"])

    def test_a_backup_is_a_study_that_goes_on(self):
        self.ask("open")
        self.assertEqual(self.study("backup", FILE, "copy").out, f"copy: a copy of {FILE}\n")
        self.assertEqual(os.stat(self.path("copy")).st_mode & 0o777, 0o600)
        self.assertEqual(self.verified("copy"), self.verified())
        self.assertEqual(self.study("ledger", "copy").out, self.study("ledger", FILE).out)
        self.go_on(range(50, 53), "copy")
        self.go_on(range(50, 53))
        self.assertEqual([r["values"] for r in self.ledger("copy")], [r["values"] for r in self.ledger()])
        self.refuses_study(IO, "copy", "backup", FILE, "copy")
        self.assertEqual(os.stat(self.path(FILE)).st_mode & 0o777, 0o600)


class Looks(StudyTest):
    """What was bought for a study, from the looks in its ledger."""

    def export(self, *words, file=FILE):
        self.study("export", file, "--looks", "looks.csv", *words)
        with open(self.path("looks.csv"), newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def test_every_line_of_every_order_that_was_learned(self):
        self.create("-k", "3", "--spend", "90")
        self.go_on(range(12))
        self.ask("late")  # open, so it is not bought yet
        lines = self.export("-o", "model.json", "--looks-pairs", "pairs.csv")
        self.assertEqual({line["example"] for line in lines}, {f"P{n}" for n in range(12)})
        with contextlib.closing(sqlite3.connect(self.path(FILE))) as database:
            asked = database.execute("SELECT example, look FROM ledger WHERE kind = 'ask'").fetchall()
        looks = {example: json.loads(look) for example, look in asked}
        for number in range(12):
            x, y = patient(number)
            mine = [line for line in lines if line["example"] == f"P{number}"]
            look, order = looks[f"P{number}"], self.ask(f"P{number}")
            self.assertEqual([line["attribute"] for line in mine], [NAMES[a] for a in look["attributes"]])
            self.assertEqual([int(line["draws"]) for line in mine], look["gradient_draws"])
            for line, ordered, q in zip(mine, order["lines"], look["gradient_probability"]):
                self.assertEqual((float(line["value"]), float(line["target"])), (x[line["attribute"]], y))
                self.assertEqual((line["attribute"], float(line["price"])), (ordered["name"], ordered["price"]))
                self.assertEqual(float(line["probability"]), q)
                self.assertEqual(line["certain"] == "1", line["draws"] == "0")
                self.assertEqual(line["inclusion"], "1" if line["certain"] == "1" else "")
        self.assertTrue(all(line["certain"] == "1" for line in lines if line["attribute"] == "age"))
        self.assertEqual(json.loads(self.read("model.json"))["ledger"]["money_spent"],
                         round(100 * sum(float(line["price"]) for line in lines)))

    def test_what_is_always_known_is_certain(self):
        self.create("-k", "2", "--algorithm", "gaussian")
        self.go_on(range(3))
        lines = self.export()
        self.assertEqual({line["certain"] for line in lines if line["attribute"] == "age"}, {"1"})
        self.assertEqual({line["certain"] for line in lines if line["attribute"] != "age"}, {"0"})

    def test_values_that_were_corrected_or_are_missing(self):
        self.create("-k", "2")
        order = self.ask("P1")
        names = [line["name"] for line in order["lines"]]
        self.study("tell", FILE, "P1", *(f"{name}=missing" if name != names[0] else f"{name}=40" for name in names), "y=3")
        self.study("correct", FILE, "P1", f"{names[0]}=41", "--reason", "typo")
        lines = self.export()
        self.assertEqual([line["value"] for line in lines], ["41"] + [""] * (len(names) - 1))

    def test_other_algorithms(self):
        """A fit of the same examples in the same order buys the same, and knows all chances at once."""
        draw = random.Random(3)
        rows = [[draw.randint(-9, 9) / 8 for _ in range(6)] for _ in range(30)]
        self.write("plain.csv", "name\na\nb\nc\nd\ne\n")
        self.write("data.csv", "a,b,c,d,e,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        for row in ("aerr", "ddaerr", "ddaelr", "gaussian", "moments"):
            options = ("-k", "3", "--algorithm", row, "--examples", "30")
            self.create(*options, file=row, catalogue="plain.csv")
            for n, x in enumerate(rows):
                told = dict(zip("abcdey", x))
                order = self.ask(f"x{n}", row)
                self.study("tell", row, f"x{n}", *(f"{line['name']}={told[line['name']]}" for line in order["lines"]), f"y={x[5]}")
            lines = self.export("--looks-pairs", "pairs.csv", file=row)
            self.assertEqual({line["price"] for line in lines}, {""})
            self.succeeds("fit", "data.csv", "-q", "--no-shuffle", *options[:4], "--looks", "fit.csv", "--looks-pairs",
                          "fit-pairs.csv")
            known = {"gaussian": 0.25, "moments": 0.2}.get(row, 1)  # not once the laws of these have no closed form
            self.assertGreaterEqual(sum(line["inclusion"] != "" for line in lines), known * len(lines), row)
            self.assertEqual(all(line["probability"] == "" for line in lines), row in ("gaussian", "moments"))
            for mine, other in (("looks.csv", "fit.csv"), ("pairs.csv", "fit-pairs.csv")):
                with open(self.path(mine), newline="", encoding="utf-8") as a, open(self.path(other), encoding="utf-8") as b:
                    found, wanted = list(csv.DictReader(a)), list(csv.DictReader(b))
                for line in found:
                    line["example"] = str(int(line["example"][1:]) + 1)
                self.assertEqual(found, wanted, (row, mine))

    def test_pseudonyms_are_those_of_the_other_tables(self):
        self.create("-k", "2")
        self.go_on(range(3))
        plain, lines = self.export(), self.export("--pseudonyms", "--looks-pairs", "pairs.csv")
        self.study("export", FILE, "--csv", "-o", "table.csv", "--pseudonyms")
        with open(self.path("table.csv"), newline="", encoding="utf-8") as table:
            names = {row["example"] for row in csv.DictReader(table)}
        self.assertEqual({line["example"] for line in lines}, names)
        self.assertEqual([{**line, "example": ""} for line in lines], [{**line, "example": ""} for line in plain])
        for name in ("P0", "P1", "P2"):
            self.assertNotIn(name.encode(), self.read("looks.csv") + self.read("pairs.csv"))

    def test_refusals(self):
        self.create("-k", "2")
        self.refuses_study(USAGE, [".csv or .npy"], "export", FILE, "--looks", "looks")
        self.refuses_study(USAGE, ["-o MODEL is missing"], "export", FILE)
        self.refuses_study(USAGE, ["--gaussian needs -o"], "export", FILE, "--gaussian", "--looks", "l.csv")
        self.refuses_study(USAGE, ["study status does not use --looks"], "status", FILE, "--looks", "l.csv")
        self.refuses_study(USAGE, ["'l.csv' would be overwritten"], "export", FILE, "-o", "l.csv", "--looks", "l.csv")
        self.assertEqual(self.export(), [])


HEADER = (pathlib.Path(__file__).parents[2] / "core" / "include" / "scant.h").read_text()
WORK = float(re.search(r"#define SCANT_DEFAULT_WORK (\S+)", HEADER)[1])


class Study(CommandTest):
    def create(self, name, catalogue, *words):
        self.write("attributes.csv", catalogue)
        return self.succeeds("study", "create", name, "--attributes", "attributes.csv", *words).out

    def algorithm(self, name):
        return self.succeeds("study", "status", name, "--json").json["algorithm"]

    def test_gaussian_wherever_it_can_be(self):
        """Answers that come late teach it as much as others.  Only its memory limits it."""
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        late = "\ndefault: gaussian, since what is told late teaches it as much as what is told at once\n"
        out = self.create("small.study", plain, "-k", "3")
        self.assertIn("\ngaussian, K = 3; nothing has a price\n", out)
        self.assertIn(late, out)
        self.assertEqual(self.algorithm("small.study"), "gaussian")
        wide = "name\n" + "".join(f"a{i}\n" for i in range(int((WORK / 8) ** (1 / 3)) + 2))
        self.assertIn(late, self.create("wide.study", wide, "-k", "3"))  # where a fit takes auto
        self.assertIn(late, self.create("more.study", plain, "-k", "6", "--examples", "100000"))
        self.assertRegex(self.create("many.study", plain, "-k", "6", "--examples", "100000000"),
                         r"\ndefault: auto, since gaussian needs \S+ GiB for 6 attributes, and option memory allows 4")
        wider = "name\n" + "".join(f"a{i}\n" for i in range(9000))
        self.assertRegex(self.create("wider.study", wider, "-k", "3"),
                         r"\ndefault: auto, since gaussian needs \S+ GiB for 9000 attributes, and option memory allows 4")
        self.assertEqual(self.algorithm("wider.study"), "auto")

    def test_options_and_names(self):
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        out = self.create("units.study", plain, "-k", "3", "--like-units")
        self.assertIn("\ndefault: auto, since only it takes like-units\n", out)
        self.assertNotIn("default", self.create("named.study", plain, "-k", "3", "--algorithm", "auto"))
        self.refuses(USAGE, ["radius", "neither gaussian nor auto"], "study", "create", "bad.study", "--attributes",
                     "attributes.csv", "-k", "3", "--radius", "2")
        self.assertIn("\ndefault: auto, since gaussian needs ", self.create("tight.study", plain, "-k", "3", "--memory", "1e-6"))

    def test_known_attributes_groups_and_prices(self):
        """They need looks that follow prices."""
        for name, catalogue in (("a", "name,known\nage,yes\nx,no\ny1,no\nz,no\n"),
                                ("b", "name,group\na,p\nb,p\nc,\nd,\n"), ("c", "name,cost\na,1\nb,2\nc,3\n")):
            self.create(f"{name}.study", catalogue, "-k", "2")
            order = self.succeeds("study", "ask", f"{name}.study", "P1", "--json").json
            told = [f"{line['name']}=1" for line in order["lines"]]
            self.assertIn(self.algorithm(f"{name}.study"), ("auto", "gaussian"))
            self.succeeds("study", "tell", f"{name}.study", "P1", *told, "y=2")
            self.assertIn("verified", self.succeeds("study", "verify", f"{name}.study").out)

    def test_replay_goes_on_with_what_was_taken(self):
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        self.create("s.study", plain, "-k", "3")
        for i in range(30):
            order = self.succeeds("study", "ask", "s.study", f"P{i}", "--json").json
            told = [f"{line['name']}={(i * 7 + place) % 5}" for place, line in enumerate(order["lines"])]
            self.succeeds("study", "tell", "s.study", f"P{i}", *told, f"y={i % 3}")
        self.succeeds("study", "replay", "s.study")
        self.assertIn("the learner is the same bit for bit", self.succeeds("study", "verify", "s.study").out)
        self.assertEqual(self.algorithm("s.study"), "gaussian")
