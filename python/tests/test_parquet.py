"""Tables in Parquet: every way in which pyarrow writes numbers gives those numbers, from the bought chunks alone."""

import io
import itertools
import os
import pathlib
import pickle

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.asyn import AsyncFileSystem
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from parquets import NUMBERS, Counting, chunk_bytes, expected, load, look, mixed, numbers, opened, write

import scant
from scant.distributed import _blocks, parquet
from scant.distributed.parquet import _files, _footer, _task

SIZES = [3, 0, 150, 1]


def check(path, whole, **keywords):
    """Every block: several looks, and what pyarrow reads there; and the bytes are those of the chunks."""
    table = opened(path, **keywords)
    names = [name for name in whole.column_names if name != "y"]
    assert table.names == names and table.target == "y"
    assert isinstance(table, _blocks.Table)
    random = np.random.default_rng(1)
    at = 0
    for block, rows in enumerate(table.rows):
        here = whole.slice(at, rows)
        for count in (1, 4, len(names)):
            bought = np.sort(random.choice(len(names), min(count, len(names)), replace=False))
            loaded = load(table, block, bought)
            np.testing.assert_array_equal(loaded.values, expected(here, [names[i] for i in bought]))
            np.testing.assert_array_equal(loaded.y, numbers(here["y"]))
            assert loaded.values.dtype == loaded.y.dtype == np.float64 and loaded.values.flags.c_contiguous
            paid = chunk_bytes(path, block, [names[i] for i in bought] + ["y"]) if rows else 0
            assert loaded.bytes == paid
        at += rows
    assert at == whole.num_rows
    return table


CODECS = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]
WAYS = list(itertools.product(CODECS, [True, False], ["1.0", "2.0"]))


@pytest.mark.parametrize("codec, words, pages", WAYS)
def test_codecs_pages_and_nulls(tmp_path, codec, words, pages):
    for nulls in ("none", "some", "all"):
        whole = mixed(nulls=nulls)
        path = write(
            tmp_path / f"{nulls}.parquet",
            whole,
            SIZES,
            compression=codec,
            use_dictionary=words,
            data_page_version=pages,
            data_page_size=512,  # many pages in a chunk
        )
        assert opened(path).rows == [*SIZES, 360 - sum(SIZES)]
        check(path, whole)


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
def test_encodings(tmp_path, pages):
    kinds = {name: NUMBERS[name] for name in ("f4", "f8", "i4", "i8", "u4", "flag")}
    for nulls in ("none", "some"):
        whole = mixed(nulls=nulls, kinds=kinds)
        whole = whole.append_column("town", pa.array(["Bonn", "Kiel", None, " ", "Kiel  "] * 72))
        for encodings in (
            {"i4": "DELTA_BINARY_PACKED", "u4": "DELTA_BINARY_PACKED", "town": "DELTA_BYTE_ARRAY", "flag": "RLE"},
            {"i8": "BYTE_STREAM_SPLIT", "f4": "BYTE_STREAM_SPLIT", "f8": "BYTE_STREAM_SPLIT", "town": "PLAIN"},
            {"i8": "DELTA_BINARY_PACKED", "town": "DELTA_LENGTH_BYTE_ARRAY", "f8": "PLAIN"},
        ):
            path = tmp_path / "a.parquet"
            write(path, whole, SIZES, use_dictionary=False, column_encoding=encodings, data_page_version=pages)
            check(path, whole.drop_columns("town"), ignore=["town"])
            table = opened(path, columns=["town"], one_hot={"town": ["Kiel"]})
            got = np.concatenate([load(table, block, [0]).values[0] for block in range(len(table.rows))])
            np.testing.assert_array_equal(got, [0, 1, np.nan, np.nan, 1] * 72)


def test_required_columns_have_no_levels(tmp_path):
    whole = mixed()
    whole = whole.cast(pa.schema([field.with_nullable(False) for field in whole.schema]))
    check(write(tmp_path / "a.parquet", whole, SIZES), whole)


def test_unsigned_of_format_1(tmp_path):
    """There uint32 is written as a signed integer of 64 bits."""
    whole = mixed(nulls="some")
    for version in ("1.0", "2.4", "2.6"):
        path = write(tmp_path / f"{version}.parquet", whole.drop_columns("f2"), SIZES, version=version)
        check(path, whole.drop_columns("f2"))


def test_without_the_schema_of_arrow(tmp_path):
    """As other writers write: only Parquet's own types are there."""
    whole = mixed(nulls="some")
    check(write(tmp_path / "a.parquet", whole, SIZES, store_schema=False), whole)


def test_checksums_and_page_index(tmp_path):
    whole = mixed(nulls="some")
    options = {"write_page_checksum": True, "write_page_index": True, "store_decimal_as_integer": True}
    check(write(tmp_path / "a.parquet", whole, SIZES, **options), whole)


def test_a_column_of_nothing_is_missing(tmp_path):
    whole = mixed().append_column("none", pa.nulls(360))
    check(write(tmp_path / "a.parquet", whole, SIZES), whole)


def other_footer(whole, codec=None, words=None, **options):
    """The bytes of a file that pyarrow can't write: its footer says another codec or place of the dictionary."""
    out = io.BytesIO()
    pq.write_table(whole, out, **options)
    found = pq.read_metadata(io.BytesIO(out.getvalue())).row_group(0)
    leaf = _footer.Leaf(5, 0, None, False, True, "number")
    chunks, body = [], b"PAR1"
    for chunk in map(found.column, range(found.num_columns)):
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        moved = len(body) - start
        dictionary = -1 if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset + moved
        place = (len(body), chunk.total_compressed_size, chunk.data_page_offset + moved)
        chunks.append(_footer.Chunk(leaf, *place, dictionary if words is None else words, codec or 0))
        body += out.getvalue()[start : start + chunk.total_compressed_size]
    return body + _footer.footer(chunks, whole.num_rows, "")


def test_what_pyarrow_does_not_write(tmp_path):
    """The older LZ4, and a 0 where there is no dictionary."""
    whole = pa.table({"x": np.arange(500.0) % 7, "y": np.arange(500.0)})
    for name, written in {
        "lz4": other_footer(whole, codec=5, compression="lz4"),
        "zero": other_footer(whole, words=0, compression="none", use_dictionary=False),
    }.items():
        path = tmp_path / name
        path.write_bytes(written)
        table = parquet.open(path, "1")
        np.testing.assert_array_equal(table.read()[0][:, 0], whole["x"].to_numpy())


def test_mistakes_of_old_writers_are_known_by_their_names(tmp_path):
    """Pages of version 2 that say of themselves that they are not compressed, and are."""
    path, values = tmp_path / "a.parquet", np.repeat(np.arange(30.0), 10)
    options = {"compression": "snappy", "use_dictionary": False, "data_page_version": "2.0"}
    pq.write_table(pa.table({"x": values, "y": values}), path, **options)
    written, maker = bytearray(path.read_bytes()), pq.read_metadata(path).created_by.encode()
    group = pq.read_metadata(path).row_group(0)
    for place in range(2):
        flag = written.index(b"\x15\x00\x11", group.column(place).data_page_offset) + 2
        written[flag] = 0x12  # is_compressed: false
    path.write_bytes(bytes(written).replace(maker, b"parquet-cpp version 1.5.1-".ljust(len(maker), b"x")))
    np.testing.assert_array_equal(pq.read_table(path)["x"].to_numpy(), values)
    np.testing.assert_array_equal(opened(path).read()[0][:, 0], values)


def test_many_columns_and_odd_names(tmp_path):
    """Over 15 columns a list of Thrift has another head; names are never those of the made file."""
    random = np.random.default_rng(0)
    names = ["a.b", "a", "a.b.c", "", "é", "0", "1", 'with "quotes"', "list.element", *(f"c{i}" for i in range(300))]
    whole = pa.table({**{name: random.normal(size=50) for name in names}, "y": random.normal(size=50)})
    path = write(tmp_path / "a.parquet", whole, [20])
    table = opened(path)
    assert table.names == names
    for count in (1, 13, 14, 15, 16, 40, len(names)):
        bought = np.sort(random.choice(len(names), count, replace=False))
        got = load(table, 1, bought)
        np.testing.assert_array_equal(got.values, expected(whole.slice(20), [names[i] for i in bought]))


def test_beside_nested_columns(tmp_path):
    """Nested columns have several leaves: the places of those behind them are still right."""
    whole = mixed(20)
    nested = pa.table(
        {
            "s": pa.array([{"q": 1, "r": [2]}] * 20),
            "f8": whole["f8"],
            "l": pa.array([[1, 2]] * 20),
            "m": pa.array([[("k", 1)]] * 20, pa.map_(pa.string(), pa.int8())),
            "y": whole["y"],
            "fixed": pa.array([[1, 2]] * 20, pa.list_(pa.int8(), 2)),
            "u4": whole["u4"],
        }
    )
    path = write(tmp_path / "a.parquet", nested, [7])
    table = opened(path, ignore=["s", "l", "m", "fixed"])
    assert table.names == ["f8", "u4"]
    X, y = table.read()
    np.testing.assert_array_equal(X.T, expected(whole, ["f8", "u4"]))
    np.testing.assert_array_equal(y, numbers(whole["y"]))


def test_the_order_of_a_look_is_kept(tmp_path):
    whole = mixed()
    table = opened(write(tmp_path / "a.parquet", whole))
    for bought in ([5, 0, 11], [11, 10, 1, 0], []):
        loaded = load(table, 0, bought)
        np.testing.assert_array_equal(loaded.values, expected(whole, [table.names[i] for i in bought]))
    assert loaded.where == f"file '{tmp_path}/a.parquet', row group 0"


def test_read(tmp_path):
    whole = mixed(nulls="some")
    table = opened(write(tmp_path / "a.parquet", whole, SIZES), part_blocks=2)
    assert table.parts == [range(0, 2), range(2, 4), range(4, 5)]
    X, y = table.read()
    np.testing.assert_array_equal(X.T, expected(whole, table.names))
    X, y = table.read([2, 0])
    there = [expected(whole.slice(*cut), table.names) for cut in ((3, 150), (0, 3))]
    np.testing.assert_array_equal(X.T, np.hstack(there))
    assert table.read([])[0].shape == (0, 12)


# ---- bytes, counted at the file ----------------------------------------------


def test_only_what_is_bought_is_read(tmp_path):
    random = np.random.default_rng(0)
    whole = pa.table({**{f"x{i}": random.normal(size=2000) for i in range(100)}, "y": random.normal(size=2000)})
    path = write(tmp_path / "a.parquet", whole, [500, 500, 500])
    Counting.read.clear()
    table = opened(str(path), filesystem=Counting())
    footer = os.path.getsize(path) - min(start for _, start, _ in Counting.read)
    assert sum(size for *_, size in Counting.read) == footer == table.footer_bytes
    metadata = pq.read_metadata(path)
    chunks = [metadata.row_group(group).column(place) for group in range(4) for place in range(101)]
    assert table.bytes == sum(chunk.total_compressed_size for chunk in chunks)
    for block, bought in enumerate([[0], [3, 4, 5, 99], [0, 50, 98], list(range(100))]):
        Counting.read.clear()
        loaded = load(table, block, bought)
        ranges = []
        for name in [*(f"x{i}" for i in bought), "y"]:
            chunk = metadata.row_group(block).column(int(name[1:] or 100))
            start = chunk.dictionary_page_offset or chunk.data_page_offset
            ranges.append((start, start + chunk.total_compressed_size))
        read = [set(range(start, start + size)) for _, start, size in Counting.read]
        assert set().union(*read) == set().union(*(range(*cut) for cut in ranges))
        assert sum(map(len, read)) == sum(size for *_, size in Counting.read) == loaded.bytes
    assert len(read) == 1  # neighbours were read at once


def test_local_files_are_read_as_exactly(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", mixed(), SIZES)
    table = opened(path)
    read = []

    def pread(descriptor, size, start):
        got = os.pread(descriptor, min(size, 1000), start)  # the system may give less at once
        read.append(len(got))
        return got

    class System:
        pass

    system = System()
    system.__dict__.update(vars(os))
    system.pread = pread
    monkeypatch.setattr(_files, "os", system)
    for block in range(5):
        read.clear()
        loaded = load(table, block, [1, 2, 7])
        assert sum(read) == loaded.bytes and (loaded.bytes > 0) == (table.rows[block] > 0)


def test_ranges_are_joined_without_gaps():
    places = np.array([[4, 10, 4, -1], [14, 6, 14, -1], [21, 1, 21, -1], [22, 8, 22, -1]])
    assert _task.join_ranges(places) == [(4, 16), (21, 9)]


def test_a_task_is_small_and_has_no_footer(tmp_path):
    sizes = []
    for width in (50, 500):
        random = np.random.default_rng(0)
        whole = pa.table({**{f"x{i}": random.normal(size=32) for i in range(width)}, "y": random.normal(size=32)})
        table = opened(write(tmp_path / f"{width}.parquet", whole, [2] * 16))
        sizes.append(len(pickle.dumps(table.task(0, {block: look(*range(20)) for block in range(16)}))))
    assert sizes[1] < 16 * 20 * 60 and sizes[1] < 1.1 * sizes[0]


def test_a_wide_task_is_small(tmp_path):
    """16 row groups of 50 columns of 500: what a cluster sends thousands of times."""
    random = np.random.default_rng(0)
    values = random.normal(size=(320, 501)).astype(np.float32)
    whole = pa.table({**{f"attribute_{i}": values[:, i] for i in range(500)}, "y": values[:, 500]})
    table = opened(write(tmp_path / "a.parquet", whole, [20] * 16))
    task = table.task(0, {block: look(*random.choice(500, 50, replace=False)) for block in range(16)})
    held = pickle.dumps(task)
    assert len(held) < 16 * 51 * 32  # a name, a look and less than one number of 8 bytes for each chunk
    other = pickle.loads(held)
    for block in task.blocks:
        np.testing.assert_array_equal(other.load(block, ()).values, task.load(block, ()).values)
    for one, two in zip(task._wanted, other._wanted, strict=True):
        np.testing.assert_array_equal(one.places, two.places)


def test_an_async_store_is_asked_for_ranges(tmp_path):
    """As those of the clouds are."""
    asked = []

    class Ranges(AsyncFileSystem):
        cachable = False

        async def _info(self, path, **keywords):
            return {"name": path, "size": os.path.getsize(path), "type": "file", "ETag": "1"}

        async def _cat_file(self, path, start=None, end=None, **keywords):
            asked.append((start, end))
            return pathlib.Path(path).read_bytes()[start:end]

    whole = mixed()
    path = write(tmp_path / "a.parquet", whole, SIZES)
    table = opened(str(path), filesystem=Ranges())
    assert sum(end - start for start, end in asked) == table.footer_bytes
    asked.clear()
    (part,) = table.parts
    loaded = table.task(0, {block: look(0, 1, 7) for block in part})
    read = 0
    pieces = np.split(expected(whole, ["f2", "f4", "u1"]), np.cumsum(table.rows)[:-1], axis=1)
    for block, of_block in zip(part, pieces, strict=True):
        got = loaded.load(block, ())
        read += got.bytes
        np.testing.assert_array_equal(got.values, of_block)
    assert sum(end - start for start, end in asked) == read


def test_a_store_with_buffers_does_not_read_ahead(tmp_path):
    fetched = []

    class File(AbstractBufferedFile):
        def _fetch_range(self, start, end):
            fetched.append(end - start)
            return pathlib.Path(self.path).read_bytes()[start:end]

    class Store(AbstractFileSystem):
        cachable = False

        def info(self, path, **keywords):
            return {"name": path, "size": os.path.getsize(path), "type": "file"}

        def _open(self, path, mode="rb", **keywords):
            return File(self, path, mode, **keywords)

    path = write(tmp_path / "a.parquet", mixed(), SIZES)
    table = opened(str(path), filesystem=Store())
    assert sum(fetched) == table.footer_bytes
    fetched.clear()
    assert table.task(0, {2: look(0, 7)}).load(2, ()).bytes == sum(fetched)


# ---- files -------------------------------------------------------------------


@pytest.fixture
def several(tmp_path):
    whole = mixed(nulls="some")
    folder = tmp_path / "folder"
    folder.mkdir()
    for at, name in enumerate(["b.parquet", "c.parquet", "a.parquet"]):  # not in the order of their names
        write(folder / name, whole.slice(120 * at, 120), [90])
    (folder / "_SUCCESS").touch()
    (folder / "_metadata").write_bytes(b"none of ours")
    (folder / ".a.parquet.crc").touch()
    (folder / "more").mkdir()
    return folder, whole


def test_folders_lists_and_stores(several):
    folder, whole = several
    by_name = pa.concat_tables([whole.slice(240, 120), whole.slice(0, 240)])
    store = fsspec.filesystem("memory")
    store.put(str(folder), "/lake/table", recursive=True)
    as_given = [folder / "b.parquet", str(folder / "c.parquet"), folder / "a.parquet"]
    ways = {
        "folder": (opened(folder), by_name),
        "text": (opened(f"{folder}/"), by_name),
        "list": (opened(as_given), whole),
        "file URL": (opened(f"file://{folder}"), by_name),
        "memory": (opened("memory://lake/table"), by_name),
        "in memory": (opened(["lake/table/b.parquet", "/lake/table"][1:], filesystem=store), by_name),
        "counted": (opened(str(folder), filesystem=Counting()), by_name),
    }
    for way, (table, rows) in ways.items():
        assert table.rows == [90, 30] * 3, way
        X, y = table.read()
        np.testing.assert_array_equal(X.T, expected(rows, table.names))
        np.testing.assert_array_equal(y, numbers(rows["y"]))
    assert [pathlib.Path(file).name for file in ways["folder"][0].files] == ["a.parquet", "b.parquet", "c.parquet"]
    assert ways["memory"][0].files[0] == "memory://lake/table/a.parquet"
    assert ways["file URL"][0].task(0, {0: look(1)})._wanted[0].file.store is None
    store.rm("/lake", recursive=True)


def test_a_part_has_blocks_of_several_files(several):
    folder, _ = several
    table = opened(folder, part_blocks=4)
    assert table.parts == [range(4), range(4, 6)]
    task = pickle.loads(pickle.dumps(table.task(0, {3: look(1), 0: look(0, 2)})))
    assert task.blocks == [0, 3] and [o.tolist() for o in task.looks] == [[0, 2], [1]] and task.inputs == ()
    assert "a.parquet', row group 0" in task.load(0, ()).where and "b.parquet', row group 1" in task.load(3, ()).where
    X, _ = table.read([3])
    np.testing.assert_array_equal(task.load(3, ()).values[0], X[:, 1])


def test_a_worker_may_be_in_another_folder(tmp_path, monkeypatch):
    write(tmp_path / "a.parquet", mixed())
    monkeypatch.chdir(tmp_path)
    table = opened("a.parquet")
    assert table.files == ["a.parquet"]
    task = table.task(0, {0: look(1)})
    monkeypatch.chdir("/")
    loaded = task.load(0, ())
    assert loaded.y.shape == (360,) and loaded.where == "file 'a.parquet', row group 0"


def test_numbers_of_any_type_go_together(tmp_path):
    """A column may be integers in one file, floats in the next, and nothing in a third; columns may change places."""
    for at, kind in enumerate([pa.int32(), pa.float64(), pa.bool_(), pa.null()]):
        x = pa.nulls(3) if kind == pa.null() else pa.array([None, 1, 0]).cast(kind)
        columns = {"x": x, "y": pa.array([1, 2, 3.0])}
        write(tmp_path / f"{at}.parquet", pa.table(dict(sorted(columns.items(), reverse=bool(at % 2)))))
    X, y = opened(tmp_path).read()
    np.testing.assert_array_equal(X[:, 0], [np.nan, 1, 0] * 3 + [np.nan] * 3)
    np.testing.assert_array_equal(y, [1, 2, 3] * 4)


def test_columns_and_ignore(tmp_path):
    path = write(tmp_path / "a.parquet", mixed())
    assert opened(path, columns=["u4", "f8", "y"]).names == ["f8", "u4"]
    assert opened(path, ignore=["f2", "flag"]).names == [n for n in NUMBERS if n not in ("f2", "flag")]
    task = opened(path, columns=["u4", "f8"]).task(0, {0: look(0, 1)})
    assert task._wanted[0].columns == ["f8", "u4", "y"]


# ---- words -------------------------------------------------------------------

TOWNS = ["Bonn", "Kiel", None, "Ulm", " Kiel ", "", "Bonn"]


@pytest.fixture
def towns(tmp_path):
    count = len(TOWNS)
    whole = pa.table(
        {
            "x": np.arange(3.0 * count),
            "town": pa.array(TOWNS * 3),
            "size": pa.array(["S", "L", "M", "S", "S", "L", None] * 3).dictionary_encode(),
            "y": np.arange(3.0 * count),
        }
    )
    return write(tmp_path / "a.parquet", whole, [count, count])


def test_named_words(towns):
    table = opened(towns, one_hot={"town": ["Kiel", "Bonn"], "size": ["M"]})
    assert table.names == ["x", "town=Kiel", "town=Bonn", "size=M"] and table.scanned_bytes == 0
    got = load(table, 1, [1, 2, 3])
    np.testing.assert_array_equal(got.values[0], [0, 1, np.nan, 0, 1, np.nan, 0])
    np.testing.assert_array_equal(got.values[1], [1, 0, np.nan, 0, 0, np.nan, 1])
    np.testing.assert_array_equal(got.values[2], [0, 0, 1, 0, 0, 0, np.nan])
    # the chunk of a column is read once, however many of its attributes are bought
    assert got.bytes == chunk_bytes(towns, 1, ["town", "size", "y"])
    assert load(table, 1, [1]).bytes == load(table, 1, [1, 2]).bytes == chunk_bytes(towns, 1, ["town", "y"])


def test_found_words(towns):
    for asked in ("town", ["town"], {"town": None}):
        table = opened(towns, one_hot=asked, ignore=["size"])
        assert table.names == ["x", "town=Bonn", "town=Kiel", "town=Ulm"]
        assert table.scanned_bytes == sum(chunk_bytes(towns, group, ["town"]) for group in range(3))


def test_over_a_thousand_words(tmp_path):
    for count in (1000, 1001):
        whole = pa.table({"id": [f"n{i}" for i in range(count)], "y": np.zeros(count)})
        path = write(tmp_path / f"{count}.parquet", whole)
        if count == 1000:
            assert len(opened(path, one_hot="id").names) == 1000
            continue
        with pytest.raises(scant.DataError, match="row group 0: column 'id' holds over 1000 different words"):
            opened(path, one_hot="id")


def test_a_table_says_what_it_is(tmp_path):
    path = write(tmp_path / "a.parquet", pa.table({"x": [1.0, 2.0], "y": [1.0, 2.0]}))
    assert repr(opened(path)) == "<ParquetTable of 2 rows of 1 attribute in 1 block (row groups of 1 file), target 'y'>"


def test_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "a.parquet", pa.table({"x": [1.0, 2.0], "y": [1.0, 2.0]}))
    for path in ("~/a.parquet", pathlib.Path("~/a.parquet"), "~", ["~/a.parquet"]):
        assert opened(path).files == [f"{tmp_path}/a.parquet"]
