"""scant study: what the words on its command line mean, what is refused, and what the sentences say."""
from studies import FILE, StudyTest
from support import DATA, OTHER, USAGE

CATALOGUE = """name,unit,cost,low,high,usual_low,usual_high
a,,1,,,,
b,,2,,,,
c,,4,0,100,5,20
"""


class WordsTest(StudyTest):
    def setUp(self):
        super().setUp()
        self.write("attributes.csv", CATALOGUE)
        self.create("-k", "2", "--target", "score")


class Options(WordsTest):
    def test_an_option_is_no_text(self):
        self.study("ask", FILE, "A-3")
        self.refuses_study(USAGE, ["--failed needs a value (REASON)", "'--yes' is an option", "--failed=--yes"],
                           "cancel", FILE, "A-3", "--failed", "--yes")
        self.refuses_study(USAGE, ["--reason needs a value", "'--confirm'"], "correct", FILE, "A-3", "a=1",
                           "--reason", "--confirm", "--by", "anna")
        for word in ("--by=anna", "--no-yes", "--help", "--spend", "--threads"):
            with self.subTest(word=word):
                self.refuses_study(USAGE, f"'{word}' is an option", "cancel", FILE, "A-3", "--failed", word)
        self.refuses_study(USAGE, "'--json' is an option (--output=--json", "export", FILE, "-o", "--json")
        self.study("cancel", FILE, "A-3", "--failed=--yes")
        self.assertEqual(self.ledger()[-1]["reason"].lstrip("'"), "--yes")

    def test_other_words_with_dashes_are_texts(self):
        for example, reason in (("A-1", "--nothing"), ("A-2", "-1"), ("A-3", "-o"), ("A-4", "--")):
            self.study("ask", FILE, example)
            self.study("cancel", FILE, example, "--failed", reason)
            self.assertEqual(self.ledger()[-1]["reason"].lstrip("'"), reason)

    def test_a_text_is_given_once(self):
        self.study("ask", FILE, "A-1", "A-2")
        for name in ("one.csv", "two.csv"):
            self.write(name, "example,score\nA-1,1\n")
        self.refuses_study(USAGE, "--csv is given twice", "tell", FILE, "--csv", "one.csv", "--csv", "two.csv")
        self.refuses_study(USAGE, "--due is given twice", "list", FILE, "--due", "a", "--due=b")
        self.refuses_study(USAGE, "--by is given twice", "ask", FILE, "A-3", "--by", "anna", "--by", "anna")
        self.refuses_study(USAGE, "--reason is given twice", "reopen", FILE, "A-1", "--reason", "x", "--reason", "y")
        self.refuses_study(USAGE, "--output is given twice", "export", FILE, "-o", "x", "--output", "y")
        self.study("list", FILE, "--all", "--all", "--json")  # flags may be


class Asking(WordsTest):
    def test_a_name_that_is_given_twice_counts_once(self):
        dry = self.study("ask", FILE, "Q-1", "Q-1", "Q-2", "--dry-run", "--json").json
        self.assertEqual((dry["examples"], dry["new_orders"]), (2, 2))
        self.assertEqual(self.study("ask", FILE, "P", "P", "--json").json["order"], 1)
        out = self.study("ask", FILE, "Q", "P", "Q", "R", "P").out
        self.assertEqual([line.split(",")[0] for line in out.splitlines() if line.startswith("order")],
                         ["order 2: example Q", "order 1: example P", "order 3: example R"])
        self.assertRegex(out.splitlines()[-1], r"\A3 examples: 2 new orders, 1 as before, total \d+\.\d\d\Z")
        self.study("amend", FILE, "--max-open", "4", "--reason", "fewer")
        self.study("ask", FILE, "S", "S")

    def test_it_says_how_many_orders_are_new(self):
        last = lambda: self.study("ask", FILE, "P1", "P2").out.splitlines()[-1]
        self.assertIn("2 examples: 2 new orders, 0 as before, total", last())
        self.assertIn("2 examples: 0 new orders, 2 as before, total", last())
        self.study("cancel", FILE, "P2")
        self.assertIn("2 examples: 1 new order, 1 as before, total", last())

    def test_faults_of_a_list_name_file_and_line(self):
        self.write("list.csv", "example\nP-1\n\nP-2\n\n")
        self.assertIn("2 examples: 2 new", self.study("ask", FILE, "--csv", "list.csv").out)
        for text, words in (("example\nP-3\n\nP-4\np-1\n", ["list.csv, line 5", "there is an example 'P-1'"]),
                            ("example\n\np-1\n", ["list.csv, line 3", "there is an example 'P-1'"]),
                            ("example,room\nP-3,1\n,2\n", ["list.csv, line 3: the example's name is empty"]),
                            ("example\nP-3\n P-4\n", ["list.csv, line 3", "blanks around it"])):
            self.write("list.csv", text)
            for more in ((), ("--dry-run",)):
                with self.subTest(text=text, more=more):
                    self.refuses_study((DATA, OTHER)["there is an" in words[-1]], words, "ask", FILE, "--csv",
                                       "list.csv", *more)
