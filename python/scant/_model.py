"""Models: weights, names, settings and ledger; the command's model files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _library as c
from ._errors import warn
from ._options import ALGORITHMS, OPTIONS, value_of
from ._query import Query
from ._summary import Summary, intervals, summary
from ._tables import Source, names_of, source_of


def ledger_of(ledger: Any) -> dict[str, Any]:
    """A scant_ledger as numbers of Python's; money in whole units."""
    entries: dict[str, Any] = {field[0]: int(getattr(ledger, field[0])) for field in c.Ledger._fields_}
    entries["money_spent"] /= 100
    return entries


def settings_of(settings: Any) -> dict[str, Any]:
    """What a scant_settings says of a fit, as far as its algorithm takes it."""
    algorithm = ALGORITHMS[value_of(settings, "algorithm")]
    kept = [name for name, option in OPTIONS.items() if option.scope & 16]
    return {
        name: value_of(settings, name)
        for name in kept
        if not OPTIONS[name].scope & 1 or name in algorithm.options  # what the algorithm takes
    }


class Model:
    """A fitted linear model, as ``scant fit -o FILE`` writes it: ``Model.load(path)`` reads one.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
    means : ndarray of shape (n_features,)
        What stands in for missing values when predicting.
    low, high : ndarray of shape (n_features,) or None
        What each attribute is clipped to: a prediction is ``intercept`` plus the sum of ``coef`` times the clipped
        attributes.  None: attributes are not clipped.
    purchases : ndarray of shape (n_features,)
        How often each attribute was bought.
    ledger : dict
        Examples, looks, attributes and money, as the command's JSON names them.
    names : list of str or None
    settings : dict
        What it was fitted with.
    coef_error : ndarray of shape (n_features,) or None
        Standard errors of ``coef``, NaN where nothing is known of a weight; None: it was fitted without ``errors``.
    intercept_error, risk, risk_error : float
        Of a model with errors, the standard error of the intercept, and the squared error that was estimated from the
        looks with its standard error; else NaN.
    unpenalised : ndarray of bool, of shape (n_features,)
        Which weights were read unpenalised (``errors_of``): shrinkage does not bias them.
    """

    def __init__(self, own: c.Owned) -> None:
        if not isinstance(own, c.Owned):  # it would reach C as an address
            raise TypeError(f"a model is read by Model.load(path), not made from {type(own).__name__}")
        self._own = own
        d = c.model_dimension(own)

        def array(get: Any) -> np.ndarray | None:
            values = get(own)
            return np.ctypeslib.as_array(values, (d,)).copy() if values else None

        self.coef: np.ndarray = array(c.model_weights)  # type: ignore[assignment]
        self.means: np.ndarray = array(c.model_means)  # type: ignore[assignment]
        self.low, self.high = array(c.model_low), array(c.model_high)
        self.purchases: np.ndarray = array(c.model_purchases).astype(np.int64)  # type: ignore[union-attr]
        self.intercept: float = c.model_intercept(own)
        self.ledger = ledger_of(c.model_ledger(own).contents)
        first = c.model_name(own, 0)
        self.names = [c.model_name(own, i).decode() for i in range(d)] if first else None
        self.settings = settings_of(c.model_settings(own))
        self.coef_error = array(c.model_errors)
        self.intercept_error: float = c.model_intercept_error(own)
        self.risk: float = c.model_risk(own)
        self.risk_error: float = c.model_risk_error(own)
        self.unpenalised = np.array([bool(c.model_is_unpenalised(own, i)) for i in range(d)])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model file; checks everything, runs nothing."""
        return cls(c.Owned(c.model_free, c.model_load, os.fsencode(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file that the command takes; whole or not at all."""
        c.model_save(self._own, os.fsencode(path))

    @property
    def dimension(self) -> int:
        return len(self.coef)

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for each row; a missing value counts as its attribute's mean
        (a model of ``gaussian`` predicts from the others instead; up to half of its columns may
        be absent, with a warning)."""
        return self.predict_source(source_of(X, names=names_of(X)))

    def _bind(self, source: Source) -> None:
        """Finds the attributes in a table; warns of columns that are absent and count as missing."""
        c.model_bind(self._own, source)
        sentence = c.sentence_of(c.source_note, source, c.ABSENT)
        if sentence:
            warn(sentence)

    def predict_source(self, source: Source) -> np.ndarray:
        self._bind(source)
        predictions = np.empty(source.rows)
        with source.reading():
            c.model_predict_rows(self._own, source, predictions.ctypes.data)
        return predictions

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predictions of a model of ``gaussian`` from the values that are there, with
        the bounds between which y lies with probability ``level``: (mean, low, high)."""
        source = source_of(X, names=names_of(X))
        self._bind(source)
        results = (c.Prediction * source.rows)()
        with source.reading():
            c.model_predict_known(self._own, source, level, results)
        numbers = np.frombuffer(memoryview(results).cast("B"), dtype=np.float64).reshape(-1, 4)
        return numbers[:, 0].copy(), numbers[:, 1].copy(), numbers[:, 2].copy()

    def conf_int(self, level: float = 0.9, intercept: bool = False) -> np.ndarray:
        """Intervals that hold the weights with probability ``level``, by their errors: an array of shape
        (n_features, 2), or with ``intercept`` one row more, the first.  What a penalty takes from a weight is not in
        them: see :meth:`summary`."""
        return intervals(self, level, intercept)

    def summary(self, level: float = 0.9) -> Summary:
        """Weights with their errors and intervals, as a table to print."""
        return summary(self, level)

    def query(self, prices: Any = None, level: float = 0.9) -> Query:
        """One prediction of a model of ``gaussian``, for which attributes are bought one after another: see
        :class:`Query`.  ``prices`` are as ``costs`` of an estimator; None takes those of the fit."""
        return Query(self, prices, level)

    def __getstate__(self) -> bytes:
        return c.text_of(c.model_write, self._own)

    def __setstate__(self, text: bytes) -> None:
        self.__init__(c.Owned(c.model_free, c.model_read, text, len(text)))  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Model of {self.settings['algorithm']}, {self.dimension} attributes>"
