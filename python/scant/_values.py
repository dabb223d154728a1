"""Values of a block on their way to its sums: a large block is more than the caches hold, so every pass over it counts."""

from __future__ import annotations

from typing import Any

import numpy as np

_TILE = 1024  # rows that are turned at once: what was read of them is still in the cache


def unmasked(values: Any) -> np.ndarray:
    """An array of NumPy's; what was masked is NaN (None among texts), and not what is under the mask."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return np.asarray(values)
    kind = values.dtype.kind
    if kind in "biuf":
        return np.ma.filled(values if kind == "f" else values.astype(np.float64), np.nan)
    texts = values.data.astype(object)
    texts[np.ma.getmaskarray(values)] = None
    return texts


def columns_of(rows: Any, attributes: np.ndarray) -> np.ndarray:
    """Some attributes of an array of rows, each on its own, as float64."""
    values = np.empty((len(attributes), rows.shape[0]))
    for begin in range(0, rows.shape[0], _TILE):
        values[:, begin : begin + _TILE] = rows[begin : begin + _TILE, attributes].T
    return values


def are_finite(values: np.ndarray) -> bool:
    """True: there is neither NaN nor infinity among them.  False: there may be (finite sums can overflow, too)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def infinite(values: np.ndarray) -> tuple[int, int] | None:
    """The place of the first value that is infinite; None: there is none."""
    if are_finite(values):
        return None
    wild = np.argwhere(np.isinf(values))
    return (int(wild[0][0]), int(wild[0][1])) if len(wild) else None
