"""The README's tour and the page on costs, run as they are printed: commands after
'$', then what they print."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCANT = pathlib.Path(os.environ["SCANT"]).resolve()


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

    def test_every_command_prints_what_the_page_on_costs_says(self):
        steps = tour("docs/costs.md")
        self.assertGreaterEqual(len(steps), 8)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bin").mkdir()
            pathlib.Path(folder, "bin", "scant").symlink_to(SCANT)
            env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            for command, expected in steps:
                if command.startswith("cat "):  # the page shows its files
                    pathlib.Path(folder, command[4:]).write_text(expected + "\n")
                with self.subTest(command=command):
                    run = subprocess.run(command + " 2>&1", shell=True, cwd=folder, env=env, capture_output=True, text=True)
                    self.assertEqual(run.stdout.rstrip(), expected)


if __name__ == "__main__":
    unittest.main()
