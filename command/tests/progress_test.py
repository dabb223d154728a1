"""Where output goes: results on standard output, everything else on standard
error; a table in a file, a line on a terminal, and colours."""
import os
import pty
import re
import subprocess
import threading
import unittest

from support import DIMENSION, IO, K, ROW_K, SCANT, SECONDS, USAGE, CommandTest, Table, environment


def on_terminal(arguments, cwd, **changes):
    """Runs with a terminal as standard error; (code, stdout, what the terminal got)."""
    try:
        ours, theirs = pty.openpty()
    except OSError as reason:
        raise unittest.SkipTest(f"no terminal to be had here: {reason}") from None
    shown = []

    def listen():
        try:
            while part := os.read(ours, 65536):
                shown.append(part)
        except OSError:  # the other side is closed
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        done = subprocess.run([SCANT, *map(str, arguments)], cwd=cwd, env=environment(**changes), timeout=SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
    finally:
        os.close(theirs)
        listener.join()
        os.close(ours)
    return done.returncode, done.stdout.decode(), b"".join(shown).decode()


class Progress(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(100, DIMENSION).csv())

    def table(self, *options):
        """The table on standard error as (head, rows of numbers), and the run."""
        result = self.succeeds("fit", "data.csv", *K, "--json", *options)
        head, *rows = [line.split() for line in result.err.splitlines()]
        return head, [[float(v) for v in row] for row in rows], result

    # ---- a file ----------------------------------------------------------

    def test_without_a_terminal_there_is_a_table_at_doubling_counts(self):
        head, rows, result = self.table()
        self.assertEqual(head[:2], ["examples", "attributes"])
        counts = [row[0] for row in rows]
        self.assertEqual(counts[-1], 100)
        self.assertEqual(counts[-2], 64)
        for before, after in zip(counts[:-2], counts[1:-1]):
            self.assertEqual(after, 2 * before)
        self.assertEqual(rows[-1][1], result.json["attributes_bought"])
        self.assertNotIn("\033", result.err)
        self.assertNotIn("\r", result.err)

    def test_the_table_shows_the_test_error_where_there_is_a_test(self):
        for options in (["--split", "0.2"], ["--test", "data.csv"]):
            head, rows, result = self.table(*options)
            self.assertEqual(len(head), 5)
            self.assertTrue(all(len(row) == 5 for row in rows))
            self.assertAlmostEqual(rows[-1][4], result.json["test"]["squared_error"], places=5)

    def test_the_summary_and_the_last_row_have_the_risk_of_the_finished_model(self):
        for words in (["gaussian", "-k", "4"], ["gaussian", "-k", "4", "--budget", "256"], ["auto", "-k", "4"],
                      ["moments", "-k", "4"], ["gaussian", "-k", "4", "--split", "0.2"]):
            with self.subTest(words=words):
                facts = self.succeeds("fit", "data.csv", "-q", "--json", "--algorithm", *words).json
                shown = self.succeeds("fit", "data.csv", "--algorithm", *words)
                self.assertIn(f"\nrisk: {facts['risk']:.5g} +- {facts['risk_error']:.3g} by its own looks\n", shown.out)
                rows = [line.split() for line in shown.err.splitlines() if line.split()[0].isdigit()]
                self.assertEqual(rows[-1][2:4], [f"{facts['risk']:.6g}", f"{facts['risk_error']:.2g}"])
                self.assertEqual(int(rows[-1][0]), facts["examples"])
                if "test" in facts:
                    self.assertEqual(rows[-1][4], f"{facts['test']['squared_error']:.6g}")

    def test_an_unknown_risk_is_not_in_the_summary(self):
        facts = self.succeeds("fit", "data.csv", "-q", "--json", "--algorithm", "full-ridge").json
        self.assertIsNone(facts["risk"])
        self.assertNotIn("risk:", self.succeeds("fit", "data.csv", "-q", "--algorithm", "full-ridge").out)

    def test_no_count_comes_twice_in_the_table(self):
        for rows in (16, 17, 32, 64):
            for options in (["--examples", rows],
                            ["--algorithm", "coinflip", "-k", DIMENSION, "--budget", rows * DIMENSION]):
                with self.subTest(options=options):
                    counts = [row[0] for row in self.table(*options)[1]]
                    self.assertEqual(counts, sorted(set(counts)))
                    self.assertEqual(counts[-1], rows)

    def test_a_short_fit_has_a_table_of_one_row(self):
        _, rows, _ = self.table("--examples", "3")
        self.assertEqual([row[0] for row in rows], [3])

    def test_quiet_leaves_standard_error_empty(self):
        for flag in ("-q", "--quiet"):
            result = self.succeeds("fit", "data.csv", *K, flag, "--split", "0.2", "-o", "model.json")
            self.assertEqual(result.err, "")
            self.assertNotEqual(result.out, "")

    def test_quiet_does_not_hide_errors(self):
        self.assertIn("missing.csv", self.run_command("fit", "missing.csv", *K, "-q").err)

    def test_progress_does_not_change_the_model(self):
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "quiet.json", "--split", "0.2")
        self.succeeds("fit", "data.csv", *K, "-o", "table.json", "--split", "0.2")
        on_terminal(["fit", "data.csv", *K, "-o", "line.json", "--split", "0.2"], self.folder)
        self.assertEqual(self.read("quiet.json"), self.read("table.json"))
        self.assertEqual(self.read("quiet.json"), self.read("line.json"))

    def test_results_are_all_that_standard_output_gets(self):
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        for words in (["predict", "model.json", "data.csv"], ["eval", "model.json", "data.csv"], ["show", "model.json"],
                      ["algorithms"], ["help"], ["help", "man"], ["version"]):
            result = self.succeeds(*words)
            self.assertEqual(result.err, "", words)
            self.assertNotEqual(result.out, "", words)

    def test_results_that_can_not_be_written_are_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        for words in (["predict", "model.json", "data.csv"], ["eval", "model.json", "data.csv"], ["show", "model.json"],
                      ["fit", "data.csv", *K, "-q", "--json"], ["algorithms"], ["help"], ["help", "fit"], ["version"],
                      ["predict", "model.json", "data.csv", "-o", "/dev/full"]):
            with self.subTest(command=words), open("/dev/full", "wb") as full:
                result = self.run_command(*words, stdout=full)
                self.assertEqual(result.code, IO, str(result))
                self.assertIn("write", result.err)

    # ---- a terminal ------------------------------------------------------

    def test_on_a_terminal_there_is_one_line_that_is_rewritten(self):
        code, out, shown = on_terminal(["fit", "data.csv", *K, "--json", "--split", "0.2"], self.folder)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("{"))
        self.assertNotIn("\r", out)
        lines = shown.replace("\r\n", "\n").split("\n")
        self.assertEqual(len(lines), 2, f"one line: {shown!r}")
        self.assertEqual(lines[1], "")
        last = re.sub(r"\033\[[0-9;]*[A-Za-z]", "", lines[0].split("\r")[-1])
        self.assertRegex(last, r"100%.*\b80 examples")
        self.assertLess(len(last), 80)

    def test_the_line_says_what_gaussian_thinks_about(self):
        words = ["fit", "data.csv", "-k", "4", "--algorithm", "gaussian"]
        code, _, shown = on_terminal([*words, "-o", "line.json"], self.folder)
        self.assertEqual(code, 0)
        line, rest = shown.replace("\r\n", "\n").split("\n")
        self.assertEqual(rest, "")
        parts = [re.sub(r"\033\[[0-9;]*[A-Za-z]", "", part) for part in line.split("\r")]
        self.assertLess(max(len(part) for part in parts if part.startswith("gaussian")), 80)
        self.assertRegex(parts[-1], r"^100% .* 100 examples .* risk ")
        last = [part for part in parts if part.startswith("gaussian: ")]
        for prior in (1, 2, 3):
            self.assertTrue(any(part.startswith(f"gaussian: weighing priors, {prior} of 7, step ") for part in last), last)
        self.assertRegex(last[-1], r"^gaussian: fitting all examples, step \d+ $")
        steps = [int(part.split()[-1]) for part in last]
        self.assertEqual(steps, sorted(steps))
        self.assertTrue(any(part.startswith("gaussian, for its next looks: ") for part in parts))
        result = self.succeeds(*words, "-o", "table.json")
        self.assertNotIn("priors", result.err)
        self.assertEqual(self.read("line.json"), self.read("table.json"))
        self.assertEqual(on_terminal([*words, "-q"], self.folder)[2], "")

    def test_a_spent_budget_ends_the_line_at_100_percent(self):
        for budget in ("50", "300", "777"):
            _, _, shown = on_terminal(["fit", "data.csv", *K, "--budget", budget], self.folder)
            self.assertRegex(shown.replace("\r\n", "\n").strip("\n").split("\r")[-1], r"^ *100%")

    def test_quiet_is_quiet_on_a_terminal(self):
        code, _, shown = on_terminal(["fit", "data.csv", *K, "-q"], self.folder)
        self.assertEqual((code, shown), (0, ""))

    def test_errors_are_coloured_on_a_terminal_unless_no_color_is_set(self):
        wrong = ["fit", "data.csv", "-k", "1"]
        for changes, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)):
            code, _, shown = on_terminal(wrong, self.folder, **changes)
            self.assertEqual(code, USAGE)
            self.assertEqual(re.search(r"\033\[[0-9;]*m", shown) is not None, coloured, (changes, shown))
            self.assertIn("at least 2", shown)

    def test_warnings_and_progress_have_no_colour_where_no_color_is_set(self):
        self.write("wide.csv", Table(100, DIMENSION).scaled(5).csv())
        _, _, shown = on_terminal(["fit", "wide.csv", *K], self.folder, NO_COLOR="1")
        self.assertIn("warning", shown)
        self.assertIsNone(re.search(r"\033\[[0-9;]*m", shown), repr(shown))

    def test_curves_show_a_bar_with_the_time_left(self):
        words = ["curve", "data.csv", *ROW_K, "--algorithms", "auto", "--runs", "2"]
        _, _, text = on_terminal(words, self.folder)
        self.assertRegex(text, r"\[#+ *\]  *\d+%  \d+ s left")
        self.assertRegex(text, r"\[#{40}\] 100%")
        _, _, text = on_terminal([*words, "-q"], self.folder)
        self.assertNotIn("#", text)
