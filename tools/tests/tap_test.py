"""A test of the tests: what tap.py says of tests that pass, fail, are skipped,
or are not there."""
import os
import subprocess
import sys
import tempfile
import unittest

TAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tap.py")
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
