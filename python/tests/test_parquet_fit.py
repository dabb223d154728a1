"""Fits of Parquet tables: the bits of the same blocks in memory, and a ledger of bytes that the file confirms."""

import os

import numpy as np
import pyarrow as pa
import pytest
from blocks import same
from parquets import Counting, chunk_bytes, write

import scant
from scant.distributed import InMemory, LocalEngine, fit, parquet

ROWS, BLOCKS, WIDTH, K = 25, 60, 12, 4


@pytest.fixture(scope="module")
def arrays():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS * BLOCKS, WIDTH)) + random.normal(size=(ROWS * BLOCKS, 1))
    y = X[:, 2] - X[:, 7] + 0.3 * random.normal(size=len(X))
    X[random.random(X.shape) < 0.02] = np.nan
    return X, y


@pytest.fixture(scope="module")
def whole(arrays):
    X, y = arrays
    columns = {f"x{i + 1}": pa.array(X[:, i], from_pandas=True) for i in range(WIDTH)}  # NaN becomes null
    return pa.table({**columns, "y": y})


@pytest.fixture(scope="module")
def reference(arrays):
    return fit(InMemory(*arrays, block_rows=ROWS), k=K, random_state=1, engine=LocalEngine())


def run(table, **keywords):
    return fit(table, **{"k": K, "random_state": 1, "engine": LocalEngine(), **keywords})


def bits(result):
    """All but the bytes, which are those of chunks here."""
    return [
        result.coef_.tobytes(),
        result.intercept_,
        result.risk,
        result.purchases.tobytes(),
        result.attributes_bought,
    ]


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_the_bits_of_the_same_blocks_in_memory(tmp_path, whole, reference, codec):
    one = write(tmp_path / "one.parquet", whole, [ROWS] * BLOCKS, compression=codec)
    folder = tmp_path / "folder"
    folder.mkdir()
    for at in range(3):
        third = whole.slice(at * ROWS * 20, ROWS * 20)
        write(folder / f"{at}.parquet", third, [ROWS] * 20, compression=codec)
    first = run(parquet.open(one, "y"))
    assert bits(first) == bits(reference)
    for table, engine in (
        (parquet.open(one, "y", part_blocks=7), LocalEngine(2)),
        (parquet.open(folder, "y"), LocalEngine(1)),
        (parquet.open(str(folder), "y", part_blocks=1, filesystem=Counting()), LocalEngine(1)),
    ):
        assert same(run(table, engine=engine)) == same(first)


def test_the_ledger_counts_the_bytes_of_the_file(tmp_path, whole):
    path = write(tmp_path / "a.parquet", whole, [ROWS] * BLOCKS, compression="none", use_dictionary=False)
    table = parquet.open(str(path), "y", filesystem=Counting())
    Counting.read.clear()
    result = run(table)
    assert sum(size for *_, size in Counting.read) == result.bytes_read
    ranges = sorted((start, start + size) for _, start, size in Counting.read)
    assert all(end <= start for (_, end), (start, _) in zip(ranges, ranges[1:], strict=False))  # nothing twice
    everything = sum(chunk_bytes(path, group, [*table.names, "y"]) for group in range(BLOCKS))
    assert table.bytes == everything
    assert result.bytes_read < 1.05 * everything * (K + 1) / (WIDTH + 1)


def test_bad_blocks_end_a_fit_with_file_and_row_group(tmp_path, whole):
    place = whole.column_names.index("y")
    y = whole["y"].to_numpy().copy()
    y[ROWS * 33 + 4] = np.nan
    path = write(tmp_path / "a.parquet", whole.set_column(place, "y", pa.array(y)), [ROWS] * BLOCKS)
    with pytest.raises(scant.DataError, match="a.parquet', row group 33, row 5: the target 'y' is missing"):
        run(parquet.open(path, "y"), checkpoint=tmp_path / "checkpoint")


def test_a_checkpoint_of_another_file(tmp_path, whole):
    path = write(tmp_path / "a.parquet", whole, [ROWS] * BLOCKS)
    checkpoint = tmp_path / "checkpoint"
    first = run(parquet.open(path, "y"), checkpoint=checkpoint)
    assert same(run(parquet.open(path, "y"), checkpoint=checkpoint, resume=True)) == same(first)
    os.utime(path, ns=(0, 0))
    with pytest.raises(scant.DataError, match="is of other data: file '.*a.parquet' is"):
        run(parquet.open(path, "y"), checkpoint=checkpoint, resume=True)


def test_a_checkpoint_of_the_same_files_in_another_order(tmp_path, whole):
    """Blocks have the numbers of others then."""
    files = [
        str(write(tmp_path / f"{at}.parquet", whole.slice(at * ROWS * 30, ROWS * 30), [ROWS] * 30)) for at in range(2)
    ]
    checkpoint = tmp_path / "checkpoint"
    run(parquet.open(files, "y"), checkpoint=checkpoint)
    with pytest.raises(scant.DataError, match="is of other data: file '.*1.parquet' is .'number 2'.* and .'number 1'"):
        run(parquet.open(files[::-1], "y"), checkpoint=checkpoint, resume=True)


def test_words(tmp_path, whole):
    """0/1 attributes of text as those of numbers."""
    random = np.random.default_rng(1)
    town = random.choice(["Bonn", "Kiel", "Ulm"], size=whole.num_rows)
    words = sorted(set(town.tolist()))
    text = write(tmp_path / "text.parquet", whole.append_column("town", pa.array(town)), [ROWS] * BLOCKS)
    plain = whole
    for word in words:
        plain = plain.append_column(f"town={word}", pa.array((town == word).astype(float)))
    plain = write(tmp_path / "plain.parquet", plain, [ROWS] * BLOCKS)
    results = [run(parquet.open(text, "y", one_hot=one_hot)) for one_hot in ("town", {"town": words})]
    results.append(run(parquet.open(plain, "y")))
    assert bits(results[0]) == bits(results[1]) == bits(results[2])
    assert results[0].names[-3:] == ["town=Bonn", "town=Kiel", "town=Ulm"]
