"""scant tune: candidates share the purchases, and the safe rule chooses."""
import json

from support import DATA, DIMENSION, NO_INPUT, USAGE, CommandTest, Table


class Tune(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(400, DIMENSION)
        self.write("data.csv", self.table.csv())

    def tune(self, *options):
        return self.succeeds("tune", "data.csv", "-q", "--json", *options).json

    def test_the_first_candidate_learns_as_a_fit_would(self):
        for row in ("auto", "ridge", "lasso", "svr"):
            options = ["--algorithm", row, "-k", 5, "--seed", 3]
            found = self.tune(*options, "--grid", "average=late", "-o", "tuned.json")
            self.assertEqual(found["chosen"], "as given")  # the other is the same
            self.assertEqual([c["difference"] for c in found["candidates"]], [0, 0])
            self.succeeds("fit", "data.csv", "-q", *options, "-o", "fitted.json")
            self.assertEqual(self.read("tuned.json"), self.read("fitted.json"))

    def test_no_more_is_bought_than_by_one_fit(self):
        for k in (2, 3, 6, DIMENSION):
            found = self.tune("--algorithm", "lasso", "-k", k, "--grid", "eta=0.5,1,2,4 radius=1,3")
            self.assertEqual(len(found["candidates"]), 9)
            self.assertLessEqual(found["attributes_bought"], k * found["examples"])
            self.assertLessEqual(found["max_bought_per_example"], k)
            self.assertEqual(found["examples"], 400)

    def test_a_candidate_that_is_better_beyond_doubt_is_chosen(self):
        found = self.tune("--algorithm", "ridge", "-k", DIMENSION, "--eta", "1e-9", "--grid", "eta=1e-9,0.05", "-o", "m.json")
        self.assertEqual(found["chosen"], "eta=0.05")
        candidates = {c["candidate"]: c for c in found["candidates"]}
        best = candidates["eta=0.05"]
        self.assertLess(best["difference"] + 2 * best["difference_error"], 0)
        self.assertAlmostEqual(best["difference"], best["risk"] - candidates["as given"]["risk"], places=9)
        self.assertEqual(json.loads(self.read("m.json"))["settings"]["eta"], 0.05)

    def test_the_choice_is_that_of_the_safe_rule(self):
        """The lowest mean difference among those below 0 by two standard errors, else the settings as given."""
        others = 0
        for seed in range(1, 9):
            found = self.tune("--algorithm", "lasso", "-k", 4, "--grid", "eta=1.1,1.6,2,2.6", "--seed", seed)
            safe = [c for c in found["candidates"][1:]
                    if not c["failed"] and c["difference"] + 2 * c["difference_error"] < 0]
            best = min(safe, key=lambda c: c["difference"])["candidate"] if safe else "as given"
            self.assertEqual(found["chosen"], best, seed)
            lowest = min(found["candidates"], key=lambda c: c["risk"])
            others += lowest["candidate"] != best
        self.assertGreater(others, 0, "a plain minimum would have chosen the same every time")

    def test_settings_that_a_constant_would_beat_are_not_defended(self):
        """Ridge with steps for attributes a thousand times smaller: noise would shield it from any comparison."""
        self.write("large.csv", self.table.scaled(1000).csv())
        found = self.succeeds("tune", "large.csv", "-q", "--json", "--algorithm", "ridge", "-k", "3", "--radius", "10", "--eta",
                              "0.1", "--grid", "radius=1e-4,1e-2").json
        risks = {c["candidate"]: c["risk"] + 2 * c["risk_error"] for c in found["candidates"]}
        variance = sum(y * y for y in self.table.y) / 400
        self.assertGreater(found["candidates"][0]["risk"], variance)
        self.assertEqual(found["chosen"], min(risks, key=risks.get))
        self.assertNotEqual(found["chosen"], "as given")

    def test_a_candidate_learns_from_shared_looks_as_from_its_own(self):
        """With every attribute in the look the law does not matter."""
        self.tune("--algorithm", "ridge", "-k", DIMENSION, "--eta", "1e-9", "--grid", "eta=0.05", "-o", "tuned.json")
        self.succeeds("fit", "data.csv", "-q", "--algorithm", "ridge", "-k", DIMENSION, "--eta", "0.05", "-o", "fitted.json")
        tuned, fitted = json.loads(self.read("tuned.json")), json.loads(self.read("fitted.json"))
        self.assertEqual(tuned["weights"], fitted["weights"])
        self.assertEqual(tuned["intercept"], fitted["intercept"])

    def test_at_k_equal_d_the_risk_is_that_of_the_regressors(self):
        """Every look is exact, so the judged risk of a constant regressor is the mean square."""
        found = self.tune("--algorithm", "ridge", "-k", DIMENSION, "--eta", "1e-99", "--no-intercept", "--no-shuffle",
                          "--grid", "radius=1")
        y = self.table.y[64:]  # windows of 64, 128 and 256 examples: the last two count
        self.assertAlmostEqual(found["candidates"][0]["risk"], sum(v * v for v in y) / len(y), places=9)

    def test_a_candidate_that_overflows_is_out(self):
        found = self.tune("--algorithm", "ridge", "-k", 5, "--grid", "eta=1e100 radius=1e100")
        self.assertEqual(found["chosen"], "as given")
        self.assertIs(found["candidates"][1]["failed"], True)

    def test_an_example_that_can_not_be_learned_from_is_named(self):
        self.table.x[200][3] = 1e101
        self.write("huge.csv", self.table.csv())
        self.refuses(DATA, ["huge.csv", "line 202"], "tune", "huge.csv", "-k", DIMENSION, "-q", "--algorithm", "lasso")

    def test_the_ledger_is_that_of_a_fit(self):
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i % 4}\n" for i in range(DIMENSION)))
        words = ("--costs", "costs.csv", "--budget-cost", "300", "-k", "3", "--seed", "4")
        tuned = self.tune(*words)
        fitted = self.succeeds("fit", "data.csv", "-q", "--json", "--algorithm", "auto", *words).json
        self.assertEqual(tuned["chosen"], "as given")
        for field in ("money_spent", "attributes_bought", "looks_drawn", "missing_cells", "budget_spent", "examples"):
            self.assertEqual(tuned[field], fitted[field], field)
        out = self.succeeds("tune", "data.csv", "-q", *words).out
        self.assertIn("the budget is spent", out)
        self.assertIn(f"money: {tuned['money_spent']:.2f} spent", out)

    def test_threads_change_nothing(self):
        for words in (["--algorithm", "ridge", "-k", 4, "--eta", "1e-9", "--grid", "eta=1e-9,0.01,0.05,0.2"],
                      ["--algorithm", "lasso", "-k", 6, "--passes", 2, "--split", 0.1],
                      ["--algorithm", "auto", "-k", 3, "--budget", 500]):
            found = []
            for threads in (1, 2, 3):
                facts = self.tune(*words, "--seed", 4, "--threads", threads, "-o", "m.json")
                found.append((facts, self.read("m.json")))
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0], found[2])
        self.refuses(USAGE, "threads", "tune", "data.csv", "-k", 3, "--threads", 0)

    def test_the_table_marks_the_chosen_one(self):
        out = self.succeeds("tune", "data.csv", "-q", "-k", "5", "--algorithm", "lasso", "--split", "0.2").out
        lines = out.splitlines()
        self.assertRegex(lines[0], r"candidate +risk")
        self.assertEqual(sum(line.startswith("* ") for line in lines), 1)
        self.assertIn("chosen: ", out)
        self.assertIn("accuracy" if "accuracy" in out else "squared error", out)

    def test_what_is_wrong_is_refused(self):
        base = ["tune", "data.csv", "-k", "5", "--algorithm", "lasso", "-q"]
        for grid, word in (("", "empty"), ("eta", "eta"), ("eta=", "eta"), ("=1", "=1"), ("eta=x", "eta"), ("eta=-1", "eta"),
                           ("wings=2", "wings"), ("seed=2", "seed"), ("spend=9", "share"), ("thrift=no", "share"), ("eta=1 eta=2", "twice"), ("penalty=1", "penalty"),
                           ("eta=" + ",".join(["1"] * 300), "large"),
                           (f"eta={','.join(['1'] * 20)} radius={','.join(['1'] * 20)}", "400 points")):
            self.refuses(USAGE, word, *base, "--grid", grid)
        self.refuses(USAGE, "shared", "tune", "data.csv", "-k", "5", "--algorithm", "aerr", "-q", "--grid", "eta=1")
        self.refuses(USAGE, "shared", "tune", "data.csv", "-k", "5", "--algorithm", "aerr", "-q")
        self.refuses(USAGE, "nobody", "tune", "data.csv", "-k", "5", "--algorithm", "nobody", "-q")
        self.refuses(NO_INPUT, "absent.csv", "tune", "absent.csv", "-k", "5", "-q")
        self.refuses(USAGE, "overwritten", *base, "-o", "data.csv")
        self.refuses(DATA, "attributes", "tune", "data.csv", "-k", "99", "-q")
