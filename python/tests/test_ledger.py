"""What was not bought never matters: cells that a fit did not look at may hold anything."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, reject, settings, strategies as st
from support import ROWS, Recorder, bits, learned, needs, regressor, table

import scant

POISONS = [np.nan, np.inf, -np.inf, 1e300, "random"]


def poisoned(X, bought, poison):
    bad = np.random.default_rng(5).normal(scale=1e6, size=X.shape) if poison == "random" else poison
    return np.where(bought, X, bad)


def layouts(X):
    """The same numbers at other places of memory."""
    rows, dimension = X.shape
    wide = np.zeros((2 * rows, 3 * dimension))
    wide[::2, ::3] = X
    yield X
    yield np.asfortranarray(X)
    yield wide[::2, ::3]
    yield np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


@settings(max_examples=80)
@given(
    row=st.sampled_from(ROWS),
    rows=st.integers(1, 60),
    dimension=st.integers(2, 12),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**31),
    poison=st.sampled_from(POISONS),
    layout=st.integers(0, 3),
    passes=st.sampled_from([1, 2]),
    shuffle=st.booleans(),
)
def test_poison_in_what_was_not_bought(row, rows, dimension, share, seed, poison, layout, passes, shuffle):
    X, y = table(rows, dimension, seed % 100)
    k = 2 + int(share * (dimension - 2))
    keywords = {"k": k, "shuffle": shuffle, "random_state": seed, "missing": "error", "passes": passes}
    for changes in ({}, {"passes": 1}, {"passes": 1, "k": None}):
        keywords.update(changes)
        recorder = Recorder(X)
        try:
            first = regressor(row, **keywords).fit(recorder.source, y)
            break
        except (scant.UsageError, scant.DataError):  # not every k is right for every row, nor several passes
            assert not recorder.cells
    else:
        reject()
    bad = list(layouts(poisoned(X, recorder.bought(), poison)))[layout]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        again = regressor(row, **keywords).fit(bad, y)
    assert learned(first) == learned(again)


@pytest.mark.parametrize("row", [row for row in ROWS if needs(row)])
def test_most_is_not_bought(row):
    """The test above tests something: there is poison, and it would be seen."""
    X, y = table(60, 12)
    recorder = Recorder(X)
    regressor(row).fit(recorder.source, y)
    assert 0 < recorder.bought().mean() < 0.9
    cell = tuple(np.argwhere(recorder.bought())[-1])
    X[cell] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        regressor(row).fit(X, y)


def test_poison_in_classes_and_partial_fit():
    X, y = table(200)
    labels = np.where(y > 0, "yes", "no")
    recorder = Recorder(X)
    first = scant.LimitedClassifier(algorithm="auto", k=2, random_state=1).fit(recorder.source, labels)
    bad = poisoned(X, recorder.bought(), np.nan)
    again = scant.LimitedClassifier(algorithm="auto", k=2, random_state=1, missing="error").fit(bad, labels)
    assert learned(first) == learned(again)
    parts = [Recorder(X[:100]), Recorder(X[100:])]
    first = regressor(k=2).partial_fit(parts[0].source, y[:100]).partial_fit(parts[1].source, y[100:])
    again = regressor(k=2, missing="error")
    for part, targets in zip(parts, (y[:100], y[100:]), strict=True):
        again.partial_fit(poisoned(part.X, part.bought(), np.nan), targets)
    assert learned(first) == learned(again)


def test_poison_under_a_budget_and_costs():
    X, y = table(200)
    for keywords in (
        {"k": 3, "budget": 100},
        {"costs": [1, 2, 3, 1, 1, 1], "spend": 6, "budget_cost": 200},
        {"k": 2, "costs": [(1, "a"), (1, "a"), 1, 0, 2, 5]},
    ):
        recorder = Recorder(X)
        first = regressor(**keywords).fit(recorder.source, y)
        again = regressor(missing="error", **keywords).fit(poisoned(X, recorder.bought(), np.inf), y)
        assert learned(first) == learned(again)


# ---- what was bought -----------------------------------------------------------


def test_the_ledger_adds_up():
    X, y = table()
    model = regressor(k=3, passes=1).fit(X, y)
    ledger = model.ledger_
    assert ledger["examples"] == ledger["distinct_examples"] == model.n_iter_ == 120
    assert ledger["attributes_bought"] == model.attributes_bought_ == model.purchases_.sum()
    assert ledger["max_bought_per_example"] == 3 and ledger["looks_drawn"] >= ledger["attributes_bought"]
    assert ledger["money_spent"] == model.cost_spent_ == 0
    priced = regressor(k=3, costs=[0.5, 1, 1, 1, 2.25, 1]).fit(X, y)
    assert priced.cost_spent_ == priced.purchases_ @ [0.5, 1, 1, 1, 2.25, 1]
    json.dumps(ledger)


def test_a_missing_value_that_is_bought(command, tmp_path):
    X, y = table()
    random = np.random.default_rng(1)
    X[random.random(X.shape) < 0.3] = np.nan
    for missing in ("skip-cell", "skip-example"):
        model = regressor(k=3, missing=missing).fit(X, y)
        told = command.fit(tmp_path, X, y, "--algorithm", "auto", "-k", 3, "--seed", 3, "--missing", missing)
        assert bits(model.coef_, model.purchases_) == bits(told["weights"], told["purchases"])
        assert model.ledger_["missing_cells"] == told["ledger"]["missing_cells"] > 0
        assert model.ledger_["skipped_examples"] == told["ledger"]["skipped_examples"]
    assert model.n_iter_ == model.ledger_["examples"] - model.ledger_["skipped_examples"] < 120
    default = regressor(k=3).fit(X, y)
    assert learned(default) == learned(regressor(k=3, missing="skip-cell").fit(X, y))


@pytest.mark.parametrize("value, words", [(np.nan, "missing"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a_bought_cell_is_named(value, words):
    X, y = table()
    X[7, 4] = value
    missing = "error" if np.isnan(value) else None
    with pytest.raises(ValueError, match=rf"\[7, 4\].*{words}|row 7, attribute 4.*{words}|{words}.*\[7, 4\]"):
        regressor("online-ridge", missing=missing).fit(X, y)
    import pandas

    frame = pandas.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match=rf"row 7.*e.*{words}"):
        regressor("online-ridge", missing=missing).fit(frame, y)


@pytest.mark.parametrize("row", ROWS)
def test_predictions_of_missing_values(row):
    X, y = table()
    model = regressor(row, **needs(row)).fit(X, y)
    holes = X.copy()
    holes[::2, 1] = np.nan
    holes[5] = np.nan
    predictions = model.predict(holes)
    assert np.isfinite(predictions).all()
    assert bits(predictions[1::2][3:]) == bits(model.predict(X)[1::2][3:])
    if not model.model_._own or row != "gaussian":
        filled = np.where(np.isnan(holes), model.model_.means, holes)
        assert bits(predictions) == bits(model.predict(filled))
    for infinity in (np.inf, -np.inf):
        holes[9, 3] = infinity
        with pytest.raises(ValueError, match="9.*infinity|infinity.*9"):
            model.predict(holes)
