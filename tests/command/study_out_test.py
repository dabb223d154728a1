"""scant study export --csv and --events, and freeze: what leaves a study."""
import csv
import hashlib
import os
import random
import shutil
import sqlite3
import stat
import struct
import subprocess

from studies import FILE, NAMES, StudyTest, patient
from support import DATA, IO, NO_INPUT, OTHER, USAGE

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None

FIXED = ["example", "order", "state"], ["asked_at", "first_told_at", "last_told_at", "learned_at", "asked_by", "told_by",
                                        "price", "spent", "reason", "second_agree", "second_differ"]
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"


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


class Out(StudyTest):
    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def table(self, *words, name="table.csv", file=FILE):
        self.study("export", file, "--csv", "-o", name, *words)
        return self.rows(name)

    def events(self, *words, name="events.csv", file=FILE):
        self.study("export", file, "--events", "-o", name, *words)
        return self.rows(name)

    def others(self):
        """All files but those of the study, which come and go."""
        return [name for name in self.files() if not name.startswith(FILE)]

    def cell(self, example, column, rows=None):
        return {row["example"]: row for row in rows or self.table()}[example][column]

    def clinic(self):
        """A study with an example in each state, and two that were imported."""
        self.create("-k", "2", "--target", "score")
        self.write("past.csv", 'example,age,glucose,score\n=A1,45,5.5,9\n"Past, Peter",50,,7\n')
        self.study("import", FILE, "--csv", "past.csv")
        self.told = {}
        for number, name in enumerate(("learned", "told", "partly", "issued", "cancelled", "expired", "failed")):
            order = self.ask(name)
            x, y = patient(number)
            values = {line["name"]: x[line["name"]] for line in order["lines"]}
            self.told[name] = dict(list(values.items())[:1 if name in ("partly", "cancelled") else 99])
            if name in ("learned", "told", "partly", "cancelled"):
                self.study("tell", FILE, name, *(f"{a}={v}" for a, v in self.told[name].items()))
            else:
                self.told[name] = {}
        self.study("tell", FILE, "learned", "score=8.25")
        self.study("cancel", FILE, "cancelled")
        self.study("cancel", FILE, "expired", "--expired")
        self.study("cancel", FILE, "failed", "--failed", "=Anna Smith went home")


class Table(Out):
    def test_one_row_per_example_with_what_became_of_it(self):
        self.clinic()
        rows = self.table()
        self.assertEqual({row["example"]: row["state"] for row in rows},
                         {"learned": "learned", "told": "told", "partly": "partly told", "issued": "issued",
                          "cancelled": "cancelled", "expired": "expired", "failed": "failed", "'=A1": "imported",
                          "Past, Peter": "imported"})
        self.assertEqual([row["order"] for row in rows], [*"1234567", "", ""])
        for row in rows:
            order = self.study("ask", FILE, row["example"], "--json").json if row["state"] in ("issued", "told") else None
            if order:
                self.assertEqual(float(row["price"]), order["price"])
        self.assertEqual((self.cell("failed", "reason"), self.cell("learned", "reason")), ("'=Anna Smith went home", ""))

    def test_values_and_why_there_is_none(self):
        self.clinic()
        self.study("correct", FILE, "learned", "score=8.5", "--reason", "typo")
        rows = {row["example"]: row for row in self.table()}
        ended = "cancelled", "expired", "failed"
        for name, told in self.told.items():
            ordered = {e["name"] for e in self.events() if e["example"] == name and e["what"] == "ordered"}
            for attribute in NAMES:
                row = rows[name]
                if attribute in told:
                    self.assertEqual((float(row[attribute]), row[attribute + "_note"]), (told[attribute], ""), name)
                else:
                    self.assertEqual((row[attribute], row[attribute + "_note"]),
                                     ("", "" if attribute not in ordered else "not told" if name in ended else "ordered"),
                                     (name, attribute))
        self.assertEqual([rows[n]["score"] for n in ("learned", "told", "'=A1", "Past, Peter")], ["8.5", "", "9", "7"])
        self.assertEqual([rows["'=A1"][a] for a in ("age", "glucose", "hdl")], ["45", "5.5", ""])

    def test_events_say_what_was_amended(self):
        self.create("-k", "2")
        self.study("amend", FILE, "scan", "cost=90", "unit=mm", "--reason", "dr. Smith says so")
        words = self.ledger()[-1]["values"]
        self.assertIn("cost 80 -> 90", words)
        for more in (), ("--pseudonyms",):
            event = self.events(*more)[-1]
            self.assertEqual([event[c] for c in ("kind", "line", "name", "what", "value", "note", "reason")],
                             ["amend", "1", "", "amended", "", words, "" if more else "dr. Smith says so"])

    def test_what_can_not_be_measured_says_so(self):
        self.create("-k", "2")
        line = self.ask("x")["lines"][-1]["name"]
        self.study("tell", FILE, "x", f"{line}=missing")
        self.assertEqual((self.cell("x", line), self.cell("x", line + "_note")), ("", "missing"))

    def test_what_was_measured_without_an_order_is_there(self):
        self.write("attributes.csv", "name,low,high,usual_low,usual_high\n" + "".join(f"{n},0,9,1,5\n" for n in "abcde"))
        self.create("-k", "2")
        ordered = {line["name"] for line in self.ask("x")["lines"]}
        more = sorted(set("abcde") - ordered)
        self.study("tell", FILE, "x", "--extra", f"{more[0]}=2.5", f"{more[1]}=7!", f"{more[2]}=missing:refused",
                   "--reason", "by the ward", "--by", "Zoe")
        row = self.table()[0]
        self.assertEqual([(row[n], row[n + "_note"]) for n in more], [("2.5", "extra"), ("7", "extra, confirmed"), ("", "refused")])
        self.assertEqual((row["told_by"], row["price"]), ("Zoe", "0.00"))
        self.assertEqual({row[n + "_note"] for n in ordered}, {"ordered"})
        self.study("correct", FILE, "x", f"{more[0]}=3", "--reason", "misread")
        self.assertEqual((self.cell("x", more[0]), self.cell("x", more[0] + "_note")), ("3", "extra"))

    def test_who_corrected_what_was_imported(self):
        self.create("-k", "2")
        self.write("past.csv", "example,age,y\nold,50,9\nolder,60,8\n")
        self.study("import", FILE, "--csv", "past.csv", "--by", "Cleo")
        self.study("correct", FILE, "old", "age=51", "--reason", "misread", "--by", "Zoe")
        self.assertEqual([(r["example"], r["age"], r["told_by"]) for r in self.table()],
                         [("old", "51", "Cleo; Zoe"), ("older", "60", "Cleo")])

    def test_times_and_money(self):
        self.clinic()
        ledger = self.ledger()
        for row in self.table():
            name = row["example"]
            own = [e for e in ledger if e["example"] == name]
            tells = [e["at"] for e in own if e["kind"] in ("tell", "correct", "import")]
            learned = [e["at"] for e in own if e["learned"] == "yes"]
            asked = [e["at"] for e in own if e["kind"] == "ask"]
            wanted = [asked[:1], tells[:1], tells[-1:], learned[:1]]
            columns = ("asked_at", "first_told_at", "last_told_at", "learned_at")
            self.assertEqual([row[c] for c in columns], ["".join(times) for times in wanted], name)
            for time in (row[c] for c in columns if row[c]):
                self.assertRegex(time, TIME)
            self.assertAlmostEqual(float(row["spent"]), sum(float(e["spent"]) for e in own), places=9)
        status = self.status()
        self.assertAlmostEqual(sum(float(row["spent"]) for row in self.table()), status["spent"], places=9)

    def test_who_asked_and_who_told(self):
        self.create("-k", "2")
        names = [line["name"] for line in self.study("ask", FILE, "x", "--json", "--by", "Ann").json["lines"]]
        for name, by in zip(names, ("=Bob", "Ann", "=Bob", "Ann", "Ann")):
            self.study("tell", FILE, "x", f"{name}=2", "--by", by)
        self.write("past.csv", "example,age,y\nold,50,9\n")
        self.study("import", FILE, "--csv", "past.csv", "--by", "Cleo")
        self.assertEqual([(row["asked_by"], row["told_by"]) for row in self.table()], [("Ann", "'=Bob; Ann"), ("", "Cleo")])
        self.assertEqual([e["by"] for e in self.events() if e["kind"] in ("ask", "import") and e["line"] == "1"], ["Ann", "Cleo"])
        table = self.table("--pseudonyms")
        events = self.events("--pseudonyms")
        first, second = table[0]["told_by"].split("; ")
        self.assertEqual((table[0]["asked_by"], len({first, second, table[1]["told_by"]})), (second, 3))
        self.assertEqual({e["by"] for e in events if e["kind"] == "tell"}, {first, second})
        self.assertRegex(first, "^W-[0-9a-f]{16}$")
        out = self.read("table.csv") + self.read("events.csv") + self.study("ledger", FILE, "--pseudonyms").out.encode()
        self.assertNotRegex(out.decode(), "Ann|Bob|Cleo")
        self.ask("Ann")  # nobody sees that the nurse is a patient, too
        patient_ann = next(row["example"] for row in self.table("--pseudonyms") if row["order"] == "2")
        self.assertNotEqual(patient_ann[2:], second[2:])

    def test_who_was_erased_is_in_no_table(self):
        self.clinic()
        for name in ("told", "Past, Peter"):
            self.study("erase", FILE, name, "--reason", "asked for it", "--yes")
        rows = self.table()
        self.assertEqual(len(rows), 8)
        gone = [row for row in rows if row["state"] == "erased"]
        self.assertEqual([(row["order"], row["spent"], row["age"], row["score"]) for row in gone], [("2", "83.50", "", "")])
        self.assertAlmostEqual(sum(float(row["spent"]) for row in rows), self.status()["spent"], places=9)
        self.events()
        self.assertNotIn(b"Past, Peter", self.read("table.csv") + self.read("events.csv"))
        self.assertNotIn("told", {row["example"] for row in rows} | {row["example"] for row in self.rows("events.csv")})
        self.study("freeze", FILE, "v1", "-o", "copy")
        self.study("freeze", "copy", "--check")

    def test_asked_again_is_one_row(self):
        self.create("-k", "2")
        self.ask("x")
        self.study("cancel", FILE, "x")
        self.ask("x")
        self.assertEqual([(r["example"], r["order"], r["state"]) for r in self.table()], [("x", "2", "issued")])
        self.assertEqual({e["order"] for e in self.events() if e["order"]}, {"1", "2"})

    def test_every_value_reads_back_to_the_bit(self):
        draw = random.Random(7)
        self.write("wide.csv", "name\n" + "".join(f"a{i}\n" for i in range(40)))
        self.create("-k", "2", catalogue="wide.csv")
        told = {}
        with open(self.path("past.csv"), "w", encoding="utf-8") as past:
            past.write("example," + ",".join(f"a{i}" for i in range(40)) + ",y\n")
            for row in range(25):
                values = [draw.choice((-1, 1)) * draw.random() * 10.0 ** draw.randint(-90, 90) for _ in range(41)]
                told[f"r{row}"] = values
                past.write(f"r{row}," + ",".join(repr(v) for v in values) + "\n")
        self.study("import", FILE, "--csv", "past.csv")
        columns = [f"a{i}" for i in range(40)] + ["y"]
        for row in self.table():
            self.assertEqual([float(row[c]) for c in columns], told[row["example"]])
        last = {(e["example"], e["name"]): float(e["value"]) for e in self.events() if e["value"]}
        for example, values in told.items():
            self.assertEqual([last[example, c] for c in columns], values)
        if pandas:
            frame = pandas.read_csv(self.path("table.csv"), index_col="example", float_precision="round_trip")
            for example, values in told.items():
                self.assertEqual(list(frame.loc[example, columns]), values)
            array = numpy.genfromtxt(self.path("table.csv"), delimiter=",", names=True, dtype=None, encoding="utf-8")
            for c, values in zip(columns, zip(*told.values())):
                self.assertEqual(list(array[c]), list(values))
        if shutil.which("Rscript"):
            program = ("x <- read.csv('table.csv', check.names = FALSE); stopifnot(is.numeric(x$a0));"
                       "cat(sprintf('%a', unlist(x[1, c(paste0('a', 0:39), 'y')])), sep = '\\n')")
            out = subprocess.run(["Rscript", "-e", program], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual([float.fromhex(line) for line in out.stdout.split()], told["r0"])

    def test_columns_keep_their_types(self):
        if not pandas:
            self.skipTest("pandas is not installed")
        self.clinic()
        self.table()
        times = ["asked_at", "first_told_at", "last_told_at", "learned_at"]
        frame = pandas.read_csv(self.path("table.csv"), parse_dates=times)
        for column in [*NAMES, "score", "price", "spent"]:
            self.assertIn(frame[column].dtype.kind, "fi", column)
        for column in times:
            self.assertEqual(frame[column].dtype.kind, "M", column)
        events = pandas.read_csv(self.path(self.events() and "events.csv"), parse_dates=["at"])
        for column in ("event", "line", "attributes", "reserved", "spent", "value"):
            self.assertIn(events[column].dtype.kind, "fi", column)

    def test_names_of_columns_do_not_clash(self):
        names = ["state", "state_", "state_note", "price", "note", "reason_note"]
        self.write("odd.csv", "name\n" + "\n".join(names) + "\n")
        self.create("-k", "2", "--target", "order", catalogue="odd.csv")
        self.ask("x")
        with open(self.path(self.table() and "table.csv"), newline="", encoding="utf-8") as lines:
            header = next(csv.reader(lines))
        self.assertEqual(len(set(header)), len(header))
        self.assertTrue(set(names) < set(header))
        self.assertEqual([self.cell("x", c) for c in ("order_", "state__", "price_")], ["1", "issued", "0.00"])
        self.assertEqual(header[header.index("state") + 1], "state_note_")

    def test_the_dictionary_has_every_column(self):
        self.clinic()
        rows = self.table()
        columns = self.rows("table-dictionary.csv")
        self.assertEqual([c["column"] for c in columns], list(rows[0]))
        self.assertEqual([c["column"] for c in columns],
                         FIXED[0] + [n for a in NAMES for n in (a, a + "_note")] + ["score"] + FIXED[1])
        self.assertTrue(all(c["meaning"] and c["type"] for c in columns))
        found = {c["column"]: c for c in columns}
        keys = ("unit", "cost", "low", "high", "group", "known", "retired")
        self.assertEqual([found["cholesterol"][k] for k in keys], ["mmol/l", "4.00", "0", "30", "lipids", "no", "no"])
        self.assertEqual([found["age"][k] for k in keys], ["years", "0.00", "0", "120", "", "yes", "no"])
        self.assertEqual([found["scan"][k] for k in keys], ["", "80.00", "", "", "", "no", "no"])

    def test_formulas_are_texts(self):
        self.write("odd.csv", "name,unit,group\n@a,@x,\n+b,-u,\nc,,\n")
        self.create("-k", "2", catalogue="odd.csv")
        self.ask("=HYPERLINK(1)")
        self.study("cancel", FILE, "=HYPERLINK(1)", "--failed", "@SUM(A1)")
        self.table()
        self.events()
        for name in ("table.csv", "table-dictionary.csv", "events.csv"):
            with open(self.path(name), newline="", encoding="utf-8") as lines:
                for cell in (c for row in csv.reader(lines) for c in row):
                    self.assertFalse(cell[:1] in tuple("=+@\t\r") or (cell[:1] == "-" and not cell[1:2].isdigit()), cell)

    def test_the_name_may_stand_behind_either(self):
        self.clinic()
        self.table()
        self.study("export", FILE, "--csv", "other.csv")
        self.assertEqual(self.read("other.csv"), self.read("table.csv"))
        self.assertEqual(self.read("other-dictionary.csv"), self.read("table-dictionary.csv"))

    def test_bad_words(self):
        self.clinic()
        os.mkdir(self.path("folder.csv"))
        for code, words, more in (
                (USAGE, "-o FILE.csv is missing", ("--csv",)), (USAGE, "-o FILE.csv is missing", ("--events",)),
                (USAGE, "must end with .csv", ("--csv", "-o", "table.txt")),
                (USAGE, "must end with .csv", ("--events", "-o", "events")),
                (USAGE, "one after the other", ("--csv", "--events", "-o", "t.csv")),
                (USAGE, "one of them is enough", ("--csv", "a.csv", "-o", "b.csv")),
                (USAGE, "writes a table alone", ("--csv", "-o", "t.csv", "--gaussian")),
                (USAGE, "writes a table alone", ("--events", "-o", "t.csv", "--errors")),
                (USAGE, "writes a table alone", ("--csv", "-o", "t.csv", "--looks", "l.csv")),
                (USAGE, "--pseudonyms goes with", ("-o", "m.json", "--pseudonyms")),
                (IO, "no such folder", ("--csv", "-o", "none/t.csv")), (IO, "folder", ("--csv", "-o", "folder.csv")),
                (IO, "folder", ("--events", "-o", "folder.csv"))):
            with self.subTest(more=more):
                self.refuses_study(code, words, "export", FILE, *more)
        self.refuses_study(USAGE, "does not use --pseudonyms", "status", FILE, "--pseudonyms")
        self.refuses_study(USAGE, "does not use --events", "ledger", FILE, "--events")
        self.refuses_study(USAGE, "--csv needs a value", "tell", FILE, "--csv")
        self.refuses_study(USAGE, "--csv needs a value", "import", FILE, "--csv", "--", "x")
        self.assertFalse([n for n in self.files() if n.endswith(".csv") and n not in ("attributes.csv", "past.csv")])
        self.assertEqual(os.listdir(self.path("folder.csv")), [])

    def test_the_study_is_not_written_over(self):
        self.create("-k", "2", file="s.csv")
        self.create("-k", "2", file="t-dictionary.csv")
        for file, more in (("s.csv", ("--csv", "-o", "s.csv")), ("s.csv", ("--events", "-o", "s.csv")),
                           ("t-dictionary.csv", ("--csv", "t.csv"))):
            self.refuses_study(USAGE, "would be overwritten", "export", file, *more, file=file)

    def test_both_files_or_none(self):
        self.clinic()
        self.write("table.csv", "before")
        os.mkdir(self.path("table-dictionary.csv"))
        before = self.others()
        self.refuses_study(IO, "folder", "export", FILE, "--csv", "-o", "table.csv")
        self.assertEqual((self.read("table.csv"), self.others()), (b"before", before))

    def test_a_full_disk_leaves_what_was_there(self):
        self.clinic()
        for name in ("table.csv", "table-dictionary.csv", "events.csv"):
            self.write(name, "before")
        before = self.others()
        for words in (("--csv", "-o", "table.csv"), ("--events", "-o", "events.csv")):
            for room in (1, 500, 1000):
                result = self.run_command("study", "export", FILE, *words, room=room)
                self.check_refusal(result, IO, "can't write")
        for name in ("table.csv", "table-dictionary.csv", "events.csv"):
            self.assertEqual(self.read(name), b"before")
        self.assertEqual(self.others(), before)


class Events(Out):
    def test_the_ledger_in_long_form(self):
        self.clinic()
        self.study("correct", FILE, "learned", "score=8.5", "--reason", "typo")
        ledger, rows = self.ledger(), self.events()
        self.assertEqual(sorted({int(r["event"]) for r in rows}), list(range(1, len(ledger) + 1)))
        for event in ledger:
            own = [r for r in rows if r["event"] == event["event"]]
            self.assertEqual([r["line"] for r in own], [str(i + 1) for i in range(len(own))])
            for column in ("at", "kind", "example", "order", "learned", "reason", "checksum"):
                self.assertEqual({r[column] for r in own}, {event[column]}, column)
            words = [r["name"] + {"told": "=" + r["value"], "missing": "=missing"}.get(r["what"], "") for r in own if r["name"]]
            self.assertEqual("; ".join(words), event["values"])
            self.assertEqual([own[0][c] for c in ("attributes", "reserved", "spent")],
                             [event[c] for c in ("attributes", "reserved", "spent")])
            self.assertTrue(all(r["spent"] == r["reserved"] == r["attributes"] == "" for r in own[1:]))
        status = self.status()
        self.assertAlmostEqual(sum(float(r["spent"] or 0) for r in rows), status["spent"], places=9)
        self.assertAlmostEqual(sum(float(r["reserved"] or 0) for r in rows), status["reserved"], places=9)

    def test_the_ledger_of_damaged_orders_can_be_read(self):
        self.clinic()
        before = self.study("ledger", FILE).out
        self.edit("DELETE FROM line WHERE number = 1")
        self.assertEqual(self.study("ledger", FILE).out, before)


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


class Model(Out):
    def test_examples_of_the_past_are_counted(self):
        self.create("-k", "2")
        self.write("past.csv", "age,y\n50,9\n40,8\n60,7\n")
        self.study("import", FILE, "--csv", "past.csv")
        self.assertEqual(self.study("export", FILE, "-o", "m.json").out, "model: m.json, of 3 examples\n")
        ledger = self.model("m.json")["ledger"]
        self.assertEqual((ledger["examples"], ledger["distinct_examples"], ledger["attributes_bought"]), (3, 3, 0))
        self.assertRegex(self.succeeds("show", "m.json").out, r"examples +3\n")


class Chances(Out):
    """Where a chance is not known, the command says so."""

    def looks(self, *words):
        return self.study("export", FILE, "--looks", "looks.csv", *words).out, self.rows("looks.csv")

    def unknown(self, rows):
        return {row["example"] for row in rows if not row["inclusion"] and not row["probability"]}

    def test_a_budget_of_money_has_a_law_without_a_closed_form(self):
        self.create("-k", "2", "--algorithm", "gaussian", "--budget-cost", "5000")
        self.go_on(range(8))
        said, rows = self.looks()
        count = len(self.unknown(rows))
        self.assertGreater(count, 0)
        self.assertIn(f"\n{count} of 8 looks have no inclusion, since the law of {count} has no closed form", said)

    def test_looks_from_before_an_erasure(self):
        self.create("-k", "2", "--algorithm", "gaussian")
        self.go_on(range(6))
        count = len(self.unknown(self.looks()[1]))
        words = self.refuses(OTHER, "the chances of 3 looks of others, drawn since its first event", "study", "erase", FILE,
                             "P2", "--reason", "r")
        self.assertIn("nothing was changed", words)
        self.assertIn("\nthe chances of 3 looks of others", self.study("erase", FILE, "P2", "--reason", "r", "--yes").out)
        said, rows = self.looks()
        self.assertGreater(len(self.unknown(rows)), count)
        self.assertIn("3 can't be drawn again", said)

    def test_nothing_is_said_where_all_is_known(self):
        self.create("-k", "2")
        self.go_on(range(4))
        self.assertNotIn("inclusion", self.looks()[0])

    def test_show_has_no_chance_of_what_was_drawn_without_single_draws(self):
        self.create("-k", "2", "--algorithm", "gaussian")
        for order in self.ask("P1"), self.study("show", FILE, "P1", "--json").json["examples"][0]["orders"][0]:
            self.assertGreater(len(order["lines"]), 1)
            for line in order["lines"]:
                self.assertEqual(line["probability"], 1 if line["known"] else None)
        self.create("-k", "2", file="auto.study")
        self.assertTrue(all(0 < line["probability"] <= 1 for line in self.ask("P1", "auto.study")["lines"]))
