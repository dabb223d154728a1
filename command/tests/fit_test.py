"""scant fit: what it prints, the ledger, and what the model depends on."""
import json
import math
import random

from support import DATA, DIMENSION, K, CommandTest, Table, csv, for_each_row, gz, npy, predict, score

COUNTS = {"dimension", "examples", "k", "looks_drawn", "attributes_bought", "max_bought_per_example", "missing_cells",
          "skipped_examples", "seed", "bytes_read"}
FIELDS = COUNTS | {"algorithm", "algorithm_why", "radius", "eta", "risk", "risk_error", "scale", "seconds"}
EXTRAS = {"penalty", "budget_spent", "mean_bought_per_example"}


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


class Fit(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(60, DIMENSION)
        self.write("data.csv", self.table.csv())

    # ---- what it prints --------------------------------------------------

    @for_each_row
    def test_json_has_the_fields_of_the_issue_with_their_types(self, row, options):
        result = self.succeeds("fit", "data.csv", "--json", *options, "--seed", "7", *row.only("--radius", "2"))
        self.assertEqual(result.out.count("\n"), 1, "one object on one line")
        printed = result.json
        self.assertEqual(set(printed) - EXTRAS, FIELDS)
        for field in COUNTS:
            self.assertIs(type(printed[field]), int, field)
        expected = {"algorithm": row.name, "dimension": DIMENSION, "examples": 60, "k": DIMENSION if row.whole else 12, "seed": 7}
        if "radius" in row.options:
            expected["radius"] = 2
        self.assertEqual({field: printed[field] for field in expected}, expected)
        self.assertGreaterEqual(printed["seconds"], 0)

    @for_each_row
    def test_eta_is_the_theorems_and_null_where_it_adapts(self, row, options):
        m, d, k, B = 60, DIMENSION, 11, 2.0
        expected = {"aerr": math.sqrt(k / (2 * d * m)),
                    "aelr": 1 / (4 * B) * math.sqrt(2 * k * math.log(2 * d) / (5 * m * d)),
                    "online-ridge": 1 / math.sqrt(m),
                    "lasso": math.sqrt(math.log(2 * d) / 2),
                    "online-lasso": math.sqrt(math.log(2 * d) / m) / (2 * B)}
        eta = self.fit("data.csv", *options, *row.only("--radius", B))[0]["eta"]
        if row.name.startswith("dd"):
            self.assertGreater(eta, 0)  # that of the data
        elif row.name in expected:
            self.assertTrue(near(eta, expected[row.name]), eta)
        else:
            self.assertIsNone(eta)
        if "eta" in row.options:
            self.assertEqual(self.fit("data.csv", *options, "--eta", "0.125")[0]["eta"], 0.125)

    def test_penalty_of_aer_is_the_proofs(self):
        _, model = self.fit("data.csv", *K, "--algorithm", "aer")
        self.assertTrue(near(model["penalty"], 16 * DIMENSION * math.sqrt(math.log(60) / (60 * 12))), model["penalty"])

    def test_without_json_the_summary_is_on_standard_output(self):
        out = self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json").out
        for word in ("aerr", "60 examples", "model.json"):
            self.assertIn(word, out)

    @for_each_row
    def test_the_test_object_scores_the_model_on_the_test_file(self, row, options):
        other = Table(30, DIMENSION, seed=2)
        self.write("other.csv", other.csv())
        printed, model = self.fit("data.csv", *options, "--test", "other.csv")
        self.check_test_object(printed["test"], model, other)

    def check_test_object(self, test, model, table):
        expected = score([predict(model, x) for x in table.x], table.y)
        fields = {f for f in expected if expected[f] is not None} - {"r2"}
        self.assertEqual({f for f in test if test[f] is not None} - {"r2"}, fields)
        self.assertEqual(test["examples"], len(table.y))
        for field in fields:
            self.assertTrue(near(test[field], expected[field]), f"{field}: {test[field]} is not {expected[field]}")

    def test_accuracy_is_tested_where_labels_are_signs(self):
        table = Table(60, DIMENSION).with_labels(-1, 1)
        self.write("signs.csv", table.csv())
        printed, model = self.fit("signs.csv", *K, "--test", "signs.csv")
        self.assertIn("accuracy", printed["test"])
        self.check_test_object(printed["test"], model, table)
        self.assertIsNone(self.fit("data.csv", *K, "--test", "data.csv")[0]["test"].get("accuracy"))

    def test_columns_of_the_test_file_are_found_by_name(self):
        names = self.table.names[::-1]
        self.write("turned.csv", csv(["y", *names], [[y, *x[::-1]] for x, y in zip(self.table.x, self.table.y)]))
        printed, model = self.fit("data.csv", *K, "--test", "turned.csv")
        self.check_test_object(printed["test"], model, self.table)

    def test_the_test_file_may_have_another_format(self):
        self.write("x.npy", npy(self.table.x))
        self.write("y.npy", npy(self.table.y))
        printed, model = self.fit("data.csv", *K, "--test", "x.npy", "--test-labels", "y.npy")
        self.check_test_object(printed["test"], model, self.table)

    def test_split_holds_the_last_rows_out_where_nothing_is_shuffled(self):
        self.write("first.csv", self.table.part(0, 45).csv())
        printed, model = self.fit("data.csv", *K, "--no-shuffle", "--split", "0.25")
        self.assertEqual(printed["examples"], 45)
        self.check_test_object(printed["test"], model, self.table.part(45, 60))
        self.assertEqual(model["weights"], self.weights("first.csv", *K, "--no-shuffle"))

    def test_split_comes_before_the_first_examples(self):
        for options in ([], ["--no-shuffle"]):
            printed, _ = self.fit("data.csv", *K, "--split", "0.25", "--examples", "20", *options)
            self.assertEqual((printed["examples"], printed["test"]["examples"]), (20, 15))

    # ---- the ledger ------------------------------------------------------

    def check_ledger(self, row, printed, model, k, rows):
        bought, ledger = printed["attributes_bought"], model["ledger"]
        self.assertEqual(sum(model["purchases"]), bought)
        self.assertEqual(len(model["purchases"]), DIMENSION)
        for field in ("examples", "looks_drawn", "attributes_bought", "max_bought_per_example"):
            self.assertEqual(ledger[field], printed[field], field)
        self.assertLessEqual(bought, printed["looks_drawn"])
        self.assertGreaterEqual(printed["max_bought_per_example"] * rows, bought)
        if row.strict:
            self.assertLessEqual(bought, k * rows)
            self.assertLessEqual(printed["max_bought_per_example"], k)
            # draws that stop only before one attribute too many may go on to twice as many
            self.assertLessEqual(printed["looks_drawn"], (2 if row.stopped else 1) * k * rows)

    @for_each_row
    def test_ledger_holds_k_for_every_example(self, row, _):
        for k in (DIMENSION,) if row.whole else (6, 8, DIMENSION):
            printed, model = self.fit("data.csv", "--algorithm", row.name, "-k", k)
            self.check_ledger(row, printed, model, k, 60)

    @for_each_row
    def test_rows_that_hold_k_in_expectation_hold_it_on_average(self, row, options):
        self.write("long.csv", Table(2000, DIMENSION).csv())
        if row.strict:
            return
        printed, _ = self.fit("long.csv", *options)
        mean = printed["attributes_bought"] / printed["examples"]
        self.assertLess(mean, 12 + 5 * 8 / math.sqrt(2000))  # a look is between 0 and 16
        self.assertGreater(printed["max_bought_per_example"], 12)
        self.assertTrue(near(printed["mean_bought_per_example"], mean))

    @for_each_row
    def test_budget_is_never_exceeded_and_the_model_is_valid(self, row, options):
        for budget in (1, 13, 100, 333):
            printed, model = self.fit("data.csv", *options, "--budget", budget)
            self.assertLessEqual(printed["attributes_bought"], budget)
            self.assertLess(printed["examples"], 60)
            self.assertIs(printed["budget_spent"], True)
            self.check_ledger(row, printed, model, DIMENSION if row.whole else 12, 60)
            self.succeeds("show", "model.json")
            self.assertEqual(len(self.succeeds("predict", "model.json", "data.csv").out.split()), 60)

    @for_each_row
    def test_an_ample_budget_changes_nothing(self, row, options):
        printed, model = self.fit("data.csv", *options)
        ample, limited = self.fit("data.csv", *options, "--budget", "100000")
        self.assertIs(ample["budget_spent"], False)
        self.assertEqual((limited["weights"], limited["ledger"]), (model["weights"], model["ledger"]))

    def test_a_budget_that_is_just_enough_is_not_spent_before_the_end(self):
        printed, model = self.fit("data.csv", "-k", DIMENSION, "--algorithm", "coinflip", "--budget", 60 * DIMENSION)
        self.assertEqual((printed["examples"], printed["attributes_bought"]), (60, 60 * DIMENSION))

    @for_each_row
    def test_passes_share_k(self, row, _):
        for passes, k in ((2, 12), (2, 13), (1, 12)):
            visit = k // passes
            if (row.name == "aer" and (visit % 2 or k % 2)) or row.one_pass:
                continue
            printed, model = self.fit("data.csv", "--algorithm", row.name, "-k", k, "--passes", passes)
            self.assertEqual(printed["examples"], 60 * passes)
            self.check_ledger(row, printed, model, k, 60)
            if row.strict:
                self.assertLessEqual(printed["looks_drawn"], (2 if row.stopped else 1) * visit * 60 * passes)
                self.assertLessEqual(printed["max_bought_per_example"], visit * passes)

    def test_passes_that_leave_less_than_two_looks_are_refused(self):
        self.refuses(2, "passes", "fit", "data.csv", "-k", "5", "--passes", "3")

    # ---- what the model depends on ---------------------------------------

    @for_each_row
    def test_the_first_examples_are_those_of_the_file_where_nothing_is_shuffled(self, row, options):
        self.write("first.csv", self.table.part(0, 20).csv())
        printed, model = self.fit("data.csv", *options, "--no-shuffle", "--examples", "20")
        _, short = self.fit("first.csv", *options, "--no-shuffle")
        self.assertEqual(printed["examples"], 20)
        self.assertEqual((model["weights"], model["ledger"]), (short["weights"], short["ledger"]))

    def test_more_examples_than_there_are_means_all(self):
        self.assertEqual(self.fit("data.csv", *K, "--examples", "1000")[0]["examples"], 60)

    @for_each_row
    def test_the_same_seed_gives_the_same_file_and_another_seed_another(self, row, options):
        files = []
        for seed in ("5", "5", "6"):
            self.fit("data.csv", *options, "--seed", seed)
            files.append(self.read("model.json"))
        self.assertEqual(files[0], files[1])
        self.assertNotEqual(json.loads(files[0])["weights"], json.loads(files[2])["weights"])

    def test_every_seed_is_kept_exactly(self):
        for seed in (0, 2**53 + 1, 2**64 - 1):
            printed, model = self.fit("data.csv", *K, "--seed", seed)
            self.assertEqual((printed["seed"], model["settings"]["seed"]), (seed, seed))
            self.assertIn(str(seed), self.succeeds("show", "model.json").out)

    def test_the_model_file_does_not_depend_on_paths_tests_or_output(self):
        self.write("copy of data.csv", self.table.csv())
        self.write("packed.csv.gz", gz(self.table.csv()))
        self.fit("data.csv", *K)
        expected = self.read("model.json")
        self.assertNotIn(b"data.csv", expected)
        self.assertNotIn(self.folder.encode(), expected)
        for data, options in (("copy of data.csv", []), ("packed.csv.gz", []), (self.path("data.csv"), []),
                              ("data.csv", ["--test", "copy of data.csv"]), ("data.csv", ["--target", "y"]),
                              ("data.csv", ["--checkpoint", "c.json", "--every", "7"])):
            self.succeeds("fit", data, *K, "-o", "other.json", *options)
            self.assertEqual(self.read("other.json"), expected, (data, options))

    def test_the_model_holds_settings_names_and_weights_to_17_digits(self):
        _, model = self.fit("data.csv", *K, "--seed", "9", "--no-shuffle")
        self.assertEqual(model["names"], self.table.names)
        self.assertEqual(model["target"], "y")
        self.assertEqual(model["dimension"], DIMENSION)
        settings = model["settings"]
        self.assertEqual((settings["seed"], settings["k"], settings["shuffle"]), (9, 12, False))
        text = self.read("model.json").decode()
        for w in model["weights"]:
            self.assertIn(f"{w:.17g}", text)

    @for_each_row
    def test_classes_keep_two_labels_as_signs(self, row, options):
        labels = ["3", "5", "7"]
        table = Table(90, DIMENSION)
        chosen = Table(0, 0)
        chosen.names = table.names
        chosen.x = [x for i, x in enumerate(table.x) if i % 3 < 2]
        chosen.y = [-1 if i % 3 else 1 for i in range(90) if i % 3 < 2]  # 5 is negative
        table.y = [labels[i % 3] for i in range(90)]
        self.write("digits.csv", table.csv())
        self.write("signs.csv", chosen.csv())
        printed, model = self.fit("digits.csv", *options, "--classes", "5,3", "--test", "digits.csv")
        self.assertEqual(printed["examples"], 60)
        self.assertEqual(model["weights"], self.weights("signs.csv", *options))
        self.check_test_object(printed["test"], model, chosen)

    def test_classes_may_be_words(self):
        words = Table(60, DIMENSION).with_labels("no", "yes")
        signs = Table(60, DIMENSION).with_labels(-1, 1)
        self.write("words.csv", words.csv())
        self.write("signs.csv", signs.csv())
        self.assertEqual(self.weights("words.csv", *K, "--classes", "no,yes"), self.weights("signs.csv", *K))

    @for_each_row
    def test_x_bound_divides_the_attributes_while_learning(self, row, options):
        if "x-bound" not in row.options:
            return
        for bound in (8, 0.25):
            self.write("scaled.csv", Table(60, DIMENSION).scaled(bound).csv())
            for more in ([], row.only("--center"), ["--average", "half"]):
                _, unit = self.fit("data.csv", *options, *more)
                _, model = self.fit("scaled.csv", *options, *more, "--x-bound", bound)
                self.assertEqual([w * bound for w in model["weights"]], unit["weights"])
                self.assertEqual(model["intercept"], unit["intercept"])

    def test_units_do_not_matter_to_auto_lasso_and_svr(self):
        """Every column times its own factor from 1e-3 to 1e3, with its own sign and offset; the target too."""
        plain, other = Table(1500, DIMENSION), Table(1500, DIMENSION)
        draw = random.Random(5)
        for column in range(DIMENSION):
            factor, offset = draw.choice((-1, 1)) * 10 ** draw.uniform(-3, 3), draw.uniform(-100, 100)
            for row in other.x:
                row[column] = factor * (row[column] + offset)
        self.write("plain.csv", plain.csv())
        self.write("other.csv", other.csv())
        other.y = [1000 * y - 7 for y in other.y]
        self.write("both.csv", other.csv())
        for algorithm in ("auto", "lasso", "svr"):
            for k in (3, 8):
                options = ["--algorithm", algorithm, "-k", k, "--split", "0.2", "--seed", "9"]
                first = self.fit("plain.csv", *options)[0]["test"]["squared_error"]
                for data, factor in (("other.csv", 1), ("both.csv", 1e6)):
                    error = self.fit(data, *options)[0]["test"]["squared_error"] / factor
                    self.assertLess(abs(error / first - 1), 1e-3, (algorithm, k, data))

    def test_ridge_without_intercept_looks_by_size_not_by_spread(self):
        """A column of ones, which carries the intercept, is looked at as often as one of +1 and -1."""
        draw = random.Random(2)
        found = []
        for constant in (True, False):
            rows = []
            for _ in range(4000):
                ones = 1 if constant else draw.choice((-1, 1))
                x = [ones, *[draw.uniform(-1, 1) for _ in range(19)]]
                rows.append([*x, ones + 0.5 * x[1] - 0.5 * x[2]])
            self.write("ones.csv", csv([*[f"a{i}" for i in range(20)], "y"], rows))
            found.append(self.fit("ones.csv", "--algorithm", "ridge", "-k", "4", "--radius", "3", "--no-intercept")[1]["purchases"][0])
        self.assertGreater(found[0], found[1] / 2)

    def test_a_fit_that_is_worse_than_a_constant_says_so(self):
        self.write("large.csv", Table(400, DIMENSION).scaled(1000).csv())
        result = self.succeeds("fit", "large.csv", "--algorithm", "aerr", "-k", "3", "--radius", "1000", "--eta", "10", "-q")
        self.assertIn("a constant predicts better", result.err)
        self.assertIn("nothing was learned", self.succeeds("fit", "data.csv", "-k", "4", "--budget", "3", "-q").err)
        self.assertEqual(self.succeeds("fit", "data.csv", "-k", "4", "-q").err, "")

    def test_weights_that_are_not_surely_better_than_the_mean_are_shrunk_and_noted(self):
        self.write("large.csv", Table(400, DIMENSION).scaled(1000).csv())
        wild = ["fit", "large.csv", "--algorithm", "ridge", "-k", "3", "--radius", "1000", "--eta", "10", "--clip", "none", "-q"]
        result = self.succeeds(*wild)
        self.assertIn("note: the weights are", result.out)
        self.assertIn("times what was learned", result.out)
        printed = self.succeeds(*wild, "--json").json
        y = Table(400, DIMENSION).scaled(1000).y
        variance = sum((v - sum(y) / 400) ** 2 for v in y) / 400
        self.assertLess(printed["scale"], 1)
        self.assertLess(printed["risk"], variance * 1.2)
        result = self.succeeds("fit", "data.csv", "-k", DIMENSION, "-q")
        self.assertNotIn("note:", result.out)
        self.assertGreaterEqual(self.succeeds("fit", "data.csv", "-k", DIMENSION, "-q", "--json").json["scale"], 1)

    def test_hinge_takes_signs(self):
        self.write("signs.csv", Table(60, DIMENSION).with_labels(-1, 1).csv())
        for name in ("aesvr", "coinflip", "svr"):
            weights = self.weights("signs.csv", *K, "--algorithm", name, "--loss", "hinge")
            self.assertTrue(any(weights))
        self.refuses(DATA, ["logistic", "data.csv"], "fit", "data.csv", *K, "--algorithm", "svr", "--loss", "logistic")

    def test_hinge_on_other_targets_names_the_file_and_line(self):
        self.refuses(DATA, ["data.csv", "line 2"], "fit", "data.csv", "-k", DIMENSION, "-q", "--algorithm", "coinflip",
                     "--loss", "hinge", "--no-shuffle")

    def test_names_with_quotes_commas_and_other_letters_survive(self):
        names = ['he said "no"', "a,b", "größe", "back\\slash", "two\nlines", " space "]
        quoted = ['"' + n.replace('"', '""') + '"' for n in names]
        table = Table(30, len(names))
        self.write("odd.csv", csv([*quoted, "y"], [[*x, y] for x, y in zip(table.x, table.y)]))
        _, model = self.fit("odd.csv", "-k", "3")
        self.assertEqual(model["names"], names)
        self.write("turned.csv", csv(quoted[::-1], [x[::-1] for x in table.x]))
        predictions = self.succeeds("predict", "model.json", "turned.csv").out.split()
        for text, x in zip(predictions, table.x):
            self.assertTrue(near(float(text), predict(model, x)))
