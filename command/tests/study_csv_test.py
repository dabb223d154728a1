"""scant study: values that come from files."""
import csv
import io
import os

from studies import FILE, NAMES, StudyTest, patient
from support import DATA, NO_INPUT, OTHER, USAGE

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
