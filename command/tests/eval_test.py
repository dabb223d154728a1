"""scant eval: every number recomputed another way."""
import json
import math

from support import DATA, DIMENSION, K, Table, TwoTablesTest, algorithms, csv, gz, idx, npy, predict, score, sealed

FIELDS = ["examples", "squared_error", "absolute_error", "r2", "accuracy"]


class Eval(TwoTablesTest):
    def check(self, data, *options, x=None, y=None):
        model = self.model()
        printed = self.succeeds("eval", "model.json", data, "--json", *options).json
        expected = score([predict(model, row) for row in x or self.other.x], y or self.other.y)
        self.assertEqual(list(printed), FIELDS)
        self.assertEqual(printed["examples"], expected["examples"])
        for field in FIELDS[1:]:
            if expected[field] is None:
                self.assertIsNone(printed[field], field)
            else:
                self.assertTrue(math.isclose(printed[field], expected[field], rel_tol=1e-12, abs_tol=1e-12),
                                f"{field}: {printed[field]} is not {expected[field]}")
        return printed

    def test_scores_of_every_row_agree_with_python(self):
        for row in algorithms():
            for more in ([], row.only("--center")):
                with self.subTest(algorithm=row.name, options=more):
                    self.fit("data.csv", *row.k, "--algorithm", row.name, *more)
                    self.check("other.csv")

    def test_accuracy_is_given_where_labels_are_signs(self):
        signs = Table(40, DIMENSION).with_labels(-1, 1)
        self.fit(self.write("signs.csv", signs.csv()), *K)
        printed = self.check("signs.csv", x=signs.x, y=signs.y)
        self.assertGreater(printed["accuracy"], 0.5)
        self.assertIsNone(self.check("other.csv")["accuracy"])

    def test_r2_is_null_where_the_target_does_not_vary(self):
        self.fit("data.csv", *K)
        self.other.y = [0.3] * 25
        self.assertIsNone(self.check(self.write("flat.csv", self.other.csv()))["r2"])

    def test_r2_does_not_suffer_from_a_target_far_from_zero(self):
        self.other.y = [1e9 + y for y in self.other.y]
        self.fit("data.csv", *K)
        self.check(self.write("far.csv", self.other.csv()))

    def test_the_scores_in_words_are_those_of_the_json(self):
        self.fit("data.csv", *K)
        printed = self.check("other.csv")
        words = dict(line.rsplit(None, 1) for line in self.succeeds("eval", "model.json", "other.csv").out.splitlines())
        self.assertEqual(words["examples"], "25")
        for name, field in (("squared error", "squared_error"), ("absolute error", "absolute_error"), ("R^2", "r2")):
            self.assertAlmostEqual(float(words[name]), printed[field], places=4)
        self.assertNotIn("accuracy", words)

    def test_the_target_and_classes_are_those_of_the_model(self):
        words = Table(40, DIMENSION)
        words.y = [("no", "yes", "perhaps")[i % 3] for i in range(40)]
        names = words.names[::-1]
        self.write("words.csv", csv(["answer", *names], [[y, *x[::-1]] for x, y in zip(words.x, words.y)]))
        self.fit("words.csv", *K, "--target", "answer", "--classes", "yes,no")
        kept = [i for i in range(40) if words.y[i] != "perhaps"]
        self.model_names = self.model()["names"]
        self.assertEqual(self.model_names, names)
        self.check("words.csv", x=[words.x[i][::-1] for i in kept], y=[-1 if words.y[i] == "yes" else 1 for i in kept])
        self.check("words.csv", "--classes", "no,yes", x=[words.x[i][::-1] for i in kept],
                   y=[1 if words.y[i] == "yes" else -1 for i in kept])

    def test_the_target_of_a_file_without_a_header_is_that_of_the_fit(self):
        turned = csv(["y"], [[y, *x] for x, y in zip(self.table.x, self.table.y)]).split("\n", 1)[1]
        self.fit(self.write("turned.csv", turned), *K, "--header", "no", "--target", "1")
        self.check("turned.csv", "--header", "no", "--target", "1", x=self.table.x, y=self.table.y)
        self.check("turned.csv", "--header", "no", x=self.table.x, y=self.table.y)

    def test_another_target_may_be_given(self):
        self.fit("data.csv", *K)
        names = [*self.table.names, "y", "z"]
        self.write("two.csv", csv(names, [[*x, y, 2 * y] for x, y in zip(self.other.x, self.other.y)]))
        self.check("two.csv")
        self.check("two.csv", "--target", "z", y=[2 * y for y in self.other.y])

    def test_every_format_gives_the_same_scores(self):
        self.fit(self.write("train.svm", self.table.libsvm()), *K)
        self.check_formats()

    def test_every_format_gives_the_same_scores_to_a_model_of_a_csv(self):
        self.fit("data.csv", *K)
        self.check_formats()

    def check_formats(self):
        self.write("x.npy", npy(self.other.x, fortran=True))
        self.write("y.npy", npy(self.other.y))
        self.write("x.idx", idx([v for x in self.other.x for v in x], (25, DIMENSION), 0x0E))
        self.write("y.idx.gz", gz(idx(self.other.y, (25,), 0x0E)))
        for words in (["other.csv"], [self.write("o.csv.gz", gz(self.other.csv()))],
                      [self.write("o.svm", self.other.libsvm())], ["x.npy", "--labels", "y.npy"],
                      ["x.idx", "--labels", "y.idx.gz"]):
            with self.subTest(data=words):
                self.check(*words)

    def test_a_file_without_the_target_is_refused(self):
        self.fit("data.csv", *K)
        self.write("bare.csv", csv(self.table.names, self.other.x))
        self.refuses(DATA, ["bare.csv", "y"], "eval", "model.json", "bare.csv")

    def test_an_absent_column_is_named(self):
        self.fit("data.csv", *K)
        rows = [[*x[1:], y] for x, y in zip(self.other.x, self.other.y)]
        self.write("less.csv", csv([*self.table.names[1:], "y"], rows))
        self.refuses(DATA, ["less.csv", "a0"], "eval", "model.json", "less.csv")

    def test_a_bad_value_is_named_by_line_and_column(self):
        self.fit("data.csv", *K)
        for value in ("inf", "-inf", "x7", "?", "NA"):
            self.other.x[10][2] = value
            self.write("bad.csv", self.other.csv())
            self.refuses(DATA, ["bad.csv", "line 12", "a2"], "eval", "model.json", "bad.csv", "--json")

    # ---- what no number can hold -------------------------------------------------

    def scaled(self, **changes):
        """The model with other weights."""
        model = json.loads(self.read("model.json"))
        self.write("other.json", sealed({**model, **changes}))

    def test_a_score_that_overflows_is_refused(self):
        self.write("data.csv", Table(30, DIMENSION).csv())
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        for intercept in (1e308, -1e308, 1e200):
            self.scaled(intercept=intercept)
            for words in ([], ["--json"]):
                self.refuses(DATA, ["squared error overflows", f"{intercept:.3g}".lstrip("-")], "eval", "other.json",
                             "data.csv", *words)

    def test_a_score_that_can_be_told_is_told(self):
        """The sum of the squares is too large for a number, their mean is not; nor are differences."""
        table = Table(30, DIMENSION)
        table.y = [0.0] * 30
        self.write("data.csv", table.csv())
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        self.scaled(intercept=1e154, weights=[0.0] * DIMENSION)
        result = self.succeeds("eval", "other.json", "data.csv", "--json").json
        self.assertAlmostEqual(result["squared_error"] / 1e308, 1, 12)
        self.assertAlmostEqual(result["absolute_error"] / 1e154, 1, 12)
        table.y = [1e154 if i % 2 else -1e154 for i in range(30)]
        self.write("wide.csv", table.csv())
        self.scaled(intercept=0.0, weights=[0.0] * DIMENSION)
        result = self.succeeds("eval", "other.json", "wide.csv", "--json").json
        self.assertAlmostEqual(result["r2"], 0, 12)

    def test_an_r2_that_overflows_is_refused(self):
        table = Table(30, DIMENSION)
        table.y = [1e-10 if i % 2 else 0.0 for i in range(30)]
        self.write("data.csv", table.csv())
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        self.scaled(intercept=1e150, weights=[0.0] * DIMENSION)
        self.refuses(DATA, "R^2 overflows", "eval", "other.json", "data.csv")
