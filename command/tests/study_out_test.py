"""scant study export: the tables of --csv and --events, models, and the chances of --looks."""
import csv
import os
import random
import shutil
import subprocess

from studies import FILE, NAMES, Out
from support import IO, OTHER, USAGE

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None

FIXED = ["example", "order", "state"], ["asked_at", "first_told_at", "last_told_at", "learned_at", "asked_by", "told_by",
                                        "price", "spent", "reason", "second_agree", "second_differ"]
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"


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
