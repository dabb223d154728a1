"""Adds up the single tests of the last runs: count_tests.py BUILD|LOG ..."""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree


def count_python(report, counts):
    """Adds what pytest wrote, of the folder where it ran."""
    if not report.exists():
        return
    for suite in xml.etree.ElementTree.parse(report).iter("testsuite"):
        failed = int(suite.get("failures")) + int(suite.get("errors"))
        skipped = int(suite.get("skipped"))
        counts["failed"] += failed
        counts["skipped"] += skipped
        counts["passed"] += int(suite.get("tests")) - failed - skipped


def main(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for folder in folders:
        log = pathlib.Path(folder)
        if log.is_dir():
            log = log / "meson-logs" / "testlog.json"
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            results = re.findall(r"^(ok|not ok)\b([^\n]*)", entry.get("stdout", ""), re.MULTILINE)
            for verdict, rest in results:
                skipped = re.search(r"#\s*skip", rest, re.IGNORECASE)
                counts["skipped" if skipped else "passed" if verdict == "ok" else "failed"] += 1
            if skipped_whole := re.search(r"^1\.\.0\s*#\s*skip", entry.get("stdout", ""), re.I | re.M):
                counts["skipped"] += bool(skipped_whole)
            elif entry["result"] != "OK" and not any(verdict == "not ok" for verdict, _ in results):
                counts["failed"] += 1  # it crashed or timed out before it could say so
        count_python(pathlib.Path(folder, "python-tests.xml"), counts)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0 or counts["passed"] == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
