"""What fits on Dask refuse: each time a sentence that says where."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # dask_support.py, conftest.py
from dask_support import chunked, cluster_of, is_empty, uneven, unknown  # noqa: E402  (skips without Dask)

# isort: split
import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from bad_parquet import BAD_TABLES, bad_table, spoiled_after_opening  # noqa: E402

from scant import DataError, UsageError  # noqa: E402
from scant.distributed import EngineError, fit  # noqa: E402
from scant.distributed.dask import LimitedClassifier, LimitedRegressor  # noqa: E402
from scant.distributed.dask._engine import DaskEngine  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


def with_value(y, row, value):
    y = y.copy()
    y[row] = value
    return y


def without_target(frame):
    pieces = [frame.iloc[:40], frame.iloc[40:80].drop(columns="y"), frame.iloc[80:]]
    return dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0], verify_meta=False)


BAD = {
    r"partition 0: X has 300 rows, and y has 200: y.rechunk\({0: X.chunks\[0\]}\) makes": lambda X, y, frame: (
        da.from_array(X[:600], chunks=(300, 12)),
        da.from_array(y[:600], chunks=((200, 400),)),
    ),
    "partition 1: X has 300 rows, and y has 299$": lambda X, y, frame: (
        da.from_array(X[:600], chunks=(300, 12)),
        da.from_array(y[:599], chunks=300),
    ),
    "partition 1: X has 300 rows, and y has 298$": lambda X, y, frame: (
        unknown(da.from_array(X[:600], chunks=(300, 12))),
        unknown(da.from_array(y[:598], chunks=300)),
    ),
    "X has 2 partitions of rows, and y has 3": lambda X, y, frame: (
        da.from_array(X[:600], chunks=(300, 12)),
        da.from_array(y[:600], chunks=200),
    ),
    "^partition 1, row 8: the target is missing": lambda X, y, frame: (
        da.from_array(X[:600], chunks=(300, 12)),
        da.from_array(with_value(y[:600], 307, np.nan), chunks=300),
    ),
    "^partition 1, row 9: the target is infinite": lambda X, y, frame: (
        da.from_array(X[:600], chunks=(300, 12)),
        da.from_array(with_value(y[:600], 308, -np.inf), chunks=300),
    ),
    "^partition 2, row 10: the target is missing": lambda X, y, frame: (
        uneven(frame.assign(y=with_value(y, 109, np.nan)), 100, 0),
        "y",
    ),
    "partition 1: there is no column 'y' for the target": lambda X, y, frame: (without_target(frame), "y"),
    "X has no column 'z' for the target": lambda X, y, frame: (dd.from_pandas(frame, npartitions=2), "z"),
    "the column 'a2' has no numbers but": lambda X, y, frame: (
        dd.from_pandas(frame.assign(a2="word"), npartitions=2),
        "y",
    ),
    "y has no numbers but": lambda X, y, frame: (
        dd.from_pandas(frame.drop(columns="y"), npartitions=2),
        dd.from_pandas(frame["y"].astype(str), npartitions=2),
    ),
    "none of the 3 partitions has a row": lambda X, y, frame: (uneven(frame.iloc[:0], 0, 0), "y"),
    "X has 3 dimensions": lambda X, y, frame: (da.zeros((4, 4, 4)), da.zeros(4)),
    "y has 2 dimensions": lambda X, y, frame: (da.zeros((4, 4)), da.zeros((4, 2))),
    "X is of Dask and y is ndarray": lambda X, y, frame: (da.from_array(X), y),
    "y is of Dask and X is ndarray": lambda X, y, frame: (X, da.from_array(y)),
    "y='y' is the name of a column, and a Dask array has no names": lambda X, y, frame: (da.from_array(X), "y"),
    "LimitedRegressor.fit needs y": lambda X, y, frame: (da.from_array(X), None),
    "X is a series": lambda X, y, frame: (dd.from_pandas(frame["y"], npartitions=2), da.from_array(y)),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_is_a_sentence_with_partition_and_row(sentence, arrays, frame, client):
    X, y = BAD[sentence](*arrays, frame)
    estimator = LimitedRegressor(4, random_state=1, block_rows=20)
    with pytest.raises((DataError, UsageError), match=sentence):
        estimator.fit(X, y, client=client)
    assert not hasattr(estimator, "coef_")
    del X, y
    assert is_empty(cluster_of(2)[0])


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_parquet_is_a_sentence_with_file_and_row_group(name, client, tmp_path):
    folder, checkpoint = tmp_path / "table", tmp_path / "checkpoint"
    target, k, sentence = bad_table(name, folder)
    estimator = LimitedRegressor(k, random_state=1, checkpoint=checkpoint)
    for resume in (False, True):  # a checkpoint of the first round, if the fit got there, is whole
        with pytest.raises((DataError, UsageError), match=sentence):
            estimator.set_params(resume=resume).fit(folder, target, client=client)
    assert not hasattr(estimator, "coef_")
    assert {*tmp_path.iterdir()} <= {folder, checkpoint}
    assert is_empty(cluster_of(2)[0])


def test_a_file_that_is_truncated_after_it_was_opened(client, tmp_path):
    table, sentence = spoiled_after_opening(tmp_path)
    with DaskEngine(client) as engine, pytest.raises(DataError, match=sentence):
        fit(table, k=2, random_state=1, engine=engine)
    assert is_empty(cluster_of(2)[0])


def test_bad_settings_are_sentences(arrays, client, tmp_path):
    for keywords, sentence in (
        ({"k": 13}, "k=13 is more than the 12 attributes"),
        ({"k": 4, "block_rows": 0}, "block_rows=0 is not a whole number"),
        ({"k": 4, "algorithm": "lasso"}, "lasso does not learn from sums"),
        ({"k": 4, "timeout": 0}, "timeout=0 is not a number of seconds"),
        ({"k": 4, "em": "both"}, "em='both' is none of"),
    ):
        with pytest.raises(UsageError, match=sentence):
            LimitedRegressor(**keywords).fit(*chunked(arrays), client=client)
    with pytest.raises(EngineError, match="there is no Dask client"):
        LimitedRegressor(4).fit(*chunked(arrays))


def test_a_value_is_told_by_its_row_in_the_partition(frame, client):
    wild = frame.assign(a2=with_value(frame["a2"].to_numpy(), 130, np.inf))
    with pytest.raises(DataError, match="^partition 1, row 31: 'a2' is infinite$"):
        LimitedRegressor(12, random_state=1, block_rows=20).fit(uneven(wild, 100), "y", client=client)


def test_other_types_are_sentences(arrays):
    with pytest.raises(UsageError, match=r"client='tcp://x:1' is no client of Dask: distributed.Client\('tcp://x:1'\)"):
        LimitedRegressor(4).fit(*arrays, client="tcp://x:1")
    with pytest.raises(UsageError, match="client=3 is no client of Dask"):
        LimitedRegressor(4).fit(*arrays, client=3)
    with pytest.raises(UsageError, match="timeout='long' is not a number of seconds"):
        LimitedRegressor(4, timeout="long").fit(*arrays)
    for kind in (LimitedRegressor, LimitedClassifier):
        with pytest.raises(TypeError, match=rf"^{kind.__name__}.__init__\(\) got an unexpected keyword argument 'foo'"):
            kind(foo=1)


def draws(chunk):
    """A graph that is not the same each time."""
    import os

    return chunk[: 20 + os.urandom(1)[0] % 64]


def test_a_graph_that_draws_at_random_is_noticed(client):
    X = unknown(da.ones((2000, 3), chunks=(100, 3)).map_blocks(draws, dtype=float))
    with pytest.raises(DataError, match="does the graph give the same each time|X has .* rows, and y has"):
        LimitedRegressor(2, random_state=1, block_rows=5).fit(X, X[:, 0], client=client)
