"""Fixtures of the package's tests.  SCANT names the command, for the tests that compare
with it; CC the C compiler, for the test of the layouts."""

import os
import pathlib
import shutil
import signal
import sys

import hypothesis
import numpy
import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn leaves out a check; before SciPy is loaded
sys.path.insert(0, str(pathlib.Path(__file__).parent))  # support.py

hypothesis.settings.register_profile(
    "scant",
    deadline=None,  # no test depends on time
    derandomize=True,
    max_examples=25,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("scant")


@pytest.fixture(autouse=True)
def same_seed():
    """A fit without random_state takes its seed from here: a test does the same every time."""
    numpy.random.seed(1)


def pytest_configure(config):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
    # Small data are often outside a theorem's bounds; the tests that are about that ask for it.
    config.addinivalue_line("filterwarnings", "ignore::scant.ScantWarning")


@pytest.fixture(scope="session")
def references():
    """What one process makes of the table of blocks.py, by algorithm."""
    from blocks import ALGORITHMS, run

    return {algorithm: run(algorithm=algorithm, em="driver") for algorithm in ALGORITHMS}


@pytest.fixture(params=["gaussian", "moments"])
def reference(references, request):
    return references[request.param]


@pytest.fixture(scope="session")
def command():
    """Runs the command: arguments to standard output; skips without one."""
    path = os.environ.get("SCANT")
    if not path:
        pytest.skip("the environment variable SCANT does not name the command")
    from support import Command

    return Command(os.path.abspath(path))


@pytest.fixture(scope="session")
def compiler():
    path = shutil.which(os.environ.get("CC", "cc").split()[0])
    if path is None:
        pytest.skip("there is no C compiler: CC does not name one, and there is no cc")
    return os.environ.get("CC", "cc").split()


@pytest.fixture(scope="session")
def project():
    """The folder of the sources, for what is compared with them."""
    folder = pathlib.Path(__file__).resolve().parents[2]
    if not (folder / "core" / "include" / "scant.h").exists():
        pytest.skip("the tests are not among the project's sources")
    return folder


@pytest.fixture
def path(tmp_path):
    """Where a study can be made."""
    return tmp_path / "a.study"
