"""Plans: which K to take, and how much money a wanted error takes, by simulated fits from a pilot."""

from __future__ import annotations

import ctypes
import math
import numbers
import operator
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._errors import ScantError, UsageError
from ._model import Model
from ._options import DEFAULT, Settings, find_algorithm
from ._prices import hundredths, prices_of
from ._showing import _COLOURS, _new_axes
from ._tables import Source, names_of, source_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

# A plan takes its own of these.
_ELSEWHERE = {"k", "passes", "shuffle", "split", "observed", "clip", "missing", "seed", "max_open", "errors_of"}


class Plan:
    """What :func:`plan` found.  It prints as a table.

    Attributes
    ----------
    k : int or None
        The K to take; the number of attributes stands for whole examples.  None: no K
        comes to the wanted error.
    table : list of dict
        For each K: ``k``, ``algorithm``; with a budget the means over the runs of
        ``examples``, ``attributes_bought``, ``money`` (labels included),
        ``squared_error``, its standard deviation ``sd``, ``r2``, ``regret`` (how much larger
        the error is than the least of the run, relative) and ``regret_error``; and with a
        wanted error ``reach``: a dict of ``runs`` that come to it, and the median
        ``examples`` and ``money`` (infinite if most runs don't), with the ``low`` and
        ``high`` of the runs' money.
    money, examples, errors : ndarray of shape (number of K, runs, steps)
        The points of every simulated fit; NaN where it has none.
    dimension, runs, pilot_examples, unknown_attributes : int
        ``pilot_examples`` is 0 for a model; unknown attributes are simulated as noise.
    shown, shown_error : float
        R^2 by held-out halves of the pilot, and its standard error; NaN for a model.
    strength, strength_error : float
        R^2 of full information, and its standard error (NaN: not known).
    target_variance, least_squared_error, least_sd : float
        The squared error of the mean alone, and that of full information: mean and
        standard deviation over the simulated worlds.
    limit : float
        Money (or attributes) up to which a wanted error was looked for.
    unit : {"attributes", "money"}
    """

    def __init__(self, own: c.Owned, reach: float, budgeted: bool, unit: str) -> None:
        facts = c.PlanFacts()
        c.plan_get_facts(own, ctypes.byref(facts))
        self.dimension, self.runs = int(facts.dimension), int(facts.runs)
        self.pilot_examples, self.unknown_attributes = int(facts.pilot_examples), int(facts.unknown)
        self.shown, self.shown_error = facts.shown, facts.shown_error
        self.strength, self.strength_error = facts.strength, facts.strength_error
        self.target_variance = facts.variance
        self.least_squared_error, self.least_sd = facts.least, facts.least_sd
        self.limit, self.unit, self.reach, self.budgeted = facts.limit, unit, reach, budgeted
        self.table = [self._row(own, i) for i in range(facts.k_count)]
        self.k = self.table[facts.recommended]["k"] if facts.recommended < facts.k_count else None
        shape = (facts.k_count, facts.runs, facts.steps)
        self.money, self.examples, self.errors = (np.full(shape, np.nan) for _ in range(3))
        point = c.PlanPoint()
        for place in np.ndindex(*shape):
            if c.plan_point_at(own, *place, ctypes.byref(point)):
                self.money[place] = point.money / 100
                self.examples[place] = point.examples
                self.errors[place] = point.error

    def _row(self, own: c.Owned, index: int) -> dict[str, Any]:
        entry = c.PlanEntry()
        c.plan_entry_at(own, index, ctypes.byref(entry))
        row: dict[str, Any] = {"k": int(entry.k), "algorithm": entry.algorithm.decode()}
        if self.budgeted:
            row |= {
                "examples": entry.examples,
                "attributes_bought": entry.attributes,
                "money": entry.money,
                "squared_error": entry.error,
                "sd": entry.sd,
                "r2": entry.r2,
                "regret": entry.regret,
                "regret_error": entry.regret_error,
            }
        if self.reach:
            row["reach"] = {
                "runs": int(entry.reached),
                "examples": entry.reach_examples,
                "money": entry.reach_money,
                "low": entry.reach_low,
                "high": entry.reach_high,
            }
        return row

    def to_frame(self) -> DataFrame:
        """The table as one of pandas, a row for each K; columns of ``reach`` begin with ``reach_``."""
        import pandas

        flat = [
            {**{k: v for k, v in row.items() if k != "reach"}, **{f"reach_{k}": v for k, v in row.get("reach", {}).items()}}
            for row in self.table
        ]
        return pandas.DataFrame(flat)

    def __repr__(self) -> str:
        lines = [f"{'K':>8}  {'algorithm':<10}"]
        if self.budgeted:
            lines[0] += f" {'examples':>10} {self.unit:>12}   {'squared error':<22} {'R^2':>6}"
        if self.reach:
            lines[0] += f" {'examples':>10} {self.unit:>12} for {self.reach:.4g}"
        for row in self.table:
            line = f"{row['k']:>8}  {row['algorithm']:<10}"
            if self.budgeted:
                error = f"{row['squared_error']:.4g} +- {row['sd']:.2g}"
                line += f" {row['examples']:>10.0f} {row['money']:>12.0f}   {error:<22} {row['r2']:>6.3f}"
            if self.reach:
                found = row["reach"]
                line += f" {found['examples']:>10.0f} {found['money']:>12.0f}" if math.isfinite(found["money"]) else " -"
            lines.append(line + ("  <" if row["k"] == self.k else ""))
        lines.append(f"full information: {self.least_squared_error:.4g}; the mean alone: {self.target_variance:.4g}")
        lines.append("no K comes to the wanted error" if self.k is None else f"take K = {self.k}")
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the error against the money, a line for each K with a band of one standard
        deviation over the runs; the K to take is bold.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        """
        ax = _new_axes() if ax is None else ax
        for i, row in enumerate(self.table):
            whole = ~np.isnan(self.errors[i]).any(axis=0)
            money, errors = self.money[i][:, whole].mean(axis=0), self.errors[i][:, whole]
            if not money.size:
                continue
            mean, sd = errors.mean(axis=0), errors.std(axis=0, ddof=1) if self.runs > 1 else 0
            label = f"K = {row['k']}" + (", whole" if row["k"] == self.dimension else "")
            colour = _COLOURS[i % len(_COLOURS)]
            ax.plot(money, mean, label=label, color=colour, linewidth=3 if row["k"] == self.k else 1.5, marker="o", ms=3)
            ax.fill_between(money, mean - sd, mean + sd, color=colour, alpha=0.12, lw=0)
        ax.axhline(self.least_squared_error, label="least", color="#888888", linewidth=1)
        if self.reach:
            ax.axhline(self.reach, label="wanted", color="#333333", linewidth=1.5, linestyle="--")
        ax.set_xscale("log")
        ax.set_ylim(top=min(ax.get_ylim()[1], 1.1 * self.target_variance))
        ax.set_xlabel("attributes bought" if self.unit == "attributes" else "money")
        ax.set_ylabel("squared error")
        ax.legend(frameon=False)
        return ax


# ---- the pilot -----------------------------------------------------------------


def _of_path(path: Any) -> Model:
    """A model file or a study."""
    with open(path, "rb") as file:
        start = file.read(16)
    if start == b"SQLite format 3\0":
        from .study import Study

        with Study(path, mode="read") as study:
            return study.gaussian()
    return Model.load(path)


def _pilot(X: Any, y: Any) -> tuple[Model | None, Source | None, int, list[str] | None]:
    """A model or a source, with its dimension and names."""
    if c.HAS_STUDY and type(X).__module__.startswith("scant"):
        from .study import Study

        X = X.gaussian() if isinstance(X, Study) else X
    if isinstance(X, (str, os.PathLike)):
        X = _of_path(X)
    if isinstance(X, Model):
        if y is not None:
            raise TypeError("a model has its target: y goes with a table of examples")
        return X, None, X.dimension, X.names
    if y is None:
        raise UsageError("the pilot has no target: give y, one for each example")
    names = names_of(X)
    source = source_of(X, y, names)
    return None, source, source.dimension, names


# ---- the function ---------------------------------------------------------------


def _whole(value: Any, name: str) -> int:
    if value is None:
        return 0
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1 or isinstance(value, bool):
        raise UsageError(f"{name}={value!r} is not a number of 1 or more")
    return count


def _list(k: Any) -> list[int]:
    if k is None:
        return []
    listed = [k] if isinstance(k, numbers.Integral) else list(k)
    return [_whole(each, "k") for each in listed]


def _settings(algorithm: str, memory: Any, options: dict[str, Any]) -> Settings:
    taken = find_algorithm(algorithm)
    for name in options:
        if name in _ELSEWHERE or name not in taken.options:
            raise TypeError(f"plan() got an unexpected keyword argument {name!r}")
    return Settings(algorithm=algorithm, memory=memory, **options)


class _Watch:
    """Calls the user's function; what it raises stops the plan and comes out of it."""

    def __init__(self, callback: Callable[[float], Any] | None) -> None:
        self.callback = callback
        self.raised: BaseException | None = None
        self.function = c.PlanProgress(self.call)

    def call(self, _: Any, share: float) -> int:
        try:
            return int(self.callback is not None and self.callback(share) is True)
        except BaseException as raised:
            self.raised = raised
            return 1


def plan(
    X: Any,
    y: Any = None,
    *,
    budget: int | None = None,
    budget_cost: float | None = None,
    reach: float | None = None,
    k: int | Sequence[int] | None = None,
    costs: Any = None,
    label_cost: float = 0,
    examples: int | None = None,
    algorithm: str = DEFAULT,
    runs: int | None = None,
    random_state: int = 1,
    threads: int = 2,
    memory: float | None = None,
    callback: Callable[[float], Any] | None = None,
    **options: Any,
) -> Plan:
    """Which K to take, and how many examples and how much money a wanted error takes.

    From a pilot the joint Gaussian of attributes and target is fitted, examples are drawn from
    it, and the very learner is fitted to them with each K.  Its error in the simulated world is
    computed exactly.  It needs LAPACK, unless the pilot is a model.

    Parameters
    ----------
    X : table, Model, Study or path
        The pilot: examples, whole or with missing values; a model of ``gaussian``; a study;
        or the path of a model file or a study.
    y : targets
        Of a table.
    budget : int, optional
        Attributes that may be bought in all.
    budget_cost : float, optional
        Money that may be spent in all; an attribute costs 1 unless there are ``costs``.
    reach : float, optional
        The wanted squared error.  Fits go on until they come to it, or until the money has doubled
        four times.
    k : int or sequence of int, optional
        The K to compare, ascending; the number of attributes is whole examples.  Default: 2,
        4, 8, ... and that.
    costs : sequence, mapping or path, optional
        What each attribute costs, as for the estimators; default: those of the model, if it
        has some.
    label_cost : float
        What the target of an example costs, beside its attributes.
    examples : int, optional
        How many examples there can be.
    algorithm : str
    runs : int, optional
        Simulated fits of each K; default: up to ten, and as many as make 30 in all.
    random_state : int
        Same number, same plan as the command's ``--seed``.
    threads : int
        The results do not depend on it.
    memory : float, optional
        GiB that a dense algorithm may use.
    callback : callable, optional
        Called with the share that is done; returning True stops, and raises ScantError.
    **options
        Options of the algorithm.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import numpy as np, scant
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> y = X[:, 0] - X[:, 3] + rng.normal(size=80)
    >>> plan = scant.plan(X, y, budget=600, runs=2)
    >>> plan.k in (2, 4, 6)
    True
    >>> [row["k"] for row in plan.table]
    [2, 4, 6]
    """
    if budget is not None and budget_cost is not None:
        raise UsageError("give budget or budget_cost, not both")
    settings = _settings(algorithm, memory, options)
    model, source, dimension, names = _pilot(X, y)
    prices = prices_of(costs, dimension, names, source, None if model is None else model._own)
    address = prices._own.pointer if prices is not None else None
    if prices is None and model is not None:
        address = c.model_prices(model._own)
    paid = budget_cost is not None or (budget is None and address is not None)
    watch, listed = _Watch(callback), _list(k)
    request = c.PlanRequest(
        settings=settings._own.pointer,
        model=model._own.pointer if model is not None else None,
        pilot=source._own.pointer if source is not None else None,
        prices=address,
        k=(ctypes.c_uint64 * max(1, len(listed)))(*listed),
        k_count=len(listed),
        unit=c.MONEY if paid else c.ATTRIBUTES,
        budget=hundredths(budget_cost, "budget_cost") if budget_cost is not None else _whole(budget, "budget"),
        label_cost=hundredths(label_cost, "a label"),
        examples=_whole(examples, "examples"),
        reach=0 if reach is None else float(reach),
        runs=_whole(runs, "runs"),
        seed=operator.index(random_state),
        threads=_whole(threads, "threads"),
        progress=watch.function,
    )
    try:
        own = c.Owned(c.plan_free, c.plan_new, ctypes.byref(request))
        c.plan_run(own)
    except ScantError:
        if watch.raised is not None:
            raise watch.raised from None
        raise
    unit = "money" if (paid and address is not None) or label_cost else "attributes"
    return Plan(own, request.reach, bool(request.budget), unit)
