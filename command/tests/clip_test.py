"""--clip: attributes between limits, in learning and in every prediction; the limits in the model file."""
import random

from support import DATA, DIMENSION, USAGE, CommandTest, Table, algorithms, predict, sealed

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
