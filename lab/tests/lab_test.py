"""scant-lab: its help, what it refuses, and where scant says that it is.  Its bench is run on tables that are far too
small to time anything.  Nothing here depends on the clock."""
import json
import math
import os
import re
import xml.etree.ElementTree

from support import DATA, IO, USAGE, LabTest

NAMES = ("lasso", "ridge", "lasso-ablation", "ridge-ablation", "few", "scaling", "lower-bound", "svr", "bench")
HERE = os.path.dirname(os.path.abspath(__file__))

TINY = ("--size", "1", "--dimensions", "20", "--looks", "4", "--rounds", "1")
OTHERS = ["limit", "limit-plain", "limit-prefetch", "plain-aerr"]
ROWS = ["aerr", "aelr", "auto", "ridge", "lasso"]

# Says its name, then ten nanoseconds for each attribute, and keeps what it was asked.
PEER = "echo 'somebody else'; while read d n; do echo $d $n >> asked; echo $((10 * d)); done"


class Lab(LabTest):
    def test_the_overview_names_every_command(self):
        out = self.succeeds("help").out
        for name in (*NAMES, "help", "version"):
            self.assertRegex(out, rf"(?m)^  scant-lab {name}\b")
        self.assertEqual(out, self.succeeds("--help").out)
        self.assertEqual(out, self.succeeds("-h").out)
        result = self.run_command()
        self.assertEqual((result.code, result.out, result.err), (USAGE, "", out))

    def test_help_of_a_name(self):
        for name in NAMES:
            out = self.succeeds("help", name).out
            self.assertTrue(out.startswith(f"usage: scant-lab {name} [options]\n"), out[:80])
            self.assertEqual(out, self.succeeds(name, "--help").out)
            self.assertEqual(" --data DIR" in out, name in NAMES[:5])
            self.assertIn(" --out DIR", out)
            for option in ("--out", "--seed", "--quiet"):
                self.assertEqual(out.count(f"{option} ") + out.count(f"{option}\n"), 1, (name, option))

    def test_lines_fit_80_columns(self):
        for words in ([], *[[name] for name in NAMES]):
            for line in self.succeeds("help", *words).out.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_version(self):
        with open(os.path.join(HERE, "..", "..", "meson.build"), encoding="utf-8") as file:
            version = re.search(r"version: '([0-9.]+)'", file.read()).group(1)
        self.assertEqual(self.succeeds("version").out, f"scant-lab {version}\n")
        self.assertEqual(self.succeeds("--version").out, f"scant-lab {version}\n")

    def test_what_is_wrong_is_said_in_its_name(self):
        for words, said in ((["tango"], "scant-lab: there is no command 'tango'; 'scant-lab help' lists them"),
                            (["help", "tango"], "scant-lab help: there is no command 'tango'"),
                            (["help", "man"], "scant-lab help: there is no command 'man'"),
                            (["scaling", "--data", "."],
                             "scant-lab scaling: there is no option --data; see 'scant-lab help scaling'"),
                            (["scaling", "word"], "scant-lab scaling: 'word' is one word too many"),
                            (["svr", "--runs"], "scant-lab svr: --runs needs a value (N)")):
            self.assertEqual(self.refuses(USAGE, [], *words), said)


class Bench(LabTest):
    def bench(self, *options):
        return self.succeeds("bench", *TINY, "-q", *options)

    def test_json_has_every_contestant_at_every_size(self):
        run = self.bench("--json", "--dimensions", "20,50", "--looks", "4,30", "--rounds", "2", "--seed", "5")
        result = run.json
        self.assertEqual(json.loads(self.read("figures/bench.json")), result)
        self.assertEqual((result["megabytes"], result["rounds"], result["seed"]), (1, 2, 5))
        self.assertIsNone(result["peer"])
        found = [(r["d"], r["k"], r["contestant"]) for r in result["results"]]
        # K = 30 is more than 20 attributes, and left out there
        self.assertEqual(found, [(d, k, c) for d, k in ((20, 4), (50, 4), (50, 30)) for c in ROWS + OTHERS])
        for r in result["results"]:
            for key in ("nanoseconds", "times_limit"):
                low, median, high = (r[key][part] for part in ("low", "median", "high"))
                self.assertTrue(0 < low <= median <= high < math.inf, r)
            self.assertEqual(r["nanoseconds_per_attribute"], r["nanoseconds"]["median"] / r["k"])
            self.assertNotIn("times_as_fast_as_peer", r)
            rows = 2**17 // r["d"]
            self.assertEqual(r["examples"], (rows - rows // 2) * math.ceil(4096 / (rows - rows // 2))
                             if r["contestant"] != "plain-aerr" else rows - rows // 2)

    def test_the_limit_is_the_faster_loop_of_each_round(self):
        results = {r["contestant"]: r for r in self.bench("--json").json["results"]}
        times = {name: results[name]["nanoseconds"]["median"] for name in OTHERS}
        self.assertEqual(times["limit"], min(times["limit-plain"], times["limit-prefetch"]))
        self.assertEqual(results["limit"]["times_limit"]["median"], 1)
        for name in ("aerr", "plain-aerr"):
            self.assertAlmostEqual(results[name]["times_limit"]["median"],
                                   results[name]["nanoseconds"]["median"] / times["limit"])

    def test_the_tables_are_markdown_and_are_kept(self):
        out = self.bench("--algorithms", "aerr,ddaerr").out
        kept = self.read("figures/bench.md").decode()
        self.assertTrue(out.startswith(kept), out)
        self.assertIn("There was no peer", kept)
        for table in kept.split("\n\n"):
            lines = [line for line in table.splitlines() if line.startswith("|")]
            self.assertEqual(len({line.count("|") for line in lines} | {3}), 1, table)
        names = [line.split("`")[1] for line in kept.splitlines() if line.startswith("| `")]
        self.assertEqual(names, ["aerr", "ddaerr", "plain-aerr", "aerr", "ddaerr", "limit-plain", "limit-prefetch",
                                 "plain-aerr"])
        self.assertIn("`aerr` at K = 4, d = 20: ", kept)  # a verdict, whichever

    def test_the_picture_has_a_line_for_each(self):
        self.bench("--dimensions", "60,100", "--looks", "4,56,57", "--peer", PEER, "--out", "elsewhere")
        picture = xml.etree.ElementTree.parse(self.path("elsewhere/bench.svg")).getroot()
        texts = ["".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("Time per example against d, K = 56", texts)
        for name in ROWS + ["limit", "plain-aerr", "somebody"]:
            self.assertIn(name, texts)
        lines = list(picture.iter("{http://www.w3.org/2000/svg}polyline"))
        self.assertEqual([len(line.get("points").split()) for line in lines], [2] * 8)

    def test_a_peer_is_asked_once_a_round_for_each_d(self):
        result = self.bench("--json", "--dimensions", "20,50", "--rounds", "3", "--looks", "4,8,30", "--peer", PEER).json
        self.assertEqual(result["peer"], "somebody else")
        halves = {d: 2**17 // d - 2**17 // d // 2 for d in (20, 50)}
        self.assertEqual(self.read("asked").decode().split(),
                         [str(word) for d in (20, 50) for _ in range(3) for word in (d, halves[d])])
        for r in result["results"]:
            if r["contestant"] == "peer":
                self.assertEqual(r["nanoseconds"], {"median": 10 * r["d"], "low": 10 * r["d"], "high": 10 * r["d"]})
                self.assertEqual(r["nanoseconds_per_attribute"], 10)
                self.assertEqual(r["examples"], halves[r["d"]])
            else:
                self.assertAlmostEqual(r["times_as_fast_as_peer"]["median"],
                                       10 * r["d"] / r["nanoseconds"]["median"])
        self.assertEqual(sum(r["contestant"] == "peer" for r in result["results"]), 5)  # not at d = 20 and K = 30

    def test_verdicts_are_of_what_was_measured(self):
        result = self.bench("--json", "--dimensions", "784", "--looks", "4,56", "--peer", PEER).json
        verdicts = {(v["algorithm"], v["k"], v["ratio_of"]): v for v in result["verdicts"]}
        self.assertEqual(sorted(verdicts),
                         sorted([(a, 56, "times_limit") for a in ("aerr", "auto", "ridge", "lasso")]
                                + [(a, 4, "times_limit") for a in ROWS]
                                + [(a, 56, "times_as_fast_as_peer") for a in ("aerr", "auto")]))
        ratios = {(r["contestant"], r["k"]): r for r in result["results"]}
        for (algorithm, k, key), v in verdicts.items():
            self.assertEqual(v["ratio"], ratios[algorithm, k][key]["median"])
            self.assertEqual(v["holds"],
                             v["ratio"] <= v["at_most"] if key == "times_limit" else v["ratio"] >= v["at_least"])
        self.assertEqual(self.bench("--json", "--looks", "5").json["verdicts"], [])

    # ---- refusals ---------------------------------------------------------------

    def refuses(self, code, word, *options):
        self.check_refusal(self.run_command("bench", *TINY, *options), code, word)
        self.assertFalse(os.path.exists(self.path("figures/bench.json")))

    def test_lists_that_are_no_lists_of_numbers(self):
        for option in ("--dimensions", "--looks"):
            for bad in ("", "4,", ",4", "4,,5", "x", "4.5", "1", "-4", "1e30", "nan", "0x10", " 4", "4 5", "+4", "1e1"):
                with self.subTest(option=option, bad=bad):
                    self.refuses(USAGE, option, option, bad)
            self.refuses(USAGE, "at most 16", option, ",".join(str(n) for n in range(4, 21)))

    def test_rows_that_do_not_learn_from_k_attributes_as_they_come(self):
        for name in ("gaussian", "moments", "online-ridge", "full-lasso"):
            self.refuses(USAGE, name, "--algorithms", name)
        self.refuses(USAGE, "tango", "--algorithms", "aerr,tango")
        self.refuses(USAGE, "''", "--algorithms", "aerr,")
        self.refuses(USAGE, "even", "--algorithms", "aer", "--looks", "5")
        self.refuses(USAGE, "--looks: svr needs a K of at least 3", "--algorithms", "aerr,svr", "--looks", "16,2")

    def test_no_looks_that_fit(self):
        self.refuses(USAGE, "--looks", "--dimensions", "20,30", "--looks", "31,40")

    def test_counts_out_of_range_and_words(self):
        for option, bad in (("--rounds", "0"), ("--rounds", "1001"), ("--size", "0"), ("--size", "x"), ("--seed", "-1")):
            self.refuses(USAGE, option[2:], option, bad)
        self.check_refusal(self.run_command("bench", "word"), USAGE, "word")

    def test_a_folder_that_can_not_be_written(self):
        self.write("file", "")
        self.refuses(IO, "file", "--out", "file")

    def test_a_peer_that_says_nothing(self):
        for peer in ("true", "echo", f"echo {'x' * 64}", "printf name"):
            with self.subTest(peer=peer):
                self.refuses(DATA, "did not say its name", "--peer", peer)

    def test_a_peer_that_can_not_be_run(self):
        self.refuses(DATA, "ended at once, with exit code 127", "--peer", "no-such-command-here 2>/dev/null")

    def test_what_is_named_twice_and_what_has_no_room(self):
        self.refuses(USAGE, "--dimensions names 20 twice", "--dimensions", "20,30,20")
        self.refuses(USAGE, "--algorithms names aerr twice", "--algorithms", "aerr,auto,aerr")
        self.refuses(USAGE, "no room for 100 rows of 1000000", "--dimensions", "20,1000000")

    def test_a_peer_that_ends_before_its_answer(self):
        for peer in ("echo me", "echo me; read line", "echo me; read line; printf 5"):
            with self.subTest(peer=peer):
                self.refuses(DATA, "the peer me ended without an answer", "--peer", peer)

    def test_a_peer_that_answers_nonsense(self):
        for answer in ("fast", "", "-5", "0", "nan", "inf", "5 6", "5ns"):
            with self.subTest(answer=answer):
                self.refuses(DATA, f"answered '{answer}'", "--peer", f"echo me; read line; echo '{answer}'")
