"""Blocks: one look for several examples."""

import numpy as np
import pytest

import scant


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 12))
    return X, X[:, 2] - 2 * X[:, 7] + 0.1 * rng.normal(size=600)


def test_a_learner_is_told_blocks(table):
    X, y = table
    told = scant.Learner("auto", dimension=12, k=4, block=5, seed=1)
    fitted = scant.LimitedRegressor(algorithm="auto", k=4, block=5, shuffle=False, random_state=1).fit(X, y)
    for first in range(0, 600, 5):
        look = told.ask()
        told.tell_block(look, X[first : first + 5, look.attributes], y[first : first + 5])
    np.testing.assert_array_equal(told.coef, fitted.coef_)
    assert told.told == 600
    assert {int(i) for i in np.argsort(-abs(told.coef))[:2]} == {2, 7}


def test_a_block_of_one_row_is_an_example(table):
    X, y = table
    one, other = (scant.Learner("auto", dimension=12, k=4, seed=1) for _ in range(2))
    for row in range(20):
        look, same = one.ask(), other.ask()
        one.tell(look, X[row, look.attributes], y[row])
        other.tell_block(same, X[row : row + 1, same.attributes], y[row : row + 1])
    np.testing.assert_array_equal(one.coef, other.coef)


def test_what_is_refused(table):
    X, y = table
    learner = scant.Learner("auto", dimension=12, k=4, block=3, seed=1)
    look = learner.ask()
    values = X[:4, look.attributes]
    with pytest.raises(scant.MisuseError, match="at most 3"):
        learner.tell_block(look, values, y[:4])
    with pytest.raises(scant.DataError, match="shape"):
        learner.tell_block(look, values[:3], y[:2])
    with pytest.raises(scant.DataError, match="shape"):
        learner.tell_block(look, values[0], y[:1])
    wrong = values[:3].copy()
    wrong[1, 0] = np.inf
    with pytest.raises(scant.DataError, match="row 2 of the block"):
        learner.tell_block(look, wrong, y[:3])
    learner.tell_block(look, values[:3], y[:3])
    with pytest.raises(scant.UsageError, match="observed"):
        scant.LimitedRegressor(algorithm="gaussian", observed=True, block=4).fit(X, y)


@pytest.mark.parametrize("algorithm", ["auto", "gaussian", "moments"])
def test_estimators_take_block(table, algorithm):
    X, y = table
    model = scant.LimitedRegressor(algorithm=algorithm, k=5, block=6, random_state=1).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.get_params()["block"] == 6


def test_a_plan_knows_blocks(table):
    X, y = table
    plain = scant.plan(X, y, budget=3000, k=[4], runs=2, random_state=1)
    blocks = scant.plan(X, y, budget=3000, k=[4], runs=2, random_state=1, block=10)
    assert "blocks of 10 examples" in str(blocks) and "blocks" not in str(plain)
    assert np.all(blocks.examples[np.isfinite(blocks.examples)] % 10 == 0)
    with pytest.warns(scant.ScantWarning, match="seen together"):
        rare = scant.plan(X, y, budget=3000, k=[4], runs=2, random_state=1, block=100)
    assert any("seen together" in sentence for sentence in rare.warnings)
