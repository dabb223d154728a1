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
  connect          the same of a study that a service has
  budget_curve     error against attributes, examples or money
  plan             which K to take, and what an error costs, from a pilot
  algorithms       the table of algorithms

Tables that are larger than one machine are for the module scant.distributed.
"""

from __future__ import annotations

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
    from ._remote import RemoteStudy, connect
    from .curves import BudgetCurve, budget_curve
    from .estimators import LimitedClassifier, LimitedLasso, LimitedRegressor, LimitedRidge, LimitedSVR
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

_ESTIMATORS = {"LimitedClassifier", "LimitedLasso", "LimitedRegressor", "LimitedRidge", "LimitedSVR"}
_CURVES = {"BudgetCurve", "budget_curve"}
_STUDIES = {"Attribute", "Study"}
_REMOTE = {"RemoteStudy", "connect"}


def __getattr__(name: str) -> Any:
    """Estimators and curves are loaded when they are asked for: they need scikit-learn, the rest does not; studies
    likewise, which not every build has, and those of services, which need HTTP."""
    if name in _ESTIMATORS:
        from . import estimators

        return getattr(estimators, name)
    if name in _CURVES:
        from . import curves

        return getattr(curves, name)
    if name in _STUDIES:
        from . import study

        return getattr(study, name)
    if name in _REMOTE:
        from . import _remote

        return getattr(_remote, name)
    raise AttributeError(f"module 'scant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
