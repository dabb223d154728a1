"""What leaves a study that a service has: tables and looks, in files that are written whole, and frozen copies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .._errors import FileError, UsageError
from .._fit import path_of
from ..study._catalogue import text_of
from ..study._out import dictionary_of, frame_of, looks_of
from ..study._records import Frozen
from ._link import Linked
from ._records import frozen_of, order_of, shaped
from ._wire import Unwritten

if TYPE_CHECKING:
    from pandas import DataFrame

Path = str | os.PathLike[str]


# ---- files that are written whole, or what was there stays: as the library writes them


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


# ---- tables, looks and frozen copies


class RemoteOut(Linked):
    """Tables and frozen copies of a :class:`RemoteStudy`."""

    def _fetch(self, name: str, file: BinaryIO, path: Any, pseudonyms: bool = False) -> None:
        query: Mapping[str, Any] = {"pseudonyms": "yes" if pseudonyms else None}
        try:
            self._wire.download(f"{self._path}/export/{name}", query, file)
        except Unwritten as failed:
            cause = failed.__cause__
            raise FileError(f"can't write '{path}': {getattr(cause, 'strerror', cause)}") from cause

    def export_csv(self, path: Path, dictionary: Path | None = None, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.export_csv`.  A token of the role *read* needs ``pseudonyms``."""
        if dictionary is None:
            dictionary = dictionary_of(path)
        with Replacing(path) as table, Replacing(dictionary) as columns:
            need_two(table, columns)
            self._fetch("examples.csv", table.file, path, pseudonyms)
            self._fetch("dictionary.csv", columns.file, dictionary, pseudonyms)
            table.end()
            columns.end()

    def export_events(self, path: Path, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.export_events`.  A token of the role *read* needs ``pseudonyms``."""
        with Replacing(path) as table:
            self._fetch("events.csv", table.file, path, pseudonyms)
            table.end()

    def to_frame(self, *, pseudonyms: bool = False) -> DataFrame:
        """As :meth:`Study.to_frame`."""
        with tempfile.TemporaryDirectory() as folder:
            table, dictionary = os.path.join(folder, "table.csv"), os.path.join(folder, "columns.csv")
            self.export_csv(table, dictionary, pseudonyms=pseudonyms)
            return frame_of(table, dictionary)

    def looks(self) -> np.ndarray:
        """As :meth:`Study.looks`."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "looks.csv")
            self.write_looks(table)
            learned = self._wire.pages(self._path + "/orders", {"state": "learned"})
            orders = {order.example: order.number - 1 for order in (shaped(order_of, item) for item in learned)}
            places = {attribute.name: i for i, attribute in enumerate(self._about().attributes)}
            return shaped(looks_of, table, orders, places)

    def write_looks(self, path: Path, pairs: Path | None = None, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.write_looks`, without ``pairs``, which a service does not give."""
        if pairs is not None:
            raise UsageError("a service does not give the probabilities of pairs: open the file of the study for them")
        text = os.fsdecode(path).lower()
        if not text.endswith((".csv", ".npy")):
            raise UsageError(f"the name of '{os.fsdecode(path)}' ends neither in .csv nor in .npy")
        with Replacing(path) as table:
            if text.endswith(".npy"):
                np.save(table.file, self.looks())
            else:
                self._fetch("looks.csv", table.file, path, pseudonyms)
            table.end()

    @property
    def frozen(self) -> str | None:
        """None: what is served can be written to, so it is no frozen copy."""
        return None

    def freeze(self, name: str, path: None = None) -> Frozen:
        """As :meth:`Study.freeze`, but the copy is put beside the file of the study, where the service runs; a ``path``
        is refused."""
        if path is not None:
            raise UsageError("a service puts a frozen copy beside the file of the study: give a name alone")
        body = {"name": text_of(name, "the name of the frozen copy").decode()}
        return shaped(frozen_of, self._wire.data(self._act("/freezes", body)))
