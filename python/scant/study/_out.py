"""What leaves a study: tables, and frozen copies."""

from __future__ import annotations

import os
import tempfile
from ctypes import byref
from typing import TYPE_CHECKING

from .. import _library as c
from .._fit import path_of
from ._catalogue import text_of
from ._handle import Opened
from ._records import Frozen
from ._tables import dictionary_of, frame_of
from ._words import time_of

if TYPE_CHECKING:
    from pandas import DataFrame


def _frozen_of(frozen: c.StudyFrozen) -> Frozen:
    return Frozen(
        name=frozen.name.decode(),
        at=time_of(frozen.at.decode()) if frozen.at else None,
        by=frozen.by.decode() or None,
        events=frozen.events,
        checksum=frozen.checksum,
        sha256=frozen.sha256.decode(),
    )


class Out(Opened):
    """Tables and frozen copies of a :class:`Study`."""

    def export_csv(
        self,
        path: str | os.PathLike[str],
        dictionary: str | os.PathLike[str] | None = None,
        *,
        pseudonyms: bool = False,
    ) -> None:
        """A table with one row per example, ordered or imported, and a dictionary of its columns, which
        docs/studies.md describes.  Both are written whole, or what was there stays.

        Parameters
        ----------
        path : path
        dictionary : path, optional
            Default: as ``path``, with "-dictionary.csv" in place of ".csv".
        pseudonyms : bool
            Put pseudonyms in place of the names of examples and people, the same in every export of this
            study, and leave out reasons, which may hold names.
        """
        if dictionary is None:
            dictionary = dictionary_of(path)
        with self._handle as own:
            c.study_export_examples(own, path_of(path), path_of(dictionary), bool(pseudonyms))

    def export_events(self, path: str | os.PathLike[str], *, pseudonyms: bool = False) -> None:
        """The ledger as CSV with one row per value that an event ordered or told, and one for other events."""
        with self._handle as own:
            c.study_export_events(own, path_of(path), bool(pseudonyms))

    def to_frame(self, *, pseudonyms: bool = False) -> DataFrame:
        """The table of :meth:`export_csv` as one of pandas, with the examples as its index: numbers are
        floats, times are in UTC, and what is not there is NaN, NaT or None."""
        with tempfile.TemporaryDirectory() as folder:
            table, dictionary = os.path.join(folder, "table.csv"), os.path.join(folder, "columns.csv")
            self.export_csv(table, dictionary, pseudonyms=pseudonyms)
            return frame_of(table, dictionary)

    def freeze(self, name: str, path: str | os.PathLike[str]) -> Frozen:
        """Freezes the study as it is under a name, for a paper: a copy in a new file that is never written to
        again, with a text beside it that has the name and the checksums.  The ledger records it."""
        frozen = c.StudyFrozen()
        with self._handle as own:
            c.study_freeze(own, text_of(name, "the name of the frozen copy"), path_of(path), byref(frozen))
        return _frozen_of(frozen)

    def check_frozen(self) -> Frozen:
        """Compares a frozen copy with the text beside it; :class:`DataError` says what is different.
        :meth:`verify` proves the rest."""
        frozen = c.StudyFrozen()
        with self._handle as own:
            c.study_check_frozen(own, byref(frozen))
        return _frozen_of(frozen)

    @property
    def frozen(self) -> str | None:
        """The name of a frozen copy; None: it is none."""
        with self._handle as own:
            name = c.study_frozen_name(own)
        return name.decode() if name else None
