"""Footers of Parquet files: parsed once, where the table is opened, and kept as arrays of what a task may need; and
written, for a small file around column chunks that were cut out of another one, for pyarrow to read.

A column chunk can be read wherever it is: its pages have their own headers, and only the footer says where it begins.
So the chunks that were bought are put one behind the other, with a footer of their own (Thrift's compact protocol) in
which they are the columns of a single row group.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._errors import DataError
from ._files import File, need, read_ranges

MAGIC = b"PAR1"

# Physical types and codecs by the numbers of parquet.thrift.
PHYSICAL = {
    "BOOLEAN": 0,
    "INT32": 1,
    "INT64": 2,
    "FLOAT": 4,
    "DOUBLE": 5,
    "BYTE_ARRAY": 6,
    "FIXED_LEN_BYTE_ARRAY": 7,
}
# pyarrow says LZ4 for what the format calls LZ4_RAW, and UNKNOWN for the format's older LZ4.
CODECS = {"UNCOMPRESSED": 0, "SNAPPY": 1, "GZIP": 2, "BROTLI": 4, "UNKNOWN": 5, "ZSTD": 6, "LZ4": 7}
UTF8 = 0  # converted types: of text, and of integers that are narrower than their physical type or have no sign
INTEGERS = {(8, False): 11, (16, False): 12, (32, False): 13, (64, False): 14, (8, True): 15, (16, True): 16}

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_FLOAT16 = 15  # the logical type


class Leaf(NamedTuple):
    """How the values of a column are written in one file."""

    physical: int
    length: int  # of FIXED_LEN_BYTE_ARRAY
    converted: int | None
    half: bool  # a float of 16 bits
    optional: bool  # there are definition levels
    kind: str  # "number", "text", or "null" (a column without any value)


@dataclass(frozen=True)
class Column:
    """A column of a file by its name: which leaf it is, and how it is written there."""

    place: int  # among the leaves
    leaf: Leaf | None  # None: it can't be learned from
    what: str  # its type, for sentences
    nested: bool


@dataclass(frozen=True)
class Groups:
    """The row groups of a file, of the columns that the table has: arrays of shape (row groups, columns)."""

    file: File
    writer: str  # the program that wrote it
    leaves: list[Leaf]
    rows: np.ndarray  # of each row group
    start: np.ndarray
    size: np.ndarray
    data: np.ndarray  # where the first data page begins
    dictionary: np.ndarray  # where the dictionary page begins; -1: there is none
    codec: np.ndarray
    footer: int  # bytes of the footer, with the eight at the end of the file


def first_line(wrong: BaseException) -> str:
    return (str(wrong).strip() or type(wrong).__name__).splitlines()[0].rstrip(".")


def read_footer(file: File) -> tuple[Any, int]:
    """The metadata of a file, by pyarrow, and how many bytes were read for it."""
    parquet, arrow = need("pyarrow.parquet"), need("pyarrow")
    if file.size < 12:
        raise DataError(f"{file} is no Parquet file: it has {file.size} bytes")
    (tail,) = read_ranges(file, [(file.size - 8, 8)], file)
    if tail[4:] == b"PARE":
        raise DataError(f"{file} is encrypted, which is not supported")
    if tail[4:] != MAGIC:
        raise DataError(f"{file} is no Parquet file, or it is truncated: it does not end with PAR1")
    length = int.from_bytes(tail[:4], "little")
    if length > file.size - 12:
        raise DataError(f"{file} is damaged: its footer would be {length} bytes, and the file has {file.size}")
    (text,) = read_ranges(file, [(file.size - 8 - length, length)], file)
    try:
        metadata = parquet.read_metadata(arrow.BufferReader(MAGIC + text + tail))
    except (arrow.ArrowException, OSError, ValueError) as wrong:
        raise DataError(f"{file}: its footer is damaged: {first_line(wrong)}") from wrong
    _check_codecs(file, text, metadata)
    return metadata, length + 8


def _check_codecs(file: File, text: bytes, metadata: Any) -> None:
    """Refuses chunks of which a footer says that they are compressed in a way that nobody knows: asked for the name of
    such a codec, pyarrow does not raise, but ends the process.

    In Thrift's words the codec comes after the path: a list (0x19) of one binary (0x18) of so many bytes, and an i32
    (0x15), which is twice the number, and odd where that is negative."""
    held = np.frombuffer(text, dtype=np.uint8)
    path = np.flatnonzero((held[:-1] == 0x19) & (held[1:] == 0x18)) + 2
    path = path[path < len(held)]
    after = path + held[path] + 1
    path, after = path[after < len(held) - 1], after[after < len(held) - 1]
    codec = held[after + 1]
    odd = (held[path] < 0x80) & (held[after] == 0x15) & ((codec > 2 * max(CODECS.values())) | (codec & 1 == 1))
    found = {text[begin:end] for begin, end in zip(path[odd] + 1, after[odd], strict=True)}
    for place in range(metadata.num_columns if found else 0):
        name = metadata.schema.column(place).path
        if name.encode() in found:  # and not some other bytes that look so
            raise DataError(f"{file}: its footer is damaged: nobody knows how column {name!r} is compressed")


# ---- columns -----------------------------------------------------------------


def _leaves(kind: Any, types: Any) -> int:
    """How many leaves of Parquet a column of this type has."""
    if types.is_dictionary(kind):
        return 1
    if isinstance(kind, need("pyarrow").BaseExtensionType):
        return _leaves(kind.storage_type, types)
    if types.is_nested(kind):
        return sum(_leaves(kind.field(place).type, types) for place in range(kind.num_fields))
    return 1


def _leaf(written: Any, kind: Any, types: Any) -> Leaf | None:
    """How a column is written, or None if it is neither numbers nor text."""
    logical = json.loads(written.logical_type.to_json())
    name = logical["Type"]
    physical, optional = PHYSICAL.get(written.physical_type), written.max_definition_level == 1
    if types.is_dictionary(kind):
        kind = kind.value_type
    if physical is None or written.max_repetition_level or written.max_definition_level > 1:
        return None
    if types.is_float16(kind) and name == "Float16":
        return Leaf(physical, 2, None, True, optional, "number")
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    if text and written.physical_type == "BYTE_ARRAY":
        return Leaf(physical, 0, UTF8, False, optional, "text")
    if name == "Null" or types.is_null(kind):
        return Leaf(physical, written.length or 0, None, False, optional, "null")
    plain = written.physical_type in ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
    number = types.is_boolean(kind) or types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)
    if plain and number and name in ("None", "Int"):
        converted = INTEGERS.get((logical["bitWidth"], logical["isSigned"])) if name == "Int" else None
        return Leaf(physical, 0, converted, False, optional, "number")
    return None


def read_columns(file: File, metadata: Any) -> dict[str, Column]:
    """The columns of a file.  Nested ones are among them, to be refused by their names."""
    arrow = need("pyarrow")
    types = arrow.types
    try:
        fields = list(metadata.schema.to_arrow_schema())
    except (arrow.ArrowException, OSError, ValueError) as wrong:
        raise DataError(f"{file}: its schema can't be read: {first_line(wrong)}") from wrong
    columns: dict[str, Column] = {}
    place = 0
    for field in fields:
        if field.name in columns:
            raise DataError(f"{file} has two columns {field.name!r}")
        count = _leaves(field.type, types)
        nested = count != 1 or types.is_nested(field.type)
        leaf = None
        if not nested and place < len(metadata.schema):
            leaf = _leaf(metadata.schema.column(place), field.type, types)
        columns[field.name] = Column(place, leaf, str(field.type), nested)
        place += count
    if place != len(metadata.schema):
        raise DataError(f"{file}: its schema has {len(metadata.schema)} leaves where {place} are expected")
    return columns


# ---- row groups --------------------------------------------------------------


def _check(groups: Groups, names: Sequence[str]) -> None:
    """Every chunk is between the first bytes and the footer, and its pages are in it."""
    end = groups.file.size - groups.footer
    last = np.maximum(groups.data, groups.dictionary)
    with np.errstate(over="ignore"):
        wrong = (groups.start < 4) | (groups.size < 0) | (groups.size > end - groups.start)
    wrong |= (last >= groups.start + groups.size) & (groups.rows > 0)[:, None]
    wrong &= (groups.rows > 0)[:, None]
    for group, column in np.argwhere(wrong)[:1]:
        raise DataError(
            f"{groups.file}, row group {group}: the file is damaged: the footer says that column {names[column]!r} "
            f"is at byte {groups.start[group, column]} with {groups.size[group, column]} bytes, where it can't be"
        )


def _writer(metadata: Any) -> str:
    try:
        return metadata.created_by or ""
    except UnicodeDecodeError:
        return ""


def read_groups(file: File, metadata: Any, footer: int, columns: Sequence[Column], names: Sequence[str]) -> Groups:
    """What tasks need of each chunk.  The columns can all be learned from."""
    count, shape = metadata.num_row_groups, (metadata.num_row_groups, len(columns))
    start, size, data, dictionary = (np.empty(shape, dtype=np.int64) for _ in range(4))
    rows, codec = np.empty(count, dtype=np.int64), np.empty(shape, dtype=np.uint8)
    places = [column.place for column in columns]
    for group in range(count):
        found = metadata.row_group(group)
        rows[group] = found.num_rows
        if found.num_rows < 0 or found.num_columns != len(metadata.schema):
            raise DataError(f"{file}, row group {group}: the footer is damaged: its rows or columns can't be")
        for at, place in enumerate(places):
            chunk = found.column(place)
            page, words = chunk.data_page_offset, chunk.dictionary_page_offset
            if words is None or not 0 < words < page:  # some writers put a 0 where there is none
                words = -1
            if chunk.num_values != found.num_rows or chunk.file_path or chunk.compression not in CODECS:
                raise DataError(f"{file}, row group {group}: {_odd(chunk, found.num_rows, names[at])}")
            start[group, at] = page if words < 0 else words
            size[group, at] = chunk.total_compressed_size
            data[group, at], dictionary[group, at] = page, words
            codec[group, at] = CODECS[chunk.compression]
    known: dict[Leaf, Leaf] = {}  # equal ones are one object, which a task has once
    leaves = [known.setdefault(column.leaf, column.leaf) for column in columns if column.leaf is not None]
    groups = Groups(file, _writer(metadata), leaves, rows, start, size, data, dictionary, codec, footer)
    _check(groups, names)
    return groups


def _odd(chunk: Any, rows: int, name: str) -> str:
    if chunk.file_path:
        return f"column {name!r} is in another file, {chunk.file_path!r}, which is not supported"
    if chunk.compression not in CODECS:
        return f"column {name!r} is compressed by {chunk.compression}, which pyarrow can't read"
    return f"the footer is damaged: column {name!r} has {chunk.num_values} values in {rows} rows"


# ---- writing one


class Chunk(NamedTuple):
    """A column chunk of the file that is made: where it begins there."""

    leaf: Leaf
    start: int
    size: int
    data: int  # of the first data page
    dictionary: int  # of the dictionary page; -1: there is none
    codec: int


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _signed(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _binary(text: bytes) -> bytes:
    return _varint(len(text)) + text


def _list(kind: int, items: Sequence[bytes]) -> bytes:
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return head + b"".join(items)


def _struct(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Fields are (number, type, what is encoded already), ascending and less than 16 apart."""
    out, last = bytearray(), 0
    for number, kind, encoded in fields:
        out.append(number - last << 4 | kind)
        out += encoded
        last = number
    out.append(0)
    return bytes(out)


def _element(name: bytes, leaf: Leaf) -> bytes:
    fields = [(1, _I32, _signed(leaf.physical))]
    if leaf.length:
        fields.append((2, _I32, _signed(leaf.length)))
    fields += [(3, _I32, _signed(int(leaf.optional))), (4, _BINARY, _binary(name))]
    if leaf.converted is not None:
        fields.append((6, _I32, _signed(leaf.converted)))
    if leaf.half:
        fields.append((10, _STRUCT, _struct([(_FLOAT16, _STRUCT, _struct([]))])))
    return _struct(fields)


def _column(name: bytes, chunk: Chunk, rows: int) -> bytes:
    facts = [
        (1, _I32, _signed(chunk.leaf.physical)),
        (2, _LIST, _list(_I32, [_signed(0)])),  # encodings: the pages say theirs
        (3, _LIST, _list(_BINARY, [_binary(name)])),
        (4, _I32, _signed(chunk.codec)),
        (5, _I64, _signed(rows)),
        (6, _I64, _signed(chunk.size)),
        (7, _I64, _signed(chunk.size)),
        (9, _I64, _signed(chunk.data)),
    ]
    if chunk.dictionary >= 0:
        facts.append((11, _I64, _signed(chunk.dictionary)))
    return _struct([(2, _I64, _signed(chunk.start)), (3, _STRUCT, _struct(facts))])


def footer(chunks: Sequence[Chunk], rows: int, writer: str) -> bytes:
    """What comes after the last chunk.  The columns are called 0, 1, 2, ...  ``writer`` wrote the chunks: readers know
    the mistakes of old ones by their names."""
    names = [str(place).encode() for place in range(len(chunks))]
    root = _struct([(4, _BINARY, _binary(b"schema")), (5, _I32, _signed(len(chunks)))])
    columns = [_column(name, chunk, rows) for name, chunk in zip(names, chunks, strict=True)]
    group = _struct(
        [
            (1, _LIST, _list(_STRUCT, columns)),
            (2, _I64, _signed(sum(chunk.size for chunk in chunks))),
            (3, _I64, _signed(rows)),
        ]
    )
    elements = [root, *(_element(name, chunk.leaf) for name, chunk in zip(names, chunks, strict=True))]
    whole = _struct(
        [
            (1, _I32, _signed(2)),
            (2, _LIST, _list(_STRUCT, elements)),
            (3, _I64, _signed(rows)),
            (4, _LIST, _list(_STRUCT, [group])),
            (6, _BINARY, _binary(writer.encode())),
        ]
    )
    return whole + len(whole).to_bytes(4, "little") + MAGIC
