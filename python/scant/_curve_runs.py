"""One run of a curve: every estimator and reference on one split."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from ._curve_parts import Parts, Point, marks_of, split_of
from ._fit import Progress
from ._own_learners import Own, dense_of
from ._prices import Prices, prices_of
from ._references import Judge


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
class Plan:
    """What each run does."""

    whole: Parts
    test_size: Any
    estimators: dict[str, Any]
    references: dict[str, Any]
    judge: Judge
    points: int
    classes: bool


def run_once(plan: Plan, seed: int, first: bool) -> tuple[dict[str, list[Point]], dict[str, list[Point]]]:
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
