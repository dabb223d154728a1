"""scant-lab lasso, ridge, their ablations and few: on a small make-believe MNIST, the files it writes and what it
refuses."""
import csv
import os
import random
import xml.etree.ElementTree

from support import DATA, IO, NO_INPUT, USAGE, LabTest, idx

COLUMNS = "figure,algorithm,attributes,examples,attributes_bought,mean,sd,q10,q90,runs,paper_mean,paper_sd"


def make_digits(test, folder, count, digits=(3, 5, 8), side=28):
    """Noise with a bright bar whose place tells the digit."""
    os.makedirs(test.path(folder), exist_ok=True)
    draw = random.Random(1)
    for part, n in (("train", count), ("t10k", count // 4)):
        labels = [digits[i % len(digits)] for i in range(n)]
        pixels = []
        for label in labels:
            image = [draw.randint(0, 60) for _ in range(side * side)]
            for i in range(side):
                image[side * (2 * label + 2) + i] = draw.randint(150, 255)
            pixels += image
        test.write(f"{folder}/{part}-images-idx3-ubyte", idx(pixels, (n, side, side), 0x08))
        test.write(f"{folder}/{part}-labels-idx1-ubyte", idx(labels, (n,), 0x08))


class Figures(LabTest):
    def setUp(self):
        super().setUp()
        make_digits(self, "mnist", 120)

    def run_figure(self, name, *options):
        self.succeeds(name, "--data", "mnist", "--runs", "2", "-q", *options)

    def rows(self, path):
        with open(self.path(path), newline="") as file:
            self.assertEqual(file.readline().rstrip("\n"), COLUMNS)
            file.seek(0)
            return list(csv.DictReader(file))

    def test_a_figure_is_a_table_and_two_pictures(self):
        self.run_figure("lasso", "--algorithms", "full-lasso,online-lasso")
        rows = self.rows("figures/lasso.csv")
        self.assertEqual([r["algorithm"] for r in rows], ["full-lasso"] * 10 + ["online-lasso"] * 10)
        for i, row in enumerate(rows):
            self.assertEqual(int(row["attributes"]), 4704 * (i % 10 + 1))
            self.assertEqual(int(row["examples"]), 6 * (i % 10 + 1))
            self.assertEqual(float(row["attributes_bought"]), float(row["attributes"]))
            self.assertEqual(row["runs"], "2")
            self.assertTrue(float(row["q10"]) <= float(row["mean"]) <= float(row["q90"]))
        self.assertEqual((rows[0]["paper_mean"], rows[0]["paper_sd"]), ("0.836078", "0.113406"))
        self.assertEqual(rows[10]["paper_mean"], "")
        self.assertLess(float(rows[9]["mean"]), 0.2)  # the bar is easy to see
        for name in ("lasso.svg", "lasso-examples.svg"):
            xml.etree.ElementTree.parse(self.path(f"figures/{name}"))
            self.assertIn("times as many labels", self.read(f"figures/{name}").decode())

    def test_an_ablation_changes_one_choice(self):
        names = ["aelr-tuned-once", "aelr-last-half"]
        self.run_figure("lasso-ablation", "--algorithms", ",".join(names), "--runs", "1")
        rows = self.rows("figures/lasso-ablation.csv")
        self.assertEqual([r["algorithm"] for r in rows], [n for n in names for _ in range(10)])
        self.assertEqual([rows[0]["paper_mean"], rows[10]["paper_mean"]], ["0.795604"] * 2)  # figure 1's AELR

    def test_threads_and_repetition_change_nothing(self):
        files = []
        for threads in (1, 2, 3):
            self.run_figure("lasso", "--algorithms", "aer,full-lasso,auto,online-lasso", "--threads", threads, "--out", "out")
            files.append(self.read("out/lasso.csv"))
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])
        self.run_figure("lasso", "--algorithms", "online-lasso", "--seed", "2", "--out", "out")
        self.assertNotIn(self.read("out/lasso.csv"), files)

    def test_what_is_wrong_is_named_and_nothing_is_written(self):
        self.refuses(NO_INPUT, "absent", "lasso", "--data", "absent")
        self.refuses(USAGE, "--data", "lasso")
        self.refuses(USAGE, "tango", "tango", "--data", "mnist")
        self.refuses(USAGE, "nothing", "lasso", "--data", "mnist", "--algorithms", "aelr,nothing")
        self.write("file", "x")
        self.refuses(IO, "file", "lasso", "--data", "mnist", "--out", "file/figures")
        self.refuses(USAGE, "runs", "lasso", "--data", "mnist", "--runs", "0")
        result = self.run_command("lasso", "--data", "mnist", "--pair", "3,9", "--out", "made")
        self.check_refusal(result, DATA, "'9'")
        self.assertFalse(os.path.exists(self.path("made")))  # a folder that was made is not left empty


class Few(LabTest):
    CURVES = ["gaussian", "linear", "fixed-two-valued", "fixed"]

    def setUp(self):
        super().setUp()
        make_digits(self, "mnist", 240, digits=(0, 1, 2), side=8)

    def few(self, *options, out="figures"):
        return self.succeeds("few", "--data", "mnist", "--pair", "0,2", "--runs", "2", "-q", "--out", out,
                             *options).out

    def rows(self, out="figures"):
        with open(self.path(f"{out}/few.csv"), newline="") as file:
            self.assertEqual(file.readline(), "curve,attributes,mean,sd,q10,q90,runs\n")
            file.seek(0)
            return list(csv.DictReader(file))

    def test_every_curve_has_a_line_for_every_number_of_attributes(self):
        printed = self.few().splitlines()
        rows = self.rows()
        self.assertEqual([(r["curve"], int(r["attributes"])) for r in rows],
                         [(c, k) for c in self.CURVES for k in range(65)])
        for row in rows:
            self.assertEqual(row["runs"], "2")
            self.assertTrue(float(row["q10"]) <= float(row["mean"]) <= float(row["q90"]))
        mean = {(r["curve"], int(r["attributes"])): float(r["mean"]) for r in rows}
        for curve in self.CURVES:
            self.assertGreater(mean[curve, 0], 0.9)  # nothing is known
            self.assertLess(mean[curve, 8], 0.1)  # the bar is easy to see
        self.assertEqual([line.split()[0] for line in printed[:4]], self.CURVES)
        for line, curve in zip(printed, self.CURVES):
            self.assertIn(f"squared error {mean[curve, 8]:.4f}", line)
            self.assertTrue(line.endswith("from 8 attributes"))
        self.assertIn("figures/few.csv", printed[4])
        picture = self.read("figures/few.svg").decode()
        xml.etree.ElementTree.fromstring(picture)
        for words in (*self.CURVES, "0 vs 2", "56 of 64 pixels"):
            self.assertIn(words, picture)

    def test_threads_repetition_and_other_curves_change_nothing(self):
        self.few("--threads", "1")
        self.few("--threads", "3", out="b")
        self.assertEqual(self.read("figures/few.csv"), self.read("b/few.csv"))
        self.few("--algorithms", "fixed,gaussian", out="c")
        self.assertEqual(self.rows("c"), [r for c in ("fixed", "gaussian") for r in self.rows() if r["curve"] == c])
        self.few("--seed", "2", out="d")
        self.assertNotEqual(self.read("figures/few.csv"), self.read("d/few.csv"))

    def test_fewer_attributes_than_are_asked_for(self):
        make_digits(self, "mnist", 240, digits=(0, 1), side=5)
        self.assertIn("from 8 attributes", self.few("--pair", "0,1"))
        self.assertEqual([int(r["attributes"]) for r in self.rows()], 4 * list(range(26)))
        self.assertIn("25 of 25 pixels", self.read("figures/few.svg").decode())

    def test_what_is_wrong_is_named(self):
        self.refuses(NO_INPUT, "absent", "few", "--data", "absent")
        self.refuses(USAGE, "--data", "few")
        self.refuses(USAGE, "ridge", "few", "--data", "mnist", "--algorithms", "fixed,ridge")
        self.refuses(USAGE, ["k = 65", "64"], "few", "--data", "mnist", "-k", "65", "--pair", "0,2")
        self.refuses(USAGE, ["files"], "few", "--data", "mnist", "--target", "y")
        self.refuses(USAGE, ["scaling", "--data"], "scaling", "--data", "mnist")
        self.write("file", "x")
        self.refuses(IO, "file", "few", "--data", "mnist", "--out", "file/figures")
        result = self.run_command("few", "--data", "mnist", "--pair", "0,9", "--out", "made")
        self.check_refusal(result, DATA, "'9'")
        self.assertFalse(os.path.exists(self.path("made")))  # a folder that was made is not left empty


class FewOfTable(LabTest):
    """y = 3 a - 2 b + a little noise, and c that says nothing."""

    def setUp(self):
        super().setUp()
        draw = random.Random(4)
        self.lines = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(300)]
        self.table(lambda a, b, c: 3 * a - 2 * b + draw.gauss(0, 0.1))

    def table(self, target, holes=False):
        rows = "".join(f"{a!r},{b!r},{'' if holes and i % 7 == 0 else repr(c)},{target(a, b, c)!r}\n"
                       for i, (a, b, c) in enumerate(self.lines))
        self.write("table.csv", "a,b,c,y\n" + rows)

    def few(self, *options):
        printed = self.succeeds("few", "--data", "table.csv", "--runs", "3", "-q", *options).out
        rows = list(csv.DictReader(self.read("figures/few.csv").decode().splitlines()))
        areas = {r["curve"]: r for r in csv.DictReader(self.read("figures/few-area.csv").decode().splitlines())}
        return printed, {(r["curve"], int(r["attributes"])): float(r["mean"]) for r in rows}, areas

    def test_errors_fall_to_the_noise_and_areas_are_their_sums(self):
        printed, mean, areas = self.few()
        targets = [float(line.split(",")[3]) for line in self.read("table.csv").decode().splitlines()[1:]]
        size = max(targets) - min(targets)
        self.assertEqual(list(areas), ["gaussian", "all", "fixed"])
        for curve, row in areas.items():
            self.assertGreater(mean[curve, 0], 3 / size)
            self.assertTrue(1.5 < mean[curve, 1] * size < 2.5)  # b is not known yet
            self.assertTrue(0.08 < mean[curve, 3] * size < (0.13 if curve != "gaussian" else 0.5))
            self.assertAlmostEqual(float(row["area"]), sum(mean[curve, k] for k in range(4)), 5)
            self.assertAlmostEqual(float(row["area"]) - float(row["area_from_1"]), mean[curve, 0], 5)
            self.assertIn(f"{float(row['area']):.3f} +- {float(row['area_sd']):.3f}", printed)
        picture = self.read("figures/few.svg").decode()
        xml.etree.ElementTree.fromstring(picture)
        self.assertIn("table.csv: error against attributes", picture)
        self.assertIn("2 of 3 attributes", picture)

    def test_a_logarithm_is_learned_and_the_target_itself_predicted(self):
        self.table(lambda a, b, c: 2.718281828459045 ** (1 + 0.5 * a - 0.3 * b) - 1 + 0 * c)
        _, plain, _ = self.few("--algorithms", "all")
        printed, logged, areas = self.few("--algorithms", "all", "--log-target", "--target", "y")
        self.assertIn("log(1 + y)", printed)
        self.assertLess(logged["all", 3], plain["all", 3] / 10)  # the logarithm is linear
        self.refuses(USAGE, ["fixed", "--log-target"], "few", "--data", "table.csv", "--log-target")

    def test_empty_cells_and_options_of_files(self):
        self.table(lambda a, b, c: a + c, holes=True)
        _, mean, _ = self.few("--algorithms", "gaussian,all", "-k", "2", "--split", "0.5")
        self.assertLess(mean["all", 3], mean["all", 0] / 2)
        self.refuses(USAGE, ["fixed", "empty"], "few", "--data", "table.csv")
        self.assertEqual(max(k for _, k in self.few("--algorithms", "all", "--ignore", "b")[1]), 2)

    def test_what_is_wrong_is_named(self):
        self.refuses(USAGE, "k = 4", "few", "--data", "table.csv", "-k", "4")
        self.refuses(USAGE, "--pair", "few", "--data", "table.csv", "--pair", "3,5")
        self.refuses(USAGE, "linear", "few", "--data", "table.csv", "--algorithms", "linear")
        self.write("short.csv", "a,b,y\n" + "1,2,3\n4,5,6\n")
        self.refuses(DATA, ["2 examples", "20"], "few", "--data", "short.csv")
        self.write("flat.csv", "a,b,y\n" + "1,2,3\n4,5,3\n" * 20)
        self.refuses(DATA, "the same", "few", "--data", "flat.csv")
