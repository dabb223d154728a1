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
