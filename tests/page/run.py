#!/usr/bin/env python3
"""Tests of the page in a real browser, against `scant serve`.

run.py SCANT AXE [NAME ...]     # with the names of tests, or parts of them: only these
Pictures of every screen go to the folder that SCANT_PAGE_PICTURES names, if it does.
"""

import importlib
import inspect
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

from browser import Person
from clinic import Clinic

HERE = pathlib.Path(__file__).parent


class World:
    """What a test is given: clinics, and people who use them."""

    def __init__(self, browser, scant, folder, axe):
        self.browser, self.scant, self.folder, self.axe = browser, scant, folder, axe
        self.clinics, self.people = [], []

    def clinic(self, start=True, **options):
        one = Clinic(self.scant, f"{self.folder}/{len(self.clinics)}", **options)
        self.clinics.append(one)
        return one.start() if start else one

    def person(self, clinic, name, **options):
        one = Person(self.browser, clinic, name, pictures=os.environ.get("SCANT_PAGE_PICTURES"), **options)
        self.people.append(one)
        return one

    def end(self):
        try:
            for person in self.people:
                person.close()
        finally:
            for clinic in self.clinics:
                clinic.stop()


def find_tests(wanted):
    for path in sorted(HERE.glob("*_test.py")):
        module = importlib.import_module(path.stem)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            full = f"{path.stem.removesuffix('_test')}: {name.removeprefix('test_').replace('_', ' ')}"
            if name.startswith("test_") and (not wanted or any(part in full for part in wanted)):
                yield full, function


def run_one(function, browser, scant, axe):
    folder = tempfile.mkdtemp(prefix="scant-page-")
    world = World(browser, scant, folder, axe)
    try:
        try:
            function(world)
        finally:
            world.end()
        return None
    except Exception:  # a test that fails must not end the others
        return traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(scant, axe, *wanted):
    passed = failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, function in find_tests(wanted):
            begun = time.monotonic()
            wrong = run_one(function, browser, os.path.abspath(scant), pathlib.Path(axe).read_text())
            print(f"{'not ok' if wrong else 'ok'} - {name} ({time.monotonic() - begun:.1f} s)", flush=True)
            if wrong:
                print("\n".join("# " + line for line in wrong.splitlines()), flush=True)
            failed += bool(wrong)
            passed += not wrong
        browser.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(*sys.argv[1:]))
