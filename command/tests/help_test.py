"""Help and the manual come from the tables; what people read is compared with
the files in golden/, which UPDATE_GOLDEN=1 rewrites."""
import os
import re
import shutil
import subprocess

from support import DIMENSION, K, CommandTest, Table, algorithms, environment, options

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
COMMANDS = ("fit", "predict", "eval", "show", "study", "curve", "algorithms", "help", "version")


def source(path):
    with open(os.path.join(HERE, "..", "..", path), encoding="utf-8") as file:
        return file.read()


def table_options():
    """Options of the library's table that the command shows."""
    rows = re.findall(r'(?m)^    (?:[A-Z_]+\(|\{\.name = )"([a-z-]+)",(.*)', source("core/settings/options.c"))
    return [name for name, rest in rows if "SCANT_SCOPE_LIBRARY" not in rest]


OWN_ROW = r'(?:OWN_(FLAG|TEXT|LIST|COUNT|REAL)\("|\{\.name = ")([a-z-]+)"'


def own_options():
    """Options of the subcommands' own."""
    return {name for _, name in re.findall(OWN_ROW, source("command/subcommand_options.c"))}


def shown_as(name):
    return {"k": "-k", "shuffle": "--no-shuffle", "intercept": "--no-intercept", "thrift": "--no-thrift"}.get(name, f"--{name}")


class Help(CommandTest):
    def test_the_overview_names_every_command(self):
        out = self.succeeds("help").out
        for name in COMMANDS:
            self.assertRegex(out, rf"(?m)^  scant {name}\b")
        self.assertEqual(out, self.succeeds("--help").out)
        self.assertEqual(out, self.succeeds("-h").out)

    def test_help_of_a_command_is_the_same_however_it_is_asked_for(self):
        for name in COMMANDS:
            out = self.succeeds("help", name).out
            self.assertTrue(out.startswith(f"usage: scant {name}"), out[:80])
            for words in ([name, "--help"], [name, "-h"], [name, "--help", "word"]):
                if name in ("algorithms", "version") and len(words) > 2:
                    continue
                self.assertEqual(self.succeeds(*words).out, out, words)

    def actions(self):
        out = self.succeeds("help", "study").out
        found = re.findall(r"(?m)^  ([a-z]+)  ", out[out.index("\nACTION:\n"):])
        self.assertIn("plan", found)
        return [name for name in found if name != "plan"]  # a command of its own

    def test_the_help_of_study_plan_is_that_of_plan(self):
        out = self.succeeds("help", "plan").out
        for words in (["help", "study", "plan"], ["study", "plan", "--help"]):
            self.assertEqual(self.succeeds(*words).out, out)

    def test_help_of_a_part_that_is_not_there(self):
        self.refuses(2, ["'study dance'", "'scant help study'"], "help", "study", "dance")
        self.refuses(2, ["'x' is one word too many"], "help", "fit", "x")
        self.refuses(2, ["'b' is one word too many"], "help", "a", "b")
        self.refuses(2, ["too many"], "help", "study", "ask", "me")

    def test_every_action_of_study_has_help_of_its_own(self):
        actions = self.actions()
        self.assertGreaterEqual(len(actions), 16)
        self.assertEqual(len(actions), len(set(actions)))
        for action in actions:
            with self.subTest(action=action):
                out = self.succeeds("help", "study", action).out
                self.assertRegex(out, rf"\Ausage: scant study {action} FILE.*\[options\]\n")
                for words in (["study", action, "--help"], ["study", action, "-h"], ["study", "--help", action]):
                    self.assertEqual(self.succeeds(*words).out, out)
                example = re.search(r"(?m)^Example:\n  (scant study .*)$", out)
                self.assertTrue(example, "every action has an example: see run_study.c")
                self.assertIn(f"study {action} clinic.study", example.group(1))
                self.assertRegex(out, r"(?m)^  2 +the command line is wrong$")
                for line in out.splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_help_of_an_action_has_the_options_that_it_takes_and_no_others(self):
        """Each option of study is given to each action: it is refused as not used exactly if help does not list it."""
        rows = source("command/subcommand_options.c").split("study_options[]")[1].split("{0}")[0]
        flags = {name: kind for kind, name in re.findall(OWN_ROW, rows)}
        self.assertGreater(len(flags), 20)
        for action in self.actions():
            out = self.succeeds("help", "study", action).out
            for name, kind in flags.items():
                with self.subTest(action=action, option=name):
                    value = [] if kind == "FLAG" else ["1"]
                    err = self.run_command("study", action, "none/no.study", "a", f"--{name}", *value).err
                    listed = re.search(rf"(?m)^  (-., )?--{name}(?![\w-])", out) is not None
                    self.assertEqual(f"study {action} does not use --{name}" not in err, listed, err)

    def test_help_of_an_action_leaves_out_what_is_about_others(self):
        out = self.succeeds("help", "study", "list").out
        self.assertIn("print csv", out)
        self.assertNotIn("one line per example", out)
        self.assertNotIn("list:", out)
        self.assertIn("one line per example", self.succeeds("help", "study", "tell").out)

    def test_every_option_of_the_table_is_in_the_help_of_fit(self):
        names = table_options()
        self.assertGreater(len(names), 20)
        flags = [flag for o in options("fit") for flag in o.flags]
        for name in names:
            self.assertIn(shown_as(name), flags)

    def test_every_option_has_one_line_of_help_and_one_place(self):
        for command in ("fit", "predict", "eval", "show", "curve", *(f"study {a}" for a in self.actions())):
            found = options(command)
            flags = [flag for o in found for flag in o.flags]
            self.assertEqual(len(flags), len(set(flags)))
            for o in found:
                self.assertGreater(len(o.help), 5, o.flags)

    def test_commands_that_read_data_take_the_data_options(self):
        data = ["--format", "--labels", "--target", "--classes", "--header", "--index-base"]
        for command in ("fit", "predict", "eval", "curve"):
            flags = [o.flag for o in options(command)]
            for flag in data:
                self.assertIn(flag, flags, command)

    def test_lines_of_help_fit_80_columns(self):
        for words in ([], *[[c] for c in COMMANDS]):
            for line in self.succeeds("help", *words).out.splitlines():
                with self.subTest(words=words, line=line):
                    self.assertLessEqual(len(line), 80)

    def test_version_is_that_of_the_project(self):
        version = re.search(r"version: '([0-9.]+)'", source("meson.build")).group(1)
        self.assertEqual(self.succeeds("version").out, f"scant {version}\n")
        self.assertEqual(self.succeeds("--version").out, f"scant {version}\n")

    def test_every_row_is_in_the_table_of_algorithms_with_a_reference(self):
        out = self.succeeds("algorithms").out
        for name in ("aerr", "aelr", "aesvr", "aer", "coinflip"):
            self.assertIn(name, [row.name for row in algorithms()])
        self.assertEqual(out.count("  reference  "), len(algorithms()) + 3)  # and the three full-* rows
        self.assertIn("Algorithm 1", out)


class Manual(CommandTest):
    def setUp(self):
        super().setUp()
        self.page = self.succeeds("help", "man").out

    def plain(self):
        return self.page.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")

    def test_every_option_is_in_the_manual(self):
        text = self.plain()
        for name in (*table_options(), *own_options()):
            self.assertRegex(text, rf"(?m)^\.B .*(?<![a-z-]){re.escape(shown_as(name))}\b")

    def test_every_command_algorithm_and_exit_code_is_in_the_manual(self):
        text = self.plain()
        for name in COMMANDS:
            self.assertIn(f"scant {name}", text)
        for row in algorithms():
            self.assertRegex(text, rf"(?m)^\.B {row.name}$")
        status = text[text.index(".SH EXIT STATUS"):]
        for code in ("0", "1", "2", "65", "66", "74", "75"):
            self.assertRegex(status, rf"\b{code}\b")
        self.assertIn("NO_COLOR", status)

    def test_no_line_of_text_begins_as_a_request(self):
        known = {".TH", ".SH", ".SS", ".B", ".I", ".TP", ".PP", ".BR", ".RE", ".RS", ".IR", ".BI", ".nf", ".fi"}
        for line in self.page.splitlines():
            if line[:1] in (".", "'"):
                self.assertIn(line.split()[0], known, line)
            self.assertNotEqual(line, "", "an empty line is no paragraph in a manual page")

    def format_with(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is not installed")
        done = subprocess.run(command, input=self.page.encode(), cwd=self.folder, env=environment(MANWIDTH="80"),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        return re.sub(".\b", "", done.stdout.decode("utf-8", "replace"))  # bold is struck twice

    def test_groff_formats_the_manual_without_a_warning(self):
        out = self.format_with("groff", "-man", "-ww", "-Tascii", "-P-c")
        self.assertIn("NAME", out)
        self.assertIn("x-bound", out)

    def test_man_formats_the_manual_without_a_warning(self):
        self.write("scant.1", self.page)
        if "man page viewer not found" in (out := self.format_with("man", "--warnings", "-l", "scant.1")):
            self.skipTest(out)
        self.assertIn("SCANT(1)", out)

    def test_mandoc_finds_nothing_wrong_with_the_manual(self):
        self.format_with("mandoc", "-Tlint", "-Wwarning")


class Golden(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(50, DIMENSION).csv())

    def compare(self, name, text):
        path = os.path.join(GOLDEN, name)
        if os.environ.get("UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read(), f"if this is meant, rewrite golden/{name} with UPDATE_GOLDEN=1")

    def test_help_of_fit(self):
        self.compare("help-fit.txt", self.succeeds("help", "fit").out)

    def test_the_table_of_algorithms(self):
        self.compare("algorithms.txt", self.succeeds("algorithms").out)

    def test_a_fit_with_its_model(self):
        result = self.succeeds("fit", "data.csv", *K, "--center", "--split", "0.2", "--seed", "3", "-o", "model.json")
        self.compare("fit.stdout", result.out)
        self.compare("fit.stderr", result.err)
        self.compare("model.json", self.read("model.json").decode())

    def test_show_of_a_model(self):
        self.compare("show.txt", self.succeeds("show", os.path.join(GOLDEN, "model.json")).out)
        self.compare("show-top.txt", self.succeeds("show", "--top", "3", os.path.join(GOLDEN, "model.json")).out)

    def test_eval_of_a_model(self):
        self.compare("eval.txt", self.succeeds("eval", os.path.join(GOLDEN, "model.json"), "data.csv").out)


