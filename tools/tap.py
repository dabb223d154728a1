#!/usr/bin/env python3
"""Runs the unittest file named on the command line and speaks TAP.

    SCANT=build/scant python3 tools/tap.py command/tests/fit_test.py [PATTERN]

With PATTERN only the tests whose names contain it are run.  The exit status is
1 if a test failed or none ran.
"""
import faulthandler
import importlib.util
import os
import signal
import sys
import traceback
import unittest

sys.dont_write_bytecode = True  # leave no files in the source tree
UNITTEST = os.path.dirname(unittest.__file__)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "command", "tests"))  # support.py


def comment(text):
    for line in text.rstrip("\n").split("\n"):
        print("# " + line)


class TapResult(unittest.TestResult):
    """Prints a line for every test, after the diagnostics of its failures."""

    def __init__(self):
        super().__init__()
        self.count = self.ran = self.failed = 0
        self.bad = False
        self.skip = None

    def startTest(self, test):
        super().startTest(test)
        self.bad = False
        self.skip = None

    def note(self, test, error):
        """Prints the exception and where it came from, without the frames of unittest."""
        self.bad = True
        shown = traceback.TracebackException(*error)
        shown.stack = traceback.StackSummary.from_list(
            [frame for frame in shown.stack if os.path.dirname(frame.filename) != UNITTEST])
        comment(str(test))
        comment("".join(shown.format()))

    def addError(self, test, err):
        self.note(test, err)
        self.end_fixture(test)

    def addFailure(self, test, err):
        self.note(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(subtest, err)

    def addSkip(self, test, reason):
        self.skip = reason
        self.end_fixture(test)

    def end_fixture(self, test):
        """After an error or a skip in setUpClass and the like no test follows."""
        if not hasattr(test, "_testMethodName"):
            self.line(str(test))
            self.bad, self.skip = False, None

    def addExpectedFailure(self, test, err):
        pass

    def addUnexpectedSuccess(self, test):
        self.bad = True
        comment(f"{test}: passes, but is marked as an expected failure")

    def line(self, name):
        self.count += 1
        self.failed += self.bad
        self.ran += self.skip is None
        ending = f" # SKIP {self.skip}" if self.skip is not None and not self.bad else ""
        print(f"{'not ok' if self.bad else 'ok'} {self.count} - {name}{ending}", flush=True)

    def stopTest(self, test):
        super().stopTest(test)
        words = test._testMethodName.removeprefix("test_").replace("_", " ")
        self.line(words)


def load(path):
    path = os.path.abspath(path)
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def chosen(suite, pattern):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from chosen(item, pattern)
        elif pattern in item.id():
            yield item


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        print("Bail out! usage: tap.py FILE [PATTERN]")
        return 2
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # a script in the background or nohup ignores them
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    faulthandler.register(signal.SIGTERM, chain=True)  # Meson ends a test that hangs by it
    try:
        tests = load(arguments[0])
    except BaseException:
        comment(traceback.format_exc())
        print(f"not ok 1 - {os.path.basename(arguments[0])} can be loaded\n1..1")
        return 1
    result = TapResult()
    unittest.TestSuite(chosen(tests, arguments[1] if len(arguments) > 1 else "")).run(result)
    if not result.ran:
        comment("no test ran")
    print(f"1..{result.count}")
    return 1 if result.failed or not result.ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
