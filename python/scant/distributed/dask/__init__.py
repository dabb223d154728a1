"""Estimators for Dask: linear models of tables that are larger than one machine, from a few attributes of each block.

  LimitedRegressor, LimitedClassifier
                  fit(X, y) of Dask arrays and dataframes, or fit(PATH, TARGET) of Parquet; predict is lazy
  DaskEngine      the engine for scant.distributed.fit

Tasks run on the cluster of the current ``distributed.Client``.  docs/clusters.md goes from a laptop to a cluster.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._engine import DaskEngine  # says what is missing without Dask

# isort: split
import dask.base
from dask.delayed import delayed

from ... import distributed as blocks
from ..._errors import DataError, MisuseError, UsageError
from ..._tables import unmasked
from ._table import check_block_rows, is_array, is_frame, is_series, signed, table_of, whole_rows
from ._workers import refuse_missing

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
except ImportError:
    from ._parameters import BaseEstimator, ClassifierMixin, RegressorMixin

_base: Any = dask.base  # of whose functions only some have types
_delayed: Any = delayed

__all__ = ["DaskEngine", "LimitedClassifier", "LimitedRegressor"]


def _is_path(X: Any) -> bool:
    if isinstance(X, str | os.PathLike):
        return True
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(path, str | os.PathLike) for path in X)


_DOC = """

    Parameters
    ----------
    k : int, optional
        Attributes that are bought of each block.  Default: a tenth of them, at least 2.
    algorithm : {"gaussian", "moments"}
    random_state : int, RandomState, Generator or None
        The seed; the same one gives the same bits, whatever the workers and partitions of the same blocks.
    budget : int, optional
        Attributes to buy at most: examples times K.
    clip : float or "none", optional
        Attributes are clipped to so many standard deviations around the mean, as the first round saw them.
    costs : sequence, mapping or path, optional
        What each attribute costs.
    budget_cost : float, optional
        Money to spend at most, at these costs.
    block_rows : int, optional
        Rows of a block, which share one look: each partition is cut into blocks of so many rows.  Default: such that
        there are 1,000 blocks, and no more than 4,096 rows in one.  Of Parquet row groups are the blocks, and it
        does not apply.
    em : {"auto", "driver", "workers"}
        Where the expectation steps run; the bits are the same.
    checkpoint : path, optional
        A file that is written after each round; with ``resume`` a fit goes on from it.
    resume : bool, default=False
    progress : callable or bool, optional
        Called with a ``scant.distributed.Progress``; True prints lines.
    memory, threads, penalty, norm, like_units : optional
        As in ``scant.LimitedRegressor``; memory and threads are those of the driver.
    timeout : float, default=600
        Seconds without any progress, or without a worker, after which a fit gives up with EngineError.

    Attributes
    ----------
    coef_, intercept_ : as in ``scant.{name}``
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has names.
    attributes_bought_, bytes_read_ : int
        What the ledger counts; a task that ran twice is charged once.
    money_spent_ : float
    tasks_retried_ : int
        Tasks that ran more than once, as far as Dask told.
    rounds_ : int
    risk_estimate_, risk_error_ : float
    seed_ : int
    model_ : scant.Model
        To save for the command, or to predict with.
    result_ : scant.distributed.Result
        Everything else.{more}
    """


# Keywords of scant.distributed.fit that are the estimator's own.
_OF_FIT = ("k", "algorithm", "random_state", "budget", "clip", "costs", "budget_cost", "em")


class _Limited(BaseEstimator):
    def _keep(self, keywords: dict[str, Any]) -> None:
        """Sets what a constructor was given, its locals(), as attributes."""
        self.__dict__.update({name: value for name, value in keywords.items() if name != "self"})

    # ---- fitting -------------------------------------------------------------

    def _fit(self, X: Any, y: Any, client: Any, classes: Any, of_files: dict[str, Any], **of_fit: Any) -> blocks.Result:
        """``of_fit`` are keywords of fit that stand before those of the estimator, unless they are None."""
        rows = check_block_rows(self.block_rows)
        if of_files and not _is_path(X):
            raise UsageError(f"{next(iter(of_files))} is a keyword for the paths of Parquet files, and X is no path")
        with DaskEngine(client, timeout=self.timeout) as engine:
            table = self._table(X, y, engine, rows, classes, of_files)
            names = ("memory", "threads", "penalty", "norm", "like_units")
            options = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
            told = {name: getattr(self, name) if value is None else value for name, value in of_fit.items()}
            own = {name: getattr(self, name) for name in _OF_FIT}
            return blocks.fit(table, engine=engine, **own, **told, **options)

    def _table(
        self, X: Any, y: Any, engine: DaskEngine, rows: int | None, classes: Any, of_files: dict[str, Any]
    ) -> Any:
        if y is None:
            raise UsageError(f"{type(self).__name__}.fit needs y: targets, or the name of the column that has them")
        if _is_path(X):
            return self._parquet(X, y, engine, classes, of_files)
        if is_array(X) or is_frame(X):
            return table_of(X, y, engine, rows, classes)
        if is_series(X):
            raise DataError("X is a series: a table has 2 or more columns")
        if isinstance(y, str):
            if not hasattr(X, "columns") or y not in X.columns:
                raise DataError(f"X has no column {y!r} for the target")
            X, y = X.drop(columns=y), X[y]
        if dask.base.is_dask_collection(y):
            raise UsageError(f"y is of Dask and X is {type(X).__name__}: both are, or none")
        target = str(getattr(y, "name", None) or "y")
        if classes is not None:
            labels = unmasked(y)
            refuse_missing(labels)
            y = np.where(labels == classes(np.unique(labels))[1], 1.0, -1.0)
        return blocks.InMemory(X, y, block_rows=rows, target=target)

    def _parquet(self, X: Any, y: Any, engine: DaskEngine, classes: Any, of_files: dict[str, Any]) -> Any:
        from .. import parquet

        if not isinstance(y, str):
            raise UsageError(f"X is a path, and y is {type(y).__name__}: it is the name of the column of the target")
        parquet.check_options("fit", of_files)
        table = parquet.open(list(X) if isinstance(X, tuple) else X, y, **of_files)
        return table if classes is None else signed(table, engine, classes)

    def _take(self, result: blocks.Result, named: bool) -> None:
        self.result_ = result
        self.model_ = result.model
        self.coef_: np.ndarray = result.coef_
        self.intercept_: Any = result.intercept_
        self.n_features_in_ = len(result.names)
        if named:
            self.feature_names_in_ = np.array(result.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.attributes_bought_ = result.attributes_bought
        self.bytes_read_ = result.bytes_read
        self.money_spent_ = result.money_spent
        self.tasks_retried_ = result.tasks_retried
        self.rounds_ = result.rounds
        self.risk_estimate_, self.risk_error_ = result.risk, result.risk_error
        self.seed_ = result.seed

    # ---- predicting ------------------------------------------------------------

    def _decide(self, X: Any, classes: np.ndarray | None = None) -> Any:
        """The linear function of each row, or its class: lazy of what is lazy."""
        if not hasattr(self, "model_"):
            raise MisuseError(f"this {type(self).__name__} is not fitted yet: call fit first")
        if _is_path(X):
            raise UsageError(
                "predictions are of tables, not of paths: dask.dataframe.read_parquet makes a table of one"
            )
        kind = np.dtype(np.float64) if classes is None else classes.dtype
        if is_array(X):
            X = whole_rows(X)
            self._check_width(int(X.shape[1]))
            model = _delayed(self.model_, pure=True)
            meta = np.empty(0, dtype=kind)
            return X.map_blocks(_predict, model=model, classes=classes, drop_axis=1, dtype=kind, meta=meta)
        if hasattr(X, "columns"):
            X = self._select(X)
        if is_frame(X):
            import pandas

            model = _delayed(self.model_, pure=True)
            meta = pandas.Series([], dtype=kind, index=X._meta.index[:0])
            return X.map_partitions(_predict_frame, model=model, classes=classes, meta=meta)
        if not hasattr(X, "columns"):
            X = unmasked(X)
            if X.ndim != 2:
                raise DataError(f"X has {X.ndim} dimensions: a table has 2")
            self._check_width(X.shape[1])
        return _predict(X, self.model_, classes)

    def _check_width(self, width: int) -> None:
        if width != self.n_features_in_:
            raise DataError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                "input"
            )

    def _select(self, X: Any) -> Any:
        """The attributes of a frame, by name where the fit had names."""
        if not hasattr(self, "feature_names_in_"):
            self._check_width(len(X.columns))
            return X
        columns = {str(name): name for name in X.columns}
        absent = [name for name in self.feature_names_in_ if name not in columns]
        if absent:
            others = f" and {len(absent) - 1} others" if len(absent) > 1 else ""
            raise DataError(f"X has no column {absent[0]!r}{others}, and the fit had")
        return X[[columns[name] for name in self.feature_names_in_]]


def _predict(chunk: Any, model: Any, classes: np.ndarray | None = None) -> np.ndarray:
    """Of one chunk."""
    if hasattr(chunk, "toarray"):
        chunk = chunk.toarray()
    if isinstance(chunk, np.ma.MaskedArray):
        chunk = unmasked(chunk)
    if isinstance(chunk, np.ndarray) and chunk.dtype.kind in "bO":
        chunk = chunk.astype(np.float64)
    decision = model.predict(chunk) if len(chunk) else np.empty(0)
    return decision if classes is None else classes[(decision > 0).astype(int)]


def _predict_frame(frame: Any, model: Any, classes: np.ndarray | None = None) -> Any:
    import pandas

    return pandas.Series(_predict(frame.to_numpy(dtype=np.float64, na_value=np.nan), model, classes), index=frame.index)


def _sums(true: Any, found: Any, function: Any) -> list[Any]:
    """Sums over partitions, computed together; sums of arrays in memory are taken here."""
    if dask.base.is_dask_collection(found):
        return list(_base.compute(*function(true, found)))
    return list(function(np.asarray(true), found))


def _target(X: Any, y: Any) -> Any:
    """One column, as fit takes it."""
    y = X[y] if isinstance(y, str) else y
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        return y[y.columns[0]] if hasattr(y, "columns") else y[:, 0]
    return y


class LimitedRegressor(RegressorMixin, _Limited):
    __doc__ = "Linear regression of Dask's arrays and dataframes, from a few attributes of each block." + _DOC.replace(
        "{name}", "LimitedRegressor"
    ).replace("{more}", "")

    def __init__(
        self,
        k: int | None = None,
        *,
        algorithm: str = "gaussian",
        random_state: Any = None,
        budget: int | None = None,
        clip: Any = None,
        costs: Any = None,
        budget_cost: float | None = None,
        block_rows: int | None = None,
        em: str = "auto",
        checkpoint: Any = None,
        resume: bool = False,
        progress: Any = None,
        memory: float | None = None,
        threads: int | None = None,
        penalty: float | None = None,
        norm: float | None = None,
        like_units: Any = None,
        timeout: float = 600.0,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        client: Any = None,
        checkpoint: Any = None,
        resume: bool | None = None,
        progress: Any = None,
        **options: Any,
    ) -> LimitedRegressor:
        """Learns, from ``k`` attributes of each block.

        X and y are Dask arrays, or a dataframe and a series, with partitions that agree; or X is a dataframe and y the
        name of a column of it; or X is the path of Parquet files (a list of them, a folder, a URL) and y the name of a
        column, with ``options`` as in ``scant.distributed.parquet.open``: ``columns``, ``ignore``, ``one_hot``, ...
        NumPy's arrays and pandas' frames are taken, too.  ``client`` None: the current one.

        ``checkpoint``, ``resume`` and ``progress`` are those of this fit alone; None: those of the estimator.

        Chunks are never collected.  A chunk that is not persisted is computed anew in each round that buys of it;
        chunks over columns are put together to whole rows, lazily.
        """
        result = self._fit(X, y, client, None, options, checkpoint=checkpoint, resume=resume, progress=progress)
        self._take(result, _is_path(X) or hasattr(X, "columns"))
        return self

    def predict(self, X: Any) -> Any:
        """The prediction of each row: a lazy Dask array of an array, a lazy series of a dataframe, else NumPy's."""
        return self._decide(X)

    def score(self, X: Any, y: Any) -> float:
        """R squared, computed."""

        def sums(y: Any, p: Any) -> tuple[Any, Any]:
            y = y.astype(np.float64)  # squares of small types do not fit into these
            return ((y - y.mean()) ** 2).sum(), ((y - p) ** 2).sum()

        squares, errors = _sums(_target(X, y), self._decide(X), sums)
        return float(1 - errors / squares)


class LimitedClassifier(ClassifierMixin, _Limited):
    __doc__ = (
        "Two classes of Dask's arrays and dataframes told apart by a linear function, from a few attributes of each "
        "block.\n\n"
        "    The first class counts as -1 and the second as +1."
        + _DOC.replace("{name}", "LimitedClassifier").replace("{more}", "\n    classes_ : ndarray of shape (2,)")
    )

    def __init__(
        self,
        k: int | None = None,
        *,
        algorithm: str = "gaussian",
        random_state: Any = None,
        budget: int | None = None,
        clip: Any = None,
        costs: Any = None,
        budget_cost: float | None = None,
        block_rows: int | None = None,
        em: str = "auto",
        checkpoint: Any = None,
        resume: bool = False,
        progress: Any = None,
        memory: float | None = None,
        threads: int | None = None,
        penalty: float | None = None,
        norm: float | None = None,
        like_units: Any = None,
        timeout: float = 600.0,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        client: Any = None,
        checkpoint: Any = None,
        resume: bool | None = None,
        progress: Any = None,
        **options: Any,
    ) -> LimitedClassifier:
        """Learns, from ``k`` attributes of each block; X and y are as in :meth:`LimitedRegressor.fit`.  Labels are
        found in one pass over y; those of Parquet are numbers."""
        found: list[np.ndarray] = []

        def classes(labels: Sequence[Any]) -> np.ndarray:
            found[:] = [self._two(labels)]
            return found[0]

        result = self._fit(X, y, client, classes, options, checkpoint=checkpoint, resume=resume, progress=progress)
        self.classes_ = found[0]
        self._take(result, _is_path(X) or hasattr(X, "columns"))
        self.coef_, self.intercept_ = self.coef_.reshape(1, -1), np.array([self.intercept_])
        return self

    def _two(self, labels: Sequence[Any]) -> np.ndarray:
        classes = np.unique(np.asarray(labels))
        if len(classes) > 2:
            raise DataError(
                "Only binary classification is supported. The type of the target is multiclass: y has the classes "
                f"{', '.join(repr(label) for label in classes[:3].tolist())}{' and others' if len(classes) > 3 else ''}"
            )
        if len(classes) < 2:
            raise DataError(f"{type(self).__name__} needs two classes, and y has {len(classes)} class")
        return classes

    def decision_function(self, X: Any) -> Any:
        """The linear function: above 0, the second class.  Lazy as :meth:`LimitedRegressor.predict`."""
        return self._decide(X)

    def predict(self, X: Any) -> Any:
        """The class of each row; lazy as :meth:`LimitedRegressor.predict`."""
        return self._decide(X, getattr(self, "classes_", None))

    def score(self, X: Any, y: Any) -> float:
        """The share of rows whose class is right, computed."""
        right, count = _sums(_target(X, y), self.predict(X), lambda y, p: ((y == p).sum(), (y == y).sum()))
        return float(right / count)
