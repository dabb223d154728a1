"""What a curve is made of: parts to learn from and to judge on, points, and where they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
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
