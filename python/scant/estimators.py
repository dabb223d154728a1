"""Estimators with the habits of scikit-learn's: fit, partial_fit, predict, score.

A fit looks at no more than ``k`` attributes of an example: a value that was not
bought never matters, whatever it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._limited import Limited, required  # says what is missing without scikit-learn

# isort: split
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_X_y, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import assert_all_finite

from ._errors import UsageError
from ._fit import warn_of
from ._keywords import from_table
from ._metered import MeteredSource
from ._model import Model
from ._options import ALGORITHMS, DEFAULT
from ._query import Query
from ._tables import is_arrow, is_frame

__all__ = ["LimitedClassifier", "LimitedLasso", "LimitedRegressor", "LimitedRidge", "LimitedSVR"]


class _Regressor(RegressorMixin, Limited):
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, *, looks: Any = None, looks_pairs: Any = None) -> Any:
        """Learns anew, from at most ``k`` attributes of each row of X.

        X is an array, a sparse matrix, a table (pandas, polars, Arrow) or a
        :class:`MeteredSource`; it is not copied where its layout allows.

        ``looks`` is a file, ``.csv`` or ``.npy``, for every attribute that is bought, with the probability
        of its draw (docs/looks.md); True: they come as the structured array ``looks_``.
        ``looks_pairs`` is one for the probabilities of pairs, where they have a closed form.
        """
        self._check_loss()
        with self._all_or_nothing():
            fit = self._fit_source(X, self._source(X, required(self, y), reset=True), looks, looks_pairs)
        warn_of(fit, self.model_)
        return self

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Goes on learning with further rows, examples not met before.  ``examples`` does not
        apply, nor does ``passes``, but after a fit of several passes each batch has as many."""
        self._check_loss()
        with self._all_or_nothing() as before:
            source = self._source(X, required(self, y), reset="model_" not in before)
            fit = self._feed_source(X, source, before)
        warn_of(fit, self.model_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for each row, from all its attributes; a NaN counts as the mean of
        what was bought of its attribute."""
        return self._decide(X)

    def _check_loss(self) -> None:
        if getattr(self, "loss", None) in ("hinge", "logistic"):
            raise UsageError(f"the loss {self.loss} is for classes: use LimitedClassifier")


_ATTRIBUTES = """Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights, in the units of the attributes.  A prediction is ``intercept_`` plus the sum of ``coef_``
        times the clipped attributes: ``np.clip(X, model_.low, model_.high)``, unless ``clip`` is "none".
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has names.
    attributes_bought_ : int
        What the ledger counts: distinct attributes of each example.
    purchases_ : ndarray of shape (n_features,)
        How often each attribute was bought.
    cost_spent_ : float
        Money, if there are ``costs``.
    risk_estimate_, risk_error_ : float
        The squared error of the model, estimated from the looks alone, and its
        standard error (NaN for ``gaussian``, which has none).  Those of the papers'
        algorithms are of recent iterates.
    coef_error_ : ndarray of shape (n_features,) or None
        With ``errors=True``, the standard errors of ``coef_``: how much it would vary over other examples and looks;
        see conf_int and summary.
    intercept_error_ : float
        Likewise; NaN without ``errors=True``.
    scale_ : float
        What was learned was multiplied by this: below 1 because more would not surely
        have predicted better than the mean, above 1 because it surely does.
    n_iter_ : int
        Examples learned from.
    ledger_ : dict
        All that was counted.
    budget_spent_ : bool
        The fit ended because its budget did.
    seed_ : int
        The seed that was used.
    algorithm_ : str
        The algorithm that was used.
    algorithm_why_ : str or None
        Why ``algorithm="default"`` took it; None if it was named.
    model_ : Model
        To save for the command, or to predict with.
    looks_ : ndarray
        After ``fit(X, y, looks=True)`` alone: a line for each attribute that was bought.
    """


@from_table
class LimitedRegressor(_Regressor):
    __doc__ = (
        """Linear regression from a few attributes of each example: any algorithm of the table.

    """
        + _ATTRIBUTES
    )
    _algorithms = (DEFAULT, *ALGORITHMS)


@from_table
class LimitedRidge(_Regressor):
    __doc__ = (
        """Ridge regression from a few attributes of each example: weights in a 2-norm ball.

    """
        + _ATTRIBUTES
    )
    _algorithms = ("ridge", "aerr", "ddaerr", "coinflip", "moments", "online-ridge", "full-ridge")
    _fixed = ("norm", "loss", "tube", "smoothing")

    def _given(self, algorithm: Any) -> dict[str, Any]:
        return {"norm": 2} if "norm" in algorithm.options else {}


@from_table
class LimitedLasso(_Regressor):
    __doc__ = (
        """The lasso from a few attributes of each example: weights in a 1-norm ball.

    """
        + _ATTRIBUTES
    )
    _algorithms = ("lasso", "aelr", "ddaelr", "aer", "coinflip", "moments", "online-lasso", "full-lasso")
    _fixed = ("norm", "loss", "tube", "smoothing")

    def _given(self, algorithm: Any) -> dict[str, Any]:
        return {"norm": 1} if "norm" in algorithm.options else {}


@from_table
class LimitedSVR(_Regressor):
    __doc__ = (
        """Support-vector regression from a few attributes of each example.

    """
        + _ATTRIBUTES
    )
    _algorithms = ("svr", "aesvr", "coinflip", "full-svr")

    def _given(self, algorithm: Any) -> dict[str, Any]:
        if self.loss is None and "loss" in algorithm.options and "loss" not in algorithm.presets:
            return {"loss": "insensitive"}
        return {}


def _is_logistic(self: Any) -> bool:
    if self.loss != "logistic":
        raise AttributeError("probabilities come with loss='logistic' alone")
    return True


@from_table
class LimitedClassifier(ClassifierMixin, Limited):
    __doc__ = (
        """Two classes told apart by a linear function, from a few attributes of each example.

    The first class counts as -1 and the second as +1.  ``algorithm='svr'`` (or
    ``aesvr``, ``coinflip``) takes ``loss='hinge'`` and ``loss='logistic'``; with the
    latter there is predict_proba.

    """
        + _ATTRIBUTES.replace("(n_features,)\n        The weights", "(1, n_features)\n        The weights", 1).replace(
            "intercept_ : float", "intercept_ : ndarray of shape (1,)"
        )
        + """classes_ : ndarray of shape (2,)
    """
    )
    _algorithms = (DEFAULT, *ALGORITHMS)
    _fixed = ("log_target",)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _given(self, row: Any) -> dict[str, Any]:
        # gaussian, which keeps the law of the target, need not find out that it has two values
        return {"classes": "-1,1"} if row.name in ("gaussian", DEFAULT) else {}

    def _labels(self, y: Any) -> np.ndarray:
        labels: np.ndarray = column_or_1d(required(self, y), warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        return labels

    def _signs(self, y: Any) -> np.ndarray:
        y = self._labels(y)
        found = np.unique(y)
        unknown = np.setdiff1d(found, self.classes_)
        if len(unknown):
            raise ValueError(f"y has the class {unknown.tolist()[0]!r}, which is not one of {self.classes_.tolist()}")
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def _set_classes(self, classes: Any) -> None:
        classes = np.unique(classes)
        if len(classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is multiclass: y has {len(classes)} "
                "classes"
            )
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes, and y has {len(classes)} class")
        self.classes_ = classes

    def _check_labels(self, X: Any, y: Any) -> np.ndarray:
        """Labels, once the shape of X has been judged: that is what newcomers get wrong."""
        y = self._labels(y)
        if not is_frame(X) and not is_arrow(X) and not isinstance(X, MeteredSource):
            X, _ = check_X_y(X, np.zeros(len(y)), dtype="numeric", accept_sparse=True, ensure_all_finite=False)
        return y

    def fit(self, X: Any, y: Any, *, looks: Any = None, looks_pairs: Any = None) -> Any:
        """Learns anew, from at most ``k`` attributes of each row of X; ``looks`` and ``looks_pairs`` are those of
        :meth:`LimitedRegressor.fit`, and the targets in them -1 and +1."""
        with self._all_or_nothing():
            y = self._check_labels(X, y)
            self._set_classes(y)
            fit = self._fit_source(X, self._source(X, self._signs(y), reset=True), looks, looks_pairs)
        warn_of(fit, self.model_)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Goes on learning with further rows; the first call names the ``classes``."""
        with self._all_or_nothing() as before:
            if _check_partial_fit_first_call(self, classes):
                self._set_classes(classes)
            source = self._source(X, self._signs(y), reset="model_" not in before)
            fit = self._feed_source(X, source, before)
        warn_of(fit, self.model_)
        return self

    def _set_model(self, model: Model) -> None:
        super()._set_model(model)
        self.coef_, self.intercept_ = self.coef_.reshape(1, -1), np.array([self.intercept_])
        if self.coef_error_ is not None:
            self.coef_error_ = self.coef_error_.reshape(1, -1)
        self.intercept_error_ = np.array([self.intercept_error_])

    def query(self, prices: Any = None, level: float = 0.9) -> Query:
        """One prediction, for which attributes are bought one after another; its ``value`` is the likelier class, and
        ``mean``, ``low`` and ``high`` are of -1 and +1: see :class:`scant.Query`."""
        query = super().query(prices, level)
        query._labels = self.classes_
        return query

    def decision_function(self, X: Any) -> np.ndarray:
        """The linear function: above 0, the second class."""
        return self._decide(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        decision = self._decide(X)
        return self.classes_[(decision > 0).astype(int)]

    @available_if(_is_logistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, with ``loss='logistic'``."""
        decision = self._decide(X)
        second = np.exp(-np.logaddexp(0, -decision))
        return np.column_stack([1 - second, second])
