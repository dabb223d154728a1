"""The row moments, masks that were given, and merging."""

import random

from support import DATA, DIMENSION, NO_INPUT, USAGE, CommandTest, Table, npy, sealed

ROW = ("--algorithm", "moments")
K = (*ROW, "-k", "6")


class Moments(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(120, DIMENSION)
        self.write("data.csv", self.table.csv())

    def holes(self, rows=120, seed=4):
        """A table as text with a third of its cells empty; which are there, row by row."""
        draw, table = random.Random(seed), Table(rows, DIMENSION, seed)
        there = [[draw.random() > 1 / 3 for _ in x] for x in table.x]
        lines = [",".join([*table.names, "y"])]
        for x, y, mask in zip(table.x, table.y, there):
            lines.append(",".join([*(repr(v) if m else "" for v, m in zip(x, mask)), repr(y)]))
        return "\n".join(lines) + "\n", there

    def weights(self, *words):
        return self.fit(*words)[1]["weights"]

    # ---- the run ----------------------------------------------------------------

    def test_k_holds_for_every_example(self):
        printed, model = self.fit("data.csv", *K)
        self.assertEqual(printed["max_bought_per_example"], 6)
        self.assertEqual(printed["attributes_bought"], 6 * 120)
        self.assertEqual(sum(model["purchases"]), 6 * 120)
        self.assertIsNotNone(printed["penalty"])
        self.assertGreater(printed["risk_error"], 0)

    def test_threads_and_memory_are_not_of_the_model(self):
        self.fit("data.csv", *K)
        before = self.read("model.json")
        for words in (["--threads", "1"], ["--threads", "5"], ["--memory", "1"]):
            self.fit("data.csv", *K, *words)
            self.assertEqual(self.read("model.json"), before)

    def test_what_is_too_large_is_refused_with_its_size(self):
        self.refuses(DATA, ["moments needs", "GiB", "1e-05"], "fit", "data.csv", *K, "--memory", "0.00001")
        self.write("wide.npy", npy([[0.0] * 9000] * 3))
        self.write("y.npy", npy([1.0, 2.0, 3.0]))
        self.refuses(DATA, ["GiB", "9000 attributes"], "fit", "wide.npy", "--labels", "y.npy", *K)

    def test_what_it_does_not_take_is_refused(self):
        self.refuses(USAGE, "k is missing", "fit", "data.csv", *ROW)
        self.refuses(USAGE, "one pass", "fit", "data.csv", *K, "--passes", "2")
        self.refuses(USAGE, "radius", "fit", "data.csv", *K, "--radius", "3")
        self.refuses(USAGE, "spend", "fit", "data.csv", *K, "--spend", "3")
        self.refuses(USAGE, "shared", "tune", "data.csv", *K, "--grid", "norm=1")
        self.refuses(USAGE, "--observed", "tune", "data.csv", *K, "--observed")

    def test_few_examples_and_odd_columns_are_no_error(self):
        for rows in (1, 2, 9, 10, 11):
            table = Table(rows, DIMENSION)
            for x in table.x:
                x[0] = 5.0
            self.write("few.csv", table.csv())
            for words in (K, (*ROW, "--observed"), (*K, "--norm", "1")):
                weights = self.weights("few.csv", *words)
                self.assertEqual(weights[0], 0)
                if rows < 10:
                    self.assertFalse(any(weights))

    def test_costs_are_charged(self):
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i}\n" for i in range(DIMENSION)))
        printed, model = self.fit("data.csv", *K, "--costs", "costs.csv", "--budget-cost", "300")
        spent = sum((1 + i) * n for i, n in enumerate(model["purchases"]))
        self.assertAlmostEqual(printed["money_spent"], spent)
        self.assertLessEqual(spent, 300)

    # ---- a mask that was given ---------------------------------------------------

    def test_observed_counts_and_charges_what_is_there(self):
        text, there = self.holes()
        self.write("holes.csv", text)
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i}\n" for i in range(DIMENSION)))
        printed, model = self.fit("holes.csv", *ROW, "--observed", "--costs", "costs.csv")
        self.assertEqual(printed["k"], DIMENSION)
        self.assertEqual(printed["attributes_bought"], sum(map(sum, there)))
        self.assertEqual(printed["max_bought_per_example"], max(map(sum, there)))
        self.assertEqual(printed["missing_cells"], 0)
        self.assertEqual(model["purchases"], [sum(column) for column in zip(*there)])
        self.assertEqual(printed["money_spent"], sum((1 + i) * n for i, n in enumerate(model["purchases"])))
        self.succeeds("show", "model.json")
        budget = self.fit("holes.csv", *ROW, "--observed", "--budget", "200", "--no-shuffle")[0]
        self.assertTrue(budget["budget_spent"])
        self.assertEqual(budget["attributes_bought"], 200)  # what is there is known by reading, and read is bought

    def test_observed_reads_the_last_example_as_far_as_the_budget_pays(self):
        text, there = self.holes()
        self.write("holes.csv", text)
        bought, budget = [], 200
        for row in there:
            bought.append([cell and sum(map(sum, bought)) + sum(row[:i]) < budget for i, cell in enumerate(row)])
            if sum(map(sum, bought)) >= budget:
                break
        whole = there[len(bought) - 1] == [bool(b) for b in bought[-1]] and bought[-1][-1]
        words = [*ROW, "--observed", "--budget", str(budget), "--no-shuffle"]
        printed, model = self.fit("holes.csv", *words)
        self.assertFalse(whole, "the budget ends within an example")
        self.assertEqual(printed["examples"], len(bought))
        self.assertEqual(model["purchases"], [sum(map(bool, column)) for column in zip(*bought)])
        self.assertEqual(model["ledger"]["refused_examples"], 1)
        # learned from are those before it
        self.assertEqual(model["weights"], self.weights("holes.csv", *ROW, "--observed", "--no-shuffle", "--examples",
                                                        str(len(bought) - 1)))
        self.assertIn("the budget ended within 1 example", self.succeeds("fit", "holes.csv", *words, "-q").out)
        # and a checkpoint of it is one that has ended
        self.succeeds("fit", "holes.csv", *words, "-q", "--checkpoint", "c.json", "--every", "2", "-o", "m.json")
        self.succeeds("fit", "holes.csv", "--resume", "c.json", "-q", "-o", "again.json")
        self.assertEqual(self.read("again.json"), self.read("m.json"))

    def test_observed_uses_no_value_that_is_not_there(self):
        text, _ = self.holes()
        self.write("holes.csv", text)
        self.write("nan.csv", text.replace(",,", ",nan,").replace(",,", ",nan,").replace("\n,", "\nnan,"))
        self.assertEqual(self.weights("holes.csv", *ROW, "--observed"), self.weights("nan.csv", *ROW, "--observed"))

    def test_observed_refuses_what_contradicts_it(self):
        self.refuses(USAGE, ["observed", "missing"], "fit", "data.csv", *ROW, "--observed", "--missing", "error")
        self.refuses(DATA, ["observed", "16"], "fit", "data.csv", *K, "--observed")
        self.refuses(USAGE, "observed", "fit", "data.csv", "--algorithm", "auto", "-k", "6", "--observed")

    def test_observed_resumes_to_the_same_bits(self):
        text, _ = self.holes()
        self.write("holes.csv", text)
        words = ("fit", "holes.csv", *ROW, "--observed", "-q")
        self.succeeds(*words, "-o", "whole.json")
        self.succeeds(*words, "--examples", "60", "--checkpoint", "c.json")
        self.succeeds(*words, "--examples", "60", "-o", "part.json")
        self.succeeds("fit", "holes.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
        self.assertEqual(self.read("resumed.json"), self.read("part.json"))

    # ---- checkpoints -------------------------------------------------------------

    def test_a_damaged_checkpoint_is_refused(self):
        self.succeeds("fit", "data.csv", *K, "-q", "--checkpoint", "c.json")
        good = self.model("c.json")
        learner = good["checkpoint"]["learner"]
        fold = learner["folds"][0]
        for change in ({"folds": learner["folds"][1:]}, {"folds": None}, {"renew_at": 0}, {"law": [0.0] * DIMENSION},
                       {"spans": []}, {"spans": [{**learner["spans"][0], "examples": 1}, *learner["spans"][1:]]},
                       {"folds": [{**fold, "counts": fold["counts"][4:]}, *learner["folds"][1:]]},
                       {"folds": [{**fold, "counts": "?" + fold["counts"][1:]}, *learner["folds"][1:]]},
                       {"folds": [{**fold, "counts": "////" + fold["counts"][4:]}, *learner["folds"][1:]]},
                       {"folds": [{**fold, "sums": "/" * len(fold["sums"])}, *learner["folds"][1:]]},
                       {"folds": [{**fold, "examples": 0}, *learner["folds"][1:]]}):
            changed = {**good["checkpoint"], "learner": {**learner, **change}}
            self.write("bad.json", sealed({**good, "checkpoint": changed}))
            self.refuses(DATA, "bad.json", "fit", "data.csv", "--resume", "bad.json")

    # ---- merging -----------------------------------------------------------------

    def parts(self, *words):
        for i in range(3):
            self.write(f"part{i}.csv", self.holes(40 + i, seed=20 + i)[0])
            self.succeeds("fit", f"part{i}.csv", *words, "-q", "--checkpoint", f"p{i}.json")

    def test_parts_merge_in_any_order(self):
        self.parts(*ROW, "--observed")
        found = []
        for order in ("012", "201", "120"):
            printed = self.succeeds("merge", *(f"p{i}.json" for i in order), "-o", "merged.json", "--json").json
            found.append(self.model("merged.json"))
            self.assertEqual(printed["examples"], 123)
            self.assertEqual(printed["checkpoints"], 3)
            ledgers = [self.model(f"p{i}.json")["ledger"] for i in order]
            for field in ("examples", "attributes_bought", "looks_drawn"):
                self.assertEqual(found[-1]["ledger"][field], sum(ledger[field] for ledger in ledgers))
        self.assertTrue(any(found[0]["weights"]))
        for other in found[1:]:
            self.assertEqual(other["purchases"], found[0]["purchases"])
            for a, b in zip(other["weights"], found[0]["weights"]):
                self.assertAlmostEqual(a, b, delta=1e-11)
        self.assertNotIn("checkpoint", found[0])
        self.succeeds("eval", "merged.json", "part0.csv")

    def test_a_merged_model_is_that_of_one_fit(self):
        """Where the folds agree too: parts of a multiple of five, in their order."""
        table = self.table
        for name, first, after in (("a", 0, 40), ("b", 40, 120), ("all", 0, 120)):
            lines = table.csv().split("\n")
            self.write(f"{name}.csv", "\n".join([lines[0], *lines[1 + first:1 + after]]) + "\n")
            words = ("fit", f"{name}.csv", *ROW, "--observed", "--no-shuffle", "-q")
            self.succeeds(*words, "--checkpoint", f"{name}.json", "-o", "one.json")
        self.succeeds("merge", "b.json", "a.json", "-o", "merged.json")
        one, merged = self.model("one.json"), self.model("merged.json")
        self.assertEqual(one["ledger"], merged["ledger"])
        for a, b in zip([one["intercept"], *one["weights"]], [merged["intercept"], *merged["weights"]]):
            self.assertAlmostEqual(a, b, delta=1e-10)

    def test_what_does_not_belong_together_is_refused(self):
        self.parts(*K)
        self.succeeds("fit", "part0.csv", *ROW, "-k", "7", "-q", "--checkpoint", "k7.json")
        self.succeeds("fit", "part0.csv", "--algorithm", "auto", "-k", "6", "-q", "--checkpoint", "auto.json")
        self.succeeds("fit", "part0.csv", *K, "-q", "-o", "finished.json")
        renamed = "\n".join(["z" + line if i == 0 else line for i, line in enumerate(self.holes()[0].split("\n"))])
        self.write("renamed.csv", renamed)
        self.succeeds("fit", "renamed.csv", *K, "-q", "--checkpoint", "renamed.json")
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i}\n" for i in range(DIMENSION)))
        self.succeeds("fit", "part0.csv", *K, "-q", "--costs", "costs.csv", "--checkpoint", "priced.json")
        self.refuses(DATA, ["p1.json", "costs"], "merge", "priced.json", "p1.json")
        self.refuses(DATA, ["priced.json", "costs"], "merge", "p1.json", "priced.json")
        self.refuses(USAGE, "CHECKPOINT", "merge", "p0.json")
        self.refuses(DATA, ["p0.json", "twice"], "merge", "p1.json", "p0.json", "p2.json", "p0.json")
        self.refuses(DATA, ["k7.json", "7"], "merge", "p1.json", "k7.json")
        self.refuses(DATA, ["auto.json", "moments"], "merge", "p1.json", "auto.json")
        self.refuses(DATA, ["finished.json", "not a checkpoint"], "merge", "p1.json", "finished.json")
        self.refuses(DATA, ["renamed.json", "columns"], "merge", "p1.json", "renamed.json")
        self.refuses(NO_INPUT, "none.json", "merge", "p1.json", "none.json")
        self.refuses(USAGE, "overwritten", "merge", "p1.json", "p0.json", "-o", "p0.json")
        self.refuses(DATA, "GiB", "merge", "p1.json", "p0.json", "--memory", "1e-9")
        self.refuses(USAGE, "--seed", "merge", "p1.json", "p0.json", "--seed", "3")
