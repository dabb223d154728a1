"""Adds up the single tests of the last runs, after the reasons of those that failed or were skipped.

    count_tests.py REPORT ...

A report is what `meson test` writes (LOG.json) or pytest (LOG.xml).
The exit status is 1 if a test failed, if a report is missing, or if it has no test that ran.
"""

import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

LAST = 30  # lines of a program that ended too soon


class Counts:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = collections.Counter()  # by their reasons

    def fail(self, name, reason):
        self.failed += 1
        print(f"\nfailed: {name}")
        for line in reason:
            print("  " + line)


def tap_failures(lines):
    """For every `not ok` its line, after the comments before it and before those after it."""
    for place, line in enumerate(lines):
        if re.match(r"not ok\b", line):
            first, last = place, place + 1
            while first > 0 and lines[first - 1].startswith("#"):
                first -= 1
            while last < len(lines) and lines[last].startswith("#"):
                last += 1
            yield lines[first:last]


def count_program(entry, counts):
    """One program's run, as Meson wrote it down."""
    name, lines = entry["name"], entry.get("stdout", "").splitlines()
    failures = list(tap_failures(lines))
    for lines_of_it in failures:
        counts.fail(name, lines_of_it)
    passed = skipped = 0
    for line in lines:
        if found := re.match(r"(?:ok\b|1\.\.0).*?#\s*skip\S*\s*(.*)", line, re.I):
            counts.skipped[found[1]] += 1
            skipped += 1
        elif re.match(r"ok\b", line):
            passed += 1
    if entry["result"] == "SKIP" and not skipped:
        counts.skipped[name] += 1
    elif entry["result"] == "OK" and not passed and not skipped:
        passed = 1  # it has an exit status alone
    elif entry["result"] not in ("OK", "SKIP") and not failures or entry["result"] in ("TIMEOUT", "INTERRUPT"):
        output = lines + entry.get("stderr", "").splitlines()
        said = entry["result"].lower() if entry["result"] in ("TIMEOUT", "INTERRUPT") else f"exit status {entry['returncode']}"
        counts.fail(name, [f"{said} after {entry['duration']:.0f} s; the last lines:", *output[-LAST:]])
    counts.passed += passed


def count_meson(log, counts):
    for line in log.read_text().splitlines():
        count_program(json.loads(line), counts)


def count_pytest(report, counts):
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        bad = case.find("failure") if case.find("failure") is not None else case.find("error")
        skip = case.find("skipped")
        if bad is not None:
            counts.fail(name, (bad.text or bad.get("message", "")).splitlines()[-LAST:])
        elif skip is not None:
            counts.skipped[skip.get("message", "")] += 1
        else:
            counts.passed += 1


def main(reports):
    counts = Counts()
    for report in map(pathlib.Path, reports):
        before = counts.passed + counts.failed
        if not report.exists():
            counts.fail(report, ["there is no such report: its tests did not run"])
            continue
        (count_pytest if report.suffix == ".xml" else count_meson)(report, counts)
        if counts.passed + counts.failed == before:
            counts.fail(report, ["no test ran"])
    print()
    for reason, number in sorted(counts.skipped.items()):
        print(f"{number} skipped: {reason}")
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped.total()} skipped")
    return counts.failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
