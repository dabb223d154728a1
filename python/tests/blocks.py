"""What the tests of distributed fits share: tables, engines that misbehave, and all that must be the same."""

import random

import numpy as np

from scant.distributed import InMemory, LocalEngine, fit

ROWS, ATTRIBUTES, K = 20, 12, 4
ALGORITHMS = ("gaussian", "moments")
# Where sums stay with the workers moments goes the same way as gaussian, and asks a hundredth as often.
CASES = [("gaussian", "driver"), ("moments", "driver"), ("moments", "workers")]


def arrays(blocks=80, seed=0, holes=0.02, attributes=ATTRIBUTES, rows=ROWS):
    """Correlated attributes, of which the target depends on three; some values are missing."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(blocks * rows, attributes)) @ (np.eye(attributes) + 0.3)
    y = X[:, 0] - 2 * X[:, 3] + 0.5 * X[:, 7] + draw.normal(size=len(X))
    return np.where(draw.random(X.shape) < holes, np.nan, X), y


def table(blocks=80, part_blocks=16, **keywords):
    return InMemory(*arrays(blocks, **keywords), block_rows=ROWS, part_blocks=part_blocks)


def run(data=None, **keywords):
    return fit(data or table(), **{"k": K, "random_state": 3, "engine": LocalEngine(), **keywords})


def same(result):
    """All of a result that neither engine nor parts may change."""
    return {
        "coef": result.coef_.tobytes(),
        "intercept": result.intercept_.hex(),
        "risk": result.risk.hex(),
        "risk_error": result.risk_error.hex(),
        "purchases": result.purchases.tobytes(),
        "bought": (result.attributes_bought, result.bytes_read, result.money_spent, result.examples, result.blocks),
        "rounds": result.rounds,
        "model": result.model.__getstate__(),
    }


class Shuffled(LocalEngine):
    """Runs tasks in another order each time."""

    def __init__(self):
        super().__init__()
        self.random = random.Random(4)

    def _each(self, call, items):
        items = list(items)
        results = [None] * len(items)
        for at in self.random.sample(range(len(items)), len(items)):
            results[at] = call(items[at])
        return results


class Twice(LocalEngine):
    """Runs every task twice, as engines do that lost a result, and takes the second."""

    def _each(self, call, items):
        items = list(items)
        first = [call(item) for item in items]
        second = [call(item) for item in items]
        assert first == second
        self.retried += len(items)
        return second


class Failing(LocalEngine):
    """Each task fails so many times before it ends, and is tried again."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    def _each(self, call, items):
        results = []
        for item in items:
            for _ in range(self.times):
                call(item)  # a worker that is lost after its work
                self.retried += 1
            results.append(call(item))
        return results


class Stopped(Exception):
    pass


class StopsAfter(LocalEngine):
    """Is gone after so many calls."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def _each(self, call, items):
        if self.calls == 0:
            raise Stopped
        self.calls -= 1
        return super()._each(call, items)


class Recording(LocalEngine):
    """Remembers the looks of every task."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen
        self.labels = []

    def _note(self, tasks, label):
        self.labels.append(label)
        for task in tasks:
            for block, look in zip(getattr(task, "blocks", ()), getattr(task, "looks", ()), strict=True):
                assert block not in self.seen, "bought twice"
                self.seen[block] = look

    def map(self, function, tasks, shared=None, label=""):
        self._note(tasks, label)
        return super().map(function, tasks, shared, label)

    def keep(self, function, tasks, before=None, shared=None, label=""):
        self._note(tasks, label)
        return super().keep(function, tasks, before, shared, label)

    def reduce(self, function, merge, kept, shared=None, label=""):
        self.labels.append(label)
        return super().reduce(function, merge, kept, shared, label)


class Never(LocalEngine):
    """Nothing may be bought."""

    def _each(self, call, items):
        raise AssertionError("it was bought")
