"""What a study hands out: plain records, which stay as they were."""

from __future__ import annotations

import dataclasses
import datetime
from typing import NamedTuple


@dataclasses.dataclass(frozen=True)
class Line:
    """An attribute of an order."""

    name: str
    unit: str | None
    price: float  #: of a group: at its first member, 0 at the others
    state: str  #: ordered, told, or missing: it can't be measured
    value: float | None
    probability: float | None  #: of one draw, as it was when it was asked for; None: no single draws, and not certain
    ordered: bool = dataclasses.field(default=False, repr=False)  #: it was not told yet
    note: str | None = None  #: why it is missing, or "confirmed" if it is unusual
    second: str | None = None  #: agrees or differs; None: it was not entered a second time
    second_value: float | None = None  #: as it was entered then; None: missing, or not entered
    second_note: str | None = None


@dataclasses.dataclass(frozen=True)
class Order:
    """What to measure of an example, and what has come back."""

    number: int
    example: str
    state: str  #: issued, partly told, told, learned, cancelled, expired, failed or erased
    lines: tuple[Line, ...]
    price: float  #: of all lines: reserved when it was asked for
    spent: float  #: of that, by now
    y: float | None
    asked_at: datetime.datetime
    asked_by: str | None  #: who asked
    reason: str | None  #: of an order that failed
    age: int  #: examples learned between asking and learning (until now, if it was not learned)
    second: str | None = None  #: of the target: as of a :class:`Line`
    second_y: float | None = None
    second_needed: bool = False  #: it is learned only when all second entries agree
    extras: dict[str, float | None] = dataclasses.field(default_factory=dict)  #: measured without being ordered

    @property
    def names(self) -> list[str]:
        """What was ordered."""
        return [line.name for line in self.lines]

    @property
    def left(self) -> list[str]:
        """What was ordered and not told yet."""
        return [line.name for line in self.lines if line.ordered]


class Difference(NamedTuple):
    """A value that was entered twice, and not the same: a number, or "missing", maybe with its reason."""

    name: str
    first: float | str
    second: float | str


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How what was told of an example compares with its second entries."""

    agree: int  #: values that were entered twice, and the same
    once: int  #: values that were told and not entered a second time yet
    same_hand: int  #: of those entered now, told by the same person the first time
    differences: tuple[Difference, ...]


@dataclasses.dataclass(frozen=True)
class Outlook:
    """How far it is to a squared error, by simulated studies."""

    error: float  #: that is wanted
    more: int | None  #: examples that are still to come; None: most of the simulated studies do not come to it
    examples: int | None  #: in all, from the first: the median
    learned: int  #: so far, those of the past included
    k: int  #: attributes per example that were simulated
    runs: int  #: simulated studies
    reached: int  #: those of them that come to it


@dataclasses.dataclass(frozen=True)
class Forecast:
    """What the next orders of a study may cost, by simulated ones; money in whole units."""

    draws: int  #: orders that were simulated
    least: float  #: the price of one, and so on
    mean: float
    most: float
    attributes_mean: float  #: what one counts for ``budget``
    attributes_most: int
    left: float | None  #: of ``budget_cost``; None: there is no limit
    attributes_left: int | None  #: of ``budget``; None: there is no limit
    chance: dict[str, float]  #: how likely an order is to have each attribute


@dataclasses.dataclass(frozen=True)
class Status:
    """What a study has come to; money in whole units."""

    events: int  #: in the ledger
    orders: int
    open: int  #: issued, partly told or told
    learned: int
    cancelled: int
    expired: int
    failed: int
    erased: int
    differ: int  #: values, targets included, whose second entry differs, whatever became of their orders
    unswept: bool  #: bytes of what was erased may still be in the file: see :meth:`Study.sweep`
    imported: int
    attributes_bought: int
    spent: float
    reserved: float
    budget: float | None  #: None: no limit
    attributes_budget: int | None  #: None: no limit
    attributes_reserved: int  #: bought, or in open orders
    risk: float  #: estimated from the looks; NaN: not known yet
    risk_error: float
    mean_age: float  #: examples learned between asking and learning
    most_age: int
    outlook: Outlook | None = None  #: if ``until_error`` was given


@dataclasses.dataclass(frozen=True)
class Traces:
    """What a study holds, or held, of an example; money in whole units."""

    events: int  #: of the ledger
    orders: int
    order: int | None  #: the number of the last of them
    open: int  #: orders that are
    imported: bool
    spent: float  #: for it: that stays counted
    refunded: float  #: what its open orders reserve: an erasure gives it back
    attributes: int  #: that its open orders reserve: an erasure gives them back
    looks: int  #: of other examples, drawn since its first event: they stay, and are taken as given
    unknown: int  #: of these, how many have chances that nobody can know after an erasure
    mentions: int  #: events of other examples whose reason holds the name: they stay as they are
    unswept: bool  #: after an erasure: its bytes are still in the file or its log; see :meth:`Study.sweep`


@dataclasses.dataclass(frozen=True)
class Event:
    """One event of the ledger; money in whole units."""

    sequence: int  #: from 1, without holes
    at: datetime.datetime
    kind: str
    by: str | None  #: who
    via: str | None  #: through what
    erased: bool  #: somebody was erased: example, reason and values are gone
    example: str | None
    order: int | None
    attributes: int  #: by how much it changed the number of attributes bought or ordered,
    reserved: float  #: what is reserved,
    spent: float  #: and what is spent
    reason: str | None
    learned: bool  #: the learner learned from it
    told: dict[str, float | None]  #: values, None where one can't be measured
    checksum: int  #: of this event and those before it
    notes: dict[str, str] = dataclasses.field(default_factory=dict)  #: why values are missing, or "confirmed"


@dataclasses.dataclass(frozen=True)
class Proof:
    """What :meth:`Study.verify` found to be right."""

    events: int
    orders: int
    same_build: bool  #: the learner that is kept was made by this build
    same_bits: bool  #: the replayed one is the same bit for bit
    difference: float  #: else the largest relative difference of a weight


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A copy of a study that is never written to again."""

    name: str
    at: datetime.datetime | None  #: when it was taken,
    by: str | None  #: and by whom
    events: int  #: in its ledger
    checksum: int  #: of the last of them
    sha256: str  #: of the file, as sha256sum has it


class Purchase(NamedTuple):
    """How often an attribute was measured, and for how much (of a group: at its first member)."""

    times: int
    money: float


class Prediction(NamedTuple):
    """A prediction, and the interval that holds y with the probability that was asked for."""

    mean: float
    low: float
    high: float
