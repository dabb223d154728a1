"""scant-lab: its help, what it refuses, and where scant says that it is."""
import os
import re

from support import USAGE, LabTest

NAMES = ("lasso", "ridge", "lasso-ablation", "ridge-ablation", "few", "scaling", "lower-bound", "svr", "bench")
HERE = os.path.dirname(os.path.abspath(__file__))


class Lab(LabTest):
    def test_the_overview_names_every_command(self):
        out = self.succeeds("help").out
        for name in (*NAMES, "help", "version"):
            self.assertRegex(out, rf"(?m)^  scant-lab {name}\b")
        self.assertEqual(out, self.succeeds("--help").out)
        self.assertEqual(out, self.succeeds("-h").out)
        result = self.run_command()
        self.assertEqual((result.code, result.out, result.err), (USAGE, "", out))

    def test_help_of_a_name(self):
        for name in NAMES:
            out = self.succeeds("help", name).out
            self.assertTrue(out.startswith(f"usage: scant-lab {name} [options]\n"), out[:80])
            self.assertEqual(out, self.succeeds(name, "--help").out)
            self.assertEqual(" --data DIR" in out, name in NAMES[:5])
            self.assertIn(" --out DIR", out)
            for option in ("--out", "--seed", "--quiet"):
                self.assertEqual(out.count(f"{option} ") + out.count(f"{option}\n"), 1, (name, option))

    def test_lines_fit_80_columns(self):
        for words in ([], *[[name] for name in NAMES]):
            for line in self.succeeds("help", *words).out.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_version(self):
        with open(os.path.join(HERE, "..", "..", "meson.build"), encoding="utf-8") as file:
            version = re.search(r"version: '([0-9.]+)'", file.read()).group(1)
        self.assertEqual(self.succeeds("version").out, f"scant-lab {version}\n")
        self.assertEqual(self.succeeds("--version").out, f"scant-lab {version}\n")

    def test_what_is_wrong_is_said_in_its_name(self):
        for words, said in ((["tango"], "scant-lab: there is no command 'tango'; 'scant-lab help' lists them"),
                            (["help", "tango"], "scant-lab help: there is no command 'tango'"),
                            (["help", "man"], "scant-lab help: there is no command 'man'"),
                            (["scaling", "--data", "."],
                             "scant-lab scaling: there is no option --data; see 'scant-lab help scaling'"),
                            (["scaling", "word"], "scant-lab scaling: 'word' is one word too many"),
                            (["svr", "--runs"], "scant-lab svr: --runs needs a value (N)")):
            self.assertEqual(self.refuses(USAGE, [], *words), said)
