"""scant fit: every option of every row does something or is refused, defaults
are what help says, and values outside the bounds are warned of once."""
import pathlib
import re

from support import DATA, DIMENSION, K, USAGE, CommandTest, Table, algorithms, csv, for_each_row, idx, npy, options, run

LEARNER = [o for o in options("fit") if o.group.startswith("The algorithm")]

# A value for each option of the algorithms that must change the weights, and
# what else it takes to have a meaning.
VALUES = {
    "radius": ["0.01"], "eta": ["0.5"], "penalty": ["3"], "loss": ["absolute"], "norm": ["1"], "tube": ["0.4"],
    "smoothing": ["0.9"], "residual-looks": ["3"], "replacement": ["no"], "center": [], "average": ["last"],
    "x-bound": ["2"], "no-intercept": [], "like-units": [], "standardise": [], "observed": [], "clip": ["1"],
    "spend": ["9"], "no-thrift": [], "errors-of": ["all"], "block": ["5"],
}
MONEY = ["--costs", "costs.csv", "--budget-cost", "100"]
NEEDS = {"spend": MONEY, "no-thrift": MONEY, "tube": ["--loss", "insensitive"], "smoothing": ["--loss", "insensitive"]}


class Options(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(60, DIMENSION)
        self.write("data.csv", self.table.csv())
        self.write("costs.csv", "attribute,cost\n" + "".join(f"a{i},{1 + i % 4}\n" for i in range(DIMENSION)))
        self.write("data.svm", self.table.libsvm())
        self.write("x.npy", npy(self.table.x))
        self.write("y.npy", npy(self.table.y))

    # ---- options of the algorithms ---------------------------------------

    @for_each_row
    def test_every_option_that_a_row_takes_changes_its_weights(self, row, base):
        for name in row.options:
            name = f"no-{name}" if name in ("intercept", "thrift") else name
            with self.subTest(option=name):
                self.assertIn(name, VALUES, "give this new option a value in VALUES")
                needs = NEEDS.get(name, [])
                if name == "clip" and "standardise" in row.options:
                    needs = ["--standardise"]
                before = self.fit("data.csv", *base, *needs)[1]
                words = base[:2] if name == "observed" else base  # its K is d
                after = self.fit("data.csv", *words, *needs, f"--{name}", *VALUES[name])[1]
                if any(before["weights"]) or any(after["weights"]):
                    self.assertNotEqual(before["weights"], after["weights"])
                else:  # nothing was surely learned from so few looks, but the looks are others
                    self.assertNotEqual(before["purchases"], after["purchases"])

    @for_each_row
    def test_every_option_that_a_row_does_not_take_is_refused_by_name(self, row, base):
        for option in LEARNER:
            name = option.flag.removeprefix("--")
            if name.removeprefix("no-") not in row.options:
                self.refuses(USAGE, [name.removeprefix("no-"), row.name], "fit", "data.csv", *base, option.flag, *VALUES[name])

    def test_options_of_another_loss_are_refused(self):
        for name in ("aesvr", "coinflip"):
            base = ("fit", "data.csv", *K, "--algorithm", name)
            self.refuses(USAGE, "tube", *base, "--loss", "squared", "--tube", "0.2")
            self.refuses(USAGE, "tube", *base, "--loss", "absolute", "--tube", "0.2")
            self.refuses(USAGE, "smoothing", *base, "--loss", "squared", "--smoothing", "0.2")

    @for_each_row
    def test_every_choice_gives_another_model(self, row, base):
        self.write("signs.csv", Table(60, DIMENSION).with_labels(-1, 1).csv())
        for option in LEARNER:
            name = option.flag.removeprefix("--")
            entire = [] if row.name == "aesvr" else ["huber", "logistic"]
            choices = {"loss": ["squared", "insensitive", "absolute", "hinge", *entire], "average": ["all", "half", "last", "late"],
                       "norm": ["1", "2"], "replacement": ["yes", "no"]}.get(name)
            if not choices or name not in row.options:
                continue
            found = [tuple(self.weights("signs.csv", *base, option.flag, c)) for c in choices]
            self.assertEqual(len(set(found)), len(choices), name)

    def test_aesvr_refuses_losses_without_a_series(self):
        for loss in ("huber", "logistic"):
            self.refuses(USAGE, "series", "fit", "data.csv", *K, "--algorithm", "aesvr", "--loss", loss)

    def test_svr_needs_three_attributes_or_all_of_them(self):
        self.refuses(DATA, "3 attributes per visit, or all", "fit", "data.csv", "-k", "2", "--algorithm", "svr")
        self.refuses(USAGE, "3 attributes", "fit", "data.csv", "-k", "4", "--passes", "2", "--algorithm", "svr")
        self.write("two.csv", "a,b,y\n1,2,3\n2,1,4\n3,3,1\n0,1,2\n")
        self.succeeds("fit", "two.csv", "-k", "2", "--algorithm", "svr", "-q")

    def test_squared_loss_of_aesvr_differs_from_its_default(self):
        self.assertNotEqual(self.weights("data.csv", *K, "--algorithm", "aesvr"),
                            self.weights("data.csv", *K, "--algorithm", "aesvr", "--loss", "squared"))

    # ---- options of the run ----------------------------------------------

    @for_each_row
    def test_every_option_of_the_run_changes_the_weights(self, row, base):
        before = self.weights("data.csv", *base)
        for change in ("--passes 2", "--examples 30", "--no-shuffle", "--seed 2", "--budget 99", "--split 0.5",
                       "-k 10"):
            if (row.one_pass and change == "--passes 2" or row.whole and change == "-k 10"):
                continue
            self.assertNotEqual(before, self.weights("data.csv", *base, *change.split()), change)

    # ---- options of the data ---------------------------------------------

    def test_format_says_how_a_file_is_read(self):
        self.write("data.dat", self.table.csv())
        self.assertEqual(self.weights("data.dat", *K, "--format", "csv"), self.weights("data.csv", *K))

    def test_every_format_gives_the_same_weights(self):
        expected = self.weights("data.csv", *K)
        flat = [round(4096 * v) for x in self.table.x for v in x]
        self.write("x.idx", idx(flat, (60, 4, 4), 0x0B))
        self.write("y.idx", idx(self.table.y, (60,), 0x0E))
        self.assertEqual(self.weights("data.svm", *K), expected)
        self.assertEqual(self.weights("x.npy", *K, "--labels", "y.npy"), expected)
        integers = self.weights("x.idx", *K, "--labels", "y.idx", "--x-bound", "4096")
        self.assertEqual([4096 * w for w in integers], expected)

    def test_target_is_a_name_or_a_number(self):
        self.write("turned.csv", csv(["y", *self.table.names], [[y, *x] for x, y in zip(self.table.x, self.table.y)]))
        expected = self.weights("data.csv", *K)
        self.assertEqual(self.weights("turned.csv", *K, "--target", "y"), expected)
        self.assertEqual(self.weights("turned.csv", *K, "--target", "1"), expected)
        self.assertNotEqual(self.weights("turned.csv", *K), expected)

    def test_header_says_whether_the_first_line_is_names(self):
        self.write("bare.csv", self.table.csv(header=False))
        self.assertEqual(self.weights("bare.csv", *K, "--header", "no"), self.weights("data.csv", *K))
        printed, model = self.fit("bare.csv", *K, "--header", "yes")
        self.assertEqual(printed["examples"], 59)
        self.assertEqual(model["names"], [str(v) for v in self.table.x[0]])

    def test_index_base_shifts_the_attributes(self):
        self.write("zero.svm", self.table.libsvm(base=0))
        self.assertEqual(self.weights("zero.svm", *K, "--index-base", "0"), self.weights("data.svm", *K))

    def test_data_options_of_another_format_are_refused(self):
        for name, words in (("data.csv", ["--labels", "y.npy"]), ("data.csv", ["--index-base", "0"]),
                            ("data.svm", ["--labels", "y.npy"]), ("data.svm", ["--target", "y"]),
                            ("data.svm", ["--header", "no"]), ("x.npy", ["--labels", "y.npy", "--target", "y"]),
                            ("x.npy", ["--labels", "y.npy", "--header", "no"]),
                            ("x.npy", ["--labels", "y.npy", "--index-base", "0"])):
            with self.subTest(data=name, options=words):
                self.refuses(USAGE, words[-2].removeprefix("--"), "fit", name, *K, "-q", *words)

    def test_options_of_the_command_without_their_companion_are_refused(self):
        for words, needs in ((["--every", "5"], "checkpoint"), (["--test-labels", "y.npy"], "test"),
                             (["--test", "data.csv", "--test-labels", "y.npy"], "labels")):
            with self.subTest(options=words):
                self.refuses(USAGE, needs, "fit", "data.csv", *K, "-q", *words)

    # ---- defaults --------------------------------------------------------

    @for_each_row
    def test_defaults_written_out_give_the_same_file(self, row, base):
        run = [o for o in options("fit") if o.group == "The run" and o.default and o.flag != "--algorithm"]
        self.assertGreater(len(run), 3)
        self.fit("data.csv", *base)
        expected = self.read("model.json")
        words = [w for o in run for w in (o.flag, o.default)] + ["--shuffle", "--format", "csv", "--header", "yes",
                                                                 "--target", "y"]
        for o in LEARNER:
            name = o.flag.removeprefix("--")
            default = row.defaults.get(name, o.default)
            loss = row.defaults.get("loss", "squared")
            unused = (name == "tube" and loss != "insensitive") or (name == "smoothing" and loss == "squared")
            if name in row.options and default and not unused:
                words += [o.flag, default]
        self.fit("data.csv", *base, *words)
        self.assertEqual(self.read("model.json"), expected)

    def test_aerr_is_the_default_algorithm(self):
        self.fit("data.csv", *K)
        expected = self.read("model.json")
        self.fit("data.csv", *K, "--algorithm", "aerr")
        self.assertEqual(self.read("model.json"), expected)

    def test_the_default_penalty_is_that_of_the_number_of_examples(self):
        printed, model = self.fit("data.csv", *K, "--algorithm", "aer")
        given = self.weights("data.csv", *K, "--algorithm", "aer", "--penalty", repr(model["penalty"]))
        self.assertEqual(given, model["weights"])

    def test_the_default_eta_is_that_of_the_theorem(self):
        for name in ("aerr", "aelr"):
            printed, model = self.fit("data.csv", *K, "--algorithm", name)
            given = self.weights("data.csv", *K, "--algorithm", name, "--eta", repr(printed["eta"]))
            self.assertEqual(given, model["weights"])

    # ---- warnings --------------------------------------------------------

    def warnings(self, data, *words):
        err = self.succeeds("fit", data, *words).err
        return [line for line in err.splitlines() if "warning" in line and "the risk" not in line]

    @for_each_row
    def test_values_within_the_bounds_are_not_warned_of(self, row, base):
        self.assertEqual(self.warnings("data.csv", *base), [])

    @for_each_row
    def test_values_outside_the_bounds_are_one_warning_and_no_error(self, row, base):
        self.write("wide.csv", Table(60, DIMENSION).scaled(8).csv())
        tall = Table(60, DIMENSION)
        tall.y = [5 * y for y in tall.y]
        self.write("tall.csv", tall.csv())
        self.write("both.csv", tall.scaled(8).csv())
        if row.name == "coinflip" or row.stopped or row.dense:  # no theorem, no bounds
            self.assertEqual(self.warnings("both.csv", *base), [])
            return
        for data in ("wide.csv", "tall.csv", "both.csv"):
            self.assertEqual(len(self.warnings(data, *base)), 1, data)
        self.assertIn("wide.csv", self.warnings("wide.csv", *base)[0])
        self.assertIn("x-bound", self.warnings("wide.csv", *base)[0])
        self.assertIn("target", self.warnings("tall.csv", *base)[0])
        self.assertEqual(self.warnings("wide.csv", *base, "--x-bound", "8"), [])
        self.assertEqual(self.warnings("tall.csv", *base, "--radius", "5"), [])

    def test_a_warning_names_the_line_and_column_of_the_value(self):
        self.table.x[20][3] = 7
        self.write("one.csv", self.table.csv())
        for seed in range(1, 20):  # the look may miss the one attribute that it does not take
            warnings = self.warnings("one.csv", "--algorithm", "aerr", "-k", DIMENSION, "--replacement", "no", "--seed", seed)
            if warnings:
                break
        warning = warnings[0]
        for word in ("one.csv", "line 22", "a3", "7"):
            self.assertIn(word, warning)

    def test_a_warning_names_the_line_of_a_target(self):
        self.table.y[20] = 7
        self.write("one.csv", self.table.csv())
        warning = self.warnings("one.csv", "--algorithm", "aerr", "-k", DIMENSION)[0]
        for word in ("one.csv", "line 22", "y", "7"):
            self.assertIn(word, warning)

    def test_overflow_names_the_file_and_line(self):
        self.table.x[20][3] = 1e200
        self.write("huge.csv", self.table.csv())
        self.refuses(DATA, ["huge.csv", "line 22"], "fit", "huge.csv", "-k", DIMENSION, "--algorithm", "coinflip", "-q")


HEADER = (pathlib.Path(__file__).parents[2] / "core" / "include" / "scant.h").read_text()
WORK = float(re.search(r"#define SCANT_DEFAULT_WORK (\S+)", HEADER)[1])
DOCS = pathlib.Path(__file__).parents[2] / "docs"


class Default(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(40, DIMENSION).csv())
        self.write("wide.csv", self.wide())

    @staticmethod
    def wide():
        """Examples with one attribute more than gaussian takes."""
        d = int((WORK / 8) ** (1 / 3)) + 2
        rows = [",".join(str((i * j + j) % 5) for j in range(d + 1)) for i in range(12)]
        return "\n".join([",".join(f"a{j}" for j in range(d)) + ",y", *rows]) + "\n"

    def check(self, algorithm, why, *words, data="data.csv"):
        printed, model = self.fit(data, *words)
        self.assertEqual((printed["algorithm"], model["settings"]["algorithm"]), (algorithm, algorithm))
        self.assertRegex(printed["algorithm_why"], why)
        out = self.succeeds("fit", data, "-q", *words).out.splitlines()
        self.assertTrue(out[0].startswith(f"{algorithm}: "), out[0])
        self.assertEqual(out[1], f"default: {algorithm}, since {printed['algorithm_why']}")
        chosen = self.read("model.json")
        named, _ = self.fit(data, "--algorithm", algorithm, *words)
        self.assertEqual(self.read("model.json"), chosen)
        self.assertIsNone(named["algorithm_why"])
        self.assertNotIn("default", self.succeeds("fit", data, "-q", "--algorithm", algorithm, *words).out)

    def test_the_size_of_the_data_decides(self):
        work = 40 * 4**3 + 8 * DIMENSION**3
        self.check("gaussian", rf"^m K\^3 \+ 8 d\^3 = {work:.3g} is at most ".replace("e+", r"e\+"), "-k", "4")
        self.check("gaussian", "^m K", "-k", "4", "--split", "0.2", "--budget", "60")
        self.check("auto", r"^m K\^3 \+ 8 d\^3 = \S+ is above ", "-k", "4", data="wide.csv")
        named = self.fit("data.csv", "-k", "4", "--algorithm", "default")[0]
        self.assertEqual(named["algorithm"], "gaussian")
        self.assertIsNotNone(named["algorithm_why"])

    def test_options_decide(self):
        for words, option in ((["--like-units"], "like-units"), (["--no-intercept"], "intercept"),
                              (["--average", "last"], "average")):
            self.check("auto", f"^only it takes {option}$", "-k", "4", *words)
        self.check("auto", "^only it takes more than one pass$", "-k", "4", "--passes", "2")
        self.check("gaussian", "^only it takes observed$", "--observed")
        self.refuses(USAGE, ["radius", "neither gaussian nor auto", "--algorithm"], "fit", "data.csv", "-k", "4",
                     "--radius", "1")
        self.refuses(USAGE, ["k is missing", "spend"], "fit", "data.csv")

    def test_prices(self):
        """Whatever is taken charges them; spend selects what takes it."""
        names = self.read("data.csv").decode().split("\n")[0].split(",")[:DIMENSION]
        self.write("costs.csv", "attribute,cost,group\n" + "".join(
            f"{name},{1 + i % 3},{'panel' if i in (2, 3) else ''}\n" for i, name in enumerate(names)))
        takes = [row.name for row in algorithms() if "spend" in row.options]
        for words in (["-k", "4"], ["-k", "4", "--spend", "9"], ["--spend", "9"], ["-k", "4", "--budget-cost", "100"]):
            printed, model = self.fit("data.csv", "--costs", "costs.csv", *words)
            self.assertIn(printed["algorithm"], takes)
            self.assertGreater(printed["money_spent"], 0)

    def test_too_little_memory_names_auto(self):
        self.refuses(DATA, ["gaussian needs", "--memory allows", "--algorithm auto"], "fit", "data.csv", "-k", "4",
                     "--memory", "1e-6", "-o", "never.json")
        self.succeeds("fit", "data.csv", "-k", "4", "--memory", "1e-6", "-q", "--algorithm", "auto")
        self.succeeds("fit", "wide.csv", "-k", "4", "--memory", "1e-6", "-q")

    def test_a_checkpoint_goes_on_with_what_was_taken(self):
        for data, words, algorithm in (("data.csv", [], "gaussian"), ("data.csv", ["--like-units"], "auto"),
                                       ("wide.csv", [], "auto")):
            common = ["-k", "4", *words, "-q"]
            self.succeeds("fit", data, *common, "-o", "whole.json", "--checkpoint", "c.json", "--every", "7")
            self.assertEqual(self.model("c.json")["settings"]["algorithm"], algorithm)
            out = self.succeeds("fit", data, *common, "--resume", "c.json", "-o", "again.json").out
            self.assertEqual(self.read("again.json"), self.read("whole.json"))
            self.assertNotIn("default", out)
            named = ["--algorithm", "default", "--resume", "c.json"]
            self.succeeds("fit", data, *common, *named, "-o", "named.json")
            self.assertEqual(self.read("named.json"), self.read("whole.json"))
        self.succeeds("fit", "data.csv", "-k", "4", "-q", "--checkpoint", "c.json", "--every", "7")
        self.refuses(USAGE, ["algorithm", "gaussian", "auto"], "fit", "data.csv", "--resume", "c.json", "--algorithm",
                     "auto")
        self.refuses(USAGE, "like-units", "fit", "data.csv", "--resume", "c.json", "--like-units")

    def test_tune_is_of_auto(self):
        for words in ([], ["--algorithm", "default"]):
            found = self.succeeds("tune", "data.csv", "-k", "4", "-q", "--json", "-o", "t.json", *words).json
            self.assertEqual((found["algorithm"], self.model("t.json")["settings"]["algorithm"]), ("auto", "auto"))

    def test_a_curve_names_its_algorithm(self):
        self.refuses(USAGE, ["default", "gaussian or auto"], "curve", "data.csv", "-k", "4", "--algorithms",
                     "default,full-ridge")

    # ---- what is said of it -------------------------------------------------

    def test_help_and_pages_have_the_rule(self):
        listed = run("algorithms").out
        self.assertTrue(listed.startswith("default: gaussian or auto"), listed[:100])
        self.assertIn(f"if m K^3 + 8 d^3 <= {WORK:g}", listed)
        rule = f"m K^3 + 8 d^3 <= {re.search(r'DEFAULT_WORK (.*)', HEADER)[1]}"
        self.assertIn(rule, " ".join(run("help", "fit").out.split()))
        for page in ("algorithms.md", "choosing.md"):
            self.assertTrue(rule in (DOCS / page).read_text(), page)
        self.assertIn("there are default, auto,", self.refuses(
            USAGE, "defualt", "fit", "data.csv", "-k", "4", "--algorithm", "defualt"))
