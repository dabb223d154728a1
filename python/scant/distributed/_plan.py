"""Which blocks a distributed fit buys when, and the ledger of what it bought."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _library as c
from .._errors import DataError
from .._prices import Prices

_LEAST = 20  # blocks of the first round
_FEWEST, _OF_EACH = 20, 5  # targets, and those of each value, before two values are all that there are, as in any fit

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

    def __init__(self, rows: Sequence[int], dimension: int, prices: Prices | None) -> None:
        self.rows, self.dimension, self.prices = rows, dimension, prices
        # block: rows, attributes of each, missing, bytes, tally of targets, checksum, attributes in all, money
        self.lines: dict[int, list[Any]] = {}
        self.purchases = np.zeros(dimension, dtype=np.uint64)

    def price(self, block: int, look: np.ndarray) -> int:
        """Hundredths that a block will cost."""
        return 0 if self.prices is None else self.prices.charge(look.tolist())[1] * self.rows[block]

    def charge(self, lines: Sequence[Sequence[Any]], looks: dict[int, np.ndarray]) -> None:
        for block, rows, count, missing, read, tally, checksum in lines:
            if block in self.lines:
                if checksum != self.lines[block][5]:
                    raise DataError(
                        f"block {block} was bought before, and what came now is not what came then: did the data "
                        "change, or are they computed anew each time?"
                    )
                continue
            if rows != self.rows[block]:
                raise DataError(
                    f"block {block} of the table has {self.rows[block]} rows, and {rows} came when it was bought: did "
                    "the data change?"
                )
            money = 0 if self.prices is None else self.prices.charge(looks[block].tolist())[1]
            self.lines[block] = [rows, count, missing, read, tally, checksum, count * rows, money * rows]
            self.purchases[looks[block]] += np.uint64(rows)

    def two_values(self) -> list[float] | None:
        """The two values that all targets have; None: there are others, or too few to tell."""
        counts: dict[float, int] = {}
        for line in self.lines.values():
            if line[4] is None:
                return None
            for value, count in line[4]:
                counts[value] = counts.get(value, 0) + count
            if len(counts) > 2:
                return None
        told = len(counts) == 2 and sum(counts.values()) >= _FEWEST and min(counts.values()) >= _OF_EACH
        return sorted(counts) if told else None

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
        return self._sum(6)

    @property
    def money(self) -> int:
        return self._sum(7)

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
