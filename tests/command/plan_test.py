"""scant plan: what it prints, where a pilot may come from, and what it refuses."""
import random
import xml.etree.ElementTree

from support import DATA, NO_INPUT, USAGE, CommandTest

D = 6


def table(rows, seed=1, noise=1.0, holes=0.0):
    """Attributes with a common part; the target is a difference of two of them, and noise."""
    draw = random.Random(seed)
    lines = [",".join([f"a{i}" for i in range(D)] + ["y"])]
    for _ in range(rows):
        common = draw.gauss(0, 1)
        x = [3 + common + draw.gauss(0, 1) for _ in range(D)]
        y = x[0] - x[4] + noise * draw.gauss(0, 1)
        lines.append(",".join(["" if draw.random() < holes else f"{v:.4f}" for v in x] + [f"{y:.4f}"]))
    return "\n".join(lines) + "\n"


class PlanTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("pilot.csv", table(60))
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + 2.25 * i}\n" for i in range(D)))

    def plan(self, *options, pilot="pilot.csv"):
        return self.succeeds("plan", pilot, "-q", "--json", *options).json


class Results(PlanTest):
    def test_words_and_numbers_are_the_same(self):
        made = self.plan("--budget", 600)
        words = self.succeeds("plan", "pilot.csv", "-q", "--budget", 600).out
        self.assertEqual([e["k"] for e in made["entries"]], [2, 4, D])
        self.assertTrue(all(len(e["runs"]) == 10 for e in made["entries"]))
        self.assertIn(f"take K = {made['k']}", words)
        self.assertIn("pilot: 60 examples of 6 attributes", words)
        self.assertIn(f"full information: {made['least_squared_error']:.4g}", words)
        for entry in made["entries"]:
            self.assertIn(f"{entry['squared_error']:.4g} +- {entry['sd']:.2g}", words)
            self.assertLessEqual(entry["money"], 600)
            self.assertEqual(entry["attributes_bought"], entry["k"] * entry["examples"])
            self.assertGreater(entry["squared_error"], made["least_squared_error"])
            self.assertAlmostEqual(entry["r2"], 1 - entry["squared_error"] / made["target_variance"], places=12)
            ends = [run[-1]["squared_error"] for run in entry["runs"]]
            self.assertAlmostEqual(sum(ends) / len(ends), entry["squared_error"], places=9)

    def test_the_strength_is_near_the_truth(self):
        self.write("large.csv", table(500, seed=2))
        made = self.plan("--budget", 100, "-k", "2", "--runs", 2, pilot="large.csv")
        self.assertAlmostEqual(made["strength"], 2 / 3, delta=5 * made["strength_error"])
        self.assertLess(made["strength_error"], 0.1)

    def test_seed_and_threads(self):
        first = self.plan("--budget", 300, "--threads", 1)
        again = self.plan("--budget", 300, "--threads", 3)
        other = self.plan("--budget", 300, "--seed", 2)
        for made in (first, again, other):
            del made["seconds"]
        self.assertEqual(first, again)
        self.assertNotEqual(first["entries"], other["entries"])

    def test_money_and_labels(self):
        made = self.plan("--costs", "costs.csv", "--budget-cost", 900, "--label-cost", 2.5, "-k", "2,d")
        whole = sum(1 + 2.25 * i for i in range(D)) + 2.5
        entry = made["entries"][1]
        self.assertEqual(made["unit"], "money")
        self.assertEqual(entry["examples"], 900 // whole)
        self.assertAlmostEqual(entry["money"], entry["examples"] * whole, places=9)
        self.assertTrue(700 < made["entries"][0]["money"] <= 900)

    def test_examples_are_a_limit(self):
        made = self.plan("--budget", 600, "--examples", 70, "-k", "2,d")
        self.assertEqual([e["examples"] for e in made["entries"]], [70, 70])

    def test_a_wanted_error(self):
        made = self.plan("--reach", 1.8, "--algorithm", "gaussian")
        words = self.succeeds("plan", "pilot.csv", "-q", "--reach", 1.8, "--algorithm", "gaussian").out
        self.assertIn("for a squared error of 1.8", words)
        reached = [e["reach"]["money"] for e in made["entries"] if e["reach"]["money"]]
        taken = next(e for e in made["entries"] if e["k"] == made["k"])
        self.assertLessEqual(taken["reach"]["money"], 1.05 * min(reached))
        self.assertIn(f"take K = {made['k']}", words)

    def test_the_picture(self):
        printed = self.succeeds("plan", "pilot.csv", "-q", "--budget", 600, "--plot", "plan.svg").out
        self.assertIn("plan.svg is drawn", printed)
        root = xml.etree.ElementTree.fromstring(self.read("plan.svg"))
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("K = 2", "K = 4", "K = 6, whole", "least", "squared error"):
            self.assertIn(text, texts)
        self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}polygon"))), 3)


class Pilots(PlanTest):
    def test_a_model(self):
        self.succeeds("fit", "pilot.csv", "-k", D, "--algorithm", "gaussian", "-q", "-o", "model.json")
        made = self.plan("--budget", 300, pilot="model.json")
        self.assertEqual((made["pilot_examples"], made["strength_error"]), (0, None))
        self.assertIn("can't be known from a model", self.succeeds("plan", "model.json", "-q", "--budget", 300).out)
        priced = self.plan("--budget-cost", 900, "--costs", "costs.csv", pilot="model.json")
        self.assertEqual(priced["unit"], "money")
        self.refuses(USAGE, "--target is for a pilot of examples", "plan", "model.json", "--budget", 300, "--target", "y")

    def test_a_model_of_something_else(self):
        self.succeeds("fit", "pilot.csv", "-k", 3, "--algorithm", "auto", "-q", "-o", "model.json")
        self.refuses(USAGE, "this one is of auto", "plan", "model.json", "--budget", 300)

    def test_holes(self):
        self.write("holes.csv", table(60, holes=0.2))
        self.assertEqual(self.plan("--budget", 300, pilot="holes.csv")["pilot_examples"], 60)

    def test_a_study(self):
        names = "".join(f"a{i}\n" for i in range(D))
        self.write("attributes.csv", "name\n" + names)
        created = self.run_command("study", "create", "s.study", "--attributes", "attributes.csv", "-k", 3)
        if "built without SQLite" in created.err:
            return
        rows = table(60).splitlines()
        self.write("import.csv", "example," + rows[0] + "\n" + "".join(f"e{i},{row}\n" for i, row in enumerate(rows[1:])))
        self.succeeds("study", "import", "s.study", "--csv", "import.csv")
        made = self.plan("--budget", 300, pilot="s.study")
        self.assertEqual(made["dimension"], D)


class Refused(PlanTest):
    def test_the_command_line(self):
        for words, *options in (
            ("give --budget N, --budget-cost C or --reach E",),
            ("not both", "--budget", 10, "--budget-cost", 10),
            ("is no amount of money, 0 or more", "--budget", 600, "--label-cost", -1),
            ("more than two decimals", "--budget", 600, "--label-cost", "0.001"),
            ("'x' in -k is no number", "--budget", 600, "-k", "2,x"),
            ("'' in -k is no number", "--budget", 600, "-k", ""),
            ("'' in -k is no number", "--budget", 600, "-k", "2,"),
            ("the least K is 2", "--budget", 600, "-k", "1,2"),
            ("not ascending", "--budget", 600, "-k", "4,2"),
            ("does not pay for two examples", "--budget", 11, "-k", "2,6"),
            ("must end in .svg", "--budget", 600, "--plot", "plan.png"),
            ("looks at every attribute", "--budget", 600, "--algorithm", "full-ridge"),
            ("can't be counted in attributes", "--budget", 600, "--costs", "costs.csv", "--label-cost", 1),
            ("no option --clip", "--budget", 600, "--clip", 3),
            ("no option --errors", "--budget", 600, "--errors"),
            ("no option --errors-of", "--budget", 600, "--errors-of", "a0"),
            ("two examples with K = 2, which may cost 2 each", "--budget", 3),
        ):
            with self.subTest(words=words):
                self.refuses(USAGE, words, "plan", "pilot.csv", *options)

    def test_the_data(self):
        self.write("few.csv", table(9))
        self.write("same.csv", table(30).splitlines()[0] + "\n" + "".join(line.rpartition(",")[0] + ",1\n" for line in table(30).splitlines()[1:]))
        self.write("one.csv", "a,y\n" + "".join(f"{i},{i * i}\n" for i in range(20)))
        self.write("some.csv", "attribute,cost\na0,1\n")
        self.write("other.csv", "attribute,cost\n" + "".join(f"b{i},1\n" for i in range(D)))
        for words, *arguments in (
            ("9 examples, and a plan needs 10", "few.csv", "--budget", 600),
            ("needs two attributes at least, and the pilot has 1", "one.csv", "--budget", 600),
            ("every target of the pilot is 1", "same.csv", "--budget", 600),
            ("K = 7 is more than the 6 attributes", "pilot.csv", "--budget", 600, "-k", "2,7"),
            ("can't be reached: with full information it is", "pilot.csv", "--reach", 0.01),
            ("takes no attribute", "pilot.csv", "--reach", 100),
            ("'a1'", "pilot.csv", "--budget-cost", 600, "--costs", "some.csv"),
            ("'b0'", "pilot.csv", "--budget-cost", 600, "--costs", "other.csv"),
        ):
            with self.subTest(words=words):
                self.refuses(DATA, words, "plan", *arguments)

    def test_no_file(self):
        self.refuses(NO_INPUT, "nothing.csv", "plan", "nothing.csv", "--budget", 600)

    def test_a_pilot_without_a_target(self):
        self.refuses(DATA, "no column 'z' to be the target", "plan", "pilot.csv", "--budget", 600, "--target", "z")


if __name__ == "__main__":
    import unittest

    unittest.main()
