"""Plans change, and examples are forgotten: scant study amend, catalogue, tell --extra and erase."""
import csv as csv_reader
import io
import os
import struct
import subprocess
import sys

from studies import FILE, StudyTest
from support import DATA, NO_INPUT, OTHER, USAGE, sealed

CATALOGUE = "name,unit,cost,low,high,usual_low,usual_high,group,known,retired\n"


class Amend(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "2000", "--target", "score", "--algorithm", "auto")

    def catalogue(self):
        return {row["name"]: row for row in csv_reader.DictReader(io.StringIO(self.study("catalogue", FILE).out))}

    def amend(self, *words, reason="r"):
        return self.study("amend", FILE, *words, "--reason", reason).out

    def refused(self, code, *words):
        result = self.run_command("study", *words)
        self.assertEqual(result.code, code, str(result))
        self.assertEqual(result.out, "")
        return result.err

    def refuses(self, code, words, *arguments):
        before = len(self.ledger())
        self.assertIn(words, self.refused(code, "amend", FILE, *arguments))
        self.assertEqual(len(self.ledger()), before)

    def some(self):
        """An attribute that costs something, is alone and is not always known."""
        return next(n for n, row in self.catalogue().items() if row["cost"] and not row["group"])

    def test_a_price_changes_and_open_orders_keep_theirs(self):
        order = self.ask("P1")
        name = self.some()
        before = self.catalogue()[name]["cost"]
        out = self.amend(name, "cost=17", "unit=u", reason="a new contract")
        self.assertEqual(out.split(":")[0], "amended")
        self.assertIn(f"cost {float(before):g} -> 17", out)
        self.assertEqual(self.catalogue()[name]["cost"], "17.00")
        self.assertEqual(self.ask("P1")["price"], order["price"])
        event = self.ledger()[-1]
        self.assertEqual((event["kind"], event["reason"]), ("amend", "a new contract"))
        self.assertIn("-> 17", event["values"])
        self.assertEqual(self.amend(name, "cost=17"), "nothing new: the study is so already\n")
        self.study("verify", FILE)

    def test_a_dry_run_changes_nothing(self):
        before = self.ledger()
        out = self.amend(self.some(), "retired=yes", "--dry-run")
        self.assertIn("nothing is amended; this would be: ", out)
        self.assertIn("retired no -> yes", out)
        self.assertEqual(self.ledger(), before)

    def test_retired_new_and_settings(self):
        name = self.some()
        self.amend(name, "retired=yes")
        self.amend("ferritin", "--new", "cost=5", "unit=ug/l")
        self.assertIn("k 2 -> 3", self.amend("-k", "3", "--budget-cost", "3000", "--max-open", "20"))
        for i in range(12):
            self.assertNotIn(name, [line["name"] for line in self.ask(f"P{i}")["lines"]])
        self.study("verify", FILE)

    def test_the_catalogue_is_one_that_create_reads(self):
        self.amend(self.some(), "retired=yes")
        self.amend("a, \"b\"", "--new", "low=-1", "usual_high=0.1")
        out = self.study("catalogue", FILE).out
        self.assertTrue(out.startswith(CATALOGUE))
        with open(os.path.join(self.folder, "again.csv"), "w", encoding="utf-8") as file:
            file.write(out)
        self.study("create", "again.study", "--attributes", "again.csv", "-k", "2", "--algorithm", "auto")
        self.assertEqual(self.study("catalogue", "again.study").out, out)

    def test_bad_input(self):
        name = self.some()
        self.ask("P1")
        why = ("--reason", "r")
        self.refuses(USAGE, "--reason TEXT is missing", name, "cost=3")
        self.refuses(USAGE, "it takes ATTRIBUTE FIELD=VALUE", name, *why)
        self.refuses(USAGE, "it takes ATTRIBUTE FIELD=VALUE", *why)
        self.refuses(USAGE, "is not FIELD=VALUE", name, "cost", *why)
        self.refuses(USAGE, "an attribute has unit, cost", name, "colour=3", *why)
        self.refuses(USAGE, "a cost is an amount", name, "cost=x", *why)
        self.refuses(USAGE, "--new adds it", "nothing", "cost=3", *why)
        self.refuses(USAGE, "already", name, "--new", "cost=3", *why)
        self.refuses(USAGE, "can't be amended", name, "known=yes", *why)
        self.refuses(USAGE, "does not use --seed", name, "cost=3", "--seed", "3", *why)
        self.refuses(DATA, "holds nothing", name, "low=3", "high=2", *why)
        self.refuses(USAGE, "budget-cost 1.00", "--budget-cost", "1", *why)

    def test_what_was_not_ordered(self):
        order = self.ask("P1")
        name = next(n for n in self.catalogue() if n not in [line["name"] for line in order["lines"]])
        low = float(self.catalogue()[name]["low"] or 1)
        told = f"{name}={low + 1:g}"
        self.assertIn("told as extra, with a reason", self.refused(DATA, "tell", FILE, "P1", told))
        self.assertIn("--reason TEXT is missing", self.refused(USAGE, "tell", FILE, "P1", told, "--extra"))
        self.assertIn("goes with --extra", self.refused(USAGE, "tell", FILE, "P1", told, "--reason", "r"))
        out = self.study("tell", FILE, "P1", told, "--extra", "--reason", "on the ward").out
        self.assertIn("kept aside, since auto learns from what it draws itself", out)
        self.assertIn("(not ordered)", self.study("ask", FILE, "P1").out)
        self.assertEqual(self.ask("P1")["extras"][0]["name"], name)
        self.assertIn("nothing new", self.study("tell", FILE, "P1", told, "--extra", "--reason", "r").out)
        order = self.ask("P2")
        self.study("cancel", FILE, "P2")
        name = next(n for n in self.catalogue() if n not in [line["name"] for line in order["lines"]])
        value = float(self.catalogue()[name]["low"] or 1) + 1
        words = self.refused(OTHER, "tell", FILE, "P2", f"{name}={value:g}", "--extra", "--reason", "r")
        self.assertIn("is cancelled", words)
        self.study("verify", FILE)


class Refused(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "3", "--target", "score")
        self.go_on(range(3))
        self.ask("P9")

    def everything(self):
        return [self.study(action, FILE).out for action in ("ledger", "catalogue", "status", "list")]

    def check(self, code, sentence, *words):
        self.check_refusal(self.run_command("study", "amend", FILE, *words), code, sentence)

    def test_what_is_refused(self):
        before = self.everything()
        for code, sentence, words in (
                (USAGE, "there is no attribute 'nothing'", ["nothing", "cost=3"]),
                (USAGE, "attribute 'glucose': an attribute has unit, cost", ["glucose", "colour=3"]),
                (USAGE, "attribute 'glucose': a cost is an amount", ["glucose", "cost=abc"]),
                (USAGE, "attribute 'glucose': retired is yes or no, not 'maybe'", ["glucose", "retired=maybe"]),
                (USAGE, "cost is given twice: 'cost=8'", ["glucose", "cost=9", "unit=g", "cost=8"]),
                (USAGE, "'cost' is not FIELD=VALUE", ["glucose", "cost"]),
                (USAGE, "there is an attribute 'glucose' already", ["--new", "glucose", "cost=9"]),
                (USAGE, "always known can't be amended", ["glucose", "known=yes"]),
                (USAGE, "it takes ATTRIBUTE FIELD=VALUE", []),
                (USAGE, "max-open must be at least 1", ["--max-open", "0"]),
                (USAGE, "amend does not use --seed", ["--seed", "3"]),
                (DATA, "'glucose': its range from 60 to 50 holds nothing", ["glucose", "low=60"]),
                (DATA, "the name of attribute 7 is empty", ["--new", ""]),
                (DATA, "the name of attribute 7 is not UTF-8", ["--new", "a\udcffb"]),
                (DATA, "the unit of attribute 'glucose' is not UTF-8", ["glucose", "unit=\udcff"]),
                (DATA, "'score' has the name of the target", ["--new", "score"]),
                (DATA, "k = 99 is more than the 6 attributes", ["-k", "99"])):
            with self.subTest(words):
                self.check(code, sentence, *words, "--reason", "r")
        self.check(USAGE, "--reason TEXT is missing", "glucose", "cost=9")
        self.check(USAGE, "the reason is too long: 1001 bytes", "glucose", "cost=9", "--reason", 1001 * "x")
        self.refuses(NO_INPUT, "there is no study 'none'", "study", "amend", "none", "glucose", "cost=9", "--reason", "r")
        self.assertEqual(self.everything(), before)
ATTRIBUTES = "name,cost,group,known\na,,,yes\nb,1,g,\nc,1,g,\nd,2,,\ne,3,,\nf,4,,\n"


class ModelsOfAmended(StudyTest):
    """What was bought was paid at the prices of that day, so the model does not add up at today's."""

    def begin(self, *words):
        for name in self.files():
            os.remove(self.path(name))
        self.write("c.csv", ATTRIBUTES)
        self.create("-k", "3", "--target", "y", *words, catalogue="c.csv")
        for i in range(6):
            order = self.ask(f"B-{i}")
            told = [f"{line['name']}={(7 * i + 3 * len(line['name'] + 'x') + ord(line['name'])) % 11 / 4}"
                    for line in order["lines"]]
            self.study("tell", FILE, f"B-{i}", *told, f"y={i % 4}")

    def is_readable(self):
        """The model is read, and a ledger that no study can have is refused."""
        self.study("export", FILE, "-o", "z.json")
        self.assertIn("was amended", self.succeeds("show", "z.json").out)
        model = self.model("z.json")
        self.assertTrue(model["ledger"]["amended"])
        self.assertEqual(model["ledger"]["money_spent"], round(100 * self.status()["spent"]))
        for field, value in ("attributes_bought", 1000), ("attributes_bought", 0), ("examples", 1):
            other = self.model("z.json")
            other["ledger"][field] = value
            other["ledger"]["max_bought_per_example"] = 6
            self.write("other.json", sealed(other))
            self.refuses(DATA, "other.json", "show", "other.json")

    def test_models_can_be_read_after_every_amendment(self):
        for algorithm in "gaussian", "auto":
            for change in (["f", "cost=9"], ["e", "cost=0"], ["d", "cost=0.01"], ["b", "group="], ["d", "group=g"],
                           ["-k", "2"], ["f", "retired=yes"], ["h", "--new", "cost=4"]):
                with self.subTest(algorithm=algorithm, change=change):
                    self.begin("--algorithm", algorithm, "--budget-cost", "500")
                    self.study("amend", FILE, *change, "--reason", "r")
                    self.is_readable()
                    self.study("export", FILE, "-o", "z.json", "--gaussian")
                    self.succeeds("show", "z.json")

    def test_a_limit_per_example_that_falls(self):
        self.begin("--spend", "9")
        for name in "bcdef":
            self.study("amend", FILE, name, "cost=0.5", "--reason", "r")
        self.study("amend", FILE, "--spend", "2", "--reason", "r")
        self.is_readable()

    def test_without_an_amendment_the_file_is_as_before(self):
        self.begin()
        self.study("export", FILE, "-o", "z.json")
        self.assertNotIn(b"amended", self.read("z.json"))


class Imported(StudyTest):
    def test_show_has_its_values_as_they_stand(self):
        self.create("-k", "2", "--target", "score")
        self.write("past.csv", "example,age,glucose,score\nA1,45,5.5,9\nA2,50,,7\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.study("correct", FILE, "A1", "glucose=6.25", "score=8.5", "--reason", "typo")
        out = self.study("show", FILE, "A1").out
        self.assertIn("example A1 was imported; its values as they stand\n  age      45\n  glucose  6.25\n  score    8.5\n\n"
                      "history of example A1\n", out)
        shown = self.study("show", FILE, "A1", "A2", "--json").json["examples"]
        self.assertEqual([{v["name"]: v["value"] for v in e["imported"]} for e in shown],
                         [{"age": 45, "glucose": 6.25, "score": 8.5}, {"age": 50, "score": 7}])
        self.ask("P1")
        self.assertIsNone(self.study("show", FILE, "P1", "--json").json["examples"][0]["imported"])
        self.assertNotIn("imported", self.study("show", FILE, "P1").out)


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
