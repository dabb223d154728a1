"""What leaves a study: tables, which are read back here too, and frozen copies."""

from __future__ import annotations

import csv
import math
import os
import tempfile
from ctypes import byref
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _library as c
from .._fit import path_of
from ._catalogue import text_of
from ._handle import Opened
from ._records import Frozen
from ._words import record_of, time_of

if TYPE_CHECKING:
    from pandas import DataFrame


# ---- tables, read back


def dictionary_of(table: str | os.PathLike[str]) -> str:
    """Where the dictionary of a table goes if nobody says it."""
    return os.fspath(table).removesuffix(".csv") + "-dictionary.csv"


def _is_number(text: str) -> bool:
    try:
        return set(text) <= set("0123456789.eE+-") and math.isfinite(float(text))
    except ValueError:
        return False


def _unguarded(text: str) -> str:
    """Without the apostrophe that keeps a spreadsheet from running the text."""
    rest = text.lstrip("'")
    return text[1:] if text[:1] == "'" and rest and rest[0] in "=+-@\t\r\n" and not _is_number(rest) else text


def _column(kind: str, cells: list[str]) -> list[Any]:
    if kind in ("number", "money"):
        return [float(cell) if cell else math.nan for cell in cells]
    if kind == "time":
        return [time_of(cell) if cell else None for cell in cells]
    return [_unguarded(cell) if cell else None for cell in cells]


def frame_of(table: str, dictionary: str) -> DataFrame:
    """A table with one row per example, by the types in its dictionary."""
    import pandas

    with open(dictionary, newline="", encoding="utf-8") as file:
        kinds = [row["type"] for row in csv.DictReader(file)]
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = {}
    for i, (name, kind) in enumerate(zip(rows[0], kinds, strict=True)):
        cells = _column(kind, [row[i] for row in rows[1:]])
        columns[_unguarded(name)] = pandas.to_datetime(pandas.Series(cells), utc=True) if kind == "time" else cells
    return pandas.DataFrame(columns).set_index("example")


# The columns of a file of looks, as docs/looks.md has them; NPY counts from 0 what CSV counts from 1.
_LOOKS = {
    "example": "<u8", "pass": "<u4", "attribute": "<u4", "item": "<u4", "value": "<f8", "target": "<f8",
    "draws": "<u4", "draws_total": "<u4", "probability": "<f8", "residual_draws": "<u4", "residual_total": "<u4",
    "residual_probability": "<f8", "certain": "?", "price": "<f8", "inclusion": "<f8",
}  # fmt: skip
_FROM_1 = ("pass", "item")


def looks_of(table: str, orders: dict[str, int], attributes: dict[str, int]) -> np.ndarray:
    """The looks in a CSV file as the array that NPY has, by the numbers (from 0) of orders and attributes."""
    lines = []
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells: dict[str, Any] = {"example": orders[_unguarded(row["example"])]}
            cells["attribute"] = attributes[_unguarded(row["attribute"])]
            for name, kind in _LOOKS.items():
                if name not in cells:
                    number = float(row[name]) if row[name] else math.nan
                    cells[name] = number if kind == "<f8" else int(number) - (name in _FROM_1)
            lines.append(tuple(cells[name] for name in _LOOKS))
    return np.array(lines, dtype=list(_LOOKS.items()))


# ---- writing them


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
        return record_of(Frozen, frozen)

    def check_frozen(self) -> Frozen:
        """Compares a frozen copy with the text beside it; :class:`DataError` says what is different.
        :meth:`verify` proves the rest."""
        frozen = c.StudyFrozen()
        with self._handle as own:
            c.study_check_frozen(own, byref(frozen))
        return record_of(Frozen, frozen)

    @property
    def frozen(self) -> str | None:
        """The name of a frozen copy; None: it is none."""
        with self._handle as own:
            name = c.study_frozen_name(own)
        return name.decode() if name else None
