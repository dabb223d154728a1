"""Estimators of regression, with the habits of scikit-learn's: fit, partial_fit, predict, score.

A fit looks at no more than ``k`` attributes of an example: a value that was not
bought never matters, whatever it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ._limited import Limited, required  # says what is missing without scikit-learn

# isort: split
from sklearn.base import RegressorMixin

from .._errors import UsageError
from .._fit import Callback, warn_of
from ._keywords import SVR, AnyAlgorithm, Auto, Average, Costs, Lasso, Loss, Missing, Path, Ridge, Seed, documented

if TYPE_CHECKING:
    from typing_extensions import Self


class _Regressor(RegressorMixin, Limited):
    intercept_: float
    intercept_error_: float

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, *, looks: Path | bool | None = None, looks_pairs: Path | None = None) -> Self:
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

    def partial_fit(self, X: Any, y: Any) -> Self:
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


ATTRIBUTES = """Attributes
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
        The standard error of ``intercept_``; NaN without ``errors=True``.
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


@documented(ATTRIBUTES)
class LimitedRegressor(_Regressor):
    """Linear regression from a few attributes of each example: any algorithm of the table."""

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
        log_target: bool | None = None,
        random_state: Seed | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())


@documented(ATTRIBUTES)
class LimitedRidge(_Regressor):
    """Ridge regression from a few attributes of each example: weights in a 2-norm ball."""

    _algorithms = get_args(Ridge)

    def __init__(
        self,
        *,
        algorithm: Ridge = "ridge",
        k: int | None = None,
        radius: float | Auto | None = None,
        eta: float | Auto | None = None,
        penalty: float | Auto | None = None,
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
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: Seed | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())

    def _given(self, algorithm: Any) -> dict[str, Any]:
        return {"norm": 2} if "norm" in algorithm.options else {}


@documented(ATTRIBUTES)
class LimitedLasso(_Regressor):
    """The lasso from a few attributes of each example: weights in a 1-norm ball."""

    _algorithms = get_args(Lasso)

    def __init__(
        self,
        *,
        algorithm: Lasso = "lasso",
        k: int | None = None,
        radius: float | Auto | None = None,
        eta: float | Auto | None = None,
        penalty: float | Auto | None = None,
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
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: Seed | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())

    def _given(self, algorithm: Any) -> dict[str, Any]:
        return {"norm": 1} if "norm" in algorithm.options else {}


@documented(ATTRIBUTES)
class LimitedSVR(_Regressor):
    """Support-vector regression from a few attributes of each example."""

    _algorithms = get_args(SVR)

    def __init__(
        self,
        *,
        algorithm: SVR = "svr",
        k: int | None = None,
        radius: float | Auto | None = None,
        eta: float | Auto | None = None,
        loss: Loss | None = None,
        norm: Literal[1, 2] | None = None,
        tube: float | None = None,
        smoothing: float | None = None,
        replacement: bool | None = None,
        center: bool | None = None,
        intercept: bool | None = None,
        standardise: bool | None = None,
        like_units: bool | None = None,
        clip: float | Literal["none"] | None = None,
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
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: Seed | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())

    def _given(self, algorithm: Any) -> dict[str, Any]:
        if self.loss is None and "loss" in algorithm.options and "loss" not in algorithm.presets:
            return {"loss": "insensitive"}
        return {}
