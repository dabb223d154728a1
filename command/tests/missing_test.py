"""Missing values: what each policy does with them in every format, the ledger and
the learning recomputed here, and what stays an error."""
import math
import os
import re

from holes import NAN, POLICIES, HolesTest, missing_in
from support import DATA, DIMENSION, K, USAGE, Table, algorithms, csv, for_each_row, npy, predict, score, sealed


class Missing(HolesTest):
    # ---- policies and formats ----------------------------------------------

    def test_error_names_the_cell_in_every_format(self):
        table = Table(20, DIMENSION)
        table.x[7][2] = NAN
        places = (["line 9", "'a2'"], ["line 8", "3"], ["[7, 2]"], ["[7, 2]"])
        for words, place in zip(self.files_of(table, "hole"), places):
            for name in ("coinflip", "full-ridge"):
                with self.subTest(data=words, algorithm=name):
                    k = ("-k", DIMENSION) if name == "coinflip" else ()
                    self.refuses(DATA, [words[0], *place, "missing"], "fit", *words, "--algorithm", name, *k,
                                 "--missing", "error", "-o", "model.json")

    def test_what_was_read_is_bought_before_it_is_refused(self):
        """The checkpoint and the sentence count the example that could not be learned from,
        and there is no way to have it again for nothing."""
        table = Table(20, DIMENSION)
        for value, word in ((NAN, "missing"), (math.inf, "infinity"), ("oops", "oops")):
            with self.subTest(value=value):
                self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},2\n" for i in range(DIMENSION)))
                lines = table.csv().splitlines()
                cells = lines[8].split(",")
                cells[2] = {"missing": "", "infinity": "inf"}.get(word, word)
                self.write("bad.csv", "\n".join([*lines[:8], ",".join(cells), *lines[9:]]) + "\n")
                words = ["fit", "bad.csv", "--algorithm", "online-ridge", "--no-shuffle", "--missing", "error", "--costs",
                         "costs.csv", "--checkpoint", "c.json", "--every", "3", "-q"]
                result = self.run_command(*words)
                self.check_refusal(result, DATA, "line 9", word)
                self.assertIn(f"bought before it ended: {8 * DIMENSION} attributes of 8 examples, "
                              f"{2 * 8 * DIMENSION}.00 spent\n", result.err)
                kept = self.model("c.json")
                self.assertEqual([kept["ledger"][f] for f in ("examples", "attributes_bought", "money_spent",
                                                              "missing_cells", "skipped_examples", "refused_examples")],
                                 [8, 8 * DIMENSION, 200 * 8 * DIMENSION, int(word == "missing"), 0, 1])
                self.assertEqual(kept["purchases"], [8] * DIMENSION)
                self.assertIn("refused examples", self.succeeds("show", "c.json").out)
                self.refuses(DATA, ["the fit ended there", "line 9"], "fit", "bad.csv", "--resume", "c.json")

    def test_a_checkpoint_that_a_failed_run_goes_on_in_says_what_was_bought(self):
        table = Table(20, DIMENSION)
        table.x[7][2] = math.inf
        self.write("bad.csv", table.csv())
        words = ["fit", "bad.csv", "--algorithm", "online-ridge", "--no-shuffle", "-q", "--checkpoint"]
        out = self.run_command(*words, "/dev/stdout", "--every", "3").out
        first = out[:out.index("\n}\n") + 3]
        os.mkdir(self.path("folder"))
        for resumed, checkpoint, bought in (("c.json", "c.json", 8), ("c.json", "folder/../c.json", 8), ("c.json", "d.json", 3)):
            with self.subTest(checkpoint=checkpoint):
                self.write("c.json", first)
                self.assertEqual(self.model("c.json")["ledger"]["examples"], 3)
                result = self.run_command("fit", "bad.csv", "--resume", resumed, "-q", "--checkpoint", checkpoint)
                self.check_refusal(result, DATA, "line 9", "infinity")
                self.assertEqual(self.model("c.json")["ledger"]["examples"], bought)
                self.assertFalse(os.path.exists(self.path("d.json")))  # it failed before its first
                if bought == 8:
                    self.refuses(DATA, ["the fit ended there", "line 9"], "fit", "bad.csv", "--resume", "c.json")

    def test_a_failed_tuning_and_a_failed_prediction_say_what_they_bought(self):
        table = Table(20, DIMENSION)
        table.x[7][2] = math.inf
        self.write("bad.csv", table.csv())
        for words in (["tune", "bad.csv", "-k", DIMENSION], ["fit", "bad.csv", "-k", DIMENSION]):
            result = self.run_command(*words, "--no-shuffle", "-q")
            self.check_refusal(result, DATA, "line 9", "infinity")
            self.assertIn(f"bought before it ended: {8 * DIMENSION} attributes of 8 examples\n", result.err)
        self.write("good.csv", Table(60, DIMENSION).csv())
        self.succeeds("fit", "good.csv", "--algorithm", "gaussian", "--observed", "-q", "-o", "g.json")
        for command in ("predict", "eval"):
            result = self.run_command(command, "g.json", "bad.csv", "-k", DIMENSION)
            self.check_refusal(result, DATA, "line 9", "infinity")
            self.assertRegex(result.err, r"bought before it ended: \d+ attributes of 8 examples\n")

    def test_every_format_gives_the_same_model(self):
        for policy in POLICIES:
            models = []
            for words in self.files_of(self.table, "same"):
                _, model = self.fit(*words, *K, "--center", "--missing", policy)
                models.append([model[f] for f in ("weights", "means", "intercept", "ledger", "purchases")])
            self.assertGreater(models[0][3]["missing_cells"], 0)
            for model in models[1:]:
                self.assertEqual(model, models[0])

    def test_skip_cell_is_what_is_done_unless_said_otherwise(self):
        given = self.fit("data.csv", *K, "--missing", "skip-cell")[1]
        plain = self.fit("data.csv", *K)[1]
        self.assertEqual(given, plain)
        self.assertEqual(plain["settings"]["missing"], "skip-cell")
        self.assertNotEqual(self.fit("data.csv", *K, "--missing", "skip-example")[1]["weights"], plain["weights"])

    @for_each_row
    def test_a_whole_table_does_not_depend_on_the_policy(self, row, options):
        self.write("whole.csv", Table(30, DIMENSION).csv())
        models = [self.fit("whole.csv", *options, "--missing", p)[1] for p in ("error", *POLICIES)]
        for model in models:
            self.assertEqual(model["weights"], models[0]["weights"])
            self.assertEqual((model["ledger"]["missing_cells"], model["ledger"]["skipped_examples"]), (0, 0))

    # ---- the ledger ----------------------------------------------------------

    def test_the_ledger_of_a_row_that_buys_everything(self):
        cells = sum(len(missing_in(x)) for x in self.table.x)
        rows = sum(bool(missing_in(x)) for x in self.table.x)
        for name in ("online-ridge", "online-lasso", "full-ridge", "full-lasso", "full-svr"):
            for policy, skipped in zip(POLICIES, (0, rows)):
                printed, model = self.fit("data.csv", "--algorithm", name, "--missing", policy)
                for ledger in (printed, model["ledger"]):
                    self.assertEqual((ledger["missing_cells"], ledger["skipped_examples"]), (cells, skipped))
                    self.assertEqual((ledger["examples"], ledger["attributes_bought"]), (40, 40 * DIMENSION))

    @for_each_row
    def test_what_is_missing_is_charged_and_counted(self, row, options):
        """A column with one value, in a row that is not reached: each of its purchases is a missing cell."""
        table = Table(41, DIMENSION)
        for x in table.x[:-1]:
            x[5] = NAN
        self.write("column.csv", self.csv_of(table))
        whole = Table(41, DIMENSION)
        self.write("full.csv", whole.csv())
        common = [*options, "--no-shuffle", "--examples", "40"]
        for policy in POLICIES:
            result = self.succeeds("fit", "column.csv", *common, "--missing", policy, "-q", "--json", "-o", "model.json")
            printed, model = result.json, self.model()
            self.assertEqual(printed["missing_cells"], model["purchases"][5])
            self.assertEqual(printed["skipped_examples"], model["purchases"][5] if policy == "skip-example" else 0)
            self.assertEqual((printed["examples"], model["ledger"]["distinct_examples"]), (40, 40))
            self.assertEqual(model["means"][5], 0)
            self.assertEqual(model["weights"][5], 0)
            warned = "a5 was bought" in result.err
            self.assertEqual(warned, model["purchases"][5] >= 10)
            self.assertLessEqual(result.err.count("warning"), 2)
        if row.whole:  # the looks do not depend on what was seen
            printed = self.fit("full.csv", *common)[0]
            self.assertEqual(printed["attributes_bought"], self.fit("column.csv", *common)[0]["attributes_bought"])

    def test_cells_are_counted_also_where_items_are_bought(self):
        """Members of panels and what is free have cells of their own."""
        table = Table(60, DIMENSION)
        for x in table.x[:-1]:
            x[5] = x[6] = x[9] = NAN
        self.write("column.csv", self.csv_of(table))
        costs = [[name, 0 if i == 9 else 2, "p" if i in (4, 5, 6) else ""] for i, name in enumerate(table.names)]
        self.write("costs.csv", csv(["attribute", "cost", "group"], costs))
        for policy in POLICIES:
            printed, model = self.fit("column.csv", "--algorithm", "auto", "-k", "6", "--costs", "costs.csv",
                                      "--no-shuffle", "--examples", "59", "--missing", policy)
            bought = model["purchases"]
            self.assertEqual(bought[5], bought[6])
            self.assertEqual(printed["missing_cells"], bought[5] + bought[6] + bought[9])
            self.assertEqual(printed["skipped_examples"], 59 if policy == "skip-example" else 0)  # what is free is bought always
            self.succeeds("show", "model.json")

    def test_tuning_counts_as_fitting_does(self):
        for policy in POLICIES:
            options = ["--algorithm", "auto", "-k", "6", "--missing", policy]
            chosen = self.succeeds("tune", "data.csv", *options, "-q", "--grid", "average=last", "--json", "-o",
                                    "t.json").json
            model = self.fit("data.csv", *options)[1]
            if chosen["chosen"] == "as given":  # the looks are those of the leader
                self.assertEqual(self.model("t.json")["ledger"], model["ledger"])
            self.assertGreater(self.model("t.json")["ledger"]["missing_cells"], 0)
            self.assertEqual(self.model("t.json")["ledger"]["skipped_examples"] > 0, policy == "skip-example")

    def test_passes_and_a_budget_hold_as_ever(self):
        for policy in POLICIES:
            printed, model = self.fit("data.csv", *K, "--passes", "3", "--missing", policy)
            self.assertEqual(printed["examples"], 120)
            self.assertLessEqual(printed["max_bought_per_example"], 12)
            self.assertEqual(sum(model["purchases"]), printed["attributes_bought"])
            printed, _ = self.fit("data.csv", *K, "--budget", "150", "--missing", policy)
            self.assertTrue(printed["budget_spent"])
            self.assertLessEqual(printed["attributes_bought"], 150)

    def test_the_summary_and_show_tell_what_was_missing_if_anything_was(self):
        printed = self.fit("data.csv", *K, "--missing", "skip-example")[0]
        words = [f"missing: {printed['missing_cells']} cells, so {printed['skipped_examples']} examples were skipped"]
        out = self.succeeds("fit", "data.csv", *K, "--missing", "skip-example", "-q").out
        self.assertIn(words[0], out.splitlines())
        shown = self.succeeds("show", "model.json").out
        for name in ("missing_cells", "skipped_examples"):
            self.assertRegex(shown, rf"(?m)^  {name.replace('_', ' ')} +{printed[name]}$")
        printed = self.fit("data.csv", *K)[0]
        out = self.succeeds("fit", "data.csv", *K, "-q").out
        self.assertIn(f"missing: {printed['missing_cells']} cells", out.splitlines())
        self.assertNotIn("skipped", out + self.succeeds("show", "model.json").out)
        self.write("whole.csv", Table(40, DIMENSION).csv())
        out = self.succeeds("fit", "whole.csv", *K, "-q", "-o", "model.json").out
        self.assertNotIn("missing", out)
        self.assertNotRegex(self.succeeds("show", "model.json").out, "missing cells|skipped")

    # ---- learning, transcribed ----------------------------------------------

    @staticmethod
    def descend(table, eta, radius, bound, center):
        """online-ridge with skip-cell as the documentation has it."""
        w, total, means, counts, y_mean = [0.0] * DIMENSION, [0.0] * DIMENSION, [0.0] * DIMENSION, [0] * DIMENSION, 0.0
        for t, (row, y) in enumerate(zip(table.x, table.y), 1):
            x = []
            for i, v in enumerate(row):
                if math.isnan(v):
                    x.append(0.0 if center else means[i])
                elif center:
                    x.append(v / bound - means[i] if counts[i] else 0.0)
                else:
                    x.append(v / bound)
            total = [a + b for a, b in zip(total, w)]
            error = sum(a * b for a, b in zip(w, x)) - (y - y_mean if center else y)
            w = [a - eta * error * b for a, b in zip(w, x)]
            norm = math.hypot(*w)
            w = [a * min(1, radius / norm) for a in w] if norm else w
            for i, v in enumerate(row):
                if not math.isnan(v):
                    counts[i] += 1
                    means[i] += (v / bound - means[i]) / counts[i]
            y_mean += (y - y_mean) / t
        mean = [a / len(table.y) for a in total]
        intercept = y_mean - sum(a * b for a, b in zip(mean, means)) if center else 0.0
        return [a / bound for a in mean], intercept, [m * bound for m in means]

    def test_skip_cell_puts_the_running_mean_there(self):
        for center in (False, True):
            for radius, bound in ((1, 1), (0.05, 0.5)):
                _, model = self.fit("data.csv", "--algorithm", "online-ridge", "--no-shuffle", "--eta", "0.3", "--radius",
                                    radius, "--x-bound", bound, *(["--center"] if center else []))
                weights, intercept, means = self.descend(self.table, 0.3, radius, bound, center)
                for got, wanted in ((model["weights"], weights), (model["means"], means),
                                    ([model["intercept"]], [intercept])):
                    for a, b in zip(got, wanted):
                        self.assertAlmostEqual(a, b, delta=1e-13)

    def test_skip_example_learns_what_the_whole_rows_teach(self):
        whole = [i for i, x in enumerate(self.table.x) if not missing_in(x)]
        self.write("whole.csv", csv([*self.table.names, "y"], [[*self.table.x[i], self.table.y[i]] for i in whole]))
        for options in (["online-ridge", "--eta", "0.3"], ["online-lasso", "--eta", "0.3", "--center"],
                        ["full-ridge", "--radius", "0.3"], ["full-lasso", "--radius", "0.3", "--center"],
                        ["full-svr", "--radius", "0.3"]):
            with self.subTest(options=options):
                some = self.fit("data.csv", "--algorithm", *options, "--no-shuffle", "--missing", "skip-example")[1]
                rest = self.fit("whole.csv", "--algorithm", *options, "--no-shuffle", "--missing", "error")[1]
                for field in ("weights", "means", "intercept"):
                    self.assertEqual(some[field], rest[field])

    def test_nothing_left_to_learn_from(self):
        table = Table(20, DIMENSION)
        for i, x in enumerate(table.x):
            x[i % DIMENSION] = NAN
        self.write("holes.csv", self.csv_of(table))
        for algorithm in ("online-ridge", "full-ridge"):
            _, model = self.fit("holes.csv", "--algorithm", algorithm, "--missing", "skip-example")
            self.assertEqual(model["weights"], [0] * DIMENSION)
            result = self.succeeds("fit", "holes.csv", "-q", "--algorithm", algorithm, "--missing", "skip-example")
            self.assertIn("every weight is 0", result.err)

    # ---- the references -------------------------------------------------------

    def test_the_references_learn_from_column_means(self):
        known = [[x[j] for x in self.table.x if not math.isnan(x[j])] for j in range(DIMENSION)]
        means = [math.fsum(c) / len(c) for c in known]
        filled = [[means[j] if math.isnan(v) else v for j, v in enumerate(x)] for x in self.table.x]
        self.write("filled.csv", csv([*self.table.names, "y"], [[*x, y] for x, y in zip(filled, self.table.y)]))
        for options in (["full-ridge", "--radius", "0.3"], ["full-lasso", "--radius", "auto"],
                        ["full-svr", "--radius", "0.3"], ["full-ridge", "--radius", "0.2", "--center", "--x-bound", "0.5"]):
            with self.subTest(options=options):
                some = self.fit("data.csv", "--algorithm", *options)[1]
                rest = self.fit("filled.csv", "--algorithm", *options)[1]
                for field, wanted in (("weights", rest["weights"]), ("means", means), ("means", rest["means"])):
                    for a, b in zip(some[field], wanted):
                        self.assertAlmostEqual(a, b, delta=1e-9)

    def test_the_bias_is_the_one_of_the_documentation(self):
        """Every combination of two correlated attributes and of what is missing, as often as its share: then
        w_1 var_1 + p_2 cov w_2 = cov(x_1, y), and the other way round."""
        pairs, shares = [(-1, -1), (-1, -1), (-1, 1), (1, -1), (1, 1), (1, 1)], (0.5, 0.75)
        rows = []
        for a, b in pairs:
            y = 3 * a + b
            for first in range(2):
                for second in range(4):
                    rows.append([a if first else "", b if second else "", y])
        self.write("bias.csv", csv(["a", "b", "y"], rows))
        got = self.fit("bias.csv", "--algorithm", "full-ridge", "--radius", "100", "--center")[1]["weights"]
        cov = sum(a * b for a, b in pairs) / len(pairs)
        one, two = 3 + cov, 3 * cov + 1  # with y
        determinant = 1 - shares[0] * shares[1] * cov * cov
        wanted = [(one - shares[1] * cov * two) / determinant, (two - shares[0] * cov * one) / determinant]
        for a, b in zip(got, wanted):
            self.assertAlmostEqual(a, b, delta=1e-9)
        self.assertGreater(abs(wanted[1] - 1), 0.1)

    # ---- checkpoints ----------------------------------------------------------

    def test_every_row_resumes_to_the_same_bits(self):
        for row in algorithms():
            for policy in POLICIES:
                for more in ([], row.only("--center"), [] if row.one_pass else ["--passes", "2"]):
                    options = ["--algorithm", row.name, *row.k, *more, "--missing", policy]
                    with self.subTest(options=options):
                        out = self.succeeds("fit", "data.csv", *options, "-q", "--checkpoint", "/dev/stdout", "--every",
                                            "11", "-o", "whole.json").out
                        found = re.findall(r'\{\n  "format": "scant-model".*?"checksum": "[0-9a-f]{16}"\n\}\n', out, re.S)
                        for checkpoint in (found[0], found[-2]):
                            self.write("c.json", checkpoint)
                            self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
                            self.assertEqual(self.read("resumed.json"), self.read("whole.json"))

    def test_a_policy_is_part_of_the_checkpoint(self):
        self.succeeds("fit", "data.csv", *K, "-q", "--checkpoint", "c.json")
        self.refuses(USAGE, ["missing", "skip-cell"], "fit", "data.csv", "--resume", "c.json", "--missing", "error")
        self.succeeds("fit", "data.csv", "--resume", "c.json", "--missing", "skip-cell", "-q")

    def test_a_checkpoint_that_contradicts_its_ledger_is_refused(self):
        self.succeeds("fit", "data.csv", *K, "-q", "--checkpoint", "c.json")
        good = self.model("c.json")
        unknown = good["checkpoint"]["unknown"]
        self.assertEqual(sum(unknown), good["ledger"]["missing_cells"])
        one = next(i for i, n in enumerate(unknown) if n)
        for change in ({"unknown": [0] * DIMENSION}, {"unknown": [n + (i == one) for i, n in enumerate(unknown)]},
                       {"unknown": unknown[1:]}, {"unknown": None},
                       {"unknown": [sum(unknown) if i == one else 0 for i in range(DIMENSION)]}):
            self.write("bad.json", sealed({**good, "checkpoint": {**good["checkpoint"], **change}}))
            self.refuses(DATA, ["bad.json", "unknown"], "fit", "data.csv", "--resume", "bad.json")

    # ---- columns without a value ------------------------------------------------

    def test_an_empty_column_is_refused_before_anything_is_bought(self):
        for words in ([""], ["", "nan", " "]):
            rows = [[*x[:4], words[i % len(words)], *x[5:], y] for i, (x, y) in enumerate(zip(self.table.x, self.table.y))]
            rows = [["" if v != v else v for v in row] for row in rows]
            self.write("empty.csv", csv([*self.table.names, "y"], rows))
            for options in (["aerr", *K, "--checkpoint", "c.json"], ["full-ridge"]):
                for policy in ("error", *POLICIES):
                    self.refuses(DATA, ["empty.csv", "'a4'", "no value"], "fit", "empty.csv", "--algorithm", *options,
                                 "--missing", policy, "-o", "m.json")
        self.write("bare.csv", "1,,2,3\n4,,5,6\n")
        self.refuses(DATA, ["bare.csv", "column 2"], "fit", "bare.csv", "--header", "no", "-k", "2")
        self.refuses(DATA, ["bare.csv", "column 2"], "fit", "bare.csv", "--header", "no", "-k", "2", "--target", "1")

    def test_an_empty_column_is_no_hindrance_to_predictions(self):
        model = self.fit("data.csv", *K)[1]
        rows = [[*x[:4], "", *x[5:], ""] for x in Table(5, DIMENSION).x]
        self.write("empty.csv", csv([*self.table.names, "y"], rows))
        out = self.succeeds("predict", "model.json", "empty.csv").out.split()
        for text, row in zip(out, rows):
            self.assertAlmostEqual(float(text), predict(model, [*row[:4], model["means"][4], *row[5:-1]]), delta=1e-12)

    def test_a_column_without_values_is_warned_of_where_it_shows_at_the_end(self):
        rows = [[NAN if j == 3 else v for j, v in enumerate(x)] for x in Table(30, DIMENSION).x]
        self.write("x.npy", npy(rows))
        self.write("y.npy", npy(Table(30, DIMENSION).y))
        for name in ("online-ridge", "full-ridge"):
            result = self.succeeds("fit", "x.npy", "--labels", "y.npy", "--algorithm", name, "--radius", "1000", "-q")
            self.assertEqual(result.err.count("\n"), 1)
            self.assertIn("warning: attribute 4 was bought 30 times and never had a value", result.err)
        result = self.succeeds("fit", "x.npy", "--labels", "y.npy", "--algorithm", "full-ridge", "--radius", "1000", "-q", "--examples", "9")
        self.assertEqual(result.err, "")

    # ---- what stays an error -------------------------------------------------

    def test_text_infinity_and_missing_targets_stay_errors(self):
        table = Table(20, DIMENSION)
        for policy in ("error", *POLICIES):
            for word in ("NA", "?", "null", "none", "inf", "-inf", "1e999", "x"):
                rows = [[*x, y] for x, y in zip(table.x, table.y)]
                rows[7][2] = word
                self.write("bad.csv", csv([*table.names, "y"], rows))
                hint = ["leave the field empty"] if word in ("NA", "?", "null") else []
                self.refuses(DATA, ["bad.csv", "line 9", "'a2'", *hint], "fit", "bad.csv", "--algorithm", "online-ridge",
                             "--missing", policy)
            for word in ("", "nan", "NA"):
                rows = [[*x, y] for x, y in zip(table.x, table.y)]
                rows[7][-1] = word
                self.write("bad.csv", csv([*table.names, "y"], rows))
                self.refuses(DATA, ["bad.csv", "line 9", "'y'"], "fit", "bad.csv", *K, "--missing", policy)
            self.write("bad.svm", "1 1:1 2:2 3:3\n1 2: 3:1\n")
            self.refuses(DATA, ["bad.svm", "line 2"], "fit", "bad.svm", "-k", "2", "--missing", policy)


class MissingPredict(HolesTest):
    def filled(self, x, model):
        return [model["means"][j] if math.isnan(v) else v for j, v in enumerate(x)]

    def check_predictions(self, model):
        other = self.punched(25, seed=3)
        for words in self.files_of(other, "other"):
            out = self.succeeds("predict", "model.json", words[0]).out.split()
            wanted = [predict(model, self.filled(x, model)) for x in other.x]
            self.assertEqual(len(out), 25)
            for a, b in zip(out, wanted):
                self.assertAlmostEqual(float(a), b, delta=1e-12)
            printed = self.succeeds("eval", "model.json", *words, "--json").json
            for field, value in score(wanted, other.y).items():
                if value is not None:
                    self.assertAlmostEqual(printed[field], value, delta=1e-12)

    @for_each_row
    def test_predictions_take_the_means(self, row, options):
        if row.name == "gaussian":  # predicts from the values that are there: few_test
            return
        for policy in POLICIES:
            model = self.fit("data.csv", *options, *row.only("--center"), "--missing", policy)[1]
            self.assertEqual(len(model["means"]), DIMENSION)
            self.check_predictions(model)

    def test_predictions_of_references_take_the_means(self):
        for name in ("full-ridge", "full-lasso", "full-svr"):
            self.check_predictions(self.fit("data.csv", "--algorithm", name, "--radius", "0.3")[1])

    def test_the_means_are_those_of_what_was_bought(self):
        for name in ("online-ridge", "full-ridge"):
            means = self.fit("data.csv", "--algorithm", name, "--examples", "25", "--no-shuffle")[1]["means"]
            for j, mean in enumerate(means):
                known = [x[j] for x in self.table.x[:25] if not math.isnan(x[j])]
                self.assertAlmostEqual(mean, math.fsum(known) / len(known), delta=1e-15)

    def test_a_test_part_may_have_holes(self):
        printed, model = self.fit("data.csv", *K, "--no-shuffle", "--split", "0.25", "--center")
        part = [self.filled(x, model) for x in self.table.x[30:]]
        wanted = score([predict(model, x) for x in part], self.table.y[30:])
        self.assertAlmostEqual(printed["test"]["squared_error"], wanted["squared_error"], delta=1e-12)
        other = self.punched(25, seed=3)
        self.write("test.csv", self.csv_of(other))
        printed, model = self.fit("data.csv", *K, "--test", "test.csv")
        wanted = score([predict(model, self.filled(x, model)) for x in other.x], other.y)
        self.assertAlmostEqual(printed["test"]["squared_error"], wanted["squared_error"], delta=1e-12)
