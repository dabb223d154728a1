"""Curves: how the error falls as attributes are bought, beside models that see all of them."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from sklearn.base import clone, is_classifier
    from sklearn.utils import check_random_state, indexable
    from sklearn.utils.parallel import Parallel, delayed
except ImportError as missing:
    raise ImportError("curves need scikit-learn 1.6 or later: pip install 'scant-learn[plot]'") from missing

from . import _showing
from ._curve_parts import Judge, Parts, Point, judge_of, marks_of, references_of, split_of
from ._errors import UsageError
from ._fit import Progress
from ._metered import MeteredSource
from ._options import count_of
from ._own_learners import Own, dense_of
from ._prices import Prices, prices_of
from ._tables import is_sparse
from .estimators._limited import Limited

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


def _labelled(estimators: Any, seed: int) -> dict[str, Any]:
    """The entries by their labels: scant's estimators, and learners of the user's own."""
    if not isinstance(estimators, Mapping):
        name = getattr(estimators, "algorithm", None)
        estimators = {name if isinstance(name, str) else type(estimators).__name__: estimators}
    if not estimators:
        raise ValueError("there is no estimator to draw a curve of")
    named = {}
    for label, each in estimators.items():
        named[str(label)] = each if isinstance(each, Limited) else Own.of(str(label), each, seed)
        if isinstance(each, Limited) and getattr(each, "average", None) == "half":
            raise UsageError(
                f"{label!r}: average='half' is of a fit whose end is known, and here one fit serves all points"
            )
    if len({is_classifier(each) for each in named.values() if isinstance(each, Limited)}) > 1:
        raise ValueError("regressors and classifiers have different errors: draw a curve of each kind")
    return named


# ---- one run: every estimator and reference on one split


def _points(estimator: Any, parts: Parts, judge: Judge, points: int) -> list[Point]:
    """One fit, judged on its way.  The last point is where it ended."""
    found: dict[int, Point] = {}

    def watch(now: Progress) -> Any:
        estimator._set_model(now.model())
        error = judge(estimator, parts.X_test, parts.y_test)
        found[now.examples] = Point(
            now.examples, now.attributes_bought, now.cost_spent, error, now.risk, now.risk_error
        )
        return estimator.callback(now) if estimator.callback else None

    budgeted = bool(estimator.budget or estimator.budget_cost)
    with estimator._watched(marks_of(points, budgeted), watch):
        estimator.fit(parts.X, parts.y)
    return list(found.values())


def _prices(estimators: Iterable[Any], entries: Iterable[Any], X: Any, dimension: int) -> Prices | None:
    """The costs of the first fitted estimator, or else of the first other entry, that has some, as attributes of X."""
    for fitted in estimators:
        if fitted.costs is not None:
            names = getattr(fitted, "feature_names_in_", None)
            listed = None if names is None else list(names)
            return prices_of(fitted.costs, fitted.n_features_in_, listed, fitted._source(X))
    for each in entries:
        if isinstance(each, Own) and each.costs is not None:
            return prices_of(each.costs, dimension, None)
    return None


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What each run does."""

    whole: Parts
    test_size: Any
    estimators: dict[str, Any]
    references: dict[str, Any]
    judge: Judge
    points: int
    classes: bool


def _run_once(plan: _Plan, seed: int, first: bool) -> tuple[dict[str, list[Point]], dict[str, list[Point]]]:
    """Every estimator and reference on the split of one seed; references once if there is no split."""
    parts = split_of(plan.whole, plan.test_size, seed, plan.classes)
    fitted, curves = {}, {}
    for label, each in plan.estimators.items():
        if isinstance(each, Own):
            curves[label] = each.points(parts, plan.judge, plan.points, seed, plan.classes)
        else:
            fitted[label] = clone(each).set_params(random_state=seed)
            curves[label] = _points(fitted[label], parts, plan.judge, plan.points)
    dimension = next(iter(fitted.values())).n_features_in_ if fitted else dense_of(parts.X).shape[1]
    prices = _prices(fitted.values(), plan.estimators.values(), parts.X_test, dimension)
    looks, money = (dimension, 0) if prices is None else prices.charge(range(dimension))
    rows, nan = len(parts.y), float("nan")
    alone = {}
    for label, each in plan.references.items() if first or plan.whole.X_test is None else ():
        error = plan.judge(clone(each).fit(parts.X, parts.y), parts.X_test, parts.y_test)
        alone[label] = [Point(rows, rows * looks, rows * money / 100, error, nan, nan)]
    return curves, alone


# ---- means over the runs -------------------------------------------------------


def _mean(runs: list[list[Point]], points: int, paid: bool) -> Curve:
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


def _first_seed(random_state: Any) -> int:
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _whole(X: Any, y: Any, X_test: Any, y_test: Any) -> Parts:
    if isinstance(X, MeteredSource) or isinstance(X_test, MeteredSource):
        raise TypeError("a curve takes several fits and reads its test part whole: a MeteredSource is for one fit")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test go together: one of them is missing")
    X, y = indexable(X, y)
    if X_test is not None:
        X_test, y_test = indexable(X_test, y_test)
    return Parts(X, y if hasattr(y, "iloc") else np.asarray(y), X_test, y_test)


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
        never changed.  An entry may also be a learner of your own, with ``ask`` and ``tell`` or with
        ``fit(source, y)``, or a function that makes one for a seed (docs/your-own-algorithm.md).
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
    first = _first_seed(random_state)
    named = _labelled(estimators, first)
    points, runs = count_of(points, "points"), count_of(runs, "runs")
    # learners of the user's own are judged as those beside them are
    classes = any(is_classifier(each) for each in named.values() if isinstance(each, Limited))
    judge, words = judge_of(metric, classes)
    beside = references_of(references, classes, is_sparse(X))
    twice = sorted(set(named) & set(beside))
    if twice:
        raise ValueError(f"{twice[0]!r} is the label of an estimator and of a reference")
    plan = _Plan(_whole(X, y, X_test, y_test), test_size, named, beside, judge, points, classes)
    done = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(_run_once)(plan, first + i, not i) for i in range(runs))
    paid = {label: each.costs is not None for label, each in named.items()}
    return BudgetCurve(
        {label: _mean([curves[label] for curves, _ in done], points, paid[label]) for label in named},
        {label: _mean([alone[label] for _, alone in done if alone], 1, any(paid.values())) for label in beside},
        words,
        runs,
    )
