"""Weights with their standard errors: intervals, and a table to print."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._errors import UsageError
from ._showing import aligned

if TYPE_CHECKING:
    from ._model import Model

_SHRUNK = (
    'Weights are shrunk toward 0 by a penalty, a prior or a ball: a bias that errors do not show.  errors_of="all" '
    "(gaussian) reads them unpenalised."
)
_SOME = "Weights marked u were read unpenalised; the others are shrunk toward 0, a bias that errors do not show."
_LINE = 88


def _quantile(model: Model, level: float) -> float:
    if model.coef_error is None:
        raise UsageError("the model has no errors: fit with errors=True")
    if not 0 < level < 1:
        raise UsageError(f"level={level!r} is not between 0 and 1")
    return float(c.model_error_quantile(model._own, level))


def intervals(model: Model, level: float, intercept: bool) -> np.ndarray:
    """What :meth:`Model.conf_int` returns."""
    times = _quantile(model, level)
    middle, error = model.coef, model.coef_error
    assert error is not None
    if intercept:
        middle, error = np.r_[model.intercept, middle], np.r_[model.intercept_error, error]
    return np.column_stack([middle - times * error, middle + times * error])


def _probability(model: Model, t: float) -> float:
    """Of a t that is at least as far from 0: what is outside of the interval that ends there."""
    if math.isnan(t):
        return math.nan
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if c.model_error_quantile(model._own, middle) < abs(t):
            low = middle
        else:
            high = middle
    return 1 - low


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a summary."""

    name: str
    coef: float
    error: float
    t: float
    p: float  #: of a t as far from 0 if the weight were 0, by Student's t with 19 degrees of freedom
    low: float
    high: float
    purchases: int | None  #: None: the intercept
    unpenalised: bool

    @property
    def holds_zero(self) -> bool:
        """0 is inside the interval, or nothing is known of the weight."""
        return not (self.low > 0 or self.high < 0)


@dataclasses.dataclass(frozen=True, repr=False)
class Summary:
    """Weights with errors and intervals, the intercept first: prints as a table; ``rows`` has the numbers."""

    rows: tuple[Row, ...]
    level: float
    head: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    def to_frame(self) -> Any:
        """A pandas DataFrame of the rows."""
        import pandas

        return pandas.DataFrame([dataclasses.asdict(row) for row in self.rows]).set_index("name")

    def __str__(self) -> str:
        return _print(self)

    __repr__ = __str__


def _rows(model: Model, level: float) -> tuple[Row, ...]:
    bounds = intervals(model, level, intercept=True)
    names = model.names or [f"x{i}" for i in range(model.dimension)]  # as scikit-learn calls them
    assert model.coef_error is not None
    rows = []
    for i, name in enumerate(["intercept", *names]):
        of = i - 1
        coef = float(model.coef[of]) if i else model.intercept
        error = float(model.coef_error[of]) if i else model.intercept_error
        t = coef / error if error > 0 else math.nan
        rows.append(
            Row(
                name=name,
                coef=coef,
                error=error,
                t=t,
                p=_probability(model, t),
                low=float(bounds[i, 0]),
                high=float(bounds[i, 1]),
                purchases=int(model.purchases[of]) if i else None,
                unpenalised=bool(model.unpenalised[of]) if i else False,
            )
        )
    return tuple(rows)


def summary(model: Model, level: float) -> Summary:
    """What :meth:`Model.summary` returns."""
    ledger = model.ledger
    head = [
        ("algorithm", str(model.settings["algorithm"])),
        ("examples", f"{ledger['distinct_examples']:,}"),
        ("attributes bought", f"{ledger['attributes_bought']:,}"),
    ]
    if math.isfinite(model.risk):  # else no attribute varied
        head.append(("squared error by the looks", f"{model.risk:.5g} ± {model.risk_error:.2g}"))
    if ledger["money_spent"]:
        head.insert(3, ("money spent", f"{ledger['money_spent']:,.2f}"))
    notes = []
    if not model.unpenalised.all():
        notes.append(_SOME if model.unpenalised.any() else _SHRUNK)
    text = c.sentence_of(c.model_say, model._own, c.RARE_PAIRS)
    if text:
        notes.append(text[:1].upper() + text[1:] + ".")
    return Summary(_rows(model, level), level, tuple(head), tuple(notes))


# ---- the table ---------------------------------------------------------------


def _cell(x: float) -> str:
    return "" if math.isnan(x) else f"{x:.4g}"


def _print(of: Summary) -> str:
    tail = (1 - of.level) / 2
    head = ["", "coef", "std err", "t", "P>|t|", f"[{tail:.4g}", f"{1 - tail:.4g}]", "bought"]
    lines = [head]
    for row in of.rows:
        name = row.name + (" u" if row.unpenalised and not all(r.unpenalised for r in of.rows[1:]) else "")
        p = "" if math.isnan(row.p) else f"{row.p:.3f}"
        bought = "" if row.purchases is None else f"{row.purchases:,}"
        lines.append(
            [name, _cell(row.coef), _cell(row.error), _cell(row.t), p, _cell(row.low), _cell(row.high), bought]
        )
    body = aligned(lines)
    width = max(*map(len, body), 60)
    facts = [f"{name}: {value}" for name, value in of.head]
    notes = [part for note in of.notes for part in textwrap.wrap(note, max(width, _LINE))]
    return "\n".join(["=" * width, *facts, "=" * width, body[0], "-" * width, *body[1:], "=" * width, *notes])
