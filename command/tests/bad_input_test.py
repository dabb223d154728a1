"""Bad input: the exit code, a sentence that names the file and the place,
nothing on standard output, no file left behind."""
import os
import struct

from support import (DATA, DIMENSION, IO, K, NO_INPUT, USAGE, CommandTest, Table, gz, idx, npy, npy_header, options)

GOOD = Table(20, 3)
NPY_HEAD = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }"


def csv_with(line, field, value):
    """The good table with one field changed; line 1 is the header."""
    lines = [row.split(",") for row in GOOD.csv().splitlines()]
    lines[line - 1][field] = value
    return "\n".join(",".join(row) for row in lines) + "\n"


class BadInput(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("good.csv", GOOD.csv())
        self.write("x.npy", npy(GOOD.x))
        self.write("y.npy", npy(GOOD.y))

    def refuses_data(self, name, content, *words, options=(), code=DATA):
        """fit refuses the file, with every output asked for; so do eval and
        predict where they read it."""
        self.write(name, content)
        with self.subTest(file=name, content=content[:80]):
            return self.refuses(code, [name, *words], "fit", name, "-k", "3", "--algorithm", "coinflip", "--json", "-o",
                                "model.json", "--checkpoint", "checkpoint.json", "--every", "1000", "--no-shuffle",
                                "--missing", "error", *options)

    # ---- csv -------------------------------------------------------------

    def test_a_file_that_is_empty_is_refused(self):
        for content in ("", "\n", "\n\n", "\ufeff", "  \n"):
            self.refuses_data("empty.csv", content, "empty")
        self.refuses_data("empty.svm", "")
        self.refuses_data("comments.svm", "# nothing\n\n# here\n")
        self.refuses_data("empty.npy", b"", options=["--labels", "y.npy"])
        self.refuses_data("empty.idx", b"", options=["--labels", "y.npy"])
        self.refuses_data("empty.csv.gz", gz(""), "empty")

    def test_a_header_without_rows_is_refused(self):
        for content in ("a,b,c,y", "a,b,c,y\n", "a,b,c,y\r\n", "\ufeffa,b,c,y\n\n"):
            self.refuses_data("header.csv", content, "no rows")

    def test_a_ragged_row_is_named_by_its_line(self):
        for row in ("1,2,3", "1,2,3,4,5", "1", ",,,,,", ""):
            lines = GOOD.csv().splitlines()
            lines[6] = row
            self.refuses_data("ragged.csv", "\n".join(lines) + "\n", "line 7")

    def test_lines_are_counted_across_quoted_line_ends(self):
        text = 'id,a,y\n"one\ntwo\nthree",1,2\n"4",x,3\n5,6,3\n'
        self.refuses_data("quoted.csv", text, "line 2", "id", options=["-k", "2"])
        self.refuses_data("quoted.csv", 'id,a,y\n"1\n",1,2\n"2",3\n', "line 4", options=["-k", "2"])

    def test_text_in_an_attribute_is_named_by_line_and_column(self):
        for value in ("abc", "1.5x", "", " ", "1e", "0x10", "1;5", "--1", "1 2", "-", "."):
            self.refuses_data("text.csv", csv_with(9, 1, value), "line 9", "a1")

    def test_what_is_not_finite_is_named_by_line_and_column(self):
        for value in ("nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e400"):
            self.refuses_data("finite.csv", csv_with(9, 1, value), "line 9", "a1")
            self.refuses_data("target.csv", csv_with(9, 3, value), "line 9", "y")

    def test_text_in_the_target_is_named_by_line_and_column(self):
        for value in ("abc", "", "1.5x"):
            self.refuses_data("target.csv", csv_with(21, 3, value), "line 21", "y")

    def test_quotes_that_do_not_match_are_named_by_their_line(self):
        for value in ('"1', '1"', '"1"2', 'a"b"c'):
            self.refuses_data("quotes.csv", csv_with(9, 1, value), "line 9")

    def test_names_that_come_twice_are_refused(self):
        self.refuses_data("twice.csv", "a,b,a,y\n1,2,3,4\n", "'a'", "1", "3")

    def test_names_that_are_not_utf_8_are_refused(self):
        self.refuses_data("latin.csv", "a,größe,c,y\n1,2,3,4\n".encode("latin-1"), "column 2")

    def test_bytes_that_no_csv_holds_are_refused(self):
        self.refuses_data("binary.csv", GOOD.csv().encode("utf-16"), "line 1")
        self.refuses_data("binary.csv", csv_with(9, 1, "1\0"), "line 9")

    def test_a_file_of_numbers_alone_asks_whether_it_has_a_header(self):
        self.refuses_data("bare.csv", GOOD.csv(header=False), "--header")

    def test_an_absent_target_is_named(self):
        for target in ("z", "Y", "5", "0"):
            self.refuses(DATA, ["good.csv", f"'{target}'"], "fit", "good.csv", "-k", "2", "--target", target)

    def test_a_file_of_one_column_is_refused(self):
        self.refuses_data("one.csv", "y\n1\n2\n", "column", options=["-k", "2"])

    def test_an_absent_class_is_named(self):
        self.write("signs.csv", Table(20, 3).with_labels("no", "yes").csv())
        self.refuses(DATA, ["signs.csv", "maybe"], "fit", "signs.csv", "-k", "2", "--classes", "no,maybe")
        self.refuses(DATA, ["signs.csv", "maybe"], "fit", "signs.csv", "-k", "2", "--classes", "maybe,no")

    def test_more_looks_than_attributes_are_refused(self):
        for name in ("aerr", "aelr", "coinflip", "aer"):
            sentence = self.refuses(DATA, "3", "fit", "good.csv", "-k", "4", "--algorithm", name)
            self.assertIn("4", sentence)

    def test_a_split_that_leaves_nothing_is_refused(self):
        self.refuses(DATA, "split", "fit", "good.csv", "-k", "2", "--split", "0.001")
        self.refuses(DATA, "examples", "fit", "good.csv", "-k", "2", "--split", "0.99")

    # ---- libsvm ----------------------------------------------------------

    def test_bad_libsvm_lines_are_named(self):
        for line, *words in (("1 3:1 2:1", "2", "3"), ("1 2:1 2:1", "2"), ("1 0:1", "--index-base"), ("1 2", "'2'"),
                             ("1 a:1", "a:1"), ("1 -1:1", "-1:1"), ("1 2:", "2"), ("2:1", "label"), ("x 1:1", "label"),
                             ("nan 1:1", "label"), ("inf 1:1", "label"), ("1 qid:3 1:1", "qid"),
                             ("1 99999999999:1", "99999999999"), ("1 18446744073709551617:1", "18446744073709551617")):
            text = f"1 1:1 2:2 3:3\n# comment\n{line}\n"
            self.refuses_data("bad.svm", text, "line 3", *words, options=["-k", "3"])

    def test_bad_libsvm_values_are_named_by_line_and_index(self):
        for value in ("x", "nan", "inf", "1e999", "1:2"):
            self.refuses_data("bad.svm", f"1 1:1 2:2 3:3\n1 2:{value}\n", "line 2", "2", options=["-k", "3"])

    # ---- npy -------------------------------------------------------------

    def refuses_npy(self, content, *words):
        self.refuses_data("bad.npy", content, *words, options=["--labels", "y.npy"])

    def test_a_truncated_npy_file_is_refused_at_every_length(self):
        content = npy(GOOD.x)
        for length in (*range(1, 100, 7), len(content) - 480, len(content) - 8, len(content) - 1):
            self.refuses_npy(content[:length])
        self.refuses_npy(content + b"\0", "longer")

    def test_npy_headers_that_lie_are_refused(self):
        data = bytes(480)
        for shape in ("(20, 4)", "(2000000000000, 3)", "(4611686018427387904, 4)", "(18446744073709551615, 2)",
                      "(99999999999999999999999, 3)", "(-1, 3)", "(20, 3.0)", "(0, 3)", "(20, 0)", "(60,)",
                      "(20, 3, 1)", "()", "20", "(20, 3", "(20 3)", "(4294967296, 4294967296)"):
            self.refuses_npy(npy_header(NPY_HEAD % ("<f8", shape)) + data)

    def test_npy_types_that_are_no_numbers_are_refused(self):
        for descr in ("|O", "<c16", "<U4", "|S8", "|V8", "<f2", "<M8[ns]", "", "f", "<f16", "O"):
            self.refuses_npy(npy_header(NPY_HEAD % (descr, "(20, 3)")) + bytes(480), f"'{descr}'")
        record = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (20, 3), }"
        self.refuses_npy(npy_header(record) + bytes(480))

    def test_npy_headers_that_are_malformed_are_refused(self):
        for text in ("", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
                     "{'descr': '<f8', 'fortran_order': 2, 'shape': (20, 3)}", "{'descr': '<f8', 'x': 1}", "{" * 200,
                     NPY_HEAD % ("<f8", "(20, 3)") + "more", "{'descr': '<f8', 'descr': '<f8', 'shape': (20, 3)}"):
            self.refuses_npy(npy_header(text) + bytes(480), "header")
        for version in (0, 4, 255):
            self.refuses_npy(npy(GOOD.x)[:6] + bytes([version, 0]) + npy(GOOD.x)[8:], "version")
        self.refuses_npy(b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + bytes(480))
        self.refuses_npy(b"\x93NUMPX" + npy(GOOD.x)[6:])

    def test_values_that_are_not_finite_are_named_by_their_place(self):
        for value in (float("nan"), float("inf"), float("-inf")):
            rows = [list(x) for x in GOOD.x]
            rows[7][2] = value
            self.refuses_npy(npy(rows), "7", "2")
            labels = list(GOOD.y)
            labels[7] = value
            self.write("bad-labels.npy", npy(labels))
            self.refuses(DATA, ["bad-labels.npy", "7"], "fit", "x.npy", "-k", "2", "--labels", "bad-labels.npy")

    def test_labels_must_be_as_many_as_the_examples(self):
        self.write("few.npy", npy(GOOD.y[:-1]))
        self.refuses(DATA, ["few.npy", "19", "20"], "fit", "x.npy", "-k", "2", "--labels", "few.npy")
        self.refuses(DATA, "x.npy", "fit", "x.npy", "-k", "2", "--labels", "x.npy")
        self.refuses(NO_INPUT, "absent.npy", "fit", "x.npy", "-k", "2", "--labels", "absent.npy")
        self.refuses(USAGE, "--labels", "fit", "x.npy", "-k", "2")

    # ---- idx and gzip ----------------------------------------------------

    def test_idx_headers_that_lie_are_refused(self):
        good = idx([1] * 60, (20, 3))
        self.write("y.idx", idx([1, 2] * 10, (20,)))
        bad = [good[:n] for n in (1, 3, 4, 8, 11, 12, 40, 71)]
        bad += [good + b"\0", b"\1" + good[1:], good[:2] + b"\x07" + good[3:]]
        bad += [idx([1] * 60, shape) for shape in ((20, 4), (0xFFFFFFFF, 0xFFFFFFFF), (0, 3), (20, 0), (60,), (21, 3))]
        bad += [bytes([0, 0, 8, 255]) + b"\xff" * 1020 + bytes(60)]
        bad += [bytes([0, 0, 14, 3]) + b"\x80\0\0\0" * 3 + bytes(60)]
        for content in bad:
            self.refuses_data("bad.idx", content, options=["--labels", "y.idx"])
        self.refuses_data("bad.idx", idx([float("nan")] * 60, (20, 3), 0x0D), "0", options=["--labels", "y.idx"])

    def test_truncated_or_damaged_gzip_is_refused(self):
        whole = gz(GOOD.csv())
        for length in (2, 5, 10, 30, len(whole) // 2, len(whole) - 8, len(whole) - 1):
            self.refuses_data("cut.csv.gz", whole[:length], "gzip")
        damaged = bytearray(whole)
        damaged[-6] ^= 1  # the checksum
        self.refuses_data("damaged.csv.gz", bytes(damaged), "gzip")
        self.refuses_data("cut.svm.gz", gz(GOOD.libsvm())[:-5], "gzip")
        self.refuses_data("cut.idx.gz", gz(idx([1] * 60, (20, 3)))[:-5], "gzip", options=["--labels", "y.npy"])
        self.refuses_data("x.npy.gz", gz(npy(GOOD.x)), "gzip", options=["--labels", "y.npy"])

    # ---- files -----------------------------------------------------------

    def test_a_file_that_is_not_there_is_66(self):
        self.fit("good.csv", "-k", "2")
        for words in (["fit", "absent.csv", "-k", "2"], ["predict", "model.json", "absent.csv"], ["show", "absent.csv"],
                      ["predict", "absent.csv", "good.csv"], ["eval", "model.json", "absent.csv"],
                      ["eval", "absent.csv", "good.csv"], ["fit", "good.csv", "-k", "2", "--test", "absent.csv"],
                      ["fit", "good.csv", "--resume", "absent.csv"], ["fit", "good.csv/absent.csv", "-k", "2"]):
            self.refuses(NO_INPUT, "absent.csv", *words)

    def test_a_folder_is_no_input(self):
        sentence = self.refuses(IO, "'.'", "fit", ".", "--format", "csv", "-k", "2")
        self.assertIn("directory", sentence)
        self.refuses(IO, "'.'", "show", ".")

    def test_an_output_that_can_not_be_written_is_74(self):
        for output in ("absent/model.json", "good.csv/model.json", "."):
            for flag in ("-o", "--checkpoint"):
                self.refuses(IO, output, "fit", "good.csv", "-k", "2", flag, output)

    def test_a_full_disk_leaves_nothing_behind(self):
        fit = ("fit", "good.csv", "-k", "2", "-q")
        self.fit("good.csv", "-k", "2")
        self.write("old.txt", "old")
        before = self.files()
        predict = ("predict", "model.json", "good.csv")
        for words in ([*fit, "-o"], [*fit, "--every", "3", "--checkpoint"], [*predict, "-o"]):
            for name in ("new.txt", "old.txt"):
                with self.subTest(command=words, name=name):
                    self.check_refusal(self.run_command(*words, name, room=100), IO, name)
                    self.assertEqual(self.files(), before)
                    self.assertEqual(self.read("old.txt"), b"old")

    def test_a_bad_test_file_is_named_and_nothing_is_written(self):
        self.write("bad.csv", csv_with(9, 1, "x"))
        fit = ("fit", "good.csv", "-k", "2", "-q", "-o", "m.json", "--test")
        self.refuses(DATA, ["bad.csv", "line 9", "a1"], *fit, "bad.csv")
        self.write("less.csv", "a0,a1,y\n1,2,3\n")
        self.refuses(DATA, ["less.csv", "a2"], *fit, "less.csv")

    def test_a_format_that_the_name_does_not_tell_is_asked_for(self):
        self.write("data.bin", GOOD.csv())
        self.refuses(USAGE, ["data.bin", "--format"], "fit", "data.bin", "-k", "2")
        self.refuses(USAGE, ["wide.parquet", "scant.distributed.parquet", "docs/clusters.md"], "fit", "wide.parquet", "-k", "2")


class BadUsage(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("good.csv", Table(30, DIMENSION).csv())

    def test_wrong_values_of_options_are_refused_by_name(self):
        wrong = {
            "-k": ["0", "1", "-2", "2.5", "x", "", "1e3", "nan", "99999999999999999999"],
            "--radius": ["0", "-1", "nan", "inf", "-inf", "x", "", "1e300", "auto"],
            "--eta": ["0", "-1", "nan", "inf", "x"], "--x-bound": ["0", "-1", "nan", "x"],
            "--residual-looks": ["0", "12", "100", "x"], "--replacement": ["maybe", "1", ""],
            "--average": ["none", "ALL"],
            "--passes": ["0", "-1", "x", "7"], "--examples": ["-1", "x", "1.5"], "--seed": ["-1", "x", "1.5"],
            "--missing": ["", "mean", "SKIP-CELL", "skip"],
            "--budget": ["-1", "x", "nan"], "--split": ["-0.1", "1", "1.5", "nan", "x"], "--format": ["xls", ""],
            "--header": ["maybe"], "--index-base": ["2", "-1", "x"], "--algorithm": ["none", "", "AERR"],
            "--classes": ["1", "1,1", "1,2,3", ",", "1,", "1.0,1", ""],
        }
        for option, values in wrong.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refuses(USAGE, option.lstrip("-"), "fit", "good.csv", *K, "-o", "m.json", option, value)

    def test_wrong_values_of_the_other_rows_are_refused_by_name(self):
        for name, option, values in (("aer", "penalty", ["0", "-1", "nan"]), ("aer", "k", ["3", "13"]),
                                     ("aesvr", "tube", ["-1", "nan"]), ("aesvr", "smoothing", ["0", "-1", "nan"]),
                                     ("aesvr", "loss", ["logistic"]), ("coinflip", "norm", ["3", "0", "inf"]),
                                     ("aesvr", "k", ["2"])):
            for value in values:
                flag = "-k" if option == "k" else f"--{option}"
                with self.subTest(algorithm=name, option=option, value=value):
                    words = [option] if option != "k" else [name]
                    self.refuses(USAGE, words, "fit", "good.csv", *K, "--algorithm", name, flag, value)

    def test_the_command_line_is_checked_before_any_file_is_opened(self):
        for words in (["-k", "1"], ["-k", "4", "--radius", "-1"], ["-k", "3", "--algorithm", "aer"],
                      ["-k", "4", "--tube", "1"], [], ["-k", "2", "--passes", "2"], ["-k", "4", "--classes", "1"],
                      ["-k", "2", "--algorithm", "aesvr"], ["-k", "5", "--passes", "2", "--algorithm", "aer"]):
            self.refuses(USAGE, [], "fit", "absent.csv", *words)

    def test_an_output_that_is_an_input_is_refused_and_nothing_is_lost(self):
        self.succeeds("fit", "good.csv", *K, "-q", "-o", "m.json")
        os.symlink("good.csv", self.path("link.csv"))
        for words in (["fit", "good.csv", *K, "-o", "good.csv"], ["fit", "good.csv", *K, "-o", "./good.csv"],
                      ["fit", "good.csv", *K, "-o", "link.csv"], ["fit", "good.csv", *K, "--checkpoint", "good.csv"],
                      ["fit", "x.npy", "--labels", "y.npy", *K, "-o", "y.npy"],
                      ["fit", "good.csv", *K, "--test", "link.csv", "-o", "link.csv"],
                      ["fit", "good.csv", *K, "--checkpoint", "c.json", "-o", "c.json"],
                      ["predict", "m.json", "good.csv", "-o", "good.csv"],
                      ["predict", "m.json", "good.csv", "-o", "m.json"]):
            with self.subTest(words=words):
                self.refuses(USAGE, "overwritten", *words)

    def test_a_file_without_write_permission_is_not_replaced(self):
        self.write("kept.json", "precious")
        os.chmod(self.path("kept.json"), 0o444)
        self.refuses(IO, ["kept.json", "read-only"], "fit", "good.csv", *K, "-q", "-o", "kept.json")

    def test_unknown_words_are_refused_and_named(self):
        for words, named in ((["learn"], "learn"), (["fit", "good.csv", "--nothing"], "--nothing"),
                             (["fit", "good.csv", "-z"], "-z"), (["fit", "good.csv", "other.csv", *K], "other.csv"),
                             (["fit", *K], "DATA"), (["predict", "m"], "MODEL DATA"), (["eval"], "MODEL DATA"),
                             (["show"], "MODEL"), (["show", "m", "-k", "3"], "-k"),
                             (["predict", "m", "d", "--top", "3"], "--top"), (["next"], "MODEL"),
                             (["fit", "good.csv", "-k"], "-k"), (["fit", "good.csv", "--radius"], "--radius"),
                             (["fit", "good.csv", *K, "--json=yes"], "--json"), (["fit", "good.csv", "-qk"], "-qk"),
                             (["fit", "good.csv", "--no-radius", "1"], "--no-radius"), (["help", "nothing"], "nothing"),
                             (["algorithms", "x"], "x"), (["version", "x"], "x"), (["show", "m", "--top", "-1"], "top"),
                             (["fit", "good.csv", *K, "--checkpoint", "c", "--every", "0"], "every"),
                             (["fit", "good.csv", "--max-open", "2", *K], "--max-open"),
                             (["fit", "good.csv", *K, "--test", "good.csv", "--split", "0.5"], "--split")):
            with self.subTest(words=words):
                self.refuses(USAGE, named, *words)

    def test_no_command_at_all_is_a_usage_error_with_help(self):
        result = self.run_command()
        self.assertEqual((result.code, result.out), (USAGE, ""))
        self.assertIn("scant fit", result.err)

    def test_values_may_stand_behind_an_equals_sign_or_a_letter(self):
        self.fit("good.csv", "-k", "12", "--seed", "3")
        expected = self.read("model.json")
        self.succeeds("fit", "-k12", "--seed=3", "-q", "-oother.json", "--", "good.csv")
        self.assertEqual(self.read("other.json"), expected)

    def test_every_option_with_a_value_says_when_it_is_missing(self):
        for option in options("fit"):
            if option.takes_value:
                for flag in option.flags:
                    self.refuses(USAGE, flag, "fit", "good.csv", flag)
