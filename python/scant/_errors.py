"""Exceptions: each carries the library's sentence, and is also the built-in
exception that Python's users expect there."""

from __future__ import annotations


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


class ScantWarning(UserWarning):
    """A fit that may not be worth its money, or is outside its theorem's bounds."""


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
