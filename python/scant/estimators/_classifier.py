"""The estimator of two classes, with the habits of scikit-learn's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ._limited import Limited, required  # says what is missing without scikit-learn

# isort: split
from sklearn.base import ClassifierMixin
from sklearn.utils import check_X_y, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import assert_all_finite

from .._fit import Callback, warn_of
from .._metered import MeteredSource
from .._model import Model
from .._query import Query
from .._tables import is_arrow, is_frame
from ._keywords import AnyAlgorithm, Auto, Average, Costs, Loss, Missing, Path, Seed, documented
from ._regressors import ATTRIBUTES

if TYPE_CHECKING:
    from typing_extensions import Self


def _is_logistic(self: Any) -> bool:
    if self.loss != "logistic":
        raise AttributeError("probabilities come with loss='logistic' alone")
    return True


_ATTRIBUTES = (
    ATTRIBUTES.replace("(n_features,)\n        The weights", "(1, n_features)\n        The weights", 1).replace(
        "intercept_ : float", "intercept_ : ndarray of shape (1,)"
    )
    + """classes_ : ndarray of shape (2,)
    """
)


@documented(_ATTRIBUTES)
class LimitedClassifier(ClassifierMixin, Limited):
    """Two classes told apart by a linear function, from a few attributes of each example.

    The first class counts as -1 and the second as +1.  ``algorithm='svr'`` (or
    ``aesvr``, ``coinflip``) takes ``loss='hinge'`` and ``loss='logistic'``; with the
    latter there is predict_proba.
    """

    intercept_: np.ndarray
    intercept_error_: np.ndarray
    classes_: np.ndarray
    _algorithms = get_args(AnyAlgorithm)

    def __init__(
        self,
        *,
        algorithm: AnyAlgorithm = "default",
        k: int | None = None,
        radius: float | Auto | None = None,
        eta: float | Auto | None = None,
        penalty: float | Auto | None = None,
        loss: Loss | None = None,
        norm: Literal[1, 2] | None = None,
        tube: float | None = None,
        smoothing: float | None = None,
        residual_looks: int | None = None,
        replacement: bool | None = None,
        center: bool | None = None,
        intercept: bool | None = None,
        standardise: bool | None = None,
        like_units: bool | None = None,
        clip: float | Literal["none"] | None = None,
        observed: bool | None = None,
        average: Average | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Costs | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Missing | None = None,
        errors: bool | None = None,
        errors_of: str | Sequence[str] | None = None,
        threads: int | None = None,
        memory: float | None = None,
        random_state: Seed | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _given(self, row: Any) -> dict[str, Any]:
        # an algorithm that keeps the distribution of the target need not find out that it has two values
        return {"classes": "-1,1"} if row.joint else {}

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
        labels = self._labels(y)
        if not is_frame(X) and not is_arrow(X) and not isinstance(X, MeteredSource):
            check_X_y(X, np.zeros(len(labels)), dtype="numeric", accept_sparse=True, ensure_all_finite=False)
        return labels

    def fit(self, X: Any, y: Any, *, looks: Path | bool | None = None, looks_pairs: Path | None = None) -> Self:
        """Learns anew, from at most ``k`` attributes of each row of X; ``looks`` and ``looks_pairs`` are those of
        :meth:`LimitedRegressor.fit`, and the targets in them -1 and +1."""
        with self._all_or_nothing():
            y = self._check_labels(X, y)
            self._set_classes(y)
            fit = self._fit_source(X, self._source(X, self._signs(y), reset=True), looks, looks_pairs)
        warn_of(fit, self.model_)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
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
        second = self._decide(X) > 0
        classes: np.ndarray = self.classes_[second.astype(int)]
        return classes

    @available_if(_is_logistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, with ``loss='logistic'``."""
        decision = self._decide(X)
        second = np.exp(-np.logaddexp(0, -decision))
        return np.column_stack([1 - second, second])
