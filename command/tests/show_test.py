"""scant show: settings, ledger and the largest weights, by name; and standard errors, in fits, models and studies."""
import json
import random
import re

from studies import FILE, StudyTest
from support import DATA, DIMENSION, K, USAGE, CommandTest, Table, algorithms, csv, npy, run


class Show(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(40, DIMENSION)
        self.write("data.csv", self.table.csv())

    def shown_weights(self, *options):
        out = self.succeeds("show", "model.json", *options).out
        return re.findall(r"(?m)^  (\S+) +(-?[0-9][0-9.e+-]*) +([0-9]+)(?: +\S+ +\S+)?$", out[out.index("\nweights"):])

    def test_the_largest_weights_come_first_with_names_and_purchases(self):
        _, model = self.fit("data.csv", *K)
        order = sorted(range(DIMENSION), key=lambda i: -abs(model["weights"][i]))
        for options, count in (([], 10), (["--top", "3"], 3), (["--top", "0"], 0), (["--top", "99"], DIMENSION)):
            shown = self.shown_weights(*options)
            self.assertEqual([name for name, _, _ in shown], [self.table.names[i] for i in order[:count]])
            for (_, weight, purchases), i in zip(shown, order):
                self.assertAlmostEqual(float(weight), model["weights"][i], places=5)
                self.assertEqual(int(purchases), model["purchases"][i])

    def test_attributes_without_names_are_numbered_from_one(self):
        self.write("x.npy", npy(self.table.x))
        self.fit("x.npy", *K, "--labels", self.write("y.npy", npy(self.table.y)))
        numbers = sorted(int(name) for name, _, _ in self.shown_weights("--top", "99"))
        self.assertEqual(numbers, list(range(1, DIMENSION + 1)))

    def test_every_setting_of_the_model_is_shown_with_its_value(self):
        for row in algorithms():
            _, model = self.fit("data.csv", *row.k, "--algorithm", row.name, "--seed", "77", *row.only("--radius", "1.5"))
            out = self.succeeds("show", "model.json").out
            for name, value in model["settings"].items():
                text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else re.escape(str(value))
                self.assertRegex(out, rf"(?m)^  {name.replace('_', '-')} +{text}$")
            for name in ("penalty", "eta"):
                if model[name] is not None:
                    self.assertRegex(out, rf"(?m)^  {name} used +{model[name]:.6g}$")

    def test_the_ledger_is_shown(self):
        printed, _ = self.fit("data.csv", *K)
        out = self.succeeds("show", "model.json").out
        for name in ("examples", "looks_drawn", "attributes_bought"):
            self.assertRegex(out, rf"(?m)^  {name.replace('_', ' ')} +{printed[name]}$")
        self.assertRegex(out, rf"\b{printed['max_bought_per_example']} at most")

    def test_target_and_classes_are_shown(self):
        self.write("words.csv", Table(40, DIMENSION).with_labels("no", "yes").csv(target="answer"))
        self.fit("words.csv", *K, "--classes", "no,yes")
        out = self.succeeds("show", "model.json").out
        self.assertRegex(out, r"(?m)^  classes +no,yes$")
        self.assertRegex(out, r"(?m)^  target +answer$")


NAMES = ["age", "weight", "pulse", "sugar", "noise"]
ALGORITHMS = ["auto", "ridge", "lasso", "svr", "gaussian", "moments"]


def rows(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        x = [draw.gauss(0, 1) for _ in NAMES]
        yield [*(round(v, 4) for v in x), round(3 * x[0] - 2 * x[3] + 1 + draw.gauss(0, 1), 4)]


class Errors(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", csv([*NAMES, "y"], rows(300)))

    def shown(self, *words):
        return self.succeeds("show", "model.json", *words)

    def test_every_algorithm_says_which_weights_matter(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm=algorithm):
                self.succeeds("fit", "data.csv", "-k", "3", "--algorithm", algorithm, "-q", "-o", "plain.json")
                said = self.succeeds("fit", "data.csv", "-k", "3", "--algorithm", algorithm, "-q", "--errors", "-o", "model.json").out
                self.assertRegex(said, r"(?m)^errors: [0-9] of 5 weights have a 90% interval without 0$")
                self.assertIn("weights are shrunk toward 0, and that bias is not in their errors", said)
                with_errors, plain = json.loads(self.read("model.json")), json.loads(self.read("plain.json"))
                errors = with_errors.pop("errors")
                self.assertNotEqual(with_errors.pop("checksum"), plain.pop("checksum"))
                self.assertEqual(with_errors, plain)  # nothing else was bought or learned
                table = dict(zip(NAMES, zip(with_errors["weights"], errors["weights"])))
                for name in ("age", "sugar"):
                    self.assertGreater(abs(table[name][0]), 1.729132811521367 * table[name][1])
                lines = dict(re.findall(r"(?m)^  (\w+) +(-?[0-9.e+-]+ +[0-9.e+-]+ +-?[0-9.e+-]+ +-?[0-9.e+-]+)", self.shown().out))
                for name, (w, e) in table.items():
                    for got, wanted in zip(lines[name].split(), (w, e, w - 1.7291328 * e, w + 1.7291328 * e)):
                        self.assertAlmostEqual(float(got), wanted, delta=1e-4 * abs(wanted) + 1e-9)

    def test_the_mark_says_that_0_is_inside(self):
        self.succeeds("fit", "data.csv", "-k", "3", "-q", "--errors", "-o", "model.json")
        out, model = self.shown().out, json.loads(self.read("model.json"))
        for name, w, e in zip(NAMES, model["weights"], model["errors"]["weights"]):
            line = next(line for line in out.splitlines() if line.startswith(f"  {name} ")).split()
            self.assertEqual(line[5] == "0", abs(w) <= 1.7291328 * e, line)
        self.assertIn("0: the interval holds 0", out)
        self.assertRegex(out, r"intercept \S+ \+- ")

    def test_weights_come_by_how_many_errors_they_are_from_0(self):
        self.write("units.csv", csv([*NAMES, "y"], ([*r[:4], r[4] / 1e6, r[5]] for r in rows(300))))
        self.succeeds("fit", "units.csv", "-k", "3", "-q", "--errors-of", "pulse,noise", "-o", "model.json")
        out, model = self.shown("--top", "5", "--interval", "0.95").out, json.loads(self.read("model.json"))
        errors = dict(zip(NAMES, model["errors"]["weights"]))
        listed = [line.split() for line in out.splitlines() if line.startswith("  ") and line.split()[0] in NAMES][:5]
        self.assertIn(listed[0][0], ("age", "sugar"))  # the weight of noise is a million times larger
        self.assertEqual([float(line[1]) for line in listed],
                         sorted((float(line[1]) for line in listed), key=lambda w: -abs(w) / errors[dict((float(l[1]), l[0]) for l in listed)[w]]))
        for line in listed:
            w, e = float(line[1]), errors[line[0]]
            self.assertAlmostEqual(float(line[4]), w + 2.0930240544 * e, delta=1e-4 * abs(float(line[4])) + 1e-9)
            mark = line[5] if not line[5].isdigit() or line[5] == "0" else ""
            self.assertEqual("u" in mark + (line[6] if mark == "0" else ""), line[0] in ("pulse", "noise"), line)
        self.assertIn("95% from", out)
        self.assertIn("u: the weight is unpenalised", out)
        self.assertIn("errors-of does not name are shrunk", out)

    def test_a_fit_and_its_model_say_the_same_risk(self):
        said = self.succeeds("fit", "data.csv", "-k", "3", "-q", "--algorithm", "auto", "--errors", "-o", "model.json").out
        risk = next(line for line in said.splitlines() if line.startswith("risk: "))
        self.assertIn(risk[len("risk: "):].split(" by ")[0].split(" +- ")[1], self.shown().out)

    def test_json_is_the_whole_model(self):
        self.write("costs.csv", csv(["attribute", "cost"], [(name, i + 1) for i, name in enumerate(NAMES)]))
        for options in ([], ["--errors"], ["--errors-of", "age,noise"], ["--algorithm", "auto"], ["--costs", "costs.csv"]):
            with self.subTest(options=options):
                self.succeeds("fit", "data.csv", "-k", "3", "-q", *options, "-o", "model.json")
                shown, model = self.shown("--json").json, json.loads(self.read("model.json"))
                self.assertEqual(shown["settings"], model["settings"])
                for name, value in model["ledger"].items():
                    self.assertEqual(shown["ledger"][name], value / 100 if name == "money_spent" else value)
                for name in ("intercept", "eta", "penalty", "dimension", "target"):
                    self.assertEqual(shown[name], model[name])
                for i, item in enumerate(shown["weights"]):
                    self.assertEqual((item["attribute"], item["weight"], item["purchases"]),
                                     (NAMES[i], model["weights"][i], model["purchases"][i]))
                    self.assertEqual(item["error"], model["errors"]["weights"][i] if "errors" in model else None)
                    self.assertEqual((item["low"], item["high"]), (model["low"][i], model["high"][i]))
                    if "costs" in options[0:1] or "--costs" in options:
                        self.assertEqual(item["cost"], i + 1)
                    if "errors" in model:
                        self.assertEqual(item["unpenalised"], i in model.get("unpenalised", []))
                if "errors" in model:
                    for name in ("risk", "risk_error"):
                        self.assertEqual(shown[name], model["errors"][name])
                    self.assertEqual(shown["intercept_error"], model["errors"]["intercept"])
                    self.assertIn("shrunk toward 0", shown["errors"]["bias"])
                self.assertEqual("buying_order" in shown, "gaussian" in model)

    def test_errors_of_all_leaves_no_bias_to_speak_of(self):
        said = self.succeeds("fit", "data.csv", "-k", "3", "-q", "--errors-of", "all", "-o", "model.json").out
        self.assertIn("gaussian, since only it takes errors-of", said)
        self.assertNotIn("shrunk", said)
        self.assertIsNone(self.shown("--json").json["errors"]["bias"])
        self.assertEqual(self.shown("--json").json["penalty"], 0)

    def test_rare_pairs_are_named(self):
        self.write("wide.csv", csv([*(f"a{i}" for i in range(30)), "y"],
                                   [[*(row[:5] * 6), row[5]] for row in rows(60)]))
        for algorithm in ("gaussian", "auto"):
            said = self.succeeds("fit", "wide.csv", "-k", "3", "-q", "--errors", "--algorithm", algorithm, "-o", "model.json").out
            self.assertRegex(said, r"note: [0-9]+ of [0-9]+ pairs of attributes were seen together less than 10 times")
            self.assertIn("nothing to be sure of", self.shown().out)
            self.assertIn("nothing to be sure of", self.shown("--json").json["errors"]["warning"])

    def test_names_with_commas(self):
        self.write("commas.csv", csv(['"age, years"', "age", '"sugar,fasting,old"', "sugar", "noise", "y"], rows(60)))
        for names, wanted in {"age, years": [0], "age,age, years": [0, 1], "sugar,fasting,old,noise": [2, 4], "sugar,age": [1, 3]}.items():
            self.succeeds("fit", "commas.csv", "-k", "3", "-q", "--errors-of", names, "-o", "model.json")
            self.assertEqual(json.loads(self.read("model.json"))["unpenalised"], wanted, names)
        self.refuses(USAGE, ["'fasting'", "no attribute"], "fit", "commas.csv", "-k", "3", "--errors-of", "sugar,fasting")

    def test_tune_has_errors_of_the_winner(self):
        said = self.succeeds("tune", "data.csv", "-k", "3", "--algorithm", "lasso", "-q", "--errors", "-o", "model.json").out
        self.assertIn("weights have a 90% interval without 0", said)
        self.assertEqual(len(json.loads(self.read("model.json"))["errors"]["weights"]), 5)
        self.refuses(USAGE, ["errors-of"], "tune", "data.csv", "-k", "3", "--errors-of", "all")

    def test_what_can_not_have_errors_is_refused_before_anything_is_bought(self):
        self.write("few.csv", csv([*NAMES, "y"], rows(39)))
        self.refuses(DATA, ["errors need at least 40 examples", "39"], "fit", "few.csv", "-k", "3", "--errors")
        self.refuses(USAGE, ["aerr has no errors"], "fit", "data.csv", "-k", "3", "--errors", "--algorithm", "aerr")
        self.refuses(USAGE, ["'hair'", "no attribute"], "fit", "data.csv", "-k", "3", "--errors-of", "age,hair")
        self.refuses(USAGE, ["--errors or --checkpoint, not both"], "fit", "data.csv", "-k", "3", "--errors", "--algorithm",
                     "auto", "--checkpoint", "c.json")
        self.succeeds("fit", "data.csv", "-k", "3", "--algorithm", "auto", "-q", "--checkpoint", "c.json")
        self.refuses(USAGE, ["a checkpoint holds none"], "fit", "data.csv", "--resume", "c.json", "--errors")

    def test_a_budget_that_ends_early_leaves_a_model_without_errors(self):
        done = self.succeeds("fit", "data.csv", "-k", "3", "-q", "--errors", "--budget", "90", "-o", "model.json")
        self.assertIn("the model has no errors: errors need at least 40 examples to learn from, and there are 30", done.err)
        self.assertNotIn("errors", json.loads(self.read("model.json")))

    def test_a_checkpoint_of_gaussian_goes_on_to_the_same_errors(self):
        fit = ["fit", "data.csv", "-k", "3", "-q", "--algorithm", "gaussian"]
        self.succeeds(*fit, "--errors", "-o", "whole.json")
        self.succeeds(*fit, "--checkpoint", "c.json")
        self.succeeds("fit", "data.csv", "-q", "--resume", "c.json", "--errors", "-o", "model.json")
        self.assertEqual(self.read("model.json"), self.read("whole.json"))


class StudyErrors(StudyTest):
    def test_a_study_has_errors_from_its_own_answers(self):
        self.write("many.csv", csv([*NAMES, "y"], rows(60)))
        self.write("attributes.csv", "name\n" + "\n".join(NAMES) + "\n")
        for algorithm in ("auto", "gaussian", "moments"):
            with self.subTest(algorithm=algorithm):
                file = algorithm + ".study"
                self.study("create", file, "--attributes", "attributes.csv", "--target", "y", "-k", "3", "--algorithm", algorithm)
                self.study("import", file, "--csv", "many.csv")
                self.study("export", file, "-o", "plain.json")
                said = self.study("export", file, "-o", "model.json", "--errors").out
                self.assertIn("weights have a 90% interval without 0", said)
                with_errors, plain = json.loads(self.read("model.json")), json.loads(self.read("plain.json"))
                errors = with_errors.pop("errors")["weights"]
                self.assertTrue(all(e > 0 for e in errors))
                with_errors.pop("checksum"), plain.pop("checksum")
                self.assertEqual(with_errors, plain)
                self.succeeds("show", "model.json")
        self.study("export", "gaussian.study", "-o", "model.json", "--errors-of", "age,pulse")
        self.assertEqual(json.loads(self.read("model.json"))["unpenalised"], [0, 2])
        self.study("export", "gaussian.study", "-o", "again.json")
        self.study("verify", "gaussian.study")
        self.refuses(USAGE, ["can't be read unpenalised"], "study", "export", "auto.study", "-o", "x.json", "--errors-of", "age")
        self.refuses(USAGE, ["'hair'"], "study", "export", "gaussian.study", "-o", "x.json", "--errors-of", "hair")
        self.refuses(USAGE, ["--gaussian"], "study", "export", "gaussian.study", "-o", "x.json", "--errors", "--gaussian")

    def test_answers_that_were_asked_for_count_too(self):
        self.create("-k", "3")
        self.go_on(range(39))
        refused = run("study", "export", FILE, "-o", "x.json", "--errors", cwd=self.folder)
        self.assertEqual(refused.code, DATA)
        self.assertIn("errors need at least 40 examples to learn from, and there are 39", refused.err)
        self.go_on(range(39, 45))
        self.study("export", FILE, "-o", "model.json", "--errors")
        model = json.loads(self.read("model.json"))
        self.assertEqual(len(model["errors"]["weights"]), 6)
        self.verified()
