"""What a curve is made of: parts to learn from and to judge on, points and where they are, what it is judged by, and
what it is held against: models that see every attribute of every example."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.metrics import accuracy_score, get_scorer, mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from . import _library as c


@dataclasses.dataclass(frozen=True)
class Parts:
    """What is learned from and what is judged on."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


@dataclasses.dataclass(frozen=True)
class Point:
    examples: int
    attributes: int
    money: float
    error: float
    risk: float
    risk_error: float


def rows_of(table: Any, rows: np.ndarray) -> Any:
    if hasattr(table, "column_names") and hasattr(table, "take"):  # pyarrow's, which older scikit-learns cannot index
        return table.take(rows)
    return _safe_indexing(table, rows)


def split_of(whole: Parts, test_size: Any, seed: int, classes: bool) -> Parts:
    if whole.X_test is not None:
        return whole
    stratify = whole.y if classes else None
    train, test = train_test_split(np.arange(len(whole.y)), test_size=test_size, random_state=seed, stratify=stratify)
    X, y = whole.X, whole.y
    return Parts(rows_of(X, train), rows_of(y, train), rows_of(X, test), rows_of(y, test))


def marks_of(points: int, budgeted: bool) -> Callable[[int], list[int]]:
    """The numbers of examples to stop at, of the number that a fit will take.

    How many examples a budget pays for is only guessed when the fit begins: then there are four
    stops for each point, beyond the guess too, and the means leave some of them out.
    """
    steps = points * (4 if budgeted else 1)
    count = steps * (4 if budgeted else 1)

    def of(horizon: int) -> list[int]:
        return [c.curve_step(c.EXAMPLES, horizon, steps, i) for i in range(count)]

    return of


# ---- metrics and references

Judge = Callable[[Any, Any, Any], float]


def judge_of(metric: Any, classes: bool) -> tuple[Judge, str]:
    """A function of a fitted estimator, X and y, and its name."""
    if metric is None and classes:
        return lambda fitted, X, y: 1 - float(accuracy_score(y, fitted.predict(X))), "error rate"
    if metric is None:
        return lambda fitted, X, y: float(mean_squared_error(y, fitted.predict(X))), "mean squared error"
    if isinstance(metric, str):
        score = get_scorer(metric)
        return lambda fitted, X, y: float(score(fitted, X, y)), metric.replace("_", " ")
    if not callable(metric):
        raise TypeError(f"metric={metric!r} is neither a name of scikit-learn's nor a function of y_true and y_pred")
    name = getattr(metric, "__name__", type(metric).__name__)
    return lambda fitted, X, y: float(metric(y, fitted.predict(X))), name.replace("_", " ").strip("<>")


def _default_references(classes: bool, sparse: bool) -> dict[str, Any]:
    """Linear models on standardised attributes, with penalties chosen by cross-validation."""
    penalties = np.logspace(-2, 6, 17)
    models: dict[str, Any]
    if classes:
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        strengths = {"C": np.logspace(-4, 2, 7)}
        models = {
            "RidgeClassifierCV": RidgeClassifierCV(penalties),
            "LogisticRegression": GridSearchCV(LogisticRegression(max_iter=2000), strengths, cv=folds),
        }
    else:
        folds = KFold(5, shuffle=True, random_state=0)
        models = {"RidgeCV": RidgeCV(penalties), "LassoCV": LassoCV(cv=folds, max_iter=5000)}
    return {
        label: make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(with_mean=not sparse), model)
        for label, model in models.items()
    }


def references_of(references: Any, classes: bool, sparse: bool) -> dict[str, Any]:
    if references is None:
        return {}
    if isinstance(references, str) and references == "default":
        return _default_references(classes, sparse)
    if not isinstance(references, Mapping) or not all(hasattr(each, "fit") for each in references.values()):
        raise TypeError("references is 'default', None or a mapping from labels to scikit-learn's estimators")
    return {str(label): each for label, each in references.items()}
