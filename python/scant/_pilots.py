"""What a plan is made from: a table, a model or an estimator, or all that a study was told."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from . import _library as c
from ._errors import DataError, UsageError
from ._model import Model
from ._prices import Prices
from ._tables import Source, names_of, source_of


def _of_study(study: Any) -> tuple[Source, Prices | None]:
    """All that a study was told, and the prices of its catalogue."""
    prices = ctypes.c_void_p()
    with study._handle as handle:
        source = Source(lambda out: c.study_examples(handle, out, ctypes.byref(prices)), holds=True)
    if not prices.value:
        return source, None

    def give(out: Any) -> None:
        out._obj.value = prices.value

    return source, Prices(c.Owned(c.prices_free, give), source.dimension)


def _of_path(path: Any) -> Any:
    """A model file or an open study."""
    with open(path, "rb") as file:
        start = file.read(16)
    if start == b"SQLite format 3\0":
        from .study import Study

        return Study(path, mode="read")
    if not start.lstrip().startswith(b"{"):
        raise DataError(
            f"{os.fspath(path)!r} is neither a model file nor a study: read the data and give them as a table, with y"
        )
    return Model.load(path)


def pilot_of(X: Any, y: Any) -> tuple[Model | None, Source | None, Prices | None]:
    """A model, or a source with the prices of a study."""
    opened = None
    if isinstance(X, (str, os.PathLike)):
        X = opened = _of_path(X)
    try:
        from .study import Study

        study = isinstance(X, Study)
        if not study and isinstance(getattr(X, "model_", None), Model):  # an estimator that was fitted
            X = X.model_
        if study or isinstance(X, Model):
            if y is not None:
                raise TypeError("a model has its target: y goes with a table of examples")
            return (None, *_of_study(X)) if study else (X, None, None)
    finally:
        if opened is not None and not isinstance(opened, Model):
            opened.close()
    if y is None and hasattr(X, "fit"):
        raise UsageError("the pilot is an estimator that was not fitted: fit it, or give examples with y")
    if y is None:
        raise UsageError("the pilot has no target: give y, one for each example")
    return None, source_of(X, y, names_of(X)), None
