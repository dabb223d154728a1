"""scant study amend and catalogue: plans change, and what can't be is refused with a sentence."""
from studies import CATALOGUE, FILE, StudyTest
from support import DATA, NO_INPUT, USAGE


class Amend(StudyTest):
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

    def test_it_is_shown_tried_and_done(self):
        before = self.everything()
        said = self.study("amend", FILE, "glucose", "cost=9", "--reason", "a contract", "--dry-run").out
        self.assertIn("nothing is amended; this would be: glucose: cost 3.5 -> 9", said)
        self.assertEqual(self.everything(), before)
        self.assertIn("amended: glucose: cost 3.5 -> 9",
                      self.study("amend", FILE, "glucose", "cost=9", "--reason", "a contract", "--by", "Ada").out)
        self.assertIn("nothing new", self.study("amend", FILE, "glucose", "cost=9", "--reason", "again").out)
        self.study("amend", FILE, "--new", "crp", "cost=2", "unit=mg/l", "--reason", "a new one")
        self.study("amend", FILE, "scan", "retired=yes", "-k", "2", "--reason", "broken")
        last = self.ledger()[-3]
        self.assertEqual((last["kind"], last["by"], last["reason"]), ("amend", "Ada", "a contract"))
        lines = self.study("catalogue", FILE).out.splitlines()
        self.assertEqual(len(lines), len(CATALOGUE.splitlines()) + 1)
        self.assertIn("glucose,mmol/l,9.00,0,50,,,,no,no", lines)
        self.assertIn("crp,mg/l,2.00,,,,,,no,no", lines)
        self.assertIn("scan,,80.00,,,,,,no,yes", lines)
        for number in range(10, 14):
            self.assertNotIn("scan", [line["name"] for line in self.ask(f"Q{number}")["lines"]])
        self.verified()
