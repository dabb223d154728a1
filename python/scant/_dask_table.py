"""Tables of blocks from Dask arrays and dataframes.  Chunks stay where Dask has them: only what was bought of them is
taken up, and nothing of X comes to the driver but the lengths of chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask.array
import dask.dataframe
import numpy as np

from ._blocks import Engine, Loaded
from ._engine_dask import lazy_values
from ._errors import DataError, ScantError, UsageError
from ._tables import unmasked
from ._values import Room, columns_of, infinite

BLOCKS, MOST_ROWS = 1000, 4096  # blocks that a table has at least, where it has the rows; rows that a block has at most
_CLASSES = 2


class Columns(NamedTuple):
    """Where the attributes and the target are in a chunk."""

    names: list[Any] | None  # of the frame; None: it is an array, and all of its columns are attributes
    attributes: list[int]  # their places in the frame
    target: int | None  # in the frame; None: y is a chunk of its own


def is_array(value: Any) -> bool:
    return isinstance(value, dask.array.Array)


def is_frame(value: Any) -> bool:
    return isinstance(value, dask.dataframe.DataFrame)


def is_series(value: Any) -> bool:
    return isinstance(value, dask.dataframe.Series)


# ---- on workers ------------------------------------------------------------


def _floats(column: Any, where: str) -> np.ndarray:
    """A column of pandas, or part of an array; nulls, and what is masked, are NaN.  A partition may hold other types than
    the table says: what is no number is refused."""
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
                f"partition {self.partition}, row {start + int(strange[0]) + 1}: {labels[strange[0]]!r} is none of the classes "
                f"{self.classes.tolist()}"
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
    """Of labels that are at hand; those of Dask are looked at where they are."""
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


class SignedTask:
    """A task of another table whose targets become -1 and 1."""

    def __init__(self, task: Any, classes: np.ndarray) -> None:
        self.blocks, self.looks, self.inputs = task.blocks, task.looks, task.inputs
        self._task, self._classes = task, classes

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        loaded: Loaded = self._task.load(block, inputs)
        return loaded._replace(y=np.where(loaded.y == self._classes[1], 1.0, -1.0))


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


# ---- on the driver ---------------------------------------------------------


class SignedTable:
    """Another table, for two classes."""

    def __init__(self, table: Any, classes: np.ndarray) -> None:
        self.names, self.target, self.rows, self.parts = table.names, table.target, table.rows, table.parts
        self.fingerprint = {"table": getattr(table, "fingerprint", None), "classes": classes.tolist()}
        self._table, self._classes = table, classes

    def task(self, part: int, looks: dict[int, np.ndarray]) -> SignedTask:
        return SignedTask(self._table.task(part, looks), self._classes)


def signed(table: Any, engine: Engine, classes: Callable[[Any], Any]) -> SignedTable:
    """The table with the signs of its two classes, which a pass over the targets finds."""
    nothing = np.empty(0, dtype=np.uint32)
    filled = [(part, [block for block in numbers if table.rows[block]]) for part, numbers in enumerate(table.parts)]
    tasks = [table.task(part, dict.fromkeys(numbers, nothing)) for part, numbers in filled if numbers]
    found = engine.map(labels_of, tasks, label="scant: labels")
    return SignedTable(table, classes([label for labels in found for label in labels]))


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
            f"X has {X.npartitions} partitions of rows, and y has {y.npartitions}: a partition of X belongs to the one of y "
            "with its number (rechunk or repartition y)"
        )
    return y


def _known(collection: Any) -> list[int] | None:
    """The rows of each chunk, where Dask knows them."""
    if not is_array(collection) or np.isnan(collection.chunks[0]).any():
        return None
    return [int(rows) for rows in collection.chunks[0]]


def table_of(X: Any, y: Any, engine: Engine, block_rows: int | None, classes: Callable[[Any], Any] | None) -> DaskTable:
    """The table of Dask's X and y (or of a dataframe and the name of a column of it).

    Lengths that Dask does not know are measured, in one pass; so are the labels if ``classes`` is there, which makes the
    two classes of them.
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
