"""A test of the tests: what tap.py says of tests that pass, fail, are skipped,
or are not there, and what count_tests.py makes of it."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

TAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tap.py")
COUNT = os.path.join(os.path.dirname(TAP), "count_tests.py")
HEAD = "import unittest\nclass T(unittest.TestCase):\n"


class Tap(unittest.TestCase):
    def run_tap(self, text, *pattern):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "some_test.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([sys.executable, TAP, path, *pattern], stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_a_test_that_passes(self):
        self.assertEqual(self.run_tap(HEAD + " def test_one_thing(self): pass\n"), (0, ["ok 1 - one thing", "1..1"]))

    def test_a_test_that_fails(self):
        for body in ("self.fail('why')", "raise ValueError('why')", "\n  with self.subTest(x=1): self.fail('why')"):
            code, lines = self.run_tap(HEAD + f" def test_a(self): {body}\n def test_b(self): pass\n")
            self.assertEqual(code, 1)
            self.assertEqual([line for line in lines if line[0] != "#"], ["not ok 1 - a", "ok 2 - b", "1..2"])
            self.assertTrue(any("why" in line for line in lines))
            self.assertTrue(any(re.match(r'# +File ".*some_test.py", line [34], in test_a', line) for line in lines), lines)
            self.assertFalse(any("unittest" in line for line in lines), lines)

    def test_a_test_that_is_skipped(self):
        text = HEAD + " def test_a(self): self.skipTest('no man')\n def test_b(self): pass\n"
        self.assertEqual(self.run_tap(text), (0, ["ok 1 - a # SKIP no man", "ok 2 - b", "1..2"]))

    def test_no_test_at_all_is_a_failure(self):
        for text, pattern in (("", []), (HEAD + " pass\n", []), (HEAD + " def test_a(self): pass\n", ["nothing"]),
                              (HEAD + " def test_a(self): self.skipTest('x')\n", [])):
            self.assertEqual(self.run_tap(text, *pattern)[0], 1, text)

    def test_a_file_that_can_not_be_loaded_is_a_failure(self):
        for text in ("import nothing_of_this_name\n", "def\n", "raise SystemExit(0)\n"):
            code, lines = self.run_tap(text)
            self.assertEqual((code, lines[-1]), (1, "1..1"))
            self.assertTrue(lines[-2].startswith("not ok 1"))

    def test_a_class_that_can_not_be_set_up_is_a_failure(self):
        set_up = " @classmethod\n def setUpClass(cls): raise ValueError('why')\n"
        code, lines = self.run_tap(HEAD + set_up + " def test_a(self): pass\n")
        self.assertEqual(code, 1)
        self.assertTrue(any(line.startswith("not ok 1") for line in lines), lines)

    def test_a_class_that_is_skipped_says_why(self):
        set_up = " @classmethod\n def setUpClass(cls): raise unittest.SkipTest('why')\n"
        rest = " def test_a(self): pass\nclass U(unittest.TestCase):\n def test_b(self): pass\n"
        code, lines = self.run_tap(HEAD + set_up + rest)
        self.assertEqual((code, lines[0][:6], lines[0][-10:], lines[1:]), (0, "ok 1 -", "# SKIP why", ["ok 2 - b", "1..2"]))

    def test_a_test_that_is_ended_says_where_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "some_test.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import os, signal\n" + HEAD + " def test_a(self): os.kill(os.getpid(), signal.SIGTERM)\n")
            done = subprocess.run([sys.executable, TAP, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, -signal.SIGTERM)
        self.assertRegex(done.stderr, r'some_test.py", line 4 in test_a')


class Count(unittest.TestCase):
    def count(self, *programs, xml=None, other=()):
        """What is printed of these entries of Meson's log, and of this report of pytest's."""
        with tempfile.TemporaryDirectory() as folder:
            reports = [os.path.join(folder, "log.json")]
            with open(reports[0], "w", encoding="utf-8") as file:
                for entry in programs:
                    file.write(json.dumps({"name": "some", "returncode": 0, "duration": 1.5, "stdout": "", **entry}) + "\n")
            if xml:
                reports.append(os.path.join(folder, "tests.xml"))
                with open(reports[1], "w", encoding="utf-8") as file:
                    file.write(f"<testsuites><testsuite>{xml}</testsuite></testsuites>")
            done = subprocess.run([sys.executable, COUNT, *reports, *other], stdout=subprocess.PIPE, text=True)
        lines = done.stdout.strip().splitlines()
        return done.returncode, lines[-1], lines[:-1]

    def test_reasons_stand_before_the_count(self):
        entry = {"result": "FAIL", "returncode": 1, "stdout": "ok 1 - a\n# x.c:3: why\nnot ok 2 - b\n# after\nok 3 - c # SKIP no man\n1..3\n"}
        code, last, lines = self.count(entry)
        self.assertEqual((code, last), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertEqual(lines, ["failed: some", "  # x.c:3: why", "  not ok 2 - b", "  # after", "", "1 skipped: no man"])

    def test_a_program_that_ended_too_soon_is_a_failure(self):
        code, last, lines = self.count({"result": "ERROR", "returncode": -11, "stdout": "ok 1 - a\n", "stderr": "bad\n"})
        self.assertEqual((code, last), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("exit status -11", lines[1])
        self.assertEqual(lines[2:4], ["  ok 1 - a", "  bad"])
        self.assertIn("timeout", self.count({"result": "TIMEOUT", "returncode": -15})[2][1])

    def test_programs_with_an_exit_status_alone_and_skipped_ones(self):
        skipped = {"result": "SKIP", "stdout": "1..0 # SKIP no valgrind\n"}
        code, last, lines = self.count({"result": "OK"}, skipped, skipped)
        self.assertEqual((code, last, lines), (0, "1 passed, 0 failed, 2 skipped", ["2 skipped: no valgrind"]))

    def test_what_pytest_reports(self):
        code, last, lines = self.count({"result": "OK"}, xml='<testcase classname="m" name="a"/><testcase classname="m" name="b">'
                                       '<failure message="no">x.py:3: why</failure></testcase>')
        self.assertEqual((code, last, lines[:2]), (1, "2 passed, 1 failed, 0 skipped", ["failed: m.b", "  x.py:3: why"]))

    def test_a_report_that_is_missing_or_empty_is_a_failure(self):
        for count in (self.count({"result": "OK"}, other=["/nowhere/tests.xml"]), self.count(), self.count({"result": "OK"}, xml=" ")):
            self.assertEqual(count[0], 1, count)
            self.assertIn("1 failed", count[1])
