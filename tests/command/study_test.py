"""scant study: asking, telling and everything after, and what is refused with nothing changed."""
import csv as csv_reader
import fcntl
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import xml.dom.minidom

from support import DATA, DONE, IO, NO_INPUT, OTHER, SCANT, USAGE, CommandTest, Run, environment

BUSY = 75
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
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


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
        return self.study("create", file, "--attributes", catalogue, *words)

    def ask(self, example, file=FILE):
        return self.study("ask", file, example, "--json").json

    def status(self, file=FILE):
        return self.study("status", file, "--json").json

    def ledger(self, file=FILE):
        return list(csv_reader.DictReader(io.StringIO(self.study("ledger", file).out)))

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


class Life(StudyTest):
    def test_a_whole_order_with_what_each_step_prints(self):
        self.assertEqual(self.create("-k", "2", "--budget-cost", "500", "--target", "score").out,
                         f"{FILE}: a study of 6 attributes, 1 of them always known\nauto, K = 2, a budget of 500.00\n")
        out = self.study("ask", FILE, "P1").out
        self.assertRegex(out, rf"\Aorder 1: example P1, issued, asked at {TIME}\n"
                              r"  attribute +unit +group +price  value\n")
        self.assertRegex(out, r"(?m)^  age +years +known  ______$")
        self.assertRegex(out, r"(?m)^  cholesterol +mmol/l  lipids +10\.00  ______$")
        self.assertRegex(out, r"(?m)^  hdl +mmol/l  lipids +-  ______$")
        self.assertRegex(out, r"(?m)^  score +target  ______$")
        self.assertTrue(out.endswith("\ntotal 13.50; 486.50 of the budget of 500.00 are left\n"), out)
        self.assertEqual(self.study("tell", FILE, "P1", "hdl=1.5").out,
                         "example P1: partly told, 10.00 of 13.50 spent; to come: age, cholesterol, triglycerides, "
                         "glucose, score\n")
        self.assertRegex(self.study("ask", FILE, "P1").out, r"(?m)^  hdl .* 1\.5$")
        self.assertEqual(self.study("tell", FILE, "P1", "score=11.3", "age=45", "cholesterol=missing").out,
                         "example P1: partly told, 10.00 of 13.50 spent; to come: triglycerides, glucose\n")
        self.assertRegex(self.study("ask", FILE, "P1").out, r"(?m)^  cholesterol .* missing$")
        self.assertEqual(self.study("tell", FILE, "P1", "triglycerides=2", "glucose=5e0").out,
                         "example P1: learned, 13.50 of 13.50 spent\n")
        status = self.study("status", FILE).out
        self.assertIn("orders       1: 1 learned\n", status)
        self.assertIn("money        13.50 spent, 0.00 reserved for open orders\n", status)
        self.assertIn("budget       486.50 of the budget of 500.00 are left\n", status)
        self.assertNotIn("open orders\n ", status)
        self.assertEqual(self.study("verify", FILE).out,
                         "verified: 5 events, 1 order\n"
                         "replayed from the ledger, by the same build, the learner is the same bit for bit\n")

    def test_the_ledger_is_csv_and_adds_up(self):
        self.create("-k", "2", "--budget-cost", "900", "--seed", "4")
        self.go_on(range(6))
        self.ask("late")
        self.study("cancel", FILE, "late", "--failed", 'no "show", sadly')
        rows = self.ledger()
        self.assertEqual([int(r["event"]) for r in rows], list(range(1, len(rows) + 1)))
        self.assertEqual([r["kind"] for r in rows], ["create", *["ask", "tell"] * 6, "ask", "fail"])
        self.assertEqual(rows[-1]["reason"], 'no "show", sadly')
        for row in rows:
            self.assertRegex(row["at"], rf"\A{TIME}\Z")
            self.assertRegex(row["checksum"], r"\A[0-9a-f]{16}\Z")
        status = self.status()
        self.assertEqual(f"{sum(float(r['spent']) for r in rows):.2f}", f"{status['spent']:.2f}")
        self.assertEqual(f"{sum(float(r['reserved']) for r in rows):.2f}", f"{status['reserved']:.2f}")
        self.assertEqual(sum(int(r["attributes"]) for r in rows), status["attributes_reserved"])
        for asked, told in zip(rows[1:13:2], rows[2:14:2]):
            names = asked["values"].split("; ")
            values = dict(v.split("=") for v in told["values"].split("; "))
            number = int(told["example"][1:])
            x, y = patient(number)
            self.assertEqual({k: float(v) for k, v in values.items()}, {**{n: x[n] for n in names}, "y": y})
            self.assertEqual(told["learned"], "yes")

    def test_asking_again_gives_the_same_order(self):
        self.create("-k", "2")
        first = self.ask("P1")
        events = self.status()["events"]
        self.assertEqual(self.ask("P1"), first)
        self.assertNotEqual(self.ask("P2")["order"], first["order"])
        self.assertEqual(self.ask("P1"), first)
        self.assertEqual(self.status()["events"], events + 1)
        self.go_on([1])
        self.assertEqual(self.ask("P1")["state"], "learned")
        self.assertEqual(self.status()["open"], 1)

    def test_telling_again_changes_nothing_and_other_values_are_refused(self):
        self.create("-k", "2")
        words = self.answers(1, self.ask("P1"))
        self.study("tell", FILE, "P1", *words[:2])
        before = self.read(FILE)
        again = self.study("tell", FILE, "P1", *words[:2]).out
        self.assertTrue(again.startswith("nothing new: example P1: partly told"), again)
        self.assertEqual(self.read(FILE), before)
        self.study("tell", FILE, "P1", *words)
        before = self.read(FILE)
        self.assertIn("nothing new: example P1: learned", self.study("tell", FILE, "P1", *words).out)
        self.assertEqual(self.read(FILE), before)
        stored = words[0].split("=")
        self.refuses_study(DATA, [f"'{stored[0]}'", f"is {stored[1]} already", "correction"], "tell", FILE, "P1",
                           f"{stored[0]}=7.77")
        self.verified()

    def test_answers_come_late_and_out_of_order(self):
        self.create("-k", "2", "--budget-cost", "4000")
        orders = {n: self.ask(f"P{n}") for n in range(8)}
        words = [(n, w) for n in orders for w in self.answers(n, orders[n])]
        random.Random(3).shuffle(words)
        for n, word in words:
            self.study("tell", FILE, f"P{n}", word)
        status = self.status()
        self.assertEqual((status["learned"], status["open"]), (8, 0))
        self.assertEqual(status["most_age"], 7)
        self.assertEqual(status["mean_age"], 3.5)
        self.verified()

    def test_open_orders_are_listed_with_their_age(self):
        self.create("-k", "2")
        self.ask("waits")
        self.go_on(range(3))
        out = self.study("status", FILE).out
        self.assertRegex(out, rf"(?m)^ +1  issued       {TIME} +3 +\d+\.50  waits$")
        found = self.status()["open_orders"]
        self.assertEqual([(o["order"], o["example"], o["state"], o["age"]) for o in found], [(1, "waits", "issued", 3)])

    def test_two_studies_with_the_same_answers_are_the_same_by_seed(self):
        for file, seed in (("a", "7"), ("b", "7"), ("c", "8")):
            self.create("-k", "2", "--seed", seed, file=file)
            self.go_on(range(12), file)
            self.study("export", file, "-o", f"{file}.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.assertNotEqual(self.read("a.json"), self.read("c.json"))

    def test_every_row_that_can_be_asked_can_be_studied(self):
        self.write("plain.csv", "name\n" + "".join(f"{n}\n" for n in NAMES))
        for row in ("aerr", "auto", "ridge", "lasso", "svr", "gaussian", "moments", "aesvr"):
            with self.subTest(row=row):
                self.create("-k", "6" if row == "aesvr" else "4", "--algorithm", row, file=row, catalogue="plain.csv")
                self.go_on(range(4), row)
                self.verified(row)
        self.refuses(USAGE, "full-ridge", "study", "create", "f", "--attributes", "plain.csv", "-k", "4",
                     "--algorithm", "full-ridge")


class Money(StudyTest):
    def test_a_budget_is_never_exceeded(self):
        self.create("-k", "2", "--budget-cost", "200")
        seen = 0
        for number in range(60):
            result = self.run_command("study", "ask", FILE, f"P{number}")
            status = self.status()
            self.assertLessEqual(status["spent"] + status["reserved"], 200)
            self.assertAlmostEqual(status["left"], 200 - status["spent"] - status["reserved"], places=9)
            if result.code == OTHER:
                self.check_refusal(result, OTHER, "budget", "of 200.00")
                break
            seen += 1
            if number % 2:
                self.go_on([number])
        self.assertGreater(seen, 1)
        self.assertEqual(result.code, OTHER)
        self.refuses_study(OTHER, ["budget", "this order costs"], "ask", FILE, "another")
        self.assertEqual(self.ask("P0")["order"], 1)  # what was ordered is still there
        self.verified()

    def test_a_budget_of_attributes(self):
        self.create("-k", "2", "--budget", "5")
        self.assertIn("3 of the budget of 5 attributes are left", self.study("ask", FILE, "a").out)
        self.assertIn("1 of the budget of 5 attributes are left", self.study("ask", FILE, "b").out)
        self.refuses_study(OTHER, "4 of the budget of 5 attributes", "ask", FILE, "c")
        self.study("cancel", FILE, "a")
        self.assertEqual(self.ask("c")["attributes_left"], 1)

    def test_cancelling_refunds_what_was_not_measured(self):
        self.create("-k", "2", "--budget-cost", "500")
        price = self.ask("P1")["price"]
        self.assertEqual(self.study("cancel", FILE, "P1").out, f"example P1: cancelled, {price:.2f} refunded, 0.00 spent\n")
        self.assertEqual(self.status()["left"], 500)
        second = self.ask("P1")  # nothing was measured: it may be asked for anew
        self.assertEqual(second["order"], 2)
        paid = next(line for line in second["lines"] if line["price"])
        self.study("tell", FILE, "P1", f"{paid['name']}=1")
        self.study("cancel", FILE, "P1", "--failed", "went home")
        status = self.status()
        self.assertEqual((status["spent"], status["reserved"], status["failed"]), (paid["price"], 0, 1))
        self.refuses_study(OTHER, "failed", "ask", FILE, "P1")
        self.refuses_study(OTHER, ["failed", "ended"], "cancel", FILE, "P1")
        self.refuses_study(OTHER, "failed", "tell", FILE, "P1", "y=1")
        self.verified()

    def test_an_expired_order_stays_paid_until_it_is_cancelled(self):
        self.create("-k", "2", "--budget-cost", "500")
        price = self.ask("P1")["price"]
        self.assertEqual(self.study("cancel", FILE, "P1", "--expired").out,
                         f"example P1: expired; its {price:.2f} stay spent until it is cancelled\n")
        status = self.status()
        self.assertEqual((status["spent"], status["reserved"], status["expired"]), (price, 0, 1))
        self.refuses_study(OTHER, "expired", "ask", FILE, "P1")
        self.refuses_study(OTHER, "expired", "cancel", FILE, "P1", "--expired")
        self.study("cancel", FILE, "P1")
        self.assertEqual(self.status()["spent"], 0)
        self.verified()

    def test_a_group_is_bought_as_one(self):
        self.create("-k", "2")
        for number in range(20):
            lines = self.ask(f"P{number}")["lines"]
            lipids = [line["price"] for line in lines if line["group"] == "lipids"]
            self.assertIn(lipids, ([], [10, 0, 0]))
        order = next(o for o in (self.ask(f"P{n}") for n in range(20)) if any(x["group"] for x in o["lines"]))
        self.study("tell", FILE, order["example"], "triglycerides=2")
        self.assertEqual(self.ask(order["example"])["spent"], 10)
        self.assertEqual({a["name"]: a["money"] for a in self.status()["attributes"]}["cholesterol"], 10)

    def test_a_known_attribute_is_in_every_order_and_costs_nothing(self):
        self.create("-k", "2")
        for number in range(5):
            line = next(x for x in self.ask(f"P{number}")["lines"] if x["name"] == "age")
            self.assertEqual((line["known"], line["price"], line["probability"]), (True, 0, 1))

    def test_spend_limits_each_order(self):
        self.create("--spend", "90")
        self.assertIn("at most 90.00 an example", self.study("status", FILE).out)
        for number in range(10):
            self.assertLessEqual(self.ask(f"P{number}")["price"], 90)

    def test_no_more_orders_are_open_than_allowed(self):
        self.create("-k", "2", "--max-open", "3")
        for number in range(3):
            self.ask(f"P{number}")
        self.refuses_study(OTHER, "open", "ask", FILE, "P3")
        self.go_on([0])
        self.assertEqual(self.ask("P3")["order"], 4)


class Values(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--seed", "1")
        self.order = self.ask("P1")
        self.ordered = [line["name"] for line in self.order["lines"]]
        self.other = next(n for n in NAMES if n not in self.ordered)

    def test_what_is_wrong_is_refused(self):
        name = "glucose"
        self.assertIn(name, self.ordered)
        for code, words, arguments in (
                (DATA, ["'P9'", "nothing was ever asked"], ("tell", FILE, "P9", "y=1")),
                (DATA, "no attribute 'x'", ("tell", FILE, "P1", "x=1")),
                (DATA, [f"'{self.other}'", "not ordered"], ("tell", FILE, "P1", f"{self.other}=1")),
                (DATA, ["'glucose' is 51", "range"], ("tell", FILE, "P1", "glucose=51")),
                (DATA, ["'glucose' is -0.5", "range"], ("tell", FILE, "P1", "glucose=-0.5")),
                (DATA, "twice", ("tell", FILE, "P1", "glucose=5", "glucose=5")),
                (DATA, "can't be missing", ("tell", FILE, "P1", "y=missing")),
                (DATA, "no attribute", ("tell", FILE, "P1", "age=50", "nothing=1")),  # all or none
                (USAGE, "number", ("tell", FILE, "P1", "glucose=nan")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=inf")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=1e999")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=0x10")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=5,4")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=5 mmol")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=Missing")),
                (USAGE, "NAME=VALUE", ("tell", FILE, "P1", "glucose")),
                (USAGE, "NAME=VALUE", ("tell", FILE, "P1", "=5")),
                (USAGE, "it takes", ("tell", FILE, "P1")),
                (USAGE, "it takes", ("ask", FILE)),
                (USAGE, "too many", ("ask", FILE, "P1", "P2")),
                (USAGE, "--reason", ("correct", FILE, "P1", "glucose=5")),
                (DATA, "never told", ("correct", FILE, "P1", "glucose=5", "--reason", "typo")),
                (USAGE, "not both", ("cancel", FILE, "P1", "--expired", "--failed", "x")),
                (USAGE, "reason", ("cancel", FILE, "P1", "--failed", "")),
                (DATA, "'P9'", ("cancel", FILE, "P9")),
                (DATA, "is empty", ("ask", FILE, "")),
                (DATA, "control characters", ("ask", FILE, "a\nb")),
                (DATA, "300 bytes", ("ask", FILE, "x" * 300)),
                (USAGE, "does not use --json", ("tell", FILE, "P1", "y=1", "--json")),
                (USAGE, ["does not use -k", "study create"], ("ask", FILE, "P1", "-k", "3")),
                (USAGE, "-o MODEL", ("export", FILE)),
                (USAGE, "--csv", ("import", FILE)),
                (USAGE, "overwritten", ("export", FILE, "-o", FILE)),
                (USAGE, "overwritten", ("export", FILE, "-o", FILE + "-lock")),
                (USAGE, "overwritten", ("status", FILE, "--plot", "./" + FILE)),
                (IO, "folder", ("status", FILE, "--plot", "none/x.svg")),
                (IO, FILE, ("backup", FILE, FILE)),
                (DATA, "'y'", ("predict", FILE, "y=1")),
                (DATA, "no attribute", ("predict", FILE, "x=1")),
                (DATA, "two examples", ("predict", FILE, "age=50")),
                (USAGE, "interval", ("predict", FILE, "age=50", "--interval", "1")),
                (USAGE, ["'dance'", "create", "backup"], ("dance", FILE)),
                (IO, FILE, ("create", FILE, "--attributes", "attributes.csv", "-k", "2"))):
            with self.subTest(arguments=arguments):
                self.refuses_study(code, words, *arguments)
        self.verified()

    def test_sql_in_names_is_just_a_name(self):
        evil = "x'); DROP TABLE ledger;--"
        self.refuses_study(DATA, "no attribute", "tell", FILE, "P1", f"{evil}=1")
        self.refuses_study(DATA, "nothing was ever asked", "tell", FILE, evil, "y=1")
        self.assertEqual(self.ask(evil)["example"], evil)
        self.assertEqual(self.ledger()[-1]["example"], evil)
        self.study("cancel", FILE, evil, "--failed", evil)
        self.assertEqual(self.ledger()[-1]["reason"], evil)
        self.verified()
        self.write("evil.csv", f'name\n"{evil}"\n"b"" OR 1"\n')
        self.create("-k", "2", file="evil", catalogue="evil.csv")
        self.assertEqual({line["name"] for line in self.ask("e", "evil")["lines"]}, {evil, 'b" OR 1'})
        self.study("tell", "evil", "e", f"{evil}=1", 'b" OR 1=2', "y=3")
        self.assertEqual(self.status("evil")["learned"], 1)
        self.verified("evil")

    def test_names_of_all_kinds_are_printed_well(self):
        self.write("names.csv", 'name,unit\n"größe, links","µm"\n"a ""b"" \\ c",\n')
        self.create("-k", "2", file="names", catalogue="names.csv", *("--target", "Ergebnis"))
        order = self.ask("Jörg \"J\" \\", "names")
        self.assertEqual(order["example"], 'Jörg "J" \\')
        self.assertEqual({line["name"] for line in order["lines"]}, {"größe, links", 'a "b" \\ c'})
        lines = self.study("ask", "names", order["example"]).out.splitlines()
        self.assertEqual(len({line.rindex("______") for line in lines if "______" in line}), 1)  # aligned
        self.study("tell", "names", order["example"], "größe, links=1.5", 'a "b" \\ c=missing', "Ergebnis=2")
        rows = self.ledger("names")
        self.assertEqual(set(rows[-1]["values"].split("; ")), {"größe, links=1.5", 'a "b" \\ c=missing', "Ergebnis=2"})

    def test_missing_values_by_policy(self):
        for policy in ("error", "skip-cell", "skip-example"):
            with self.subTest(policy=policy):
                self.create("-k", "2", "--missing", policy, file=policy)
                self.go_on(range(3), policy)
                order = self.ask("m", policy)
                words = self.answers(1, order)
                if policy == "error":
                    self.refuses_study(DATA, "missing", "tell", policy, "m", "age=missing", file=policy)
                    continue
                words[1] = words[1].split("=")[0] + "=missing"
                self.study("tell", policy, "m", *words)
                self.assertEqual(self.status(policy)["learned"], 4)
                self.assertEqual(self.ask("m", policy)["lines"][1]["state"], "missing")
                self.refuses_study(DATA, "is missing already", "tell", policy, "m", self.answers(1, order)[1], file=policy)
                self.verified(policy)

    def test_a_correction_is_recorded_and_learned(self):
        self.study("tell", FILE, "P1", *self.answers(1, self.order))
        self.go_on(range(2, 10))
        self.study("export", FILE, "-o", "before.json")
        self.assertEqual(self.study("correct", FILE, "P1", "glucose=6.6", "--reason", "typo").out,
                         "example P1: corrected, and all was learned anew\n")
        self.assertEqual(self.ledger()[-1]["kind"], "correct")
        self.assertEqual(self.ledger()[-1]["reason"], "typo")
        self.assertEqual(next(x for x in self.ask("P1")["lines"] if x["name"] == "glucose")["value"], 6.6)
        self.study("export", FILE, "-o", "after.json")
        self.assertNotEqual(self.model("before.json")["weights"], self.model("after.json")["weights"])
        before = self.read(FILE)
        self.assertIn("nothing new", self.study("correct", FILE, "P1", "glucose=6.6", "--reason", "typo").out)
        self.assertEqual(self.read(FILE), before)
        self.refuses_study(DATA, "range", "correct", FILE, "P1", "glucose=99", "--reason", "typo")
        self.verified()

    def test_a_corrected_study_is_as_if_it_had_been_told_so(self):
        for file, glucose, y in (("wrong", "5.1", "8"), ("right", "6.6", "9")):
            self.create("-k", "2", "--seed", "1", file=file)
            self.go_on(range(2, 10), file)
            words = [w for w in self.answers(1, self.ask("last", file)) if not re.match("glucose|y", w)]
            self.study("tell", file, "last", *words, f"y={y}")
            self.study("tell", file, "last", f"glucose={glucose}")
        self.study("correct", "wrong", "last", "glucose=6.6", "y=9", "--reason", "typo")
        for file in ("wrong", "right"):  # no look was asked for after it, so nothing else may differ
            self.study("export", file, "-o", f"{file}.json")
        self.assertEqual(self.model("right.json")["weights"], self.model("wrong.json")["weights"])


class Files(StudyTest):
    def csv_of(self, orders):
        lines = ["example," + ",".join(NAMES) + ",y"]
        for number, order in orders.items():
            values = dict(w.split("=") for w in self.answers(number, order))
            lines.append(",".join([f"P{number}", *(values.get(n, "") for n in (*NAMES, "y"))]))
        return lines

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
        self.assertEqual(self.study("tell", "a", "--csv", "answers.csv").out, "6 rows taken down, 0 examples learned\n")
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
        self.assertEqual(self.study("tell", FILE, "--csv", "answers.csv").out, "5 rows taken down, 3 examples learned\n")
        self.verified()

    def test_bad_files_of_answers_change_nothing(self):
        self.create("-k", "2")
        self.ask("P1")
        for content, words in (("age,y\n4,5\n", "no column 'example'"), ("example,age\nP1,old\n", ["line 2", "'old'"]),
                               ("example,age\nP1,4,5\n", ["line 2", "fields"]), ('example,age\n"P1,4\n', "quote"),
                               ("example,age,example\nP1,4,P2\n", ["'example'", "two columns"]),
                               ("example,age\n,4\n", ["line 2", "is empty"]), ("example,age\nP1,\0\n", "NUL"),
                               ("example,age\nP1,nan\n", ["line 2", "NaN"]), ("example,x\nP1,4\n", ["line 2", "'x'"]),
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
                    self.refuses_study(DATA, words, "tell", FILE, "--csv", "bad.csv")
        self.refuses_study(NO_INPUT, "none.csv", "tell", FILE, "--csv", "none.csv")
        self.refuses_study(USAGE, "too many", "tell", FILE, "P1", "--csv", "bad.csv")

    def test_cells_that_are_empty_are_not_told(self):
        self.create("-k", "2")
        self.ask("P1")
        self.ask("P2")
        self.write("answers.csv", "y,example,age\n,P1,40\n,P2,\n7,P1,\n")
        self.assertEqual(self.study("tell", FILE, "--csv", "answers.csv").out, "3 rows taken down, 0 examples learned\n")
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
        self.assertEqual([r["example"] for r in self.ledger()[1:]], [str(n) for n in range(2, 32)])
        before = self.read(FILE)
        self.assertEqual(self.study("import", FILE, "--csv", "past.csv").out, "30 rows taken down, 0 examples learned\n")
        self.assertEqual(self.read(FILE), before)
        self.refuses_study(OTHER, "imported", "ask", FILE, "2")
        self.write("more.csv", "example,age,y\nold-1,50,9\nold-2,50,\n")
        self.check_refusal(self.run_command("study", "import", FILE, "--csv", "more.csv"), DATA, "line 3", "no 'y'",
                           "1 row before it was")
        self.write("other.csv", "age,y\n50,9\n")
        self.refuses_study(OTHER, "imported before with other values", "import", FILE, "--csv", "other.csv")
        self.write("changed.csv", "\n".join([lines[0], lines[1].replace(lines[1].split(",")[0], "1.5", 1), *lines[2:]]))
        self.refuses_study(OTHER, ["line 2", "imported before with other values"], "import", FILE, "--csv", "changed.csv")
        self.go_on(range(5))
        self.verified()


class Use(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "5000")
        self.go_on(range(30))

    def test_a_prediction_with_its_interval(self):
        out = self.study("predict", FILE, "age=50", "scan=1.5").out
        match = re.fullmatch(r"y = (\S+), and from (\S+) to (\S+) with probability 0\.9\n", out)
        mean, low, high = (float(g) for g in match.groups())
        self.assertTrue(low < mean < high)
        wide = self.study("predict", FILE, "age=50", "scan=1.5", "--interval", "0.99", "--json").json
        self.assertAlmostEqual(wide["prediction"], mean, delta=1e-4 * abs(mean))
        self.assertTrue(wide["low"] < low and high < wide["high"])
        self.assertEqual(wide["level"], 0.99)
        self.assertNotEqual(self.study("predict", FILE).out, out)  # of nothing known
        self.assertEqual(self.study("predict", FILE, "age=50", "hdl=missing", "scan=1.5").out, out)

    def test_an_exported_model_is_a_model(self):
        self.assertEqual(self.study("export", FILE, "-o", "m.json").out, "model: m.json, of 30 examples\n")
        self.study("export", FILE, "-o", "g.json", "--gaussian")
        rows = [patient(n)[0] for n in range(200, 220)]
        self.write("new.csv", ",".join(NAMES) + "\n" + "".join(",".join(str(x[n]) for n in NAMES) + "\n" for x in rows))
        model = self.model("m.json")
        weights = model["weights"]
        expected = [model["intercept"] + sum(w * x[n] for w, n in zip(weights, NAMES)) for x in rows]
        found = [float(v) for v in self.succeeds("predict", "m.json", "new.csv").out.split()]
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, places=9)
        self.assertIn("scan", self.succeeds("show", "m.json").out)
        self.assertIn("gaussian", self.succeeds("show", "g.json").out)
        lines = self.succeeds("predict", "g.json", "new.csv", "--interval", "0.9").out.splitlines()[1:]
        for line, x in zip(lines, rows):
            p = self.study("predict", FILE, *(f"{n}={x[n]}" for n in NAMES), "--json").json
            for a, b in zip(line.split(","), (p["prediction"], p["low"], p["high"])):
                self.assertAlmostEqual(float(a), b, places=9)

    def test_reading_changes_nothing(self):
        before = self.read(FILE)
        for words in (["status"], ["ledger"], ["verify"], ["predict"]):
            self.study(words[0], FILE)
        self.assertEqual(self.read(FILE), before)

    def test_a_plot_is_drawn(self):
        self.assertIn("\ncurve.svg is drawn\n", self.study("status", FILE, "--plot", "curve.svg").out)
        drawing = xml.dom.minidom.parseString(self.read("curve.svg"))
        text = "".join(n.firstChild.data for n in drawing.getElementsByTagName("text") if n.firstChild)
        for word in (*NAMES, "risk", "examples learned"):
            self.assertIn(word, text)
        bars = [float(r.getAttribute("width")) for r in drawing.getElementsByTagName("rect")[1:]]
        self.assertEqual(len(bars), 12)
        purchases = sorted((a["purchases"] for a in self.status()["attributes"]), reverse=True)
        for width, count in zip(bars, purchases):
            self.assertAlmostEqual(width / bars[0], count / purchases[0], places=2)
        points = drawing.getElementsByTagName("polyline")[0].getAttribute("points").split()
        self.assertEqual(len(points), sum(1 for r in self.ledger() if r["learned"] == "yes" and float(r["risk_error"] or 0)))
        self.create("-k", "2", file="empty")
        self.study("status", "empty", "--plot", "empty.svg")
        self.assertIn(b"nothing was learned yet", self.read("empty.svg"))

    def test_a_backup_is_a_study_that_goes_on(self):
        self.ask("open")
        self.assertEqual(self.study("backup", FILE, "copy").out, f"copy: a copy of {FILE}\n")
        self.assertEqual(os.stat(self.path("copy")).st_mode & 0o777, 0o600)
        self.assertEqual(self.verified("copy"), self.verified())
        self.assertEqual(self.study("ledger", "copy").out, self.study("ledger", FILE).out)
        self.go_on(range(50, 53), "copy")
        self.go_on(range(50, 53))
        self.assertEqual([r["values"] for r in self.ledger("copy")], [r["values"] for r in self.ledger()])
        self.refuses_study(IO, "copy", "backup", FILE, "copy")
        self.assertEqual(os.stat(self.path(FILE)).st_mode & 0o777, 0o600)


class Foreign(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "900")
        self.go_on(range(4))
        self.ask("open")

    def refused_by_all(self, code, words, file=FILE, actions=("ask", "status")):
        before = sorted(os.listdir(self.folder)), self.read(file)
        for action in actions:
            result = self.run_command("study", action, file, *(["x"] if action == "ask" else []))
            self.check_refusal(result, code, *([words] if isinstance(words, str) else words))
        files = [n for n in sorted(os.listdir(self.folder)) if n not in (f"{file}-wal", f"{file}-shm")]
        self.assertEqual((files, self.read(file)), ([n for n in before[0] if n in files], before[1]))

    def test_files_that_are_no_studies(self):
        self.write("text", "hello\n")
        self.write("empty", "")
        self.edit("CREATE TABLE t(x)", file="other.db")
        for name in ("text", "empty", "other.db", "attributes.csv"):
            with self.subTest(name=name):
                self.refused_by_all(DATA, [f"'{name}'", "not a study"], name)
        for action in ("ask", "status"):
            self.refuses(NO_INPUT, "'none'", "study", action, "none", *(["x"] if action == "ask" else []))
        self.assertNotIn("none", os.listdir(self.folder))

    def test_triggers_views_and_other_tables(self):
        for statement, undo in (
                ("CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM told; END", "DROP TRIGGER t"),
                ("CREATE VIEW v AS SELECT * FROM ledger", "DROP VIEW v"), ("CREATE TABLE mine(x)", "DROP TABLE mine")):
            with self.subTest(statement=statement):
                self.edit(statement)
                self.refused_by_all(DATA, ["triggers, views or tables"])
                self.edit(undo)
        self.verified()

    def test_a_newer_schema(self):
        self.edit("PRAGMA user_version = 2")
        self.refused_by_all(DATA, ["version 2", "knows version 1"])

    def put_back(self, content):
        for end in ("-wal", "-shm"):
            if os.path.exists(self.path(FILE + end)):
                os.remove(self.path(FILE + end))
        self.write(FILE, content)

    def test_an_edited_ledger_is_found_at_its_event(self):
        good = self.read(FILE)
        for statement, words in (
                ("UPDATE ledger SET spent = spent + 100 WHERE sequence = 3", "event 3"),
                ("UPDATE ledger SET at = '2020-01-01T00:00:00Z' WHERE sequence = 6", "event 6"),
                ("UPDATE ledger SET example = 'P7' WHERE sequence = 2", "event 2"),
                ("UPDATE told SET value = value + 1 WHERE sequence = 5 AND place = 0", "event 5"),
                ("UPDATE ledger SET risk = 0.5 WHERE sequence = 9", "event 9"),
                ("UPDATE ledger SET at = '2020-01-01T00:00:00Z' WHERE sequence = 1", "event 1 "),
                ("UPDATE setting SET value = '3' WHERE name = 'k'", "settings or the catalogue"),
                ("UPDATE attribute SET cost = 0 WHERE place = 1", "settings or the catalogue"),
                ("DELETE FROM told WHERE sequence = 7", "event 7"),
                ("UPDATE orders SET spent = spent + 1 WHERE number = 2", ["row 2", "orders", "spent"]),
                ("UPDATE line SET value = 1.25 WHERE number = 1 AND place = 0", ["row 1", "line", "value"]),
                ("UPDATE line SET price = 0 WHERE number = 5", ["line", "price"]),
                ("DELETE FROM orders WHERE number = 5", ["orders", "fewer rows"]),
                ("DELETE FROM ledger WHERE sequence = 4", "event 4")):
            with self.subTest(statement=statement):
                self.edit(statement)
                result = self.run_command("study", "verify", FILE)
                self.put_back(good)
                self.check_refusal(result, DATA, *([words] if isinstance(words, str) else words))
        self.verified()

    def test_replay_mends_what_follows_from_the_ledger(self):
        before = self.study("ledger", FILE).out, self.status()
        self.edit("UPDATE orders SET spent = 1, state = 1", "UPDATE line SET price = 7", "DELETE FROM snapshot")
        self.check_refusal(self.run_command("study", "verify", FILE), DATA, "orders")
        self.assertEqual(self.study("replay", FILE).out, "10 events replayed: orders, amounts and learner are made anew\n")
        self.assertEqual((self.study("ledger", FILE).out, self.status()), before)
        self.verified()

    def test_damaged_bytes_are_refused_or_found(self):
        good = self.read(FILE)
        draw = random.Random(5)
        for _ in range(40):
            bad = bytearray(good)
            at = draw.randrange(100, len(bad))
            bad[at:at + 8] = bytes(draw.randrange(256) for _ in range(8))
            self.put_back(bytes(bad))
            for words in (["verify", FILE], ["status", FILE], ["ask", FILE, "new"]):
                result = self.run_command("study", *words)  # never a crash
                self.assertIn(result.code, (DONE, OTHER, DATA, IO), str(result))

    def test_one_writer_at_a_time(self):
        before = self.study("ledger", FILE).out
        with open(self.path(FILE + "-lock"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.write("answers.csv", "example,age\nopen,50\n")
            for words in (["ask", FILE, "x"], ["tell", FILE, "open", "age=50"], ["tell", FILE, "--csv", "answers.csv"],
                          ["cancel", FILE, "open"], ["replay", FILE], ["import", FILE, "--csv", "answers.csv"],
                          ["correct", FILE, "P1", "age=50", "--reason", "r"]):
                self.check_refusal(self.run_command("study", *words), BUSY, FILE, "try again later")
            self.assertEqual(self.study("ledger", FILE).out, before)  # reading goes on
            self.verified()
            self.study("backup", FILE, "copy")
        self.study("tell", FILE, "open", "age=50")

    def test_many_at_once_lose_nothing(self):
        names = [f"R{n}" for n in range(12)]
        running = {n: subprocess.Popen([SCANT, "study", "ask", FILE, n], cwd=self.folder, env=environment(),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE) for n in names}
        ended = {n: (p.communicate(), p.returncode) for n, p in running.items()}
        self.assertLessEqual({code for _, code in ended.values()}, {DONE, BUSY, OTHER})
        asked = {r["example"] for r in self.ledger() if r["kind"] == "ask"}
        self.assertEqual({n for n, (_, code) in ended.items() if code == DONE}, asked & set(names))
        self.verified()

    def test_a_file_that_is_read_only(self):
        os.chmod(self.path(FILE), 0o444)
        os.chmod(self.folder, 0o755)
        for end in ("-wal", "-shm", "-lock"):
            if os.path.exists(self.path(FILE + end)):
                os.remove(self.path(FILE + end))
        other = {"user": 65534} if os.getuid() == 0 else {}
        before = self.read(FILE)
        try:
            done = subprocess.run([SCANT, "study", "ask", FILE, "x"], cwd=self.folder, env=environment(),
                                  capture_output=True, text=True, **other)
        except PermissionError:
            self.skipTest("another user can't run the command")
        result = Run(["study", "ask", FILE, "x"], done.returncode, done.stdout, done.stderr)
        self.check_refusal(result, IO, FILE, "can't be written to")
        self.assertEqual(self.read(FILE), before)

    def test_a_full_disk(self):
        before = self.study("ledger", FILE).out
        result = self.run_command("study", "ask", FILE, "x", room=4096)
        self.check_refusal(result, IO)
        self.assertEqual(self.study("ledger", FILE).out, before)
        self.study("ask", FILE, "x")
        self.verified()


class Create(StudyTest):
    def test_settings_that_can_not_be(self):
        base = ("study", "create", "new", "--attributes", "attributes.csv")
        for code, words, more in (
                (USAGE, "k is missing", ()), (USAGE, "max-open", ("-k", "2", "--max-open", "0")),
                (USAGE, "max-open", ("-k", "2", "--max-open", "many")), (USAGE, "examples", ("-k", "2", "--examples", "x")),
                (USAGE, "no option --passes", ("-k", "2", "--passes", "2")),
                (USAGE, "no option --costs", ("-k", "2", "--costs", "attributes.csv")),
                (USAGE, "known attributes and groups", ("-k", "4", "--algorithm", "aerr")),
                (USAGE, "algorithm", ("-k", "2", "--algorithm", "dance")),
                (DATA, "name of the target", ("-k", "2", "--target", "age")),
                (DATA, "target", ("-k", "2", "--target", "a=b")), (DATA, "target", ("-k", "2", "--target", "")),
                (USAGE, "does not use --json", ("-k", "2", "--json"))):
            with self.subTest(more=more):
                self.refuses(code, words, *base, *more)
        self.refuses(USAGE, "--attributes", "study", "create", "new", "-k", "2")
        self.refuses(NO_INPUT, "none.csv", "study", "create", "new", "--attributes", "none.csv", "-k", "2")
        self.refuses(IO, "none/new", "study", "create", "none/new", "--attributes", "attributes.csv", "-k", "2")

    def test_bad_catalogues(self):
        for content, words in (("", "name"), ("name\nonly\n", "at least two"),
                               ("cost\n1\n2\n", "no column 'name'"), ("name,price\na,1\nb,2\n", "'price'"),
                               ("name,cost\na,1.001\nb,2\n", ["line 2", "1.001"]), ("name,cost\na,-1\nb,2\n", "line 2"),
                               ("name\na\na\n", ["'a'", "twice"]), ("name\na=b\nc\n", "'='"),
                               ("name,low,high\na,3,2\nb,,\n", ["'a'", "range"]), ("name,low\na,nan\nb,\n", "line 2"),
                               ("name,known\na,maybe\nb,\n", ["line 2", "maybe"]),
                               ("name,known,cost\na,yes,3\nb,,\nc,,\n", ["'a'", "known"])):
            with self.subTest(content=content):
                self.write("bad.csv", content)
                self.refuses(DATA, words, "study", "create", "new", "--attributes", "bad.csv", "-k", "2")

    def test_settings_are_kept(self):
        self.create("-k", "3", "--algorithm", "ridge", "--seed", "9", "--budget", "50", "--examples", "100",
                    "--missing", "skip-example")
        self.go_on(range(3))
        self.study("export", FILE, "-o", "m.json")
        settings = self.model("m.json")["settings"]
        self.assertEqual({k: settings[k] for k in ("algorithm", "k", "seed", "budget", "missing")},
                         {"algorithm": "ridge", "k": 3, "seed": 9, "budget": 50, "missing": "skip-example"})

    def test_json_is_one_line_of_json(self):
        self.create("-k", "2", "--budget-cost", "500", "--budget", "100")
        self.go_on(range(3))
        self.ask("open")
        for words in (["ask", FILE, "P1"], ["status", FILE], ["predict", FILE, "age=50"], ["verify", FILE]):
            out = self.study(*words, "--json").out
            self.assertEqual(out.count("\n"), 1)
            json.loads(out)
