"""Tables of blocks from Dask arrays and dataframes.  Chunks stay where Dask has them: only what was bought of them is
taken up, and nothing of X comes to the driver but the lengths of chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask.array
import dask.dataframe
import numpy as np

from ..._errors import DataError, ScantError, UsageError
from .._blocks import Engine, SignedTable
from ._engine import lazy_values
from ._workers import ChunkTask, Columns, MeasureTask, labels_of, measure

BLOCKS, MOST_ROWS = 1000, 4096  # blocks that a table has at least, where it has the rows; rows that a block has at most


def is_array(value: Any) -> bool:
    return isinstance(value, dask.array.Array)


def is_frame(value: Any) -> bool:
    return isinstance(value, dask.dataframe.DataFrame)


def is_series(value: Any) -> bool:
    return isinstance(value, dask.dataframe.Series)


def signed(table: Any, engine: Engine, classes: Callable[[Any], Any]) -> SignedTable:
    """The table with the signs of its two classes, which a pass over the targets finds."""
    nothing = np.empty(0, dtype=np.uint32)
    filled = [(part, [block for block in numbers if table.rows[block]]) for part, numbers in enumerate(table.parts)]
    tasks = [table.task(part, dict.fromkeys(numbers, nothing)) for part, numbers in filled if numbers]
    found = engine.map(labels_of, tasks, label="scant: labels")
    two = classes([label for labels in found for label in labels])
    return SignedTable(table, two, {"table": getattr(table, "fingerprint", None), "classes": two.tolist()})


class DaskTable:
    """A table of blocks: some rows of a partition each."""

    def __init__(
        self,
        names: Sequence[str],
        target: str,
        partitions: Sequence[int],
        inputs: Sequence[tuple[Any, ...]],
        columns: Columns,
        block_rows: int | None,
        classes: np.ndarray | None,
    ) -> None:
        rows = sum(partitions)
        if not rows:
            raise DataError(f"none of the {len(partitions)} partitions has a row")
        size = block_rows if block_rows is not None else min(-(-rows // BLOCKS), MOST_ROWS)
        self.names, self.target = list(names), target
        self.rows: list[int] = []
        self.parts: list[range] = []
        self._partitions = [number for number, count in enumerate(partitions) if count]  # of each part
        self._lengths = [partitions[number] for number in self._partitions]
        self._inputs = [inputs[number] for number in self._partitions]
        self._size, self._columns, self._classes = size, columns, classes
        for count in self._lengths:
            first = len(self.rows)
            self.rows += [min(size, count - at) for at in range(0, count, size)]
            self.parts.append(range(first, len(self.rows)))

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Of the data nothing is known before they are bought; but -1 and 1 are other targets than labels are."""
        return {} if self._classes is None else {"classes": [str(label) for label in self._classes.tolist()]}

    def task(self, part: int, looks: dict[int, np.ndarray]) -> ChunkTask:
        spans = {}
        for block in looks:
            start = (block - self.parts[part].start) * self._size
            spans[block] = start, start + self.rows[block]
        return ChunkTask(
            looks,
            self._inputs[part],
            spans,
            self._partitions[part],
            self._lengths[part],
            self._columns,
            self._classes,
            self.names,
        )


def check_block_rows(block_rows: Any) -> int | None:
    if block_rows is None:
        return None
    if isinstance(block_rows, bool) or not isinstance(block_rows, int | np.integer) or block_rows < 1:
        raise UsageError(f"block_rows={block_rows!r} is not a whole number of 1 or more")
    return int(block_rows)


def whole_rows(X: Any) -> Any:
    """A Dask array with all columns in each chunk: lazily, where it has not."""
    if X.ndim != 2:
        raise DataError(f"X has {X.ndim} dimensions: a table has 2")
    if np.isnan(X.shape[1]):
        raise DataError("X has an unknown number of columns: X.compute_chunk_sizes() finds it")
    if X.dtype.kind not in "biuf":
        raise DataError(f"X has no numbers but {X.dtype}")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _check_numbers(frame: Any, names: Sequence[Any]) -> None:
    for name in names:
        kind = getattr(frame[name].dtype, "kind", "O")
        if kind not in "biuf":
            raise DataError(
                f"the column {str(name)!r} has no numbers but {frame[name].dtype}: leave it out, or make numbers of it"
            )


def _names_of(X: Any, y: Any) -> tuple[list[Any], list[str], str]:
    """Columns that are attributes, their names, and that of the target."""
    if is_array(X):
        if isinstance(y, str):
            raise UsageError(f"y={y!r} is the name of a column, and a Dask array has no names: give the targets")
        return [], [f"x{i + 1}" for i in range(int(X.shape[1]))], "y"
    everything = list(X.columns)
    if len({str(name) for name in everything}) < len(everything):
        raise DataError("X has two columns of the same name")
    if isinstance(y, str):
        if y not in everything:
            raise DataError(f"X has no column {y!r} for the target")
        columns, target = [name for name in everything if name != y], y
    else:
        columns, target = everything, str(getattr(y, "name", None) or "y")
    _check_numbers(X._meta, columns)
    return columns, [str(name) for name in columns], target


def _check_y(X: Any, y: Any, classes: bool) -> Any:
    if is_frame(y):
        if len(y.columns) != 1:
            raise DataError(f"y has {len(y.columns)} columns: it is one")
        y = y[y.columns[0]]
    if not is_array(y) and not is_series(y):
        raise UsageError(
            f"X is of Dask and y is {type(y).__name__}: y is a Dask array or series with the same partitions"
            + (", or the name of a column" if is_frame(X) else "")
        )
    if is_array(y):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise DataError(f"y has {y.ndim} dimensions: it is one column")
    if not classes and getattr(y.dtype, "kind", "O") not in "biuf":
        raise DataError(f"y has no numbers but {y.dtype}")
    if X.npartitions != y.npartitions:
        raise DataError(
            f"X has {X.npartitions} partitions of rows, and y has {y.npartitions}: a partition of X belongs to the one "
            "of y with its number (rechunk or repartition y)"
        )
    return y


def _known(collection: Any) -> list[int] | None:
    """The rows of each chunk, where Dask knows them."""
    if not is_array(collection) or np.isnan(collection.chunks[0]).any():
        return None
    return [int(rows) for rows in collection.chunks[0]]


def table_of(X: Any, y: Any, engine: Engine, block_rows: int | None, classes: Callable[[Any], Any] | None) -> DaskTable:
    """The table of Dask's X and y (or of a dataframe and the name of a column of it).

    Lengths that Dask does not know are measured, in one pass; so are the labels if ``classes`` is there, which makes
    the two classes of them.
    """
    if is_array(X):
        X = whole_rows(X)
    columns, names, target = _names_of(X, y)
    if isinstance(y, str):
        if classes is None:
            _check_numbers(X._meta, [y])
        return _of_frame(X, columns, names, y, engine, block_rows, classes)
    y = _check_y(X, y, classes is not None)
    known, known_y = _known(X), _known(y)
    if known is not None and known_y is not None and known != known_y:
        at = next(at for at, (a, b) in enumerate(zip(known, known_y, strict=True)) if a != b)
        raise DataError(
            f"partition {at}: X has {known[at]} rows, and y has {known_y[at]}"
            + (": y.rechunk({0: X.chunks[0]}) makes them agree" if sum(known) == sum(known_y) else "")
        )
    lazy_x, lazy_y = lazy_values(X, y)
    found: list[Any] = []
    if known is None or known_y is None or classes is not None:
        narrow = lazy_values(X[columns[:1]])[0] if is_frame(X) else lazy_x
        ask_x = known is None
        tasks = [
            MeasureTask(number, (*((narrow[number],) if ask_x else ()), lazy_y[number]), classes is not None)
            for number in range(len(lazy_y))
        ]
        lengths, found = _measured(engine, tasks)
        known_y = [rows[-1] for rows in lengths]
        known = [rows[0] for rows in lengths] if known is None else known
        for number, (rows, others) in enumerate(zip(known, known_y, strict=True)):
            if rows != others:
                raise DataError(f"partition {number}: X has {rows} rows, and y has {others}")
    where = Columns(None if is_array(X) else columns, list(range(len(columns))), None)
    inputs = list(zip(lazy_x, lazy_y, strict=True))
    made = None if classes is None else classes(found)
    return DaskTable(names, target, known, inputs, where, block_rows, made)


def _of_frame(
    X: Any,
    columns: list[Any],
    names: list[str],
    target: str,
    engine: Engine,
    block_rows: int | None,
    classes: Callable[[Any], Any] | None,
) -> DaskTable:
    """A dataframe with the target in it: its partitions are asked for that column alone first."""
    everything = list(X.columns)
    narrow, lazy = lazy_values(X[target], X)
    tasks = [MeasureTask(number, (value,), classes is not None) for number, value in enumerate(narrow)]
    try:
        lengths, found = _measured(engine, tasks)
    except ScantError:
        raise
    except Exception:
        # Dask itself failed.  If a partition lacks the column, whole partitions say which.
        _measured(engine, [MeasureTask(number, (value,), False, target) for number, value in enumerate(lazy)])
        raise
    where = Columns(everything, [everything.index(name) for name in columns], everything.index(target))
    made = None if classes is None else classes(found)
    known = [rows[0] for rows in lengths]
    return DaskTable(names, target, known, [(value,) for value in lazy], where, block_rows, made)


def _measured(engine: Engine, tasks: Sequence[MeasureTask]) -> tuple[list[list[int]], list[Any]]:
    answers = engine.map(measure, tasks, label="scant: measure")
    return [rows for rows, _ in answers], [label for _, labels in answers for label in labels]
