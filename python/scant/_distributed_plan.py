"""Which blocks a distributed fit buys when, and the ledger of what it bought."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from . import _library as c
from ._prices import Prices

_LEAST = 20  # blocks of the first round

# ---- which blocks, when ----------------------------------------------------------


def _mix(numbers: np.ndarray) -> np.ndarray:
    """SplitMix64 of each: the order of blocks must not depend on the version of a library."""
    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def order_of(rows: Sequence[int], seed: int) -> list[int]:
    """The blocks that have examples, in an order drawn from the seed."""
    blocks = np.flatnonzero(np.asarray(rows, dtype=np.int64) > 0)
    keys = _mix(_mix(np.full(1, seed, dtype=np.uint64)) ^ blocks.astype(np.uint64))
    return [int(block) for block in blocks[np.argsort(keys, kind="stable")]]


def within(order: Sequence[int], rows: Sequence[int], k: int, budget: int | None) -> list[int]:
    """The blocks that a budget of attributes pays for; the first one that it does not is the end."""
    taken, left = [], math.inf if budget is None else budget
    for block in order:
        left -= rows[block] * k
        if left < 0:
            break
        taken.append(block)
    return taken


def rounds_of(order: Sequence[int], dimension: int, k: int) -> list[list[int]]:
    """The blocks of each round: the first sees each attribute some three times, then each doubles what there is."""
    first = max(_LEAST, -(-3 * dimension // k))
    ends = [min(first, len(order))]
    while ends[-1] < len(order):
        end = 2 * ends[-1]
        if k >= dimension or 2 * (len(order) - end) < end:  # nothing to learn from, or a rest that is no round
            end = len(order)
        ends.append(end)
    return [list(order[begin:end]) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


# ---- the ledger ------------------------------------------------------------------


class Account:
    """What was bought, by block: whoever reports a block twice is charged once."""

    def __init__(self, dimension: int, prices: Prices | None) -> None:
        self.dimension, self.prices = dimension, prices
        self.lines: dict[
            int, list[int]
        ] = {}  # block: rows, attributes of each, missing, bytes, attributes charged, money
        self.purchases = np.zeros(dimension, dtype=np.uint64)

    def charge(self, lines: Sequence[Sequence[int]], looks: dict[int, np.ndarray]) -> None:
        for block, rows, count, missing, read in lines:
            if block in self.lines:
                continue
            charged, money = (count, 0) if self.prices is None else self.prices.charge(looks[block].tolist())
            self.lines[block] = [rows, count, missing, read, charged * rows, money * rows]
            self.purchases[looks[block]] += np.uint64(rows)

    def _sum(self, at: int) -> int:
        return sum(line[at] for line in self.lines.values())

    @property
    def examples(self) -> int:
        return self._sum(0)

    @property
    def missing(self) -> int:
        return self._sum(2)

    @property
    def bytes(self) -> int:
        return self._sum(3)

    @property
    def attributes(self) -> int:
        return self._sum(4)

    @property
    def money(self) -> int:
        return self._sum(5)

    def ledger(self) -> c.Ledger:
        return c.Ledger(
            examples=self.examples,
            distinct_examples=self.examples,
            looks_drawn=sum(line[0] * line[1] for line in self.lines.values()),
            attributes_bought=self.attributes,
            max_bought_per_example=max((line[1] for line in self.lines.values()), default=0),
            money_spent=self.money,
            missing_cells=self.missing,
        )
