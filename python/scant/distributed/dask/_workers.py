"""What runs on workers of Dask: tasks of the engine, each a call of a function here, which finds all it needs in its
text; and what tasks do with the chunks of an array or a dataframe: load what was bought, measure, and find labels."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import distributed
import numpy as np

from ..._errors import DataError
from ..._tables import unmasked
from .._blocks import Loaded, Room, columns_of, infinite, may_pass, merge_levels

TOPIC = "scant"  # one for all fits: what a topic was told stays on the scheduler, a bounded number of lines
PAUSES = (0.1, 1.0)  # seconds before a read that failed is tried again


class Sealed:
    """Bytes that Dask does not hash, which takes longer than to send them: their task has a name that no other has."""

    __slots__ = ("held",)

    def __init__(self, held: bytes) -> None:
        self.held = held

    def __dask_tokenize__(self) -> str:
        return "sealed"


def opened(sealed: Sealed) -> Any:
    return pickle.loads(sealed.held)


def _say(run: tuple[str, int, int]) -> None:
    """Tells the engine that this task begins: that is how it knows of those that begin again."""
    with contextlib.suppress(Exception):  # to count is not worth a failure
        distributed.get_worker().log_event(TOPIC, list(run))


def run_task(
    run: tuple[str, int, int], payload: bytes, alone: Sealed | None, before: Any, shared: Any, *inputs: Any
) -> Any:
    """What every task of ours is.  A read that fails for the storage's sake is tried again here; what scant refuses, is
    wrong everywhere."""
    call = pickle.loads(payload)
    if alone is not None:
        shared = opened(alone)
    for pause in (*PAUSES, None):
        _say(run)
        try:
            return call(inputs, before, shared)
        except OSError as failed:
            if pause is None or not may_pass(failed):
                raise
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def merge_task(run: tuple[str, int, int], payload: bytes, *replies: bytes | None) -> bytes | None:
    _say(run)
    if all(reply is None for reply in replies):
        return None
    return merge_levels(replies, pickle.loads(payload))


class Buy:
    """A call of map or keep, for one task."""

    def __init__(self, function: Callable[..., Any], task: Any, keeps: bool) -> None:
        self.function, self.task, self.keeps = function, task, keeps

    def __call__(self, inputs: tuple[Any, ...], before: Any, shared: Any) -> Any:
        if self.keeps:
            return self.function(self.task, inputs, before, shared)
        return self.function(self.task, inputs, shared)


class Ask:
    """A call of map_kept or reduce, the same for all parts."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, inputs: tuple[Any, ...], before: Any, shared: Any) -> Any:
        return self.function(before, shared)


# ---- chunks

_CLASSES = 2


class Columns(NamedTuple):
    """Where the attributes and the target are in a chunk."""

    names: list[Any] | None  # of the frame; None: it is an array, and all of its columns are attributes
    attributes: list[int]  # their places in the frame
    target: int | None  # in the frame; None: y is a chunk of its own


def _floats(column: Any, where: str) -> np.ndarray:
    """A column of pandas, or part of an array; nulls, and what is masked, are NaN.  A partition may hold other types
    than the table says: what is no number is refused."""
    try:
        if hasattr(column, "to_numpy"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.ascontiguousarray(unmasked(column), dtype=np.float64)
    except (TypeError, ValueError) as wrong:
        raise DataError(f"{where} has no numbers but {column.dtype}: {wrong}") from None


def _target_of(inputs: tuple[Any, ...], columns: Columns) -> Any:
    if columns.target is not None:
        return inputs[0].iloc[:, columns.target]
    return inputs[-1]


class ChunkTask:
    """What one partition buys in one round.  Its inputs are the chunk of X and that of y, or one frame with both."""

    def __init__(
        self,
        looks: dict[int, np.ndarray],
        inputs: tuple[Any, ...],
        spans: dict[int, tuple[int, int]],
        partition: int,
        rows: int,
        columns: Columns,
        classes: np.ndarray | None,
        names: Sequence[str],
    ) -> None:
        self.blocks = sorted(looks)
        self.looks = [looks[block] for block in self.blocks]
        self.inputs = inputs
        self.spans, self.partition, self.rows = spans, partition, rows
        self.columns, self.classes = columns, classes
        self.names = {int(attribute): names[attribute] for attribute in set().union(*map(set, self.looks))}
        self._seen: dict[int, np.ndarray] = {}  # columns of the frame, as far as they were bought
        self._room = Room()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_seen": {}}

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        start, stop = self.spans[block]
        self._check(inputs)
        look = self.looks[self.blocks.index(block)]
        labels = _target_of(inputs, self.columns)
        labels = (labels.iloc if hasattr(labels, "iloc") else labels)[start:stop]  # [] alone may go by the index
        y = self._signs(unmasked(labels), start) if self.classes is not None else self._targets(labels, start)
        values, size = self._values(inputs[0], start, stop, look)
        wild = infinite(values)
        if wild is not None:
            name = self.names[int(look[wild[0]])]
            raise DataError(f"partition {self.partition}, row {start + wild[1] + 1}: {name!r} is infinite")
        width = getattr(labels.dtype, "itemsize", None)  # text of pandas has none
        read = values.size * size + int(labels.nbytes if width is None else len(y) * width)
        return Loaded(values, y, read, f"partition {self.partition}, rows {start + 1} to {stop}")

    def _check(self, inputs: tuple[Any, ...]) -> None:
        """A partition has the columns of the table.  One that is computed again has the same rows: a graph that draws
        at random, say, would not have them."""
        if self.columns.names is not None and list(inputs[0].columns) != self.columns.names:
            absent = [str(name) for name in self.columns.names if name not in inputs[0].columns]
            raise DataError(
                f"partition {self.partition}: "
                + (
                    f"there is no column {absent[0]!r}"
                    if absent
                    else "the columns are not those of the table, in its order"
                )
            )
        for what, chunk in zip(("X", "y"), inputs, strict=False):
            rows = chunk.shape[0]  # SciPy's have no len
            if rows != self.rows:
                raise DataError(
                    f"partition {self.partition}: {what} has {rows} rows, and there were {self.rows} before: does the "
                    "graph give the same each time it is computed?"
                )

    def _values(self, chunk: Any, start: int, stop: int, look: np.ndarray) -> tuple[np.ndarray, int]:
        """The bought values of some rows, and the bytes of one of them."""
        if self.columns.names is None:
            part = chunk[start:stop]
            if hasattr(part, "toarray"):  # SciPy's sparse ones
                return np.ascontiguousarray(part[:, look].toarray().T, dtype=np.float64), chunk.dtype.itemsize
            return columns_of(unmasked(part), look, self._room), chunk.dtype.itemsize
        places = [self.columns.attributes[attribute] for attribute in look]
        for place in places:
            if place not in self._seen:
                name = str(chunk.columns[place])
                self._seen[place] = _floats(chunk.iloc[:, place], f"partition {self.partition}: the column {name!r}")
        values = self._room.array(len(places), stop - start)
        for row, place in enumerate(places):
            values[row] = self._seen[place][start:stop]
        return values, 8

    def _targets(self, y: Any, start: int) -> np.ndarray:
        targets = _floats(y, f"partition {self.partition}: the target")
        bad = np.flatnonzero(~np.isfinite(targets))
        if len(bad):
            raise DataError(_bad_target(self.partition, start + int(bad[0]), targets[bad[0]]))
        return targets

    def _signs(self, labels: np.ndarray, start: int) -> np.ndarray:
        assert self.classes is not None
        second = labels == self.classes[1]
        strange = np.flatnonzero(~(second | (labels == self.classes[0])))
        if len(strange):
            raise DataError(
                f"partition {self.partition}, row {start + int(strange[0]) + 1}: {labels[strange[0]]!r} is none of the "
                f"classes {self.classes.tolist()}"
            )
        return np.where(second, 1.0, -1.0)


def _bad_target(partition: int, row: int, value: Any) -> str:
    """``row`` counts from 0; sentences count rows of a partition from 1, as Spark's do."""
    kind = "infinite" if isinstance(value, float) and np.isinf(value) else "missing"
    return f"partition {partition}, row {row + 1}: the target is {kind}"


def _is_missing(labels: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "O":  # None, and pandas' own
        return np.array(
            [label is None or label is not label or str(label) in ("<NA>", "nan") for label in labels], dtype=bool
        )
    return np.asarray(labels != labels)


def refuse_missing(labels: np.ndarray) -> None:
    """Refuses missing labels in memory; workers check those of Dask."""
    missing = np.flatnonzero(_is_missing(labels) if labels.ndim == 1 else [])
    if len(missing):
        raise DataError(f"row {missing[0] + 1} of y: the target is missing ({len(missing)} of {len(labels)} are)")


class MeasureTask:
    """Asks for the lengths of the chunks of one partition, and for the labels if there are to be classes."""

    blocks: list[int] = []
    looks: list[np.ndarray] = []

    def __init__(self, partition: int, inputs: tuple[Any, ...], labels: bool, column: Any = None) -> None:
        self.partition, self.inputs, self.labels = partition, inputs, labels
        self.column = column  # of the target, if the input is a whole frame

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        raise AssertionError("nothing is bought here")


def measure(task: MeasureTask, inputs: tuple[Any, ...], shared: Any) -> tuple[list[int], list[Any]]:
    """The rows of each input, and up to three different labels."""
    if task.column is not None and task.column not in inputs[0].columns:
        raise DataError(f"partition {task.partition}: there is no column {str(task.column)!r} for the target")
    labels = unmasked(inputs[-1] if task.column is None else inputs[0][task.column])
    if labels.ndim != 1:
        raise DataError(f"partition {task.partition}: y has the shape {labels.shape}: it is one column")
    missing = np.flatnonzero(_is_missing(labels))
    if len(missing):
        raise DataError(_bad_target(task.partition, int(missing[0]), None))
    found = np.unique(labels)[: _CLASSES + 1].tolist() if task.labels else []
    return [int(chunk.shape[0]) for chunk in inputs], found


def labels_of(task: Any, inputs: tuple[Any, ...], shared: Any) -> list[float]:
    """Up to three different targets of a task's blocks."""
    found: set[float] = set()
    for block in task.blocks:
        loaded = task.load(block, inputs)
        bad = np.flatnonzero(~np.isfinite(loaded.y))
        if len(bad):
            raise DataError(f"{loaded.where}, row {int(bad[0]) + 1}: the target is missing")
        found.update(np.unique(loaded.y).tolist())
    return sorted(found)[: _CLASSES + 1]
