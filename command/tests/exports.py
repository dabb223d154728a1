"""What tests of exports share: a study with an example in each state, and its tables as they are read back."""
import csv

from studies import FILE, StudyTest, patient


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
