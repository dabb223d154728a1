"""Catalogues of studies: what can be measured, from files, frames and mappings."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import os
from collections.abc import Iterable, Mapping
from ctypes import byref, c_size_t
from typing import Any

from .. import _library as c
from .._errors import DataError
from .._prices import hundredths


@dataclasses.dataclass(frozen=True)
class Attribute:
    """Something that can be measured of an example."""

    name: str
    unit: str | None = None
    cost: float = 0  #: at most two decimals
    low: float | None = None  #: values below are refused
    high: float | None = None  #: values above are refused
    group: str | None = None  #: attributes of one group are bought together, such as a blood panel
    known: bool = False  #: always known: costs nothing and is in every order
    usual_low: float | None = None  #: values below are unusual: they are taken only if they are confirmed
    usual_high: float | None = None  #: values above are unusual
    retired: bool = False  #: not ordered any more


_FIELDS = tuple(field.name for field in dataclasses.fields(Attribute))


def is_hole(value: Any) -> bool:
    """None, NaN and what pandas puts where nothing is."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def text_of(value: Any, what: str) -> bytes:
    """A text for the library, which ends at a null character."""
    if not isinstance(value, str):
        raise DataError(f"{what} is {value!r}, which is no text")
    try:
        text = value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{what} is {value!r}, which can't be written as UTF-8") from None
    if b"\0" in text:
        raise DataError(f"{what} is {value!r}, which has a null character in it")
    return text


def number_of(value: Any, what: str) -> float:
    """A number; a text is none, though it may look like one."""
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise DataError(f"{what} is {value!r}, which is not a number")


def _flag(value: Any, what: str) -> bool:
    if isinstance(value, str):
        if value not in ("yes", "no"):
            raise DataError(f"{what} is {value!r}, which is neither yes nor no")
        return value == "yes"
    return bool(value)


def _entry(entry: Any, place: int) -> Mapping[str, Any]:
    if isinstance(entry, Attribute):
        return {name: getattr(entry, name) for name in _FIELDS}
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, Mapping):
        raise DataError(f"entry {place + 1} of the catalogue is {entry!r}: neither an Attribute nor a mapping")
    unknown = [key for key in entry if key not in _FIELDS]
    if unknown:
        raise DataError(f"the catalogue has a column {unknown[0]!r}; it has only {', '.join(_FIELDS)}")
    return entry


def _is_blank(key: str, value: Any) -> bool:
    """A unit or a group of nothing but blanks is none, as an empty cell of a file is."""
    return key in ("unit", "group") and isinstance(value, str) and not value.strip()


def _fill(row: c.StudyAttribute, entry: Mapping[str, Any], place: int) -> None:
    """One entry of the catalogue; what is empty is left at its default."""
    given = {key: value for key, value in entry.items() if not is_hole(value) and not _is_blank(key, value)}
    if "name" not in given:
        raise DataError(f"entry {place + 1} of the catalogue has no name")
    of = f"{given['name']!r}"
    row.name = text_of(given["name"], f"the name of entry {place + 1} of the catalogue")
    for name in ("unit", "group"):
        setattr(row, name, text_of(given[name], f"the {name} of {of}") if name in given else None)
    row.cost = hundredths(given.get("cost", 0), of)
    for name in ("low", "high", "usual_low", "usual_high"):
        setattr(row, name, number_of(given.get(name, math.nan), f"the {name} of {of}"))
    for name in ("retired", "known"):
        setattr(row, name, _flag(given.get(name, False), f"the {name} of {of}"))


def _entries(catalogue: Any) -> list[Any]:
    """The entries of a sequence, or the rows of a frame."""
    if hasattr(catalogue, "columns"):
        if hasattr(catalogue, "to_dicts"):  # polars
            return list(catalogue.to_dicts())
        return list(catalogue.to_dict("records"))
    if isinstance(catalogue, Mapping) or not isinstance(catalogue, Iterable):
        raise DataError("a catalogue is the path of a CSV file, a frame, or a sequence of Attributes or mappings")
    return list(catalogue)


class Catalogue:
    """An array of scant_study_attribute."""

    def __init__(self, catalogue: Any) -> None:
        self._loaded: Any = None
        if isinstance(catalogue, (str, bytes, os.PathLike)):
            count = c_size_t()
            self.rows: Any = ctypes.POINTER(c.StudyAttribute)()
            c.study_catalogue_load(byref(self.rows), byref(count), os.fsencode(catalogue))
            self._loaded, self.count = self.rows, count.value
            return
        entries = _entries(catalogue)
        self.count = len(entries)
        self.rows = (c.StudyAttribute * max(1, self.count))()
        for place, entry in enumerate(entries):
            _fill(self.rows[place], _entry(entry, place), place)

    def __del__(self) -> None:
        if getattr(self, "_loaded", None):
            c.study_catalogue_free(self._loaded)
            self._loaded = None
