"""Parameters of estimators where scikit-learn is not there: what its BaseEstimator has of them."""

from __future__ import annotations

import inspect
from typing import Any

from ..._errors import UsageError


class BaseEstimator:
    @classmethod
    def _names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What the estimator was made with."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **values: Any) -> Any:
        """Sets some of it; returns the estimator."""
        for name, value in values.items():
            if name not in self._names():
                raise UsageError(f"{name} is no parameter of {type(self).__name__}: it has {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        said = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults[name].default]
        return f"{type(self).__name__}({', '.join(said)})"


class RegressorMixin:
    """Says nothing here."""


class ClassifierMixin:
    """Says nothing here."""
