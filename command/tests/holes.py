"""Tables with missing values, for the tests of them."""
import math
import random

from support import DIMENSION, CommandTest, Table, csv, idx, npy

NAN = float("nan")
WORDS = ("", " ", "nan", "NaN", '""', "-nan")  # in a csv
POLICIES = ("skip-cell", "skip-example")


def missing_in(x):
    return [i for i, v in enumerate(x) if math.isnan(v)]


class HolesTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = self.punched(40, seed=1)
        self.write("data.csv", self.csv_of(self.table))

    @staticmethod
    def punched(rows, seed):
        """A table with holes: every third row is whole, of the others a fifth is missing."""
        table, draw = Table(rows, DIMENSION, seed), random.Random(seed)
        for i, x in enumerate(table.x):
            for j in range(DIMENSION):
                if i % 3 and draw.random() < 0.2:
                    x[j] = NAN
        return table

    @staticmethod
    def csv_of(table):
        draw = random.Random(5)
        rows = [[*(draw.choice(WORDS) if math.isnan(v) else v for v in x), y] for x, y in zip(table.x, table.y)]
        return csv([*table.names, "y"], rows)

    def files_of(self, table, name):
        """The same table in every format, as words of the command line."""
        flat = [v for x in table.x for v in x]
        self.write(f"{name}-y.npy", npy(table.y))
        self.write(f"{name}-y.idx", idx(table.y, (len(table.y),), 0x0E))
        return [[self.write(f"{name}.csv", self.csv_of(table))],
                [self.write(f"{name}.svm", table.libsvm())],
                [self.write(f"{name}.npy", npy(table.x)), "--labels", f"{name}-y.npy"],
                [self.write(f"{name}.idx", idx(flat, (len(table.y), DIMENSION), 0x0E)), "--labels", f"{name}-y.idx"]]
