"""Curves: how the error falls as attributes are bought, beside models that see all of them."""

from __future__ import annotations

import dataclasses
import numbers
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import train_test_split
    from sklearn.utils import _safe_indexing, check_random_state, indexable
    from sklearn.utils.parallel import Parallel, delayed
except ImportError as missing:
    raise ImportError("curves need scikit-learn 1.6 or later: pip install 'scant[plot]'") from missing

from . import _library as c, _showing
from ._errors import UsageError
from ._fit import Progress
from ._limited import Limited
from ._metered import MeteredSource
from ._prices import Prices, prices_of
from ._references import Judge, judge_of, references_of
from ._tables import is_sparse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

__all__ = ["BudgetCurve", "Curve", "budget_curve"]


# ---- what comes out ----------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Curve:
    """One line of a :class:`BudgetCurve`: arrays with an entry for each point, means over the
    runs.

    A reference is a curve of one point: every attribute of every training example.

    Attributes
    ----------
    attributes : ndarray
        Attributes bought, as the ledger counts them.
    examples : ndarray
        Examples learned from, over all passes.
    money : ndarray or None
        Money spent; None if there are no costs.
    error : ndarray
        The metric on the test part.
    error_se : ndarray
        The standard error of its mean over the runs; NaN for a single run.
    risk, risk_error : ndarray
        The squared error as the fit itself estimates it, from the looks alone, and the
        standard error of that estimate in one run; NaN while it is not known.  For
        classes it is of targets -1 and +1.
    errors : ndarray of shape (runs, points)
        The metric of each run.  Curves share their splits, so that differences of two may
        be taken run by run.
    """

    attributes: np.ndarray
    examples: np.ndarray
    money: np.ndarray | None
    error: np.ndarray
    error_se: np.ndarray
    risk: np.ndarray
    risk_error: np.ndarray
    errors: np.ndarray

    def __len__(self) -> int:
        return len(self.error)


class BudgetCurve:
    """What :func:`budget_curve` found.

    ``curve[label]`` is the :class:`Curve` of an estimator or a reference.

    Attributes
    ----------
    curves : dict of str to Curve
        For each estimator.
    references : dict of str to Curve
        For each reference, with a single point.
    metric : str
        What ``error`` is, in words.
    runs : int
    """

    def __init__(self, curves: dict[str, Curve], references: dict[str, Curve], metric: str, runs: int) -> None:
        self.curves = curves
        self.references = references
        self.metric = metric
        self.runs = runs

    def __getitem__(self, label: str) -> Curve:
        if label in self.curves:
            return self.curves[label]
        return self.references[label]

    def __iter__(self) -> Iterator[str]:
        yield from self.curves
        yield from self.references

    def __len__(self) -> int:
        return len(self.curves) + len(self.references)

    def to_frame(self) -> DataFrame:
        """All points as a pandas table: a row for each point of each curve."""
        import pandas

        parts = []
        for label in self:
            curve = self[label]
            columns: dict[str, Any] = {"label": label, "reference": label in self.references}
            for field in dataclasses.fields(Curve):
                if field.name != "errors":
                    values = getattr(curve, field.name)
                    columns[field.name] = np.full(len(curve), np.nan) if values is None else values
            parts.append(pandas.DataFrame(columns))
        return pandas.concat(parts, ignore_index=True)

    def __repr__(self) -> str:
        return _showing.table(self)

    def plot(self, against: str = "attributes", ax: Axes | None = None) -> Axes:
        """Draws the curves with bands of one standard error, and references as dashed lines.

        Parameters
        ----------
        against : {"attributes", "examples", "money"}
        ax : matplotlib Axes, optional
            Default: those of a new figure.

        Returns
        -------
        matplotlib Axes
            Across is logarithmic if one curve is much longer than another.
        """
        return _showing.plot(self, against, ax)


# ---- what is asked for ---------------------------------------------------------


def _labelled(estimators: Any) -> dict[str, Any]:
    if not isinstance(estimators, Mapping):
        estimators = {getattr(estimators, "algorithm", "?"): estimators}
    if not estimators:
        raise ValueError("there is no estimator to draw a curve of")
    for label, each in estimators.items():
        if not isinstance(each, Limited):
            raise TypeError(
                f"{label!r} is a {type(each).__name__}, and curves are of scant's estimators: give others as references"
            )
        if getattr(each, "average", None) == "half":
            raise UsageError(
                f"{label!r}: average='half' is of a fit whose end is known, and here one fit serves all points"
            )
    if len({is_classifier(each) for each in estimators.values()}) > 1:
        raise ValueError("regressors and classifiers have different errors: draw a curve of each kind")
    return {str(label): each for label, each in estimators.items()}


# ---- one run -----------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Parts:
    """What is learned from and what is judged on."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


@dataclasses.dataclass(frozen=True)
class _Point:
    examples: int
    attributes: int
    money: float
    error: float
    risk: float
    risk_error: float


def _rows_of(table: Any, rows: np.ndarray) -> Any:
    if hasattr(table, "column_names") and hasattr(table, "take"):  # pyarrow's, which older scikit-learns cannot index
        return table.take(rows)
    return _safe_indexing(table, rows)


def _split(whole: _Parts, test_size: Any, seed: int, classes: bool) -> _Parts:
    if whole.X_test is not None:
        return whole
    stratify = whole.y if classes else None
    train, test = train_test_split(np.arange(len(whole.y)), test_size=test_size, random_state=seed, stratify=stratify)
    X, y = whole.X, whole.y
    return _Parts(_rows_of(X, train), _rows_of(y, train), _rows_of(X, test), _rows_of(y, test))


def _marks(points: int, budgeted: bool) -> Callable[[int], list[int]]:
    """The numbers of examples to stop at, of the number that a fit will take.

    How many examples a budget pays for is only guessed when the fit begins: then there are four
    stops for each point, beyond the guess too, and _mean leaves some of them out.
    """
    steps = points * (4 if budgeted else 1)
    count = steps * (4 if budgeted else 1)

    def of(horizon: int) -> list[int]:
        return [c.curve_step(c.EXAMPLES, horizon, steps, i) for i in range(count)]

    return of


def _points(estimator: Any, parts: _Parts, judge: Judge, points: int) -> list[_Point]:
    """One fit, judged on its way.  The last point is where it ended."""
    found: dict[int, _Point] = {}

    def watch(now: Progress) -> Any:
        estimator._set_model(now.model())
        error = judge(estimator, parts.X_test, parts.y_test)
        found[now.examples] = _Point(
            now.examples, now.attributes_bought, now.cost_spent, error, now.risk, now.risk_error
        )
        return estimator.callback(now) if estimator.callback else None

    budgeted = bool(estimator.budget or estimator.budget_cost)
    with estimator._watched(_marks(points, budgeted), watch):
        estimator.fit(parts.X, parts.y)
    return list(found.values())


def _prices(estimators: Iterable[Any], X: Any) -> Prices | None:
    """The costs of the first fitted estimator that has some, as attributes of X."""
    for fitted in estimators:
        if fitted.costs is not None:
            names = getattr(fitted, "feature_names_in_", None)
            listed = None if names is None else list(names)
            return prices_of(fitted.costs, fitted.n_features_in_, listed, fitted._source(X))
    return None


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What each run does."""

    whole: _Parts
    test_size: Any
    estimators: dict[str, Any]
    references: dict[str, Any]
    judge: Judge
    points: int

    @property
    def classes(self) -> bool:
        return bool(is_classifier(next(iter(self.estimators.values()))))


def _run(plan: _Plan, seed: int, first: bool) -> tuple[dict[str, list[_Point]], dict[str, list[_Point]]]:
    """Every estimator and reference on the split of one seed; references once if there is no split."""
    parts = _split(plan.whole, plan.test_size, seed, plan.classes)
    fitted = {label: clone(each).set_params(random_state=seed) for label, each in plan.estimators.items()}
    curves = {label: _points(each, parts, plan.judge, plan.points) for label, each in fitted.items()}
    prices = _prices(fitted.values(), parts.X_test)
    dimension = next(iter(fitted.values())).n_features_in_
    looks, money = (dimension, 0) if prices is None else prices.charge(range(dimension))
    rows, nan = len(parts.y), float("nan")
    alone = {}
    for label, each in plan.references.items() if first or plan.whole.X_test is None else ():
        error = plan.judge(clone(each).fit(parts.X, parts.y), parts.X_test, parts.y_test)
        alone[label] = [_Point(rows, rows * looks, rows * money / 100, error, nan, nan)]
    return curves, alone


def _mean(runs: list[list[_Point]], points: int, paid: bool) -> Curve:
    """The means over the runs, at this many or some fewer of the points that all of them have, and
    at their ends."""
    by_mark = [{point.examples: point for point in run} for run in runs]
    common = [mark for mark in by_mark[0] if all(mark in run for run in by_mark)]
    every = max(1, -(-len(common) // points))
    stacked = [[run[mark] for run in by_mark] for mark in common[every - 1 :: every]]
    ends = [run[-1] for run in runs]
    if not stacked or stacked[-1] != ends:
        stacked.append(ends)

    def of(name: str) -> np.ndarray:
        return np.array([[float(getattr(point, name)) for point in of_runs] for of_runs in stacked]).T

    errors = of("error")
    spread = errors.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.full(len(stacked), np.nan)
    return Curve(
        attributes=of("attributes").mean(axis=0),
        examples=of("examples").mean(axis=0),
        money=of("money").mean(axis=0) if paid else None,
        error=errors.mean(axis=0),
        error_se=spread,
        risk=of("risk").mean(axis=0),
        risk_error=of("risk_error").mean(axis=0),
        errors=errors,
    )


# ---- the function ------------------------------------------------------------


def _count(value: Any, name: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1 or isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is not a number of 1 or more")
    return count


def _first_seed(random_state: Any) -> int:
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _whole(X: Any, y: Any, X_test: Any, y_test: Any) -> _Parts:
    if isinstance(X, MeteredSource) or isinstance(X_test, MeteredSource):
        raise TypeError("a curve takes several fits and reads its test part whole: a MeteredSource is for one fit")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test go together: one of them is missing")
    X, y = indexable(X, y)
    if X_test is not None:
        X_test, y_test = indexable(X_test, y_test)
    return _Parts(X, y if hasattr(y, "iloc") else np.asarray(y), X_test, y_test)


def budget_curve(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float | int = 0.2,
    points: int = 10,
    runs: int = 5,
    references: Any = "default",
    metric: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BudgetCurve:
    """The error on a test part as attributes are bought, beside what all attributes would give.

    Each run is one fit of each estimator, judged on its way: a curve costs one fit, not one
    for each point, and predictions for the test part at each.  A point is the fit of that
    many examples to the bit, unless the algorithm's step size depends on how many there will be:
    then it is that of the whole fit.

    The test part is read whole, outside any ledger, and nothing is chosen by it: curves
    are for judging a method on data that are there in full.

    Parameters
    ----------
    estimators : estimator of scant's, or mapping of label to estimator
        As they are to be fitted: with their ``k``, budgets and costs.  They are cloned,
        never changed.
    X, y : table and targets
        Whatever the estimators take, but no MeteredSource.
    X_test, y_test : optional
        A test part of its own.  Every run then learns from all of X, and runs differ in
        the order of the examples and in what is looked at.
    test_size : float or int
        Else, in each run, this share (or number) of the examples is held out at random;
        of classes, the same share of each.
    points : int
        Points of a curve, at equal steps of the number of examples; some more or fewer
        under a budget.
    runs : int
        Run i has the seed ``random_state + i``, for its split and for all estimators.
    references : "default", None or mapping of label to scikit-learn estimator
        What is fitted to every attribute of all training examples.  The default is
        RidgeCV and LassoCV, or for classes RidgeClassifierCV and LogisticRegression with
        a penalty chosen by cross-validation, on standardised attributes with means in
        place of missing values.  They are fitted in each run, or once if there is X_test.
    metric : None, str or callable
        None: mean squared error, or for classes the share of wrong ones.  A name of
        scikit-learn's scoring (``"r2"``), or ``metric(y_true, y_pred)``.
    random_state : int, RandomState or None
    n_jobs : int, optional
        Runs at once, in threads; the numbers are the same.

    Returns
    -------
    BudgetCurve
        It prints as a table, and has ``plot()`` and ``to_frame()``.  If a budget ends
        runs at different numbers of examples, a curve has the points that all of them
        have, and then the mean of their ends.

    Examples
    --------
    >>> import numpy as np, scant
    >>> X = np.random.default_rng(0).normal(size=(1000, 20))
    >>> y = X[:, 3] - 2 * X[:, 7]
    >>> curve = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=4), X, y, runs=2, references=None)
    >>> int(curve["auto"].examples[-1])
    800
    >>> bool(curve["auto"].error[-1] < curve["auto"].error[0])
    True
    """
    named = _labelled(estimators)
    points, runs = _count(points, "points"), _count(runs, "runs")
    classes = is_classifier(next(iter(named.values())))
    judge, words = judge_of(metric, classes)
    beside = references_of(references, classes, is_sparse(X))
    twice = sorted(set(named) & set(beside))
    if twice:
        raise ValueError(f"{twice[0]!r} is the label of an estimator and of a reference")
    plan = _Plan(_whole(X, y, X_test, y_test), test_size, named, beside, judge, points)
    first = _first_seed(random_state)
    done = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(_run)(plan, first + i, not i) for i in range(runs))
    paid = {label: each.costs is not None for label, each in named.items()}
    return BudgetCurve(
        {label: _mean([curves[label] for curves, _ in done], points, paid[label]) for label in named},
        {label: _mean([alone[label] for _, alone in done if alone], 1, any(paid.values())) for label in beside},
        words,
        runs,
    )
