"""scant predict: the same numbers as Python's, whatever the file looks like."""
import math
import os
import random

from support import DATA, DIMENSION, IO, K, Table, TwoTablesTest, algorithms, csv, gz, idx, npy, predict, sealed


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
