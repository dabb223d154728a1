"""What a distributed fit was asked for, which blocks it buys when, and the ledger of what it bought."""

from __future__ import annotations

import decimal
import math
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _library as c
from .._errors import DataError, UsageError
from .._options import ALGORITHMS, OPTIONS, Settings, as_text, default_k, find_algorithm, value_of
from .._prices import Prices, prices_of
from .._tables import source_of
from . import _file
from ._blocks import Table

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


# ---- from the keywords of a fit to its terms, checked before anything is bought

_ALGORITHMS = tuple(row.name for row in ALGORITHMS.values() if row.sums)
_MINE = {"algorithm", "k", "seed", "clip", "budget", "budget_cost", "costs"}  # said by keywords of fit
_TAKEN = {"memory", "threads", "penalty", "norm", "like_units"}


@dataclass
class Terms:
    """What a fit was asked for."""

    algorithm: str
    k: int
    seed: int
    budget: int | None
    budget_cost: int | None  # hundredths
    clip: float | None
    settings: Settings
    options: dict[str, str]
    prices: Prices | None
    em: str
    checkpoint: str | None
    resume: bool


def _seed_of(state: Any, checkpoint: str | None, resume: bool) -> int:
    """The seed; without one, that of the checkpoint."""
    if isinstance(state, numbers.Integral) and not isinstance(state, bool):
        if not 0 <= int(state) < 2**64:
            raise UsageError(f"random_state={state!r} is not a whole number from 0 to 2^64 - 1")
        return int(state)
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**31))
    if isinstance(state, np.random.RandomState):
        return int(state.randint(2**31 - 1))
    if state is not None:
        raise UsageError(f"random_state={state!r} is neither a number nor a generator")
    if resume and checkpoint is not None and os.path.exists(checkpoint):
        return int(_file.read(checkpoint)[0]["settings"]["random_state"])
    return int(np.random.randint(2**31 - 1))


def _clip_of(clip: Any, algorithm: Any) -> float | None:
    """The number of standard deviations; None: nothing is clipped."""
    text = as_text(OPTIONS["clip"], algorithm.presets.get("clip", "none") if clip is None else clip)
    settings = Settings(algorithm=algorithm.name, clip=text)
    value = value_of(settings, "clip")
    return None if value == "none" else float(value)


def _k_of(k: Any, dimension: int, algorithm: Any) -> int:
    if k is None:
        return default_k(algorithm, dimension, {})
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or int(k) < algorithm.least_k:
        raise UsageError(f"k={k!r} is not a whole number of {algorithm.least_k} or more")
    if int(k) > dimension:
        raise UsageError(f"k={k} is more than the {dimension} attributes that there are")
    return int(k)


def _budget_of(budget: Any) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, numbers.Integral) or int(budget) < 0:
        raise UsageError(f"budget={budget!r} is not a whole number of attributes")
    return int(budget)


def _money_of(budget: Any, prices: Prices | None) -> int | None:
    """budget_cost in hundredths."""
    if budget is None:
        return None
    try:
        money = decimal.Decimal(str(budget)) * 100
        whole = int(money)
    except (decimal.InvalidOperation, OverflowError, ValueError):
        raise UsageError(f"budget_cost={budget!r} is not an amount of money") from None
    if isinstance(budget, bool) or money != whole or whole < 0:
        raise UsageError(f"budget_cost={budget!r} is not a whole number of hundredths of 0 or more")
    if prices is None:
        raise UsageError(f"budget_cost={budget!r} needs costs=, which say what each attribute costs")
    return whole


def _prices(costs: Any, names: Sequence[str]) -> Prices | None:
    source = None
    if isinstance(costs, str | bytes | os.PathLike):  # a file is read by the names of a source: one without values
        source = source_of(np.zeros((1, len(names))), names=list(names))
    prices = prices_of(costs, len(names), names, source)
    if prices is not None and prices.groups.any():
        raise UsageError("costs: groups that are bought together are not for blocks: give a price for each attribute")
    return prices


def terms_of(table: Table, algorithm: str, k: Any, checkpoint: Any, resume: bool, given: dict[str, Any]) -> Terms:
    """What was asked for, checked as far as it can be before anything is bought."""
    if algorithm not in _ALGORITHMS:
        raise UsageError(f"{algorithm} does not learn from sums of blocks: {' and '.join(_ALGORITHMS)} do")
    row = find_algorithm(algorithm)
    options = given.pop("options")
    for name in options:
        if name not in OPTIONS or name in _MINE or name not in _TAKEN:
            raise TypeError(f"fit() has no option {name!r} for a distributed fit")
        if OPTIONS[name].scope & 1 and name not in row.options and options[name] is not None:
            raise UsageError(f"{name} is no option of {row.name}")
    if not isinstance(resume, bool | np.bool_):
        raise UsageError(f"resume={resume!r} is neither True nor False")
    try:
        path = None if checkpoint is None else os.fsdecode(checkpoint)
    except TypeError:
        raise UsageError(f"checkpoint={checkpoint!r} is no path") from None
    if path is not None and os.path.isdir(path):
        raise UsageError(f"checkpoint={path!r} is a folder: name a file")
    if resume and path is None:
        raise UsageError("resume=True needs the checkpoint to go on from")
    if path is not None and not resume and os.path.exists(path):
        raise UsageError(f"there is a file {path!r} already: resume=True goes on from it; remove it to begin again")
    if given["em"] not in ("auto", "driver", "workers"):
        raise UsageError(f"em={given['em']!r} is none of 'auto', 'driver' and 'workers'")
    k = _k_of(k, len(table.names), row)
    prices = _prices(given["costs"], table.names)
    seed = _seed_of(given["random_state"], path, resume)
    clip = _clip_of(given["clip"], row)
    settings = Settings(algorithm=row.name, k=k, seed=seed, clip="none" if clip is None else clip, **options)
    c.settings_resolve(settings)
    decides = {name: str(value_of(settings, name)) for name in options if name not in ("threads", "memory")}
    return Terms(
        algorithm=row.name,
        k=k,
        seed=seed,
        budget=_budget_of(given["budget"]),
        budget_cost=_money_of(given["budget_cost"], prices),
        clip=clip,
        settings=settings,
        options=decides,
        prices=prices,
        em=given["em"],
        checkpoint=path,
        resume=bool(resume),
    )
