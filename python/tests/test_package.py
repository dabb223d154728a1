"""The package itself: what it exports, what it needs, and that its words come from the library's tables."""

import importlib.metadata
import inspect
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Literal, Union, get_type_hints

import pytest

import scant
from scant import _library
from scant._options import ALGORITHMS, OPTIONS

ESTIMATORS = [
    scant.LimitedRegressor,
    scant.LimitedRidge,
    scant.LimitedLasso,
    scant.LimitedSVR,
    scant.LimitedClassifier,
]

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
import numpy as np
import scant
loaded = [name for name in {blocked!r} if name in sys.modules]
assert not loaded, loaded
"""


def run(code, *blocked):
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(blocked=blocked) + code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_scikit_learn():
    said = run(
        """
learner = scant.Learner("auto", dimension=4, k=2)
look = learner.ask()
learner.tell(look, [1] * len(look), 2)
assert len(scant.algorithms()) > 5 and scant.__version__
assert "LimitedRidge" in dir(scant)
for name in ("LimitedRegressor", "LimitedRidge", "LimitedLasso", "LimitedSVR", "LimitedClassifier"):
    try:
        getattr(scant, name)
    except ImportError as missing:
        print(missing)
""",
        "sklearn",
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "matplotlib",
        "joblib",
    )
    assert said == 5 * "the estimators need scikit-learn 1.6 or later: pip install 'scant-learn[sklearn]'\n"


def test_estimators_without_tables():
    said = run(
        """
X = np.linspace(0, 1, 60).reshape(20, 3)
print(scant.LimitedRegressor(k=2, random_state=0).fit(X, X[:, 1]).n_iter_)
""",
        "pandas",
        "polars",
        "pyarrow",
        "matplotlib",
    )
    assert said == "20\n"


def test_the_import_loads_no_more_than_numpy():
    code = "import sys, scant; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in loaded
    assert not {"sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "dask", "pyspark"} & set(loaded)


def test_subpackages_load_on_first_use():
    run(
        """
import warnings
for name in ("study", "remote", "distributed"):
    assert "scant." + name not in sys.modules
    assert getattr(scant, name) is sys.modules["scant." + name]
    assert name in dir(scant)
assert scant.study.Study is scant.Study and scant.remote.connect is scant.connect
assert "scant.distributed.parquet" not in sys.modules
assert scant.distributed.parquet.open
for name in ("dask", "spark"):
    try:
        getattr(scant.distributed, name)
    except ImportError as missing:
        assert f"pip install 'scant-learn[{name}]'" in str(missing), missing
    else:
        raise AssertionError(name)
""",
        "pandas",
        "dask",
        "pyspark",
        "pyarrow",
    )


# ---- LAPACK ----------------------------------------------------------------------

OPENBLAS = pathlib.Path(_library.__file__).parent / "openblas"
brings_blas = pytest.mark.skipif(not OPENBLAS.exists(), reason="this build uses the system's BLAS")


def test_every_algorithm_is_there():
    assert [row.name for row in scant.algorithms() if not row.available] == []


@brings_blas
def test_it_brings_its_own_blas():
    """It is the only one that it loads, and nobody else's calls can end there."""
    said = run(
        """
import ctypes
learner = scant.Learner("gaussian", dimension=4, k=2)
for x in np.random.default_rng(0).normal(size=(50, 4)):
    look = learner.ask()
    learner.tell(look, x[look.attributes], x[1])
assert learner.coef[1] > 0.5, learner.coef
assert not hasattr(ctypes.CDLL(None), "scipy_cblas_dgemm")
print(*sorted({line[line.index("/") :].strip() for line in open("/proc/self/maps") if "/" in line}), sep="\\n")
""",
        "scipy",
        "sklearn",
    )
    loaded = [
        pathlib.Path(path) for path in said.splitlines() if re.search("blas|lapack|atlas|mkl", path.split("/")[-1])
    ]
    assert OPENBLAS / "libscipy_openblas.so" in loaded
    assert {path.parent.name for path in loaded} <= {"openblas", "numpy.libs"}
    assert "OpenBLAS" in (OPENBLAS / "LICENSE.txt").read_text()
    for library in OPENBLAS.parent.glob("_scant*.so"):  # nor does it look where it was built
        assert b"scipy_openblas32" not in library.read_bytes()


LIMITED = """
import os, resource, warnings
warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(100, 8))
scant.LimitedRegressor(algorithm="auto", k=4).fit(X, X[:, 0])
for room in 4, 60, 600:
    model = scant.LimitedRegressor(algorithm={row!r}, threads=2, k={k!r})
    used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + (room << 20), -1))
    try:
        model.fit(X, X[:, 0])
        print("fitted")
    except scant.OutOfMemoryError as refused:
        print(str(refused).split(" takes ")[0])
"""


@brings_blas
@pytest.mark.parametrize("row, k", [("gaussian", 4), ("moments", 4), ("full-ridge", None)])
def test_short_memory_is_an_exception(row, k):
    """OpenBLAS would end the process."""
    assert run(LIMITED.format(row=row, k=k)) == 2 * "out of memory: OpenBLAS\n" + "fitted\n"


def test_names():
    for name in scant.__all__:
        assert getattr(scant, name) is not None
        assert name in dir(scant)
    assert sorted(scant.__all__) == list(scant.__all__)
    public = {name for name in vars(scant) if not name.startswith("_") and not inspect.ismodule(vars(scant)[name])}
    assert public - {"annotations", "TYPE_CHECKING", "Any"} <= set(scant.__all__)
    for thing in [getattr(scant, name) for name in scant.__all__]:
        assert inspect.getdoc(thing), thing
    with pytest.raises(AttributeError, match="nonsense"):
        scant.nonsense  # noqa: B018
    namespace = {}
    exec("from scant import *", namespace)
    assert set(scant.__all__) <= set(namespace)


def test_errors_are_what_python_expects():
    expected = {
        scant.UsageError: ValueError,
        scant.DataError: ValueError,
        scant.NoInputError: FileNotFoundError,
        scant.FileError: OSError,
        scant.OutOfMemoryError: MemoryError,
        scant.MisuseError: RuntimeError,
        scant.BudgetSpent: RuntimeError,
    }
    for ours, theirs in expected.items():
        assert issubclass(ours, scant.ScantError) and issubclass(ours, theirs)
        assert str(ours("a sentence")) == "a sentence"
    assert issubclass(scant.ScantWarning, UserWarning)
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        scant.Model.load("/nowhere.json")
    with pytest.raises(OSError, match="nowhere"):
        scant.LimitedRegressor(k=2).fit([[1, 2], [2, 1]], [1, 2]).model_.save("/nowhere/model.json")


# ---- the table of options ------------------------------------------------------

# Options of files and of the command, and those whose value an estimator gives.
ELSEWHERE = (
    {"algorithm", "seed", "split", "max_open"} | {name for name, one in OPTIONS.items() if one.scope == 4} | {"classes"}
)
FIXED = {
    "LimitedRidge": {"norm", "loss", "tube", "smoothing"},
    "LimitedLasso": {"norm", "loss", "tube", "smoothing"},
    "LimitedClassifier": {"log_target"},
}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_keywords_are_the_options(kind):
    """The constructor has, in the order of the table, each option that an algorithm of the class or a fit takes."""
    rows = [ALGORITHMS[name] for name in kind._algorithms if name != "default"]
    of_rows = {option for row in rows for option in row.options}
    of_fit = {name for name, option in OPTIONS.items() if option.scope & 2} | {"log_target"}
    expected = [name for name in OPTIONS if name in (of_rows | of_fit) - ELSEWHERE - FIXED.get(kind.__name__, set())]
    keywords = list(inspect.signature(kind).parameters)
    assert keywords == ["algorithm", *expected, "random_state", "verbose", "callback"]


def expected_type(option):
    """What an option takes, besides None."""
    texts = Sequence[str] if option.join else None
    if option.yes_or_no:
        one = bool
    elif option.choices:
        one = Literal[tuple(int(each) if each.isdigit() else each for each in option.choices)]
    else:
        one = {"count": int, "real": float, "text": str}[option.type]
    words = [Literal[word] for word, taken in (("auto", option.or_auto), ("none", option.or_none)) if taken]
    return Union[tuple(each for each in (one, *words, texts, None) if each or each is None)]  # noqa: UP007


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_constructors(kind):
    parameters, types = inspect.signature(kind).parameters, get_type_hints(kind.__init__)
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    assert defaults.pop("algorithm") == kind._algorithms[0]
    assert types["algorithm"] == Literal[kind._algorithms]
    assert defaults.pop("verbose") == 0
    assert set(defaults.values()) == {None}
    assert kind().get_params() == {name: parameter.default for name, parameter in parameters.items()}
    for name in set(defaults) & set(OPTIONS) - {"costs"}:
        assert types[name] == expected_type(OPTIONS[name]), name


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_docstrings(kind):
    text = inspect.getdoc(kind)
    parameters, attributes = text.split("Attributes\n----------")
    listed = re.findall(r"^(\w+) : .*default=", parameters, re.MULTILINE)
    assert listed == list(inspect.signature(kind).parameters)
    for name in listed:
        if name in OPTIONS and name not in ("costs", "algorithm"):
            assert OPTIONS[name].help.split()[0] in parameters
            for choice in OPTIONS[name].choices:
                assert choice in parameters or choice in ("yes", "no")
    fitted = kind(k=3, random_state=0).fit([[1, 2, 3], [3, 1, 2], [2, 2, 1], [1, 0, 1]], [1, 0, 0, 1], looks=True)
    listed = re.findall(r"^([\w, ]+) :", attributes, re.MULTILINE)
    told = {name for names in listed for name in names.split(", ")}
    assert {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")} | {
        "feature_names_in_"
    } == told
    assert max(map(len, text.splitlines())) <= 120
    assert "None leaves an option at its default" in text


def test_algorithms():
    rows = scant.algorithms()
    assert [row.name for row in rows][:4] == ["auto", "ridge", "lasso", "svr"]
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert row.title and row.look and row.update and row.reference
        assert set(row.options) <= set(OPTIONS) and set(row.presets) <= set(OPTIONS)
        assert row.available or row.dense
    for kind in ESTIMATORS:
        assert set(kind._algorithms) - {"default"} <= set(ALGORITHMS)
    assert scant.LimitedRegressor._algorithms == scant.LimitedClassifier._algorithms == ("default", *ALGORITHMS)


def test_algorithms_are_the_commands(command):
    said = command("algorithms")
    for row in scant.algorithms():
        assert f"{row.name}: {row.title}\n" in said
    assert re.findall(r"^(\S+): ", said, re.MULTILINE) == ["default", *(row.name for row in scant.algorithms())]


# ---- what is installed -----------------------------------------------------------


def test_typed():
    folder = pathlib.Path(scant.__file__).parent
    assert (folder / "py.typed").exists()


def test_everything_is_installed(project):
    """Each file of the package is in its meson.build."""
    build = (project / "python" / "meson.build").read_text()
    groups = re.findall(r"'(scant[\w/]*)': \[([^]]*)\]", build)
    listed = [f"{folder}/{name}" for folder, names in groups for name in re.findall(r"'([\w.]+)'", names)]
    files = (project / "python" / "scant").rglob("*")
    here = [str(path.relative_to(project / "python")) for path in files if path.suffix in (".py", ".typed")]
    assert sorted(listed) == sorted(here)


def test_version(project, command):
    version = re.search(r"version: '([^']+)'", (project / "meson.build").read_text()).group(1)
    assert scant.__version__ == version
    assert version in command("version")
    try:
        assert importlib.metadata.version("scant-learn") == version
    except importlib.metadata.PackageNotFoundError:
        pass  # run from the sources


def test_only_the_interface_is_visible(project):
    """The library beside the package exports what its headers declare, and no more."""
    if not shutil.which("nm"):
        pytest.skip("there is no nm")
    symbols = subprocess.run(["nm", "-D", "--defined-only", _library._path], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in symbols.stdout.splitlines()} - {"_init", "_fini"}
    headers = "".join(
        (project / name).read_text()
        for name in ("core/include/scant.h", "dense/include/scant_sums.h", "study/include/scant_study.h")
    )
    declared = set(re.findall(r"(scant_\w+)\(", headers))
    # Functions that are compiled for several processors are visible whatever one says.
    several = {name for name in names if name.endswith(".resolver") or f"{name}.resolver" in names}
    assert {name for name in names - several if not name.startswith("scant_python_")} <= declared
    assert all(name.startswith("scant_") for name in names)
