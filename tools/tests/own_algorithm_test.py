"""docs/your-own-algorithm.md: the algorithm that the page adds to the table is built from the page and run."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from support import DIMENSION, SCANT, CommandTest, Table, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(SCANT).parent
PAGE = (ROOT / "docs" / "your-own-algorithm.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (file|after) (\S+?)(?:: (.*?))? -->\n```c\n(.*?)```\n", re.S)


def commands(target):
    """What Ninja would run to build it."""
    done = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", target], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@unittest.skipUnless((BUILD / "build.ninja").exists(), "the command is not in a folder of Ninja's")
class OwnAlgorithm(CommandTest):
    def patched(self):
        """The files that the page makes or changes, in a folder of their own; those of a folder look there first."""
        made = {}
        for what, name, place, text in BLOCK.findall(PAGE):
            if what == "after":
                before = made.get(name) or (ROOT / name).read_text(encoding="utf-8")
                self.assertEqual(before.count(place + "\n"), 1, f"{name} has no line {place!r}")
                text = before.replace(place + "\n", place + "\n" + text)
            made[name] = text
        for name, text in made.items():
            path = pathlib.Path(self.folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return made

    def run_line(self, words):
        done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True, env=environment(CCACHE_DISABLE="1"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def compile(self, name, line):
        """As algorithms.c is compiled, with the changed headers first."""
        words = shlex.split(line)
        words = words[:next(i for i, word in enumerate(words) if word == "-MD")]
        words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{self.folder}/core")
        made = f"{self.folder}/{pathlib.Path(name).stem}.o"
        self.run_line([*words, "-o", made, "-c", f"{self.folder}/{name}"])
        return made

    def build(self):
        made = self.patched()
        self.assertEqual(sorted(made), ["core/learn/algorithms.c", "core/look/looks.h", "core/look/thirds.c"])
        self.assertIn("'look/thirds.c'", PAGE)
        lines = commands("scant")
        of_table = next(line for line in lines if line.endswith("../core/learn/algorithms.c"))
        objects = [self.compile(name, of_table) for name in made if name.endswith(".c")]
        words = shlex.split(lines[-1])
        output = words.index("-o")
        # The linker takes the table from here, and so not from the archive.
        self.run_line([*words[:output], "-o", f"{self.folder}/scant", *objects, *words[output + 2:]])
        return f"{self.folder}/scant"

    def test_the_page_is_true(self):
        scant = self.build()

        def run(*words):
            done = subprocess.run([scant, *map(str, words)], cwd=self.folder, capture_output=True, text=True, env=environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        self.write("data.csv", Table(200, DIMENSION).csv())
        self.assertIn("AERR with a third of K on the residual", run("algorithms"))
        run("fit", "data.csv", "-q", "--algorithm", "thirds", "-k", 6, "-o", "thirds.json", "--looks", "looks.csv",
            "--checkpoint", "c.json")
        self.succeeds("fit", "data.csv", "-q", "--algorithm", "aerr", "-k", 6, "--residual-looks", 2, "-o", "aerr.json")
        thirds, aerr = (json.loads(self.read(name)) for name in ("thirds.json", "aerr.json"))
        self.assertEqual(thirds["weights"], aerr["weights"])
        self.assertTrue(any(thirds["weights"]))
        last = self.read("looks.csv").decode().splitlines()[-1].split(",")
        self.assertEqual((last[7], last[10]), ("4", "2"))  # draws of each sort
        run("fit", "data.csv", "-q", "--resume", "c.json")
        run("fit", "data.csv", "-q", "--algorithm", "thirds", "-k", 6, "--radius", 2)  # one of its options
        self.refuses(2, ["thirds"], "fit", "data.csv", "-k", 6, "--algorithm", "thirds")  # the tree is as it was
