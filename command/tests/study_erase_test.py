"""Forgetting: scant study erase."""
import os
import struct
import subprocess
import sys

from studies import FILE, StudyTest
from support import DATA, OTHER, USAGE

BUSY = 75
NAME = "Zacharias-Quux-Person"
VALUES = [1.2345678901234567 + 0.0137931034482758 * i for i in range(7)]
READS = """
import sqlite3, sys
reader = sqlite3.connect(sys.argv[1])
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM ledger").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""


def traces(value):
    """A value as SQLite and JSON write it."""
    return [struct.pack(">d", value), struct.pack("<d", value), repr(value).encode(), b"%.17g" % value]


class Erase(StudyTest):
    def found(self):
        """What is to be found of the person in all files of the folder."""
        found = set()
        for name in os.listdir(self.path("")):
            content = self.read(name)
            if NAME.encode() in content:
                found.add(NAME)
            found.update(v for v in VALUES if any(trace in content for trace in traces(v)))
        return found

    def tell_person(self):
        order = self.ask(NAME)
        names = [*(line["name"] for line in order["lines"]), order["target"]]
        self.study("tell", FILE, NAME, *(f"{name}={value!r}" for name, value in zip(names, VALUES)))
        return order

    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "900")
        self.go_on(range(4))

    def erase(self, *words):
        return self.study("erase", FILE, NAME, "--reason", "withdrew", "--yes", *words)

    def test_nothing_is_left(self):
        self.tell_person()
        self.study("correct", FILE, NAME, f"y={VALUES[6]!r}", "--reason", f"a slip of {NAME}")
        self.go_on(range(4, 8))
        self.assertGreater(len(self.found()), 2)
        before = self.status()
        said = self.erase("--by", "Ada").out
        self.assertIn("erased: 3 events and order 5; ", said)
        self.assertIn(" stay spent, 0.00 refunded", said)
        self.assertIn(f"nothing of it is in {FILE} or its log", said)
        self.assertEqual(self.found(), set())
        self.assertNotIn(NAME, said)
        after = self.status()
        self.assertEqual((after["erased"], after["learned"], after["orders"], after["unswept"]), (1, 8, 9, False))
        self.assertEqual((after["spent"], after["reserved"]), (before["spent"], before["reserved"]))
        self.assertIn("1 erased", self.study("status", FILE).out)
        ledger = self.ledger()
        last = ledger[-1]
        self.assertEqual((last["kind"], last["example"], last["order"], last["reason"], last["by"]),
                         ("erase", "", "5", "withdrew", "Ada"))
        marks = [event for event in ledger if event["order"] == "5" and event["kind"] != "erase"]
        self.assertEqual([event["kind"] for event in marks], ["ask", "tell", "correct"])
        for event in marks:
            self.assertEqual((event["example"], event["reason"], event["values"]), ("", "", ""))
        self.verified()
        self.go_on(range(8, 10))
        self.verified()
        self.study("replay", FILE)
        self.verified()
        self.assertEqual(self.found(), set())
        # the name is a new one: it can't be known any more
        self.assertEqual(self.ask(NAME)["state"], "issued")

    def test_an_open_order_is_refunded(self):
        price = self.ask(NAME)["price"]
        before = self.status()
        said = self.erase().out
        self.assertIn(f"0.00 stay spent, {price:.2f} refunded", said)
        self.assertAlmostEqual(self.status()["reserved"], before["reserved"] - price)
        self.assertEqual(self.status()["open"], 0)
        self.verified()

    def test_what_was_imported(self):
        self.write("past.csv", f"example,age,glucose,y\n{NAME},{VALUES[0]!r},{VALUES[1]!r},{VALUES[2]!r}\nother,50,5,9\n")
        self.study("import", FILE, "--csv", "past.csv")
        os.remove(self.path("past.csv"))
        self.assertGreater(len(self.found()), 2)
        self.assertIn("erased: 1 event, imported\n", self.erase().out)
        self.assertEqual(self.found(), set())
        self.assertEqual(self.status()["imported"], 1)
        self.verified()

    def test_it_asks_before(self):
        self.tell_person()
        sentence = self.refuses_study(OTHER, "--yes", "erase", FILE, NAME, "--reason", "withdrew")
        self.assertIn("2 events and order 5", sentence)
        self.assertIn("nothing was changed", sentence)

    def test_bad_input(self):
        self.tell_person()
        self.refuses_study(DATA, "nothing is known of example 'nobody'", "erase", FILE, "nobody", "--reason", "x", "--yes")
        self.refuses_study(DATA, "nothing is known of example 'nobody'", "erase", FILE, "nobody", "--reason", "x")
        self.refuses_study(USAGE, "--reason TEXT is missing", "erase", FILE, NAME, "--yes")
        self.refuses_study(USAGE, "for a reason", "erase", FILE, NAME, "--yes", "--reason", "")
        self.refuses_study(USAGE, "must not hold the name", "erase", FILE, NAME, "--yes", "--reason", f"as {NAME.lower()} said")
        self.refuses_study(USAGE, "it takes", "erase", FILE, "--reason", "x", "--yes")
        self.refuses_study(USAGE, "too many", "erase", FILE, NAME, "P1", "--reason", "x", "--yes")
        self.refuses_study(USAGE, "FILE alone", "erase", FILE, NAME, "--finish")
        self.refuses_study(USAGE, "does not use --json", "erase", FILE, NAME, "--json")
        self.erase()
        self.refuses_study(DATA, "or was erased before", "erase", FILE, NAME, "--reason", "withdrew", "--yes")
        self.assertIn("nothing of what was erased", self.study("erase", FILE, "--finish").out)

    def test_copies_are_named(self):
        self.tell_person()
        self.study("backup", FILE, FILE + ".monday")
        said = self.erase().out
        self.assertIn(f"{FILE}.monday is another file, which was not touched: it may hold the example\n", said)
        self.assertEqual(said.count("another file"), 1)
        self.assertIn(NAME, self.study("ledger", FILE + ".monday").out)

    def test_frozen_copies_are_named(self):
        self.tell_person()
        self.study("freeze", FILE, "paper", "-o", "paper.study")
        said = self.erase().out
        self.assertIn("the copy that was frozen as 'paper' is another file", said)
        self.verified()
        self.verified("paper.study")
        self.assertIn(NAME, self.study("ledger", "paper.study").out)

    def test_reasons_of_others_are_counted(self):
        self.tell_person()
        self.study("correct", FILE, "P1", "y=9", "--reason", f"was written down for {NAME}")
        self.assertIn("the reasons of 1 other event hold the name", self.erase().out)

    def test_somebody_reads(self):
        self.tell_person()
        # in another process: here every file that is closed after a search would let its locks go
        reader = subprocess.Popen([sys.executable, "-c", READS, self.path(FILE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.stdin.close)
        self.addCleanup(reader.stdout.close)
        self.assertEqual(reader.stdout.readline().strip(), b"reading")
        sentence = self.check_refusal(
            self.run_command("study", "erase", FILE, NAME, "--reason", "withdrew", "--yes"), BUSY, "somebody reads the study",
            f"'scant study erase {FILE} --finish'")
        self.assertNotIn(NAME, sentence)
        self.assertTrue(self.status()["unswept"])
        self.assertIn("not finished", self.study("status", FILE).out)
        self.assertNotEqual(self.found(), set())
        self.check_refusal(self.run_command("study", "erase", FILE, "--finish"), BUSY, "somebody reads the study")
        reader.stdin.close()
        reader.wait()
        self.study("erase", FILE, "--finish")
        self.assertFalse(self.status()["unswept"])
        self.assertEqual(self.found(), set())
        self.verified()
