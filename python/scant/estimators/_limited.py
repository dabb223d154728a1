"""What all estimators share: from keywords to settings, from X to a source, and from a fit
to fitted attributes."""

from __future__ import annotations

import contextlib
import inspect
import numbers
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils import check_random_state, column_or_1d
    from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError("the estimators need scikit-learn 1.6 or later: pip install 'scant-learn[sklearn]'") from missing

from .. import _library as c
from .._errors import BudgetSpent, DataError, MisuseError, OutOfMemoryError, UsageError, warn
from .._fit import Callback, Fit
from .._metered import MeteredSource
from .._model import Model
from .._options import OPTIONS, Settings, as_text, default_k, find_algorithm, needs_k, value_of
from .._prices import prices_of
from .._query import Query
from .._summary import Summary
from .._tables import Source, is_arrow, is_frame, source_of, unmasked

_AT_WORK: set[int] = set()  # estimators that are learning at this moment


class Limited(BaseEstimator):
    """What all estimators share."""

    _algorithms: tuple[str, ...]  # of the table of algorithms, the default first
    intercept_: Any  # a number of regressors, an array of the classifier
    intercept_error_: Any
    _watch: tuple[Callable[[int], Iterable[int]], Callback] | None = None  # within _watched

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # ---- settings ----------------------------------------------------------

    def _keep(self, keywords: dict[str, Any]) -> None:
        """Sets what a constructor was given, its locals(), as attributes."""
        self.__dict__.update({name: value for name, value in keywords.items() if name != "self"})

    @classmethod
    def _keywords(cls) -> list[str]:
        """The keywords that are options of the library's, but the algorithm."""
        return [name for name in inspect.signature(cls).parameters if name in OPTIONS and name != "algorithm"]

    def _seed(self) -> int:
        state = self.random_state
        if isinstance(state, numbers.Integral):
            return int(state)
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**31))
        return int(check_random_state(state).randint(2**31 - 1))

    def _given(self, algorithm: Any) -> dict[str, Any]:
        """Options that the class gives, and no keyword."""
        return {}

    def _options(self, dimension: int, X: Any, stream: bool) -> dict[str, Any]:
        algorithm = find_algorithm(self.algorithm)
        if algorithm.name not in self._algorithms:
            raise UsageError(
                f"{algorithm.name} is no algorithm of {type(self).__name__}: it has {', '.join(self._algorithms)}"
            )
        options = {name: getattr(self, name) for name in self._keywords()}
        del options["costs"]
        options.update(self._given(algorithm), algorithm=algorithm.name)
        if isinstance(X, MeteredSource):
            _lower(options, "k", X.k)
            if not stream:  # a stream may go on with another source: this one refuses by itself
                attributes, money = X.left()
                _lower(options, "budget", attributes)
                _lower(options, "budget_cost", money)
        if options["k"] is None and needs_k(algorithm, options):
            options["k"] = default_k(algorithm, dimension, options)
        return options

    def _settings(self, source: Source, X: Any, stream: bool = False) -> Settings:
        options = self._options(source.dimension, X, stream)
        if stream:
            options.update(passes=None, examples=None)
        self.seed_ = self._seed()
        self._begun_with = self._wishes()
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
        if np.ma.isMaskedArray(X):
            X = unmasked(X)
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
        self._agree_on_names(source, reset)
        log_target = getattr(self, "log_target", None)
        if y is not None and log_target is not None and as_text(OPTIONS["log_target"], log_target) == b"yes":
            c.source_log_target(source)
        return source

    def _agree_on_names(self, source: Source, reset: bool) -> None:
        """Where scikit-learn sees no names and the source has some, they count as its would."""
        mine, names = getattr(self, "feature_names_in_", None), source.find_names()
        if names is None:
            source.set_names(None if mine is None else list(mine))
        elif reset and mine is None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif mine is not None and list(mine) != names:
            raise ValueError(
                "The feature names should match those that were passed during fit.\n"
                f"Expected {', '.join(map(str, mine[:5]))}{' ...' if len(mine) > 5 else ''}, and X has "
                f"{', '.join(names[:5])}{' ...' if len(names) > 5 else ''}."
            )

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
        """A failure leaves the estimator as it was; so does a Ctrl-C that came before anything was learned.
        Nobody else may learn meanwhile: not a callback, not another thread."""
        if id(self) in _AT_WORK:
            raise MisuseError("the estimator is learning already: in another thread, or it was called from a callback")
        _AT_WORK.add(id(self))
        before = dict(self.__dict__)
        try:
            yield before
        except BaseException as raised:
            learned = self.__dict__.get("model_") is not before.get("model_")
            if not (isinstance(raised, KeyboardInterrupt) and learned):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise
        finally:
            _AT_WORK.discard(id(self))

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
        stops: Iterable[int] = ()
        callback = self.callback
        if self._watch is not None:
            stops, callback = self._watch[0](int(c.fit_horizon(fit.own))), self._watch[1]
        try:
            fit.run(callback, self.verbose, stops)
        except KeyboardInterrupt:
            self._take(fit)
            raise
        # a fit that goes on from a pickled one does not know that errors are wanted
        self._take(fit, errors=bool(self.errors) or value_of(c.fit_settings(fit.own), "errors"))

    def _take(self, fit: Fit, errors: bool = False) -> None:
        model = fit.model()
        if errors:
            try:
                model = fit.add_errors(model)
            except (DataError, MisuseError, OutOfMemoryError) as why:  # the model is as good without them
                warn(f"there are no errors: {why}")
        self._set_model(model)
        facts = fit.facts()  # after the model, which brings the regressor of a dense algorithm up to date
        self.risk_estimate_ = facts.risk
        self.risk_error_ = facts.risk_error
        self.scale_ = facts.scale
        self.n_iter_ = int(facts.told)
        self.budget_spent_ = bool(c.fit_budget_spent(fit.own))
        fit.source.let_go()  # the data are the caller's again
        # A fit that is spent stays so, even if it was a source's budget that ended it: another one goes on.
        anew = fit.source.holds or self.budget_spent_
        self._fit: Fit | None = None if anew else fit
        self._kept_learner: bytes | None = fit.learner() if anew else None

    def _set_model(self, model: Model) -> None:
        self.model_ = model
        self.algorithm_ = str(model.settings["algorithm"])
        self.coef_ = model.coef
        self.intercept_ = model.intercept
        self.purchases_ = model.purchases
        self.ledger_ = model.ledger
        self.attributes_bought_ = model.ledger["attributes_bought"]
        self.cost_spent_ = model.ledger["money_spent"]
        self.coef_error_ = model.coef_error
        self.intercept_error_ = model.intercept_error

    def conf_int(self, level: float = 0.9, intercept: bool = False) -> np.ndarray:
        """Intervals of the weights, after a fit with ``errors=True``: (n_features, 2); with ``intercept`` its own comes
        first."""
        check_is_fitted(self)
        return self.model_.conf_int(level, intercept)

    def summary(self, level: float = 0.9) -> Summary:
        """Weights with errors and intervals as a table to print, after a fit with ``errors=True``."""
        check_is_fitted(self)
        return self.model_.summary(level)

    def _fit_source(self, X: Any, source: Source, looks: Any = None, pairs: Any = None) -> Fit:
        """Returns the fit, to warn of once all is settled."""
        settings = self._settings(source, X)
        fit = Fit.new(settings, source)
        self.algorithm_why_ = fit.choice()
        self.__dict__.pop("looks_", None)
        if looks is not True:
            with fit.keeping(None if looks is False else looks, pairs):
                self._learn(fit)
            return fit
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "looks.npy")
            try:
                with fit.keeping(file, pairs):
                    self._learn(fit)
            finally:
                if os.path.exists(file):
                    self.looks_ = np.load(file)
        return fit

    def _feed_source(self, X: Any, source: Source, before: dict[str, Any]) -> Fit:
        """One batch of a stream; ``before`` is the state that comes back if it fails."""
        if "model_" not in before:
            begun = Fit.stream(self._settings(source, X, stream=True), source)
            self.algorithm_why_ = begun.choice()
            self._learn(begun)
            return begun
        self._check_unchanged()
        fit, learner = self._fit, self._kept_learner
        if fit is None:
            assert learner is not None
            fit = Fit.resume(self.model_, learner, source)
        else:
            # The fit is about to change: what comes back is its learner, as text.
            before.update(_fit=None, _kept_learner=fit.learner())
            fit.feed(source)
        self._learn(fit)
        return fit

    def _wishes(self) -> dict[str, bytes | None]:
        """The options as they are set now, as texts that can be compared."""
        names = [name for name in self._keywords() if name not in ("costs", "passes", "examples")]
        values = {name: getattr(self, name) for name in ("algorithm", *names)}
        return {name: None if value is None else as_text(OPTIONS[name], value) for name, value in values.items()}

    def _check_unchanged(self) -> None:
        """A learner goes on with what it began with."""
        now = self._wishes()
        for name, then in self._begun_with.items():
            if now.get(name) != then:
                was = "not set" if then is None else f"'{then.decode()}'"
                raise UsageError(
                    f"{name} is {getattr(self, name)!r} now and was {was} when the learning began: fit anew, or set "
                    "it back"
                )

    def _decide(self, X: Any) -> np.ndarray:
        """The linear prediction for each row; NaN counts as its attribute's mean."""
        check_is_fitted(self)
        return self.model_.predict_source(self._source(X))

    def query(self, prices: Any = None, level: float = 0.9) -> Query:
        """One prediction, for which attributes are bought one after another; the algorithm is ``gaussian``: see
        :class:`scant.Query`.  ``prices`` are as ``costs``; None takes those of the fit."""
        check_is_fitted(self)
        return self.model_.query(prices, level)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.get("_fit") is not None and id(self) in _AT_WORK:
            raise MisuseError("the estimator is learning: it can't be pickled before that is done")
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
    if options.get(name) is None or not float(options[name]) or limit < float(options[name]):
        options[name] = limit


def required(estimator: Any, y: Any) -> Any:
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    return y
