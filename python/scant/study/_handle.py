"""An open study as the library has it, and what it says of itself."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Iterator
from ctypes import byref
from typing import Any

from .. import _library as c
from .._errors import MisuseError, StudyBusy
from .._model import settings_of
from .._options import Settings, value_of
from ._catalogue import Attribute
from ._words import attribute_of

_MODES = {"read": 0, "write": 2}  # scant_study_mode: those that write share the study
_NOT_OF_STUDIES = ("classes", "log_target", "passes", "shuffle", "split")


class _Watch:
    """Lets Python handle signals while the library waits: what a handler raises ends the waiting, and comes out of
    it."""

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        watching = self._watching()
        next(watching)  # to inside its try
        self.stop = c.StudyStop(functools.partial(next, watching))

    def _watching(self) -> Iterator[int]:
        """A generator, since that goes on inside its ``try``.  A handler may run before the first line of a
        function."""
        while True:
            try:
                yield int(self.raised is not None)
            except GeneratorExit:
                return
            except BaseException as raised:
                self.raised = raised

    def raise_it(self) -> None:
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised from None


class Handle:
    """An open scant_study, of the process that opened it alone."""

    def __init__(self, path: bytes, mode: str, wait: float, given: Settings) -> None:
        self.process = os.getpid()
        self.lock = threading.RLock()
        self.pointer: Any = ctypes.c_void_p()
        self._watch = _Watch()
        self._read: int | None = None  # how often it was renewed when this was read:
        self._known: tuple[tuple[Attribute, ...], str, dict[str, Any]] = ((), "", {})
        try:
            c.study_open_waiting(
                byref(self.pointer), path, _MODES[mode], byref(c.StudyWait(wait, self._watch.stop)), given
            )
        except StudyBusy:
            self._watch.raise_it()
            raise

    def __enter__(self) -> Any:
        if self.process != os.getpid():  # before the lock, which a thread of the other process may have held
            raise MisuseError("the study was opened by another process: each opens it for itself")
        self.lock.acquire()
        if self.pointer.value is None:
            self.lock.release()
            raise MisuseError("the study is closed")
        return self.pointer

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is StudyBusy:
                self._watch.raise_it()
        finally:
            self.lock.release()

    def about(self) -> tuple[tuple[Attribute, ...], str, dict[str, Any]]:
        """Catalogue, target and settings, as they were when the study was last used."""
        if self.pointer.value is None or self.process != os.getpid():
            return self._known
        with self as own:
            renewals = c.study_renewals(own)
            if renewals != self._read:
                self._known = self._read_all(own)
                self._read = renewals
            return self._known

    def _read_all(self, own: Any) -> tuple[tuple[Attribute, ...], str, dict[str, Any]]:
        count = c.study_dimension(own)
        attributes = tuple(attribute_of(c.study_attribute_at(own, i).contents) for i in range(count))
        given = c.study_settings(own)
        settings = {name: value for name, value in settings_of(given).items() if name not in _NOT_OF_STUDIES}
        settings["max_open"] = value_of(given, "max_open")
        settings["missing_reasons"] = tuple(c.study_missing_reasons(own).decode().split(", "))
        settings["second_entry"] = bool(c.study_second_entry(own))
        return attributes, c.study_target(own).decode(), settings

    def close(self) -> None:
        """In a process that was forked off, the file is left alone: it is the other one's."""
        if self.process != os.getpid():
            return
        with self.lock:
            pointer, self.pointer = self.pointer, ctypes.c_void_p()
            if pointer.value is not None:
                c.study_close(pointer)

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.close()


class Opened:
    """What the parts of a study share."""

    _handle: Handle

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The catalogue."""
        return self._handle.about()[0]

    @property
    def target(self) -> str:
        """The name by which the target is told."""
        return self._handle.about()[1]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the study was made with."""
        return dict(self._handle.about()[2])
