"""Values of a block on their way to its sums: a large block is more than the caches hold, so every pass counts."""

from __future__ import annotations

from typing import Any

import numpy as np

_TILE = 2**16  # bytes that are turned at once: they are still in the cache, and their memory is not given back


class Room:
    """Memory for the values of one block at a time.  A new array for each is memory that the system takes back and has
    to clear again, which takes longer than to fill it (above all in workers of Dask, which give back all they can)."""

    def __init__(self) -> None:
        self._held = np.empty(0)

    def __reduce__(self) -> tuple[Any, ...]:
        return Room, ()

    def array(self, attributes: int, rows: int) -> np.ndarray:
        """As np.empty; the one before is lost."""
        size = attributes * rows
        if self._held.size < size:
            self._held = np.empty(size)
        return self._held[:size].reshape(attributes, rows)


def columns_of(rows: Any, attributes: np.ndarray, room: Room | None = None) -> np.ndarray:
    """Some attributes of an array of rows, each on its own, as float64."""
    values = (room or Room()).array(len(attributes), rows.shape[0])
    tile = max(_TILE // max(len(attributes) * rows.itemsize, 1), 16)
    for begin in range(0, rows.shape[0], tile):
        values[:, begin : begin + tile] = rows[begin : begin + tile, attributes].T
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
