"""Made by tools/python-stubs from the table of options; estimators.py has the code."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from typing_extensions import Self

from ._fit import Progress
from ._model import Model
from ._query import Query
from ._summary import Summary

class _Limited(BaseEstimator):
    coef_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    attributes_bought_: int
    purchases_: np.ndarray
    cost_spent_: float
    risk_estimate_: float
    risk_error_: float
    coef_error_: np.ndarray | None
    scale_: float
    n_iter_: int
    ledger_: dict[str, Any]
    budget_spent_: bool
    seed_: int
    algorithm_: str
    algorithm_why_: str | None
    looks_: np.ndarray
    model_: Model
    def conf_int(self, level: float = 0.9, intercept: bool = False) -> np.ndarray: ...
    def summary(self, level: float = 0.9) -> Summary: ...
    def query(self, prices: Any = None, level: float = 0.9) -> Query: ...

class _Regressor(RegressorMixin, _Limited):
    intercept_: float
    intercept_error_: float
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        looks: str | os.PathLike[str] | bool | None = None,
        looks_pairs: str | os.PathLike[str] | None = None,
    ) -> Self: ...
    def partial_fit(self, X: Any, y: Any) -> Self: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

class _Classifier(ClassifierMixin, _Limited):
    intercept_: np.ndarray
    intercept_error_: np.ndarray
    classes_: np.ndarray
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        looks: str | os.PathLike[str] | bool | None = None,
        looks_pairs: str | os.PathLike[str] | None = None,
    ) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

class LimitedClassifier(_Classifier):
    def __init__(
        self,
        *,
        algorithm: Literal[
            "default",
            "auto",
            "ridge",
            "lasso",
            "svr",
            "gaussian",
            "moments",
            "aerr",
            "aelr",
            "ddaerr",
            "ddaelr",
            "aesvr",
            "aer",
            "coinflip",
            "online-ridge",
            "online-lasso",
            "full-ridge",
            "full-lasso",
            "full-svr",
        ] = "default",
        k: int | None = None,
        radius: float | Literal["auto"] | None = None,
        eta: float | Literal["auto"] | None = None,
        penalty: float | Literal["auto"] | None = None,
        loss: Literal["squared", "insensitive", "absolute", "hinge", "huber", "logistic"] | None = None,
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
        average: Literal["all", "half", "last", "late"] | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Sequence[Any] | Mapping[Any, Any] | str | os.PathLike[str] | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Literal["error", "skip-cell", "skip-example"] | None = None,
        errors: bool | None = None,
        errors_of: str | Sequence[str] | None = None,
        threads: int | None = None,
        memory: float | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
    ) -> None: ...

class LimitedLasso(_Regressor):
    def __init__(
        self,
        *,
        algorithm: Literal[
            "lasso",
            "aelr",
            "ddaelr",
            "aer",
            "coinflip",
            "moments",
            "online-lasso",
            "full-lasso",
        ] = "lasso",
        k: int | None = None,
        radius: float | Literal["auto"] | None = None,
        eta: float | Literal["auto"] | None = None,
        penalty: float | Literal["auto"] | None = None,
        residual_looks: int | None = None,
        replacement: bool | None = None,
        center: bool | None = None,
        intercept: bool | None = None,
        standardise: bool | None = None,
        like_units: bool | None = None,
        clip: float | Literal["none"] | None = None,
        observed: bool | None = None,
        average: Literal["all", "half", "last", "late"] | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Sequence[Any] | Mapping[Any, Any] | str | os.PathLike[str] | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Literal["error", "skip-cell", "skip-example"] | None = None,
        errors: bool | None = None,
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
    ) -> None: ...

class LimitedRegressor(_Regressor):
    def __init__(
        self,
        *,
        algorithm: Literal[
            "default",
            "auto",
            "ridge",
            "lasso",
            "svr",
            "gaussian",
            "moments",
            "aerr",
            "aelr",
            "ddaerr",
            "ddaelr",
            "aesvr",
            "aer",
            "coinflip",
            "online-ridge",
            "online-lasso",
            "full-ridge",
            "full-lasso",
            "full-svr",
        ] = "default",
        k: int | None = None,
        radius: float | Literal["auto"] | None = None,
        eta: float | Literal["auto"] | None = None,
        penalty: float | Literal["auto"] | None = None,
        loss: Literal["squared", "insensitive", "absolute", "hinge", "huber", "logistic"] | None = None,
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
        average: Literal["all", "half", "last", "late"] | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Sequence[Any] | Mapping[Any, Any] | str | os.PathLike[str] | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Literal["error", "skip-cell", "skip-example"] | None = None,
        errors: bool | None = None,
        errors_of: str | Sequence[str] | None = None,
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
    ) -> None: ...

class LimitedRidge(_Regressor):
    def __init__(
        self,
        *,
        algorithm: Literal["ridge", "aerr", "ddaerr", "coinflip", "moments", "online-ridge", "full-ridge"] = "ridge",
        k: int | None = None,
        radius: float | Literal["auto"] | None = None,
        eta: float | Literal["auto"] | None = None,
        penalty: float | Literal["auto"] | None = None,
        residual_looks: int | None = None,
        replacement: bool | None = None,
        center: bool | None = None,
        intercept: bool | None = None,
        standardise: bool | None = None,
        like_units: bool | None = None,
        clip: float | Literal["none"] | None = None,
        observed: bool | None = None,
        average: Literal["all", "half", "last", "late"] | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Sequence[Any] | Mapping[Any, Any] | str | os.PathLike[str] | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Literal["error", "skip-cell", "skip-example"] | None = None,
        errors: bool | None = None,
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
    ) -> None: ...

class LimitedSVR(_Regressor):
    def __init__(
        self,
        *,
        algorithm: Literal["svr", "aesvr", "coinflip", "full-svr"] = "svr",
        k: int | None = None,
        radius: float | Literal["auto"] | None = None,
        eta: float | Literal["auto"] | None = None,
        loss: Literal["squared", "insensitive", "absolute", "hinge", "huber", "logistic"] | None = None,
        norm: Literal[1, 2] | None = None,
        tube: float | None = None,
        smoothing: float | None = None,
        replacement: bool | None = None,
        center: bool | None = None,
        intercept: bool | None = None,
        standardise: bool | None = None,
        like_units: bool | None = None,
        clip: float | Literal["none"] | None = None,
        average: Literal["all", "half", "last", "late"] | None = None,
        x_bound: float | None = None,
        block: int | None = None,
        passes: int | None = None,
        examples: int | None = None,
        shuffle: bool | None = None,
        budget: int | None = None,
        costs: Sequence[Any] | Mapping[Any, Any] | str | os.PathLike[str] | None = None,
        spend: float | None = None,
        budget_cost: float | None = None,
        thrift: bool | None = None,
        missing: Literal["error", "skip-cell", "skip-example"] | None = None,
        errors: bool | None = None,
        threads: int | None = None,
        memory: float | None = None,
        log_target: bool | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
    ) -> None: ...
