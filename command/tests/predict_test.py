"""scant predict and eval: the same numbers as Python's, whatever the file looks like."""
import json
import math
import os
import random

from support import DATA, DIMENSION, IO, K, Table, TwoTablesTest, algorithms, csv, gz, idx, npy, predict, score, sealed


class Predict(TwoTablesTest):
    def fit_unnamed(self):
        """A model without names, which takes every format by position."""
        self.write("train.npy", npy(self.table.x))
        self.fit("train.npy", *K, "--labels", self.write("train-labels.npy", npy(self.table.y)))
        self.assertIsNone(self.model()["names"])

    def check(self, data, *options, x=None, model="model.json"):
        """One prediction a line, as computed from the model's JSON."""
        fitted = self.model(model)
        out = self.succeeds("predict", model, data, *options).out
        rows = self.other.x if x is None else x
        self.assertEqual(out.count("\n"), len(rows))
        for text, row in zip(out.splitlines(), rows):
            expected = predict(fitted, row)
            close = math.isclose(float(text), expected, rel_tol=1e-12, abs_tol=1e-12)
            self.assertTrue(close, f"{text}, not {expected}")
            self.assertEqual(text, f"{float(text):.17g}")

    def test_predictions_of_every_row_agree_with_python(self):
        for row in algorithms():
            other = "--center" if "center" in row.options else "--no-intercept"
            for more in ([], [] if row.dense else [other]):  # a dense row always has one
                with self.subTest(algorithm=row.name, options=more):
                    _, model = self.fit("data.csv", *row.k, "--algorithm", row.name, *more, "--seed", "2")
                    self.assertTrue(any(model["weights"]))
                    self.assertEqual(bool(model["intercept"]), row.dense or bool(more) == ("center" in row.options))
                    self.check("other.csv")

    def test_columns_come_in_any_order_and_there_may_be_more(self):
        self.fit("data.csv", *K)
        draw = random.Random(1)
        columns = [*self.table.names, "y", "id", "note"]
        for _ in range(5):
            draw.shuffle(columns)
            rows = []
            for i, (x, y) in enumerate(zip(self.other.x, self.other.y)):
                named = {**dict(zip(self.table.names, x)), "y": y, "id": f"patient {i}", "note": '"a, ""b"""'}
                rows.append([named[c] for c in columns])
            self.check(self.write("mixed.csv", csv(columns, rows)))

    def test_the_target_may_be_absent(self):
        self.fit("data.csv", *K)
        self.check(self.write("bare.csv", csv(self.table.names, self.other.x)))

    def test_the_target_may_be_unknown(self):
        self.fit("data.csv", *K)
        for word in ("", "?", "NaN"):
            with self.subTest(target=word):
                rows = [[*x, word] for x in self.other.x]
                self.check(self.write("unknown.csv", csv([*self.table.names, "y"], rows)))

    def test_the_target_may_be_one_of_two_words(self):
        words = Table(40, DIMENSION).with_labels("no", "yes")
        self.fit(self.write("words.csv", words.csv()), *K, "--classes", "no,yes")
        self.check("words.csv", x=words.x)

    def test_classes_choose_rows_where_they_are_given(self):
        self.other.y = [str(i % 3) for i in range(25)]
        chosen = [x for i, x in enumerate(self.other.x) if i % 3 != 1]
        self.fit(self.write("digits.csv", self.other.csv()), *K, "--classes", "0,2")
        self.check("digits.csv", "--classes", "0,2", x=chosen)
        self.check("digits.csv")

    def test_an_absent_column_is_named(self):
        self.fit("data.csv", *K)
        for gone in ("a0", "a7", "a15"):
            names = [n for n in self.table.names if n != gone]
            self.write("less.csv", csv([*names, "y"], [x[1:] + [0] for x in self.other.x]))
            self.refuses(DATA, ["less.csv", gone], "predict", "model.json", "less.csv")

    def test_an_absent_target_called_by_a_number_is_no_attribute(self):
        names = [f"a{i}" for i in range(DIMENSION)]
        self.write("odd.csv", csv(["2", *names], [[y, *x] for x, y in zip(self.table.x, self.table.y)]))
        self.fit("odd.csv", *K, "--target", "2")
        self.check(self.write("bare.csv", csv(names, self.other.x)))

    def test_a_file_without_a_header_is_read_by_position(self):
        self.fit(self.write("bare.csv", self.table.csv(header=False)), *K, "--header", "no")
        self.assertIsNone(self.model()["names"])
        self.check(self.write("less.csv", csv(["0"] * DIMENSION, self.other.x).split("\n", 1)[1]), "--header", "no")
        self.write("more.csv", self.other.csv(header=False))
        self.check("more.csv", "--header", "no", "--target", str(DIMENSION + 1))

    def test_a_file_without_a_header_may_hold_the_target(self):
        for target, cut in ((DIMENSION + 1, lambda x, y: [*x, y]), (1, lambda x, y: [y, *x])):
            rows = "".join(",".join(map(str, cut(x, y))) + "\n" for x, y in zip(self.table.x, self.table.y))
            self.write("whole.csv", rows)
            self.write("attributes.csv", "".join(",".join(map(str, x)) + "\n" for x in self.table.x))
            self.succeeds("fit", "whole.csv", "--header", "no", "--target", target, *K, "-q", "-o", "bare.json")
            with_target = self.succeeds("predict", "bare.json", "whole.csv", "--header", "no").out
            without = self.succeeds("predict", "bare.json", "attributes.csv", "--header", "no").out
            self.assertEqual(with_target, without)
            self.assertEqual(len(without.splitlines()), len(self.table.x))

    def test_npy_files_of_every_kind_are_read(self):
        self.fit_unnamed()
        integers = [[round(100 * v) for v in x] for x in self.other.x]
        bytes_ = [[v % 256 for v in x] for x in integers]
        for name, content, x in (("c.npy", npy(self.other.x), self.other.x),
                                 ("f.npy", npy(self.other.x, fortran=True), self.other.x),
                                 ("v2.npy", npy(self.other.x, version=2), self.other.x),
                                 ("v3.npy", npy(self.other.x, version=3), self.other.x),
                                 ("f4.npy", npy(self.other.x, "<f4"), self.other.x),
                                 ("big.npy", npy(self.other.x, ">f8", fortran=True), self.other.x),
                                 ("u1.npy", npy(bytes_, "|u1"), bytes_), ("i2.npy", npy(integers, "<i2"), integers),
                                 ("i4.npy", npy(integers, ">i4"), integers),
                                 ("i8.npy", npy(integers, "<i8"), integers)):
            with self.subTest(file=name):
                self.check(self.write(name, content), x=x)

    def test_idx_files_are_read_also_compressed(self):
        self.fit_unnamed()
        pixels = [[random.Random(i * 100 + j).randint(0, 255) for j in range(DIMENSION)] for i in range(25)]
        content = idx([v for x in pixels for v in x], (25, 4, 4))
        self.check(self.write("images-idx3-ubyte", content), x=pixels)
        self.check(self.write("images-idx3-ubyte.gz", gz(content)), x=pixels)
        self.check(self.write("reals.idx", idx([v for x in self.other.x for v in x], (25, DIMENSION), 0x0D)))

    def test_libsvm_files_are_read_absent_attributes_as_zero(self):
        self.fit_unnamed()
        self.check(self.write("other.svm", self.other.libsvm()))
        self.check(self.write("other.svm.gz", gz(self.other.libsvm())))
        self.check(self.write("zero.svm", self.other.libsvm(base=0)), "--index-base", "0")
        self.check(self.write("sparse.svm", "# none but two\n1 2:0.5 # here\n\n-1 1:1 3:-2\n"),
                   x=[[0, 0.5] + 14 * [0], [1, 0, -2] + 13 * [0]])

    def test_a_model_without_names_takes_a_csv_by_position(self):
        self.fit_unnamed()
        self.check(self.write("bare.csv", csv(self.table.names, self.other.x)))

    def test_a_model_of_a_csv_takes_other_formats_by_position(self):
        self.fit("data.csv", *K)
        for name, content in (("x.npy", npy(self.other.x)), ("x.svm", self.other.libsvm()),
                              ("x.idx", idx([v for x in self.other.x for v in x], (25, DIMENSION), 0x0E))):
            with self.subTest(data=name):
                self.check(self.write(name, content))

    def test_a_table_of_another_width_is_refused(self):
        self.fit_unnamed()
        self.write("x.npy", npy([x[1:] for x in self.other.x]))
        self.refuses(DATA, ["x.npy", "15", "16"], "predict", "model.json", "x.npy")

    def test_quotes_crlf_and_a_byte_order_mark_change_nothing(self):
        self.fit("data.csv", *K)
        quoted = "\r\n".join(",".join(f'"{f}"' for f in line.split(",")) for line in self.other.csv().splitlines())
        self.check(self.write("windows.csv", b"\xef\xbb\xbf" + quoted.encode()))

    # ---- writing ---------------------------------------------------------

    def test_output_goes_to_the_file_and_nowhere_else(self):
        self.fit("data.csv", *K)
        expected = self.succeeds("predict", "model.json", "other.csv").out
        self.write("out.txt", "old")
        for _ in range(2):
            result = self.succeeds("predict", "model.json", "other.csv", "-o", "out.txt")
            self.assertEqual((result.out, result.err), ("", ""))
            self.assertEqual(self.read("out.txt").decode(), expected)
        self.assertEqual(self.files(), ["data.csv", "model.json", "other.csv", "out.txt"])

    def test_a_failure_in_the_last_row_leaves_nothing_behind(self):
        self.fit("data.csv", *K)
        self.other.x[-1][5] = "wrong"
        self.write("wrong.csv", self.other.csv())
        for output in ([], ["-o", "out.txt"]):
            self.refuses(DATA, ["wrong.csv", "line 26", "a5", "wrong"], "predict", "model.json", "wrong.csv", *output)
        self.write("out.txt", "old")
        self.refuses(DATA, "line 26", "predict", "model.json", "wrong.csv", "-o", "out.txt")

    def test_an_output_that_can_not_be_written_is_an_io_error(self):
        self.fit("data.csv", *K)
        for output in ("absent/out.txt", "data.csv/out.txt", "."):
            self.refuses(IO, output, "predict", "model.json", "other.csv", "-o", output)

    def test_a_replaced_file_keeps_its_mode(self):
        self.fit("data.csv", *K)
        self.write("out.txt", "old")
        path = os.path.join(self.folder, "out.txt")
        os.chmod(path, 0o640)
        self.succeeds("predict", "model.json", "data.csv", "-o", "out.txt")
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o640)

    def test_a_link_is_followed(self):
        self.fit("data.csv", *K)
        self.write("real.txt", "old")
        os.symlink("real.txt", self.path("link.txt"))
        self.succeeds("predict", "model.json", "other.csv", "-o", "link.txt")
        self.assertTrue(os.path.islink(self.path("link.txt")))
        self.assertEqual(self.read("real.txt").count(b"\n"), 25)

    def test_predictions_that_overflow_are_refused(self):
        _, model = self.fit("data.csv", *K)
        model["weights"][0] = 1e300
        self.write("huge.json", sealed(model))
        self.other.x[3][0] = 1e300
        self.write("far.csv", self.other.csv())
        self.refuses(DATA, ["far.csv", "line 5"], "predict", "huge.json", "far.csv")


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
