"""scant-lab scaling, lower-bound and svr: their files, what must hold in
them whatever the numbers are, and what they refuse."""
import csv
import math
import os
import shutil
import tempfile
import xml.etree.ElementTree

from support import FAST_FOLDER, IO, LAB, USAGE, LabTest, run

POINTS = "experiment,algorithm,varied,d,k,eps,attributes,examples,runs"
CURVES = "experiment,algorithm,d,k,examples,attributes,mean,sd,zero,runs"
EXPONENTS = "experiment,algorithm,of,exponent,standard_error,paper,points,runs"
LOWER_BOUND = ("experiment,problem,algorithm,instance,d,k,attributes,examples,attributes_bought,mean,sd,q10,q90,zero,"
               "lower,runs")
SVR = ("experiment,algorithm,smoothing,budget,k,examples,attributes_bought,mean,sd,q10,median,q90,zero,runs,failed")


def fit(x, y):
    """Slope of the least-squares line, with its standard error."""
    n, mx, my = len(x), math.fsum(x) / len(x), math.fsum(y) / len(y)
    xx = math.fsum((a - mx) ** 2 for a in x)
    slope = math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / xx
    rest = math.fsum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    return slope, math.sqrt(rest / (n - 2) / xx)


class TheoryTest(LabTest):
    """Tests read what one run, `words`, has written to figures/."""
    words = None

    @classmethod
    def setUpClass(cls):
        cls.once = tempfile.mkdtemp(prefix="scant-test-", dir=FAST_FOLDER)
        cls.addClassCleanup(shutil.rmtree, cls.once)
        cls.done = run(*cls.words, "-q", cwd=cls.once, program=LAB) if cls.words else None

    def setUp(self):
        super().setUp()
        if self.done:
            self.assertFalse(self.done.crashed or self.done.code, str(self.done))
            os.symlink(os.path.join(self.once, "figures"), self.path("figures"))

    def run_experiment(self, name, *options):
        return self.succeeds(name, "-q", *options).out

    def rows(self, path, columns):
        with open(self.path(path), newline="") as file:
            self.assertEqual(file.readline().rstrip("\n"), columns)
            file.seek(0)
            found = list(csv.DictReader(file))
        for row in found:
            for key, value in row.items():
                try:
                    row[key] = float(value)
                except ValueError:
                    pass
        return found

    def check_picture(self, path, *words):
        root = xml.etree.ElementTree.parse(self.path(path)).getroot()
        text = "".join(root.itertext())
        for word in words:
            self.assertIn(word, text)
        names = [e.tag.rsplit("}", 1)[1] for e in root.iter()]
        width, height = [float(v) for v in root.get("viewBox").split()[2:]]
        for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
            for point in line.get("points").split():
                x, y = [float(v) for v in point.split(",")]
                self.assertTrue(0 <= x <= width and 0 <= y <= height, point)
        return names.count("polyline")


class Scaling(TheoryTest):
    words = ("scaling", "--runs", "2", "--algorithms", "aerr,online-ridge")

    def curves(self):
        """(algorithm, d, k) to its points, from the shortest horizon."""
        found = {}
        for row in self.rows("figures/scaling-curves.csv", CURVES):
            found.setdefault((row["algorithm"], row["d"], row["k"]), []).append(row)
        return found

    def test_the_curves_count_what_is_bought(self):
        curves = self.curves()
        self.assertEqual(len(curves), 14)  # five d and four more K for aerr, five d for online-ridge
        for (name, d, k), points in curves.items():
            self.assertEqual([p["examples"] for p in points], [8 * 2 ** i for i in range(len(points))])
            for p in points:
                self.assertAlmostEqual(p["zero"], (1 - 0.75 ** 2) / 2, places=7)
                self.assertEqual(p["runs"], 2)
                if name == "online-ridge":
                    self.assertEqual((p["attributes"], k), (d * p["examples"], d))
                else:  # an attribute drawn twice is bought once
                    self.assertLessEqual(p["attributes"], k * p["examples"])
                    distinct = d * (1 - (1 - 1 / d) ** (k - 1))
                    if p["examples"] > 1000:
                        self.assertGreater(p["attributes"], 0.97 * distinct * p["examples"])
                        self.assertLess(p["attributes"], 1.01 * (distinct + 1) * p["examples"])

    def test_points_lie_on_the_curves(self):
        curves = self.curves()
        points = self.rows("figures/scaling.csv", POINTS)
        self.assertEqual(len(points), 25)
        for point in points:
            self.assertLess(point["eps"], (1 - 0.75 ** 2) / 4)  # half of what w = 0 leaves
            curve = curves[point["algorithm"], point["d"], point["k"]]
            last = next(i for i, p in enumerate(curve) if p["mean"] <= point["eps"])
            a, b = curve[last - 1], curve[last]
            share = math.log(a["mean"] / point["eps"]) / math.log(a["mean"] / b["mean"])
            for column in ("attributes", "examples"):
                expected = a[column] * (b[column] / a[column]) ** share
                self.assertAlmostEqual(point[column] / expected, 1, delta=1e-4)

    def test_exponents_are_the_fit_of_the_points(self):
        points = self.rows("figures/scaling.csv", POINTS)
        exponents = self.rows("figures/scaling-exponents.csv", EXPONENTS)
        self.assertEqual([(e["algorithm"], e["of"]) for e in exponents],
                         [("aerr", "d"), ("aerr", "k"), ("aerr", "1/eps"), ("online-ridge", "d"), ("online-ridge", "1/eps")])
        for e in exponents:
            varied = e["of"].replace("1/", "")
            mine = [p for p in points if (p["algorithm"], p["varied"]) == (e["algorithm"], varied)]
            x = [math.log(p[varied]) * (-1 if varied == "eps" else 1) for p in mine]
            slope, error = fit(x, [math.log(p["attributes"]) for p in mine])
            self.assertAlmostEqual(e["exponent"], slope, delta=2e-4)
            self.assertAlmostEqual(e["standard_error"], error, delta=2e-4)
            self.assertEqual(e["points"], 5)
            self.assertIn(f"{e['exponent']:.2f} +- {e['standard_error']:.2f}", self.done.out)
            bound = {"d": [p["d"] for p in mine], "k": [p["k"] / (p["k"] - 1) for p in mine],
                     "1/eps": [p["eps"] ** -2 for p in mine]}[e["of"]]
            self.assertAlmostEqual(e["paper"], fit(x, [math.log(b) for b in bound])[0], delta=1e-4)

    def test_ridge_grows_as_table_1_says(self):
        for e in self.rows("figures/scaling-exponents.csv", EXPONENTS):
            low, high = {"d": (0.8, 1.2), "k": (-0.5, 0.1), "1/eps": (1, 2.3)}[e["of"]]
            self.assertTrue(low < e["exponent"] < high, e)

    def test_the_picture_has_three_panels(self):
        self.assertEqual(self.check_picture("figures/scaling.svg", "aerr: ", "online-ridge: ", "1/eps"), 5)

    def test_threads_change_nothing_and_the_seed_does(self):
        words = ("scaling", "--algorithms", "online-ridge", "--threads", "1")
        self.run_experiment(*words, "--runs", "2", "--out", "b")
        for name in ("scaling.csv", "scaling-curves.csv", "scaling-exponents.csv"):  # nor does what else is run
            both = [line for line in self.read(f"figures/{name}").splitlines() if b"aerr" not in line]
            self.assertEqual(self.read(f"b/{name}").splitlines(), both, name)
        self.run_experiment(*words, "--runs", "1", "--seed", "2", "--out", "c")
        self.run_experiment(*words, "--runs", "1", "--seed", "3", "--out", "d")
        self.assertNotEqual(self.read("c/scaling.csv"), self.read("d/scaling.csv"))


class LowerBound(TheoryTest):
    def test_full_information_on_every_instance(self):
        out = self.run_experiment("lower-bound", "--runs", "2", "--algorithms", "online-ridge")
        rows = self.rows("figures/lower-bound.csv", LOWER_BOUND)
        sizes = sorted({r["instance"] for r in rows})
        self.assertEqual(sizes, [4, 16, 64, 256, 1024])
        for r in rows:
            eps = r["instance"] ** -0.5
            self.assertAlmostEqual(r["zero"], eps - eps * eps / 2, places=7)
            self.assertGreaterEqual(r["d"], r["instance"])
            self.assertEqual(r["attributes_bought"], r["d"] * r["examples"])
            self.assertLess(r["mean"], 1.05 * r["zero"])
            lower = math.sqrt(r["d"] / r["attributes"])
            if r["d"] ** -0.5 <= lower <= 0.5:
                self.assertAlmostEqual(r["lower"], lower, places=7)
            else:
                self.assertEqual(r["lower"], "")
        for size in sizes:  # more attributes, less excess: the last is far below the first
            means = [r["mean"] for r in rows if r["instance"] == size]
            self.assertEqual(len(means), 11)
            self.assertLess(means[-1], means[0] / 2)
        self.assertIn("online-ridge", out)
        self.assertEqual(self.check_picture("figures/lower-bound.svg", "sqrt(d/a)", "theorem 3.1"), 5 + 1 + 2)

    def test_the_hidden_attribute(self):
        options = ("--runs", "1", "--algorithms", "online-lasso")
        self.run_experiment("lower-bound", *options)
        rows = self.rows("figures/lower-bound.csv", LOWER_BOUND)
        for r in rows:
            self.assertAlmostEqual(r["zero"], 2 * r["instance"] ** 2, places=7)
            self.assertEqual(r["lower"], round(lower, 8) if (lower := r["d"] / r["attributes"]) < 1 / 16 else "")
            self.assertTrue(r["q10"] <= r["mean"] <= r["q90"] and r["q10"] > 0)
        last = {r["instance"]: r["mean"] for r in rows if r["attributes"] == max(q["attributes"] for q in rows)}
        self.assertLess(last[0.25], 0.01 * 2 * 0.25 ** 2)  # it is found
        self.assertIn("d/a", self.read("figures/lower-bound.svg").decode())
        self.run_experiment("lower-bound", *options, "--threads", "1", "--out", "b")
        self.assertEqual(self.read("figures/lower-bound.csv"), self.read("b/lower-bound.csv"))


class Svr(TheoryTest):
    words = ("svr", "--runs", "3", "--algorithms", "aesvr,coinflip")

    def setUp(self):
        super().setUp()
        self.table = self.rows("figures/svr.csv", SVR)

    def test_both_have_the_same_expected_attributes(self):
        self.assertEqual(len(self.table), 2 * 2 * 8)
        for r in self.table:
            self.assertEqual(r["examples"] * r["k"], r["budget"])
            if r["algorithm"] == "coinflip":  # a look is 64 attributes or none: binomial
                chance = r["k"] / 64
                sd = 64 * math.sqrt(r["examples"] * chance * (1 - chance) / 3)
                self.assertLess(abs(r["attributes_bought"] - r["budget"]), 5 * sd)
            elif r["failed"] < 3:  # what is drawn twice is bought once
                self.assertTrue(0.6 * r["budget"] < r["attributes_bought"] < 1.02 * r["budget"], r)

    def test_numbers_are_in_order(self):
        for r in self.table:
            self.assertAlmostEqual(r["zero"], 0.1825, places=7)
            self.assertEqual(r["runs"], 3)
            self.assertTrue(0 <= r["failed"] <= 3)
            if r["failed"] < 3:
                self.assertTrue(-1e-9 <= r["q10"] <= r["median"] <= r["q90"], r)

    def test_a_small_smoothing_helps_coinflip_and_ruins_aesvr(self):
        at = {(r["algorithm"], r["smoothing"]): r["median"] for r in self.table if r["budget"] == 2 ** 20}
        self.assertLess(at["coinflip", 0.25], at["coinflip", 1] / 5)
        self.assertLess(at["coinflip", 1], at["coinflip", 4])
        self.assertLess(at["aesvr", 1.4], 0.07)
        self.assertGreater(at["aesvr", 0.25], 2 * at["aesvr", 1.4])
        for smoothing in (4, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25):
            self.assertLess(at["coinflip", smoothing], at["aesvr", smoothing])

    def test_threads_change_nothing(self):
        self.run_experiment("svr", "--runs", "3", "--algorithms", "coinflip", "--threads", "1", "--out", "a")
        lines = self.read("figures/svr.csv").decode().splitlines()  # nor does what else is run
        self.assertTrue(set(self.read("a/svr.csv").decode().splitlines()) <= set(lines))

    def test_full_information_is_bought_through_a_meter(self):
        out = self.run_experiment("svr", "--runs", "1", "--algorithms", "full-svr", "--out", "full")
        for r in self.rows("full/svr.csv", SVR):
            self.assertEqual((r["smoothing"], r["k"], r["failed"]), ("", 64, 0))
            self.assertEqual(r["attributes_bought"], r["budget"])
            self.assertLess(abs(r["mean"]), 1e-3)
        self.assertIn("full-svr", out)
        self.check_picture("full/svr.svg", "full-svr", "w = 0")
        self.check_picture("figures/svr.svg", "aesvr", "coinflip", "smoothing")


class Refusals(TheoryTest):
    def test_an_option_that_is_not_used_is_refused(self):
        for name in ("scaling", "lower-bound", "svr"):
            self.refuses(USAGE, ("--data", name), name, "--data", ".")
            self.refuses(USAGE, ("--pair", name), name, "--pair", "3,5")

    def test_algorithms_are_those_of_the_name(self):
        self.refuses(USAGE, "'aer'", "scaling", "--algorithms", "aerr,aer")
        self.refuses(USAGE, "'aesvr'", "lower-bound", "--algorithms", "aesvr")
        self.refuses(USAGE, "twice", "svr", "--algorithms", "aesvr,aesvr")
        self.refuses(USAGE, "none", "svr", "--algorithms", ",")
        self.assertFalse(os.path.exists(self.path("figures")))

    def test_results_that_cannot_be_written(self):
        self.write("file", "x")
        self.refuses(IO, "file", "scaling", "--out", "file")
        self.refuses(IO, "file", "svr", "--out", "file/figures")
        words = ("svr", "-q", "--runs", "1", "--algorithms", "coinflip", "--out", "full")
        result = self.run_command(*words, room=100)  # as on a full disk
        self.check_refusal(result, IO, "svr.csv")
        self.assertFalse(os.path.exists(self.path("full")))  # a folder that was made is not left empty
