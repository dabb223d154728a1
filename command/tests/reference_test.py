"""full-ridge, full-lasso, full-svr: optimal by conditions recomputed here from the
data and the model file, with the same ledger as every row."""
import json
import math

from support import DATA, DIMENSION, USAGE, CommandTest, Table, csv

REFERENCES = ("full-ridge", "full-lasso", "full-svr")


def solve_linear(a, b):
    """Gaussian elimination with pivots, for the least-squares reference."""
    n = len(b)
    rows = [[*map(float, r), float(v)] for r, v in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[p] = rows[p], rows[i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= f * rows[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x


class Reference(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(80, DIMENSION)
        for i, y in enumerate(self.table.y):  # so that no w fits exactly
            self.table.y[i] = y + (0.0625 if i % 3 else -0.125)
        self.write("data.csv", self.table.csv())

    def fit_full(self, name, *options):
        return self.fit("data.csv", "--algorithm", name, *options)

    def gradient(self, w):
        """Of 1/(2n) sum (w.x - y)^2."""
        x, y, n = self.table.x, self.table.y, len(self.table.y)
        residual = [sum(a * b for a, b in zip(w, r)) - t for r, t in zip(x, y)]
        return [sum(e * r[j] for e, r in zip(residual, x)) / n for j in range(DIMENSION)]

    def test_ridge_meets_its_optimality_conditions(self):
        for radius in (0.05, 0.3, 1):
            printed, model = self.fit_full("full-ridge", "--radius", radius)
            w, g = model["weights"], self.gradient(model["weights"])
            norm = math.hypot(*w)
            self.assertLessEqual(norm, radius * (1 + 1e-9))
            for wj, gj in zip(w, g):
                self.assertAlmostEqual(gj + printed["lambda"] * wj, 0, delta=1e-12)
            self.assertAlmostEqual(printed["lambda"] * (radius - norm), 0, delta=1e-12)
            self.assertLess(printed["kkt"], 1e-8)

    def test_lasso_meets_its_optimality_conditions(self):
        for radius in (0.05, 0.5, 2):
            printed, model = self.fit_full("full-lasso", "--radius", radius)
            w, g = model["weights"], self.gradient(model["weights"])
            norm = sum(map(abs, w))
            self.assertLessEqual(norm, radius * (1 + 1e-9))
            for wj, gj in zip(w, g):
                if wj:
                    self.assertAlmostEqual(gj, -math.copysign(printed["lambda"], wj), delta=1e-11)
                else:
                    self.assertLessEqual(abs(gj), printed["lambda"] + 1e-11)
            self.assertLess(printed["kkt"], 1e-8)

    def test_standardised_references_do_not_depend_on_units(self):
        names = [f"a{i}" for i in range(DIMENSION)]
        rows = [[v * 10.0 ** (j % 5 - 2) + j for j, v in enumerate(x)] + [y] for x, y in zip(self.table.x, self.table.y)]
        self.write("units.csv", csv([*names, "y"], rows))
        for name in ("full-ridge", "full-lasso", "full-svr"):
            options = ["--center", "--standardise", "--radius", "0.1"]
            plain, here = self.fit_full(name, *options)[1], self.fit("units.csv", "--algorithm", name, *options)[1]
            for j in range(DIMENSION):
                self.assertAlmostEqual(here["weights"][j] * 10.0 ** (j % 5 - 2), plain["weights"][j], delta=1e-6)
            # the ball is that of the standardised weights
            n, means = len(self.table.y), [sum(c) / len(c) for c in zip(*self.table.x)]
            sds = [math.sqrt(sum((x[j] - means[j]) ** 2 for x in self.table.x) / n) for j in range(DIMENSION)]
            w = [a * s for a, s in zip(plain["weights"], sds)]
            self.assertLessEqual(sum(map(abs, w)) if name == "full-lasso" else math.hypot(*w), 0.1 * (1 + 1e-6))

    def test_svr_is_certified_and_no_neighbour_is_better(self):
        def loss(w):
            return sum(max(0, abs(sum(a * b for a, b in zip(w, r)) - t) - 0.05)
                       for r, t in zip(self.table.x, self.table.y))

        printed, model = self.fit_full("full-svr", "--radius", "0.4", "--tube", "0.05")
        self.assertLess(printed["gap"], 1e-6)
        w = model["weights"]
        self.assertLessEqual(math.hypot(*w), 0.4 * (1 + 1e-6))
        best = loss(w)
        for j in range(DIMENSION):
            for step in (1e-3, -1e-3):
                other = list(w)
                other[j] += step
                scale = min(1, 0.4 / math.hypot(*other))
                self.assertGreaterEqual(loss([scale * v for v in other]), best * (1 - 1e-5))

    def test_a_large_radius_gives_least_squares(self):
        x, y = self.table.x, self.table.y
        gram = [[sum(r[i] * r[j] for r in x) for j in range(DIMENSION)] for i in range(DIMENSION)]
        expected = solve_linear(gram, [sum(r[j] * t for r, t in zip(x, y)) for j in range(DIMENSION)])
        for name in ("full-ridge", "full-lasso"):
            weights = self.fit_full(name, "--radius", "1000")[1]["weights"]
            for a, b in zip(weights, expected):
                self.assertAlmostEqual(a, b, delta=1e-8)

    def test_centring_gives_an_intercept(self):
        self.write("data.csv", Table(80, DIMENSION).csv())
        plain = self.fit_full("full-ridge", "--radius", "100", "--center")[1]
        self.table = Table(80, DIMENSION)
        self.table.y = [y + 10 for y in self.table.y]
        self.write("data.csv", self.table.csv())
        shifted = self.fit_full("full-ridge", "--radius", "100", "--center")[1]
        self.assertAlmostEqual(shifted["intercept"] - plain["intercept"], 10, delta=1e-9)
        for a, b in zip(plain["weights"], shifted["weights"]):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_the_ledger_counts_every_attribute(self):
        for name in REFERENCES:
            printed, model = self.fit_full(name, "--radius", "0.3")
            self.assertEqual(printed["k"], DIMENSION)
            self.assertEqual((printed["examples"], printed["attributes_bought"]), (80, 80 * DIMENSION))
            self.assertEqual(model["purchases"], [80] * DIMENSION)
            printed, _ = self.fit_full(name, "--radius", "0.3", "--budget", 10 * DIMENSION + 3)
            self.assertEqual((printed["examples"], printed["budget_spent"]), (10, True))

    def test_radius_auto_is_chosen_by_cross_validation(self):
        for name in REFERENCES:
            printed, model = self.fit_full(name, "--radius", "auto", "--split", "0.2")
            self.assertGreater(printed["radius"], 0)
            self.assertEqual(model["settings"]["radius"], printed["radius"])
            tiny = self.fit_full(name, "--radius", "0.001", "--split", "0.2")[0]
            field = "absolute_error" if name == "full-svr" else "squared_error"
            self.assertLess(printed["test"][field], tiny["test"][field])
            again = self.fit_full(name, "--radius", printed["radius"], "--split", "0.2")[1]
            self.assertEqual(again["weights"], model["weights"])

    def test_models_are_used_like_any_other(self):
        for name in REFERENCES:
            self.fit_full(name, "--radius", "0.3")
            self.assertIn(name, self.succeeds("show", "model.json").out)
            self.assertEqual(len(self.succeeds("predict", "model.json", "data.csv").out.split()), 80)
            self.assertEqual(json.loads(self.succeeds("eval", "model.json", "data.csv", "--json").out)["examples"], 80)

    def test_what_does_not_go_is_refused(self):
        self.refuses(DATA, "full-ridge", "fit", "data.csv", "--algorithm", "full-ridge", "-k", "3")
        self.refuses(USAGE, "eta", "fit", "data.csv", "--algorithm", "full-ridge", "--eta", "1")
        self.refuses(USAGE, "pass", "fit", "data.csv", "--algorithm", "full-lasso", "--passes", "2")
        self.refuses(USAGE, "radius auto", "fit", "data.csv", "--algorithm", "aerr", "-k", "3", "--radius", "auto")

    def test_too_small_a_budget_is_warned_of(self):
        result = self.succeeds("fit", "data.csv", "-q", "--algorithm", "full-ridge", "--budget", "5")
        self.assertIn("the budget does not pay for one example", result.err)

    def test_a_checkpoint_is_gone_on_from(self):
        """The examples are in it, so that the weights are the same bits."""
        for algorithm in ("full-ridge", "full-lasso", "full-svr"):
            with self.subTest(algorithm=algorithm):
                words = ("fit", "data.csv", "-q", "--algorithm", algorithm, "--center", "--budget", "500")
                self.succeeds(*words, "--checkpoint", "c.json", "--every", "7", "-o", "whole.json")
                self.succeeds("fit", "data.csv", "-q", "--resume", "c.json", "-o", "resumed.json")
                self.assertEqual(self.read("whole.json"), self.read("resumed.json"))
