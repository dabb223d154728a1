"""Scant: linear models when every attribute has a price.

For each training example the learner chooses a few attributes to look at, is told
their values and the target, and learns; it never sees a value that it did not ask for,
and every look is in a ledger.

  LimitedRegressor, LimitedRidge, LimitedLasso, LimitedSVR, LimitedClassifier
                   estimators for scikit-learn (which they need)
  Learner, Look    ask and tell: wherever the values come from
  MeteredSource    examples from a function of yours, with a budget
  Model            the command's model files
  Query            a prediction for which attributes are bought one by one
  Study            ask today, tell next week: one file that loses nothing
  connect          the same interface for a study that a service keeps
  budget_curve     error against attributes, examples or money
  plan             which K to take, and what an error costs, from a pilot
  algorithms       the table of algorithms

scant.distributed learns from tables that are larger than one machine.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _library
from ._errors import (
    BudgetSpent,
    DataError,
    EngineError,
    FileError,
    MisuseError,
    NoInputError,
    OutOfMemoryError,
    ScantError,
    ScantWarning,
    ServiceError,
    StudyBusy,
    StudyChanged,
    UsageError,
)
from ._fit import Progress
from ._learner import Learner, Look
from ._metered import MeteredSource
from ._model import Model
from ._options import Algorithm, algorithms
from ._plan import Plan, plan
from ._query import Query

if TYPE_CHECKING:
    from . import (
        curves as curves,
        distributed as distributed,
        estimators as estimators,
        remote as remote,
        study as study,
    )
    from .curves import BudgetCurve, budget_curve
    from .estimators import LimitedClassifier, LimitedLasso, LimitedRegressor, LimitedRidge, LimitedSVR
    from .remote import RemoteStudy, connect
    from .study import Attribute, Study

__version__: str = _library.version().decode()

__all__ = [
    "Algorithm",
    "Attribute",
    "BudgetCurve",
    "BudgetSpent",
    "DataError",
    "EngineError",
    "FileError",
    "Learner",
    "LimitedClassifier",
    "LimitedLasso",
    "LimitedRegressor",
    "LimitedRidge",
    "LimitedSVR",
    "Look",
    "MeteredSource",
    "MisuseError",
    "Model",
    "NoInputError",
    "OutOfMemoryError",
    "Plan",
    "Progress",
    "Query",
    "RemoteStudy",
    "ScantError",
    "ScantWarning",
    "ServiceError",
    "Study",
    "StudyBusy",
    "StudyChanged",
    "UsageError",
    "algorithms",
    "budget_curve",
    "connect",
    "plan",
]

# Users meet them under this name, in tracebacks too.
for _name in __all__:
    if isinstance(globals().get(_name), type):
        globals()[_name].__module__ = __name__

# Loaded on first use: estimators and curves need scikit-learn, and the rest does not.
_LAZY = {
    "curves": ("BudgetCurve", "budget_curve"),
    "estimators": ("LimitedClassifier", "LimitedLasso", "LimitedRegressor", "LimitedRidge", "LimitedSVR"),
    "remote": ("RemoteStudy", "connect"),
    "study": ("Attribute", "Study"),
}
_MODULES = {*_LAZY, "distributed"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    for module, names in _LAZY.items():
        if name in names:
            return getattr(importlib.import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'scant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
