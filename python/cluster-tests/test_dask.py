"""Fits on Dask: the same bits as in one process, whatever the workers, the partitions and who dies; estimators."""

import functools
import json
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # dask_support.py, conftest.py
from dask_support import KillingEngine, close_clusters, cluster_of, is_empty  # noqa: E402  (skips without Dask)

# isort: split
import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import distributed  # noqa: E402
import pandas as pd  # noqa: E402
from bad_parquet import BAD_TABLES, bad_table, spoiled_after_opening  # noqa: E402
from conftest import ATTRIBUTES, BLOCKS, KEYWORDS, ROWS, K, bits  # noqa: E402

import scant  # noqa: E402
import scant.dask  # noqa: E402
from scant import DataError, UsageError  # noqa: E402
from scant._dask_table import table_of  # noqa: E402
from scant._engine_dask import DaskEngine  # noqa: E402
from scant.distributed import EngineError, InMemory, LocalEngine, fit  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module", autouse=True)
def clusters():
    yield
    close_clusters()


@pytest.fixture
def client():
    return cluster_of(2)[1]


def chunked(arrays, rows=300, columns=ATTRIBUTES):
    X, y = arrays
    return da.from_array(X, chunks=(rows, columns)), da.from_array(y, chunks=rows)


def unknown(array):
    """The same with chunk sizes that Dask does not know."""
    chunks = (tuple([np.nan] * array.numblocks[0]), *array.chunks[1:])
    return da.Array(array.dask, array.name, chunks, dtype=array.dtype)


def uneven(frame, *lengths):
    """Partitions of these lengths, and the rest; some may be empty.  Divisions are unknown."""
    ends = np.cumsum(lengths)
    pieces = [frame.iloc[start:end] for start, end in zip([0, *ends], [*ends, len(frame)], strict=True)]
    return dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0], verify_meta=False)


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
        model = scant.dask.LimitedRegressor(block_rows=ROWS, em=em, algorithm=algorithm, **KEYWORDS)
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
    model = scant.dask.LimitedRegressor(algorithm="moments", costs=costs, block_rows=ROWS, **KEYWORDS)
    assert model.fit(X, y, client=client).money_spent_ == here.money_spent > 0
    half = here.money_spent // 2
    less = fit(table, algorithm="moments", costs=costs, budget_cost=half, engine=LocalEngine(), **KEYWORDS)
    model.set_params(budget_cost=half).fit(X, y, client=client)
    assert model.money_spent_ == less.money_spent <= half and model.coef_.tobytes() == less.coef_.tobytes()


def test_parquet(parquet_path, reference, client, arrays):
    pytest.importorskip("pyarrow")
    model = scant.dask.LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client)
    assert model.coef_.tobytes() == reference.coef_.tobytes()
    assert 0 < model.bytes_read_ < sum(file.stat().st_size for file in parquet_path.iterdir())
    assert model.feature_names_in_.tolist() == reference.names
    files = sorted(str(file) for file in parquet_path.iterdir())
    again = scant.dask.LimitedRegressor(**KEYWORDS).fit(files, "y", client=client)
    assert again.coef_.tobytes() == reference.coef_.tobytes()
    lazy = dd.read_parquet(parquet_path)
    predicted = model.predict(lazy)
    assert isinstance(predicted, dd.Series)
    assert np.allclose(client.compute(predicted).result(), reference.model.predict(arrays[0]), rtol=1e-12)
    some = scant.dask.LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client, ignore=["a1"])
    assert some.feature_names_in_.tolist() == [name for name in reference.names if name != "a1"]
    with pytest.raises(TypeError, match=r"^fit\(\) has no option 'ignored': of files it takes columns, ignore, one_hot"):
        scant.dask.LimitedRegressor(**KEYWORDS).fit(parquet_path, "y", client=client, ignored=["a1"])
    with pytest.raises(UsageError, match="^ignore is a keyword for the paths of Parquet files, and X is no path"):
        scant.dask.LimitedRegressor(**KEYWORDS).fit(*arrays, client=client, ignore=["a1"])
    with pytest.raises(UsageError, match="^predictions are of tables, not of paths: dask.dataframe.read_parquet"):
        model.predict(parquet_path)
    with pytest.raises(UsageError, match="X is a path, and y is Array: it is the name of the column"):
        scant.dask.LimitedRegressor(**KEYWORDS).fit(parquet_path, da.zeros(3), client=client)


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


def test_all_workers_gone_is_a_sentence(arrays, table):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):

        def stop(progress):
            if progress.round == 2:
                cluster.scale(0)

        estimator = scant.dask.LimitedRegressor(timeout=5, block_rows=ROWS, progress=stop, **KEYWORDS)
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
        model = scant.dask.LimitedRegressor(8, random_state=1, block_rows=4000).fit(X, X[:, 3], client=client)
        assert model.attributes_bought_ == 8 * len(X)
        peaks.append([max(map(int, file.read_text().split())) for file in log.iterdir()])
        assert len(peaks[-1]) == 2
    growth = 24 * 16000 * 40 * 8  # of the table: 123 MB
    assert max(peaks[1]) - max(peaks[0]) < growth / 5


# ---- estimators --------------------------------------------------------------------


def test_parameters_are_those_of_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    for kind in (scant.dask.LimitedRegressor, scant.dask.LimitedClassifier):
        estimator = kind(5, random_state=3, block_rows=7)
        assert estimator.get_params()["k"] == 5
        assert base.clone(estimator).get_params() == estimator.get_params()
        assert estimator.set_params(k=6, em="workers").k == 6
        assert "k=6" in repr(estimator)
    assert base.is_regressor(scant.dask.LimitedRegressor()) and base.is_classifier(scant.dask.LimitedClassifier())


def test_without_scikit_learn_parameters_are_the_same():
    from scant._parameters import BaseEstimator

    class Mine(BaseEstimator):
        def __init__(self, k=None, *, em="auto"):
            self.k, self.em = k, em

    assert Mine(3).get_params() == {"k": 3, "em": "auto"}
    assert Mine().set_params(em="driver").em == "driver"
    assert repr(Mine(3)) == "Mine(k=3)"
    with pytest.raises(UsageError, match="z is no parameter of Mine: it has em, k"):
        Mine().set_params(z=1)


def test_predictions_are_lazy(arrays, frame, names, reference, client):
    X, y = chunked(arrays, columns=5)
    model = scant.dask.LimitedRegressor(block_rows=ROWS, **KEYWORDS).fit(X, y, client=client)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == ATTRIBUTES
    here = model.predict(arrays[0])
    assert isinstance(here, np.ndarray)
    assert np.array_equal(here, reference.model.predict(arrays[0]))
    lazy = model.predict(X)
    assert isinstance(lazy, da.Array) and lazy.chunks == (X.chunks[0],) and lazy.dtype == float
    assert np.array_equal(lazy.compute(scheduler="sync"), here)
    assert np.array_equal(client.compute(model.predict(unknown(X))).result(), here)
    named = scant.dask.LimitedRegressor(block_rows=ROWS, **KEYWORDS)
    named.fit(dd.from_pandas(frame, npartitions=4, sort=False), "y", client=client)
    assert named.feature_names_in_.tolist() == names
    # by name: other columns, and another order, do not matter; empty partitions neither
    lazy = named.predict(uneven(frame[frame.columns[::-1]], 0, 100))
    assert isinstance(lazy, dd.Series)
    computed = client.compute(lazy).result()
    assert np.array_equal(computed, here) and computed.index.equals(frame.index)
    assert np.array_equal(named.predict(frame), here)
    with pytest.raises(DataError, match="X has no column 'a3', and the fit had"):
        named.predict(frame.drop(columns="a3"))
    with pytest.raises(DataError, match="X has 4 features, but LimitedRegressor is expecting 12 features"):
        model.predict(X[:, :4])
    with pytest.raises(scant.MisuseError, match="not fitted"):
        scant.dask.LimitedRegressor().predict(X)
    expected = 1 - ((arrays[1] - here) ** 2).sum() / ((arrays[1] - arrays[1].mean()) ** 2).sum()
    assert model.score(*arrays) == pytest.approx(expected)
    with client.as_current():
        assert model.score(X, y) == pytest.approx(expected)
        assert named.score(dd.from_pandas(frame, npartitions=3), "y") == pytest.approx(expected)


def test_an_index_of_floats_is_no_number_of_rows(arrays, frame, client, reference):
    shifted = frame.set_index(np.arange(len(frame)) - 0.5)
    given = {"block_rows": ROWS, **KEYWORDS}
    for X, y in (
        (uneven(shifted, 300, 900), "y"),
        (uneven(shifted.drop(columns="y"), 300, 900), uneven(shifted["y"], 300, 900)),
    ):
        model = scant.dask.LimitedRegressor(**given).fit(X, y, client=client)
        assert bits(model.result_) == bits(reference)


def test_masked_and_sparse_chunks(arrays, client, reference):
    scipy = pytest.importorskip("scipy.sparse")
    X, y = chunked(arrays)
    holes = np.isnan(arrays[0])
    masked = da.from_array(np.ma.masked_array(np.where(holes, 1e6, arrays[0]), holes), chunks=(300, ATTRIBUTES))
    model = scant.dask.LimitedRegressor(block_rows=ROWS, **KEYWORDS)
    told = None
    for chunks in (masked, X.map_blocks(scipy.csr_array), unknown(X.map_blocks(scipy.csr_matrix))):
        result = model.fit(chunks, y, client=client).result_
        assert result.coef_.tobytes() == reference.coef_.tobytes()
        now = client.compute(model.predict(chunks)).result()
        assert told is None or np.array_equal(now, told, equal_nan=True)
        told = now


@pytest.mark.parametrize("name, sentence", [("a3", "the column 'a3'"), ("y", "the target")])
def test_text_in_a_partition_is_refused_where_it_is(name, sentence, frame, client):
    """Though the table says that it has numbers."""
    later = frame.iloc[600:].astype({name: object})
    later.iloc[::5, later.columns.get_loc(name)] = "oops"
    pieces = [dask.delayed(piece) for piece in (frame.iloc[:600], later)]
    table = dd.from_delayed(pieces, meta=frame.iloc[:0], verify_meta=False)
    with pytest.raises(DataError, match=f"^partition 1: {sentence} has no numbers but object: .*'oops'$"):
        scant.dask.LimitedRegressor(ATTRIBUTES, block_rows=ROWS).fit(table, "y", client=client)


@pytest.mark.parametrize("kind", ["int32", "float32", "float64"])
def test_scores_of_large_targets(kind, arrays, client):
    """Squares of them are beyond what their type holds, or so large that nothing is left of the differences."""
    y = (1e8 * (kind == "float64") + 1e5 + np.round(50 * arrays[1])).astype(kind)
    model = scant.dask.LimitedRegressor(block_rows=ROWS, **KEYWORDS).fit(arrays[0], y, client=client)
    exact = y.astype(float)
    errors = exact - model.predict(arrays[0])
    expected = 1 - (errors**2).sum() / ((exact - exact.mean()) ** 2).sum()
    assert model.score(arrays[0], y) == pytest.approx(expected, abs=1e-9)
    X, lazy = chunked((arrays[0], y))
    with client.as_current():
        assert model.score(X, lazy) == pytest.approx(expected, abs=1e-9)
        assert model.score(X, lazy[:, None]) == pytest.approx(expected, abs=1e-9)  # fit takes one column, too


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (False, True)])
def test_two_classes(labels, arrays, frame, client):
    X, y = chunked(arrays)
    signs = np.where(arrays[1] > 0, 1.0, -1.0)
    expected = fit(InMemory(arrays[0], signs, block_rows=ROWS), engine=LocalEngine(), **KEYWORDS)
    named = np.array(labels)[(arrays[1] > 0).astype(int)]
    model = scant.dask.LimitedClassifier(block_rows=ROWS, **KEYWORDS)
    model.fit(X, da.from_array(named, chunks=300), client=client)
    assert model.classes_.tolist() == list(labels)
    assert model.coef_.shape == (1, ATTRIBUTES) and model.coef_.tobytes() == expected.coef_.tobytes()
    assert model.intercept_.tolist() == [expected.intercept_]
    decision = model.decision_function(X)
    predicted = model.predict(X)
    assert isinstance(decision, da.Array) and isinstance(predicted, da.Array)
    assert predicted.dtype == model.classes_.dtype
    decision, predicted = dask.compute(decision, predicted, scheduler="sync")
    assert np.array_equal(predicted, np.where(decision > 0, labels[1], labels[0]))
    assert model.score(arrays[0], named) == (predicted == named).mean() > 0.7
    table = uneven(frame.assign(y=named), 0, 500)
    assert model.fit(table, "y", client=client).coef_.tobytes() == expected.coef_.tobytes()
    assert set(client.compute(model.predict(table)).result()) == set(labels)
    assert model.fit(arrays[0], named, client=client).coef_.tobytes() == expected.coef_.tobytes()


def test_two_classes_of_parquet(frame, client, tmp_path):
    pytest.importorskip("pyarrow")
    file = tmp_path / "classes.parquet"
    frame.assign(y=(frame["y"] > 0).astype(int)).to_parquet(file, row_group_size=ROWS)
    model = scant.dask.LimitedClassifier(**KEYWORDS).fit(file, "y", client=client)
    assert model.classes_.tolist() == [0, 1]
    assert json.loads(model.model_.__getstate__())["gaussian"]["target_values"] == [-1, 1]
    assert model.score(frame, (frame["y"] > 0).astype(int)) > 0.7


def test_a_classifier_does_not_go_on_from_a_regressor(arrays, client, tmp_path):
    """Its targets are -1 and 1, and the labels are not."""
    X, y = chunked(arrays)
    labels = da.from_array((arrays[1] > 0).astype(int), chunks=300)
    given = {
        "block_rows": ROWS,
        "algorithm": "moments",
        "checkpoint": tmp_path / "checkpoint",
        "resume": True,
        **KEYWORDS,
    }
    scant.dask.LimitedRegressor(**given).fit(X, labels, client=client)
    with pytest.raises(DataError, match=r"other data: classes is None there, and \['0', '1'\] here"):
        scant.dask.LimitedClassifier(**given).fit(X, labels, client=client)


def test_other_numbers_of_classes_are_refused(client):
    X = da.zeros((20, 3), chunks=(5, 3))
    for labels, sentence in (
        (np.arange(20) % 3, "Only binary classification is supported.* y has the classes 0, 1, 2"),
        (np.zeros(20), "LimitedClassifier needs two classes, and y has 1 class"),
    ):
        with pytest.raises(DataError, match=sentence):
            scant.dask.LimitedClassifier(2).fit(X, da.from_array(labels, chunks=5), client=client)


@pytest.mark.parametrize("label, hole", [(1.0, np.nan), ("yes", None)])
def test_a_label_that_is_missing_is_no_class(label, hole, client):
    labels = np.array([label] * 20, dtype=object if hole is None else None)
    labels[3] = hole
    with pytest.raises(DataError, match=r"^row 4 of y: the target is missing \(1 of 20 are\)$"):
        scant.dask.LimitedClassifier(2).fit(np.zeros((20, 3)), labels, client=client)


def test_a_target_at_hand_keeps_its_name(frame, client):
    given = {"block_rows": ROWS, **KEYWORDS}
    model = scant.dask.LimitedRegressor(**given).fit(frame.rename(columns={"y": "price"}), "price", client=client)
    assert model.result_.target == "price"


# ---- sentences ---------------------------------------------------------------------


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
    estimator = scant.dask.LimitedRegressor(4, random_state=1, block_rows=20)
    with pytest.raises((DataError, UsageError), match=sentence):
        estimator.fit(X, y, client=client)
    assert not hasattr(estimator, "coef_")
    del X, y
    assert is_empty(cluster_of(2)[0])


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_parquet_is_a_sentence_with_file_and_row_group(name, client, tmp_path):
    folder, checkpoint = tmp_path / "table", tmp_path / "checkpoint"
    target, k, sentence = bad_table(name, folder)
    estimator = scant.dask.LimitedRegressor(k, random_state=1, checkpoint=checkpoint)
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
            scant.dask.LimitedRegressor(**keywords).fit(*chunked(arrays), client=client)
    with pytest.raises(EngineError, match="there is no Dask client"):
        scant.dask.LimitedRegressor(4).fit(*chunked(arrays))


def test_a_value_is_told_by_its_row_in_the_partition(frame, client):
    wild = frame.assign(a2=with_value(frame["a2"].to_numpy(), 130, np.inf))
    with pytest.raises(DataError, match="^partition 1, row 31: 'a2' is infinite$"):
        scant.dask.LimitedRegressor(12, random_state=1, block_rows=20).fit(uneven(wild, 100), "y", client=client)


def test_other_types_are_sentences(arrays):
    with pytest.raises(UsageError, match=r"client='tcp://x:1' is no client of Dask: distributed.Client\('tcp://x:1'\)"):
        scant.dask.LimitedRegressor(4).fit(*arrays, client="tcp://x:1")
    with pytest.raises(UsageError, match="client=3 is no client of Dask"):
        scant.dask.LimitedRegressor(4).fit(*arrays, client=3)
    with pytest.raises(UsageError, match="timeout='long' is not a number of seconds"):
        scant.dask.LimitedRegressor(4, timeout="long").fit(*arrays)
    for kind in (scant.dask.LimitedRegressor, scant.dask.LimitedClassifier):
        with pytest.raises(TypeError, match=rf"^{kind.__name__}.__init__\(\) got an unexpected keyword argument 'foo'"):
            kind(foo=1)


def test_checkpoint_resume_and_progress_go_with_fit(arrays, parquet_path, client, tmp_path):
    """As with the estimator; what fit is given comes first."""
    for number, table in enumerate([(parquet_path, "y"), chunked(arrays)]):
        told, path = [], tmp_path / str(number)
        given = {"block_rows": ROWS, "algorithm": "moments", **KEYWORDS}
        model = scant.dask.LimitedRegressor(checkpoint=tmp_path / "other", **given)
        model.fit(*table, client=client, checkpoint=path, progress=told.append)
        assert path.exists() and not (tmp_path / "other").exists() and told[-1].done
        with pytest.raises(UsageError, match="there is a file .* already: resume=True goes on from it"):
            model.fit(*table, client=client, checkpoint=path)
        coef = model.coef_.tobytes()
        assert model.fit(*table, client=client, checkpoint=path, resume=True).coef_.tobytes() == coef
        assert model.checkpoint == tmp_path / "other"


def test_warnings_point_at_who_called_fit(arrays, client):
    with pytest.warns(scant.ScantWarning, match="few different looks") as told:
        scant.dask.LimitedRegressor(2, random_state=1, block_rows=1200).fit(*chunked(arrays, 1200), client=client)
    assert {one.filename for one in told if issubclass(one.category, scant.ScantWarning)} == {__file__}


def draws(chunk):
    """A graph that is not the same each time."""
    import os

    return chunk[: 20 + os.urandom(1)[0] % 64]


def test_a_graph_that_draws_at_random_is_noticed(client):
    X = unknown(da.ones((2000, 3), chunks=(100, 3)).map_blocks(draws, dtype=float))
    with pytest.raises(DataError, match="does the graph give the same each time|X has .* rows, and y has"):
        scant.dask.LimitedRegressor(2, random_state=1, block_rows=5).fit(X, X[:, 0], client=client)
