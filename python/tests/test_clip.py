"""Attributes between limits: the keyword, the limits that come out, and cells that were not bought."""

import pickle

import numpy as np
import pytest
from support import DENSE, ROWS, Recorder, bits, learned, needs, regressor, table

import scant

CLIPPED = [row for row in ROWS if "clip" in scant._options.ALGORITHMS[row].options]
STREAMING = [row for row in CLIPPED if row not in DENSE]


def wild(rows=400, share=0.02):
    X, y = table(rows)
    X[np.random.default_rng(1).uniform(size=X.shape) < share] *= 1000
    return X, y


def keywords(row):
    """With these a row clips."""
    return {**needs(row), "clip": 3, **({"standardise": True} if row.startswith("full-") else {})}


@pytest.mark.parametrize("row", CLIPPED)
def test_predictions_are_of_clipped_attributes(row):
    # of so few rows, gaussian learns nothing where one value in fifty is a thousand times too large
    X, y = wild(share=0.005 if row == "gaussian" else 0.02)
    model = regressor(row, **keywords(row)).fit(X, y)
    low, high = model.model_.low, model.model_.high
    assert np.all(low < high) and np.all(np.isfinite([low, high]))
    assert model.model_.settings["clip"] == 3
    far = np.vstack([X, X[:3] * 1e9])
    expected = model.intercept_ + np.clip(far, low, high) @ model.coef_
    np.testing.assert_allclose(model.predict(far), expected, rtol=1e-12, atol=1e-12)
    assert not np.allclose(model.predict(far), model.intercept_ + far @ model.coef_)
    again = pickle.loads(pickle.dumps(model.model_))
    assert bits(again.low, again.high, again.predict(far)) == bits(low, high, model.predict(far))


def test_none_is_none():
    X, y = wild()
    model = regressor(k=4, clip="none").fit(X, y)
    assert model.model_.low is None and model.model_.high is None
    assert model.model_.settings["clip"] == "none"
    np.testing.assert_allclose(model.predict(X), model.intercept_ + X @ model.coef_)
    learner = scant.Learner("auto", dimension=6, k=4, clip="none")
    assert learner.limits is None


def test_defaults():
    X, y = wild()
    for row in STREAMING:
        assert regressor(row, **needs(row)).fit(X, y).model_.settings["clip"] == 3
    for row in ("aerr", "aelr", "online-ridge"):
        model = regressor(row, **needs(row)).fit(X, y).model_
        assert model.low is None and "clip" not in model.settings


@pytest.mark.parametrize("clip", [0, -1, -0.0, float("nan"), float("inf"), "some", "auto"])
def test_what_is_not_a_number_above_0_is_refused(clip):
    X, y = table()
    with pytest.raises((scant.UsageError, TypeError, ValueError), match="clip"):
        regressor(k=4, clip=clip).fit(X, y)


@pytest.mark.parametrize("row", STREAMING)
def test_a_learner_predicts_as_its_fit(row):
    X, y = wild()
    model = regressor(row, shuffle=False, **needs(row)).fit(X, y)
    learner = scant.Learner(row, dimension=6, seed=3, horizon=len(y), **needs(row))
    for x, target in zip(X, y, strict=True):
        look = learner.ask()
        learner.tell(look, x[look.attributes], target)
    assert bits(*learner.limits) == bits(model.model_.low, model.model_.high)
    X[::3, 2] = np.nan
    np.testing.assert_allclose(learner.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    again = pickle.loads(pickle.dumps(learner))
    assert bits(*again.limits) == bits(*learner.limits)


@pytest.mark.parametrize("row", [row for row in CLIPPED if not row.startswith("full-")])
def test_cells_that_were_not_bought_do_not_matter(row):
    X, y = wild(200)
    whole = Recorder(X)
    first = regressor(row, **keywords(row)).fit(whole.source, y)
    mask = whole.bought()
    assert 0 < mask.sum() < mask.size
    for poison in (np.nan, np.inf, -1e300, 12345.0):
        again = regressor(row, **keywords(row)).fit(np.where(mask, X, poison), y)
        assert learned(again) == learned(first)
        assert bits(again.model_.low, again.model_.high) == bits(first.model_.low, first.model_.high)
