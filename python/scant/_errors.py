"""Exceptions: each carries the library's sentence, and is also the built-in
exception that Python's users expect there; and warnings."""

from __future__ import annotations

import sys
import warnings


class ScantError(Exception):
    """Whatever the library refuses."""


class UsageError(ScantError, ValueError):
    """A setting is wrong whatever the data."""


class DataError(ScantError, ValueError):
    """The data are wrong, or do not fit the settings."""


class NoInputError(ScantError, FileNotFoundError):
    """There is no such file."""


class FileError(ScantError, OSError):
    """Reading or writing failed."""


class OutOfMemoryError(ScantError, MemoryError):
    """There is not enough memory."""


class MisuseError(ScantError, RuntimeError):
    """A call out of order: a look told twice, more looks open than may be."""


class BudgetSpent(ScantError, RuntimeError):
    """A limit does not cover what was asked for; nothing was bought."""


class StudyBusy(ScantError, BlockingIOError):
    """Another handle is writing to the study: try again later."""


class EngineError(ScantError, RuntimeError):
    """The engine of a distributed fit is gone, or makes no progress.  A checkpoint has what was bought."""


class ServiceError(ScantError, OSError):
    """What only a service can say: the token is not taken or does not allow it, too many tries, no connection, an
    answer that is none of ours.

    Attributes
    ----------
    status : int or None
        Of HTTP; None: there was no answer.
    code : str or None
        A word for the reason, such as "token", "role" or "throttled"; None: the answer had none.
    request : str or None
        The name of the request in the log of the service.
    """

    status: int | None
    code: str | None
    request: str | None

    def __init__(
        self, sentence: str = "", *, status: int | None = None, code: str | None = None, request: str | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.code, self.request = status, code, request


class StudyChanged(ServiceError):
    """Somebody else changed what you were about to change since you last looked at it; nothing was done."""


class ScantWarning(UserWarning):
    """A fit that may not be worth its money, or is outside its theorem's bounds."""


_BETWEEN = ("scant", "sklearn", "joblib", "pyspark")  # packages between a user's line and a warning


def warn(sentence: str) -> None:
    """A ScantWarning that points at the line of the user."""
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, ScantWarning, stacklevel=level)


# In the order of scant_status.
_KINDS = (
    ScantError,
    UsageError,
    DataError,
    NoInputError,
    FileError,
    OutOfMemoryError,
    MisuseError,
    BudgetSpent,
    StudyBusy,
    ScantError,  # stopped by a watcher, of which this package has none
)


def failure(status: int, sentence: str) -> ScantError:
    return _KINDS[status if 0 < status < len(_KINDS) else 0](sentence)
