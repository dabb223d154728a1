"""scant study amend, catalogue and tell --extra: plans change."""
import csv as csv_reader
import io
import os

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
    """What was bought was paid at the prices of the day, so the model does not add up at those of now."""

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
