"""What the tests share: small data, every row that this build has, and bits to compare."""

import json
import subprocess

import numpy as np

import scant

# Rows that learn example after example, and what they need beside their defaults with six attributes.
ROWS = [row.name for row in scant.algorithms() if row.available]
SOLVED = [row.name for row in scant.algorithms() if row.available and row.whole and row.dense]
WHOLE = [row.name for row in scant.algorithms() if row.available and row.whole]
STRICT = [row.name for row in scant.algorithms() if row.name in ROWS and row.strict and not row.whole]
DENSE = [row.name for row in scant.algorithms() if row.name in ROWS and row.dense]


def needs(row):
    """Keywords with which a row learns from six attributes."""
    return {} if row in WHOLE else {"k": 6 if row == "aesvr" else 4}


def streams(row):
    """Does it learn without knowing how many examples there will be?"""
    try:
        scant.Learner(row, dimension=6, **needs(row))
    except scant.UsageError:
        return False
    return True


STREAMS = [row for row in ROWS if streams(row)]


def table(rows=120, dimension=6, seed=0):
    """Examples with a target that depends on two attributes."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(rows, dimension))
    y = X[:, 0] - 0.5 * X[:, -1] + 0.1 * random.normal(size=rows)
    return X, y


def regressor(algorithm="auto", **keywords):
    return scant.LimitedRegressor(algorithm=algorithm, **{"random_state": 3, **keywords})


def bits(*things):
    """Whatever is equal to the bit has equal bits: arrays, numbers, mappings."""
    parts = []
    for thing in things:
        if isinstance(thing, dict):
            parts.append(json.dumps(thing, sort_keys=True).encode())
        else:
            array = np.asarray(thing)
            parts.append(str((array.dtype.kind, array.shape)).encode() + array.tobytes())
    return b"|".join(parts)


def learned(estimator):
    """All that a fit came to."""
    return bits(
        estimator.coef_,
        estimator.intercept_,
        estimator.purchases_,
        estimator.ledger_,
        estimator.risk_estimate_,
        estimator.risk_error_,
        estimator.n_iter_,
        estimator.model_.means,
    )


class Recorder:
    """An array behind a MeteredSource, and the cells that were fetched of it."""

    def __init__(self, X, **limits):
        self.X = np.asarray(X)
        self.cells = []
        rows, dimension = self.X.shape
        self.source = scant.MeteredSource(self.fetch, dimension=dimension, examples=rows, **limits)

    def fetch(self, example, attributes):
        self.cells += [(example, attribute) for attribute in attributes]
        return self.X[example, attributes]

    def bought(self):
        """True where a cell was fetched."""
        mask = np.zeros(self.X.shape, dtype=bool)
        for cell in self.cells:
            mask[cell] = True
        return mask


class Command:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words, refused=False):
        done = subprocess.run(
            [self.path, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
        )
        assert (done.returncode != 0) == refused, done.stderr
        return done.stderr if refused else done.stdout

    def fit(self, folder, X, y, *words):
        """The model that the command fits of arrays, as the JSON it wrote."""
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", np.asarray(y, dtype=np.float64))
        self("fit", folder / "X.npy", "--labels", folder / "y.npy", "-q", "-o", folder / "model.json", *words)
        return json.loads((folder / "model.json").read_text())
