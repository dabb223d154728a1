"""Curves against fits of their own, and what they print and draw."""

import pathlib
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.dummy import DummyRegressor  # noqa: E402
from sklearn.linear_model import LinearRegression, SGDRegressor  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402

import scant  # noqa: E402

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 12))
    return X, X[:, 1] - X[:, 5] + 0.3 * rng.normal(size=500)


def halves(X, y, seed, stratify=None):
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed, stratify=stratify)
    return X[train], y[train], X[test], y[test]


def same(one, other):
    """Are the curves equal to the bit, and the references, which are scikit-learn's, almost?"""
    assert list(one) == list(other)
    for label in one.references:
        assert one[label].error == pytest.approx(other[label].error, rel=1e-9)
        assert np.array_equal(one[label].attributes, other[label].attributes)
    for label in one.curves:
        for name in ("attributes", "examples", "money", "error", "error_se", "risk", "risk_error", "errors"):
            a, b = getattr(one[label], name), getattr(other[label], name)
            assert (a is None and b is None) or np.array_equal(a, b, equal_nan=True), (label, name)
    return True


class Counted(scant.LimitedRegressor):
    """Counts its fits."""

    fits = 0
    lock = threading.Lock()

    def fit(self, X, y):
        with self.lock:
            Counted.fits += 1
        return super().fit(X, y)


# ---- numbers -----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::scant.ScantWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        scant.LimitedRegressor(algorithm="auto", k=3),
        scant.LimitedRidge(k=3, radius=3, eta=0.01),
        scant.LimitedRidge(algorithm="aerr", k=4, radius=3, eta=0.01, x_bound=8),
        scant.LimitedRidge(algorithm="coinflip", k=3, radius=3, eta=0.01),
        scant.LimitedSVR(k=4),
        scant.LimitedRegressor(algorithm="auto", k=4, passes=2),
    ],
    ids=lambda estimator: f"{type(estimator).__name__}-{estimator.algorithm}-{estimator.passes}",
)
def test_points_are_fits_of_their_own(data, estimator):
    """None of these has a step size that depends on the number of examples."""
    curve = scant.budget_curve(estimator, *data, points=4, runs=2, references=None, random_state=7)
    one = curve[estimator.algorithm]
    passes = estimator.passes or 1
    assert one.examples.tolist() == [100 * passes, 200 * passes, 300 * passes, 400 * passes]
    found = []
    for seed in (7, 8):
        X, y, X_test, y_test = halves(*data, seed)
        for examples in (100, 200, 300, 400):
            if passes > 1 and examples < 400:  # a fit of fewer examples would meet each twice
                continue
            fit = clone(estimator).set_params(random_state=seed, examples=examples).fit(X, y)
            error = np.mean((fit.predict(X_test) - y_test) ** 2)
            found.append([error, fit.attributes_bought_, fit.risk_estimate_, fit.risk_error_])
    of_runs = np.array(found).reshape(2, -1, 4)
    points = of_runs.shape[1]
    assert np.array_equal(one.errors[:, -points:], of_runs[:, :, 0])
    means = of_runs.mean(axis=0).T
    for name, expected in zip(("error", "attributes", "risk", "risk_error"), means, strict=True):
        assert np.array_equal(getattr(one, name)[-points:], expected, equal_nan=True), name
    spread = of_runs[:, :, 0].std(axis=0, ddof=1) / np.sqrt(2)
    assert np.allclose(one.error_se[-points:], spread, rtol=1e-12)
    assert one.money is None


@pytest.mark.filterwarnings("ignore::scant.ScantWarning")
def test_steps_of_the_whole_fit(data):
    """Where the step size depends on the horizon, points are of one fit, stopped by hand."""
    from ctypes import byref, c_int

    from scant import _library as c
    from scant._fit import Fit

    estimator = scant.LimitedRidge(algorithm="aerr", k=4, radius=3, x_bound=8, random_state=3)
    one = scant.budget_curve(estimator, *data, points=4, runs=1, references=None, random_state=3)["aerr"]
    X, y, X_test, y_test = halves(*data, 3)
    source = estimator._source(X, y, reset=True)
    fit = Fit.new(estimator._settings(source, X), source)
    by_hand = []
    for _ in range(4):
        c.fit_advance(fit.own, 100, byref(c_int()))
        by_hand.append(np.mean((fit.model().predict(X_test) - y_test) ** 2))
    assert one.error.tolist() == by_hand
    shorter = estimator.set_params(examples=100).fit(X, y)
    assert one.error[0] != np.mean((shorter.predict(X_test) - y_test) ** 2)


@pytest.mark.skipif(not scant._library.HAS_LAPACK, reason="needs LAPACK")
def test_full_information_ends_where_its_fit_ends(data):
    estimator = scant.LimitedRidge(algorithm="full-ridge", radius=3)
    one = scant.budget_curve(estimator, *data, runs=1, references=None)["full-ridge"]
    X, y, X_test, y_test = halves(*data, 0)
    fit = clone(estimator).set_params(random_state=0).fit(X, y)
    assert one.error[-1] == pytest.approx(np.mean((fit.predict(X_test) - y_test) ** 2), rel=1e-9)
    assert one.attributes[-1] == 400 * 12
    assert np.isnan(one.risk).all()


def test_one_fit_a_run(data):
    Counted.fits = 0
    estimators = {"a": Counted(algorithm="auto", k=2), "b": Counted(algorithm="auto", k=3)}
    scant.budget_curve(estimators, *data, points=10, runs=3, references=None)
    assert Counted.fits == 6


def test_estimators_stay_as_they_are(data):
    estimator = scant.LimitedRegressor(algorithm="auto", k=3)
    scant.budget_curve(estimator, *data, runs=1, references=None)
    assert estimator.random_state is None
    assert not hasattr(estimator, "coef_")


def test_same_seed_same_numbers(data):
    estimators = {"auto": scant.LimitedRegressor(algorithm="auto", k=3), "svr": scant.LimitedSVR(k=4)}
    one, again, jobs, other = (
        scant.budget_curve(estimators, *data, runs=3, random_state=seed, n_jobs=n_jobs)
        for seed, n_jobs in ((5, None), (5, None), (5, 2), (6, None))
    )
    assert same(one, again)
    assert same(one, jobs)
    assert one["auto"].error.tolist() != other["auto"].error.tolist()
    assert np.array_equal(one["auto"].errors[1:], other["auto"].errors[:2])  # seeds 6 and 7


def test_estimators_share_their_splits(data):
    estimators = {label: scant.LimitedRegressor(algorithm="auto", k=3) for label in ("a", "b")}
    both = scant.budget_curve(estimators, *data, runs=2)
    assert both["a"].errors.tolist() == both["b"].errors.tolist()


def test_a_test_part_of_its_own(data):
    X, y = data
    curve = scant.budget_curve(
        scant.LimitedRegressor(algorithm="auto", k=3),
        X[:400],
        y[:400],
        X_test=X[400:],
        y_test=y[400:],
        runs=2,
        points=2,
    )
    for run in range(2):
        fit = scant.LimitedRegressor(algorithm="auto", k=3, random_state=run).fit(X[:400], y[:400])
        assert curve["auto"].errors[run, -1] == np.mean((fit.predict(X[400:]) - y[400:]) ** 2)
    assert curve["RidgeCV"].errors.shape == (1, 1)
    assert np.isnan(curve["RidgeCV"].error_se[0])


@pytest.mark.parametrize("sparse", [False, True])
def test_references(data, sparse):
    X, y = data
    table = X
    if sparse:
        table = pytest.importorskip("scipy.sparse").csr_array(X)
    estimator = scant.LimitedRegressor(algorithm="auto", k=3)
    curve = scant.budget_curve(estimator, table, y, runs=2, references={"least": LinearRegression()})
    assert list(curve) == ["auto", "least"]
    for run in range(2):
        X_train, y_train, X_test, y_test = halves(X, y, run)
        expected = np.mean((LinearRegression().fit(X_train, y_train).predict(X_test) - y_test) ** 2)
        assert curve["least"].errors[run, 0] == pytest.approx(expected, rel=1e-6)  # sparse ones are solved to less
    assert curve["least"].attributes.tolist() == [400 * 12]
    assert curve["least"].examples.tolist() == [400]
    plain = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), table, y, runs=1)
    assert list(plain.references) == ["RidgeCV", "LassoCV"]
    assert all(reference.error[0] < 0.15 for reference in plain.references.values())  # the noise is 0.09


def test_missing_values(data):
    X, y = data
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    curve = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), X, y, runs=1, points=3)
    assert all(np.isfinite(curve[label].error).all() for label in curve)


def test_classes(data):
    X, y = data
    labels = np.where(y > 0, "ill", "well")
    curve = scant.budget_curve(scant.LimitedClassifier(algorithm="auto", k=3), X, labels, runs=2, points=3)
    assert list(curve.references) == ["RidgeClassifierCV", "LogisticRegression"]
    X_train, y_train, X_test, y_test = halves(X, labels, 1, stratify=labels)
    fit = scant.LimitedClassifier(algorithm="auto", k=3, random_state=1).fit(X_train, y_train)
    assert curve["auto"].errors[1, -1] == pytest.approx(1 - fit.score(X_test, y_test), abs=1e-15)
    assert curve.metric == "error rate"


def test_metrics(data):
    def largest(y_true, y_pred):
        return np.abs(y_true - y_pred).max()

    X, y, X_test, y_test = halves(*data, 0)
    fit = scant.LimitedRegressor(algorithm="auto", k=3, random_state=0).fit(X, y)
    shared = {"runs": 1, "points": 2, "references": {"mean": DummyRegressor()}}
    r2 = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), *data, metric="r2", **shared)
    assert r2["auto"].error[-1] == fit.score(X_test, y_test)
    assert r2["mean"].error[0] <= 0
    own = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), *data, metric=largest, **shared)
    assert own["auto"].error[-1] == largest(y_test, fit.predict(X_test))
    assert own.metric == "largest"


def test_frames(data):
    pandas = pytest.importorskip("pandas")
    X, y = data
    frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(12)], index=np.arange(500) + 1000)
    estimator = scant.LimitedRegressor(algorithm="auto", k=3, costs={f"x{i}": i + 1 for i in range(12)})
    plain = clone(estimator).set_params(costs=list(range(1, 13)))
    target = pandas.Series(y, index=frame.index)
    assert same(scant.budget_curve(estimator, frame, target, runs=1), scant.budget_curve(plain, X, y, runs=1))


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_arrow(data, library):
    X, y = data
    columns = {f"x{i}": X[:, i] for i in range(12)}
    module = pytest.importorskip(library)
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    estimator = scant.LimitedRegressor(algorithm="auto", k=3)
    assert same(scant.budget_curve(estimator, table, y, runs=1), scant.budget_curve(estimator, X, y, runs=1))


# ---- budgets and money -------------------------------------------------------


@pytest.mark.parametrize("points", [5, 200])
def test_a_budget_ends_early(data, points):
    estimator = scant.LimitedRidge(algorithm="coinflip", k=3, radius=3, eta=0.01, budget=500)
    one = scant.budget_curve(estimator, *data, runs=4, points=points, references=None, random_state=2)["coinflip"]
    ends = []
    for seed in range(2, 6):
        X, y, X_test, y_test = halves(*data, seed)
        fit = clone(estimator).set_params(random_state=seed).fit(X, y)
        assert fit.budget_spent_
        ends.append([fit.n_iter_, fit.attributes_bought_, np.mean((fit.predict(X_test) - y_test) ** 2)])
    ends = np.array(ends)
    assert ends[0, 0] > ends[:, 0].min()  # the first run is not the shortest
    assert [one.examples[-1], one.attributes[-1], one.error[-1]] == pytest.approx(ends.mean(axis=0), rel=1e-12)
    assert np.array_equal(one.errors[:, -1], ends[:, 2])
    assert (np.diff(one.examples) > 0).all()
    assert (one.examples[:-1] <= ends[:, 0].min()).all()  # before, all runs are there
    assert (one.examples[:-1] % 1 == 0).all()
    shortest = int(ends[:, 0].min())
    assert 3 <= len(one) <= 6 if points == 5 else one.examples[:-1].tolist() == [*range(1, shortest + 1)]
    assert not np.isnan(one.errors).any()


def test_a_budget_for_nothing(data):
    estimator = scant.LimitedRegressor(algorithm="auto", k=3, costs=[5] * 12, budget_cost=4)
    with pytest.warns(scant.ScantWarning, match="does not pay for one example"):
        one = scant.budget_curve(estimator, *data, runs=2, references=None)["auto"]
    assert one.examples.tolist() == [0]
    assert one.money.tolist() == [0]


def test_a_callback_ends_a_fit(data):
    estimator = scant.LimitedRegressor(algorithm="auto", k=3, callback=lambda now: now.examples >= 150)
    one = scant.budget_curve(estimator, *data, runs=2, points=4, references=None)["auto"]
    assert one.examples.tolist() == [100, 200]


def test_money(data):
    costs = [0, 1.25, (2, "tube"), (3, "tube"), *[4] * 8]
    estimator = scant.LimitedRegressor(algorithm="auto", k=3, costs=costs)
    curve = scant.budget_curve(estimator, *data, runs=2, points=3)
    spent = []
    for seed in range(2):
        X, y, _, _ = halves(*data, seed)
        spent.append(clone(estimator).set_params(random_state=seed).fit(X, y).cost_spent_)
    assert curve["auto"].money[-1] == pytest.approx(np.mean(spent), rel=1e-12)
    assert curve["RidgeCV"].money.tolist() == [400 * (1.25 + 5 + 32)]
    assert curve["RidgeCV"].attributes.tolist() == [400 * 10]  # what is free is no look, a tube is one


def test_costs_from_a_file(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "costs.csv"
    path.write_text("attribute,cost\n" + "".join(f"x{i},{i + 1}\n" for i in range(12)))
    frame = pandas.DataFrame(data[0], columns=[f"x{i}" for i in range(12)])
    estimator = scant.LimitedRegressor(algorithm="auto", k=3, costs=path)
    curve = scant.budget_curve(estimator, frame, data[1], runs=1, points=2)
    assert curve["RidgeCV"].money.tolist() == [400 * 78]


# ---- what is refused ---------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"estimators": {}}, ValueError, "no estimator"),
        ({"estimators": SGDRegressor()}, TypeError, "SGDRegressor.*give others as references"),
        ({"estimators": [scant.LimitedRegressor()]}, TypeError, "list"),
        (
            {"estimators": {"a": scant.LimitedRegressor(), "b": scant.LimitedClassifier()}},
            ValueError,
            "different errors",
        ),
        ({"estimators": scant.LimitedRidge(average="half")}, scant.UsageError, "one fit serves all points"),
        ({"points": 0}, ValueError, "points=0"),
        ({"points": 2.5}, ValueError, "points=2.5"),
        ({"runs": True}, ValueError, "runs=True"),
        ({"X_test": np.zeros((3, 12))}, ValueError, "go together"),
        ({"y_test": np.zeros(3)}, ValueError, "go together"),
        ({"references": "all"}, TypeError, "references is"),
        ({"references": {"a": 3}}, TypeError, "references is"),
        ({"references": {"auto": LinearRegression()}}, ValueError, "'auto' is the label of"),
        ({"metric": 3}, TypeError, "metric=3"),
        ({"metric": "nonesuch"}, ValueError, "nonesuch"),
        ({"test_size": 2.0}, ValueError, "test_size"),
        ({"y": np.zeros(3)}, ValueError, "inconsistent numbers of samples"),
        ({"X": scant.MeteredSource(lambda *_: [], dimension=12, examples=500)}, TypeError, "for one fit"),
    ],
)
def test_refused(data, changes, error, sentence):
    estimator = scant.LimitedRegressor(algorithm="auto", k=3)
    arguments = {"estimators": estimator, "X": data[0], "y": data[1], "runs": 1, **changes}
    with pytest.raises(error, match=sentence):
        scant.budget_curve(**arguments)


# ---- printing and drawing ----------------------------------------------------


@pytest.fixture(scope="module")
def priced(data):
    costs = list(range(1, 13))
    estimators = {
        "three": scant.LimitedRegressor(algorithm="auto", k=3, costs=costs),
        "eight": scant.LimitedRegressor(algorithm="auto", k=8, costs=costs),
    }
    return scant.budget_curve(estimators, *data, runs=3, points=7)


def test_table(priced, data):
    lines = repr(priced).splitlines()
    assert lines[0] == "mean squared error, mean of 3 runs ± one standard error; to_frame() has all points"
    assert lines[1].split() == ["examples", "attributes", "money", "test", "part", "risk", "estimate"]
    assert len(lines) == 2 + 5 + 5 + 2
    assert lines[6].split()[0] == "400"
    assert lines[-2].startswith("RidgeCV") and lines[-2].endswith("all attributes")
    assert not any(line != line.rstrip() for line in lines)
    single = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), *data, runs=1, points=2, references=None)
    assert repr(single).startswith("mean squared error, one run\n")
    assert "money" not in repr(single)


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (0.24769, 0.00151, "0.2477 ± 0.0015"),
        (354014.82, 1234.5, "354015 ± 1234"),
        (8.24e-10, 4.2e-11, "8.24e-10 ± 4.2e-11"),
        (0.215061371744, 1.4e-17, "0.2151"),
        (0.215061371744, np.nan, "0.2151"),
        (np.nan, np.nan, ""),
    ],
)
def test_figures_of_the_error(mean, error, text):
    assert scant._showing._plus_minus(mean, error) == text


def test_frame(priced):
    pytest.importorskip("pandas")
    frame = priced.to_frame()
    assert len(frame) == 7 + 7 + 2
    assert list(frame["label"].unique()) == ["three", "eight", "RidgeCV", "LassoCV"]
    three = frame[frame["label"] == "three"]
    for name in ("attributes", "examples", "money", "error", "error_se", "risk", "risk_error"):
        assert np.array_equal(three[name], getattr(priced["three"], name), equal_nan=True)
    assert frame["reference"].sum() == 2


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize(
    ("against", "words"),
    [("attributes", "attributes bought"), ("examples", "training examples"), ("money", "money spent")],
)
def test_plot(priced, pyplot, against, words):
    ax = priced.plot(against)
    assert ax.get_xlabel() == words
    assert ax.get_ylabel() == "mean squared error on the test part"
    assert len(ax.lines) == 4
    assert len(ax.collections) == 2  # the bands
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [label.split("\n")[0] for label in labels] == ["three", "eight", "RidgeCV", "LassoCV"]
    assert np.array_equal(ax.lines[0].get_xdata(), getattr(priced["three"], against))
    assert np.array_equal(ax.lines[0].get_ydata(), priced["three"].error)
    assert [line.get_linestyle() for line in ax.lines[:2]] == ["-", "-"]
    assert [line.is_dashed() for line in ax.lines] == [False, False, True, True]
    assert len({line.get_color() for line in ax.lines}) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a layout that has no room, say
        ax.figure.canvas.draw()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.x0 >= axes.x1  # beside the lines
    assert legend.x1 <= ax.figure.bbox.x1 + 1


def test_plot_into_given_axes(priced, pyplot):
    _, (left, right) = pyplot.subplots(1, 2)
    assert priced.plot(ax=right) is right
    assert len(left.lines) == 0
    assert len(right.lines) == 4


def test_plot_of_unlike_lengths_is_logarithmic(data, pyplot):
    estimators = {label: scant.LimitedRegressor(algorithm="auto", k=k) for label, k in (("two", 2), ("all", 12))}
    curve = scant.budget_curve(estimators, *data, runs=1, references=None)
    assert curve.plot().get_xscale() == "log"
    assert curve.plot("examples").get_xscale() == "linear"
    assert len(curve.plot().collections) == 0  # of one run there is no band


def test_plot_refuses(data, priced, pyplot):
    with pytest.raises(ValueError, match="against='time' is not one of 'attributes', 'examples', 'money'"):
        priced.plot("time")
    curve = scant.budget_curve(scant.LimitedRegressor(algorithm="auto", k=3), *data, runs=1, references=None)
    with pytest.raises(ValueError, match="'auto' was fitted without costs="):
        curve.plot("money")


def test_plot_without_matplotlib(priced, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'scant-learn\[plot\]'"):
        priced.plot()


# ---- examples ----------------------------------------------------------------


def run_example(name, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["custom_source.py", "mnist.py", "thyroid.py"])
def test_examples_say_what_they_do(name):
    assert run_example(name, "--help").startswith("usage: ")


def test_custom_source():
    printed = run_example("custom_source.py", "--patients", 400, "--money", 3000)
    spent = [float(line.split()[0].replace(",", "")) for line in printed.splitlines() if " spent on " in line]
    assert len(spent) == 2
    assert all(2900 < money <= 3000 for money in spent)
    assert "stopped at patient" in printed


def test_mnist(tmp_path):
    """On a few made-up images, one file packed and one not."""
    import gzip

    rng = np.random.default_rng(0)
    for part, count in (("train", 60), ("t10k", 30)):
        labels = rng.integers(2, 6, count).astype(np.uint8)
        images = rng.integers(0, 256, (count, 28, 28)).astype(np.uint8)
        head = bytes([0, 0, 8, 3]) + np.array(images.shape, dtype=">u4").tobytes()
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(head + images.tobytes()))
        head = bytes([0, 0, 8, 1]) + np.array(labels.shape, dtype=">u4").tobytes()
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(head + labels.tobytes())
    picture = tmp_path / "mnist.svg"
    pytest.importorskip("matplotlib")
    printed = run_example("mnist.py", tmp_path, "--runs", 1, "--plot", picture)
    assert "auto, 56 pixels of each" in printed
    assert "<svg" in picture.read_text()


def test_thyroid(tmp_path):
    """On a few made-up patients."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    for part in ("train", "test"):
        frame = pandas.DataFrame(rng.normal(size=(100, 4)), columns=["age", "sex", "TSH", "FTI"])
        frame["class"] = np.where(frame["TSH"] > 0, 1, -1)
        frame.to_csv(tmp_path / f"{part}.csv", index=False)
    (tmp_path / "costs.csv").write_text("attribute,cost\nage,1\nsex,1\nTSH,22.78\nFTI,25.92\n")
    picture = tmp_path / "thyroid.svg"
    printed = run_example("thyroid.py", tmp_path, "--money", 1000, "--runs", 2, "--plot", picture)
    assert "of 1,000.00 dollars bought" in printed
    assert "no thrift" in printed
    assert "<svg" in picture.read_text()
