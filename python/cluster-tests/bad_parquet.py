"""Parquet tables that every engine refuses: some when they are opened, some by a task on a worker."""

import numpy as np
import pytest

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ATTRIBUTES, GROUP, GROUPS = 3, 5, 24  # of each of two files


def _files(folder):
    """Two files, 0.parquet and 1.parquet: the second is for a test to spoil."""
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(2)
    for at in range(2):
        X = random.normal(size=(GROUP * GROUPS, ATTRIBUTES))
        columns = {f"a{i}": X[:, i] for i in range(ATTRIBUTES)}
        _write(folder / f"{at}.parquet", arrow.table({**columns, "y": X[:, 0] + random.normal(size=len(X))}))
    return folder / "1.parquet"


def _write(path, table):
    parquet.write_table(table, path, row_group_size=GROUP, compression="none", use_dictionary=False)


def _change(path, change):
    _write(path, change(parquet.read_table(path)))


def _without_target_values(path):
    def change(table):
        y = table["y"].to_numpy().copy()
        y[7 * GROUP + 2] = np.nan
        return table.set_column(ATTRIBUTES, "y", arrow.array(y))

    _change(path, change)


def _nulls(path):
    """A row group whose targets are all null."""

    def change(table):
        y = table["y"].to_pylist()
        y[3 * GROUP : 4 * GROUP] = [None] * GROUP
        return table.set_column(ATTRIBUTES, "y", arrow.array(y))

    _change(path, change)


def _truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def _damage(path):
    """The header of the target's page in row group 11."""
    chunk = parquet.read_metadata(path).row_group(11).column(ATTRIBUTES)
    text = bytearray(path.read_bytes())
    text[chunk.data_page_offset : chunk.data_page_offset + 8] = b"\xff" * 8
    path.write_bytes(text)


# name: what is done to the second file, the target, k, and the sentence
BAD_TABLES = {
    "no such target": (None, "z", 2, r"0\.parquet' has no column 'z', the target"),
    "a column less": (
        lambda path: _change(path, lambda table: table.drop_columns("a1")),
        "y",
        2,
        r"1\.parquet' has no column 'a1', which file '.*0\.parquet' has",
    ),
    "a column of text": (
        lambda path: _change(path, lambda table: table.set_column(1, "a1", arrow.array(["b"] * table.num_rows))),
        "y",
        2,
        r"1\.parquet': column 'a1' holds text",
    ),
    "a file without target": (
        lambda path: _change(path, lambda table: table.drop_columns("y")),
        "y",
        2,
        r"1\.parquet' has no column 'y', the target, which",
    ),
    "truncated": (_truncate, "y", 2, r"1\.parquet' is no Parquet file, or it is truncated"),
    "damaged": (_damage, "y", 2, r"1\.parquet', row group 11: column 'y'"),
    "NaN": (_without_target_values, "y", 2, r"1\.parquet', row group 7, row 3: the target 'y' is missing"),
    "a row group without targets": (_nulls, "y", 2, r"1\.parquet', row group 3, row 1: the target 'y' is missing"),
    "k above d": (None, "y", 4, "k=4 is more than the 3 attributes"),
}


def bad_table(name, folder):
    """Makes one in the folder; the target, k and the sentence."""
    spoil, target, k, sentence = BAD_TABLES[name]
    path = _files(folder)
    if spoil is not None:
        spoil(path)
    return target, k, sentence


def spoiled_after_opening(folder):
    """A table that was opened, and then lost the end of a file: only tasks can notice."""
    from scant.distributed.parquet import open as open_table

    path = _files(folder)
    table = open_table(folder, "y")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return table, r"1\.parquet', row group \d+: the file has changed since its footer was read"
