"""What the tests of distributed fits share: tables, engines that misbehave, and all that must be the same."""

import random

import numpy as np

from scant.distributed import InMemory, LocalEngine

ROWS, ATTRIBUTES, K = 20, 12, 4


def arrays(blocks=80, seed=0, holes=0.02, attributes=ATTRIBUTES, rows=ROWS):
    """Correlated attributes, of which the target depends on three; some values are missing."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(blocks * rows, attributes)) @ (np.eye(attributes) + 0.3)
    y = X[:, 0] - 2 * X[:, 3] + 0.5 * X[:, 7] + draw.normal(size=len(X))
    return np.where(draw.random(X.shape) < holes, np.nan, X), y


def table(blocks=80, part_blocks=16, **keywords):
    return InMemory(*arrays(blocks, **keywords), block_rows=ROWS, part_blocks=part_blocks)


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
