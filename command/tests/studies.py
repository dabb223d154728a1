"""What tests of scant study share: a small clinic and its study; a study with an example in each state, and its tables."""
import csv
import io
import random
import sqlite3

from support import CommandTest

FILE = "clinic.study"
CATALOGUE = """name,unit,cost,low,high,group,known
age,years,,0,120,,yes
glucose,mmol/l,3.50,0,50,,
cholesterol,mmol/l,4,0,30,lipids,
hdl,mmol/l,4,0,10,lipids,
triglycerides,mmol/l,2,0,50,lipids,
scan,,80,,,,
"""
NAMES = ["age", "glucose", "cholesterol", "hdl", "triglycerides", "scan"]


def patient(number):
    """What could be measured of a patient, and the target."""
    draw = random.Random(number)
    x = {"age": draw.randint(30, 75), "glucose": draw.randint(33, 70) / 10, "cholesterol": draw.randint(37, 73) / 10,
         "hdl": draw.randint(8, 21) / 10, "triglycerides": draw.randint(7, 30) / 10, "scan": draw.randint(-20, 15) / 10}
    y = 0.06 * x["age"] + 0.9 * x["glucose"] + 0.2 * x["cholesterol"] + 1.6 * x["scan"] + draw.gauss(0, 0.2)
    return x, round(y, 1)


class StudyTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("attributes.csv", CATALOGUE)

    def study(self, *words):
        return self.succeeds("study", *words)

    def create(self, *words, file=FILE, catalogue="attributes.csv"):
        """Of auto, unless the words name another algorithm."""
        return self.study("create", file, "--attributes", catalogue, "--algorithm", "auto", *words)

    def ask(self, example, file=FILE):
        return self.study("ask", file, example, "--json").json

    def status(self, file=FILE):
        return self.study("status", file, "--json").json

    def ledger(self, file=FILE):
        return list(csv.DictReader(io.StringIO(self.study("ledger", file).out)))

    def answers(self, number, order):
        x, y = patient(number)
        return [*(f"{line['name']}={x[line['name']]}" for line in order["lines"]), f"{order['target']}={y}"]

    def go_on(self, numbers, file=FILE):
        for number in numbers:
            self.study("tell", file, f"P{number}", *self.answers(number, self.ask(f"P{number}", file)))

    def verified(self, file=FILE):
        proof = self.study("verify", file, "--json").json
        self.assertTrue(proof["same_build"])
        self.assertTrue(proof["same_bits"])
        return proof

    def refuses_study(self, code, words, *arguments, file=FILE):
        """One sentence, the exit code, and the study as it was."""
        before = self.read(file), self.study("ledger", file).out
        result = self.run_command("study", *arguments)
        sentence = self.check_refusal(result, code, *([words] if isinstance(words, str) else words))
        self.assertEqual((self.read(file), self.study("ledger", file).out), before, f"it changed the study: {result}")
        return sentence

    def edit(self, *statements, file=FILE):
        database = sqlite3.connect(self.path(file))
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()


class Out(StudyTest):
    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def table(self, *words, name="table.csv", file=FILE):
        self.study("export", file, "--csv", "-o", name, *words)
        return self.rows(name)

    def events(self, *words, name="events.csv", file=FILE):
        self.study("export", file, "--events", "-o", name, *words)
        return self.rows(name)

    def others(self):
        """All files but those of the study, which come and go."""
        return [name for name in self.files() if not name.startswith(FILE)]

    def cell(self, example, column, rows=None):
        return {row["example"]: row for row in rows or self.table()}[example][column]

    def clinic(self):
        """A study with an example in each state, and two that were imported."""
        self.create("-k", "2", "--target", "score")
        self.write("past.csv", 'example,age,glucose,score\n=A1,45,5.5,9\n"Past, Peter",50,,7\n')
        self.study("import", FILE, "--csv", "past.csv")
        self.told = {}
        for number, name in enumerate(("learned", "told", "partly", "issued", "cancelled", "expired", "failed")):
            order = self.ask(name)
            x, y = patient(number)
            values = {line["name"]: x[line["name"]] for line in order["lines"]}
            self.told[name] = dict(list(values.items())[:1 if name in ("partly", "cancelled") else 99])
            if name in ("learned", "told", "partly", "cancelled"):
                self.study("tell", FILE, name, *(f"{a}={v}" for a, v in self.told[name].items()))
            else:
                self.told[name] = {}
        self.study("tell", FILE, "learned", "score=8.25")
        self.study("cancel", FILE, "cancelled")
        self.study("cancel", FILE, "expired", "--expired")
        self.study("cancel", FILE, "failed", "--failed", "=Anna Smith went home")
