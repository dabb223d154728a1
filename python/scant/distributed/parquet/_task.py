"""What a worker does with a part of a Parquet table: reads the byte ranges that were bought, and decodes them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._errors import DataError
from .._blocks import Loaded, Room
from ._files import File, check_unchanged, need, read_ranges
from ._footer import MAGIC, Chunk, Leaf, first_line, footer

EXACT = 2**53  # every whole number up to here is a float64


class Wanted(NamedTuple):
    """The chunks of one block that a task reads."""

    file: File
    writer: str
    group: int
    rows: int
    columns: list[str]  # names
    leaves: list[Leaf]
    places: np.ndarray  # int64 of shape (chunks, 4): start, size, first data page, dictionary page or -1
    codecs: np.ndarray

    @property
    def where(self) -> str:
        return f"{self.file}, row group {self.group}"


_NO_PLACES = np.empty((0, 4), dtype=np.int64)


def _squeeze(places: np.ndarray) -> bytes:
    """Places as few bytes: pages are near the beginning of their chunk."""
    start, size, data, dictionary = places.T
    near = np.where(dictionary >= 0, dictionary - start, -1)
    return zlib.compress(np.stack([start, size, data - start, near]).astype("<i8").tobytes(), 1)


def _unsqueeze(held: bytes) -> np.ndarray:
    start, size, data, near = np.frombuffer(zlib.decompress(held), dtype="<i8").astype(np.int64).reshape(4, -1)
    return np.stack([start, size, data + start, np.where(near >= 0, near + start, -1)], axis=1)


# ---- bytes -------------------------------------------------------------------


def join_ranges(places: np.ndarray) -> list[tuple[int, int]]:
    """Byte ranges (start, size) of chunks that are sorted by start.  Neighbours are joined, gaps are never read."""
    ranges: list[tuple[int, int]] = []
    for start, size in places[:, :2].tolist():
        if ranges and sum(ranges[-1]) == start:
            ranges[-1] = (ranges[-1][0], ranges[-1][1] + size)
        else:
            ranges.append((start, size))
    return ranges


def _assemble(wanted: Wanted, order: np.ndarray, pieces: Sequence[bytes]) -> bytes:
    """A Parquet file of these chunks alone, in the order in which they are in the file that they are from."""
    chunks, at = [], len(MAGIC)
    for place in order.tolist():
        start, size, data, dictionary = wanted.places[place].tolist()
        moved = at - start
        chunks.append(
            Chunk(
                wanted.leaves[place],
                at,
                size,
                data + moved,
                dictionary + moved if dictionary >= 0 else -1,
                int(wanted.codecs[place]),
            )
        )
        at += size
    return b"".join([MAGIC, *pieces, footer(chunks, wanted.rows, wanted.writer)])


def _decode(file: bytes, count: int, rows: int) -> list[Any]:
    """The columns of a file in memory as arrays of pyarrow."""
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    opened = parquet.ParquetFile(arrow.BufferReader(file), page_checksum_verification=True, pre_buffer=False)
    table = opened.read(use_threads=False)
    columns = [table.column(place).combine_chunks() for place in range(count)]
    for column in columns:
        if len(column) != rows:
            raise ValueError(f"there are {len(column)} values in {rows} rows")
        column.validate(full=True)  # a text may be no UTF-8
    return columns


def _pick(wanted: Wanted, place: int) -> Wanted:
    one = slice(place, place + 1)
    return wanted._replace(
        columns=wanted.columns[one], leaves=wanted.leaves[one], places=wanted.places[one], codecs=wanted.codecs[one]
    )


def _refuse_damaged(wanted: Wanted, order: np.ndarray, body: bytes, wrong: BaseException) -> DataError:
    """Names the column that can't be decoded."""
    arrow, at = need("pyarrow"), 0
    for place in order.tolist():
        one, size = _pick(wanted, place), int(wanted.places[place, 1])
        try:
            _decode(_assemble(one, np.array([0]), [body[at : at + size]]), 1, wanted.rows)
        except (arrow.ArrowException, OSError, ValueError) as own:
            return DataError(f"{wanted.where}: column {one.columns[0]!r} is damaged: {first_line(own)}")
        at += size
    return DataError(f"{wanted.where} is damaged: {first_line(wrong)}")


def read_columns(wanted: Wanted) -> tuple[list[Any], int]:
    """The columns as arrays of pyarrow, and how many bytes were read for them."""
    arrow = need("pyarrow")
    order = np.argsort(wanted.places[:, 0], kind="stable")
    ranges = join_ranges(wanted.places[order])
    pieces = read_ranges(wanted.file, ranges, wanted.where)
    try:
        columns = _decode(_assemble(wanted, order, pieces), len(order), wanted.rows)
    except (arrow.ArrowException, OSError, ValueError) as wrong:
        raise _refuse_damaged(wanted, order, b"".join(pieces), wrong) from wrong
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return [columns[place] for place in back.tolist()], sum(size for _, size in ranges)


# ---- values ------------------------------------------------------------------


def _refuse(where: str, column: str, row: int, what: str) -> DataError:
    return DataError(f"{where}, row {row + 1}: column {column!r} {what}")


def to_numbers(column: Any, name: str, where: str) -> np.ndarray:
    """float64; what is null or NaN is NaN."""
    arrow = need("pyarrow")
    holes = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    if column.null_count == len(column):
        return np.full(len(column), np.nan)
    types = arrow.types
    if not any(known(column.type) for known in (types.is_boolean, types.is_integer, types.is_floating)):
        raise DataError(f"{where}: column {name!r} is damaged: it has values of type {column.type}")
    if holes is not None and not types.is_floating(column.type):  # floats have NaN there already
        column = column.fill_null(False if types.is_boolean(column.type) else 0)
    values = column.to_numpy(zero_copy_only=False)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        large = np.flatnonzero((values > EXACT) if values.dtype.kind == "u" else (values > EXACT) | (values < -EXACT))
        if len(large):
            row = int(large[0])
            raise _refuse(
                where, name, row, f"is {values[row]}, beyond 2^53, where whole numbers are not exact any more"
            )
    values = values.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise _refuse(where, name, int(infinite[0]), "is infinite")
    if holes is not None:
        values[holes] = np.nan
    return np.ascontiguousarray(values)


def to_words(column: Any) -> Any:
    """Texts without the blanks around them; what is empty then is null, as in a file of text."""
    arrow, compute = need("pyarrow"), need("pyarrow.compute")
    if arrow.types.is_null(column.type) or column.null_count == len(column):
        return arrow.nulls(len(column), arrow.string())
    words = compute.utf8_trim_whitespace(column)
    return compute.if_else(compute.equal(words, ""), arrow.scalar(None, words.type), words)


def to_category(words: Any, word: str) -> np.ndarray:
    """1 where the text is this word, 0 where it is another one, NaN where there is none."""
    compute = need("pyarrow.compute")
    hits = compute.equal(words, word)
    values: np.ndarray = hits.fill_null(False).to_numpy(zero_copy_only=False).astype(np.float64)
    values[words.is_null().to_numpy(zero_copy_only=False)] = np.nan
    return values


def _targets(column: Any, name: str, where: str) -> np.ndarray:
    values = to_numbers(column, name, where)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise DataError(f"{where}, row {missing[0] + 1}: the target {name!r} is missing (null or NaN)")
    return values


class ParquetTask:
    """The looks of one part.  It is small: it has byte ranges, no footer."""

    def __init__(
        self,
        blocks: list[int],
        looks: list[np.ndarray],
        wanted: list[Wanted],
        picks: list[list[tuple[int, str | None]]],
    ) -> None:
        self.blocks, self.looks = blocks, looks
        self.inputs: tuple[Any, ...] = ()
        self._wanted = wanted
        self._picks = picks  # for each attribute of a look its chunk, and the word that it is of
        self._checked: set[str] = set()
        self._room = Room()

    def __getstate__(self) -> dict[str, Any]:
        """Places are most of it, and half of their bytes are 0."""
        places = np.concatenate([wanted.places for wanted in self._wanted])
        wanted = [wanted._replace(places=_NO_PLACES) for wanted in self._wanted]
        return {**self.__dict__, "_checked": set(), "_wanted": wanted, "_places": _squeeze(places)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        places = _unsqueeze(state.pop("_places"))
        ends = np.cumsum([len(wanted.columns) for wanted in state["_wanted"]])[:-1]
        pairs = zip(state["_wanted"], np.split(places, ends), strict=True)
        self.__dict__.update(state, _wanted=[wanted._replace(places=own) for wanted, own in pairs])

    def load(self, block: int, inputs: tuple[Any, ...] = ()) -> Loaded:
        """Reads and decodes what was bought of a block: on the worker."""
        place = self.blocks.index(block)
        wanted, picks = self._wanted[place], self._picks[place]
        if not wanted.rows:
            return Loaded(np.empty((len(picks), 0)), np.empty(0), 0, wanted.where)
        if wanted.file.path not in self._checked:
            check_unchanged(wanted.file, wanted.where)
            self._checked.add(wanted.file.path)
        columns, count = read_columns(wanted)
        values = self._room.array(len(picks), wanted.rows)
        words: dict[int, Any] = {}
        for at, (chunk, word) in enumerate(picks):
            if word is None:
                values[at] = to_numbers(columns[chunk], wanted.columns[chunk], wanted.where)
                continue
            if chunk not in words:
                words[chunk] = to_words(columns[chunk])
            values[at] = to_category(words[chunk], word)
        return Loaded(values, _targets(columns[-1], wanted.columns[-1], wanted.where), count, wanted.where)
