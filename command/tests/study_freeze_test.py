"""scant study freeze: copies that stay as they are, and say so."""
import hashlib
import os
import stat

from exports import Out
from studies import FILE
from support import DATA, IO, NO_INPUT, OTHER, USAGE


class Freeze(Out):
    def freeze(self, name="paper", copy="paper.study"):
        return self.study("freeze", FILE, name, "-o", copy, "--json").json

    def test_a_copy_that_verifies(self):
        self.clinic()
        before = self.ledger()
        frozen = self.freeze("first submission")
        self.assertEqual(frozen["sha256"], hashlib.sha256(self.read("paper.study")).hexdigest())
        self.assertEqual((frozen["events"], frozen["ledger"]), (len(before), before[-1]["checksum"]))
        text = self.read("paper.study.txt").decode()
        for word in ("name: first submission\n", f"sha256: {frozen['sha256']}\n", f"ledger: {frozen['ledger']}\n",
                     f"taken at: {frozen['at']}\n"):
            self.assertIn(word, text)
        self.verified("paper.study")
        self.assertEqual(self.ledger("paper.study"), before)
        self.assertEqual(self.study("freeze", "paper.study", "--check", "--json").json, frozen)
        self.assertIn("and as it was", self.study("freeze", "paper.study", "--check").out)
        self.assertEqual(self.study("verify", "paper.study", "--json").json["frozen"]["sha256"], frozen["sha256"])
        self.assertNotIn("frozen", self.study("verify", FILE, "--json").json)

    def test_the_ledger_of_the_study_says_so(self):
        self.clinic()
        frozen = self.freeze("v1")
        event = self.ledger()[-1]
        self.assertEqual((event["kind"], event["reason"], event["at"]), ("freeze", "v1", frozen["at"]))
        self.verified()
        self.study("replay", FILE)
        self.go_on(range(3))
        self.verified()

    def test_reading_changes_nothing(self):
        self.clinic()
        self.freeze()
        before, files = self.read("paper.study"), self.files()
        self.assertEqual(stat.S_IMODE(os.stat(self.path("paper.study")).st_mode), 0o400)
        for words in (("status",), ("ledger",), ("verify",), ("predict", "age=50")):
            self.study(words[0], "paper.study", *words[1:])
        self.assertEqual(self.table(file="paper.study"), self.table())
        self.assertEqual(self.read("paper.study"), before)
        self.assertEqual([n for n in self.files() if "paper" in n], [n for n in files if "paper" in n])

    def test_nothing_writes_to_it(self):
        self.clinic()
        self.freeze()
        for mode in (0o400, 0o600):
            os.chmod(self.path("paper.study"), mode)
            before, files = self.read("paper.study"), self.files()
            for words in (("ask", "new"), ("tell", "partly", "age=3"), ("cancel", "issued"),
                          ("correct", "learned", "score=1", "--reason", "x"), ("import", "--csv", "past.csv"), ("replay",),
                          ("freeze", "again", "-o", "again.study")):
                result = self.run_command("study", words[0], "paper.study", *words[1:])
                self.check_refusal(result, OTHER, "'paper.study' is frozen, as 'paper'")
            self.assertEqual((self.read("paper.study"), self.files()), (before, files))

    def test_a_copy_of_a_frozen_copy_is_frozen(self):
        self.clinic()
        self.freeze()
        self.study("backup", "paper.study", "copy")
        self.check_refusal(self.run_command("study", "ask", "copy", "x"), OTHER, "is frozen")
        self.verified("copy")

    def test_a_changed_copy_is_noticed(self):
        self.clinic()
        self.freeze()
        whole = self.read("paper.study")
        os.chmod(self.path("paper.study"), 0o600)
        os.chmod(self.path("paper.study.txt"), 0o600)
        for place in (len(whole) - 1, len(whole) // 2):
            self.write("paper.study", whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
            self.assertNotEqual(self.run_command("study", "freeze", "paper.study", "--check").code, 0)
        self.write("paper.study", whole)
        self.edit("UPDATE setting SET value = 'other' WHERE name = 'frozen'", file="paper.study")
        self.check_refusal(self.run_command("study", "freeze", "paper.study", "--check"), DATA, "name: other", "says otherwise")
        self.write("paper.study", whole)
        self.study("freeze", "paper.study", "--check")
        text = self.read("paper.study.txt")
        self.write("paper.study.txt", text.replace(b"sha256: ", b"sha256: 0"))
        self.check_refusal(self.run_command("study", "freeze", "paper.study", "--check"), DATA, "sha256", "says otherwise")
        os.unlink(self.path("paper.study.txt"))
        self.check_refusal(self.run_command("study", "freeze", "paper.study", "--check"), NO_INPUT, "paper.study.txt")

    def test_bad_words(self):
        self.clinic()
        self.freeze()
        self.write("there", "x")
        self.write("other.txt", "x")
        for code, words, more in (
                (USAGE, "it takes", (FILE,)), (USAGE, "-o COPY is missing", (FILE, "n")),
                (USAGE, "one word too many", (FILE, "n", "m", "-o", "new")),
                (IO, "'there' is there already", (FILE, "n", "-o", "there")),
                (IO, "'other.txt' is there already", (FILE, "n", "-o", "other")),
                (IO, "no such folder", (FILE, "n", "-o", "none/new")), (OTHER, "frozen as 'paper' before", (FILE, "paper", "-o", "new")),
                (DATA, "name of the frozen copy", (FILE, "", "-o", "new")), (DATA, "name of the frozen copy", (FILE, "a\nb", "-o", "new")),
                (DATA, "too long", (FILE, "x" * 201, "-o", "new")), (USAGE, "would be overwritten", (FILE, "n", "-o", FILE)),
                (OTHER, "no frozen copy", (FILE, "--check")), (USAGE, "leave out -o", ("paper.study", "--check", "-o", "new")),
                (USAGE, "one word too many", ("paper.study", "n", "--check"))):
            with self.subTest(more=more):
                files = self.others()
                self.refuses_study(code, words, "freeze", *more)
                self.assertEqual(self.others(), files)
        self.refuses_study(USAGE, "does not use --check", "verify", FILE, "--check")

    def test_a_full_disk_leaves_nothing(self):
        self.clinic()
        files = self.others()
        ledger = self.ledger()
        for room in (1, 5000, 20000, 40000):
            result = self.run_command("study", "freeze", FILE, "n", "-o", "new", room=room)
            self.check_refusal(result, IO)
            self.assertEqual(self.others(), files, room)
            self.assertEqual(self.ledger(), ledger)
