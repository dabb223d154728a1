"""--pseudonyms: tables and ledgers without the names of examples and of people."""
import csv
import sqlite3
import struct

from exports import Out
from studies import FILE
from support import DATA


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
