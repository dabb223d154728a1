"""The coordinator's table (docs/coordinator.md): every command of it does what the table says."""
import pathlib
import re
import shlex

from studies import FILE, StudyTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "coordinator.md"
# hdl is never ordered, so that it can be an extra; glucose is in every order
CATALOGUE = """name,cost,low,high,usual_low,usual_high,known,retired
glucose,,0,60,3,20,yes,
hdl,4,,,,,,yes
scan,80,,,,,,
""" + "".join(f"test{i},5,,,,,,\n" for i in range(4))
# What must have been before, by the word that the command has.
BEFORE = {"correct": ["tell FILE P-1 glucose=5.4"], "--second": ["tell FILE P-1 glucose=5.4"], "reopen": ["cancel FILE P-1"]}


class Pages(StudyTest):
    def setUp(self):
        super().setUp()
        self.write("attributes.csv", CATALOGUE)
        self.write("past.csv", "glucose,score\n5.1,9\n")

    def rows(self):
        """(command, what the ledger has) of the table."""
        table = PAGE.read_text().split("## In short\n")[1].split("\n## ")[0]
        return re.findall(r"^\| .* \| `(.*)` \| (.*) \|$", table, re.MULTILINE)

    def words(self, command, file):
        name = "crp" if "--new" in command else "paper" if command.startswith("freeze") else "scan"
        named = {"FILE": file, "NAME": name, "COPY": file + ".copy", "TEXT": "some reason"}
        return [named.get(word, word) for word in shlex.split(command)]

    def test_every_line_of_the_table(self):
        rows = self.rows()
        self.assertEqual(len(rows), 18)
        for number, (command, said) in enumerate(rows):
            with self.subTest(command=command):
                file = f"{number}-{FILE}"
                self.study("create", file, "--attributes", "attributes.csv", "-k", "2", "--budget-cost", "900",
                           "--target", "score")
                if not command.startswith("ask"):
                    self.study("ask", file, "P-1")
                for word, before in BEFORE.items():
                    for earlier in before if word in command.split() else []:
                        self.study(*self.words(earlier, file))
                self.study(*self.words(command, file))
                last = self.ledger(file)[-1]
                self.assertEqual(last["kind"], re.match(r"\w+", said)[0])
                if "--reason" in command or "--failed" in command:
                    self.assertEqual(last["reason"], "some reason")
                if "missing:" in command:
                    self.assertIn("missing:broken", last["values"])
                if "25!" in command:
                    self.assertIn("25!", last["values"])
                self.verified(file)

    def test_all_kinds_of_events_that_people_make_are_there(self):
        said = {re.match(r"\w+", said)[0] for _, said in self.rows()}
        reference = (PAGE.parent / "studies.md").read_text().split("## The ledger\n")[1].split("\n## ")[0]
        kinds = set(re.findall(r"^\| (\w+) \| [a-z]", reference, re.MULTILINE))
        self.assertEqual(kinds - said, {"create", "build"})
        self.assertLessEqual(said, kinds)

