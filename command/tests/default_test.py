"""What the command takes where no algorithm is named, and how it says so."""
import pathlib
import re

from support import DATA, DIMENSION, USAGE, CommandTest, Table, algorithms, run

HEADER = (pathlib.Path(__file__).parents[2] / "core" / "include" / "scant.h").read_text()
WORK = float(re.search(r"#define SCANT_DEFAULT_WORK (\S+)", HEADER)[1])
DOCS = pathlib.Path(__file__).parents[2] / "docs"


class Default(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(40, DIMENSION).csv())
        self.write("wide.csv", self.wide())

    @staticmethod
    def wide():
        """Examples with one attribute more than gaussian takes."""
        d = int((WORK / 8) ** (1 / 3)) + 2
        rows = [",".join(str((i * j + j) % 5) for j in range(d + 1)) for i in range(12)]
        return "\n".join([",".join(f"a{j}" for j in range(d)) + ",y", *rows]) + "\n"

    def check(self, algorithm, why, *words, data="data.csv"):
        printed, model = self.fit(data, *words)
        self.assertEqual((printed["algorithm"], model["settings"]["algorithm"]), (algorithm, algorithm))
        self.assertRegex(printed["algorithm_why"], why)
        out = self.succeeds("fit", data, "-q", *words).out.splitlines()
        self.assertTrue(out[0].startswith(f"{algorithm}: "), out[0])
        self.assertEqual(out[1], f"default: {algorithm}, since {printed['algorithm_why']}")
        chosen = self.read("model.json")
        named, _ = self.fit(data, "--algorithm", algorithm, *words)
        self.assertEqual(self.read("model.json"), chosen)
        self.assertIsNone(named["algorithm_why"])
        self.assertNotIn("default", self.succeeds("fit", data, "-q", "--algorithm", algorithm, *words).out)

    def test_the_size_of_the_data_decides(self):
        work = 40 * 4**3 + 8 * DIMENSION**3
        self.check("gaussian", rf"^m K\^3 \+ 8 d\^3 = {work:.3g} is at most ".replace("e+", r"e\+"), "-k", "4")
        self.check("gaussian", "^m K", "-k", "4", "--split", "0.2", "--budget", "60")
        self.check("auto", r"^m K\^3 \+ 8 d\^3 = \S+ is above ", "-k", "4", data="wide.csv")
        named = self.fit("data.csv", "-k", "4", "--algorithm", "default")[0]
        self.assertEqual(named["algorithm"], "gaussian")
        self.assertIsNotNone(named["algorithm_why"])

    def test_options_decide(self):
        for words, option in ((["--like-units"], "like-units"), (["--no-intercept"], "intercept"),
                              (["--average", "last"], "average")):
            self.check("auto", f"^only it takes {option}$", "-k", "4", *words)
        self.check("auto", "^only it takes more than one pass$", "-k", "4", "--passes", "2")
        self.check("gaussian", "^only it takes observed$", "--observed")
        self.refuses(USAGE, ["radius", "neither gaussian nor auto", "--algorithm"], "fit", "data.csv", "-k", "4",
                     "--radius", "1")
        self.refuses(USAGE, ["k is missing", "spend"], "fit", "data.csv")

    def test_prices(self):
        """Whatever is taken charges them; spend selects what takes it."""
        names = self.read("data.csv").decode().split("\n")[0].split(",")[:DIMENSION]
        self.write("costs.csv", "attribute,cost,group\n" + "".join(
            f"{name},{1 + i % 3},{'panel' if i in (2, 3) else ''}\n" for i, name in enumerate(names)))
        takes = [row.name for row in algorithms() if "spend" in row.options]
        for words in (["-k", "4"], ["-k", "4", "--spend", "9"], ["--spend", "9"], ["-k", "4", "--budget-cost", "100"]):
            printed, model = self.fit("data.csv", "--costs", "costs.csv", *words)
            self.assertIn(printed["algorithm"], takes)
            self.assertGreater(printed["money_spent"], 0)

    def test_too_little_memory_names_auto(self):
        self.refuses(DATA, ["gaussian needs", "--memory allows", "--algorithm auto"], "fit", "data.csv", "-k", "4",
                     "--memory", "1e-6", "-o", "never.json")
        self.succeeds("fit", "data.csv", "-k", "4", "--memory", "1e-6", "-q", "--algorithm", "auto")
        self.succeeds("fit", "wide.csv", "-k", "4", "--memory", "1e-6", "-q")

    def test_a_checkpoint_goes_on_with_what_was_taken(self):
        for data, words, algorithm in (("data.csv", [], "gaussian"), ("data.csv", ["--like-units"], "auto"),
                                       ("wide.csv", [], "auto")):
            common = ["-k", "4", *words, "-q"]
            self.succeeds("fit", data, *common, "-o", "whole.json", "--checkpoint", "c.json", "--every", "7")
            self.assertEqual(self.model("c.json")["settings"]["algorithm"], algorithm)
            out = self.succeeds("fit", data, *common, "--resume", "c.json", "-o", "again.json").out
            self.assertEqual(self.read("again.json"), self.read("whole.json"))
            self.assertNotIn("default", out)
            named = ["--algorithm", "default", "--resume", "c.json"]
            self.succeeds("fit", data, *common, *named, "-o", "named.json")
            self.assertEqual(self.read("named.json"), self.read("whole.json"))
        self.succeeds("fit", "data.csv", "-k", "4", "-q", "--checkpoint", "c.json", "--every", "7")
        self.refuses(USAGE, ["algorithm", "gaussian", "auto"], "fit", "data.csv", "--resume", "c.json", "--algorithm",
                     "auto")
        self.refuses(USAGE, "like-units", "fit", "data.csv", "--resume", "c.json", "--like-units")

    def test_tune_is_of_auto(self):
        for words in ([], ["--algorithm", "default"]):
            found = self.succeeds("tune", "data.csv", "-k", "4", "-q", "--json", "-o", "t.json", *words).json
            self.assertEqual((found["algorithm"], self.model("t.json")["settings"]["algorithm"]), ("auto", "auto"))

    def test_a_curve_names_its_algorithm(self):
        self.refuses(USAGE, ["default", "gaussian or auto"], "curve", "data.csv", "-k", "4", "--algorithms",
                     "default,full-ridge")

    # ---- what is said of it -------------------------------------------------

    def test_help_and_pages_have_the_rule(self):
        listed = run("algorithms").out
        self.assertTrue(listed.startswith("default: gaussian or auto"), listed[:100])
        self.assertIn(f"if m K^3 + 8 d^3 <= {WORK:g}", listed)
        rule = f"m K^3 + 8 d^3 <= {re.search(r'DEFAULT_WORK (.*)', HEADER)[1]}"
        self.assertIn(rule, " ".join(run("help", "fit").out.split()))
        for page in ("algorithms.md", "choosing.md"):
            self.assertTrue(rule in (DOCS / page).read_text(), page)
        self.assertIn("there are default, auto,", self.refuses(
            USAGE, "defualt", "fit", "data.csv", "-k", "4", "--algorithm", "defualt"))
