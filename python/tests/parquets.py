"""Parquet files for tests, what is in them by pyarrow's own reader, and readers that count."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

import scant.distributed.parquet

NUMBERS = {
    "f2": pa.float16(),
    "f4": pa.float32(),
    "f8": pa.float64(),
    "i1": pa.int8(),
    "i2": pa.int16(),
    "i4": pa.int32(),
    "i8": pa.int64(),
    "u1": pa.uint8(),
    "u2": pa.uint16(),
    "u4": pa.uint32(),
    "u8": pa.uint64(),
    "flag": pa.bool_(),
}


def column(kind, rows, random, nulls="none"):
    """Values that use the whole range of a type, as far as a float64 has them."""
    if pa.types.is_boolean(kind):
        values = random.random(rows) < 0.3
    elif pa.types.is_floating(kind):
        values = random.normal(size=rows).astype(kind.to_pandas_dtype())
    else:
        limits = np.iinfo(kind.to_pandas_dtype())
        low, high = max(limits.min, -(2**53)), min(limits.max, 2**53)
        values = random.integers(low, high, size=rows, endpoint=True).astype(kind.to_pandas_dtype())
        values[: rows // 2] = values[0]  # some are the same: a dictionary is worth its while
        values[-2:] = low, high
    holes = {"none": np.zeros(rows, bool), "all": np.ones(rows, bool)}.get(nulls, random.random(rows) < 0.3)
    return pa.array(values, kind, mask=holes)


def mixed(rows=360, seed=0, nulls="none", kinds=None):
    """A table with a column of each type, and a target y in the middle."""
    random = np.random.default_rng(seed)
    columns = {name: column(kind, rows, random, nulls) for name, kind in (kinds or NUMBERS).items()}
    names = list(columns)
    middle = len(names) // 2
    columns = {name: columns[name] for name in names[:middle]}
    columns["y"] = pa.array(random.normal(size=rows))
    random = np.random.default_rng(seed + 1)
    columns.update({name: column((kinds or NUMBERS)[name], rows, random, nulls) for name in names[middle:]})
    return pa.table(columns)


def write(path, table, sizes=None, **options):
    """Row groups of these sizes (0 is allowed), the last has the rest."""
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        at = 0
        for size in sizes or []:
            writer.write_table(table.slice(at, size), row_group_size=max(size, 1))
            at += size
        if not sizes or at < table.num_rows:
            writer.write_table(table.slice(at), row_group_size=max(table.num_rows, 1))
    return path


def numbers(column):
    """What a column should come to, by pyarrow's conversion of each value."""
    return np.array([np.nan if value is None else float(value) for value in column.to_pylist()])


def expected(table, names):
    return np.array([numbers(table[name]) for name in names]).reshape(len(names), table.num_rows)


def look(*attributes):
    return np.array(attributes, dtype=np.uint32)


def load(table, block, attributes):
    """Through pickle, as on a worker."""
    import pickle

    (part,) = [place for place, blocks in enumerate(table.parts) if block in blocks]
    task = pickle.loads(pickle.dumps(table.task(part, {block: look(*attributes)})))
    return task.load(block, ())


def chunk_bytes(path, group, names):
    """Bytes of the chunks of these columns, as the footer has them."""
    found = pq.read_metadata(path).row_group(group)
    chunks = [found.column(place) for place in range(found.num_columns)]
    sizes = {chunk.path_in_schema: chunk.total_compressed_size for chunk in chunks}
    return sum(sizes[name] for name in names)


class Counting(LocalFileSystem):
    """A store on the local disk that remembers which bytes of which file were read."""

    cachable = False
    protocol = ("counting",)
    read = []  # of the class: what is pickled loses nothing

    def _open(self, path, mode="rb", **keywords):
        inner, read = super()._open(path, mode, **keywords), self.read

        class File:
            def __enter__(self):
                return self

            def __exit__(self, *_):
                inner.close()

            def seek(self, place):
                inner.seek(place)

            def read(self, size=-1):
                start = inner.tell()
                got = inner.read(size)
                read.append((path, start, len(got)))
                return got

        return File()


def opened(path, **keywords):
    return scant.distributed.parquet.open(path, "y", **keywords)
