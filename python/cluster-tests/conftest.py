"""What the tests on clusters share: a small table in memory and as Parquet, and what the local engine makes of it."""

import pathlib
import shutil
import sys

import numpy as np
import pytest

BLOCKS, ROWS, ATTRIBUTES, K = 96, 25, 12, 4
KEYWORDS = {"k": K, "random_state": 7}


def pytest_configure(config):
    # Small tables have few looks; the tests that are about that ask for it.
    config.addinivalue_line("filterwarnings", "ignore::scant.ScantWarning")


def bits(result):
    """All of a Result that must be the same, whichever engine made it."""
    return {
        "coef": np.asarray(result.coef_).tobytes(),
        "intercept": float(result.intercept_).hex(),
        "risk": float(result.risk).hex(),
        "risk_error": float(result.risk_error).hex(),
        "purchases": np.asarray(result.purchases).tobytes(),
        "attributes_bought": result.attributes_bought,
        "money_spent": result.money_spent,
        "examples": result.examples,
        "blocks": result.blocks,
        "rounds": result.rounds,
        "model": result.model.__getstate__(),
    }


@pytest.fixture(scope="session")
def arrays():
    """X and y: 2,400 examples of 12 attributes; the target depends on three, and some values are missing."""
    random = np.random.default_rng(5)
    mixed = random.normal(size=(BLOCKS * ROWS, ATTRIBUTES)) @ (np.eye(ATTRIBUTES) + 0.3)
    y = mixed[:, 0] - 2 * mixed[:, 3] + 0.5 * mixed[:, 7] + random.normal(size=len(mixed))
    X = np.where(random.random(mixed.shape) < 0.02, np.nan, mixed)
    return X, y


@pytest.fixture(scope="session")
def names():
    return [f"a{i}" for i in range(ATTRIBUTES)]


@pytest.fixture(scope="session")
def table(arrays, names):
    """The table in memory: 96 blocks of 25 rows."""
    from scant.distributed import InMemory

    return InMemory(*arrays, block_rows=ROWS, names=names, target="y")


@pytest.fixture(scope="session")
def frame(arrays, names):
    """The same as a DataFrame of pandas, with the target as column "y"."""
    pandas = pytest.importorskip("pandas")
    X, y = arrays
    return pandas.DataFrame(X, columns=names).assign(y=y)


@pytest.fixture(scope="session")
def parquet_path(frame, tmp_path_factory):
    """The same as a folder of four Parquet files, whose row groups are the blocks."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("table")
    whole = arrow.Table.from_pandas(frame, preserve_index=False)
    quarter = BLOCKS // 4 * ROWS
    for part in range(4):
        piece = whole.slice(part * quarter, quarter)
        parquet.write_table(piece, folder / f"part-{part}.parquet", row_group_size=ROWS)
    return folder


@pytest.fixture(scope="session")
def reference(table):
    """What one process makes of it."""
    from scant.distributed import LocalEngine, fit

    return fit(table, engine=LocalEngine(1), **KEYWORDS)


@pytest.fixture(scope="session")
def java():
    """Skips where there is no Java."""
    path = shutil.which("java")
    if path is None:
        pytest.skip("there is no java: tools/setup clusters installs Debian's")
    return pathlib.Path(path)


@pytest.fixture(scope="module", autouse=True)
def clusters():
    """Clusters of Dask that the tests of a file started end with it."""
    yield
    if "dask_support" in sys.modules:
        sys.modules["dask_support"].close_clusters()


@pytest.fixture
def client():
    from dask_support import cluster_of

    return cluster_of(2)[1]
