"""Predictions where values are missing, recomputed here from the model's means."""
import math

from holes import POLICIES, HolesTest
from support import DIMENSION, K, for_each_row, predict, score


class MissingPredict(HolesTest):
    def filled(self, x, model):
        return [model["means"][j] if math.isnan(v) else v for j, v in enumerate(x)]

    def check_predictions(self, model):
        other = self.punched(25, seed=3)
        for words in self.files_of(other, "other"):
            out = self.succeeds("predict", "model.json", words[0]).out.split()
            wanted = [predict(model, self.filled(x, model)) for x in other.x]
            self.assertEqual(len(out), 25)
            for a, b in zip(out, wanted):
                self.assertAlmostEqual(float(a), b, delta=1e-12)
            printed = self.succeeds("eval", "model.json", *words, "--json").json
            for field, value in score(wanted, other.y).items():
                if value is not None:
                    self.assertAlmostEqual(printed[field], value, delta=1e-12)

    @for_each_row
    def test_predictions_take_the_means(self, row, options):
        if row.name == "gaussian":  # predicts from the values that are there: few_test
            return
        for policy in POLICIES:
            model = self.fit("data.csv", *options, *row.only("--center"), "--missing", policy)[1]
            self.assertEqual(len(model["means"]), DIMENSION)
            self.check_predictions(model)

    def test_predictions_of_references_take_the_means(self):
        for name in ("full-ridge", "full-lasso", "full-svr"):
            self.check_predictions(self.fit("data.csv", "--algorithm", name, "--radius", "0.3")[1])

    def test_the_means_are_those_of_what_was_bought(self):
        for name in ("online-ridge", "full-ridge"):
            means = self.fit("data.csv", "--algorithm", name, "--examples", "25", "--no-shuffle")[1]["means"]
            for j, mean in enumerate(means):
                known = [x[j] for x in self.table.x[:25] if not math.isnan(x[j])]
                self.assertAlmostEqual(mean, math.fsum(known) / len(known), delta=1e-15)

    def test_a_test_part_may_have_holes(self):
        printed, model = self.fit("data.csv", *K, "--no-shuffle", "--split", "0.25", "--center")
        part = [self.filled(x, model) for x in self.table.x[30:]]
        wanted = score([predict(model, x) for x in part], self.table.y[30:])
        self.assertAlmostEqual(printed["test"]["squared_error"], wanted["squared_error"], delta=1e-12)
        other = self.punched(25, seed=3)
        self.write("test.csv", self.csv_of(other))
        printed, model = self.fit("data.csv", *K, "--test", "test.csv")
        wanted = score([predict(model, self.filled(x, model)) for x in other.x], other.y)
        self.assertAlmostEqual(printed["test"]["squared_error"], wanted["squared_error"], delta=1e-12)
