"""A small Parquet file around column chunks that were cut out of another one, for pyarrow to read.

A column chunk can be read wherever it is: its pages have their own headers, and only the footer says where it begins.
So the chunks that were bought are put one behind the other, with a footer of their own (Thrift's compact protocol) in
which they are the columns of a single row group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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
