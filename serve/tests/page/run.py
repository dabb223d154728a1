#!/usr/bin/env python3
"""Tests of the page in a real browser, against `scant serve`.

run.py SCANT AXE [NAME ...]     # with the names of tests, or parts of them: only these
Pictures of every screen go to the folder that SCANT_PAGE_PICTURES names, if it does.
"""

import concurrent.futures
import importlib
import inspect
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback
import unittest

from playwright.sync_api import sync_playwright

from browser import Person
from clinic import Clinic

HERE = pathlib.Path(__file__).parent
WORKERS = 2


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


browser = None  # of this worker


def open_browser():
    """Once per worker. Playwright and the browser end with it."""
    global browser
    sys.path.insert(0, str(HERE))
    browser = sync_playwright().start().chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])


def run_one(name, scant, axe):
    """How long it took, what went wrong, and why it was skipped."""
    begun = time.monotonic()
    wrong = skipped = None
    try:
        wrong = try_one(dict(find_tests([name]))[name], scant, pathlib.Path(axe).read_text())
    except unittest.SkipTest as why:
        skipped = str(why)
    return name, time.monotonic() - begun, wrong, skipped


def try_one(function, scant, axe):
    folder = tempfile.mkdtemp(prefix="scant-page-")
    world = World(browser, scant, folder, axe)
    try:
        try:
            function(world)
        finally:
            world.end()
        return None
    except unittest.SkipTest:
        raise
    except Exception:  # a test that fails must not end the others
        return traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(scant, axe, *wanted):
    failed, passed_over = [], []
    # They mostly wait for the browser: two at a time take little longer than one.
    with concurrent.futures.ProcessPoolExecutor(WORKERS, initializer=open_browser) as workers:
        running = [workers.submit(run_one, name, os.path.abspath(scant), axe) for name, _ in find_tests(wanted)]
        for done in concurrent.futures.as_completed(running):
            name, seconds, wrong, skipped = done.result()
            print(f"{'not ok' if wrong else 'ok'} - {name} ({seconds:.1f} s)" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
            if skipped:
                passed_over.append(name)
            if wrong:
                failed.append(name)
                print("\n".join("# " + line for line in wrong.splitlines()), flush=True)
    print(f"{len(running) - len(failed) - len(passed_over)} passed, {len(failed)} failed, {len(passed_over)} skipped")
    return bool(failed) or not running


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(*sys.argv[1:]))
