"""Estimators among scikit-learn's: its own checks, pipelines, searches, copies."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from support import DENSE, ROWS, SOLVED, STREAMS, bits, learned, needs, regressor, table

import scant

KINDS = [
    scant.LimitedRegressor,
    scant.LimitedRidge,
    scant.LimitedLasso,
    scant.LimitedSVR,
    scant.LimitedClassifier,
]

OTHERS = [
    scant.LimitedRidge(algorithm="aerr"),
    scant.LimitedRidge(algorithm="online-ridge"),
    scant.LimitedLasso(algorithm="aelr"),
    scant.LimitedSVR(algorithm="coinflip"),
    scant.LimitedClassifier(algorithm="svr", loss="hinge"),
    scant.LimitedClassifier(algorithm="svr", loss="logistic"),
    *(scant.LimitedRegressor(algorithm=row) for row in DENSE),
]


@parametrize_with_checks([kind() for kind in KINDS] + OTHERS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("row", SOLVED)
def test_full_information_goes_on(row):
    """They keep every example, so batches lead to the same solution."""
    X, y = table()
    model = regressor(row, radius=2).fit(X, y)
    assert model.score(X, y) > 0.9 and model.attributes_bought_ == X.size
    assert learned(model) == learned(pickle.loads(pickle.dumps(model)))
    batches = regressor(row, radius=2)
    for part in (slice(0, 50), slice(50, None)):
        batches.partial_fit(X[part], y[part])
    np.testing.assert_allclose(batches.predict(X), model.predict(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_tags(kind):
    tags = get_tags(kind())
    assert tags.input_tags.allow_nan and tags.input_tags.sparse
    assert tags.target_tags.required
    assert not tags.no_validation and not tags.non_deterministic
    if kind is scant.LimitedClassifier:
        assert is_classifier(kind()) and tags.classifier_tags.poor_score and not tags.classifier_tags.multi_class
    else:
        assert is_regressor(kind()) and tags.regressor_tags.poor_score


def test_it_learns():
    """Not just the same bits: the weights of a small problem."""
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 10))
    w = np.array([1, -2, 0, 0, 3, 0, 0, 0.5, 0, 0])
    y = X @ w + 7 + 0.1 * random.normal(size=5000)
    for model in (
        scant.LimitedRegressor(k=4, random_state=1),
        scant.LimitedRidge(k=4, radius=4, random_state=1),
        scant.LimitedLasso(k=4, random_state=1),
        scant.LimitedSVR(k=4, random_state=1),
    ):
        assert model.fit(X, y).score(X, y) > 0.9, model
        assert model.attributes_bought_ <= 20_000
    labels = np.where(y > 7, "warm", "cold")
    for model in (
        scant.LimitedClassifier(k=4, random_state=1),
        scant.LimitedClassifier(k=4, random_state=1, algorithm="svr", loss="hinge"),
        scant.LimitedClassifier(k=4, random_state=1, algorithm="svr", loss="logistic"),
    ):
        assert model.fit(X, labels).score(X, labels) > 0.9, model
        assert model.classes_.tolist() == ["cold", "warm"]
        assert ((model.decision_function(X) > 0) == (model.predict(X) == "warm")).all()
    probabilities = model.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1) and (probabilities >= 0).all()
    assert np.log(probabilities[np.arange(5000), (labels == "warm").astype(int)]).mean() > -0.4


def test_pipeline():
    X, y = table(500)
    pipe = make_pipeline(StandardScaler(), regressor(k=3, random_state=0)).fit(100 * X, y)
    scaled = StandardScaler().fit_transform(100 * X)
    assert bits(pipe[-1].coef_) == bits(regressor(k=3, random_state=0).fit(scaled, y).coef_)
    assert pipe.score(100 * X, y) > 0.5


def test_grid_search():
    X, y = table(300)
    search = GridSearchCV(scant.LimitedRidge(random_state=0), {"radius": [0.01, 2], "k": [2, 4]}, cv=3).fit(X, y)
    assert search.best_params_["radius"] == 2
    alone = scant.LimitedRidge(random_state=0, **search.best_params_).fit(X, y)
    assert learned(search.best_estimator_) == learned(alone)
    assert len(cross_val_score(scant.LimitedRegressor(k=3, random_state=0), X, y, cv=3)) == 3


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend):
    X, y = table(200)
    scores = cross_val_score(regressor(k=2), X, y, cv=4)
    with joblib.parallel_backend(backend):
        assert bits(cross_val_score(regressor(k=2), X, y, cv=4, n_jobs=2)) == bits(scores)
    fitted = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(regressor(row, **needs(row)).fit)(X, y) for row in ROWS[:4]
    )
    for row, model in zip(ROWS[:4], fitted, strict=True):
        assert learned(model) == learned(regressor(row, **needs(row)).fit(X, y))


def test_clone():
    X, y = table()
    model = regressor(k=2, costs=[1, 2, 1, 1, 1, 1], spend=3, callback=print)
    twin = clone(model.fit(X, y))
    assert not hasattr(twin, "coef_")
    assert twin.get_params() == model.get_params()
    assert learned(twin.fit(X, y)) == learned(model)
    assert "k=2" in repr(model) and "radius" not in repr(model)


# ---- copies of what is fitted ----------------------------------------------------

COPIES = [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), lambda m: pickle.loads(pickle.dumps(m, 2))]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("first", ["fit", "partial_fit"])
@pytest.mark.parametrize("row", ROWS)
def test_copies_go_on_to_the_same_bits(row, first, copied):
    X, y = table()
    if first == "partial_fit" and row not in STREAMS:
        with pytest.raises(scant.UsageError, match="number of examples beforehand"):
            regressor(row, **needs(row)).partial_fit(X, y)
        return
    model = getattr(regressor(row, **needs(row)), first)(X[:50], y[:50])
    twin = copied(model)
    assert learned(twin) == learned(model)
    assert bits(twin.predict(X)) == bits(model.predict(X))
    for part in (slice(50, 90), slice(90, 120)):
        model.partial_fit(X[part], y[part])
        twin = copied(twin.partial_fit(X[part], y[part]))
        assert learned(twin) == learned(model)


AFTER_FITS = [
    {"passes": 2, "k": 4},
    {"examples": 50},
    {"missing": "skip-example"},
    {"costs": [1, 2, 1, 1, 1, 1], "spend": 4},
    {"costs": [1, 2, 1, 1, 1, 1], "thrift": False},
    {"log_target": True},
    {"average": "half"},
    {"shuffle": False},
]


@pytest.mark.parametrize("keywords", AFTER_FITS, ids=str)
def test_batches_after_a_fit(keywords):
    X, y = table()
    model = regressor(**keywords).fit(X, y + 3)
    twin, before = copy.deepcopy(model), model.n_iter_
    for _ in range(2):
        model.partial_fit(X[:30], y[:30] + 3)
        assert learned(model) == learned(twin.partial_fit(X[:30], y[:30] + 3))
    assert model.n_iter_ == before + 60 * keywords.get("passes", 1)


def test_copies_are_apart():
    X, y = table()
    model = regressor(k=2).partial_fit(X[:50], y[:50])
    before, twin = learned(model), copy.deepcopy(model)
    twin.partial_fit(X[50:], y[50:])
    assert learned(model) == before != learned(twin)
    # A shallow copy too: what one learns is not the other's.
    shallow = copy.copy(model)
    shallow.partial_fit(X[50:], y[50:])
    assert learned(model) == before
    assert learned(model.partial_fit(X[50:], y[50:])) == learned(shallow) == learned(twin)


def test_copies_of_classifiers_and_models():
    X, y = table()
    labels = np.where(y > 0, "b", "a")
    model = scant.LimitedClassifier(algorithm="auto", k=2, random_state=1)
    model.partial_fit(X[:50], labels[:50], classes=["a", "b"])
    twin = pickle.loads(pickle.dumps(model))
    assert learned(twin.partial_fit(X[50:], labels[50:])) == learned(model.partial_fit(X[50:], labels[50:]))
    kept = pickle.loads(pickle.dumps(model.model_))
    assert bits(kept.predict(X)) == bits(model.decision_function(X))
    assert (kept.settings, kept.ledger, kept.names) == (model.model_.settings, model.ledger_, None)
    for damaged in (b"", b"{}", model.model_.__getstate__()[:-5], model.model_.__getstate__().replace(b"1", b"2")):
        with pytest.raises(scant.DataError):
            scant.Model.__new__(scant.Model).__setstate__(damaged)


@pytest.mark.skipif("gaussian" not in DENSE, reason="this build has no LAPACK")
@pytest.mark.parametrize("rows", [12, 19, 60])
def test_a_gaussian_of_classes_has_two_values_from_the_beginning(rows):
    X, y = table()
    X, y = X[:rows], np.where(y > np.median(y[:rows]), "b", "a")[:rows]
    model = scant.LimitedClassifier(algorithm="gaussian", k=2, shuffle=False, random_state=1)
    for fitted in (clone(model).fit(X, y), clone(model).partial_fit(X, y, classes=["a", "b"])):
        for means in (fitted.model_, pickle.loads(pickle.dumps(fitted)).model_):
            mean, low, high = means.predict_interval(10 * X)  # far from all that was learned
            assert -1 <= mean.min() and mean.max() <= 1
            assert set(low) | set(high) <= {-1.0, 1.0}
    begun = clone(model).partial_fit(X[:6], y[:6], classes=["a", "b"])
    assert learned(begun.partial_fit(X[6:], y[6:])) == learned(clone(model).partial_fit(X, y, classes=["a", "b"]))


# ---- batches -------------------------------------------------------------------


@pytest.mark.parametrize("row", STREAMS)
def test_batches(row):
    """In the order of the rows, batches are one stream: where they are cut does not matter."""
    X, y = table()
    keywords = {"shuffle": False, **needs(row)}
    whole = regressor(row, **keywords).partial_fit(X, y)
    parts = regressor(row, **keywords)
    for start in range(0, 120, 17):
        parts.partial_fit(X[start : start + 17], y[start : start + 17])
    assert learned(whole) == learned(parts)
    single = regressor(row, **keywords)
    for x, target in zip(X, y, strict=True):
        single.partial_fit([x], [target])
    assert bits(whole.coef_, whole.intercept_) == bits(single.coef_, single.intercept_)
    learner = scant.Learner(row, dimension=6, seed=3, **needs(row))
    for x, target in zip(X, y, strict=True):
        look = learner.ask()
        learner.tell(look, x[look.attributes], target)
    assert bits(learner.coef, learner.intercept) == bits(whole.coef_, whole.intercept_)


def test_budget_goes_on_over_batches():
    X, y = table()
    model = regressor(k=2, budget=150, shuffle=False)
    for start in range(0, 120, 30):
        model.partial_fit(X[start : start + 30], y[start : start + 30])
        assert model.attributes_bought_ <= 150
    assert model.budget_spent_ and model.attributes_bought_ >= 149
    assert model.n_iter_ < 120


def test_costs_in_batches():
    X, y = table()
    costs = [1, 2, 1, 0.5, 1, 3]
    model = regressor(k=3, costs=costs, budget_cost=150, shuffle=False)
    twin = clone(model)
    for start in range(0, 120, 30):
        model.partial_fit(X[start : start + 30], y[start : start + 30])
        twin = pickle.loads(pickle.dumps(twin.partial_fit(X[start : start + 30], y[start : start + 30])))
        assert model.cost_spent_ == model.purchases_ @ costs <= 150
    assert learned(model) == learned(twin)
    assert model.budget_spent_


def test_fit_forgets():
    X, y = table()
    model = regressor(k=2).fit(X[:, :4], y)
    model.partial_fit(X[:, :4], y)
    assert learned(model.fit(X, y)) == learned(regressor(k=2).fit(X, y))
    assert model.n_features_in_ == 6


def test_a_wide_table():
    """What a fit holds grows with d, not with d k or n d: a hundred thousand attributes are few."""
    X = np.broadcast_to(np.float32(0.5), (50, 100_000))
    model = regressor(k=2).fit(X, np.arange(50.0))
    assert model.attributes_bought_ <= 100 and model.coef_.shape == (100_000,)


def test_a_default_k_is_a_tenth():
    X, y = table(50, 35)
    assert scant.LimitedRegressor(random_state=0).fit(X, y).model_.settings["k"] == 4
    assert scant.LimitedRegressor(random_state=0).fit(X[:, :5], y).model_.settings["k"] == 2
    assert scant.LimitedSVR(random_state=0).fit(X[:, :5], y).model_.settings["k"] == 3
    assert scant.LimitedLasso(algorithm="aer", random_state=0).fit(X[:, :21], y).model_.settings["k"] == 4
