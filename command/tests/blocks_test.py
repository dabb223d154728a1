"""--block N: one look for N examples, wherever the command learns."""
import csv
import re

from support import DATA, DIMENSION, USAGE, CommandTest, Table

N = 7


class Blocks(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(150, DIMENSION)
        self.write("data.csv", self.table.csv())

    def looks(self, *options):
        """The attributes of each purchase, in the order of the file."""
        self.succeeds("fit", "data.csv", "-q", "-k", 3, "--looks", "looks.csv", *options)
        found = {}
        with open(self.path("looks.csv"), encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                found.setdefault(line["example"], []).append((line["attribute"], line["probability"]))
        return list(found.values())

    def test_the_rows_of_a_block_share_a_look(self):
        for algorithm in ("auto", "gaussian", "moments", "aerr"):
            with self.subTest(algorithm=algorithm):
                looks = self.looks("--algorithm", algorithm, "--block", N)
                self.assertEqual(len(looks), 150)
                for i, look in enumerate(looks):
                    self.assertEqual(look, looks[i - i % N])
                self.assertGreater(len({tuple(look) for look in looks[::N]}), 10)

    def test_the_ledger_counts_every_row(self):
        printed, model = self.fit("data.csv", "-k", 3, "--algorithm", "gaussian", "--block", N)
        self.assertEqual(printed["attributes_bought"], 450)
        self.assertEqual(sum(model["purchases"]), 450)
        self.assertEqual(model["settings"]["block"], N)

    def test_a_fit_goes_on_between_blocks(self):
        for algorithm in ("auto", "gaussian", "moments", "svr"):
            with self.subTest(algorithm=algorithm):
                base = ("-k", 3, "--algorithm", algorithm, "--block", N)
                whole = self.fit("data.csv", *base)[1]
                self.fit("data.csv", *base, "--checkpoint", "half.json", "--every", 50, "--examples", 150)
                self.succeeds("fit", "data.csv", "-q", "--resume", "half.json", "-o", "resumed.json")
                self.assertEqual(self.model("resumed.json")["weights"], whole["weights"])

    def test_a_budget_ends_within_a_block(self):
        printed, model = self.fit("data.csv", "-k", 3, "--algorithm", "gaussian", "--block", N, "--budget", 303)
        self.assertEqual((printed["examples"], printed["attributes_bought"]), (101, 303))
        self.assertEqual(model["ledger"]["examples"], 101)

    def test_rare_pairs_are_a_warning(self):
        for algorithm in ("gaussian", "moments"):
            few = self.succeeds("fit", "data.csv", "-q", "-k", 3, "--algorithm", algorithm, "--block", 30)
            self.assertIn("warning: two attributes are seen together in about", few.err)
            self.assertIn("of 5 blocks", few.err)
            self.assertIn("option block", few.err)
            many = self.succeeds("fit", "data.csv", "-q", "-k", 8, "--algorithm", algorithm, "--block", 2)
            self.assertNotIn("seen together", many.err)
        self.assertNotIn("seen together", self.succeeds("fit", "data.csv", "-q", "-k", 3, "--algorithm", "auto", "--block", 30).err)

    def test_one_block_is_said_to_be_one(self):
        fit = ("fit", "data.csv", "-q", "-k", 3, "--algorithm", "gaussian", "--block")
        whole = self.succeeds(*fit, 150).err
        self.assertIn("warning: there is one block, whose examples share one look", whole)
        self.assertNotIn("budget", whole)
        for budget in (2, 10):
            poor = self.succeeds(*fit, 4, "--budget", budget).err
            self.assertIn("the budget pays for one block or a part of it, whose examples share one look", poor)
            self.assertNotIn("seen together", poor)
        theorem = self.succeeds("fit", "data.csv", "-q", "-k", 3, "--algorithm", "aelr", "--block", 150).err
        self.assertIn("1 block is fewer than log(2d) = 3.5", theorem)

    def test_the_largest_block_is_named(self):
        for size in ("99999999999999999999", "18446744073709551616"):
            self.refuses(USAGE, ["block must be at most ", size], "fit", "data.csv", "-k", 3, "--block", size)
        for word in ("", "-1", "1e3", "1.5"):
            self.refuses(USAGE, [f"block must be a whole number, not '{word}'"], "fit", "data.csv", "-k", 3, f"--block={word}")

    def test_one_step_does_not_tell_its_risk(self):
        for algorithm in ("auto", "ridge", "aerr", "svr"):
            with self.subTest(algorithm=algorithm):
                fit = ("fit", "data.csv", "-k", 3, "--algorithm", algorithm)
                said = self.succeeds(*fit, "--block", 150)
                self.assertIn("risk: not known after one block\n", said.out)
                self.assertNotIn("own looks", said.out)
                self.assertIsNone(self.succeeds(*fit, "--block", 150, "--json").json["risk"])
                self.assertIn("risk: not known after one example\n", self.succeeds(*fit, "--examples", 1).out)
                self.assertIsNotNone(self.succeeds(*fit, "--block", 75, "--json").json["risk"])

    def test_a_theorem_speaks_of_blocks(self):
        fit = ("fit", "data.csv", "-q", "-k", 3, "--algorithm", "aelr", "--block")
        self.assertIn("3 blocks are fewer than log(2d) = 3.5, so the theorem's bound does not hold", self.succeeds(*fit, 50).err)
        self.assertNotIn("fewer than", self.succeeds(*fit, 30).err)

    def test_errors_leave_out_whole_blocks(self):
        for algorithm in ("auto", "gaussian", "moments"):
            with self.subTest(algorithm=algorithm):
                model = self.fit("data.csv", "-k", 4, "--algorithm", algorithm, "--block", 3, "--errors")[1]
                self.assertTrue(all(error >= 0 for error in model["errors"]["weights"]), model["errors"])
        self.refuses(DATA, "40 blocks", "fit", "data.csv", "-k", "4", "--algorithm", "auto", "--block", "5", "--errors")

    def test_curves_have_points_at_ends_of_blocks(self):
        self.succeeds("curve", "data.csv", "-q", "--out", "figures", "-k", 3, "--algorithms", f"auto block={N},gaussian block={N}",
                      "--split", 0.2, "--runs", 1, "--points", 4)
        with open(self.path("figures/curve.csv"), encoding="utf-8", newline="") as file:
            examples = [float(line["examples"]) for line in csv.DictReader(file) if line["examples"]]
        self.assertEqual(len(examples), 8)
        self.assertTrue(all(count % N == 0 or count == 120 for count in examples), examples)

    def test_candidates_share_the_look(self):
        out = self.succeeds("tune", "data.csv", "-q", "-k", 4, "--algorithm", "lasso", "--block", N, "-o", "tuned.json").out
        self.assertIn("600 attributes bought", out)
        self.assertEqual(self.model("tuned.json")["settings"]["block"], N)

    def test_a_plan_knows_blocks(self):
        plan = ("plan", "data.csv", "-q", "-k", "4", "--runs", 3)
        made = self.succeeds(*plan, "--json", "--budget", 4000, "--block", N).json
        self.assertTrue(all(point["examples"] % N == 0 for run in made["entries"][0]["runs"] for point in run))
        self.assertEqual(made["warnings"], [])
        words = self.succeeds(*plan, "--budget", 4000, "--block", N).out
        self.assertRegex(words, r"with K = 4 there are 142 blocks of 7 examples, and two attributes are seen together in about")
        own = self.succeeds(*plan, "--json", "--budget", 800, "--block", 20, "--algorithm", "auto").json["warnings"]
        self.assertFalse([warning for warning in own if "together" in warning])  # it does not learn from pairs
        rare = self.succeeds(*plan, "--json", "--budget", 800, "--block", 20).json["warnings"]
        self.assertRegex(rare[-1], r"two attributes are seen together in about [\d.]+ of 10 blocks, and below some 5")
        self.refuses(USAGE, ["two blocks of 300 examples", "cost 1200 each"], *plan, "--budget", 800, "--block", 300)

    def test_the_row_that_cannot_be_learned_from_is_named(self):
        lines = self.table.csv().splitlines()
        lines[54] = ",".join(["1e300"] * DIMENSION + ["0"])
        self.write("wild.csv", "\n".join(lines) + "\n")
        for shuffle in ((), ("--no-shuffle",)):
            options = ("wild.csv", "-q", "-k", "4", "--algorithm", "lasso", "--block", str(N), *shuffle)
            bought = set()
            for command in ("fit", "tune"):
                self.refuses(DATA, "line 55: the value of attribute", command, *options)
                run = self.run_command(command, *options)
                bought.add(re.search("bought before it ended: (.*)", run.out + run.err)[1])
            self.assertEqual(len(bought), 1, bought)  # neither buys a row after it

    def test_what_is_refused(self):
        fit = ("fit", "data.csv", "-k", "3")
        self.refuses(USAGE, ["block", "at least 1"], *fit, "--block", "0")
        self.refuses(USAGE, ["block", "full-ridge"], "fit", "data.csv", "--algorithm", "full-ridge", "--block", "4")
        self.refuses(USAGE, ["observed", "block"], "fit", "data.csv", "--algorithm", "gaussian", "--observed", "--block", "4")
        self.refuses(USAGE, "one pass", *fit, "--algorithm", "auto", "--passes", "1", "--errors", "--block", "4", "--passes", "2", "-k", "8")
        self.refuses(USAGE, "block", "study", "create", "new.study", "--block", "4")


if __name__ == "__main__":
    import unittest

    unittest.main()
