"""scant study: asking, telling and everything after, and what is refused with nothing changed."""
import random
import re

from studies import FILE, NAMES, StudyTest, patient
from support import DATA, IO, OTHER, USAGE

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
LOCAL = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"


class Life(StudyTest):
    def test_a_whole_order_with_what_each_step_prints(self):
        self.assertEqual(self.create("-k", "2", "--budget-cost", "500", "--target", "score").out,
                         f"{FILE}: a study of 6 attributes, 1 of them always known\nauto, K = 2, a budget of 500.00\n")
        out = self.study("ask", FILE, "P1").out
        self.assertRegex(out, rf"\Aorder 1: example P1, issued, asked at {LOCAL}\n"
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
        self.assertEqual(status["most_learned_since"], 7)
        self.assertEqual(status["mean_learned_since"], 3.5)
        self.verified()

    def test_open_orders_are_listed_with_their_age(self):
        self.create("-k", "2")
        self.ask("waits")
        self.go_on(range(3))
        out = self.study("status", FILE).out
        self.assertRegex(out, rf"(?m)^ +1  issued       {LOCAL} +3 +\d+\.50  waits$")
        found = self.status()["open_orders"]
        self.assertEqual([(o["order"], o["example"], o["state"], o["learned_since"]) for o in found], [(1, "waits", "issued", 3)])

    def test_two_studies_with_the_same_answers_are_the_same_by_seed(self):
        for file, seed in (("a", "7"), ("b", "7"), ("c", "8")):
            self.create("-k", "2", "--seed", seed, file=file)
            self.go_on(range(12), file)
            self.study("export", file, "-o", f"{file}.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.assertNotEqual(self.read("a.json"), self.read("c.json"))

    def test_every_row_that_can_be_asked_can_be_studied(self):
        self.write("plain.csv", "name\n" + "".join(f"{n}\n" for n in NAMES))
        for row in ("aerr", "auto", "ridge", "lasso", "svr", "gaussian", "moments", "aesvr", "full-ridge"):
            with self.subTest(row=row):
                k = "6" if row in ("aesvr", "full-ridge") else "4"
                self.create("-k", k, "--algorithm", row, file=row, catalogue="plain.csv")
                self.go_on(range(4), row)
                self.verified(row)
        self.refuses(DATA, "full-ridge", "study", "create", "f", "--attributes", "plain.csv", "-k", "4",
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
        self.refuses_study(OTHER, ["budget", "the next order costs"], "ask", FILE, "another")
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
        self.study("cancel", FILE, "P1", "--failed", "went home", "--yes")
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
        self.assertIn("at most 90.00 per example", self.study("status", FILE).out)
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
                *((USAGE, ["number", "'glucose=missing'"], ("tell", FILE, "P1", f"glucose={word}"))
                  for word in ("nan", "NA", "n/a", "", "-", "Missing")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=inf")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=1e999")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=0x10")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=5,4")),
                (USAGE, "number", ("tell", FILE, "P1", "glucose=5 mmol")),
                (USAGE, "NAME=VALUE", ("tell", FILE, "P1", "glucose")),
                (USAGE, "NAME=VALUE", ("tell", FILE, "P1", "=5")),
                (USAGE, ["no option -1", "'--'"], ("tell", FILE, "-1", "glucose=5")),
                (USAGE, "it takes", ("tell", FILE, "P1")),
                (USAGE, "it takes", ("ask", FILE)),
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
                *((USAGE, ["must end in .svg", f"'{n}'"], ("status", FILE, "--plot", n)) for n in ("x.png", "svg", "x")),
                (IO, "folder", ("status", FILE, "--plot", "none/x.svg")),
                (IO, FILE, ("backup", FILE, FILE)),
                (DATA, "'y'", ("predict", FILE, "y=1")),
                (DATA, "no attribute", ("predict", FILE, "x=1")),
                (DATA, "two examples", ("predict", FILE, "age=50")),
                (USAGE, "interval", ("predict", FILE, "age=50", "--interval", "1")),
                (USAGE, ["'dance'", "create", "backup"], ("dance", FILE)),
                (USAGE, ["ACTION", "create, ask, tell", "backup", "scant help study"], ()),
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
