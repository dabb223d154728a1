"""--checkpoint, --every and --resume: the same bits as a run that was never
interrupted, and refusals where they could not be the same."""
import json
import os
import re
import signal
import subprocess
import time

from support import (DATA, DIMENSION, K, SCANT, SECONDS, USAGE, CommandTest, Table, algorithms, environment, npy,
                     predict, sealed)

ROWS = algorithms()
VARIANTS = ([], ["--passes", "2"], ["--center"], ["--average", "half"], ["--average", "last"], ["--budget", "250"],
            ["--center", "--passes", "2", "--average", "half", "--budget", "500"],
            ["--split", "0.3", "--examples", "20"], ["--no-shuffle", "--seed", "12345"])


class Checkpoint(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(40, DIMENSION)
        self.write("data.csv", self.table.csv())

    def checkpoints(self, *options, data="data.csv"):
        """Every checkpoint that a run writes: it writes them one behind the
        other to what is no file.  The finished model is in whole.json."""
        out = self.succeeds("fit", data, *options, "-q", "--checkpoint", "/dev/stdout", "-o", "whole.json").out
        found = re.findall(r'\{\n  "format": "scant-model".*?"checksum": "[0-9a-f]{16}"\n\}\n', out, re.DOTALL)
        self.assertGreater(len(found), 1)
        return found

    def resume(self, checkpoint, *options, data="data.csv"):
        self.write("resumed.json", "")
        self.write("checkpoint.json", checkpoint)
        result = self.succeeds("fit", data, "--resume", "checkpoint.json", "-q", "-o", "resumed.json", *options)
        return result, self.read("resumed.json")

    # ---- the same bits ---------------------------------------------------

    def interrupt(self, number, words):
        """A fit that is sent a signal when its first checkpoint is there; its exit code and what it said."""
        for _ in range(20):  # it may be through before the signal comes
            if os.path.exists(self.path("c.json")):
                os.remove(self.path("c.json"))
            process = subprocess.Popen([SCANT, *words, "--checkpoint", "c.json", "--every", "1", "-o", "never.json"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while not os.path.exists(self.path("c.json")) and process.poll() is None:
                pass
            process.send_signal(number)
            said = process.communicate()[1]
            if process.returncode:
                break
            os.remove(self.path("never.json"))
        return process.returncode, said

    def test_an_interrupted_fit_keeps_a_checkpoint_and_goes_on_to_the_same_bits(self):
        self.write("long.csv", Table(3000, DIMENSION).csv())
        words = ["fit", "long.csv", *K, "-q"]
        self.succeeds(*words, "-o", "whole.json")
        for number, wanted in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                code, said = self.interrupt(number, words)
                self.assertEqual(code, wanted)
                self.assertIn("--resume 'c.json'", said)
                self.assertEqual([name for name in self.files() if ".tmp" in name or name == "never.json"], [])
                self.succeeds("fit", "long.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
                self.assertEqual(self.read("resumed.json"), self.read("whole.json"))

    def test_every_row_resumes_to_the_same_bits(self):
        for row in ROWS:
            for variant in VARIANTS:
                if row.one_pass and "--passes" in variant:
                    continue
                with self.subTest(algorithm=row.name, options=variant):
                    variant = row.only(*variant)
                    found = self.checkpoints("--algorithm", row.name, *row.k, *variant, "--every", "9")
                    self.succeeds("fit", "data.csv", "--algorithm", row.name, *row.k, *variant, "-q", "-o", "plain.json")
                    whole = self.read("plain.json")
                    self.assertEqual(self.read("whole.json"), whole, "writing checkpoints changes nothing")
                    for checkpoint in (found[0], found[-2]):
                        self.assertEqual(self.resume(checkpoint)[1], whole)

    def test_every_choice_resumes_to_the_same_bits(self):
        self.write("signs.csv", Table(40, DIMENSION).with_labels(-1, 1).csv())
        for options in (["--algorithm", "aesvr", "--norm", "1"], ["--algorithm", "coinflip", "--norm", "1", "--center"],
                        ["--algorithm", "aesvr", "--loss", "hinge"], ["--algorithm", "coinflip", "--loss", "absolute"],
                        ["--replacement", "no", "--residual-looks", "5"],
                        ["--x-bound", "3", "--radius", "0.7", "--eta", "0.3"],
                        ["--algorithm", "aelr", "--eta", "40"], ["--algorithm", "aer", "--penalty", "0.01"],
                        ["--classes", "-1,1"]):
            with self.subTest(options=options):
                found = self.checkpoints(*K, *options, "--every", "7", data="signs.csv")
                for checkpoint in found[:-1:2]:
                    self.assertEqual(self.resume(checkpoint, data="signs.csv")[1], self.read("whole.json"))

    def test_a_run_may_be_interrupted_again_and_again(self):
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "plain.json", "--center")
        checkpoint = self.checkpoints(*K, "--center", "--every", "1")[0]
        steps = 0
        while json.loads(checkpoint)["ledger"]["examples"] < 36:
            self.write("c.json", checkpoint)
            out = self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "--checkpoint", "/dev/stdout", "--every",
                                "5").out
            checkpoint = out[:out.index("\n}\n") + 3]
            steps += 1
        self.assertEqual(steps, 7)
        self.assertEqual(self.resume(checkpoint)[1], self.read("plain.json"))

    def test_resuming_at_the_end_gives_the_finished_model(self):
        for options in ([], ["--budget", "200"], ["--passes", "2"]):
            last = self.checkpoints(*K, *options, "--every", "9")[-1]
            result, model = self.resume(last, "--json")
            self.assertEqual(model, self.read("whole.json"))
            self.assertEqual(result.json["budget_spent"], bool(options and options[0] == "--budget"))

    def test_a_run_that_was_killed_resumes_to_the_same_bits(self):
        self.write("long.csv", Table(3000, DIMENSION).csv())
        self.succeeds("fit", "long.csv", *K, "-q", "-o", "plain.json", "--passes", "2")
        for _ in range(3):  # a killed run may have been too quick for us
            run = subprocess.Popen([SCANT, "fit", "long.csv", *K, "-q", "--passes", "2", "-o", "killed.json",
                                    "--checkpoint", "c.json", "--every", "1"], cwd=self.folder, env=environment(),
                                   stdout=subprocess.DEVNULL)
            for _ in range(SECONDS * 100):
                if os.path.exists(self.path("c.json")) or run.poll() is not None:
                    break
                time.sleep(0.01)
            run.send_signal(signal.SIGKILL)
            run.wait()
            if not os.path.exists(self.path("killed.json")):
                break
        self.assertFalse(os.path.exists(self.path("killed.json")), "it was killed in the middle")
        checkpoint = self.read("c.json").decode()
        self.assertLess(json.loads(checkpoint)["ledger"]["examples"], 6000)
        self.assertEqual(self.resume(checkpoint, data="long.csv")[1], self.read("plain.json"))

    def test_checkpoints_come_every_n_examples_and_at_the_end(self):
        for every, expected in ((10, [10, 20, 30, 40]), (15, [15, 30, 40]), (39, [39, 40])):
            found = self.checkpoints(*K, "--every", every)
            self.assertEqual([json.loads(c)["ledger"]["examples"] for c in found], expected)

    def test_a_checkpoint_file_is_replaced_whole(self):
        self.succeeds("fit", "data.csv", *K, "-q", "--checkpoint", "c.json", "--every", "3")
        self.assertEqual(self.files(), ["c.json", "data.csv"])
        self.assertEqual(self.model("c.json")["ledger"]["examples"], 40)

    def test_a_resumed_run_prints_the_whole_ledger(self):
        printed, _ = self.fit("data.csv", *K, "--split", "0.25", "--seed", "4")
        first = self.checkpoints(*K, "--split", "0.25", "--seed", "4", "--every", "9")[0]
        resumed = self.resume(first, "--json")[0].json
        for fields in (printed, resumed):
            fields.pop("seconds")
        self.assertEqual(resumed, printed)

    def test_a_resumed_run_shows_a_table_that_goes_on(self):
        self.write("c.json", self.checkpoints(*K, "--every", "20")[0])
        err = self.succeeds("fit", "data.csv", "--resume", "c.json").err
        counts = [int(line.split()[0]) for line in err.splitlines()[1:]]
        self.assertEqual(counts, sorted(set(counts)))
        self.assertEqual(counts[-1], 40)
        self.assertGreaterEqual(counts[0], 20)
        self.assertIn("examples", err.splitlines()[0])

    # ---- a checkpoint is a model -----------------------------------------

    def test_extreme_numbers_resume_too(self):
        table = Table(40, DIMENSION)
        table.y = [1e85 * y for y in table.y]
        self.write("huge.csv", table.csv())
        for words in (["--algorithm", "auto", "-k", "2"], ["--algorithm", "lasso", "-k", "3", "--radius", "1e-45"]):
            self.succeeds("fit", "huge.csv", *words, "-q", "--every", "9", "--checkpoint", "c.json", "-o", "whole.json")
            self.succeeds("fit", "huge.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
            self.assertEqual(self.read("resumed.json"), self.read("whole.json"))

    def test_show_predict_and_eval_work_on_a_checkpoint(self):
        for row in ROWS:
            first = self.checkpoints("--algorithm", row.name, *row.k, *row.only("--center"), "--every", "9")[0]
            model = json.loads(first)
            self.write("c.json", first)
            shown = self.succeeds("show", "c.json").out
            self.assertIn("checkpoint", shown.split("\n")[0])
            self.assertIn(row.name, shown)
            for text, x in zip(self.succeeds("predict", "c.json", "data.csv").out.split(), self.table.x):
                self.assertAlmostEqual(float(text), predict(model, x), delta=1e-12)
            self.assertEqual(self.succeeds("eval", "c.json", "data.csv", "--json").json["examples"], 40)

    def test_a_finished_model_is_no_checkpoint(self):
        self.fit("data.csv", *K)
        self.assertNotIn("checkpoint", self.model())
        self.refuses(DATA, "finished", "fit", "data.csv", "--resume", "model.json")

    # ---- refusals --------------------------------------------------------

    def test_a_conflicting_setting_is_refused_and_named(self):
        self.write("c.json", self.checkpoints(*K, "--every", "9")[0])
        for words in ("-k 10", "--algorithm aelr", "--radius 2", "--eta 0.1", "--seed 2", "--passes 2", "--examples 5",
                      "--budget 100", "--split 0.2", "--average half", "--x-bound 3", "--residual-looks 2",
                      "--replacement no", "--no-shuffle", "--center", "--loss hinge", "--tube 0.1", "--penalty 1",
                      "--norm 2"):
            option, *value = words.split()
            name = option.lstrip("-").removeprefix("no-")
            with self.subTest(option=option):
                self.refuses(USAGE, name, "fit", "data.csv", "--resume", "c.json", "-q", "-o", "m.json", option, *value)

    def test_a_conflict_of_classes_is_refused_and_named(self):
        self.table.y = [("no", "yes", "perhaps")[i % 3] for i in range(40)]
        self.write("words.csv", self.table.csv())
        first = self.checkpoints(*K, "--classes", "no,yes", "--every", "9", data="words.csv")[0]
        self.assertEqual(self.resume(first, data="words.csv")[1], self.read("whole.json"))
        for classes in ("yes,no", "no,perhaps", "no,absent"):
            with self.subTest(classes=classes):
                self.refuses(USAGE, "classes", "fit", "words.csv", "--resume", "checkpoint.json", "--classes", classes)

    def test_a_setting_that_agrees_is_accepted(self):
        first = self.checkpoints(*K, "--seed", "3", "--radius", "0.5", "--every", "9")[0]
        _, model = self.resume(first, *K, "--seed", "3", "--radius", "0.50", "--algorithm", "aerr", "--eta", "auto",
                               "--shuffle", "--target", "y", "--format", "csv")
        self.assertEqual(model, self.read("whole.json"))

    def test_other_data_are_refused(self):
        self.write("c.json", self.checkpoints(*K, "--every", "9")[0])
        changes = {"value": Table(40, DIMENSION), "target": Table(40, DIMENSION), "name": Table(40, DIMENSION),
                   "last": Table(40, DIMENSION)}
        changes["value"].x[39][15] += 0.001
        changes["target"].y[39] += 0.001
        changes["name"].names[3] = "other"
        changes["last"] = changes["last"].part(0, 39)
        changes["seed"] = Table(40, DIMENSION, seed=2)
        for name, table in changes.items():
            with self.subTest(change=name):
                self.write("other.csv", table.csv())
                self.refuses(DATA, "data", "fit", "other.csv", "--resume", "c.json", "-o", "m.json")
        self.write("x.npy", npy(self.table.x))
        self.write("y.npy", npy(self.table.y))
        with self.subTest(change="format"):
            self.refuses(DATA, "data", "fit", "x.npy", "--labels", "y.npy", "--resume", "c.json")

    def test_another_target_is_refused(self):
        self.write("c.json", self.checkpoints(*K, "--every", "9")[0])
        result = self.run_command("fit", "data.csv", "--resume", "c.json", "--target", "a0")
        self.assertIn(result.code, (USAGE, DATA), str(result))
        self.assertEqual(result.out, "")

    def test_the_same_data_in_another_file_are_accepted(self):
        first = self.checkpoints(*K, "--every", "9")[0]
        quoted = "\r\n".join(",".join(f'"{f}"' for f in line.split(",")) for line in self.table.csv().splitlines())
        self.write("quoted.csv", quoted)
        self.assertEqual(self.resume(first, data="quoted.csv")[1], self.read("whole.json"))

    def changed_checkpoints(self):
        """(what was changed, the file) for states that no run could have written."""
        found = json.loads(self.checkpoints(*K, "--center", "--passes", "2", "--every", "9")[2])
        state = found["checkpoint"]
        learner = state["learner"]
        outer = [{field: None} for field in state]
        outer += [{"position": 10**6}, {"position": -1}, {"position": 3}, {"pass": 2}, {"data": "x"}, {"bought": [0]},
                  {"bought": [10**30] * 40}, {"bought": [14] * 40}, {"finished": 1}, {"spent": "x"}]
        inner = [{field: None} for field in learner]
        inner += [{"random": ["0" * 16] * 4}, {"random": ["g" * 16] * 4}, {"random": []}, {"told": -1}, {"told": 3},
                  {"open": [1]}, {"scale": 0}, {"scale": -1}, {"averaged": -1}, {"counts": [1]}, {"spreads": [-1] * DIMENSION},
                  {"shape": [1e308] * DIMENSION}]
        for change in outer:
            yield change, sealed({**found, "checkpoint": {**state, **change}})
        for change in inner:
            yield {"learner": change}, sealed({**found, "checkpoint": {**state, "learner": {**learner, **change}}})

    def test_a_checkpoint_that_says_what_can_not_be_is_refused(self):
        for change, content in self.changed_checkpoints():
            with self.subTest(change=str(change)[:80]):
                self.write("bad.json", content)
                self.refuses(DATA, [], "fit", "data.csv", "--resume", "bad.json", "-q", "-o", "m.json")

    def test_a_refusal_to_resume_names_the_file(self):
        change, content = next(self.changed_checkpoints())
        for what, words in (("field", ["bad.json", *change]), ("finished", ["whole.json"]), ("data", ["other.csv"])):
            name = {"field": self.write("bad.json", content), "finished": "whole.json"}.get(what, "c.json")
            self.write("c.json", self.checkpoints(*K, "--every", "9")[0])
            self.write("other.csv", Table(40, DIMENSION, seed=2).csv())
            with self.subTest(refusal=what):
                self.refuses(DATA, words, "fit", "other.csv" if what == "data" else "data.csv", "--resume", name)

    def test_counters_that_no_fit_reaches_are_refused(self):
        """Sealed again, so that only what they say is wrong: none may wrap, and none is believed."""
        far = (2**64 - 1, 2**64 - 40, 2**63, 2**62)
        for options in ([*K, "--passes", "2"], ["--algorithm", "auto", "-k", "4"]):
            found = json.loads(self.checkpoints(*options, "--every", "9")[0])
            ledger, state = found["ledger"], found["checkpoint"]
            changes = [{**found, "ledger": {**ledger, key: n}} for key in ledger for n in far]
            changes += [{**found, "checkpoint": {**state, key: n}} for key in ("pass", "position") for n in far]
            changes += [{**found, "checkpoint": {**state, "learner": {**state["learner"], key: n}}}
                        for key in ("told", "next_serial", "target_count") for n in far]
            changes += [{**found, "checkpoint": {**state, "learner": {**state["learner"], "counts":
                         [n, *state["learner"]["counts"][1:]]}}} for n in far]
            n = ledger["examples"]
            # all together, so that they agree with each other modulo 2^64
            for turn in (2**64 - n, 2**63):
                more = {"examples": n + turn, "distinct_examples": n + turn}
                changes.append({**found, "ledger": {**ledger, **more}})
                changes.append({**found, "ledger": {**ledger, **more}, "checkpoint": {**state, "learner": {
                    **state["learner"], "told": n + turn, "next_serial": n + turn + 1}}})
            changes.append({**found, "ledger": {**ledger, "distinct_examples": n - 1}})
            if "bought" in state:
                for row in range(2):
                    for number in (2**32, 2**32 - 1, 2**63, state["bought"][row] + 1, 0):
                        if number != state["bought"][row]:
                            bought = [*state["bought"]]
                            bought[row] = number
                            changes.append({**found, "checkpoint": {**state, "bought": bought}})
            for i, change in enumerate(changes):
                with self.subTest(options=options, change=i):
                    self.write("c.json", sealed(change))
                    self.refuses(DATA, "c.json", "fit", "data.csv", "--resume", "c.json", "-q", "-o", "m.json")
