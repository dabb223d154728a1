"""--clip and --log-target: attributes between limits and the logarithm of the target, in learning and in every prediction."""
import json
import math
import random
import re

from support import (
    DATA, DIMENSION, K, USAGE, CommandTest, Table, algorithms, csv, for_each_row, idx, npy, predict, score, sealed,
)

AUTO = ["--algorithm", "auto", "-k", "4"]
CLIPPED = ["auto", "ridge", "lasso", "svr"]
OTHERS = ["aerr", "aelr", "ddaerr", "ddaelr", "aesvr", "aer", "coinflip", "online-ridge", "online-lasso"]


def wild_table(rows, seed=5):
    """Some values are far out."""
    table = Table(rows, DIMENSION)
    chance = random.Random(seed)
    for x in table.x:
        for i in range(DIMENSION):
            if chance.random() < 0.02:
                x[i] *= 1000
    return table


class Clip(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = wild_table(300)
        self.write("data.csv", self.table.csv())

    def test_what_is_not_a_number_above_0_is_refused(self):
        for value in ("0", "-3", "-0", "nan", "NaN", "inf", "", "some", "None", "0.0", "1e101"):
            self.refuses(USAGE, "clip", "fit", "data.csv", *AUTO, "--clip", value)
        self.assertIn("must be above 0, or none, not -3", self.run_command("fit", "data.csv", *AUTO, "--clip", "-3").err)
        self.assertIn("must be a number or none, not 'nan'", self.run_command("fit", "data.csv", *AUTO, "--clip", "nan").err)

    def test_defaults(self):
        for name in CLIPPED:
            model = self.fit("data.csv", "-k", "4", "--algorithm", name)[1]
            self.assertEqual((model["version"], model["settings"]["clip"]), (3, 3), name)
        for words in (["--algorithm", "moments", "-k", "4"], ["--algorithm", "full-ridge"],
                      ["--algorithm", "auto", "-k", "4", "--clip", "none"],
                      ["--algorithm", "full-ridge", "--standardise", "--clip", "none"]):
            model = self.fit("data.csv", *words)[1]
            self.assertEqual(model["version"], 2, words)
            for field in ("low", "high"):
                self.assertNotIn(field, model)
            self.assertNotIn("clip", model["settings"])
        for name in ("full-ridge", "full-lasso", "full-svr"):
            model = self.fit("data.csv", "--algorithm", name, "--standardise")[1]
            self.assertEqual((model["version"], model["settings"]["clip"]), (3, 3), name)

    def test_who_does_not_standardise_refuses_it(self):
        for row in algorithms():
            if row.name in OTHERS:
                self.refuses(USAGE, ["clip", row.name], "fit", "data.csv", "--algorithm", row.name, *row.k, "--clip", "3")
        self.refuses(USAGE, ["clip", "standardise"], "fit", "data.csv", "--algorithm", "full-ridge", "--clip", "3")

    def test_predictions_are_of_clipped_attributes(self):
        for words in (*(["--algorithm", name, "-k", "4"] for name in CLIPPED),
                      ["--algorithm", "auto", "-k", "4", "--clip", "1", "--no-intercept"],
                      ["--algorithm", "ridge", "-k", "4", "--x-bound", "8"],
                      ["--algorithm", "moments", "-k", "4", "--clip", "2.5"],
                      ["--algorithm", "full-lasso", "--standardise", "--center"]):
            model = self.fit("data.csv", *words)[1]
            for low, high in zip(model["low"], model["high"]):
                self.assertLess(low, high)
            far = [[x * 1e6 for x in self.table.x[0]], *self.table.x]
            self.write("far.csv", "".join(",".join(map(repr, x)) + "\n" for x in far))
            out = self.succeeds("predict", "model.json", "far.csv", "--header", "no").out.split()
            for text, x in zip(out, far, strict=True):
                p = predict(model, x)
                self.assertAlmostEqual(float(text), p, delta=1e-11 * (1 + abs(p)), msg=str(words))
            plain = {name: value for name, value in model.items() if name != "low"}
            self.assertGreater(abs(float(out[0]) - predict(plain, far[0])), 1e-6)

    def test_eval_scores_clipped_predictions(self):
        model = self.fit("data.csv", *AUTO)[1]
        errors = [(predict(model, x) - y) ** 2 for x, y in zip(self.table.x, self.table.y)]
        found = self.succeeds("eval", "model.json", "data.csv", "--json").json["squared_error"]
        self.assertAlmostEqual(found, sum(errors) / len(errors), places=11)

    def test_limits_in_a_file_are_checked(self):
        model = self.fit("data.csv", *AUTO)[1]
        d = DIMENSION
        wrong = [dict(low=model["high"], high=model["low"]), dict(low=model["low"][:-1]), dict(low=None), dict(high="x"),
                 dict(high=[None] * d), dict(low=[True] * d), dict(low=[*model["low"][:-1], model["high"][-1] + 1]),
                 dict(version=2), dict(settings={k: v for k, v in model["settings"].items() if k != "clip"}),
                 dict(settings={**model["settings"], "clip": 0}), dict(settings={**model["settings"], "clip": -1})]
        for changes in wrong:
            self.write("wrong.json", sealed({**model, **changes}))
            self.refuses(DATA, "wrong.json", "show", "wrong.json")
        for field in ("low", "high"):
            self.write("wrong.json", sealed({k: v for k, v in model.items() if k != field}))
            self.refuses(DATA, ["wrong.json", field], "show", "wrong.json")

    def test_a_file_without_limits_says_what_it_said(self):
        self.fit("data.csv", *AUTO, "--clip", "none")
        out = self.succeeds("show", "model.json").out
        self.assertNotIn("clipped at", out)
        self.fit("data.csv", *AUTO)
        model = self.model()
        out = self.succeeds("show", "model.json", "--top", "1").out
        self.assertIn("clipped at", out)
        i = max(range(DIMENSION), key=lambda i: abs(model["weights"][i]))
        self.assertIn(f"{model['low'][i]:.5g}", out.splitlines()[-1])
        self.assertIn(f"{model['high'][i]:.5g}", out.splitlines()[-1])

    def test_fits_resume_to_the_same_bytes(self):
        for words in (AUTO, ["-k", "4", "--algorithm", "ridge"], ["-k", "3", "--algorithm", "svr", "--clip", "2"],
                      [*AUTO, "--no-intercept"], [*AUTO, "--like-units"],
                      ["-k", "4", "--algorithm", "moments", "--clip", "3"],
                      ["-k", "4", "--algorithm", "moments", "--clip", "3", "--like-units"],
                      ["--algorithm", "moments", "--observed", "--clip", "3"],
                      ["--algorithm", "full-ridge", "--standardise"]):
            self.succeeds("fit", "data.csv", *words, "-q", "-o", "whole.json")
            for every in (3, 7, 100):  # moments freezes its limits at some tens of examples
                self.succeeds("fit", "data.csv", *words, "-q", "--every", every, "--checkpoint", "c.json", "-o", "a.json")
                self.succeeds("fit", "data.csv", "-q", "--resume", "c.json", "-o", "b.json")
                self.assertEqual(self.read("a.json"), self.read("whole.json"))
                self.assertEqual(self.read("b.json"), self.read("whole.json"))
            for examples in (3, 6, 90):
                self.succeeds("fit", "data.csv", *words, "-q", "--budget", str(examples * 4), "--checkpoint", "c.json")
                self.succeeds("show", "c.json")
        self.refuses(USAGE, "clip", "fit", "data.csv", "--resume", "c.json", "--clip", "2")

    def test_moments_with_other_limits_is_not_merged(self):
        for seed in ("1", "2"):
            self.write(f"{seed}.csv", wild_table(300, int(seed)).csv())
            for clip in ("none", "3"):
                self.succeeds("fit", f"{seed}.csv", "-k", "4", "--algorithm", "moments", "--clip", clip, "-q",
                              "--checkpoint", f"{clip}-{seed}.json")
        self.succeeds("merge", "none-1.json", "none-2.json", "-o", "all.json")
        self.refuses(DATA, ["3-2.json", "limits", "clip"], "merge", "3-1.json", "3-2.json", "-o", "all.json")
        self.refuses(DATA, "clip", "merge", "none-1.json", "3-2.json", "-o", "all.json")

    def test_wild_values_do_not_ruin_a_fit(self):
        clean = Table(300, DIMENSION)
        self.write("clean.csv", clean.csv())
        score = {}
        for clip in ("none", "3"):
            self.fit("data.csv", *AUTO, "--clip", clip)
            score[clip] = self.succeeds("eval", "model.json", "clean.csv", "--json").json["r2"]
        self.assertGreater(score["3"], score["none"] + 0.05)


class LogTarget(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.grown(40, 1)
        self.other = self.grown(25, 3)
        self.write("data.csv", self.table.csv())
        self.write("other.csv", self.other.csv())

    @staticmethod
    def grown(rows, seed):
        """Targets from just above -1 to some hundreds."""
        table = Table(rows, DIMENSION, seed)
        table.y = [round(4096 * math.expm1(6 * y + 1)) / 4096 for y in table.y]
        return table

    @staticmethod
    def logs(table):
        return [math.log1p(y) for y in table.y]

    def test_it_is_as_learning_the_logarithms(self):
        self.write("logs.csv", csv([*self.table.names, "y"], [[*x, repr(y)] for x, y in
                                                              zip(self.table.x, self.logs(self.table))]))
        for row in algorithms():
            options = ["--algorithm", row.name, *row.k, *row.only("--center", "--radius", "2")]
            with self.subTest(options=options):
                _, model = self.fit("data.csv", *options, "--log-target")
                plain = self.fit("logs.csv", *options)[1]
                for a, b in zip([model["intercept"], *model["weights"]], [plain["intercept"], *plain["weights"]]):
                    self.assertAlmostEqual(a, b, delta=1e-12)
                self.assertEqual((model["settings"]["log_target"], plain["settings"]["log_target"]), (True, False))

    @for_each_row
    def test_predictions_are_of_y_and_scores_of_its_logarithm(self, row, options):
        _, model = self.fit("data.csv", *options, *row.only("--center"), "--log-target")
        learned = [predict(model, x) for x in self.other.x]
        for text, p in zip(self.succeeds("predict", "model.json", "other.csv").out.split(), learned):
            self.assertTrue(math.isclose(float(text), math.expm1(p), rel_tol=1e-12, abs_tol=1e-12))
        printed = self.succeeds("eval", "model.json", "other.csv", "--json").json
        self.assertIs(printed["log_target"], True)
        for field, value in score(learned, self.logs(self.other)).items():
            if value is not None:
                self.assertAlmostEqual(printed[field], value, delta=1e-10)

    def test_references_learn_it_too(self):
        for name in ("full-ridge", "full-lasso", "full-svr"):
            printed, model = self.fit("data.csv", "--algorithm", name, "--log-target", "--center", "--test", "other.csv")
            learned = [predict(model, x) for x in self.other.x]
            wanted = score(learned, self.logs(self.other))
            self.assertAlmostEqual(printed["test"]["squared_error"], wanted["squared_error"], delta=1e-10)
            out = self.succeeds("predict", "model.json", "other.csv").out.split()
            self.assertAlmostEqual(float(out[0]), math.expm1(learned[0]), delta=1e-10)

    def test_the_test_of_a_fit_is_of_the_logarithm_and_says_so(self):
        for options in (["--test", "other.csv"], ["--split", "0.25", "--no-shuffle"]):
            printed, model = self.fit("data.csv", *K, "--log-target", *options)
            table = self.other if options[0] == "--test" else self.table.part(30, 40)
            wanted = score([predict(model, x) for x in table.x], self.logs(table))
            self.assertAlmostEqual(printed["test"]["absolute_error"], wanted["absolute_error"], delta=1e-12)
            self.assertIs(printed["test"]["log_target"], True)
            words = self.succeeds("fit", "data.csv", *K, "--log-target", "-q", *options).out
            self.assertRegex(words, r"(?m)^test: .* examples, of log\(1 \+ y\)$")
            self.assertNotIn("log", self.succeeds("fit", "data.csv", *K, "-q", *options).out)
        self.assertRegex(self.succeeds("eval", "model.json", "other.csv").out, r"(?m)^errors are of +log\(1 \+ y\)$")
        self.assertRegex(self.succeeds("show", "model.json").out, r"(?m)^  log-target +yes$")
        self.fit("data.csv", *K)
        self.assertNotIn("log", self.succeeds("eval", "model.json", "other.csv").out)
        self.assertNotIn("log_target", self.succeeds("eval", "model.json", "other.csv", "--json").json)

    def test_a_target_that_is_not_above_minus_one_is_named(self):
        for bad in (-1, -1.5, -1e90):
            self.table.y[7] = bad
            flat = [v for x in self.table.x for v in x]
            self.write("y.npy", npy(self.table.y))
            self.write("y.idx", idx(self.table.y, (40,), 0x0E))
            for words, place in (([self.write("bad.csv", self.table.csv())], "line 9"),
                                 ([self.write("bad.svm", self.table.libsvm())], "line 8"),
                                 ([self.write("bad.npy", npy(self.table.x)), "--labels", "y.npy"], "[7]"),
                                 ([self.write("bad.idx", idx(flat, (40, DIMENSION), 0x0E)), "--labels", "y.idx"], "[7]")):
                self.refuses(DATA, [words[0], place, f"{bad:g}"], "fit", *words, *K, "--log-target", "-o", "m.json")
                self.succeeds("fit", *words, *K, "-q")
        self.fit("data.csv", *K, "--log-target")
        self.refuses(DATA, ["bad.csv", "line 9"], "eval", "model.json", "bad.csv")
        self.refuses(DATA, ["bad.csv", "line 9"], "fit", "data.csv", *K, "--log-target", "--test", "bad.csv", "-q")
        self.assertEqual(len(self.succeeds("predict", "model.json", "bad.csv").out.split()), 40)
        self.table.y[7] = -0.9999
        self.write("near.csv", self.table.csv())
        self.succeeds("fit", "near.csv", *K, "--log-target", "-q")

    def test_predict_does_not_ask_for_the_target(self):
        model = self.fit("data.csv", *K, "--log-target", "--center")[1]
        wanted = [math.expm1(predict(model, x)) for x in self.other.x]
        for name, rows in (("bare.csv", csv(self.table.names, self.other.x)),
                           ("unknown.csv", csv([*self.table.names, "y"], [[*x, ""] for x in self.other.x]))):
            out = self.succeeds("predict", "model.json", self.write(name, rows)).out.split()
            for text, p in zip(out, wanted):
                self.assertTrue(math.isclose(float(text), p, rel_tol=1e-12, abs_tol=1e-12))

    def test_a_prediction_that_overflows_is_refused(self):
        _, model = self.fit("data.csv", *K, "--log-target")
        model["intercept"] = 800
        self.write("far.json", sealed(model))
        self.refuses(DATA, ["other.csv", "line 2", "overflows"], "predict", "far.json", "other.csv")
        self.succeeds("eval", "far.json", "other.csv")

    def test_it_does_not_go_with_classes(self):
        self.write("words.csv", Table(40, DIMENSION).with_labels("0", "1").csv())
        self.refuses(USAGE, ["log-target", "classes"], "fit", "words.csv", *K, "--log-target", "--classes", "0,1")
        self.refuses(USAGE, ["log-target", "classes"], "fit", "absent.csv", *K, "--log-target", "--classes", "0,1")
        self.fit("data.csv", *K, "--log-target")
        self.refuses(USAGE, ["log-target", "classes"], "eval", "model.json", "words.csv", "--classes", "0,1")
        model = self.model()
        model["settings"]["classes"] = "0,1"
        self.write("both.json", sealed(model))
        self.refuses(DATA, ["both.json", "log-target"], "show", "both.json")

    def test_a_model_is_used_as_it_was_fitted(self):
        for fitted, other in ((["--log-target"], "--no-log-target"), ([], "--log-target")):
            self.fit("data.csv", *K, *fitted)
            for command in ("predict", "eval"):
                self.refuses(USAGE, "log-target", command, "model.json", "other.csv", other)
                same = "--log-target" if fitted else "--no-log-target"
                self.assertEqual(self.succeeds(command, "model.json", "other.csv", same).out,
                                 self.succeeds(command, "model.json", "other.csv").out)

    def test_it_resumes_to_the_same_bits(self):
        out = self.succeeds("fit", "data.csv", *K, "--log-target", "--center", "-q", "--checkpoint", "/dev/stdout",
                            "--every", "9", "-o", "whole.json").out
        found = re.findall(r'\{\n  "format": "scant-model".*?"checksum": "[0-9a-f]{16}"\n\}\n', out, re.S)
        for checkpoint in found:
            self.write("c.json", checkpoint)
            self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
            self.assertEqual(self.read("resumed.json"), self.read("whole.json"))
        self.refuses(USAGE, "log-target", "fit", "data.csv", "--resume", "c.json", "--no-log-target")

    def test_a_model_says_yes_or_no(self):
        _, model = self.fit("data.csv", *K)
        for value in ("maybe", 1, None):
            model["settings"]["log_target"] = value
            self.write("new.json", sealed(model))
            self.refuses(DATA, "log-target", "show", "new.json")

    def test_the_json_of_a_fit_is_one_object(self):
        out = self.succeeds("fit", "data.csv", *K, "--log-target", "--split", "0.2", "--json", "-q").out
        self.assertEqual(json.loads(out)["test"]["examples"], 8)
