"""scant study list, show, reopen, ask of several, --dry-run, cancel --yes: looking before leaping."""
import csv as csv_reader
import io
import os
import pathlib
import re
import shlex

from studies import FILE, NAMES, StudyTest
from support import DATA, NO_INPUT, OTHER, USAGE

LOCAL = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"


class Worklist(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "2000", "--target", "score")

    def list(self, *words):
        return [o["example"] for o in self.study("list", FILE, "--json", *words).json["orders"]]

    def table(self, *words):
        return list(csv_reader.DictReader(io.StringIO(self.study("list", FILE, "--csv", *words).out)))

    def asked_at(self, example, at):
        """As if it had been asked for then; the ledger's chain is broken by that, which lists do not mind."""
        self.edit(f"UPDATE ledger SET at = '{at}' WHERE kind = 'ask' AND example = '{example}'")


class List(Worklist):
    def test_what_waits_is_listed_with_what_is_still_to_come(self):
        self.assertEqual(self.study("list", FILE).out, "0 orders\n")
        self.study("ask", FILE, "P1", "P2", "P3")
        self.study("tell", FILE, "P2", "age=50")
        order = self.ask("P1")
        self.study("tell", FILE, "P1", *self.answers(1, order))
        self.study("cancel", FILE, "P3")
        out = self.study("list", FILE).out
        lines = out.splitlines()
        self.assertEqual(lines[0].split(), ["order", "example", "state", "since", "days", "by", "price", "to", "come"])
        self.assertRegex(lines[1], rf"\A     2  P2       partly told  {LOCAL}      0  \S+ +\d+\.\d\d  [a-z, ]*score\Z")
        self.assertNotIn("age", lines[1])
        self.assertRegex(lines[2], r"\A1 order, total \d+\.\d\d\Z")
        self.assertEqual(len(lines), 3)

    def test_filters(self):
        self.study("ask", FILE, "P1", "P2", "P3", "P4")
        orders = {o: self.ask(o) for o in ("P1", "P2", "P3", "P4")}
        self.study("tell", FILE, "P1", *self.answers(1, orders["P1"]))
        self.study("cancel", FILE, "P2", "--failed", "went home")
        self.study("tell", FILE, "P3", "score=3")
        self.assertEqual(self.list(), ["P3", "P4"])
        self.assertEqual(self.list("--open"), ["P3", "P4"])
        self.assertEqual(self.list("--all"), ["P1", "P2", "P3", "P4"])
        self.assertEqual(self.list("--state", "learned"), ["P1"])
        self.assertEqual(self.list("--state", "failed,partly"), ["P2", "P3"])
        self.assertEqual(self.list("--state", "partly told"), ["P3"])
        self.assertEqual(self.list("--due", "score"), ["P4"])
        for name in NAMES:
            wanted = [e for e in ("P3", "P4") if name in [line["name"] for line in orders[e]["lines"]]]
            self.assertEqual(self.list("--due", name), wanted)
        self.study("tell", FILE, "P4", "age=40")
        self.assertEqual(self.list("--due", "age"), ["P3"])
        self.assertEqual(self.list("--due", "age", "--all"), ["P3"])  # what was learned waits for nothing

    def test_who_asked(self):
        self.study("ask", FILE, "P1", "P2", "--by", "anna")
        self.study("ask", FILE, "P3", "P2", "--by", "Bert =1")  # P2 keeps the order that anna asked for
        self.assertEqual(self.list("--by", "anna"), ["P1", "P2"])
        self.assertEqual(self.list("--by", "Bert =1"), ["P3"])
        self.assertEqual(self.list("--by", "nobody"), [])
        self.assertEqual([r["asked_by"] for r in self.table()], ["anna", "anna", "Bert =1"])
        self.assertRegex(self.study("list", FILE).out, r"(?m)^     1  P1 .*  anna     +\d+\.\d\d  ")
        self.assertRegex(self.study("list", FILE, "--sheets", "--by", "anna").out, rf"(?m)^asked at  {LOCAL} by anna$")
        self.study("tell", FILE, "P1", "age=50", "--by", "Cem")
        self.assertEqual([h["by"] for h in self.study("show", FILE, "P1", "--json").json["examples"][0]["history"]],
                         ["anna", "Cem"])
        self.assertRegex(self.study("show", FILE, "P1").out, rf"(?m)^ +\d+  {LOCAL}  Cem   tell    order 1: age=50$")
        self.refuses_study(USAGE, "does not use --by", "show", FILE, "P1", "--by", "anna")

    def test_since_and_before_are_local_unless_they_end_in_z(self):
        self.study("ask", FILE, "P1", "P2", "P3")
        for example, at in (("P1", "2001-03-01T22:30:00Z"), ("P2", "2001-03-01T23:30:00Z"), ("P3", "2001-07-01T12:00:00Z")):
            self.asked_at(example, at)
        os.environ["TZ"] = "Europe/Berlin" if os.path.exists("/usr/share/zoneinfo/Europe/Berlin") else "CET-1CEST,M3.5.0,M10.5.0/3"
        self.addCleanup(os.environ.pop, "TZ")
        self.assertEqual(self.list("--since", "2001-03-02"), ["P2", "P3"])
        self.assertEqual(self.list("--since", "2001-03-02T00:00Z"), ["P3"])
        self.assertEqual(self.list("--before", "2001-03-02"), ["P1"])
        self.assertEqual(self.list("--since", "2001-03-01T23:30", "--before", "2001-03-02 00:30:01"), ["P1", "P2"])
        self.assertEqual(self.list("--since", "2001-07-01T14:00:00"), ["P3"])
        self.assertEqual(self.list("--since", "2001-07-01T14:00:01"), [])
        rows = self.table()
        self.assertEqual([(r["asked_at"], r["asked_local"]) for r in rows],
                         [("2001-03-01T22:30:00Z", "2001-03-01T23:30:00+01:00"),
                          ("2001-03-01T23:30:00Z", "2001-03-02T00:30:00+01:00"),
                          ("2001-07-01T12:00:00Z", "2001-07-01T14:00:00+02:00")])
        self.assertGreater(int(rows[0]["days"]), 100)
        out = self.study("list", FILE).out
        self.assertIn("2001-03-02T00:30:00+01:00", out)
        self.assertIn("asked at 2001-07-01T14:00:00+02:00", self.study("ask", FILE, "P3").out)
        os.environ["TZ"] = "UTC"
        self.assertIn("2001-07-01T12:00:00+00:00", self.study("list", FILE).out)

    def test_csv_is_safe_and_whole(self):
        names = ["P1", "=2+3", 'a,"b"', "Żółć"]
        self.study("ask", FILE, *names)
        self.study("cancel", FILE, "P1", "--failed", "-1, he said")
        rows = self.table("--all")
        self.assertEqual([r["example"] for r in rows], ["P1", "'=2+3", 'a,"b"', "Żółć"])
        self.assertEqual([r["state"] for r in rows], ["failed", "issued", "issued", "issued"])
        self.assertEqual(rows[0]["reason"], "'-1, he said")
        self.assertEqual(rows[0]["to_come"], "")
        orders = self.study("list", FILE, "--json", "--all").json["orders"]
        for row, order in zip(rows, orders):
            self.assertEqual(row["to_come"], ", ".join(order["to_come"]))
            self.assertEqual((row["asked_at"], row["asked_local"]), (order["asked_at"], order["asked_local"]))
            self.assertEqual(float(row["price"]), order["price"])
        self.assertEqual(orders[0]["reason"], "-1, he said")

    def test_sheets_have_a_page_for_each_order(self):
        self.study("ask", FILE, "P1", "P2", "P3")
        self.study("tell", FILE, "P2", "age=50")
        out = self.study("list", FILE, "--sheets").out
        pages = out.split("\f")
        self.assertEqual(len(pages), 3)
        for page, example in zip(pages, ("P1", "P2", "P3")):
            self.assertRegex(page, rf"(?m)^example +{example}$")
            self.assertIn("measured by", page)
            self.assertIn("entered by", page)
            for line in self.ask(example)["lines"]:
                self.assertRegex(page, rf"(?m)^  {line['name']} ")
        self.assertRegex(pages[0], r"(?m)^  age +years +0 to 120 +known  _+$")
        self.assertRegex(pages[1], r"(?m)^  age +years +0 to 120 +known  50$")
        self.assertEqual(self.study("ask", FILE, "P1", "P2", "P3", "--sheets").out, out)
        self.assertEqual(self.study("list", FILE, "--sheets", "--state", "failed").out, "")

    def test_what_is_wrong_is_refused(self):
        self.ask("P1")
        for code, words, more in (
                (USAGE, "one of --open, --all and --state", ("--open", "--all")),
                (USAGE, "one of --open, --all and --state", ("--all", "--state", "told")),
                (USAGE, "one of --csv, --json and --sheets", ("--json", "--csv")),
                (USAGE, "one of --csv, --json and --sheets", ("--json", "--sheets")),
                (USAGE, ["no state 'lost'", "cancelled"], ("--state", "lost")),
                (USAGE, "no state ''", ("--state", "")),
                (USAGE, "no state ''", ("--state", "told,")),
                (DATA, "no attribute 'weight'", ("--due", "weight")),
                *((USAGE, f"'{date}' is no date", ("--since", date)) for date in (
                    "yesterday", "2026-13-01", "2026-02-29", "2026-1-1", "2026-01-01T25:00", "2026-01-01T10", "2026-01-01Zx",
                    "+026-01-01", "2026-01-01T10:00+01:00", "")),
                (USAGE, "'x' is no date", ("--before", "x")),
                (USAGE, "too many", ("P1",)),
                (USAGE, "too many", ("--csv", "x.csv")),
                (USAGE, "does not use --reason", ("--reason", "x"))):
            with self.subTest(more=more):
                self.refuses_study(code, words, "list", FILE, *more)
        self.refuses(NO_INPUT, "no study", "study", "list", "none")


class Show(Worklist):
    def test_an_example_with_its_orders_and_its_history(self):
        self.ask("P1")
        self.study("cancel", FILE, "P1")
        order = self.ask("P1")
        self.study("tell", FILE, "P1", "age=45")
        self.study("tell", FILE, "P1", *self.answers(1, order)[1:])
        self.study("correct", FILE, "P1", "age=46", "--reason", "misread")
        before = self.read(FILE)
        out = self.study("show", FILE, "P1").out
        self.assertRegex(out, rf"\Aorder 1: example P1, cancelled, asked at {LOCAL}\n")
        self.assertRegex(out, rf"\n\norder 2: example P1, learned, asked at {LOCAL}\n")
        self.assertRegex(out, r"(?m)^  age +years +known  46$")
        history = re.findall(rf"(?m)^ +(\d+)  {LOCAL}  \S+ +(\w+) +(.*)$", out)
        self.assertEqual([h[1] for h in history], ["ask", "cancel", "ask", "tell", "tell", "correct"])
        self.assertEqual(history[3][2], "order 2: age=45")
        self.assertRegex(history[4][2], r"learned\Z")
        self.assertEqual(history[5][2], "order 2: age=46, learned; reason: misread")
        self.assertEqual(self.read(FILE), before)
        shown = self.study("show", FILE, "P1", "--json").json["examples"][0]
        self.assertEqual([o["order"] for o in shown["orders"]], [1, 2])
        self.assertEqual([h["kind"] for h in shown["history"]], [h[1] for h in history])
        self.assertEqual(shown["history"][3]["values"], [{"name": "age", "value": 45, "note": None}])
        rows = {int(r["event"]): r for r in self.ledger()}
        for event in shown["history"]:
            row = rows[event["event"]]
            self.assertEqual((event["at"], event["reason"] or "", event["spent"]), (row["at"], row["reason"], float(row["spent"])))

    def test_examples_of_the_past_and_several(self):
        self.write("past.csv", "age,glucose,score\n40,5.5,9\n50,,10\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.ask("P1")
        out = self.study("show", FILE, "past.csv:2", "P1").out
        self.assertRegex(out, r"\Aexample past.csv:2 was imported; its values as they stand\n  age      40\n  glucose  5.5\n  score    9\n\nhistory of example past.csv:2\n.*\n +\d+  \S+  \S+  import  age=40, glucose=5.5, score=9, learned\n")
        self.assertIn("\n\norder 1: example P1, issued", out)
        shown = self.study("show", FILE, "past.csv:3", "P1", "--json").json
        self.assertEqual([e["example"] for e in shown["examples"]], ["past.csv:3", "P1"])
        self.assertEqual(shown["examples"][0]["orders"], [])

    def test_who_is_not_there_gets_no_order(self):
        self.ask("P1")
        for words in (("P9",), ("P1", "P9"), ("P9", "--json"), ("p1",)):
            self.refuses_study(DATA, "nothing is known of example", "show", FILE, *words)
        self.refuses_study(USAGE, "it takes", "show", FILE)
        self.refuses_study(DATA, "is empty", "show", FILE, "")
        self.assertEqual(self.status()["orders"], 1)


class AskSeveral(Worklist):
    def test_all_of_a_list_in_one_go(self):
        self.write("today.csv", "example\nP1\nP2\nP3\n")
        out = self.study("ask", FILE, "--csv", "today.csv").out
        self.assertEqual(re.findall(r"(?m)^order (\d): example (P\d), issued", out), [("1", "P1"), ("2", "P2"), ("3", "P3")])
        prices = [o["price"] for o in self.study("list", FILE, "--json").json["orders"]]
        self.assertTrue(out.endswith(f"3 examples: 3 new orders, 0 as before, total {sum(prices):.2f}; {2000 - sum(prices):.2f} of the budget of "
                                     "2000.00 are left\n"), out)
        before = self.read(FILE)
        self.assertEqual(self.study("ask", FILE, "P1", "P2", "P3").out, out.replace("3 new orders, 0 as", "0 new orders, 3 as"))
        self.assertEqual(self.read(FILE), before)
        found = self.study("ask", FILE, "P3", "P4", "--json").json
        self.assertEqual([o["order"] for o in found["orders"]], [3, 4])
        self.assertEqual(found["orders"][0]["state"], "issued")
        self.verified()

    def test_a_list_may_have_other_columns(self):
        self.write("today.csv", "time,example,ward\n08:00,P1,north\n,P2,\n\n08:30,\"P3\",\n")
        out = self.study("ask", FILE, "--csv", "today.csv").out
        self.assertEqual(re.findall(r"(?m)^order \d: example (P\d), issued", out), ["P1", "P2", "P3"])
        self.write("today.csv", "time,example\n08:00,P4\n08:15,\n")
        self.refuses_study(DATA, "is empty", "ask", FILE, "--csv", "today.csv")
        self.write("today.csv", "time,example\n08:00,P4\n08:15\n")
        self.refuses_study(DATA, "another number of fields", "ask", FILE, "--csv", "today.csv")

    def test_all_or_none(self):
        self.create("-k", "2", "--budget-cost", "120", file="small")
        self.study("ask", "small", "P1")
        many = [f"Q{i}" for i in range(30)]
        sentence = self.refuses_study(OTHER, ["budget-cost", "none of the 30 examples"], "ask", "small", *many, file="small")
        self.assertRegex(sentence, r"example 'Q\d+'")
        self.assertEqual(self.status("small")["orders"], 1)
        self.refuses_study(OTHER, ["'P1'", "none of the 3 examples"], "ask", FILE, "P1", "Q", "p1")
        self.study("ask", FILE, "P1", "P2")
        self.study("cancel", FILE, "P1", "--failed", "left")
        self.refuses_study(OTHER, ["'P1'", "has failed", "none of the 2"], "ask", FILE, "P3", "P1")
        for code, words, more in ((USAGE, "--csv has the examples", ("P1", "--csv", "x.csv")),
                                  (NO_INPUT, "x.csv", ("--csv", "x.csv")), (USAGE, "needs a value", ("--csv",)),
                                  (DATA, "is empty", ("P5", "")), (USAGE, "--sheets", ("P5", "--sheets", "--json"))):
            self.refuses_study(code, words, "ask", FILE, *more)
        self.write("other.csv", "name\nP5\n")
        self.refuses_study(DATA, "no column 'example'", "ask", FILE, "--csv", "other.csv")
        self.write("other.csv", "age\n5\n")
        self.refuses_study(DATA, "no column 'example'", "ask", FILE, "--csv", "other.csv")
        self.verified()

    def test_a_dry_run_changes_nothing_at_all(self):
        self.ask("P1")
        before = self.read(FILE)
        out = self.study("ask", FILE, "P1", "P2", "P3", "--dry-run").out
        self.assertIn("dry run: nothing is ordered\n", out)
        self.assertIn("3: 2 would get an order, 1 has one\n", out)
        self.assertRegex(out, r"(?m)^price +\d+\.\d\d to \d+\.\d\d per order, \d+\.\d\d on average: \d+\.\d\d for 2$")
        self.assertRegex(out, r"(?m)^budget +\d+\.\d\d are left: it covers this$")
        self.assertRegex(out, r"(?m)^  age +1\.00$")
        plan = self.study("ask", FILE, "P2", "--dry-run", "--json").json
        self.assertEqual(self.study("ask", FILE, "P2", "--dry-run", "--json").json, plan)
        self.assertTrue(self.read(FILE) == before)
        self.assertEqual((plan["new_orders"], plan["covered"], plan["draws"]), (1, "yes", 1000))
        self.assertEqual([c["name"] for c in plan["chances"]], NAMES)
        real = self.ask("P2")
        self.assertTrue(plan["least"] <= real["price"] <= plan["most"])
        self.assertAlmostEqual(plan["left"] - real["price"], real["left"])
        for words, code in ((("p2",), OTHER), (("",), DATA)):
            self.refuses_study(code, "", "ask", FILE, *words, "--dry-run")

    def test_a_dry_run_says_whether_the_budget_covers_it(self):
        self.create("-k", "2", "--budget-cost", "91", file="small")
        self.assertEqual(self.study("ask", "small", "a", "--dry-run", "--json").json["covered"], "yes")
        self.assertEqual(self.study("ask", "small", "a", "b", "c", "--dry-run", "--json").json["covered"], "maybe")
        many = [f"Q{i}" for i in range(40)]
        self.assertIn("it does not cover this", self.study("ask", "small", *many, "--dry-run").out)
        self.write("free.csv", "name\na\nb\nc\n")
        self.create("-k", "2", "--budget", "3", file="free", catalogue="free.csv")
        self.assertIn("3 attributes are left: it covers this", self.study("ask", "free", "x", "--dry-run").out)
        plan = self.study("ask", "free", "x", "y", "--dry-run", "--json").json
        self.assertEqual((plan["left"], plan["attributes_left"], plan["covered"]), (None, 3, "maybe"))


class Ends(Worklist):
    def test_cancel_says_what_would_be_lost(self):
        order = self.ask("P1")
        paid = next(line for line in order["lines"] if line["price"])
        self.study("tell", FILE, "P1", "age=50", f"{paid['name']}=1")
        for how in ((), ("--failed", "went home"), ("--expired",)):
            sentence = self.refuses_study(OTHER, [paid["name"], "'P1'", "--yes"], "cancel", FILE, "P1", *how)
            self.assertNotIn("age", sentence)
            money = f"all of its {order['price']:.2f}" if "--expired" in how else f"its {paid['price']:.2f} stay spent"
            self.assertIn(money, sentence)
        self.assertIn("expired", self.study("cancel", FILE, "P1", "--expired", "--yes").out)
        self.assertIn("cancelled", self.study("cancel", FILE, "P1").out)  # reconciled: nothing more is lost
        self.study("ask", FILE, "P2", "P3")
        self.study("tell", FILE, "P2", "age=50")  # which is known anyway
        self.study("cancel", FILE, "P2")
        self.study("tell", FILE, "P3", "score=1")
        self.refuses_study(OTHER, ["score", "was told"], "cancel", FILE, "P3")
        self.verified()

    def test_a_mistaken_end_is_taken_back(self):
        order = self.ask("P1")
        words = self.answers(1, order)
        self.study("tell", FILE, "P1", *words[:2])
        spent = self.status()["spent"]
        self.study("cancel", FILE, "P1", "--failed", "went home", "--yes")
        out = self.study("reopen", FILE, "P1", "--reason", "it was another").out
        self.assertRegex(out, r"\Areopened: example P1: partly told, .* spent; to come: ")
        status = self.status()
        self.assertEqual((status["spent"], status["reserved"], status["open"]), (spent, order["price"] - spent, 1))
        self.assertEqual(self.ledger()[-1]["kind"], "reopen")
        self.assertEqual(self.ledger()[-1]["reason"], "it was another")
        self.assertIn("nothing new", self.study("tell", FILE, "P1", *words[:2]).out)
        self.assertIn("learned", self.study("tell", FILE, "P1", *words).out)
        self.verified()

    def test_what_forbids_reopening(self):
        self.study("ask", FILE, "P1", "P2")
        self.refuses_study(USAGE, "--reason", "reopen", FILE, "P1")
        self.refuses_study(USAGE, "reason", "reopen", FILE, "P1", "--reason", "")
        self.refuses_study(OTHER, "no end to take back", "reopen", FILE, "P1", "--reason", "x")
        self.refuses_study(DATA, "'P9'", "reopen", FILE, "P9", "--reason", "x")
        self.refuses_study(USAGE, "it takes", "reopen", FILE, "--reason", "x")
        self.refuses_study(USAGE, "too many", "reopen", FILE, "P1", "P2", "--reason", "x")
        self.study("cancel", FILE, "P1")
        self.ask("P1")
        self.refuses_study(OTHER, "no end to take back", "reopen", FILE, "P1", "--reason", "x")
        self.create("-k", "2", "--budget-cost", "91", file="small")
        self.ask("P1", file="small")
        self.study("cancel", "small", "P1")
        for n in range(100):
            if self.run_command("study", "ask", "small", f"Q{n}").code:
                break
        if self.status("small")["left"] < self.study("list", "small", "--json", "--all").json["orders"][0]["price"]:
            self.refuses_study(OTHER, "of the budget are left", "reopen", "small", "P1", "--reason", "x", file="small")
        self.create("-k", "2", "--max-open", "1", file="one")
        self.ask("P1", file="one")
        self.study("cancel", "one", "P1", "--expired")
        self.ask("P2", file="one")
        self.refuses_study(OTHER, "max-open", "reopen", "one", "P1", "--reason", "x", file="one")


class Names(Worklist):
    def test_a_name_that_is_nearly_another_is_questioned(self):
        self.write("past.csv", "example,age,score\nOld-1,40,9\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.ask("P-001")
        for name in ("p-001", "P-0 01", "P–001", "old-1", "OLD - 1"):
            old = "P-001" if name[0] in "pP" else "Old-1"
            self.refuses_study(OTHER, [f"'{old}'", f"'{name}'", "--new-name"], "ask", FILE, name)
        self.write("again.csv", "example,age,score\nOLD-1,41,9\n")
        self.refuses_study(OTHER, ["line 2", "'Old-1'", "--new-name"], "import", FILE, "--csv", "again.csv")
        self.study("import", FILE, "--csv", "again.csv", "--new-name")
        self.assertEqual(self.study("ask", FILE, "p-001", "--new-name", "--json").json["order"], 2)
        self.assertEqual(self.ask("p-001")["order"], 2)  # it is an old one now
        self.assertEqual(self.ask("P-001")["order"], 1)
        self.verified()


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
