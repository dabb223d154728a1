"""Plans: which K to take, and how much money a wanted error takes, by simulated fits from a pilot."""

from __future__ import annotations

import ctypes
import math
import numbers
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._errors import ScantError, UsageError, warn
from ._options import DEFAULT, Settings, count_of, find_algorithm
from ._pilots import pilot_of
from ._prices import hundredths, prices_of
from ._showing import _COLOURS, _new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

# A plan takes its own of these.
_ELSEWHERE = {"k", "passes", "shuffle", "split", "observed", "clip", "missing", "seed", "max_open", "errors_of"}


# Places in scant_plan_note.
_WARNINGS, _RARE, _WORSE, _NOTES = 2, 5, 6, 10


class Plan:
    """What :func:`plan` found.  It prints as a table.

    Attributes
    ----------
    k : int or None
        The K to take; the number of attributes stands for whole examples.  None: no K
        comes to the wanted error.
    budget_k : int or None
        The K to take for the budget, where there is a wanted error, too.
    worse_than_mean : bool
        With the budget no K is expected to be better than the mean of the target.
    warnings : list of str
        What else there is to know; each came as a ScantWarning, too.
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
        ks = [row["k"] for row in self.table] + [None]
        self.k, self.budget_k = ks[facts.recommended], ks[facts.recommended_budget]
        self.worse_than_mean = bool(facts.worse_than_mean)
        said = [c.sentence_of(c.plan_say, own, note) for note in range(_NOTES)]
        self._before, self._after = said[:_RARE], said[_RARE:]
        self.warnings = [sentence for sentence in said[_WARNINGS : _WORSE + 1] if sentence]
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
            {
                **{k: v for k, v in row.items() if k != "reach"},
                **{f"reach_{k}": v for k, v in row.get("reach", {}).items()},
            }
            for row in self.table
        ]
        return pandas.DataFrame(flat)

    def _table_words(self) -> list[str]:
        lines = [f"{'K':>8}  {'algorithm':<10} {'examples':>10} {self.unit:>12}   {'squared error':<24} {'R^2':>6}"]
        for row in self.table:
            error = f"{row['squared_error']:.4g}" + (f" +- {row['sd']:.2g}" if self.runs > 1 else "")
            taken = row["k"] == self.budget_k and not self.worse_than_mean
            lines.append(
                f"{row['k']:>8}  {row['algorithm']:<10} {row['examples']:>10.0f} {row['money']:>12.0f}   {error:<24} "
                f"{row['r2']:>6.3f}" + ("  <" if taken else "")
            )
        return lines

    def _reach_words(self) -> list[str]:
        lines = [f"for a squared error of {self.reach:.6g}, simulated up to {self.unit} {self.limit:.10g}:", ""]
        lines.append(f"{'K':>8}  {'algorithm':<10} {'examples':>10} {self.unit:>12}   runs that come to it")
        for row in self.table:
            found = row["reach"]
            reached = math.isfinite(found["money"]) and found["runs"] > 0
            needs = [f"{math.ceil(found[name])}" if reached else "-" for name in ("examples", "money")]
            line = (
                f"{row['k']:>8}  {row['algorithm']:<10} {needs[0]:>10} {needs[1]:>12}   {found['runs']} of {self.runs}"
            )
            lines.append(line + ("  <" if reached and row["k"] == self.k else ""))
        return lines

    def __repr__(self) -> str:
        parts = [[sentence for sentence in self._before if sentence]]
        if self.budgeted:
            parts.append(self._table_words())
        if self.reach:
            parts.append(self._reach_words())
        least = f"the least squared error, with full information: {self.least_squared_error:.4g}"
        if self.pilot_examples and self.runs > 1:
            least += f" +- {self.least_sd:.2g}"
        least += f"; of the mean alone: {self.target_variance:.4g}"
        parts.append([least, *(sentence for sentence in self._after if sentence)])
        return "\n\n".join("\n".join(part) for part in parts)

    def _line(self, i: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Money, errors and the band of a K: means with standard deviations; for a wanted error
        medians and ranges up to where half of the runs have come to it."""
        money, errors = self.money[i], self.errors[i].copy()
        if not self.reach:
            whole = ~np.isnan(errors).any(axis=0)
            money, errors = money[:, whole].mean(axis=0), errors[:, whole]
            mean, sd = errors.mean(axis=0), errors.std(axis=0, ddof=1) if self.runs > 1 else np.zeros(money.shape)
            return money, mean, mean - sd, mean + sd
        end = self.table[i]["reach"]
        for step in range(1, errors.shape[1]):  # runs that have come to it stay where they are
            ended = np.isnan(errors[:, step]) & (errors[:, step - 1] <= self.reach)
            errors[ended, step] = errors[ended, step - 1]
        points = []
        for paid, each in zip(money.T, errors.T, strict=False):
            if np.isnan(each).any() or np.isnan(paid).all():
                continue
            point = (np.nanmean(paid), np.median(each), each.min(), each.max())
            if point[1] > self.reach and not point[0] >= end["money"]:
                points.append(point)
        if end["runs"] and math.isfinite(end["money"]):
            points.append((end["money"], self.reach, self.reach, self.reach))
        found = np.array(points, dtype=float).reshape(-1, 4)
        return found[:, 0], found[:, 1], found[:, 2], found[:, 3]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the error against the money, a line for each K.  The K to take is bold, with a
        band of one standard deviation over the runs.  For a wanted error the lines are medians, and end
        where half of the runs have come to it; the band is the range of the runs.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        """
        ax = _new_axes() if ax is None else ax
        for i, row in enumerate(self.table):
            money, middle, low, high = self._line(i)
            if not money.size:
                continue
            taken = row["k"] == self.k
            label = f"K = {row['k']}" + (", whole" if row["k"] == self.dimension else "")
            colour = _COLOURS[i % len(_COLOURS)]
            ax.plot(money, middle, label=label, color=colour, linewidth=3 if taken else 1.5, marker="o", ms=3)
            if taken and self.runs > 1:
                ax.fill_between(money, low, high, color=colour, alpha=0.12, lw=0)
        ax.axhline(self.least_squared_error, label="least", color="#888888", linewidth=1)
        if self.reach:
            ax.axhline(self.reach, label="wanted", color="#333333", linewidth=1.5, linestyle="--")
        ax.set_xscale("log")
        ax.set_ylim(top=min(ax.get_ylim()[1], 1.1 * self.target_variance))
        ax.set_xlabel("attributes bought" if self.unit == "attributes" else "money")
        ax.set_ylabel("squared error")
        ax.legend(frameon=False)
        return ax


# ---- the function ---------------------------------------------------------------


def _whole(value: Any, name: str) -> int:
    return 0 if value is None else count_of(value, name)


def _list(k: Any, dimension: int) -> list[int]:
    """``"d"`` is the number of attributes, as in the command's list."""
    if k is None:
        return []
    listed = [k] if isinstance(k, (numbers.Integral, str)) else list(k)
    return [dimension if isinstance(each, str) and each == "d" else _whole(each, "k") for each in listed]


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
    k: int | str | Sequence[int | str] | None = None,
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
    X : table, Model, estimator, Study or path
        The pilot: examples, whole or with missing values; a model of ``gaussian``, or an
        estimator that has one; a study, with all that it was told; or the path of a model file or
        a study.
    y : targets
        Of a table.
    budget : int, optional
        Attributes that may be bought in all.
    budget_cost : float, optional
        Money that may be spent in all, where there are prices.
    reach : float, optional
        The wanted squared error.  Fits go on until they come to it, or until the budget has doubled
        four times.  Without one they begin with the money for 20 whole examples, and end when that
        has doubled seven times, or at 20,000 examples.
    k : int, "d" or sequence of them, optional
        The K to compare, ascending; the number of attributes, or "d", is whole examples.  Default: 2,
        4, 8, ... and that.
    costs : sequence, mapping or path, optional
        What each attribute costs, as for the estimators; default: those of the model or the
        study, if it has some.
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
    model, source, known = pilot_of(X, y)
    if model is not None:
        dimension, names = model.dimension, model.names
    else:
        assert source is not None  # there is one of them
        dimension, names = source.dimension, source.find_names()
    prices = prices_of(costs, dimension, names, source, None if model is None else model._own) or known
    address = prices._own.pointer if prices is not None else None
    if prices is None and model is not None:
        address = c.model_prices(model._own)
    paid = budget_cost is not None or (budget is None and address is not None)
    watch, listed = _Watch(callback), _list(k, dimension)
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
    made = Plan(own, request.reach, bool(request.budget), unit)
    for sentence in made.warnings:
        warn(sentence)
    return made
