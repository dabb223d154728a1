"""Estimators with the habits of scikit-learn's: fit, partial_fit, predict, score.

A fit looks at no more than ``k`` attributes of an example: a value that was not
bought never matters, whatever it is.
"""

from __future__ import annotations

import contextlib
import numbers
from collections.abc import Callable, Iterable, Iterator
from ctypes import byref, c_void_p
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state, check_X_y, column_or_1d
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
    from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError("the estimators need scikit-learn 1.6 or later: pip install 'scant[sklearn]'") from missing

from . import _library as c
from ._errors import BudgetSpent, UsageError
from ._fit import Callback, Fit
from ._keywords import from_table, keywords_of
from ._metered import MeteredSource
from ._model import Model
from ._options import ALGORITHMS, Settings, default_k, find_algorithm
from ._prices import prices_of
from ._tables import Source, is_arrow, is_frame, source_of

__all__ = ["LimitedClassifier", "LimitedLasso", "LimitedRegressor", "LimitedRidge", "LimitedSVR"]

_REGRESSION_LOSSES = ("squared", "insensitive", "absolute", "huber")


class _Limited(BaseEstimator):
    """What all estimators share."""

    _rows: tuple[str, ...]  # of the table of algorithms, the default first
    _fixed: tuple[str, ...] = ()  # options that are no keywords here: _given says their values
    _watch: tuple[Callable[[int], Iterable[int]], Callback] | None = None  # within _watched

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # ---- settings ----------------------------------------------------------

    def _seed(self) -> int:
        state = self.random_state
        if isinstance(state, numbers.Integral):
            return int(state)
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**31))
        return int(check_random_state(state).randint(2**31 - 1))

    def _given(self, row: Any) -> dict[str, Any]:
        """Options that the class gives, and no keyword."""
        return {}

    def _options(self, dimension: int, X: Any) -> dict[str, Any]:
        row = find_algorithm(self.algorithm)
        if row.name not in self._rows:
            raise UsageError(f"{row.name} is no row of {type(self).__name__}: it has {', '.join(self._rows)}")
        options = {name: getattr(self, name) for name in keywords_of(self._rows, self._fixed)}
        del options["costs"]
        options.update(self._given(row), algorithm=row.name)
        if isinstance(X, MeteredSource):
            _lower(options, "k", X.k)
            _lower(options, "budget", None if X.budget is None else X.budget - X.attributes_bought)
            _lower(options, "budget_cost", None if X.budget_cost is None else X.budget_cost - X.cost_spent)
        if options["k"] is None and not row.whole and not options.get("spend"):
            options["k"] = default_k(row, dimension, options)
        return options

    def _settings(self, source: Source, X: Any, **changes: Any) -> Settings:
        options = {**self._options(source.dimension, X), **changes}
        self.seed_ = self._seed()
        settings = Settings(seed=self.seed_, **options)
        costs = self.costs if self.costs is not None or not isinstance(X, MeteredSource) else X.costs
        prices = prices_of(costs, source.dimension, source.names, source)
        if prices is not None:
            c.source_set_prices(source, prices)
        return settings

    # ---- data --------------------------------------------------------------

    def _source(self, X: Any, y: Any = None, reset: bool = False) -> Source:
        """A source over X that copies nothing, where X allows; checked as scikit-learn words it."""
        lone = is_frame(X) or is_arrow(X) or isinstance(X, MeteredSource)
        if not lone:
            checks: dict[str, Any] = {"dtype": "numeric", "accept_sparse": ("csr", "csc"), "ensure_all_finite": False}
            if reset:
                checks["ensure_min_features"] = 2
            if y is None:
                X = validate_data(self, X, reset=reset, **checks)
            else:
                X, y = validate_data(self, X, y, reset=reset, y_numeric=True, **checks)
        elif isinstance(X, MeteredSource):
            self._check_metered(X, reset)
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
        if lone and y is not None:
            y = column_or_1d(y, dtype=np.float64, warn=True)
            assert_all_finite(y, input_name="y")
            check_consistent_length(X, y)
        if lone and reset and X.shape[1] < 2:
            raise ValueError(
                f"Found array with {X.shape[1]} feature(s) (shape={tuple(X.shape)}) while a minimum of 2 is required "
                f"by {type(self).__name__}."
            )
        source = source_of(X, y, names=None)
        if reset or hasattr(self, "feature_names_in_"):
            names = getattr(self, "feature_names_in_", None)
            source.set_names(None if names is None else list(names))
        if y is not None and getattr(self, "log_target", None):
            c.source_log_target(source)
        return source

    def _check_metered(self, X: MeteredSource, reset: bool) -> None:
        if reset:
            self.n_features_in_ = X.dimension
            if X.names is not None:
                self.feature_names_in_ = np.array(X.names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif X.dimension != self.n_features_in_:
            raise ValueError(
                f"X has {X.dimension} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input"
            )

    # ---- fitting -------------------------------------------------------------

    @contextlib.contextmanager
    def _all_or_nothing(self) -> Iterator[dict[str, Any]]:
        """A failure leaves the estimator as it was; so does a Ctrl-C that came before anything was learned."""
        before = dict(self.__dict__)
        try:
            yield before
        except BaseException as raised:
            learned = self.__dict__.get("model_") is not before.get("model_")
            if not (isinstance(raised, KeyboardInterrupt) and learned):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    @contextlib.contextmanager
    def _watched(self, stops: Callable[[int], Iterable[int]], callback: Callback) -> Iterator[None]:
        """Within it, fits call this in place of ``self.callback``, after each number of examples in
        ``stops(horizon)`` and at their end."""
        self._watch = stops, callback
        try:
            yield
        finally:
            del self._watch

    def _learn(self, fit: Fit) -> None:
        """Runs a fit and takes what it learned; after a Ctrl-C, what it learned until then."""
        stops, callback = (), self.callback
        if self._watch is not None:
            stops, callback = self._watch[0](int(c.fit_horizon(fit.own))), self._watch[1]
        try:
            fit.run(callback, self.verbose, stops)
        except KeyboardInterrupt:
            self._take(fit)
            raise
        self._take(fit)
        fit.warn()

    def _take(self, fit: Fit) -> None:
        self._set_model(fit.model())
        facts = fit.facts()  # after the model, which brings the regressor of a dense row up to date
        self.risk_estimate_ = facts.risk
        self.risk_error_ = facts.risk_error
        self.n_iter_ = int(facts.told)
        self.budget_spent_ = bool(c.fit_budget_spent(fit.own))
        fit.source.let_go()  # the data are the caller's again
        # A fit that is spent stays so, even if it was a source's budget that ended it: another one goes on.
        anew = fit.source.holds or self.budget_spent_
        self._fit: Fit | None = None if anew else fit
        self._kept_learner: bytes | None = fit.learner() if anew else None

    def _set_model(self, model: Model) -> None:
        self.model_ = model
        self.coef_ = model.coef
        self.intercept_ = model.intercept
        self.purchases_ = model.purchases
        self.ledger_ = model.ledger
        self.attributes_bought_ = model.ledger["attributes_bought"]
        self.cost_spent_ = model.ledger["money_spent"]

    def _solve(self, settings: Settings, source: Source) -> None:
        """Full information, all at once: there is no learner to go on with."""
        fit, model = c_void_p(), c_void_p()
        with source.reading():
            c.solve_fit(byref(fit), byref(model), settings, source)
        spent = bool(c.fit_budget_spent(fit))
        c.fit_free(fit)

        def give(out: Any) -> None:
            out._obj.value = model.value

        self._set_model(Model(c.Owned(c.model_free, give)))
        self.risk_estimate_ = self.risk_error_ = float("nan")
        self.n_iter_ = self.ledger_["examples"]
        self.budget_spent_ = spent
        self._fit = self._kept_learner = None

    def _fit_source(self, X: Any, source: Source) -> None:
        settings = self._settings(source, X)
        if ALGORITHMS[self.algorithm].solved:
            self._solve(settings, source)
        else:
            self._learn(Fit.new(settings, source))

    def _feed_source(self, X: Any, source: Source, before: dict[str, Any]) -> None:
        """One batch of a stream; ``before`` is the state that comes back if it fails."""
        if ALGORITHMS.get(self.algorithm) and ALGORITHMS[self.algorithm].solved:
            raise UsageError(f"{self.algorithm} is solved all at once: it has no partial_fit")
        if "model_" not in before:
            settings = self._settings(source, X, passes=None, examples=None)
            self._learn(Fit.stream(settings, source))
            return
        fit, learner = self._fit, self._kept_learner
        if fit is None:
            fit = Fit.resume(self.model_, learner, source)
        else:
            # The fit is about to change: what comes back is its learner, as text.
            before.update(_fit=None, _kept_learner=fit.learner())
            fit.feed(source)
        self._learn(fit)

    def _decide(self, X: Any) -> np.ndarray:
        """The linear prediction for each row; NaN counts as its attribute's mean."""
        check_is_fitted(self)
        return self.model_.predict_source(self._source(X))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.get("_fit") is not None:
            state["_kept_learner"] = state["_fit"].learner()
        if "_fit" in state:
            state["_fit"] = None
        return state


def _lower(options: dict[str, Any], name: str, limit: Any) -> None:
    """The source's limit, where it is the lower one."""
    if limit is None:
        return
    if limit <= 0:
        raise BudgetSpent(f"the {name.replace('_', '-')} of the source is spent")
    if options.get(name) is None or not options[name] or limit < options[name]:
        options[name] = limit


class _Regressor(RegressorMixin, _Limited):
    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Learns anew, from at most ``k`` attributes of each row of X.

        X is an array, a sparse matrix, a table (pandas, polars, Arrow) or a
        :class:`MeteredSource`; it is not copied where its layout allows.
        """
        self._check_loss()
        with self._all_or_nothing():
            self._fit_source(X, self._source(X, _required(self, y), reset=True))
        return self

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Goes on learning with further rows, examples not met before.  ``examples`` does not
        apply, nor does ``passes``, but after a fit of several passes each batch has as many."""
        self._check_loss()
        with self._all_or_nothing() as before:
            source = self._source(X, _required(self, y), reset="model_" not in before)
            self._feed_source(X, source, before)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for each row, from all its attributes; a NaN counts as the mean of
        what was bought of its attribute."""
        return self._decide(X)

    def _check_loss(self) -> None:
        if getattr(self, "loss", None) in ("hinge", "logistic"):
            raise UsageError(f"the loss {self.loss} is for classes: use LimitedClassifier")


def _required(estimator: Any, y: Any) -> Any:
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    return y


_ATTRIBUTES = """Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights, in the units of the attributes.
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
        The squared error of recent iterates, estimated from the looks alone, and its
        standard error.
    n_iter_ : int
        Examples learned from.
    ledger_ : dict
        All that was counted.
    budget_spent_ : bool
        The fit ended because its budget did.
    seed_ : int
        The seed that was used.
    model_ : Model
        To save for the command, or to predict with.
    """


@from_table
class LimitedRegressor(_Regressor):
    __doc__ = (
        """Linear regression from a few attributes of each example: any row of the table.

    """
        + _ATTRIBUTES
    )
    _rows = tuple(ALGORITHMS)


@from_table
class LimitedRidge(_Regressor):
    __doc__ = (
        """Ridge regression from a few attributes of each example: weights in a 2-norm ball.

    """
        + _ATTRIBUTES
    )
    _rows = ("ridge", "aerr", "ddaerr", "coinflip", "moments", "online-ridge", "full-ridge")
    _fixed = ("norm", "loss", "tube", "smoothing")

    def _given(self, row: Any) -> dict[str, Any]:
        return {"norm": 2} if "norm" in row.options else {}


@from_table
class LimitedLasso(_Regressor):
    __doc__ = (
        """The lasso from a few attributes of each example: weights in a 1-norm ball.

    """
        + _ATTRIBUTES
    )
    _rows = ("lasso", "aelr", "ddaelr", "aer", "coinflip", "moments", "online-lasso", "full-lasso")
    _fixed = ("norm", "loss", "tube", "smoothing")

    def _given(self, row: Any) -> dict[str, Any]:
        return {"norm": 1} if "norm" in row.options else {}


@from_table
class LimitedSVR(_Regressor):
    __doc__ = (
        """Support-vector regression from a few attributes of each example.

    """
        + _ATTRIBUTES
    )
    _rows = ("svr", "aesvr", "coinflip", "full-svr")

    def _given(self, row: Any) -> dict[str, Any]:
        if self.loss is None and "loss" in row.options and "loss" not in row.presets:
            return {"loss": "insensitive"}
        return {}


def _is_logistic(self: Any) -> bool:
    if self.loss != "logistic":
        raise AttributeError("probabilities come with loss='logistic' alone")
    return True


@from_table
class LimitedClassifier(ClassifierMixin, _Limited):
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
    _rows = tuple(ALGORITHMS)
    _fixed = ("log_target",)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    def _labels(self, y: Any) -> np.ndarray:
        labels: np.ndarray = column_or_1d(_required(self, y), warn=True)
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

    def fit(self, X: Any, y: Any) -> Any:
        """Learns anew, from at most ``k`` attributes of each row of X."""
        with self._all_or_nothing():
            y = self._check_labels(X, y)
            self._set_classes(y)
            self._fit_source(X, self._source(X, self._signs(y), reset=True))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Goes on learning with further rows; the first call names the ``classes``."""
        with self._all_or_nothing() as before:
            if _check_partial_fit_first_call(self, classes):
                self._set_classes(classes)
            source = self._source(X, self._signs(y), reset="model_" not in before)
            self._feed_source(X, source, before)
        return self

    def _set_model(self, model: Model) -> None:
        super()._set_model(model)
        self.coef_, self.intercept_ = self.coef_.reshape(1, -1), np.array([self.intercept_])

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
