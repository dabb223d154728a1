"""scant study: values from files, unusual ones, reasons of missing ones, and values that are entered twice."""
import csv
import io
import os
import subprocess

from studies import FILE, NAMES, StudyTest, patient
from support import DATA, NO_INPUT, OTHER, USAGE

CATALOGUE = """name,unit,cost,low,high,usual_low,usual_high,known
age,years,,0,120,18,100,yes
glucose,mmol/l,3.50,0,60,3,30,
scan,,80,,,,2,
"""


class Entries(StudyTest):
    def setUp(self):
        super().setUp()
        self.write("attributes.csv", CATALOGUE)

    def make(self, *words):
        """Everything is in every order."""
        self.create("-k", "2", "--spend", "90", "--target", "score", *words)
        order = self.ask("P1")
        self.assertEqual([line["name"] for line in order["lines"]], ["age", "glucose", "scan"])

    def line(self, name, example="P1"):
        return next(line for line in self.ask(example)["lines"] if line["name"] == name)

    # ---- unusual values

    def test_unusual_values_are_confirmed(self):
        self.make()
        self.refuses_study(DATA, ["'age' is 17", "from 18 to 100", "--confirm", "17!"], "tell", FILE, "P1", "age=17")
        self.refuses_study(DATA, ["'scan' is 2.5", "up to 2:"], "tell", FILE, "P1", "age=20", "scan=2.5")
        self.refuses_study(DATA, "below its range", "tell", FILE, "P1", "age=-1", "--confirm")
        self.refuses_study(DATA, "below its range", "tell", FILE, "P1", "age=-1!")
        self.study("tell", FILE, "P1", "age=17", "--confirm")
        self.assertEqual((self.line("age")["value"], self.line("age")["note"]), (17, "confirmed"))
        self.assertIn("17!\n", self.study("ask", FILE, "P1").out)
        self.study("tell", FILE, "P1", "glucose=2.5!", "scan=1!")
        self.assertEqual((self.line("glucose")["note"], self.line("scan")["note"]), ("confirmed", None))
        self.assertEqual([r["values"] for r in self.ledger()[2:]], ["age=17!", "glucose=2.5!; scan=1"])
        self.refuses_study(DATA, "--confirm", "correct", FILE, "P1", "age=16", "--reason", "misread")
        self.study("correct", FILE, "P1", "age=16", "--reason", "misread", "--confirm")
        self.assertIn("nothing new", self.study("tell", FILE, "P1", "age=16").out)
        self.verified()

    def test_marks_that_are_none(self):
        self.make()
        for word, words in (("age=!", "'!'"), ("age=20!!", "20!"), ("age=!20", "!20"), ("age=missing!", "missing!")):
            with self.subTest(word=word):
                self.refuses_study(USAGE, words, "tell", FILE, "P1", word)
        self.refuses_study(USAGE, "decimals have a point", "tell", FILE, "P1", "age=20,5")
        self.study("tell", FILE, "P1", "score=1!")  # the target has no usual range: there is nothing to confirm
        self.assertEqual(self.ledger()[-1]["values"], "score=1")

    def test_a_file_confirms_cell_by_cell(self):
        self.make()
        self.ask("P2")
        self.write("answers.csv", "example,age,glucose\nP1,17!,5\nP2,20,2\n")
        self.refuses_study(USAGE, ["--confirm", "97!"], "tell", FILE, "--csv", "answers.csv", "--confirm")
        result = self.run_command("study", "tell", FILE, "--csv", "answers.csv")
        self.check_refusal(result, DATA, "line 3", "'glucose' is 2", "from 3 to 30", "2!", "1 row before it")
        self.write("answers.csv", "example,age,glucose\nP1,17!,5\nP2,20,2!\n")
        self.assertIn("1 row taken down", self.study("tell", FILE, "--csv", "answers.csv").out)
        self.assertEqual([self.line("glucose", p)["note"] for p in ("P1", "P2")], [None, "confirmed"])
        self.write("past.csv", "age,glucose,score\n50,2,1\n")
        self.refuses_study(DATA, ["past.csv:2", "'glucose' is 2", "2!"], "import", FILE, "--csv", "past.csv")
        self.write("past.csv", "age,glucose,score\n50,2!,1\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.assertEqual(self.ledger()[-1]["values"], "age=50; glucose=2!; score=1")
        self.refuses_study(USAGE, "does not use --confirm", "import", FILE, "--csv", "past.csv", "--confirm")
        self.verified()

    def test_usual_ranges_lie_inside(self):
        for cells, words in (("0,10,-1,5", "reaches below 0"), ("0,10,1,11", "reaches above 10"), ("0,10,6,5", "holds nothing")):
            with self.subTest(cells=cells):
                self.write("bad.csv", f"name,low,high,usual_low,usual_high\na,{cells}\nb,,,,\n")
                self.refuses(DATA, ["'a'", words], "study", "create", "x", "--attributes", "bad.csv", "-k", "2")

    def test_predictions_need_no_confirmation(self):
        self.make()
        rows = "\n".join(f"{30 + n},{5 + n % 3},{n % 2},{n}" for n in range(8))
        self.write("past.csv", f"age,glucose,scan,score\n{rows}\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.study("predict", FILE, "glucose=2")

    # ---- reasons

    def test_missing_values_have_reasons(self):
        self.make()
        self.refuses_study(DATA, ["'scan'", "'shy'", "not done, refused, broken, lost"], "tell", FILE, "P1", "scan=missing:shy")
        self.refuses_study(DATA, "''", "tell", FILE, "P1", "scan=missing:")
        self.refuses_study(USAGE, "missings", "tell", FILE, "P1", "scan=missings")
        self.study("tell", FILE, "P1", "scan=missing:not done", "glucose=missing")
        self.assertEqual((self.line("scan")["note"], self.line("glucose")["note"]), ("not done", None))
        self.assertIn("missing:not done\n", self.study("ask", FILE, "P1").out)
        self.assertEqual(self.ledger()[-1]["values"], "scan=missing:not done; glucose=missing")
        self.refuses_study(DATA, "missing:not done already", "tell", FILE, "P1", "scan=missing:lost")
        self.study("correct", FILE, "P1", "scan=missing:lost", "--reason", "asked again")
        self.assertEqual(self.line("scan")["note"], "lost")
        self.verified()

    def test_reasons_of_the_studys_own(self):
        self.make("--missing-reasons", "machine down,  no vein")
        self.write("answers.csv", "example,glucose,scan\nP1,missing:no vein,missing: machine down\n")
        self.study("tell", FILE, "--csv", "answers.csv")
        self.assertEqual((self.line("glucose")["note"], self.line("scan")["note"]), ("no vein", "machine down"))
        self.write("answers.csv", "example,age\nP1,missing:refused\n")
        self.refuses_study(DATA, ["line 2", "'refused'", "machine down, no vein"], "tell", FILE, "--csv", "answers.csv")
        for bad, words in (("", "is empty"), ("a,a", "twice"), ("confirmed", "unusual"), ("a,,b", "is empty")):
            with self.subTest(bad=bad):
                self.refuses(DATA, words, "study", "create", "x", "--attributes", "attributes.csv", "-k", "2",
                             "--missing-reasons", bad)
        self.refuses_study(USAGE, "does not use --missing-reasons", "tell", FILE, "P1", "age=20", "--missing-reasons", "a")
        self.verified()

    # ---- second entries

    def second(self, *words, differ=0, by="bob"):
        """What is printed, and the sentence if something differs."""
        result = self.run_command("study", "tell", FILE, "--second", "--by", by, *words)
        self.assertEqual(result.code, OTHER if differ else 0, str(result))
        if differ:
            self.assertIn(f"{differ} second entr{'y differs' if differ == 1 else 'ies differ'}", result.err)
        else:
            self.assertEqual(result.err, "")
        return result.out

    def test_a_second_entry_lists_what_differs(self):
        self.make()
        self.refuses_study(DATA, "'age' of example 'P1' was not told yet", "tell", FILE, "P1", "--second", "age=40")
        self.refuses_study(DATA, "nothing was ever asked for", "tell", FILE, "P9", "--second", "age=40")
        self.study("tell", FILE, "P1", "age=40", "glucose=5.4", "scan=missing:refused", "score=7", "--by", "ann")
        self.refuses_study(DATA, "--confirm", "tell", FILE, "P1", "--second", "glucose=54")
        self.refuses_study(DATA, "--confirm", "tell", FILE, "P1", "--second", "glucose=31")
        self.assertEqual(self.second("P1", "age=40", "glucose=4.5", "scan=missing:lost", "score=7", differ=2),
                         "example P1: learned, 83.50 of 83.50 spent; its second entries differ: glucose, scan\n"
                         "  glucose is 5.4, and 4.5 the second time\n"
                         "  scan is missing:refused, and missing:lost the second time\n")
        self.assertIn("nothing new: ", self.second("P1", "glucose=4.5", differ=2))
        self.assertEqual(self.line("glucose")["second"], "differs")
        self.assertEqual((self.line("glucose")["second_value"], self.line("scan")["second_note"]), (4.5, "lost"))
        self.assertEqual((self.ask("P1")["second"], self.ask("P1")["second_needed"]), ("agrees", False))
        self.assertIn("5.4, and 4.5 the second time\n", self.study("ask", FILE, "P1").out)
        self.study("correct", FILE, "P1", "glucose=4.5", "--reason", "the first was a slip")
        out = self.second("P1", "scan=missing:refused", by="ann")
        self.assertIn("1 of these values was told by the same person the first time", out)
        self.assertIn("4.5, entered twice\n", self.study("ask", FILE, "P1").out)
        self.assertEqual([r["kind"] for r in self.ledger()[3:]], ["second", "correct", "second"])
        self.verified()

    def test_a_study_that_demands_second_entries(self):
        self.make("--second-entry")
        told = self.study("tell", FILE, "P1", "age=40", "glucose=5.4", "scan=1", "score=7", "--by", "ann").out
        self.assertEqual(told, "example P1: told, 83.50 of 83.50 spent; to come: "
                         "age (second entry), glucose (second entry), scan (second entry), score (second entry)\n")
        self.assertEqual((self.status()["learned"], self.status()["open"]), (0, 1))
        self.second("P1", "age=40", "score=7")
        listed = self.study("list", FILE, "--json").json["orders"][0]
        self.assertEqual((listed["to_come"], listed["second_to_come"]), ([], ["glucose", "scan"]))
        self.assertIn("glucose (second entry), scan (second entry)", self.study("list", FILE, "--due", "scan").out)
        self.assertNotIn("P1", self.study("list", FILE, "--due", "age").out)
        self.assertIn("; to come: glucose (differs)\n", self.second("P1", "glucose=4.5", "scan=1", differ=1))
        self.study("export", FILE, "--csv", "-o", "table.csv")
        row = next(csv.DictReader(io.StringIO(self.read("table.csv").decode())))
        self.assertEqual((row["second_agree"], row["second_differ"]), ("3", "1"))
        self.assertIn("glucose=4.5, scan=1\n", self.study("show", FILE, "P1").out)
        self.assertEqual(self.status()["learned"], 0)
        self.assertEqual(self.study("correct", FILE, "P1", "glucose=4.5", "--reason", "misread").out,
                         "example P1: corrected, and learned\n")
        self.ask("P2")
        self.study("tell", FILE, "P2", "age=50", "glucose=5", "scan=1", "score=8", "--by", "ann")
        self.assertIn("example P2: learned", self.second("P2", "age=50", "glucose=5", "scan=1", "score=8"))
        self.assertEqual(self.study("correct", FILE, "P1", "glucose=4.4", "--reason", "again").out,
                         "example P1: corrected, and all was learned anew\n")
        self.assertEqual([(r["kind"], r["learned"]) for r in self.ledger() if r["learned"] == "yes"],
                         [("correct", "yes"), ("second", "yes"), ("correct", "yes")])
        self.verified()

    def test_second_entries_from_a_file(self):
        self.make("--second-entry")
        for n in (2, 3):
            self.ask(f"P{n}")
        lines = ["example,age,glucose,scan,score", *(f"P{n},{40 + n},{4 + n},1,{n}" for n in (1, 2, 3))]
        self.write("first.csv", "\n".join(lines))
        self.study("tell", FILE, "--csv", "first.csv", "--by", "ann")
        self.write("second.csv", "\n".join([*lines[:2], lines[2].replace(",6,", ",9,"), *lines[3:]]))
        self.assertEqual(self.second("--csv", "second.csv", differ=1),
                         "3 rows taken down, 2 examples learned\nexample P2: glucose is 6, and 9 the second time\n")
        self.assertIn("3 rows, nothing new\n", self.second("--csv", "second.csv", differ=1))
        self.assertIn("1 row taken down, 1 example learned; 2 had nothing new\n", self.second("--csv", "first.csv", by="ann"))
        self.write("bad.csv", "example,glucose\nP1,5\nP9,5\n")
        self.refuses_study(DATA, ["line 3", "'P9'", "nothing was taken down"], "tell", FILE, "--second", "--csv", "bad.csv")
        self.assertEqual(self.status()["learned"], 3)
        self.verified()

    def test_the_sentence_comes_last(self):
        """Also where what is printed and the sentence about it go into one file."""
        self.make()
        self.study("tell", FILE, "P1", "glucose=5.4")
        words = [os.environ["SCANT"], "study", "tell", self.path(FILE), "--second", "P1", "glucose=4.5"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, OTHER)
        self.assertRegex(done.stdout, r"(?s)example P1: .*glucose is 5.4, and 4.5.*\nscant study: 1 second entry differs")


class Differences(StudyTest):
    def test_they_can_be_found_after_learning(self):
        self.create("-k", "2")
        self.go_on(range(3))
        self.assertEqual(self.status()["differ"], 0)
        self.assertNotIn("entries ", self.study("status", FILE).out)
        name = self.ask("P1")["lines"][-1]["name"]
        target = self.ask("P1")["target"]
        self.run_command("study", "tell", FILE, "P1", f"{name}=1.125", f"{target}=99", "--second")
        self.assertEqual(self.status()["differ"], 2)
        self.assertIn("entries      2 values differ from the second entry", self.study("status", FILE).out)
        listed = self.study("list", FILE, "--differs", "--json").json["orders"]
        self.assertEqual([(order["example"], order["state"]) for order in listed], [("P1", "learned")])
        self.assertEqual(self.study("list", FILE, "--differs", "--open", "--json").json["orders"], [])
        self.assertEqual(len(self.study("list", FILE, "--all", "--json").json["orders"]), 3)
        self.study("tell", FILE, "P1", *self.answers(1, self.ask("P1")), "--second")
        self.assertEqual(self.status()["differ"], 0)
        self.assertEqual(self.study("list", FILE, "--differs", "--json").json["orders"], [])


GUARDED = {"+a": "'+a", "@b": "'@b", "'+c": "''+c", "'plain": "'plain"}


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return "n" not in cell.lower()


class Files(StudyTest):
    def csv_of(self, orders):
        lines = ["example," + ",".join(NAMES) + ",y"]
        for number, order in orders.items():
            values = dict(w.split("=") for w in self.answers(number, order))
            lines.append(",".join([f"P{number}", *(values.get(n, "") for n in (*NAMES, "y"))]))
        return lines

    def test_names_and_reasons_that_are_formulas(self):
        """No cell that is exported begins a formula, and what is exported is read back as it was."""
        evil = "=HYPERLINK(1)"
        self.write("formulas.csv", "name,unit,group\n+a,@u,-g\n@b,=1+1,'-g\n''+c,,\n'plain,,\n")
        self.create("-k", "2", file="f", catalogue="formulas.csv")
        examples = [evil, "-3.5", "+1-800", "@x", "'=y", "'z", "-5e-3", "P-1"]
        for example in examples:
            order = self.study("ask", "f", "--json", "--", example).json
            self.assertEqual(order["example"], example)
            self.study("cancel", "f", "--failed", "-because, of \"it\"", "--", example)
        rows = self.ledger("f")
        for row in rows:
            for cell in row.values():
                self.assertFalse(cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and not is_number(cell), row)
        written = [row["example"] for row in rows if row["kind"] == "ask"]
        self.assertEqual(written, ["'" + evil, "-3.5", "'+1-800", "'@x", "''=y", "'z", "-5e-3", "P-1"])
        self.assertEqual({row["reason"] for row in rows if row["kind"] == "fail"}, {"'-because, of \"it\""})
        # back again: what was exported names the examples, and the attributes at the top
        self.create("-k", "2", file="g", catalogue="formulas.csv")
        for example in examples:
            self.study("ask", "g", "--", example)
        names = [a["name"] for a in self.status("g")["attributes"]]
        self.assertEqual(names, ["+a", "@b", "'+c", "'plain"])
        out = io.StringIO()
        table = csv.writer(out)
        table.writerow(["example", "y"])
        table.writerows([cell, 1] for cell in written)
        self.write("answers.csv", out.getvalue())
        self.assertIn("8 rows taken down", self.study("tell", "g", "--csv", "answers.csv").out)
        order = self.ask(evil, "g")
        self.write("more.csv", "example," + ",".join(GUARDED[line["name"]] for line in order["lines"]) + "\n'" + evil +
                   ",1" * len(order["lines"]) + "\n")
        self.assertIn("1 example learned", self.study("tell", "g", "--csv", "more.csv").out)

    def test_answers_from_a_file_are_those_of_the_command_line(self):
        for file in ("a", "b"):
            self.create("-k", "2", file=file)
        lines = self.csv_of({n: self.ask(f"P{n}", "a") for n in range(6)})
        for n in range(6):
            self.ask(f"P{n}", "b")
        for n in range(6):
            self.go_on([n], "b")
        self.write("answers.csv", "\r\n".join(lines))
        self.assertEqual(self.study("tell", "a", "--csv", "answers.csv").out, "6 rows taken down, 6 examples learned\n")
        for file in ("a", "b"):
            self.study("export", file, "-o", f"{file}.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        before = self.read("a")
        self.assertEqual(self.study("tell", "a", "--csv", "answers.csv").out, "6 rows, nothing new\n")
        self.assertEqual(self.read("a"), before)
        self.verified("a")

    def test_a_bad_line_is_named_and_those_before_it_stay(self):
        self.create("-k", "2")
        lines = self.csv_of({n: self.ask(f"P{n}") for n in range(5)})
        bad = [*lines[:3], lines[3].replace("P2,", "Q2,"), *lines[4:]]
        self.write("answers.csv", "\n".join(bad) + "\n")
        result = self.run_command("study", "tell", FILE, "--csv", "answers.csv")
        self.check_refusal(result, DATA, "answers.csv, line 4", "'Q2'", "2 rows before it were taken down")
        self.assertEqual(self.status()["learned"], 2)
        self.write("answers.csv", "\n".join(lines) + "\n\n")
        self.assertEqual(self.study("tell", FILE, "--csv", "answers.csv").out,
                         "3 rows taken down, 3 examples learned; 2 had nothing new\n")
        self.verified()

    def test_bad_files_of_answers_change_nothing(self):
        self.create("-k", "2")
        self.ask("P1")
        for content, words in (("age,y\n4,5\n", "no column 'example'"),
                               ("Example,age\nP1,5\n", ["column 'Example': 'P1'", "no column 'example'"]),
                               ("Example,age\n1,5\n", "no column 'example'"),
                               ("example;age\nP1;4\n", ["line 1", "separated by commas"]),
                               ("example\tage\nP1\t4\n", ["line 1", "separated by commas"]),
                               ("", "is empty"), ("\ufeff", "is empty"), ("example,age\n", "no line behind"),
                               ("example,age\n\n\n", "no line behind"),
                               ("example,age,glucose\nP1,4,\"44,5\"\n", "line 2, column 'glucose': '44,5' is not a number"),
                               ("example,age\nP1,old\n", ["line 2, column 'age'", "'old'", "missing'"]),
                               ("example,age\nP1,4,5\n", ["line 2", "fields"]), ('example,age\n"P1,4\n', "quote"),
                               ("example,age,example\nP1,4,P2\n", ["'example'", "two columns"]),
                               ("example,age\n,4\n", ["line 2", "is empty"]), ("example,age\nP1,\0\n", "NUL"),
                               ("example,age\nP1,nan\n", ["line 2", "NaN", "missing"]),
                               ("example,x\nP1,4\n", ["line 1", "'x'"]), ("example,x,age\nP1,,40\n", ["line 1", "'x'"]),
                               ("example,age,\nP1,40,\n", ["line 1", "''"]),
                               ("example,age\nP1,400\n", ["line 2", "range"]),
                               ('example,age,"a\nb"\nP1,old,\n', ["line 3", "'old'"]),
                               ("example,age,age\nP1,4,4\n", ["line 2", "twice"]),
                               ('example,age\n"P1",30\n"no\none",40\n', ["line 3", "1 row before it was taken down"])):
            with self.subTest(content=content):
                self.write("bad.csv", content)
                if "1 row " in words[-1]:
                    self.check_refusal(self.run_command("study", "tell", FILE, "--csv", "bad.csv"), DATA, *words)
                    self.assertEqual(self.ask("P1")["state"], "partly told")
                else:
                    sentence = self.refuses_study(DATA, words, "tell", FILE, "--csv", "bad.csv")
                    self.assertIn("; nothing was taken down", sentence)
        self.refuses_study(NO_INPUT, "none.csv", "tell", FILE, "--csv", "none.csv")
        self.refuses_study(USAGE, "too many", "tell", FILE, "P1", "--csv", "bad.csv")

    def test_cells_that_are_empty_are_not_told(self):
        self.create("-k", "2")
        self.ask("P1")
        self.ask("P2")
        self.write("answers.csv", "y,example,age\n,P1,40\n,P2,\n7,P1,\n")
        self.assertEqual(self.study("tell", FILE, "--csv", "answers.csv").out, "2 rows taken down, 0 examples learned\n")
        self.assertEqual((self.ask("P1")["y"], self.ask("P1")["lines"][0]["value"]), (7, 40))
        self.assertEqual(self.ask("P2")["state"], "issued")

    def test_past_data_with_holes_are_imported(self):
        self.create("-k", "2")
        rows = [patient(n) for n in range(100, 130)]
        lines = ["y," + ",".join(NAMES)]
        for i, (x, y) in enumerate(rows):
            cells = [str(x[n]) if (i + j) % 3 else ["", "nan", "missing"][i % 3] for j, n in enumerate(NAMES)]
            lines.append(",".join([str(y), *cells]))
        self.write("past.csv", "\n".join(lines) + "\n")
        self.assertEqual(self.study("import", FILE, "--csv", "past.csv").out, "30 rows taken down, 30 examples learned\n")
        status = self.status()
        self.assertEqual((status["imported"], status["spent"], status["orders"]), (30, 0, 0))
        self.assertIn("imported     30 examples", self.study("status", FILE).out)
        self.assertEqual([r["example"] for r in self.ledger()[1:]], [f"past.csv:{n}" for n in range(2, 32)])
        before = self.read(FILE)
        self.assertEqual(self.study("import", FILE, "--csv", "past.csv").out, "30 rows, nothing new\n")
        self.assertEqual(self.read(FILE), before)
        self.refuses_study(OTHER, "imported", "ask", FILE, "past.csv:2")
        self.write("more.csv", "example,age,y\nold-1,50,9\nold-2,50,\n")
        self.assertEqual(self.study("import", FILE, "--csv", "more.csv").out,
                         "1 row taken down, 1 example learned; 1 without y skipped\n")
        self.assertEqual(self.study("import", FILE, "--csv", "more.csv").out, "1 row, nothing new; 1 without y skipped\n")
        self.write("past.csv", "\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "1.5", 1), *lines[2:]]))
        self.refuses_study(OTHER, ["line 2", "imported before with other values", "nothing was taken down"], "import",
                           FILE, "--csv", "past.csv")
        self.go_on(range(5))
        self.verified()

    def test_rows_without_names_are_named_by_their_file(self):
        self.create("-k", "2")
        os.mkdir(self.path("old"))
        self.write("old/a.csv", "age,y\n50,9\n\n40,8\n")
        self.write("b.csv", "age,y\n51,9\n")
        self.study("import", FILE, "--csv", "old/a.csv")
        self.assertEqual(self.ask("2")["order"], 1)  # a patient's number is not taken
        self.study("import", FILE, "--csv", "b.csv")
        self.assertEqual([r["example"] for r in self.ledger() if r["kind"] == "import"], ["a.csv:2", "a.csv:4", "b.csv:2"])
        self.verified()

    def test_past_data_need_columns_that_are_known(self):
        self.create("-k", "2")
        self.ask("P1")
        for content, words in (("age,glucose\n50,5\n", "no column 'y'"), ("age,weight,y\n50,,5\n", "'weight'"),
                               ("age;y\n50;5\n", "commas"), ("age,y\n50,NA\n", ["column 'y'", "'NA'", "missing"]),
                               ("Example,age,y\n1,50,9\n", "'Example'"), ("age,y\n", "no line behind")):
            with self.subTest(content=content):
                self.write("past.csv", content)
                self.refuses_study(DATA, words, "import", FILE, "--csv", "past.csv")

    def test_a_file_that_is_still_to_be_filled_in(self):
        self.create("-k", "2")
        self.ask("P1")
        self.write("answers.csv", "example,age,y\nP1,,\nP2,,\n")
        before = self.read(FILE)
        self.assertEqual(self.study("tell", FILE, "--csv", "answers.csv").out, "0 rows, nothing new\n")
        self.assertEqual(self.read(FILE), before)
