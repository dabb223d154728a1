"""Tables of blocks from a DataFrame of Spark: partitions are parts, and runs of their rows are blocks.

Rows are made blocks once, by Arrow, and stay with the executors.  A partition that was lost is made again; where its
rows come in another order then, their checksums tell.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from pyspark import StorageLevel
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, NumericType

from ..._errors import DataError, UsageError
from .._blocks import Loaded, infinite
from ._engine import SparkEngine
from ._steps import Rows

_FIELDS = "rows long, width long, checksum long, data binary, wrong string"


def numbers_of(frame: Any, column: str) -> Any:
    """A column of numbers as doubles."""
    check_columns(frame, [column])
    kind = frame.schema[column].dataType
    if not isinstance(kind, NumericType | BooleanType):
        told = f"the column {column!r} has no numbers but {kind.simpleString()}"
        raise DataError(f"{told}: leave it out, or make numbers of it")
    return _named(frame, column).cast("double")


def features_of(frame: Any, vector: str, columns: Sequence[str] | None) -> Any:
    """The attributes as one array of doubles: of many columns, or of a column of vectors or arrays."""
    if columns:
        return F.array(*[numbers_of(frame, column) for column in columns])
    if vector not in frame.columns:
        raise DataError(
            f"the DataFrame has no column {vector!r} (featuresCol): it has {_some(frame.columns)}; featuresCols names "
            "many"
        )
    kind = frame.schema[vector].dataType
    if isinstance(kind, VectorUDT):
        column = _named(frame, vector)
        return F.when(column.isNotNull(), vector_to_array(column))
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType | BooleanType):
        return _named(frame, vector).cast("array<double>")
    raise DataError(f"the column {vector!r} has neither vectors nor arrays of numbers but {kind.simpleString()}")


def check_frame(frame: Any) -> None:
    """Before anything else asks it."""
    if isinstance(frame, str | os.PathLike):
        raise UsageError("fit takes a DataFrame of Spark; fitParquet(path, target) takes files")
    if not hasattr(frame, "sparkSession"):
        raise UsageError(
            f"a {type(frame).__module__.partition('.')[0]}.{type(frame).__name__} is no DataFrame of Spark: "
            "spark.createDataFrame makes one of a frame of pandas"
        )


def check_columns(frame: Any, columns: Sequence[str]) -> None:
    there = frame.columns
    absent = set(columns).difference(there)
    for column in columns:
        if column in absent:
            raise DataError(f"the DataFrame has no column {column!r}: it has {_some(there)}")


def check_label(columns: Sequence[str], label: str) -> None:
    """A label that is bought as an attribute would predict itself."""
    if label in columns:
        raise UsageError(f"the label {label!r} is among the features: leave it out of featuresCols")
    if len(set(columns)) < len(columns):
        twice = next(column for at, column in enumerate(columns) if column in columns[:at])
        raise UsageError(f"featuresCols has the column {twice!r} twice")


def known_width(frame: Any, vector: str) -> int | None:
    """How many attributes a column of vectors has, if whoever made it wrote that down."""
    if vector not in frame.columns:
        return None
    count = frame.schema[vector].metadata.get("ml_attr", {}).get("num_attrs")
    return int(count) if count is not None else None


def _named(frame: Any, column: str) -> Any:
    return frame["`" + column.replace("`", "``") + "`"]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} others" if len(names) > 8 else "")


def names_of(frame: Any, vector: str, width: int) -> list[str]:
    """What a VectorAssembler wrote down as the names of a column of vectors; else "x1", "x2" and so on."""
    groups = frame.schema[vector].metadata.get("ml_attr", {}).get("attrs", {})
    known = {one["idx"]: one["name"] for group in groups.values() for one in group if "name" in one and "idx" in one}
    names = [str(known.get(i, f"x{i + 1}")) for i in range(width)]
    return names if len(set(names)) == width else [f"x{i + 1}" for i in range(width)]


# ---- on executors ----------------------------------------------------------


class ToBlocks:
    """Rows of a partition, which come in batches of Arrow, as blocks.  What is wrong with a row is a record, too: so
    its sentence is not lost in a page of Spark's."""

    def __init__(self, block_rows: int, label: str) -> None:
        self.block_rows, self.label = block_rows, label

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        names = [field.partition(" ")[0] for field in _FIELDS.split(", ")]
        types = [pa.int64(), pa.int64(), pa.int64(), pa.binary(), pa.string()]
        for record in self.blocks(batches):
            columns = [pa.array([value], type=kind) for value, kind in zip(record, types, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names=names)

    def blocks(self, batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        waiting: list[tuple[np.ndarray, np.ndarray]] = []
        count, seen, width = 0, 0, None
        try:
            for batch in batches:
                x, y = self.arrays(batch, seen, width)
                seen, width = seen + len(y), x.shape[1] if len(y) else width
                while len(y):
                    take = min(self.block_rows - count, len(y))
                    waiting.append((x[:take], y[:take]))
                    x, y, count = x[take:], y[take:], count + take
                    if count == self.block_rows:
                        yield self.block(waiting)
                        waiting, count = [], 0
        except DataError as wrong:
            yield 0, 0, 0, b"", str(wrong)
            return
        if count:
            yield self.block(waiting)

    def arrays(self, batch: Any, seen: int, width: int | None) -> tuple[np.ndarray, np.ndarray]:
        features, labels = batch.column(0), batch.column(1)
        if labels.null_count:
            raise DataError(f"row {seen + _first(labels)}: the label {self.label!r} is null")
        y = labels.to_numpy(zero_copy_only=False).astype(np.float64)
        if not np.isfinite(y).all():
            row = int(np.flatnonzero(~np.isfinite(y))[0])
            kind = "NaN" if np.isnan(y[row]) else "infinite"
            raise DataError(f"row {seen + row + 1}: the label {self.label!r} is {kind}")
        if features.null_count:
            raise DataError(f"row {seen + _first(features)}: there is no vector of features")
        lengths = np.diff(features.offsets.to_numpy())
        width = int(lengths[0]) if width is None and len(lengths) else width
        other = np.flatnonzero(lengths != width)
        if other.size:
            raise DataError(
                f"row {seen + int(other[0]) + 1}: there are {int(lengths[other[0]])} features, and {width} in rows "
                "before"
            )
        x = features.flatten().to_numpy(zero_copy_only=False).astype(np.float64)  # nulls are NaN
        return x.reshape(len(y), width or 0), y

    @staticmethod
    def block(waiting: list[tuple[np.ndarray, np.ndarray]]) -> tuple[Any, ...]:
        x, y = (np.concatenate(pieces) for pieces in zip(*waiting, strict=True))
        data = np.ascontiguousarray(x.T, dtype="<f8").tobytes() + y.astype("<f8").tobytes()
        return len(y), x.shape[1], zlib.crc32(data), data, None


def _first(column: Any) -> int:
    """The first null, counted from 1."""
    return int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0]) + 1


def heads_of(partition: int, records: Iterator[Any]) -> Iterator[Any]:
    yield partition, [(one.rows, one.width, one.checksum, one.wrong) for one in records]


class BlocksOf(Rows):
    """The blocks of one partition; a task takes what it buys."""

    def pick(self, task: Any, elements: Iterator[Any]) -> Any:
        picked, first = {}, task.first
        wanted = dict(zip(task.blocks, zip(task.looks, task.checksums, strict=True), strict=True))
        for block, record in enumerate(elements, start=first):
            if block not in wanted:
                continue
            look, checksum = wanted[block]
            if zlib.crc32(record.data) != checksum:
                raise DataError(
                    f"{task.where(block)}: the rows are not those that were there before: the DataFrame gives them in "
                    "another order when it is computed again; sort it, or write it to a file first"
                )
            cells = np.frombuffer(record.data, dtype="<f8")
            values, y = cells[: record.rows * record.width].reshape(record.width, record.rows), cells[-record.rows :]
            picked[block] = values[look].copy(), y.copy()
        missing = [block for block in task.blocks if block not in picked]
        if missing:
            raise DataError(
                f"{task.where(missing[0])} are not there any more: the DataFrame has fewer rows when it is computed "
                "again"
            )
        return picked


class FrameTask:
    """What one partition buys in one round."""

    def __init__(self, table: DataFrameTable, part: int, looks: dict[int, np.ndarray]) -> None:
        self.blocks = sorted(looks)
        self.looks = [looks[block] for block in self.blocks]
        self.first, self.part = table.parts[part].start, part
        self.checksums = [table.checksums[block] for block in self.blocks]
        self.block_rows = table.block_rows
        self.names = {int(attribute): table.names[attribute] for attribute in set().union(*map(set, self.looks))}
        self.inputs: tuple[Any, ...] = (BlocksOf(table.rdd, part),)

    def where(self, block: int) -> str:
        return f"{self.row(block, 0)} and those after it"

    def row(self, block: int, row: int) -> str:
        """A row of a block in sentences: by its number in the partition, from 1."""
        return f"partition {self.part}, row {(block - self.first) * self.block_rows + row + 1}"

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        values, y = inputs[0][block]
        wild = infinite(values)
        if wild is not None:
            name = self.names[int(self.looks[self.blocks.index(block)][wild[0]])]
            raise DataError(f"{self.row(block, wild[1])}: {name!r} is infinite")
        return Loaded(values, y, values.nbytes + y.nbytes, self.where(block))


# ---- on the driver ---------------------------------------------------------


class DataFrameTable:
    """A table of blocks from a DataFrame of Spark.  Its partitions are the parts; it stays with the executors until
    ``close`` (or the end of a ``with``).

    frame : DataFrame
    features : str or list of str
        A column of vectors or of arrays, or many columns of numbers.  Null and NaN are missing; in a sparse vector
        what is not there is 0.
    label : str
        Numbers, none of them null or NaN.
    block_rows : int
        Rows that share one look.  The last block of a partition may have fewer.
    engine : SparkEngine
        Its jobs make the blocks.
    """

    def __init__(
        self, frame: Any, features: Any, label: str, *, block_rows: int = 256, engine: SparkEngine | None = None
    ) -> None:
        if isinstance(block_rows, bool) or not isinstance(block_rows, int) or block_rows < 1:
            raise UsageError(f"block_rows={block_rows!r} is not a whole number of 1 or more")
        check_frame(frame)
        vector, columns = (features, None) if isinstance(features, str) else ("", list(features))
        check_label(columns or [], label)
        engine = SparkEngine(frame.sparkSession) if engine is None else engine
        chosen = frame.select(
            features_of(frame, vector, columns).alias("features"), numbers_of(frame, label).alias("label")
        )
        self.block_rows, self.target = block_rows, label
        self.rdd: Any = None

        def make() -> list[tuple[int, list[tuple[Any, ...]]]]:
            rdd = chosen.mapInArrow(ToBlocks(block_rows, label).__call__, _FIELDS).rdd
            self.rdd = rdd.persist(StorageLevel.MEMORY_AND_DISK)
            return sorted(self.rdd.mapPartitionsWithIndex(heads_of).collect())

        try:
            heads = engine.run("scant: blocks of the DataFrame", make)
            width = self._check([head for _, head in heads])
        except BaseException:
            self.close()
            raise
        blocks = [one for _, head in heads for one in head]
        self.rows = [int(one[0]) for one in blocks]
        self.checksums = [int(one[2]) for one in blocks]
        self.names = columns if columns else names_of(frame, vector, width)
        self.parts: list[range] = []
        at = 0
        for _, head in heads:
            self.parts.append(range(at, at + len(head)))
            at += len(head)

    @staticmethod
    def _check(heads: list[list[tuple[Any, ...]]]) -> int:
        """The number of attributes; what is wrong in a partition is said."""
        width = None
        for partition, head in enumerate(heads):
            for _, own, _, wrong in head:
                if wrong is not None:
                    raise DataError(f"partition {partition}, {wrong}")
                if width is not None and own != width:
                    raise DataError(f"partition {partition} has {own} features, and partitions before it have {width}")
                width = int(own)
        if width is None:
            raise DataError("the DataFrame has no rows")
        return width

    @property
    def fingerprint(self) -> dict[str, Any]:
        return {"checksums": zlib.crc32(np.asarray(self.checksums, dtype="<u4").tobytes())}

    def task(self, part: int, looks: dict[int, np.ndarray]) -> FrameTask:
        return FrameTask(self, part, looks)

    def close(self) -> None:
        """Lets the executors forget the blocks."""
        if self.rdd is not None:
            try:
                self.rdd.unpersist()
            except Exception:  # the session is gone
                pass
            self.rdd = None

    def __enter__(self) -> DataFrameTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
