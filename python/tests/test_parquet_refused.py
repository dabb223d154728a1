"""What a Parquet table refuses: each time a sentence that says where, and never a wrong number."""

import datetime
import decimal
import os
import pickle
import re
import sys

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquets import Counting, chunk_bytes, load, look, mixed, opened, write

import scant
from scant.distributed import parquet
from scant.distributed.parquet import _footer


def refused(sentence, call, *arguments, kind=scant.DataError, **keywords):
    with pytest.raises(kind) as caught:
        call(*arguments, **keywords)
    assert re.search(sentence, str(caught.value)), caught.value
    return str(caught.value)


def small(**columns):
    return pa.table({"x": [1.0, 2.0, 3.0], **columns, "y": [1.0, 2.0, 3.0]})


DAY = datetime.datetime(2024, 2, 29)
TYPES = {
    "date32": pa.array([DAY.date()] * 3),
    "timestamp": pa.array([DAY] * 3),
    "time64": pa.array([DAY.time()] * 3),
    "duration": pa.array([DAY - DAY] * 3),
    "decimal": pa.array([decimal.Decimal("1.50")] * 3),
    "binary": pa.array([b"a"] * 3),
    "fixed_size_binary": pa.array([b"ab"] * 3, pa.binary(2)),
    "struct": pa.array([{"a": 1}] * 3),
    "list": pa.array([[1.0]] * 3),
    "map": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int8())),
}


@pytest.mark.parametrize("kind", TYPES)
def test_types(tmp_path, kind):
    path = write(tmp_path / "a.parquet", small(odd=TYPES[kind]))
    what = rf"is nested \({kind}" if kind in ("struct", "list", "map") else f"is of type {kind}"
    refused(f"a.parquet': column 'odd' {what}", opened, path)
    target = refused(f"a.parquet': the target 'odd' {what}", parquet.open, path, "odd")
    assert "ignore" not in target  # a target can't be left out
    assert opened(path, ignore=["odd"]).names == opened(path, columns=["x"]).names == ["x"]


def test_timestamps_without_the_schema_of_arrow(tmp_path):
    for name, options in {"new": {}, "old": {"use_deprecated_int96_timestamps": True}}.items():
        path = write(tmp_path / f"{name}.parquet", small(odd=TYPES["timestamp"]), store_schema=False, **options)
        refused("column 'odd' is of type timestamp", opened, path)


def test_text(tmp_path):
    town, size = pa.array(["Bonn", "Kiel", None]), pa.array(["S", "M", "L"]).dictionary_encode()
    path = write(tmp_path / "a.parquet", small(town=town, size=size, long=town.cast(pa.large_string())))
    refused("columns 'town', 'size' and 'long' hold text: leave them out with ignore.* one_hot", opened, path)
    refused("column 'long' holds text: leave it", opened, path, one_hot=["town", "size"])
    refused("the target 'town' holds text", parquet.open, path, "town", columns=["x"])


def test_wrong_keywords(tmp_path):
    path = write(tmp_path / "a.parquet", small(town=pa.array(["Bonn", "Kiel", None])))
    usage = {"kind": scant.UsageError}
    refused("a.parquet' has no column 'z', the target", parquet.open, path, "z")
    refused("target is the name of a column, not 3", parquet.open, path, 3, **usage)
    for keyword in ("columns", "ignore", "one_hot"):
        refused(rf"a.parquet' has no column 'z' \({keyword}\)", opened, path, **{keyword: ["z"]})
        refused(f"{keyword} has names of columns, and 3 is none", opened, path, **{keyword: [3]}, **usage)
        refused(f"{keyword} names a column twice", opened, path, **{keyword: ["x", "x"]}, **usage)
    refused("columns is empty", opened, path, columns=[], **usage)
    refused("columns is empty", opened, path, columns=iter(()), **usage)
    refused("'y' is the target, and can't be in ignore", opened, path, ignore="y", **usage)
    refused("'y' is the target, and can't be in one_hot", opened, path, one_hot="y", **usage)
    refused("column 'x' is in columns and in ignore", opened, path, columns=["x"], ignore=["x"], **usage)
    refused("column 'town' is left out", opened, path, ignore=["town"], one_hot=["town"], **usage)
    refused("no columns that are left", opened, path, ignore=["town", "x"])
    refused("column 'x' holds numbers", opened, path, one_hot=["x", "town"])
    refused("'town' needs a list of its words", opened, path, one_hot={"town": "Bonn"}, **usage)
    refused("'town' needs a list of its words", opened, path, one_hot={"town": []}, **usage)
    refused("' Bonn' is no word of column 'town'", opened, path, one_hot={"town": [" Bonn"]}, **usage)
    refused("'town' has a word twice", opened, path, one_hot={"town": ["Bonn", "Bonn"]}, **usage)
    for part in (0, 1.5, True):
        refused("part_blocks is a number of row groups", opened, path, part_blocks=part, **usage)
    refused("filesystem is one of fsspec, not str", opened, path, filesystem="s3", **usage)
    refused("a path is a text", opened, 3, **usage)
    refused("no files in the list", opened, [], **usage)
    refused("is in the list twice", opened, [path, path], **usage)
    refused("nowhere://a", opened, "nowhere://a", **usage)
    table = opened(path, one_hot=["town"])
    refused("looks are of blocks of part 0", table.task, 0, {}, **usage)
    refused("looks are of blocks of part 0", table.task, 0, {1: look(0)}, **usage)


def test_names_that_meet(tmp_path):
    whole = small(**{"town=Bonn": [1, 2, 3], "town": ["Bonn", "Kiel", "Bonn"]})
    path = write(tmp_path / "a.parquet", whole)
    refused("two attributes would be called 'town=Bonn'", opened, path, one_hot=["town"])
    twice = pa.Table.from_arrays([pa.array([1.0])] * 3, names=["x", "x", "y"])
    refused("a.parquet' has two columns 'x'", opened, write(tmp_path / "a.parquet", twice))


# ---- files -------------------------------------------------------------------


def test_files_that_are_not_there(tmp_path):
    missing = {"kind": scant.NoInputError}
    refused("file '.*none.parquet': there is no such file", opened, tmp_path / "none.parquet", **missing)
    refused("folder '.*' has no file", opened, tmp_path, **missing)
    refused("no such file: patterns are not expanded, but glob.glob", opened, str(tmp_path / "*.parquet"), **missing)
    refused("none.parquet': there is no such file", opened, "memory://none.parquet", **missing)
    path = write(tmp_path / "a.parquet", mixed(), [100])
    for table in (opened(path), opened(str(path), filesystem=Counting())):
        path.rename(tmp_path / "b.parquet")
        refused("file '.*a.parquet', row group 1: there is no such file", load, table, 1, [0], **missing)
        (tmp_path / "b.parquet").rename(path)
    (tmp_path / "year=2024").mkdir()
    refused("has partitions such as 'year=2024'", opened, tmp_path)


def test_other_schemas(tmp_path):
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write(first, small(town=pa.array(["Bonn", "Kiel", None])))
    one_hot = {"town": ["Bonn"]}
    for whole, sentence in {
        "less": (small(), "b.parquet' has no column 'town', which file '.*a.parquet' has"),
        "no target": (small(town=["a"] * 3).drop_columns("y"), "b.parquet' has no column 'y', the target, which"),
        "more": (small(town=["a"] * 3, z=[1, 2, 3]), "b.parquet' has a column 'z' that file '.*a.parquet' has not"),
        "number": (small(town=[1, 2, 3]), "b.parquet': column 'town' holds numbers"),
        "date": (small(town=TYPES["date32"]), "b.parquet': column 'town' is of type date32"),
    }.values():
        write(second, whole)
        refused(sentence, opened, tmp_path, one_hot=one_hot)
    write(second, pa.table({"x": ["a"] * 3, "y": [1, 2, 3]}))
    sentence = "b.parquet': column 'x' holds text, and file '.*a.parquet' has none there"
    assert "one_hot" not in refused(sentence, opened, tmp_path, columns=["x"])
    sentence = r"b.parquet': column 'x' holds text: leave .* one_hot \(if every file has text there\)$"
    refused(sentence, opened, [second, first], columns=["x"])
    refused("with one_hot$", opened, second)
    write(second, small(town=[1, 2, 3], z=["a"] * 3))
    assert opened(tmp_path, columns=["x"]).rows == [3, 3]  # others do not matter


def test_no_rows(tmp_path):
    refused("a.parquet'.*there are no rows", opened, write(tmp_path / "a.parquet", small().slice(0, 0)))
    write(tmp_path / "b.parquet", small())
    assert sum(opened(tmp_path).rows) == 3


def test_files_that_changed(tmp_path):
    path, store = tmp_path / "a.parquet", fsspec.filesystem("memory")
    write(path, mixed(), [100])
    store.put(str(path), "/changed.parquet")
    tables = [opened(path), opened(str(path), filesystem=Counting()), opened("memory://changed.parquet")]
    tasks = [pickle.dumps(table.task(0, {1: look(0)})) for table in tables]
    for task in tasks:
        assert pickle.loads(task).load(1, ()).values.shape == (1, 260)
    when = os.stat(path).st_mtime_ns
    path.write_bytes(path.read_bytes())  # as long as before
    os.utime(path, ns=(when, when + 10**9))
    store.put(str(path), "/changed.parquet")
    for task in tasks:
        refused("parquet', row group 1: the file has changed", pickle.loads(task).load, 1, ())
    store.rm("/changed.parquet")


# ---- damage ------------------------------------------------------------------


def test_truncated(tmp_path):
    path = tmp_path / "a.parquet"
    whole = write(path, mixed(), [100]).read_bytes()
    for length in (0, 3, 11, 12, 200, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused("a.parquet' is no Parquet file", opened, path)
    path.write_bytes(whole[:-4] + b"PARE")
    refused("a.parquet' is encrypted", opened, path)
    path.write_bytes(whole[:-8] + (1 << 20).to_bytes(4, "little") + b"PAR1")
    refused("a.parquet' is damaged: its footer would be 1048576 bytes", opened, path)
    path.write_bytes(whole[:4] + whole[2000:])
    refused("row group 1: the file is damaged: the footer says that column", opened, path)


def test_truncated_behind_our_back(tmp_path):
    """A store may not tell that a file has become shorter."""
    path = write(tmp_path / "a.parquet", mixed(), [100])

    class Silent(Counting):
        def info(self, path, **keywords):
            return {"name": path, "size": size, "type": "file"}

    size = os.path.getsize(path)
    table = opened(str(path), filesystem=Silent())
    os.truncate(path, size // 2)
    store = table.task(0, {1: look(1)})
    refused("a.parquet', row group 1: the file is truncated: it ends", store.load, 1, ())


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip"])
def test_damaged_pages(tmp_path, codec):
    """With checksums every damage is found; it is that column's, and the others can still be bought."""
    path = tmp_path / "a.parquet"
    random = np.random.default_rng(0)
    table = pa.table({**{f"x{i}": random.normal(size=300) for i in range(4)}, "y": random.normal(size=300)})
    whole = write(path, table, [100], compression=codec, write_page_checksum=True).read_bytes()
    found = pq.read_metadata(path).row_group(1).column(2)
    start = found.dictionary_page_offset or found.data_page_offset
    for place in random.integers(start, start + chunk_bytes(path, 1, ["x2"]), size=40).tolist():
        harmed = bytearray(whole)
        harmed[place] ^= 1 << int(random.integers(8))
        path.write_bytes(harmed)
        ours = opened(path)
        load(ours, 1, [0, 1, 3])
        load(ours, 0, [0, 1, 2, 3])
        try:
            got = load(ours, 1, [1, 2])
        except scant.DataError as sentence:
            assert re.search("a.parquet', row group 1: column 'x2' is damaged: ", str(sentence))
        else:  # some bits of a page's head do not matter
            np.testing.assert_array_equal(got.values[1], table["x2"].to_numpy()[100:])


def test_damaged_footers(tmp_path):
    """Any byte that a footer says of a row group may be wrong: a sentence with the file, or a table whose blocks are
    read or refused so.  (Some wrong schemas end the process inside pyarrow: they are left out.)"""
    path = tmp_path / "a.parquet"
    whole = write(path, mixed(40, nulls="some"), [20], compression="none").read_bytes()
    first = whole.index(b"schema", len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"))
    first = whole.index(b"flag", whole.index(b"u8", first)) + 8  # behind the last column of the schema
    random = np.random.default_rng(0)
    opens = refusals = 0
    for place in random.integers(first, len(whole) - 8, size=300).tolist():
        harmed = bytearray(whole)
        harmed[place] = int(random.integers(256))
        path.write_bytes(harmed)
        try:
            table = opened(path)
            opens += 1
            for block in range(len(table.rows)):
                load(table, block, range(len(table.names)))
        except scant.DataError as sentence:
            refusals += 1
            assert "a.parquet'" in str(sentence)
    assert opens > 50 and refusals > 20


@pytest.mark.parametrize("codec", [3, 8, 23, 63, 64, 2**31 - 1])
def test_codecs_that_nobody_knows(tmp_path, codec):
    """pyarrow ends the process when it is asked for the name of one."""
    path, names = tmp_path / "a.parquet", ("x", "", "\x15\x02", "town", "y")
    pq.write_table(pa.table({name: np.arange(9.0) for name in names}), path, compression="snappy")
    whole = path.read_bytes()
    said = b"\x19\x18\x04town\x15\x02"  # the path of a chunk, and its codec
    assert whole.count(said) == 1 and opened(path).rows == [9]
    harmed = whole[: -8 - int.from_bytes(whole[-8:-4], "little")]
    footer = whole[len(harmed) : -8].replace(said, said[:-1] + _footer._signed(codec))
    path.write_bytes(harmed + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    refused("a.parquet'(: its footer|, row group 0).*column 'town' is compressed", opened, path)


def test_words_that_are_no_utf8(tmp_path):
    path = tmp_path / "a.parquet"
    whole = write(path, small(town=["Bonn", "Kiel", "Trier"]), compression="none", use_dictionary=False).read_bytes()
    path.write_bytes(whole.replace(b"Kiel", b"K\xffel", 1))
    refused("a.parquet', row group 0: column 'town' is damaged: ", opened, path, one_hot=["town"])


# ---- values ------------------------------------------------------------------


def test_values(tmp_path):
    path = tmp_path / "a.parquet"
    for name, column, sentence in (
        ("infinite", pa.array([1.0, None, np.inf]), "row 3: column 'x' is infinite"),
        ("minus", pa.array([1, -np.inf, 1], pa.float32()), "row 2: column 'x' is infinite"),
        ("half", pa.array(np.array([np.inf, 1, 1], np.float16)), "row 1: column 'x' is infinite"),
        ("large", pa.array([2**53, None, 2**53 + 1]), "row 3: column 'x' is 9007199254740993, beyond 2\\^53"),
        ("small", pa.array([-(2**53), -(2**53) - 1, 0]), "row 2: column 'x' is -9007199254740993, beyond"),
        ("least", pa.array([0, 0, -(2**63)]), "row 3: column 'x' is -9223372036854775808, beyond"),
        ("unsigned", pa.array([0, 2**64 - 1, 0], pa.uint64()), "row 2: column 'x' is 18446744073709551615, beyond"),
    ):
        whole = pa.table({"x": column, "z": [1, 2, 3], "y": [1.0, 2.0, 3.0]})
        write(path, pa.concat_tables([whole, whole]), [3])
        table = opened(path)
        refused(f"a.parquet', row group 1, {sentence}", load, table, 1, [0, 1])
        assert load(table, 1, [1]).values.tolist() == [[1, 2, 3]], name  # what is not bought is not seen


def test_targets(tmp_path):
    path = tmp_path / "a.parquet"
    for column, sentence in (
        (pa.array([1.0, None, 2.0]), r"row 2: the target 'y' is missing \(null or NaN\)"),
        (pa.array([1.0, 2.0, np.nan]), "row 3: the target 'y' is missing"),
        (pa.array([None, 1, 2]), "row 1: the target 'y' is missing"),
        (pa.nulls(3), "row 1: the target 'y' is missing"),
        (pa.array([1.0, np.inf, 2.0]), "row 2: column 'y' is infinite"),
    ):
        whole = pa.table({"x": [1, 2, 3], "y": column})
        write(path, pa.concat_tables([whole, whole]), [3])
        refused(f"a.parquet', row group 1, {sentence}", load, opened(path), 1, [0])
    write(path, pa.table({"x": [1, 2, 3], "y": [True, False, True]}))
    assert load(opened(path), 0, [0]).y.tolist() == [1, 0, 1]


# ---- packages ----------------------------------------------------------------


@pytest.mark.parametrize("package", ["pyarrow", "fsspec"])
def test_packages_that_are_missing(tmp_path, monkeypatch, package):
    path = write(tmp_path / "a.parquet", small())
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    where = f"memory:/{path}" if package == "fsspec" else path
    refused(rf"need {package}: pip install 'scant-learn\[parquet\]'", opened, where, kind=ImportError)
    if package == "fsspec":
        assert opened(path).names == ["x"]  # the local disk needs it not
