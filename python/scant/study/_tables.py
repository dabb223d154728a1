"""Tables that a study has written, read back."""

from __future__ import annotations

import csv
import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._words import time_of

if TYPE_CHECKING:
    from pandas import DataFrame


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
