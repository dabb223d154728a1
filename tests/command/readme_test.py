"""The README's tour and the pages on costs and studies, run as they are printed: commands after
'$', then what they print."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCANT = pathlib.Path(os.environ["SCANT"]).resolve()
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def tour(page):
    """(command, expected output) pairs of the indented blocks that begin with '$ '."""
    steps = []
    for line in (ROOT / page).read_text().splitlines():
        if line.startswith("    $ "):
            steps.append((line[6:], []))
        elif steps and line.startswith("    "):
            steps[-1][1].append(line[4:])
        elif steps and not line.strip():
            steps[-1][1].append("")
        elif steps:
            steps.append((None, []))  # prose ends a block
    return [(command, "\n".join(lines).rstrip()) for command, lines in steps if command]


class Tour(unittest.TestCase):
    def test_every_command_prints_what_the_readme_says(self):
        digits = SCANT.parent / "demo" / "digits"
        steps = tour("README.md")
        self.assertGreaterEqual(len(steps), 4)
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder, "build")
            build.mkdir()
            (build / "scant").symlink_to(SCANT)
            for name, count, seed in (("digits.csv", 12000, 2), ("digits-test.csv", 2000, 3)):
                with open(build / name, "wb") as out:
                    subprocess.run([digits, str(count), str(seed)], stdout=out, check=True)
            for command, expected in steps:
                with self.subTest(command=command):
                    run = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
                    self.assertEqual(run.stdout.rstrip(), expected)

    def check_page(self, page, least):
        """Every command of a page prints what the page says, but for the time."""
        steps = tour(page)
        self.assertGreaterEqual(len(steps), least)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bin").mkdir()
            pathlib.Path(folder, "bin", "scant").symlink_to(SCANT)
            env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            for command, expected in steps:
                if command.startswith("cat "):  # the page shows its files
                    pathlib.Path(folder, command[4:]).write_text(expected + "\n")
                with self.subTest(command=command):
                    run = subprocess.run(command + " 2>&1", shell=True, cwd=folder, env=env, capture_output=True, text=True)
                    printed = "\n".join(line.rstrip() for line in run.stdout.rstrip().splitlines())
                    self.assertEqual(TIME.sub("TIME", printed), TIME.sub("TIME", expected))

    def test_every_command_prints_what_the_page_on_costs_says(self):
        self.check_page("docs/costs.md", 8)

    def test_every_command_prints_what_the_page_on_studies_says(self):
        if "without SQLite" in subprocess.run([SCANT, "study", "status", "x"], capture_output=True, text=True).stderr:
            self.skipTest("this scant has no studies")
        self.check_page("docs/studies.md", 20)


if __name__ == "__main__":
    unittest.main()
