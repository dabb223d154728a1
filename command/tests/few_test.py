"""predict and eval with -k, --costs and --interval, recomputed here from the
Gaussian in the model file."""
import json
import math
import random

from support import DATA, DIMENSION, NO_INPUT, USAGE, CommandTest, Table, csv, npy, sealed

KNOWN = [j for j in range(DIMENSION) if j not in (2, 9)]  # what the Gaussian knows
NORMAL_90 = 1.6448536269514722


def solve(a, b):
    """a x = b by elimination with pivots."""
    n = len(b)
    m = [row[:] + [v] for row, v in zip(a, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[p] = m[p], m[k]
        for i in range(k + 1, n):
            share = m[i][k] / m[k][k]
            m[i] = [u - share * v for u, v in zip(m[i], m[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (m[k][n] - sum(m[k][j] * x[j] for j in range(k + 1, n))) / m[k][k]
    return x


class Gaussian:
    """The Gaussian of a table, slightly ridged, as a model file holds it."""

    def __init__(self, table, logs=False):
        rows = [[x[j] for j in KNOWN] + [math.log1p(y) if logs else y] for x, y in zip(table.x, table.y)]
        n = len(rows)
        self.mean = [math.fsum(c) / n for c in zip(*rows)]
        centred = [[v - m for v, m in zip(row, self.mean)] for row in rows]
        self.s = [[math.fsum(r[i] * r[j] for r in centred) / n for j in range(len(KNOWN) + 1)]
                  for i in range(len(KNOWN) + 1)]
        for i in range(len(KNOWN)):
            self.s[i][i] *= 1.05
        self.excess, self.values = 0.25, None
        self.low, self.high = [-math.inf] * DIMENSION, [math.inf] * DIMENSION

    def fields(self):
        fields = {"attributes": KNOWN, "mean": self.mean, "excess": self.excess, "quantiles": [], "quantile_variance": 0,
                  "covariance": [self.s[i][j] for i in range(len(self.s)) for j in range(i + 1)]}
        return {**fields, "target_values": self.values} if self.values else fields

    def variance(self, places):
        b = [self.s[i][-1] for i in places]
        w = solve([[self.s[i][j] for j in places] for i in places], b)
        return self.s[-1][-1] - math.fsum(u * v for u, v in zip(w, b)), w

    def expect(self, x):
        """Mean and predictive variance of the target from the attributes of the dictionary x."""
        places = [i for i, j in enumerate(KNOWN) if j in x]
        v, w = self.variance(places)
        inside = {j: min(max(v, self.low[j]), self.high[j]) for j, v in x.items()}
        mean = self.mean[-1] + math.fsum(u * (inside[KNOWN[i]] - self.mean[i]) for u, i in zip(w, places))
        predictive = v + self.excess * (self.s[-1][-1] - v)
        if not self.values:
            return mean, predictive
        a, b = self.values
        s, prior = self.s[-1][-1], (self.mean[-1] - a) / (b - a)
        ratio = (b - a) / predictive * (mean - self.mean[-1] - (s - v) / s * ((a + b) / 2 - self.mean[-1]))
        p = 1 / (1 + (1 - prior) / prior * math.exp(-ratio))
        return a + (b - a) * p, (b - a) ** 2 * p * (1 - p)

    def buy(self, x, k, items=None, costs=None):
        """What the greedy rule reads of x: known values, purchases, money."""
        items = items or [(j,) for j in range(DIMENSION)]
        costs = costs or [1] * DIMENSION
        price = {item: sum(costs[j] for j in item) for item in items}
        asked, bought, money, missing, unknown = set(), 0, 0, 0, set()

        def places(names):
            return [i for i, j in enumerate(KNOWN) if j in names]

        while True:
            now = self.variance(places(asked - unknown))[0]
            offers = []
            for item in items:
                new = [j for j in item if j in KNOWN and j not in asked]
                if not new:
                    continue
                lowers = now - self.variance(places((asked - unknown) | set(new)))[0]
                if lowers > 1e-11 * self.s[-1][-1]:
                    offers.append((price[item] == 0, lowers / (price[item] or 1), item))
            if not offers:
                break
            free, _, item = max(offers)
            if not free and bought == k:
                break
            bought += not free
            money += price[item]
            asked |= set(item)
            unknown |= {j for j in item if math.isnan(x[j])}
            missing += sum(math.isnan(x[j]) for j in item)
        return {j: x[j] for j in asked - unknown}, bought, money, missing


def whole_and_punched():
    """A table to learn from, and one to predict, in which cells are missing."""
    whole, punched, draw = Table(60, DIMENSION), Table(25, DIMENSION, seed=3), random.Random(5)
    for x in punched.x:
        for j in range(DIMENSION):
            if draw.random() < 0.15:
                x[j] = math.nan
    return whole, punched


class Few(CommandTest):
    def setUp(self):
        super().setUp()
        self.table, self.other = whole_and_punched()
        self.write("data.csv", self.table.csv())
        self.write("other.csv", self.other.csv().replace("nan", ""))
        self.fit("data.csv", "--algorithm", "auto", "-k", "4", model="plain.json")
        self.gaussian = Gaussian(self.table)
        self.seal()

    def seal(self, **changes):
        plain = self.model("plain.json")
        self.gaussian.low, self.gaussian.high = plain["low"], plain["high"]
        self.write("model.json", sealed({**plain, "gaussian": self.gaussian.fields(), **changes}))

    def rows(self, *words):
        result = self.succeeds("predict", "model.json", "other.csv", *words)
        return [[float(v) for v in line.split(",")] for line in result.out.splitlines() if line != "mean,low,high"], result

    def check_lines(self, lines, expected, interval):
        self.assertEqual(len(lines), len(expected))
        for line, (mean, variance) in zip(lines, expected):
            self.assertEqual(len(line), 3 if interval else 1)
            self.assertAlmostEqual(line[0], mean, delta=1e-9)
            if interval:
                self.assertAlmostEqual(line[1], mean - NORMAL_90 * math.sqrt(variance), delta=1e-9)
                self.assertAlmostEqual(line[2], mean + NORMAL_90 * math.sqrt(variance), delta=1e-9)

    def present(self, x):
        return {j: x[j] for j in KNOWN if not math.isnan(x[j])}

    # ---- predict -------------------------------------------------------------

    def test_intervals_come_from_the_cells_that_have_a_value(self):
        lines, result = self.rows("--interval", "0.9")
        self.assertEqual(result.out.splitlines()[0], "mean,low,high")
        self.assertEqual(result.err, "")
        self.check_lines(lines, [self.gaussian.expect(self.present(x)) for x in self.other.x], True)

    def test_rows_with_holes_are_predicted_from_the_others(self):
        model = self.model()
        lines, _ = self.rows()
        for line, x in zip(lines, self.other.x):
            known = self.present(x)
            filled = [model["means"][j] if math.isnan(v) else v for j, v in enumerate(x)]
            linear = model["intercept"] + math.fsum(w * v for w, v in zip(model["weights"], filled))
            wanted = linear if len(known) == len(KNOWN) else self.gaussian.expect(known)[0]
            self.assertAlmostEqual(line[0], wanted, delta=1e-9)
        self.assertEqual(self.succeeds("predict", "model.json", "data.csv").out,
                         self.succeeds("predict", "plain.json", "data.csv").out)  # nothing is missing there

    def test_k_attributes_are_bought(self):
        for k in (1, 2, 5, DIMENSION):
            for interval in (False, True):
                lines, result = self.rows("-k", k, *(["--interval", "0.9"] if interval else []))
                runs = [self.gaussian.buy(x, k) for x in self.other.x]
                self.check_lines(lines, [self.gaussian.expect(r[0]) for r in runs], interval)
                bought, missing = sum(r[1] for r in runs), sum(r[3] for r in runs)
                self.assertEqual(result.err, f"25 examples, {bought} attributes bought ({bought / 25:.4g} of 16 per example, "
                                 f"at most {max(r[1] for r in runs)})" +
                                 (f"; {missing} had no value" if missing else "") + "\n")

    def test_costs_panels_and_what_is_free(self):
        costs, panels = [0, 5, 1, 0, 2, 9, 3, 1, 4, 0, 7, 2, 2, 6, 1, 1], {"p": (1, 2, 3), "q": (8, 9, 10), "f": (0,)}
        group = {j: name for name, members in panels.items() for j in members}
        self.write("costs.csv", "attribute,cost,group\n" +
                   "".join(f"a{j},{c},{group.get(j, '')}\n" for j, c in enumerate(costs)))
        items = [*panels.values(), *((j,) for j in range(DIMENSION) if j not in group)]
        for k in (1, 3, 7):
            lines, result = self.rows("-k", k, "--costs", "costs.csv", "--interval", "0.9")
            runs = [self.gaussian.buy(x, k, items, costs) for x in self.other.x]
            self.check_lines(lines, [self.gaussian.expect(r[0]) for r in runs], True)
            self.assertIn(f"{sum(r[1] for r in runs)} attributes bought", result.err)
            self.assertTrue(result.err.endswith(f"; {sum(r[2] for r in runs):.2f} spent\n"), result.err)
            printed = self.succeeds("eval", "model.json", "other.csv", "-k", k, "--costs", "costs.csv", "--json").json
            self.assertEqual(printed["money_spent"], sum(r[2] for r in runs))
            self.assertAlmostEqual(printed["curve"][k]["money"], sum(r[2] for r in runs) / 25)
            self.assertEqual(printed["curve"][0]["money"], 0)
            self.assertLess(printed["curve"][0]["variance"], self.gaussian.s[-1][-1])  # from what is free

    def test_the_costs_of_the_fit_are_the_default(self):
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{j},{j + 1}\n" for j in range(DIMENSION)))
        self.fit("data.csv", "--algorithm", "auto", "-k", "4", "--costs", "costs.csv", model="plain.json")
        self.seal()
        given = self.succeeds("predict", "model.json", "other.csv", "-k", "3", "--costs", "costs.csv")
        default = self.succeeds("predict", "model.json", "other.csv", "-k", "3")
        self.assertEqual((given.out, given.err), (default.out, default.err))
        self.assertIn("spent", default.err)

    def test_a_target_of_two_values(self):
        self.table.with_labels(-1, 1)
        self.gaussian = Gaussian(self.table)
        self.gaussian.values = [-1, 1]
        self.seal()
        lines, _ = self.rows("-k", "4", "--interval", "0.8")
        seen = set()
        for line, x in zip(lines, self.other.x):
            mean, _ = self.gaussian.expect(self.gaussian.buy(x, 4)[0])
            self.assertAlmostEqual(line[0], mean, delta=1e-9)
            p = (mean + 1) / 2
            self.assertEqual(line[1:], [1, 1] if p >= 0.8 else [-1, -1] if p <= 0.2 else [-1, 1])
            seen.add(tuple(line[1:]))
        self.assertGreater(len(seen), 1)

    def test_log_target_is_predicted_and_scored_as_ever(self):
        for t in (self.table, self.other):
            t.y = [math.expm1(y) for y in t.y]
        self.write("data.csv", self.table.csv())
        self.write("other.csv", self.other.csv().replace("nan", ""))
        self.fit("data.csv", "--algorithm", "auto", "-k", "4", "--log-target", model="plain.json")
        self.gaussian = Gaussian(self.table, logs=True)
        self.seal()
        lines, _ = self.rows("-k", "3", "--interval", "0.9")
        errors = []
        for line, x, y in zip(lines, self.other.x, self.other.y):
            mean, variance = self.gaussian.expect(self.gaussian.buy(x, 3)[0])
            for value, at in zip(line, (0, -NORMAL_90, NORMAL_90)):
                self.assertAlmostEqual(value, math.expm1(mean + at * math.sqrt(variance)), delta=1e-9)
            errors.append((mean - math.log1p(y)) ** 2)
        printed = self.succeeds("eval", "model.json", "other.csv", "-k", "3", "--json").json
        self.assertTrue(printed["log_target"])
        self.assertAlmostEqual(printed["squared_error"], math.fsum(errors) / 25, delta=1e-9)

    def test_an_output_file_holds_what_would_be_printed(self):
        out = self.succeeds("predict", "model.json", "other.csv", "--interval", "0.5", "-k", "2").out
        result = self.succeeds("predict", "model.json", "other.csv", "--interval", "0.5", "-k", "2", "-o", "out.csv")
        self.assertEqual((result.out, self.read("out.csv").decode()), ("", out))
        self.assertIn("50 attributes bought", result.err)

    def test_no_other_cell_is_converted(self):
        """Text in a cell that is not bought is not even looked at."""
        used = {j for x in self.table.x for j in self.gaussian.buy(x, 2)[0]}
        self.assertEqual(len(used), 2)
        rows = [[v if j in used else "never read" for j, v in enumerate(x)] for x in self.table.x]
        self.write("text.csv", csv(self.table.names, rows))
        self.write("numbers.csv", csv(self.table.names, self.table.x))
        self.assertEqual(self.succeeds("predict", "model.json", "text.csv", "-k", "2").out,
                         self.succeeds("predict", "model.json", "numbers.csv", "-k", "2").out)
        self.refuses(DATA, "text.csv", "predict", "model.json", "text.csv", "--interval", "0.5")

    def test_files_without_names_go_by_position(self):
        self.write("other.npy", npy(self.other.x))
        for words in (["--interval", "0.9"], ["-k", "3"]):
            self.assertEqual(self.succeeds("predict", "model.json", "other.npy", *words).out,
                             self.succeeds("predict", "model.json", "other.csv", *words).out)

    # ---- eval ----------------------------------------------------------------

    def test_the_curve_is_one_run_of_every_length(self):
        k = 6
        printed = self.succeeds("eval", "model.json", "other.csv", "-k", k, "--interval", "0.9", "--json").json
        self.assertEqual([p["k"] for p in printed["curve"]], list(range(k + 1)))
        for point in printed["curve"]:
            runs = [self.gaussian.buy(x, point["k"]) for x in self.other.x]
            guesses = [self.gaussian.expect(r[0]) for r in runs]
            errors = [m - y for (m, _), y in zip(guesses, self.other.y)]
            widths = [NORMAL_90 * math.sqrt(v) for _, v in guesses]
            self.assertAlmostEqual(point["squared_error"], math.fsum(e * e for e in errors) / 25, delta=1e-9)
            self.assertAlmostEqual(point["absolute_error"], math.fsum(map(abs, errors)) / 25, delta=1e-9)
            self.assertAlmostEqual(point["variance"], math.fsum(v for _, v in guesses) / 25, delta=1e-9)
            self.assertAlmostEqual(point["coverage"], sum(abs(e) <= w for e, w in zip(errors, widths)) / 25)
            self.assertAlmostEqual(point["width"], 2 * math.fsum(widths) / 25, delta=1e-9)
            self.assertAlmostEqual(point["bought"], sum(r[1] for r in runs) / 25)
        for field in ("squared_error", "absolute_error", "r2", "accuracy", "variance", "coverage", "width"):
            self.assertEqual(printed[field], printed["curve"][k][field])
        self.assertEqual((printed["k"], printed["interval"], printed["examples"]), (k, 0.9, 25))

    def test_the_table_in_words_is_that_of_the_json(self):
        words = ["eval", "model.json", "other.csv", "-k", "5", "--interval", "0.9"]
        printed, out = self.succeeds(*words, "--json").json, self.succeeds(*words).out
        head, bought, table = out.split("\n\n")
        self.assertIn("variance", head)
        self.assertIn(f"{printed['attributes_bought']} attributes bought", bought)
        lines = table.splitlines()
        self.assertEqual(lines[0].split(), ["k", "squared", "error", "variance", "coverage", "mean", "width"])
        for line, point in zip(lines[1:], printed["curve"]):
            k, error, variance, coverage, width = map(float, line.split())
            self.assertEqual(k, point["k"])
            for value, field in ((error, "squared_error"), (variance, "variance"), (coverage, "coverage"), (width, "width")):
                self.assertAlmostEqual(value, point[field], places=4)
        self.assertEqual(len(lines), 7)

    def test_eval_from_everything_that_is_there(self):
        printed = self.succeeds("eval", "model.json", "other.csv", "--interval", "0.9", "--json").json
        guesses = [self.gaussian.expect(self.present(x)) for x in self.other.x]
        self.assertNotIn("curve", printed)
        self.assertAlmostEqual(printed["squared_error"],
                               math.fsum((m - y) ** 2 for (m, _), y in zip(guesses, self.other.y)) / 25, delta=1e-9)
        self.assertAlmostEqual(printed["coverage"], sum(abs(m - y) <= NORMAL_90 * math.sqrt(v) for (m, v), y in
                                                        zip(guesses, self.other.y)) / 25)
        self.assertIn("coverage", self.succeeds("eval", "model.json", "other.csv", "--interval", "0.9").out)

    # ---- what is refused -------------------------------------------------------

    def test_models_of_other_rows_are_named(self):
        for command in ("predict", "eval"):
            for words in (["-k", "2"], ["--interval", "0.9"], ["-k", "2", "--interval", "0.9"]):
                self.refuses(USAGE, ["algorithm gaussian", "of auto"], command, "plain.json", "other.csv", *words)

    def test_bad_arguments_are_refused(self):
        self.write("costs.csv", "attribute,cost\na0,1\n")
        for command in ("predict", "eval"):
            for value in ("0", "1", "-0.5", "1.5", "nan", "x", ""):
                self.refuses(USAGE, "interval", command, "model.json", "other.csv", "--interval", value)
            for value in ("0", "-1", "1.5", "x", ""):
                self.refuses(USAGE, "k must be", command, "model.json", "other.csv", "-k", value)
            self.refuses(USAGE, "--costs needs -k", command, "model.json", "other.csv", "--costs", "costs.csv")
            self.refuses(DATA, ["costs.csv", "no cost"], command, "model.json", "other.csv", "-k", "2", "--costs", "costs.csv")
            self.refuses(NO_INPUT, "absent.csv", command, "model.json", "other.csv", "-k", "2", "--costs", "absent.csv")
            self.refuses(DATA, "k = 17", command, "model.json", "other.csv", "-k", "17")
        self.refuses(USAGE, "costs.csv", "predict", "model.json", "other.csv", "-k", "2", "--costs", "costs.csv", "-o",
                     "costs.csv")

    def test_an_absent_column_is_named(self):
        rows = [[*x[1:], y] for x, y in zip(self.table.x, self.table.y)]
        self.write("less.csv", csv([*self.table.names[1:], "y"], rows))
        for command in ("predict", "eval"):
            self.assertIn("less.csv has no column 'a0'", self.succeeds(command, "model.json", "less.csv", "-k", "2").err)

    def test_damaged_gaussians_are_refused(self):
        good = self.gaussian.fields()
        n = len(KNOWN) + 1
        indefinite = good["covariance"][:]
        indefinite[1] = 0.999 * math.sqrt(indefinite[0] * indefinite[2])
        indefinite[3], indefinite[4] = indefinite[1] * math.sqrt(indefinite[5] / indefinite[2]), -0.9 * math.sqrt(
            indefinite[2] * indefinite[5])
        changes = [{"attributes": KNOWN[::-1]}, {"attributes": KNOWN[:-1]}, {"attributes": [*KNOWN[:-1], DIMENSION]},
                   {"attributes": None}, {"mean": good["mean"][1:]}, {"mean": [None] * n}, {"covariance": []},
                   {"covariance": [-v for v in good["covariance"]]}, {"covariance": [1] * len(good["covariance"] * 2)},
                   {"covariance": indefinite}, {"excess": -1}, {"excess": "1"}, {"quantile_variance": -1}, {"quantiles": [1, 0]}, {"quantiles": 1},
                   {"target_values": [1, 1]}, {"target_values": [1]}, {"target_values": None}]
        for change in changes:
            with self.subTest(change=json.dumps(change)[:60]):
                self.seal(gaussian={**good, **change})
                for words in (["show", "model.json"], ["predict", "model.json", "other.csv", "-k", "2"]):
                    self.refuses(DATA, ["model.json", "gaussian"], *words)
        for value in (None, [], 1, "x", {}):
            self.seal(gaussian=value)
            self.refuses(DATA, ["model.json"], "show", "model.json")
