"""What is in this process: tables whose data are in its memory, and the engine that runs tasks on its threads."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .._errors import DataError, UsageError
from .._tables import is_frame, names_of, unmasked
from ._blocks import (
    Engine,
    Kept,
    Loaded,
    Merge,
    OfKept,
    OfPart,
    OfTask,
    Task,
    columns_of,
    infinite,
    merge_levels,
)

# ---- a table


def _numbers(column: Any, name: str) -> np.ndarray:
    """A column of a DataFrame as float64; nulls are NaN.  Text is refused by name."""
    kind = getattr(column.dtype, "kind", "O")
    if kind not in "biuf":
        raise DataError(f"the column {name!r} has no numbers but {column.dtype}: leave it out, or make numbers of it")
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def counted(number: int, word: str) -> str:
    """'1 row', '2 rows'"""
    return f"{number} {word}{'s' * (number != 1)}"


class MemoryTask:
    """What one part buys of arrays; only what it buys goes with it to another process."""

    inputs: tuple[Any, ...] = ()

    def __init__(self, table: InMemory, looks: dict[int, np.ndarray]) -> None:
        self.blocks = sorted(looks)
        self.looks = [looks[block] for block in self.blocks]
        self._table: InMemory | None = table
        self._loaded: dict[int, Loaded | str] = {}  # a text: why the block is refused

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        if self._table is not None:
            return self._table.load(block, self.looks[self.blocks.index(block)])
        loaded = self._loaded[block]
        if isinstance(loaded, str):
            raise DataError(loaded)
        return loaded

    def _load(self, block: int) -> Loaded | str:
        """A refusal waits for the worker: raised while a task is pickled, an engine would hide it in its own error."""
        try:
            return self.load(block, ())
        except DataError as refused:
            return str(refused)

    def __getstate__(self) -> dict[str, Any]:
        loaded = {block: self._load(block) for block in self.blocks}
        return {"blocks": self.blocks, "looks": self.looks, "_table": None, "_loaded": loaded}


class InMemory:
    """A table of blocks from a NumPy array or a pandas DataFrame, and targets.

    Parameters
    ----------
    X : array or DataFrame of shape (rows, attributes)
        Numbers; NaN (and nulls of pandas) are missing.
    y : array of shape (rows,)
        Targets.
    block_rows : int, optional
        Rows of a block, which share one look.  Default: such that there are about 1,000 blocks.
    names : list of str, optional
        Default: the columns of a DataFrame; else "x1", "x2" and so on.
    target : str, default="y"
    part_blocks : int, default=16
        Blocks that one task works on.  It changes no bit of a result.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        block_rows: int | None = None,
        names: Sequence[str] | None = None,
        target: str = "y",
        part_blocks: int = 16,
    ) -> None:
        self._columns: list[np.ndarray] | None = None
        if is_frame(X):
            own = names_of(X) or [str(name) for name in X.columns]
            self._columns = [_numbers(X.iloc[:, i], name) for i, name in enumerate(own)]
            shape = (len(X), len(own))
        else:
            X = unmasked(X)
            if X.ndim != 2:
                raise DataError(f"X has {X.ndim} dimensions: a table has 2")
            if X.dtype.kind not in "biuf":
                raise DataError(f"X has no numbers but {X.dtype}")
            own = [f"x{i + 1}" for i in range(X.shape[1])]
            shape = X.shape
        self._x = X
        self._y = unmasked(y)
        if self._y.dtype.kind not in "biuf":
            raise DataError(f"y has no numbers but {self._y.dtype}")
        if self._y.shape != shape[:1]:
            raise DataError(f"y has the shape {self._y.shape}, and X has {shape[0]} rows")
        if shape[0] == 0:
            raise DataError("X has no rows")
        self.names = list(own if names is None else names)
        if len(self.names) != shape[1]:
            raise DataError(f"there are {len(self.names)} names, and X has {shape[1]} columns")
        self.target = target
        if block_rows is None:
            block_rows = -(-shape[0] // 1000)
        for value, word in ((block_rows, "block_rows"), (part_blocks, "part_blocks")):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise UsageError(f"{word}={value!r} is not a whole number of 1 or more")
        self.block_rows = int(block_rows)
        blocks = -(-shape[0] // self.block_rows)
        self.rows = [min(self.block_rows, shape[0] - self.block_rows * block) for block in range(blocks)]
        self.parts = [range(at, min(at + part_blocks, blocks)) for at in range(0, blocks, int(part_blocks))]

    def __repr__(self) -> str:
        shape = f"{counted(sum(self.rows), 'row')} of {counted(len(self.names), 'attribute')}"
        return f"<InMemory of {shape} in {counted(len(self.rows), 'block')}, target {self.target!r}>"

    @property
    def fingerprint(self) -> dict[str, str]:
        """Of the targets, which a fit always sees; attributes that nobody bought are not looked at."""
        y = np.ascontiguousarray(self._y, dtype="<f8")
        return {"digest of targets": hashlib.sha256(y.tobytes()).hexdigest()}

    def load(self, block: int, look: np.ndarray) -> Loaded:
        begin = block * self.block_rows
        end = begin + self.rows[block]
        if self._columns is not None:
            values = np.array([self._columns[i][begin:end] for i in look], dtype=np.float64)
            size = 8
        else:
            values = columns_of(self._x[begin:end], look)
            size = self._x.dtype.itemsize
        y = np.ascontiguousarray(self._y[begin:end], dtype=np.float64)
        self._refuse(values.reshape(len(look), len(y)), y, look, begin)
        read = len(look) * len(y) * size + self._y[begin:end].nbytes
        return Loaded(values.reshape(len(look), len(y)), y, read, f"rows {begin + 1} to {end}")

    def _refuse(self, values: np.ndarray, y: np.ndarray, look: np.ndarray, begin: int) -> None:
        """Bad values by their rows in the whole array, not by those in their block."""
        wild = infinite(values)
        if wild is not None:
            raise DataError(f"row {begin + wild[1] + 1} of X: {self.names[look[wild[0]]]!r} is infinite")
        strange = np.flatnonzero(~np.isfinite(y))
        if len(strange):
            row = int(strange[0])
            what = "missing" if np.isnan(y[row]) else "infinite"
            raise DataError(
                f"row {begin + row + 1} of y: the target is {what} ({len(strange)} of the {counted(len(y), 'row')} of "
                "its block)"
            )

    def task(self, part: int, looks: dict[int, np.ndarray]) -> MemoryTask:
        return MemoryTask(self, looks)


# ---- the engine


class LocalEngine(Engine):
    """Runs tasks in this process, on ``threads`` threads (1: in this one alone)."""

    name = "local"

    def __init__(self, threads: int = 1) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise UsageError(f"threads={threads!r} is not a whole number of 1 or more")
        self.threads = threads

    def _each(self, call: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """In the order of the items.  After a failure, or a Ctrl-C, what has not begun does not begin."""
        items = list(items)
        if self.threads == 1 or len(items) < 2:
            return [call(item) for item in items]
        stop = threading.Event()

        def unless_stopped(item: Any) -> Any:
            return None if stop.is_set() else call(item)

        with ThreadPoolExecutor(min(self.threads, len(items)), thread_name_prefix="scant") as pool:
            futures = [pool.submit(unless_stopped, item) for item in items]
            try:
                return [future.result() for future in futures]
            except BaseException:
                stop.set()
                raise

    def share(self, value: Any) -> Any:
        return value

    def map(self, function: OfTask, tasks: Sequence[Task], shared: Any = None, label: str = "") -> list[Any]:
        return self._each(lambda task: function(task, task.inputs, shared), tasks)

    def keep(
        self, function: OfPart, tasks: Sequence[Any], before: Kept | None = None, shared: Any = None, label: str = ""
    ) -> Kept:
        pairs = zip(tasks, [None] * len(tasks) if before is None else before.state, strict=True)

        def one(pair: tuple[Any, bytes | None]) -> bytes:
            task, old = pair
            return function(task, () if task is None else task.inputs, old, shared)

        return Kept(self._each(one, pairs), len(tasks))

    def map_kept(self, function: OfKept, kept: Kept, shared: Any = None, label: str = "") -> list[Any]:
        return self._each(lambda held: function(held, shared), kept.state)

    def reduce(self, function: OfKept, merge: Merge, kept: Kept, shared: Any = None, label: str = "") -> bytes:
        return merge_levels(self._each(lambda held: function(held, shared), kept.state), merge)

    def forget(self, kept: Kept) -> None:
        kept.state = []
