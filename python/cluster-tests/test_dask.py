"""Fits on Dask: the same bits as in one process, whatever the workers, the partitions and who dies."""

import functools
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # dask_support.py, conftest.py
from dask_support import KillingEngine, chunked, cluster_of, is_empty, uneven, unknown  # noqa: E402  (skips without Dask)

# isort: split
import cloudpickle  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import distributed  # noqa: E402
import pandas as pd  # noqa: E402
from conftest import BLOCKS, KEYWORDS, ROWS, K, bits  # noqa: E402

from scant import UsageError  # noqa: E402
from scant.distributed import EngineError, InMemory, LocalEngine, fit  # noqa: E402
from scant.distributed.dask import LimitedRegressor  # noqa: E402
from scant.distributed.dask._engine import DaskEngine  # noqa: E402
from scant.distributed.dask._table import table_of  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


# ---- what tasks load -------------------------------------------------------------


def load_all(task, inputs, shared):
    """The memory of a block's values is that of the next one's."""
    copies = []
    for block, look in zip(task.blocks, task.looks, strict=True):
        found = task.load(block, inputs)
        copies.append((block, look, *found._replace(values=found.values.copy())))
    return copies


def loaded(table, engine):
    """Every block, with looks that differ: (values, y, bytes, where) by number."""
    width = len(table.names)
    tasks = []
    for part, numbers in enumerate(table.parts):
        looks = {
            block: np.array(sorted({block % width, (3 * block + 1) % width}), dtype=np.uint32) for block in numbers
        }
        tasks.append(table.task(part, looks))
    return {block: rest for lines in engine.map(load_all, tasks) for block, *rest in lines}


FORMS = {
    "array": lambda arrays, frame: chunked(arrays),
    "chunks over columns": lambda arrays, frame: chunked(arrays, columns=5),
    "unknown chunks": lambda arrays, frame: tuple(map(unknown, chunked(arrays))),
    "unknown chunks of X over columns": lambda arrays, frame: (
        unknown(chunked(arrays, columns=5)[0]),
        chunked(arrays)[1],
    ),
    "a column of y": lambda arrays, frame: (chunked(arrays)[0], chunked(arrays)[1][:, None]),
    "frame": lambda arrays, frame: (
        dd.from_pandas(frame.drop(columns="y"), npartitions=8, sort=False),
        dd.from_pandas(frame["y"], npartitions=8, sort=False),
    ),
    "frame and array": lambda arrays, frame: (
        dd.from_pandas(frame.drop(columns="y"), npartitions=8, sort=False),
        chunked(arrays)[1],
    ),
    "column": lambda arrays, frame: (dd.from_pandas(frame, npartitions=8, sort=False), "y"),
    "column in the middle": lambda arrays, frame: (
        dd.from_pandas(frame[[*frame.columns[:4], "y", *frame.columns[4:-1]]], npartitions=3, sort=False),
        "y",
    ),
    "empty partitions": lambda arrays, frame: (uneven(frame, 0, 300, 0, 600, 1500, 0), "y"),
    "nullable": lambda arrays, frame: (uneven(frame.convert_dtypes(), 50, 0), "y"),
}


@pytest.mark.parametrize("form", FORMS)
def test_tasks_load_what_was_bought_and_nothing_else(form, arrays, frame, client):
    X, y = FORMS[form](arrays, frame)
    with DaskEngine(client) as engine:
        table = table_of(X, y, engine, ROWS, None)
        assert table.rows == [ROWS] * BLOCKS
        found = loaded(table, engine)
    assert sorted(found) == list(range(BLOCKS))
    for block, (look, values, targets, read, where) in found.items():
        rows = slice(block * ROWS, (block + 1) * ROWS)
        assert values.dtype == np.float64 and values.flags.c_contiguous
        assert np.array_equal(values, arrays[0][rows][:, look].T, equal_nan=True)
        assert np.array_equal(targets, arrays[1][rows])
        assert read == 8 * (values.size + ROWS)
        assert where.startswith("partition ")


def test_default_blocks_are_many_and_not_large(client):
    with DaskEngine(client) as engine:
        for rows, size, count in ((50, 1, 50), (2500, 3, 834), (10**6, 1000, 1000)):
            X = da.zeros((rows, 4), chunks=(rows, 4))
            table = table_of(X, X[:, 0], engine, None, None)
            assert (max(table.rows), len(table.rows)) == (size, count)
        X = da.zeros((10**7, 4), chunks=(10**6, 4))
        assert max(table_of(X, X[:, 0], engine, None, None).rows) == 4096


def test_other_types_of_numbers(client):
    X = da.from_array(np.arange(40, dtype=np.int16).reshape(10, 4), chunks=(5, 4))
    y = da.from_array(np.arange(10) % 2 == 0, chunks=5)
    with DaskEngine(client) as engine:
        found = loaded(table_of(X, y, engine, 5, None), engine)
    assert found[1][1].tolist() == [[21, 25, 29, 33, 37]] or found[1][1].shape[1] == 5
    assert found[0][2].tolist() == [1, 0, 1, 0, 1]
    assert found[0][3] == found[0][1].size * 2 + 5


# ---- the same bits ---------------------------------------------------------------


@functools.cache
def here(**keywords):
    """What one process makes of the table."""
    return fit(_table[0], engine=LocalEngine(1), **{**KEYWORDS, **keywords})


_table = []


@pytest.fixture(autouse=True)
def the_table(table):
    _table[:] = [table]


MOMENTS = {"algorithm": "moments"}


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_same_bits_with_any_number_of_workers(workers, table, reference, arrays):
    cluster, client = cluster_of(workers)
    with DaskEngine(client) as engine:
        result = fit(table, engine=engine, em="driver", **KEYWORDS)
        assert result.em == "driver" and result.engine == "dask"
        assert bits(result) == bits(reference)
        assert result.tasks_retried == 0
        result = fit(table, engine=engine, em="workers", **KEYWORDS, **MOMENTS)
        assert result.em == "workers"
        assert bits(result) == bits(here(**MOMENTS))
        mine = table_of(*chunked(arrays), engine, ROWS, None)
        assert np.array_equal(fit(mine, engine=engine, em="driver", **KEYWORDS).coef_, reference.coef_)
    assert is_empty(cluster)


def test_each_step_of_em_is_a_reduction(arrays, client):
    """There are more than a hundred, so the table is of one round, and so noisy that EM soon ends."""
    y = arrays[1][: 20 * ROWS] + 30 * np.random.default_rng(1).normal(size=20 * ROWS)
    table = InMemory(arrays[0][: 20 * ROWS, :3], y, block_rows=ROWS, part_blocks=3)
    wanted = fit(table, k=2, random_state=7, engine=LocalEngine(1))
    with DaskEngine(client) as engine:
        result = fit(table, k=2, random_state=7, engine=engine, em="workers")
    assert bits(result) == bits(wanted)


@pytest.mark.parametrize("em, algorithm", [("driver", "gaussian"), ("workers", "moments")])
def test_the_same_bits_with_other_partitions(em, algorithm, arrays, frame, client):
    X, y = arrays
    reference = here(algorithm=algorithm)
    forms = [chunked(arrays, rows) for rows in (ROWS, 10 * ROWS, len(y))]
    forms += [(dd.from_pandas(frame, npartitions=6, sort=False), "y"), (uneven(frame, 4 * ROWS, 0, 7 * ROWS), "y")]
    for X, y in forms:
        model = LimitedRegressor(block_rows=ROWS, em=em, algorithm=algorithm, **KEYWORDS)
        model.fit(X, y, client=client)
        assert model.coef_.tobytes() == reference.coef_.tobytes()
        assert model.intercept_ == reference.intercept_
        assert model.result_.risk == reference.risk
        assert model.attributes_bought_ == reference.attributes_bought == len(arrays[1]) * K
        assert np.array_equal(model.model_.purchases, reference.purchases)


def test_moments_and_money(arrays, table, names, client):
    costs = {name: 1 + place for place, name in enumerate(names)}
    here = fit(table, algorithm="moments", costs=costs, engine=LocalEngine(), **KEYWORDS)
    with DaskEngine(client) as engine:
        there = fit(table, algorithm="moments", costs=costs, engine=engine, **KEYWORDS)
    assert bits(here) == bits(there)
    X = dd.from_pandas(pd.DataFrame(arrays[0], columns=names), npartitions=4, sort=False)
    y = dd.from_pandas(pd.Series(arrays[1], name="y"), npartitions=4, sort=False)
    model = LimitedRegressor(algorithm="moments", costs=costs, block_rows=ROWS, **KEYWORDS)
    assert model.fit(X, y, client=client).money_spent_ == here.money_spent > 0
    half = here.money_spent // 2
    less = fit(table, algorithm="moments", costs=costs, budget_cost=half, engine=LocalEngine(), **KEYWORDS)
    model.set_params(budget_cost=half).fit(X, y, client=client)
    assert model.money_spent_ == less.money_spent <= half and model.coef_.tobytes() == less.coef_.tobytes()


def test_parquet(parquet_path, reference, client, arrays):
    pytest.importorskip("pyarrow")
    model = LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client)
    assert model.coef_.tobytes() == reference.coef_.tobytes()
    assert 0 < model.bytes_read_ < sum(file.stat().st_size for file in parquet_path.iterdir())
    assert model.feature_names_in_.tolist() == reference.names
    files = sorted(str(file) for file in parquet_path.iterdir())
    again = LimitedRegressor(**KEYWORDS).fit(files, "y", client=client)
    assert again.coef_.tobytes() == reference.coef_.tobytes()
    lazy = dd.read_parquet(parquet_path)
    predicted = model.predict(lazy)
    assert isinstance(predicted, dd.Series)
    assert np.allclose(client.compute(predicted).result(), reference.model.predict(arrays[0]), rtol=1e-12)
    some = LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client, ignore=["a1"])
    assert some.feature_names_in_.tolist() == [name for name in reference.names if name != "a1"]
    with pytest.raises(
        TypeError, match=r"^fit\(\) has no option 'ignored': of files it takes columns, ignore, one_hot"
    ):
        LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client, ignored=["a1"])
    with pytest.raises(UsageError, match="^ignore is a keyword for the paths of Parquet files, and X is no path"):
        LimitedRegressor(**KEYWORDS).fit(*arrays, client=client, ignore=["a1"])
    with pytest.raises(UsageError, match="^predictions are of tables, not of paths: dask.dataframe.read_parquet"):
        model.predict(parquet_path)
    with pytest.raises(UsageError, match="X is a path, and y is Array: it is the name of the column"):
        LimitedRegressor(**KEYWORDS).fit(parquet_path, da.zeros(3), client=client)


# ---- who dies ----------------------------------------------------------------------

# where the expectation steps run, a label, whether something must run again since it was lost, and what is learned
PHASES = [
    ("driver", "round 1 *, buy", True, {}),
    ("driver", "round 1 *, limits", False, {}),
    ("driver", "round 1 *, sums", False, {}),
    ("driver", "round 2 *, buy", False, {}),
    ("workers", "round 1 *, sums", True, MOMENTS),
    ("workers", "round 1 *, ledger", True, MOMENTS),
    ("workers", "round 1 *, gather", True, MOMENTS),
    ("workers", "round 2 *, buy", True, MOMENTS),
    ("workers", "round 2 *, expect", True, MOMENTS),
]


def slow(frame):
    import time

    time.sleep(0.05)
    return frame


@pytest.mark.parametrize("em, label, again, keywords", PHASES)
def test_a_worker_killed_in_any_phase_changes_nothing(em, label, again, keywords, frame):
    cluster, client = cluster_of(2)
    X = dd.from_pandas(frame, npartitions=8, sort=False)
    with KillingEngine(client, cluster, label) as engine:
        table = table_of(X.map_partitions(slow, meta=X._meta), "y", engine, ROWS, None)
        result = fit(table, engine=engine, em=em, **KEYWORDS, **keywords)
        assert engine.killed
        assert result.tasks_retried >= again
    assert bits(result) == bits(here(**keywords))
    assert is_empty(cluster)


def test_all_workers_gone_is_a_sentence(arrays, table, monkeypatch):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        engines = []

        class Noted(DaskEngine):
            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                engines.append(self)

        def stop(progress):
            if progress.round == 2:
                cluster.scale(0)
                engines[0].timeout = 5

        monkeypatch.setattr("scant.distributed.dask.DaskEngine", Noted)
        estimator = LimitedRegressor(block_rows=ROWS, progress=stop, **KEYWORDS)
        with pytest.raises(EngineError, match="the Dask cluster has no worker"):
            estimator.fit(*chunked(arrays), client=client)
        assert not hasattr(estimator, "coef_")
        assert is_empty(cluster)


# ---- memory ------------------------------------------------------------------------


def make_chunk(frame_of, log=None, block_info=None):
    """A chunk of X: 5 MB; writes down how much memory its worker has."""
    import os

    import psutil

    number = block_info[None]["chunk-location"][0]
    with open(os.path.join(log, str(os.getpid())), "a") as file:
        file.write(f"{psutil.Process().memory_info().rss}\n")
    return np.random.default_rng(number).normal(size=(16000, 40))


def test_memory_of_a_worker_is_flat_as_the_table_grows(client, tmp_path):
    peaks = []
    for chunks in (8, 32):
        log = tmp_path / str(chunks)
        log.mkdir()
        index = da.zeros((chunks * 16000, 1), chunks=(16000, 1))
        X = index.map_blocks(
            make_chunk, log=str(log), chunks=((16000,) * chunks, (40,)), dtype=float, meta=np.empty((0, 0))
        )
        model = LimitedRegressor(8, random_state=1, block_rows=4000).fit(X, X[:, 3], client=client)
        assert model.attributes_bought_ == 8 * len(X)
        peaks.append([max(map(int, file.read_text().split())) for file in log.iterdir()])
        assert len(peaks[-1]) == 2
    growth = 24 * 16000 * 40 * 8  # of the table: 123 MB
    assert max(peaks[1]) - max(peaks[0]) < growth / 5
