"""What leaves a clinic: frozen copies, which stay as they are and say so, and tables and ledgers without names."""
import csv
import hashlib
import os
import sqlite3
import stat
import struct

from studies import FILE, Out
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


def siphash(key, message):
    """SipHash-2-4, written again from the paper."""
    mask = (1 << 64) - 1
    k = struct.unpack("<2Q", key)
    v = [k[0] ^ 0x736F6D6570736575, k[1] ^ 0x646F72616E646F6D, k[0] ^ 0x6C7967656E657261, k[1] ^ 0x7465646279746573]

    def turn(x, by):
        return (x << by | x >> (64 - by)) & mask

    def rounds(count):
        for _ in range(count):
            for a, b, by, c in ((0, 1, 13, 1), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 1)):
                v[a] = (v[a] + v[b]) & mask
                v[b] = turn(v[b], by) ^ v[a]
                if c:
                    v[a] = turn(v[a], 32)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) & 0xFF])
    for word in struct.unpack(f"<{len(padded) // 8}Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class Pseudonyms(Out):
    def everything(self):
        return b"".join(self.read(n) for n in ("table.csv", "events.csv")) + self.study("ledger", FILE, "--pseudonyms").out.encode()

    def test_no_name_is_left(self):
        self.clinic()
        plain, table = self.table(), self.table("--pseudonyms")
        self.events("--pseudonyms")
        names = [row["example"].lstrip("'") for row in plain]
        out = self.everything()
        for name in ("=A1", "Past, Peter", "Anna", "went home"):
            self.assertNotIn(name.encode(), out)
        self.assertFalse({row["example"] for row in table} & set(names))
        for row in table:
            self.assertRegex(row["example"], "^E-[0-9a-f]{16}$")
            self.assertEqual(row["reason"], "")

    def test_the_same_in_every_export(self):
        self.clinic()
        plain, table, events = self.table(), self.table("--pseudonyms"), self.events("--pseudonyms")
        again = self.table("--pseudonyms")
        self.assertEqual(table, again)
        self.assertEqual({r["example"] for r in events} - {""}, {r["example"] for r in table})
        for a, b in zip(plain, table):
            self.assertEqual([a[c] for c in a if c not in ("example", "reason", "asked_by", "told_by")],
                             [b[c] for c in b if c not in ("example", "reason", "asked_by", "told_by")])
        printed = list(csv.DictReader(self.study("ledger", FILE, "--pseudonyms").out.splitlines()))
        self.assertEqual({r["example"] for r in printed}, {r["example"] for r in events})

    def test_they_follow_from_the_name_and_the_key(self):
        self.clinic()
        database = sqlite3.connect(self.path(FILE))
        (key,), = database.execute("SELECT value FROM setting WHERE name = 'pseudonym-key'")
        database.close()
        key = bytes.fromhex(key)
        own = b"".join(struct.pack("<Q", siphash(key, label)) for label in (b"E0", b"E1"))
        names = [row["example"] for row in self.table()]
        wanted = [f"E-{siphash(own, ('=A1' if n == chr(39) + '=A1' else n).encode()):016x}" for n in names]
        self.assertEqual([row["example"] for row in self.table("--pseudonyms")], wanted)
        self.events("--pseudonyms")
        self.assertNotIn(key.hex().encode(), self.everything())
        self.events()
        self.table()
        self.assertNotIn(key.hex().encode(), self.everything())  # nor in exports with names

    def test_another_study_has_others(self):
        for file in ("one", "two"):
            self.create("-k", "2", file=file)
            self.ask("x", file)
        self.assertNotEqual(*(self.table("--pseudonyms", file=file)[0]["example"] for file in ("one", "two")))

    def test_without_a_key_there_are_none(self):
        self.create("-k", "2")
        self.edit("DELETE FROM setting WHERE name = 'pseudonym-key'")
        self.refuses_study(DATA, "no key for pseudonyms", "export", FILE, "--csv", "-o", "t.csv", "--pseudonyms")
        self.assertNotIn("t.csv", self.files())
