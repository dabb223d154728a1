"""Learners of the user's own as entries of a curve: what they must have, and how they are run.

They see the data through a meter alone.  docs/your-own-algorithm.md has the protocol.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ._curve_parts import Judge, Parts, Point, marks_of
from ._errors import BudgetSpent, MisuseError
from ._metered import MeteredSource
from ._tables import is_arrow, is_sparse

_LIMITS = ("k", "budget", "costs", "budget_cost")


def _is_maker(entry: Any) -> bool:
    return inspect.isclass(entry) or (callable(entry) and not hasattr(entry, "ask") and not hasattr(entry, "fit"))


def _asks(learner: Any) -> bool:
    return callable(getattr(learner, "ask", None)) and callable(getattr(learner, "tell", None))


def dense_of(X: Any) -> np.ndarray:
    """A table as an array of doubles."""
    if is_sparse(X):
        return np.asarray(X.toarray(), dtype=np.float64)
    if is_arrow(X) and not hasattr(X, "to_numpy"):
        return np.column_stack([np.asarray(X.column(i), dtype=np.float64) for i in range(X.num_columns)])
    return np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=np.float64)


# ---- predictions -----------------------------------------------------------------


class _Judged(RegressorMixin, BaseEstimator):
    """A learner as metrics take it."""

    def __init__(self, learner: Any = None, label: str = "") -> None:
        self.learner, self.label = learner, label
        self.fitted_ = True

    def predict(self, X: Any) -> np.ndarray:
        X, learner = dense_of(X), self.learner
        if callable(getattr(learner, "predict", None)):
            found = np.asarray(learner.predict(X))
        elif not hasattr(learner, "coef"):
            raise TypeError(f"{self.label!r} has neither predict nor coef, so that it can't be judged")
        else:
            coef = np.asarray(learner.coef, dtype=np.float64)
            if coef.shape != (X.shape[1],):
                raise TypeError(
                    f"{self.label!r}: coef has the shape {coef.shape}, and there are {X.shape[1]} attributes"
                )
            found = X @ coef + float(getattr(learner, "intercept", 0.0))
        if found.shape != (len(X),):
            raise TypeError(f"{self.label!r}: predict gave an array of shape {found.shape} for {len(X)} examples")
        return found


class _JudgedClassifier(ClassifierMixin, _Judged):
    pass


# ---- an entry ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Own:
    """An entry of the user's own.  Its limits are read once, before it sees anything."""

    label: str
    entry: Any
    asks: bool
    k: Any
    budget: Any
    costs: Any
    budget_cost: Any

    @classmethod
    def of(cls, label: str, entry: Any, seed: int) -> Own:
        learner = entry(seed) if _is_maker(entry) else entry
        asks = _asks(learner)
        if not asks and not (callable(getattr(learner, "fit", None)) and hasattr(learner, "k")):
            raise TypeError(
                f"{label!r} is a {type(learner).__name__}, and curves are of scant's estimators and of learners with "
                "ask and tell, or with fit(source, y) and k: give others as references"
            )
        return cls(label, entry, asks, *(getattr(learner, name, None) for name in _LIMITS))

    def make(self, seed: int) -> Any:
        """A new one: made for this seed, or a copy."""
        learner = self.entry(seed) if _is_maker(self.entry) else copy.deepcopy(self.entry)
        if not (_asks(learner) if self.asks else callable(getattr(learner, "fit", None))):
            raise TypeError(f"{self.label!r} made a {type(learner).__name__} that does not learn as the first one did")
        return learner

    @property
    def budgeted(self) -> bool:
        return bool(self.budget or self.budget_cost)

    def points(self, parts: Parts, judge: Judge, points: int, seed: int, classes: bool) -> list[Point]:
        def judge_on_test(judged: Any) -> float:
            return judge(judged, parts.X_test, parts.y_test)

        run = _Run(self, dense_of(parts.X), np.asarray(parts.y), seed, classes, judge_on_test)
        return run.by_asking(points) if self.asks else run.by_fitting(points)


# ---- one run -------------------------------------------------------------------------


class _Metered:
    """A meter on some rows of a table, and a record of what was read past it."""

    def __init__(self, own: Own, X: np.ndarray, examples: list[int] | None, budget: Any, budget_cost: Any) -> None:
        self.own, self.rows, self.fetched = own, set[int](), 0

        def fetch(row: int, attributes: list[int]) -> np.ndarray:
            self.rows.add(row)
            self.fetched += len(attributes)
            values: np.ndarray = X[row, attributes]
            return values

        self.limits = budget, budget_cost
        self.source = MeteredSource(
            fetch,
            dimension=X.shape[1],
            examples=examples,
            k=own.k,
            budget=budget,
            costs=own.costs,
            budget_cost=budget_cost,
        )

    def check(self) -> None:
        """The ledger is that of the fetches, and within the limits that were set here."""
        source, (budget, budget_cost) = self.source, self.limits
        if self.fetched != source.purchases.sum():
            raise MisuseError(f"{self.own.label!r} has read attributes that it did not buy")
        if (budget is not None and source.attributes_bought > budget) or (
            budget_cost is not None and source.cost_spent > budget_cost
        ):
            raise MisuseError(f"{self.own.label!r} has bought more than its budget")


class _Run:
    def __init__(
        self, own: Own, X: np.ndarray, y: np.ndarray, seed: int, classes: bool, judge: Callable[[Any], float]
    ) -> None:
        self.own, self.X, self.y, self.seed, self.classes, self.judge = own, X, y, seed, classes, judge
        self.order = [int(row) for row in np.random.default_rng(seed).permutation(len(y))]

    def _point(self, learner: Any, metered: _Metered, examples: int) -> Point:
        metered.check()
        judged = (_JudgedClassifier if self.classes else _Judged)(learner, self.own.label)
        if self.classes:
            judged.classes_ = np.unique(self.y)
        nan, source = float("nan"), metered.source
        return Point(examples, source.attributes_bought, source.cost_spent, self.judge(judged), nan, nan)

    # ---- ask and tell

    def _attributes(self, look: Any, metered: _Metered) -> list[int]:
        """What a look asks for; an error if it is no list of different attributes, or more than k."""
        label, d = self.own.label, self.X.shape[1]
        wanted = getattr(look, "attributes", look)
        try:
            attributes = [operator.index(i) for i in wanted]
        except TypeError:
            raise TypeError(
                f"{label!r}: ask gave {look!r}, which is neither a sequence of attributes nor has .attributes"
            ) from None
        if any(not 0 <= i < d for i in attributes) or len(set(attributes)) < len(attributes):
            raise ValueError(f"{label!r} asked for {attributes}: different attributes from 0 to {d - 1} can be bought")
        prices = metered.source._prices
        looks = len(attributes) if prices is None else prices.charge(attributes)[0]
        if self.own.k is not None and looks > self.own.k:
            raise ValueError(f"{label!r} asked for {looks} attributes of an example, and its k is {self.own.k}")
        return attributes

    def by_asking(self, points: int) -> list[Point]:
        """One learner, judged on its way.  The last point is where it ended."""
        own, learner = self.own, self.own.make(self.seed)
        metered = _Metered(own, self.X, None, own.budget, own.budget_cost)
        guess = min(len(self.y), own.budget // own.k) if own.budget and own.k else len(self.y)
        marks, found, told = set(marks_of(points, own.budgeted)(max(1, guess))), dict[int, Point](), 0
        for row in self.order:
            look = learner.ask()
            attributes = self._attributes(look, metered)
            try:
                values = metered.source.buy(row, attributes)
            except BudgetSpent:
                break
            learner.tell(look, values, self.y[row])
            told += 1
            if told in marks:
                found[told] = self._point(learner, metered, told)
        if not told:
            raise BudgetSpent(f"{own.label!r}: its budget does not pay for one example")
        if told not in found:
            found[told] = self._point(learner, metered, told)
        return list(found.values())

    # ---- fit

    def by_fitting(self, points: int) -> list[Point]:
        """A learner anew for each point: with a part of the examples, or of the budget.  A part that pays for
        nothing has no point."""
        own, found = self.own, dict[int, Point]()
        for point in range(1, points + 1):
            count = len(self.order) if own.budgeted else -(-len(self.order) * point // points)
            budget = int(own.budget) * point // points if own.budget else None
            money = round(100 * own.budget_cost) * point // points / 100 if own.budget_cost else None
            if budget == 0 or money == 0:
                continue
            rows = self.order[:count]
            metered, learner = _Metered(own, self.X, rows, budget, money), own.make(self.seed)
            try:
                learner.fit(metered.source, self.y[rows])
            except BudgetSpent:
                pass  # it learned until then
            if metered.rows:
                found[len(metered.rows)] = self._point(learner, metered, len(metered.rows))
        if not found:
            raise BudgetSpent(f"{own.label!r} has bought nothing" + (" with its budget" if own.budgeted else ""))
        return list(found.values())
