"""scant fit --looks: every attribute that was bought, with how it was drawn."""
import csv
import json
import math
import os
import random
import signal
import struct
import subprocess
from collections import Counter, defaultdict

from support import DATA, DIMENSION, IO, SCANT, SECONDS, USAGE, CommandTest, Table, environment

COLUMNS = ["example", "pass", "attribute", "item", "value", "target", "draws", "draws_total", "probability",
           "residual_draws", "residual_total", "residual_probability", "certain", "price", "inclusion"]


def related(rows, seed=1):
    """Attributes that go together, so that their products are not 0 on average."""
    draw = random.Random(seed)
    table = Table(rows, 6, seed)
    for x in table.x:
        common = draw.gauss(0, 1)
        for i in range(6):
            x[i] = round(1 + common * (i % 3) + draw.gauss(0, 1), 3)
    table.y = [round(x[0] - x[1] + 2 * x[5] + draw.gauss(0, 1), 3) for x in table.x]
    return table


class LooksTest(CommandTest):
    def looks(self, name="looks.csv"):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def keep(self, *options, command="fit", data="data.csv"):
        """The lines, and what the command says of the run."""
        run = self.succeeds(command, data, "-q", "--json", "--looks", "looks.csv", *options)
        return self.looks(), run.json

    def no_trace(self):
        self.assertEqual([f for f in os.listdir(self.folder) if "looks" in f or "pairs" in f], [])


class Files(LooksTest):
    def setUp(self):
        super().setUp()
        self.table = Table(300, DIMENSION)
        self.write("data.csv", self.table.csv())

    def check_values(self, lines, table, names):
        for line in lines:
            row = int(line["example"]) - 1
            self.assertEqual(float(line["value"]), table.x[row][names.index(line["attribute"])])
            self.assertEqual(float(line["target"]), table.y[row])

    def test_every_purchase_of_every_algorithm_is_a_line(self):
        for row in ("auto", "ridge", "lasso", "svr", "gaussian", "moments", "aerr", "aelr", "ddaerr", "ddaelr", "aer",
                    "aesvr", "coinflip", "online-ridge", "online-lasso", "full-ridge"):
            options = ["--algorithm", row] + ([] if row.startswith(("online", "full")) else ["-k", 8])
            lines, run = self.keep(*options, "-o", "model.json")
            self.assertEqual(list(lines[0]), COLUMNS)
            self.check_values(lines, self.table, self.table.names)
            self.assertEqual(len(lines), run["attributes_bought"], row)
            bought = Counter(line["attribute"] for line in lines)
            self.assertEqual([bought[name] for name in self.table.names], self.model()["purchases"])
            self.assertEqual(len({(line["example"], line["attribute"]) for line in lines}), len(lines))
            self.no_half_file()

    def no_half_file(self):
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".tmp")], [])

    def test_the_model_is_that_of_a_fit_without_it(self):
        for row in ("auto", "gaussian", "aerr"):
            self.succeeds("fit", "data.csv", "-q", "-k", 4, "--algorithm", row, "-o", "plain.json")
            self.keep("-k", 4, "--algorithm", row, "-o", "kept.json", "--looks-pairs", "pairs.csv")
            self.assertEqual(self.read("plain.json"), self.read("kept.json"))

    def test_draws_add_up_as_the_ledger_counts_them(self):
        for row in ("auto", "aerr", "ddaerr", "aer", "aesvr", "svr"):
            lines, run = self.keep("--algorithm", row, "-k", 8)
            drawn = sum(int(line["draws"]) + int(line["residual_draws"]) + int(line["certain"]) for line in lines)
            self.assertEqual(drawn, run["looks_drawn"], row)
            by_example = defaultdict(int)
            for line in lines:
                by_example[line["example"]] += int(line["draws"])
                self.assertEqual(line["probability"] == "", line["draws"] == "0" and line["certain"] == "0")
                self.assertEqual(line["residual_probability"] == "", line["residual_draws"] == "0")
            for line in lines:
                self.assertEqual(by_example[line["example"]], int(line["draws_total"]))

    def test_npy_has_the_same_lines_from_0(self):
        self.succeeds("fit", "data.csv", "-q", "-k", 4, "--looks", "looks.npy")
        lines, _ = self.keep("-k", 4)
        raw = open(self.path("looks.npy"), "rb").read()
        self.assertEqual(raw[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", raw[8:10])[0] + 10
        self.assertEqual(length % 64, 0)
        header = eval(raw[10:length].decode())  # as NumPy reads it
        self.assertEqual([name for name, _ in header["descr"]], COLUMNS)
        self.assertEqual((header["shape"], header["fortran_order"]), ((len(lines),), False))
        letters = {"<u8": "Q", "<u4": "I", "<f8": "d", "|b1": "?"}
        rows = list(struct.iter_unpack("<" + "".join(letters[t] for _, t in header["descr"]), raw[length:]))
        self.assertEqual(len(rows), len(lines))
        for row, line in zip(rows, lines):
            for name, value in zip(COLUMNS, row):
                if name in ("example", "pass", "item"):
                    self.assertEqual(value + 1, int(line[name]))
                elif name == "attribute":
                    self.assertEqual(self.table.names[value], line[name])
                elif isinstance(value, float):
                    self.assertTrue(math.isnan(value) if line[name] == "" else value == float(line[name]), name)
                else:
                    self.assertEqual(int(value), int(line[name]))

    def test_without_names_attributes_are_numbered_from_1(self):
        self.write("data.libsvm", self.table.libsvm())
        lines, _ = self.keep("-k", 4, data="data.libsvm")
        self.check_values(lines, self.table, [str(i + 1) for i in range(DIMENSION)])

    def test_names_are_cells(self):
        self.table.names[:3] = ["a,b", '=1+2', 'say "x"']
        header = '"a,b","=1+2","say ""x"""' + "".join("," + name for name in [*self.table.names[3:], "y"])
        self.write("data.csv", header + "\n" + self.table.csv(header=False))
        lines, _ = self.keep("--algorithm", "online-ridge")
        self.assertEqual([line["attribute"] for line in lines[:4]], ["a,b", "'=1+2", 'say "x"', "a3"])

    def test_passes_are_counted(self):
        lines, run = self.keep("-k", 6, "--passes", 3, "--algorithm", "auto")
        self.assertEqual(Counter(line["pass"] for line in lines).keys(), {"1", "2", "3"})
        self.assertEqual(len({(line["example"], line["pass"]) for line in lines}), run["examples"])

    def test_held_out_examples_are_not_in_it_and_classes_keep_their_numbers(self):
        lines, run = self.keep("-k", 4, "--split", 0.5)
        self.assertEqual(len({line["example"] for line in lines}), 150)
        self.check_values(lines, self.table, self.table.names)
        self.table.y = [("cat", "dog", "cow")[i % 3] for i in range(300)]
        self.write("data.csv", self.table.csv())
        lines, _ = self.keep("-k", 4, "--classes", "dog,cow")
        self.assertEqual(len({line["example"] for line in lines}), 200)
        self.assertEqual({(int(line["example"]) - 1) % 3 for line in lines}, {1, 2})

    def test_a_missing_value_is_an_empty_cell(self):
        for x in self.table.x[::2]:
            x[1] = ""
        self.write("data.csv", self.table.csv())
        lines, run = self.keep("-k", 4)
        empty = [line for line in lines if line["value"] == ""]
        self.assertEqual(len(empty), run["missing_cells"])
        self.assertTrue(empty and {line["attribute"] for line in empty} == {"a1"})
        lines, run = self.keep("--algorithm", "gaussian", "--observed")  # what is not there was not bought
        self.assertEqual((len(lines), [line for line in lines if line["value"] == ""]), (run["attributes_bought"], []))
        self.assertEqual({(line["certain"], line["probability"], line["inclusion"]) for line in lines}, {("0", "", "")})

    def test_prices_and_groups(self):
        cost = {"a0": 0, "a1": 1.5, "a2": 2.25}
        self.write("costs.csv", "attribute,cost,group\n" + "".join(
            f"{name},{cost.get(name, 1)},{'g' if name in ('a1', 'a2') else ''}\n" for name in self.table.names))
        for row in ("auto", "gaussian", "aerr"):
            lines, run = self.keep("-k", 5, "--costs", "costs.csv", "--algorithm", row)
            self.assertAlmostEqual(sum(float(line["price"]) for line in lines), run["money_spent"], places=6)
            if row == "aerr":
                continue
            for line in lines:
                if line["attribute"] == "a0":
                    self.assertEqual((line["certain"], line["inclusion"], float(line["price"])), ("1", "1", 0))
            items = defaultdict(set)
            for line in lines:
                items[line["example"], line["item"]].add(line["attribute"])
            self.assertEqual({frozenset(s) for s in items.values() if len(s) > 1}, {frozenset(("a1", "a2"))})

    def test_tune_writes_the_purchases_of_all_candidates(self):
        options = ["--algorithm", "lasso", "-k", 4, "--grid", "eta=0.5,1,2"]
        for threads in (1, 3):
            lines, run = self.keep(*options, "--threads", threads, command="tune")
            self.assertEqual(len(lines), run["attributes_bought"])
            self.check_values(lines, self.table, self.table.names)
            kept = self.read("looks.csv") if threads == 1 else kept
        self.assertEqual(self.read("looks.csv"), kept)
        self.assertIn("looks: looks.csv", self.succeeds("tune", "data.csv", "-q", *options, "--looks", "looks.csv").out)

    def test_resumed_fits_write_what_they_buy(self):
        self.succeeds("fit", "data.csv", "-q", "-k", 4, "--algorithm", "auto", "--budget", 400, "--checkpoint", "c.json",
                      "--looks", "first.csv")
        whole, _ = self.keep("-k", 4, "--algorithm", "auto", "--budget", 400)
        self.assertEqual(self.looks("first.csv"), whole)
        self.refuses(USAGE, ["'first.csv' is there already", "--resume"], "fit", "data.csv", "-q", "--resume", "c.json",
                     "--looks", "first.csv")
        self.succeeds("fit", "data.csv", "-q", "--resume", "c.json", "--looks", "second.csv")
        self.assertEqual(self.looks("second.csv"), [])  # the budget is spent


class Refusals(LooksTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(300, DIMENSION).csv())

    def test_names(self):
        self.refuses(USAGE, ["--looks 'looks.txt'", ".csv or .npy"], "fit", "data.csv", "--looks", "looks.txt")
        self.refuses(USAGE, ["'data.csv' would be overwritten"], "fit", "data.csv", "--looks", "data.csv")
        self.refuses(USAGE, ["'m.csv' would be overwritten"], "fit", "data.csv", "-o", "m.csv", "--looks", "m.csv")
        self.refuses(USAGE, ["--looks-pairs needs --looks"], "fit", "data.csv", "--looks-pairs", "p.csv")
        os.symlink("m.csv", self.path("link.csv"))  # nothing is there yet, and all of these would be one file
        for name in ("./m.csv", "link.csv", self.path("m.csv")):
            self.refuses(USAGE, ["'m.csv' would be overwritten"], "fit", "data.csv", "-o", "m.csv", "--looks", name)
            self.refuses(USAGE, ["'m.csv' would be overwritten"], "fit", "data.csv", "--looks", "m.csv", "--looks-pairs", name)
        self.refuses(USAGE, ["'l.csv' would be overwritten"], "tune", "data.csv", "--looks", "l.csv", "--looks-pairs",
                     "l.csv")
        self.refuses(IO, ["can't write 'none/l.csv'", "folder"], "fit", "data.csv", "--looks", "none/l.csv")

    def test_a_fit_that_fails_leaves_what_was_there(self):
        table = Table(300, DIMENSION)
        table.x[250] = ["inf"] * DIMENSION
        self.write("bad.csv", table.csv())
        self.refuses(DATA, ["infinity"], "fit", "bad.csv", "-q", "-k", 4, "--looks", "looks.csv")
        self.no_trace()
        self.write("looks.csv", "as it was\n")
        self.refuses(DATA, ["infinity"], "fit", "bad.csv", "-q", "-k", 4, "--looks", "looks.csv",
                     "--looks-pairs", "pairs.npy")
        self.assertEqual(self.read("looks.csv"), b"as it was\n")
        os.remove(self.path("looks.csv"))
        self.no_trace()

    def test_a_full_disk(self):
        os.symlink("/dev/full", self.path("looks.csv"))
        for command in ("fit", "tune"):
            self.refuses(IO, ["can't write 'looks.csv': the disk is full"], command, "data.csv", "-q", "--algorithm", "auto",
                         "-k", 4, "--looks", "looks.csv")
        os.symlink("/dev/full", self.path("looks.npy"))
        self.refuses(IO, ["npy needs a regular file"], "fit", "data.csv", "-q", "-k", 4, "--looks", "looks.npy")


class Signals(LooksTest):
    """The file of pairs is a pipe that nobody reads, so that the fit stands still with the looks half written."""

    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(3000, DIMENSION).csv())
        os.mkfifo(self.path("p.csv"))

    def start(self, *words):
        process = subprocess.Popen([SCANT, *map(str, words), "-q", "--looks", "looks.csv", "--looks-pairs", "p.csv"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment())
        reader = open(self.path("p.csv"), "rb")
        self.addCleanup(reader.close)
        self.assertEqual(len(reader.read(100)), 100)  # the header, and lines: it learns
        return process, reader

    def end(self, process, reader, code):
        while reader.read(1 << 16):
            pass
        _, said = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, code, said)
        return said

    def test_an_interrupted_fit_leaves_nothing(self):
        process, reader = self.start("fit", "data.csv", "--algorithm", "aerr", "-k", 8)
        process.send_signal(signal.SIGINT)
        self.assertIn("nothing is kept", self.end(process, reader, 130))
        self.no_trace()

    def test_with_a_checkpoint_the_looks_are_those_of_the_checkpoint(self):
        process, reader = self.start("fit", "data.csv", "--algorithm", "aerr", "-k", 8, "--checkpoint", "c.json")
        process.send_signal(signal.SIGTERM)
        self.assertIn("--resume 'c.json' goes on", self.end(process, reader, 143))
        kept, lines = json.loads(self.read("c.json"))["ledger"], self.looks()
        self.assertEqual(len(lines), kept["attributes_bought"])
        self.assertLess(kept["examples"], 3000)
        self.succeeds("fit", "data.csv", "-q", "--resume", "c.json", "--looks", "rest.csv", "-o", "model.json")
        self.assertEqual(len(lines) + len(self.looks("rest.csv")), self.model()["ledger"]["attributes_bought"])

    def test_a_second_signal_leaves_nothing_either(self):
        process, reader = self.start("fit", "data.csv", "--algorithm", "aerr", "-k", 8)
        process.send_signal(signal.SIGINT)
        process.stderr.readline(), process.stderr.readline()  # it says that it stops soon
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)
        self.assertEqual(process.returncode, -signal.SIGINT)
        process.communicate()
        self.no_trace()

    def test_tune(self):
        process, reader = self.start("tune", "data.csv", "--algorithm", "auto", "-k", DIMENSION)
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)
        self.assertEqual(process.returncode, 130)
        process.communicate()
        self.no_trace()


class Moments(LooksTest):
    """Second moments from the file alone, against those of all cells.  All examples are bought from, so only the draws
    are left to chance, and the errors of the examples are uncorrelated."""

    def setUp(self):
        super().setUp()
        self.table = related(3000)
        self.write("data.csv", self.table.csv())

    def check(self, lines, weight_of_two):
        """5 sigma for each of the 21 products."""
        examples = defaultdict(dict)
        for line in lines:
            examples[int(line["example"]) - 1][int(line["attribute"][1:])] = line
        for i in range(6):
            for j in range(i, 6):
                errors = []
                for row, x in enumerate(self.table.x):
                    a, b = examples[row].get(i), examples[row].get(j)
                    weight = weight_of_two(row, a, b) if a and b else 0
                    errors.append((weight - 1) * x[i] * x[j])
                sigma = math.sqrt(sum(e * e for e in errors))
                self.assertGreater(sigma, 0)
                self.assertLess(abs(sum(errors)), 5 * sigma, (i, j))

    @staticmethod
    def hansen_hurwitz(row, a, b):
        def weight(line):
            if line["certain"] == "1":
                return 1
            return int(line["draws"]) / (int(line["draws_total"]) * float(line["probability"]))
        if a is b:
            return weight(a)
        n = int(a["draws_total"])
        return weight(a) * weight(b) * (1 if "1" in (a["certain"], b["certain"]) else n / (n - 1))

    def test_hansen_hurwitz(self):
        for options in (["auto", "-k", 3], ["auto", "-k", 5], ["ridge", "-k", 4], ["lasso", "-k", 4]):
            lines, _ = self.keep("--algorithm", *options)
            self.check(lines, self.hansen_hurwitz)

    def test_a_wrong_weight_is_noticed(self):
        lines, _ = self.keep("--algorithm", "auto", "-k", 3)
        with self.assertRaises(AssertionError):
            self.check(lines, lambda row, a, b: self.hansen_hurwitz(row, a, b) * (1 if a is b else 2 / 3))

    def test_horvitz_thompson_where_pairs_have_a_closed_form(self):
        for options in (["aerr", "-k", 3, "--replacement", "no"], ["aer", "-k", 4], ["aerr", "-k", 4], ["coinflip", "-k", 2],
                        ["gaussian", "-k", 3]):
            lines, _ = self.keep("--algorithm", *options, "--looks-pairs", "pairs.csv")
            both = {(int(p["example"]) - 1, *sorted((p["attribute"], p["other"]))): float(p["probability"])
                    for p in self.looks("pairs.csv")}
            self.check(lines, lambda row, a, b: 1 / (float(a["inclusion"]) if a is b else
                                                     both[(row, *sorted((a["attribute"], b["attribute"])))]))
