"""scant study: what the words on its command line mean, what is refused, and what the sentences say."""
import os

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


class Names(WordsTest):
    def setUp(self):
        super().setUp()
        self.study("ask", FILE, "L-001")
        self.write("past.csv", "example,a,b,c,score\nOLD-1,1,1,6,1\nOLD-2,2,1,7,2\n")
        self.study("import", FILE, "--csv", "past.csv")

    def test_a_near_name_is_offered(self):
        near = "; there is 'L-001': did you mean that?"
        for words in (("tell", FILE, "l-001", "score=1"), ("show", FILE, "l-001"), ("cancel", FILE, "l-001"),
                      ("correct", FILE, "l-001", "a=1", "--reason", "x"), ("reopen", FILE, "l-001", "--reason", "x"),
                      ("erase", FILE, "l-001", "--reason", "x"), ("erase", FILE, "l-001", "--reason", "x", "--yes"),
                      ("tell", FILE, "l-001", "a=1", "--extra", "--reason", "x"),
                      ("tell", FILE, "L\u2013 001", "--second", "score=1")):
            with self.subTest(words=words):
                self.refuses_study(DATA, near, *words)
        self.refuses_study(DATA, "there is 'OLD-1': did you mean that?", "show", FILE, "old-1")
        self.assertNotIn("mean", self.refuses_study(DATA, "nothing is known of example 'X'", "show", FILE, "X"))
        self.assertNotIn("mean", self.refuses_study(DATA, "nothing was ever asked", "tell", FILE, "X", "score=1"))

    def test_what_was_imported_is_corrected(self):
        for words in (("tell", FILE, "OLD-1", "score=1"), ("cancel", FILE, "OLD-1"),
                      ("reopen", FILE, "OLD-1", "--reason", "x")):
            with self.subTest(words=words):
                self.refuses_study(DATA, "it was imported, and correct changes its values", *words)

    def test_attributes_differ_in_more_than_case(self):
        for name, text, more in (("A", "name\na\nb\nA\n", ()), ("y", "name\nx\nY\n", ()),
                                 ("Score", "name\nx\nscore\n", ("--target", "Score"))):
            with self.subTest(name=name):
                self.write("bad.csv", text)
                self.refuses(DATA, [f"'{name}'", "differ only in case"], "study", "create", "x", "--attributes",
                             "bad.csv", "-k", "2", *more)
        for name in ("A", "SCORE"):
            self.refuses_study(DATA, [f"'{name}'", "differ only in case"], "amend", FILE, name, "--new", "--reason", "x")
        self.study("amend", FILE, "d", "--new", "--reason", "x")
        self.verified()

    def test_a_reason_is_one_line(self):
        for reason in ("two\nlines", "a\ttab", "\x7f"):
            for words in (("cancel", FILE, "L-001", "--failed", reason),
                          ("erase", FILE, "L-001", "--yes", "--reason", reason),
                          ("amend", FILE, "a", "cost=3", "--reason", reason),
                          ("correct", FILE, "OLD-1", "a=3", "--reason", reason)):
                with self.subTest(words=words):
                    self.refuses_study(USAGE, "control characters", *words)

    def test_erase_minds_its_reason_without_yes_too(self):
        self.refuses_study(USAGE, "must not hold the name", "erase", FILE, "L-001", "--reason", "l-001 wants it")
        out = self.study("erase", FILE, "L-001", "--reason", "consent withdrawn", "--yes").out
        self.assertIn("who is imported or asked for again is a new one: remove them from your files\n", out)


class Sentences(WordsTest):
    def setUp(self):
        super().setUp()
        self.study("amend", FILE, "-k", "3", "--reason", "all of them")
        self.study("ask", FILE, "P")

    def test_what_is_said_names_the_act(self):
        self.refuses_study(DATA, "'score' can't be missing: fail the order instead", "tell",
                           FILE, "P", "score=missing")
        self.study("amend", FILE, "d", "--new", "--reason", "later")
        self.refuses_study(DATA, ["'d' was not ordered", "told as extra, with a reason"], "tell",
                           FILE, "P", "d=1")
        self.study("cancel", FILE, "P")
        self.refuses_study(OTHER, "nothing can be told any more; reopen takes that back", "tell", FILE, "P", "a=1")
        self.refuses_study(OTHER, "of example 'P' has been cancelled already", "cancel", FILE, "P")

    def test_unusual_cells(self):
        self.write("answers.csv", "example,c\nP,24\n")
        self.refuses_study(DATA, "or as 24! in its place)", "tell", FILE, "--csv", "answers.csv")
        self.write("past.csv", "c,score\n24,1\n")
        self.refuses_study(DATA, "or as 24! in its place)", "import", FILE, "--csv", "past.csv")
        self.refuses_study(DATA, "confirm it (with --confirm, or as 24! in its place)", "tell", FILE, "P", "c=24")

    def test_no_limit(self):
        self.assertIn("budget-cost no limit -> 100", self.study("amend", FILE, "--budget-cost", "100", "--reason", "x").out)
        self.assertIn("budget-cost 100 -> no limit", self.study("amend", FILE, "--budget-cost", "0", "--reason", "x").out)

    def test_semicolons_in_a_catalogue(self):
        self.write("bad.csv", "name;cost\na;1\nb;2\n")
        self.refuses(DATA, ["bad.csv, line 1", "separated by commas here, not by semicolons"], "study", "create", "x",
                     "--attributes", "bad.csv", "-k", "2")

    def test_a_copy_that_was_changed(self):
        self.study("freeze", FILE, "one", "-o", "copy.study")
        text = self.path("copy.study.txt")
        with open(text, encoding="utf-8") as file:
            said = file.read()
        os.chmod(text, 0o600)
        with open(text, "w", encoding="utf-8") as file:
            file.write(said.replace("sha256: ", "sha256: 0"))
        result = self.run_command("study", "freeze", "copy.study", "--check")
        self.check_refusal(result, DATA, "this is not the file that was frozen: 'copy.study' has sha256")

    def test_cancel_counts_extras_as_told(self):
        self.study("amend", FILE, "d", "--new", "unit=milligrams", "group=a long one", "low=1000", "high=2000",
                   "--reason", "later")
        self.study("tell", FILE, "P", "d=1500", "--extra", "--reason", "done by mistake")
        self.refuses_study(OTHER, ["d of example 'P' was told", "--yes"], "cancel", FILE, "P")
        for words in (("show",), ("ask",), ("ask", "--sheets")):
            out = self.study(words[0], FILE, "P", *words[1:]).out
            table = out[out.index("  attribute"):].splitlines()[:6]
            ends = [line.index(word) + len(word)
                    for line, word in zip(table, ("price", "1.00", "2.00", "4.00", " -", "target"))]
            self.assertEqual(ends, [ends[0]] * 6, out)


class Help(StudyTest):
    def test_each_action_has_its_own_words(self):
        said = lambda action: self.succeeds("help", "study", action).out
        self.assertRegex(said("list"), r"\n  --csv +print csv\n")
        self.assertIn("--csv FILE", said("tell"))
        self.assertNotIn("erase", said("cancel"))
        self.assertRegex(said("erase"), r"\n  --yes +erase it, for good\n")
        told = " ".join(said("cancel").split())
        self.assertIn("what was told as extra counts, attributes that are always known do not", told)
        self.assertIn("scant study plan FILE", " ".join(said("plan").split()))

    def test_threads_and_memory_come_last(self):
        for action in ("ask", "list", "amend", "verify", "erase"):
            out = self.succeeds("help", "study", action).out
            flags = [line.split()[0] for line in out[:out.index("\nExample")].splitlines() if line.startswith("  -")]
            self.assertEqual(flags[-2:], ["--threads", "--memory"], out)
            self.assertEqual(len(flags), len(set(flags)), out)
