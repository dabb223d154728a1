"""The estimators of scant.distributed.dask: parameters, what goes with a fit, lazy predictions, scores, two classes."""

import json
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # dask_support.py, conftest.py
from dask_support import chunked, uneven, unknown  # noqa: E402  (skips without Dask)

# isort: split
import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from conftest import ATTRIBUTES, KEYWORDS, ROWS, bits  # noqa: E402

import scant  # noqa: E402
from scant import DataError, UsageError  # noqa: E402
from scant.distributed import InMemory, LocalEngine, fit  # noqa: E402
from scant.distributed.dask import LimitedClassifier, LimitedRegressor  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


def test_parameters_are_those_of_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    for kind in (LimitedRegressor, LimitedClassifier):
        estimator = kind(5, random_state=3, block_rows=7)
        assert estimator.get_params()["k"] == 5
        assert base.clone(estimator).get_params() == estimator.get_params()
        assert estimator.set_params(k=6, em="workers").k == 6
        assert "k=6" in repr(estimator)
    assert base.is_regressor(LimitedRegressor()) and base.is_classifier(LimitedClassifier())


def test_without_scikit_learn_parameters_are_the_same():
    from scant.distributed.dask._parameters import BaseEstimator

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
    model = LimitedRegressor(block_rows=ROWS, **KEYWORDS).fit(X, y, client=client)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == ATTRIBUTES
    here = model.predict(arrays[0])
    assert isinstance(here, np.ndarray)
    assert np.array_equal(here, reference.model.predict(arrays[0]))
    lazy = model.predict(X)
    assert isinstance(lazy, da.Array) and lazy.chunks == (X.chunks[0],) and lazy.dtype == float
    assert np.array_equal(lazy.compute(scheduler="sync"), here)
    assert np.array_equal(client.compute(model.predict(unknown(X))).result(), here)
    named = LimitedRegressor(block_rows=ROWS, **KEYWORDS)
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
        LimitedRegressor().predict(X)
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
        model = LimitedRegressor(**given).fit(X, y, client=client)
        assert bits(model.result_) == bits(reference)


def test_masked_and_sparse_chunks(arrays, client, reference):
    scipy = pytest.importorskip("scipy.sparse")
    X, y = chunked(arrays)
    holes = np.isnan(arrays[0])
    masked = da.from_array(np.ma.masked_array(np.where(holes, 1e6, arrays[0]), holes), chunks=(300, ATTRIBUTES))
    model = LimitedRegressor(block_rows=ROWS, **KEYWORDS)
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
        LimitedRegressor(ATTRIBUTES, block_rows=ROWS).fit(table, "y", client=client)


@pytest.mark.parametrize("kind", ["int32", "float32", "float64"])
def test_scores_of_large_targets(kind, arrays, client):
    """Squares of them are beyond what their type holds, or so large that nothing is left of the differences."""
    y = (1e8 * (kind == "float64") + 1e5 + np.round(50 * arrays[1])).astype(kind)
    model = LimitedRegressor(block_rows=ROWS, **KEYWORDS).fit(arrays[0], y, client=client)
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
    model = LimitedClassifier(block_rows=ROWS, **KEYWORDS)
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
    model = LimitedClassifier(**KEYWORDS).fit(file, "y", client=client)
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
    LimitedRegressor(**given).fit(X, labels, client=client)
    with pytest.raises(DataError, match=r"other data: classes is None there, and \['0', '1'\] here"):
        LimitedClassifier(**given).fit(X, labels, client=client)


def test_other_numbers_of_classes_are_refused(client):
    X = da.zeros((20, 3), chunks=(5, 3))
    for labels, sentence in (
        (np.arange(20) % 3, "Only binary classification is supported.* y has the classes 0, 1, 2"),
        (np.zeros(20), "LimitedClassifier needs two classes, and y has 1 class"),
    ):
        with pytest.raises(DataError, match=sentence):
            LimitedClassifier(2).fit(X, da.from_array(labels, chunks=5), client=client)


@pytest.mark.parametrize("label, hole", [(1.0, np.nan), ("yes", None)])
def test_a_label_that_is_missing_is_no_class(label, hole, client):
    labels = np.array([label] * 20, dtype=object if hole is None else None)
    labels[3] = hole
    with pytest.raises(DataError, match=r"^row 4 of y: the target is missing \(1 of 20 are\)$"):
        LimitedClassifier(2).fit(np.zeros((20, 3)), labels, client=client)


def test_a_target_at_hand_keeps_its_name(frame, client):
    given = {"block_rows": ROWS, **KEYWORDS}
    model = LimitedRegressor(**given).fit(frame.rename(columns={"y": "price"}), "price", client=client)
    assert model.result_.target == "price"


def test_checkpoint_resume_and_progress_go_with_fit(arrays, parquet_path, client, tmp_path):
    """As with the estimator; what fit is given comes first."""
    for number, table in enumerate([(parquet_path, "y"), chunked(arrays)]):
        told, path = [], tmp_path / str(number)
        given = {"block_rows": ROWS, "algorithm": "moments", **KEYWORDS}
        model = LimitedRegressor(checkpoint=tmp_path / "other", **given)
        model.fit(*table, client=client, checkpoint=path, progress=told.append)
        assert path.exists() and not (tmp_path / "other").exists() and told[-1].done
        with pytest.raises(UsageError, match="there is a file .* already: resume=True goes on from it"):
            model.fit(*table, client=client, checkpoint=path)
        coef = model.coef_.tobytes()
        assert model.fit(*table, client=client, checkpoint=path, resume=True).coef_.tobytes() == coef
        assert model.checkpoint == tmp_path / "other"


def test_warnings_point_at_who_called_fit(arrays, client):
    with pytest.warns(scant.ScantWarning, match="few different looks") as told:
        LimitedRegressor(2, random_state=1, block_rows=1200).fit(*chunked(arrays, 1200), client=client)
    assert {one.filename for one in told if issubclass(one.category, scant.ScantWarning)} == {__file__}
