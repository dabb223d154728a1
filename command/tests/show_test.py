"""scant show: settings, ledger and the largest weights, by name."""
import re

from support import DIMENSION, K, CommandTest, Table, algorithms, npy


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
