"""Files that are written whole, or what was there stays: as the library writes them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from types import TracebackType
from typing import BinaryIO

from .._errors import FileError, UsageError
from .._fit import path_of

Path = str | os.PathLike[str]


class Replacing:
    """A file beside the one that it replaces; that one stays until :meth:`end`.

    If the path is a link, what it leads to is replaced.  What is no regular file, such as a pipe, is written at the
    end.
    """

    def __init__(self, path: Path) -> None:
        path_of(path)
        self.path = os.fspath(path)
        self.real = os.path.realpath(self.path)
        self._mode: int | None = None
        self._direct = False
        try:
            self._check()
            folder = None if self._direct else os.path.dirname(self.real)
            self.file, self._name = _make_beside(self.real, folder)
        except OSError as failed:
            raise self._unwritten(failed) from failed

    def _check(self) -> None:
        try:
            facts = os.stat(self.real)
        except FileNotFoundError:
            return
        if stat.S_ISDIR(facts.st_mode):
            raise FileError(f"can't write '{self.path}': it is a folder")
        self._direct = not stat.S_ISREG(facts.st_mode)
        if not self._direct and not facts.st_mode & 0o222:  # a rename would not ask
            raise FileError(f"can't write '{self.path}': the file is read-only")
        self._mode = stat.S_IMODE(facts.st_mode)

    def _unwritten(self, failed: OSError) -> FileError:
        return failed if isinstance(failed, FileError) else FileError(f"can't write '{self.path}': {failed.strerror}")

    def end(self) -> None:
        """Gives it its last name."""
        try:
            self.file.flush()
            if self._direct:
                self._copy()
                return
            if self._mode is not None:
                os.fchmod(self.file.fileno(), self._mode)
            os.fsync(self.file.fileno())
            self.file.close()
            os.replace(self._name, self.real)
            self._name = ""
            _sync_folder(os.path.dirname(self.real))
        except OSError as failed:
            raise self._unwritten(failed) from failed

    def _copy(self) -> None:
        self.file.seek(0)
        with open(self.real, "wb") as target:
            while piece := self.file.read(1 << 16):
                target.write(piece)

    def abandon(self) -> None:
        self.file.close()
        if self._name:
            os.unlink(self._name)
            self._name = ""

    def __enter__(self) -> Replacing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()


def _make_beside(real: str, folder: str | None) -> tuple[BinaryIO, str]:
    """A new file in the folder, with the mode that a file gets there; None: one without a name."""
    if folder is None:
        return tempfile.TemporaryFile(), ""
    for number in range(1000):
        name = f"{real}.scant-{os.getpid()}-{number}.tmp"
        try:
            end = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
        with contextlib.suppress(OSError):  # the library takes a file of this name without a lock for one left behind
            fcntl.flock(end, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return open(end, "w+b"), name
    raise FileExistsError(17, "there are too many unfinished files beside it")


def _sync_folder(folder: str) -> None:
    """Without this the new name itself may be lost in a crash."""
    try:
        file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(file)
    except OSError:
        pass  # some file systems can't sync a folder; the file is whole all the same
    finally:
        os.close(file)


def need_two(a: Replacing, b: Replacing) -> None:
    if a.real == b.real:
        raise UsageError(f"the table and its dictionary can't both be in '{a.path}'")
