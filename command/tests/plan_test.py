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

    def test_examples_and_money_are_rounded_once(self):
        made = self.plan("--costs", "costs.csv", "--budget-cost", 2000)
        words = self.succeeds("plan", "pilot.csv", "-q", "--costs", "costs.csv", "--budget-cost", 2000).out
        marked = next(line.split() for line in words.splitlines() if line.endswith("<"))
        self.assertEqual(marked[0], str(made["k"]))
        self.assertIn(f": {marked[2]} examples, money {marked[3]}\n", words)

    def test_one_run_has_no_spread(self):
        words = self.succeeds("plan", "pilot.csv", "-q", "--budget", 600, "--runs", 1).out
        self.assertNotIn("+-", words.partition("\n")[2])

    def test_labels_without_prices(self):
        words = self.succeeds("plan", "pilot.csv", "-q", "--budget", 600, "--label-cost", 2.5).out
        self.assertIn("an attribute counts 1, and the target of an example 2.5\n", words)
        self.assertNotIn(" attributes ", words.split("\n\n")[1])

    def test_the_target_is_named(self):
        self.assertEqual(self.plan("--budget", 600, "--runs", 1, "-k", "2")["target"], "y")
        self.assertIn("6 attributes, target y;", self.succeeds("plan", "pilot.csv", "-q", "--budget", 600).out)

    def test_nothing_beats_the_mean(self):
        options = ("--budget", 60, "--algorithm", "aerr", "--radius", 100)
        made = self.plan(*options)
        words = self.succeeds("plan", "pilot.csv", "-q", *options).out
        self.assertTrue(all(e["r2"] < 0 for e in made["entries"]) and made["worse_than_mean"])
        self.assertIn("none of these is expected to be better than the mean", words)
        self.assertIn("none of these is expected to be better than the mean", made["warnings"][-1])
        self.assertNotIn("take K", words)
        self.assertNotIn("<", words)
        self.assertFalse(self.plan("--budget", 600)["worse_than_mean"])

    def test_a_budget_and_a_wanted_error(self):
        options = ("--budget", 150, "--reach", 1.7, "--algorithm", "gaussian")
        made = self.plan(*options)
        words = self.succeeds("plan", "pilot.csv", "-q", *options).out
        marked = [line.split()[0] for line in words.splitlines() if line.endswith("<")]
        self.assertEqual(marked, [str(made["budget_k"]), str(made["k"])])
        self.assertIn(f"for the budget take K = {made['budget_k']}", words)
        self.assertRegex(words, f"for a squared error of 1.7 take K = {made['k']}.*, more than the budget of 150")

    def test_a_wanted_error_near_the_least(self):
        made = self.plan("--budget", 600)
        reach = f"{made['least_squared_error'] - made['least_sd']:.4f}"
        near = self.plan("--reach", reach, "--budget", 600)
        self.assertIn("is below what full information gives by this pilot", near["warnings"][-1])

    def test_a_tiny_pilot_does_not_contradict_itself(self):
        self.write("tiny.csv", table(12, noise=6))
        words = self.succeeds("plan", "tiny.csv", "-q", "--budget", 300).out
        self.assertRegex(words, r"R\^2 0\.\d\d \+- 0\.\d\d with full information \(-?0\.\d\d \+- 0\.\d\d by held-out halves\)")
        self.assertIn("show may be chance, and R^2 may be near 0: a larger pilot is worth its money", words)

    def test_the_picture(self):
        printed = self.succeeds("plan", "pilot.csv", "-q", "--budget", 600, "--plot", "plan.svg").out
        self.assertIn("plan.svg is drawn", printed)
        root = xml.etree.ElementTree.fromstring(self.read("plan.svg"))
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("K = 2", "K = 4", "K = 6, whole", "least", "squared error"):
            self.assertIn(text, texts)
        self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}polygon"))), 1)  # of the K to take

    def test_the_picture_of_a_wanted_error(self):
        options = ("--reach", 1.8, "--algorithm", "gaussian")
        made = self.plan(*options, "--plot", "plan.svg")
        root = xml.etree.ElementTree.fromstring(self.read("plan.svg"))
        lines = [line.get("points").split() for line in root.iter("{http://www.w3.org/2000/svg}polyline")]
        height = lines[-1][0].partition(",")[2]  # of the wanted error
        ends = [line[-1].partition(",")[2] for line in lines[:-2]]
        reached = [e for e in made["entries"] if e["reach"]["money"]]
        self.assertTrue(reached)
        self.assertEqual(ends.count(height), len(reached))
        ticks = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.get("text-anchor") == "middle"]
        self.assertGreater(len(ticks), 3)  # two at least, and the names of the axes


class Pilots(PlanTest):
    def test_a_model(self):
        self.succeeds("fit", "pilot.csv", "-k", D, "--algorithm", "gaussian", "-q", "-o", "model.json")
        made = self.plan("--budget", 300, pilot="model.json")
        self.assertEqual((made["pilot_examples"], made["strength_error"]), (0, None))
        self.assertIn("can't be known from a model", self.succeeds("plan", "model.json", "-q", "--budget", 300).out)
        priced = self.plan("--budget-cost", 900, "--costs", "costs.csv", pilot="model.json")
        self.assertEqual(priced["unit"], "money")
        self.refuses(USAGE, "--target is for a pilot of a data file", "plan", "model.json", "--budget", 300, "--target", "y")

    def test_a_model_of_something_else(self):
        self.succeeds("fit", "pilot.csv", "-k", 3, "--algorithm", "auto", "-q", "-o", "model.json")
        self.refuses(USAGE, "this one is of auto", "plan", "model.json", "--budget", 300)

    def test_holes(self):
        self.write("holes.csv", table(60, holes=0.2))
        self.assertEqual(self.plan("--budget", 300, pilot="holes.csv")["pilot_examples"], 60)

    def study(self, costs="", rows=60):
        """A study that was told the pilot; False: the command has no studies."""
        self.write("attributes.csv", ("name,cost\n" if costs else "name\n") + "".join(f"a{i}{costs and f',{1 + 2.25 * i}'}\n" for i in range(D)))
        created = self.run_command("study", "create", "s.study", "--attributes", "attributes.csv", "-k", 3)
        if "built without SQLite" in created.err:
            return False
        told = table(60).splitlines()[: rows + 1]
        self.write("import.csv", "example," + told[0] + "\n" + "".join(f"e{i},{row}\n" for i, row in enumerate(told[1:])))
        self.succeeds("study", "import", "s.study", "--csv", "import.csv")
        return True

    def test_a_study_is_what_it_was_told(self):
        if not self.study(costs="yes"):
            return
        for options in (("--budget", 300), ("--budget-cost", 900, "--costs", "costs.csv")):
            rows, study = (self.plan(*options, pilot=pilot) for pilot in ("pilot.csv", "s.study"))
            del rows["seconds"], study["seconds"]
            self.assertEqual(rows["pilot_examples"], 60)
            if "--costs" in options:
                self.assertEqual(rows, study)
                study = self.plan("--budget-cost", 900, pilot="s.study")  # the prices of its catalogue
                del study["seconds"]
                self.assertEqual(rows, study)
            else:
                self.assertEqual(rows["strength"], study["strength"])
        self.refuses(USAGE, "is for a pilot of a data file", "plan", "s.study", "--budget", 300, "--target", "y")

    def test_a_study_exports_its_prices(self):
        if not self.study(costs="yes"):
            return
        self.succeeds("study", "export", "s.study", "--gaussian", "-o", "g.json")
        self.assertIn("a4, for 10.00\n", self.succeeds("next", "g.json", "a0=1").out)

    def test_a_study_with_few_examples(self):
        if self.study(rows=9):
            self.assertIn("the pilot has 9 examples", self.run_command("plan", "s.study", "--budget", 300).err)


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
            ("cost 1002 each, nor with any larger K", "--budget", 500, "--label-cost", 1000),
            ("budget-cost needs costs (--costs)", "--budget-cost", 600),
            ("6 comes after 6, and d is that number", "--budget", 600, "-k", "6,d"),
        ):
            with self.subTest(words=words):
                self.refuses(USAGE, words, "plan", "pilot.csv", *options)

    def test_the_data(self):
        self.write("few.csv", table(9))
        self.write("same.csv", table(30).splitlines()[0] + "\n" + "".join(line.rpartition(",")[0] + ",1\n" for line in table(30).splitlines()[1:]))
        self.write("untold.csv", "a,b,y\n1,2,3\n1,2,\n" + "3,1,2\n" * 20)
        self.write("words.csv", "a0,y\n" + "".join(f"word{i},{i}\n" for i in range(20)))
        self.write("one.csv", "a,y\n" + "".join(f"{i},{i * i}\n" for i in range(20)))
        self.write("some.csv", "attribute,cost\na0,1\n")
        self.write("other.csv", "attribute,cost\n" + "".join(f"b{i},1\n" for i in range(D)))
        for words, *arguments in (
            ("9 examples, and a plan needs 10", "few.csv", "--budget", 600),
            ("needs two attributes at least, and the pilot has 1", "one.csv", "--budget", 600),
            ("every target of the pilot is 1", "same.csv", "--budget", 600),
            ("K = 7 is more than the 6 attributes", "pilot.csv", "--budget", 600, "-k", "2,7"),
            ("can't be reached by this pilot: with full information it is", "pilot.csv", "--reach", 0.01),
            ("column 'a0' holds text", "words.csv", "--budget", 600),
            ("line 3, column 'y': the field is empty, and nothing is learned without a target", "untold.csv", "--budget", 600),
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
