"""Ask and tell: looks, their order, keeping them, and that a fit is nothing else."""

import copy
import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, reject, settings, strategies as st
from support import ROWS, SOLVED, STRICT, bits, needs, regressor, table

import scant


def state(learner):
    return bits(learner.coef, learner.intercept, learner.means, learner.told, *learner.risk)


def teach(learner, X, y):
    for x, target in zip(X, y, strict=True):
        look = learner.ask()
        learner.tell(look, x[look.attributes], target)


@pytest.mark.parametrize("row", ROWS)
def test_a_fit_is_asking_and_telling(row):
    X, y = table()
    model = regressor(row, shuffle=False, **needs(row)).fit(X, y)
    learner = scant.Learner(row, dimension=6, seed=3, horizon=len(y), **needs(row))
    teach(learner, X, y)
    if row in SOLVED:  # its model has the means of the table, a learner running ones
        assert np.allclose(learner.means, model.model_.means, rtol=0, atol=1e-15)
    # a model of gaussian has the means of its distribution, between limits
    means = learner.means if row in SOLVED or row == "gaussian" else model.model_.means
    assert state(learner) == bits(
        model.coef_, model.intercept_, means, model.n_iter_, model.risk_estimate_, model.risk_error_
    )
    assert model.ledger_["examples"] == learner.told == len(y)


def test_options():
    X, y = table()
    keywords = {"radius": 0.7, "eta": 0.05, "center": True, "average": "last", "missing": "skip-example"}
    X[3] = np.nan
    model = regressor("aerr", k=3, shuffle=False, **keywords).fit(X, y)
    learner = scant.Learner("aerr", dimension=6, k=3, seed=3, horizon=len(y), **keywords)
    teach(learner, X, y)
    assert bits(learner.coef, learner.intercept) == bits(model.coef_, model.intercept_)
    assert np.linalg.norm(learner.coef) <= 0.7 * (1 + 1e-12)
    with pytest.raises(scant.UsageError, match="radius"):
        scant.Learner("auto", dimension=6, radius=2)
    with pytest.raises(scant.UsageError, match="no algorithm 'nonsense'"):
        scant.Learner("nonsense", dimension=6)
    with pytest.raises(TypeError, match="nonsense"):
        scant.Learner("auto", dimension=6, nonsense=1)
    with pytest.raises(ValueError, match="k = 7 is more than the 6"):
        scant.Learner("auto", dimension=6, k=7)


@pytest.mark.parametrize("dimension", [0, -1, 2.5, "six"])
def test_dimensions_that_are_none(dimension):
    with pytest.raises((ValueError, TypeError)):
        scant.Learner("auto", dimension=dimension)


@pytest.mark.parametrize("horizon", [-1, 2.5, "many"])
def test_horizons_that_are_none(horizon):
    with pytest.raises((ValueError, TypeError)):
        scant.Learner("aerr", dimension=6, horizon=horizon)


@pytest.mark.parametrize("row", [row for row in ("auto", "gaussian") if row in ROWS])
def test_costs_steer_the_looks(row):
    X, y = table(300, 4)
    costs = {"a": 1, "b": 5, "c": 1, "d": 1}
    priced = scant.Learner(row, dimension=4, costs=costs, names=list("abcd"), spend=6, seed=1)
    for x, target in zip(X, y, strict=True):
        look = priced.ask()
        assert sum(list(costs.values())[i] for i in look.attributes) <= 6
        priced.tell(look, x[look.attributes], target)
    with pytest.raises(scant.UsageError, match="aerr"):
        scant.Learner("aerr", dimension=4, k=2, costs=costs, names=list("abcd"))


# ---- looks -----------------------------------------------------------------


@settings(max_examples=50)
@given(
    row=st.sampled_from(STRICT),
    dimension=st.integers(2, 30),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**63),
    data=st.integers(0, 9),
)
def test_looks_are_of_at_most_k_attributes_each_once(row, dimension, share, seed, data):
    k = 2 + int(share * (dimension - 2))
    X, y = table(40, dimension, data)
    try:
        learner = scant.Learner(row, dimension=dimension, k=k, seed=seed, horizon=40)
    except (scant.UsageError, scant.DataError):  # not every k is right for every row
        reject()
    for x, target in zip(X, y, strict=True):
        look = learner.ask()
        assert len(look) == len(look.attributes) == len(set(look.attributes.tolist())) <= k
        assert len(look) == 0 or (0 <= look.attributes.min() and look.attributes.max() < dimension)
        learner.tell(look, x[look.attributes], target)


def test_a_look():
    learner = scant.Learner("auto", dimension=6, k=3)
    first = learner.ask()
    assert first.serial == 1
    assert first.attributes.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        first.attributes[0] = 5
    assert "attributes" in repr(first) and "6 attributes" in repr(learner)
    # It lives on without its learner.
    kept = first.attributes.tolist()
    del learner
    gc.collect()
    assert pickle.loads(pickle.dumps(first)).attributes.tolist() == kept


def test_same_seed_same_looks():
    def looks(seed):
        learner = scant.Learner("auto", dimension=20, k=5, seed=seed, max_open=50)
        return [learner.ask().attributes.tolist() for _ in range(50)]

    assert looks(1) == looks(1) != looks(2)


# ---- order -----------------------------------------------------------------


def test_out_of_order_up_to_max_open():
    X, y = table()
    learner = scant.Learner("auto", dimension=6, k=3, max_open=7)
    for start in range(0, 119, 7):
        looks = [learner.ask() for _ in range(7)]
        with pytest.raises(scant.MisuseError, match="open"):
            learner.ask()
        for place in (3, 0, 6, 1, 5, 2, 4):
            learner.tell(looks[place], X[start + place, looks[place].attributes], y[start + place])
    assert learner.told == 119
    assert abs(learner.coef[0] - 1) < 0.5


def test_a_refused_ask_changes_nothing():
    X, y = table()
    twin, learner = (scant.Learner("auto", dimension=6, k=3) for _ in range(2))
    for x, target in zip(X, y, strict=True):
        looks = twin.ask(), learner.ask()
        for _ in range(3):
            with pytest.raises(scant.MisuseError):
                learner.ask()
        twin.tell(looks[0], x[looks[0].attributes], target)
        learner.tell(looks[1], x[looks[1].attributes], target)
    assert state(twin) == state(learner)


def refusals(learner, look, other):
    """Calls that are refused, and with what."""
    right = np.zeros(len(look))
    yield scant.DataError, "shape", lambda: learner.tell(look, right[1:], 0)
    yield scant.DataError, "shape", lambda: learner.tell(look, [*right, 1], 0)
    yield scant.DataError, "shape", lambda: learner.tell(look, [right], 0)
    yield scant.DataError, "shape", lambda: learner.tell(look, 1.0, 0)
    yield scant.DataError, "finite", lambda: learner.tell(look, right + np.inf, 0)
    yield scant.DataError, "finite", lambda: learner.tell(look, right, np.nan)
    yield scant.DataError, "finite", lambda: learner.tell(look, right, -np.inf)
    yield ValueError, "could not convert", lambda: learner.tell(look, ["x"] * len(look), 0)
    yield (TypeError, ValueError), "", lambda: learner.tell(look, right, "x")
    yield (TypeError, ValueError), "", lambda: learner.tell(look, right, None)
    yield TypeError, "Look", lambda: learner.tell(look.attributes, right, 0)
    yield TypeError, "Look", lambda: learner.cancel(None)
    yield TypeError, "Look", lambda: learner.judge(7, right, 0)
    yield scant.MisuseError, "", lambda: learner.tell(other, np.zeros(len(other)), 0)
    yield scant.MisuseError, "", lambda: learner.cancel(other)
    yield scant.DataError, "shape", lambda: learner.judge(look, right[1:], 0)


def test_refusals_change_nothing():
    X, y = table()
    twin, learner = (scant.Learner("auto", dimension=6, k=3) for _ in range(2))
    stranger = scant.Learner("auto", dimension=6, k=3, seed=9)
    other = stranger.ask()
    for x, target in zip(X[:30], y[:30], strict=True):
        looks = twin.ask(), learner.ask()
        for kind, words, call in refusals(learner, looks[1], other):
            with pytest.raises(kind, match=words or None):
                call()
        twin.tell(looks[0], x[looks[0].attributes], target)
        learner.tell(looks[1], x[looks[1].attributes], target)
        with pytest.raises(scant.MisuseError, match="look"):
            learner.tell(looks[1], x[looks[1].attributes], target)
        with pytest.raises(scant.MisuseError):
            learner.cancel(looks[1])
    assert state(twin) == state(learner)
    stranger.tell(other, np.zeros(len(other)), 0)


def test_a_missing_value_is_refused_if_asked_for():
    learner = scant.Learner("auto", dimension=6, k=3, missing="error")
    look = learner.ask()
    with pytest.raises(scant.DataError, match="attribute . is not finite"):
        learner.tell(look, [np.nan] * len(look), 0)
    assert learner.told == 0
    learner.tell(look, [1.0] * len(look), 0)


def test_cancel():
    X, y = table()
    learner = scant.Learner("auto", dimension=6, k=3, max_open=2)
    for x, target in zip(X, y, strict=True):
        look, lost = learner.ask(), learner.ask()
        learner.cancel(lost)
        learner.tell(look, x[look.attributes], target)
    assert learner.told == len(y)
    with pytest.raises(scant.MisuseError):
        learner.tell(lost, [0] * len(lost), 0)


def test_judge_and_risk():
    X, y = table(2000)
    learner = scant.Learner("auto", dimension=6, k=4)
    assert np.isnan(learner.risk[0])
    teach(learner, X[:1000], y[:1000])
    before = state(learner)
    judged = []
    for x, target in zip(X[1000:], y[1000:], strict=True):
        look = learner.ask()
        judged.append(learner.judge(look, x[look.attributes], target))
        learner.cancel(look)
    assert state(learner) == before
    true = np.mean((learner.predict(X[1000:]) - y[1000:]) ** 2)
    risk, error = learner.risk  # of the regressor itself
    assert abs(risk - true) < 4 * error
    assert 0.9 < learner.scale < 1.5
    assert abs(np.mean(judged) - true) < 4 * np.std(judged) / np.sqrt(len(judged))


def test_predict():
    X, y = table()
    learner = scant.Learner("auto", dimension=6, k=3)
    teach(learner, X, y)
    assert learner.predict(X).shape == (len(X),)
    assert learner.predict(X[0]) == X[0] @ learner.coef + learner.intercept
    X[0, 2] = np.nan
    filled = X.copy()
    filled[0, 2] = learner.means[2]
    assert bits(learner.predict(X)) == bits(learner.predict(filled))
    with pytest.raises(ValueError, match="5 attributes"):
        learner.predict(X[:, :5])


# ---- keeping ---------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS)
def test_pickles(row):
    X, y = table()
    learner = scant.Learner(row, dimension=6, max_open=3, horizon=120, **needs(row))
    teach(learner, X[:50], y[:50])
    learner, looks = pickle.loads(pickle.dumps((learner, [learner.ask() for _ in range(3)])))
    for place in (2, 0, 1):
        learner.tell(looks[place], X[50 + place, looks[place].attributes], y[50 + place])
    teach(learner, X[53:], y[53:])

    whole = scant.Learner(row, dimension=6, max_open=3, horizon=120, **needs(row))
    teach(whole, X[:50], y[:50])
    looks = [whole.ask() for _ in range(3)]
    for place in (2, 0, 1):
        whole.tell(looks[place], X[50 + place, looks[place].attributes], y[50 + place])
    teach(whole, X[53:], y[53:])
    assert state(whole) == state(learner)


def test_copies_go_their_own_ways():
    X, y = table()
    learner = scant.Learner("auto", dimension=6, k=3, costs=[1, 2, 1, 1, 1, 1], spend=4)
    teach(learner, X[:20], y[:20])
    twin = copy.deepcopy(learner)
    before = state(learner)
    teach(twin, X[20:], y[20:])
    assert state(learner) == before != state(twin)
    teach(learner, X[20:], y[20:])
    assert state(learner) == state(twin)


CHILD = """
import pickle, sys
learner, looks, X, y = pickle.load(sys.stdin.buffer)
for look, x, target in reversed(list(zip(looks, X, y, strict=True))):
    learner.tell(look, x[look.attributes], target)
look = learner.ask()
learner.tell(look, X[0][look.attributes], y[0])
pickle.dump((learner, learner.coef, learner.intercept), sys.stdout.buffer)
"""


def test_another_process():
    X, y = table(5)
    learner = scant.Learner("auto", dimension=6, k=3, max_open=5)
    looks = [learner.ask() for _ in range(5)]
    sent = pickle.dumps((learner, looks, X, y))
    done = subprocess.run([sys.executable, "-c", CHILD], input=sent, capture_output=True, check=True)
    back, coef, intercept = pickle.loads(done.stdout)
    for look, x, target in reversed(list(zip(looks, X, y, strict=True))):
        learner.tell(look, x[look.attributes], target)
    look = learner.ask()
    learner.tell(look, X[0][look.attributes], y[0])
    assert bits(back.coef, back.intercept) == bits(coef, intercept) == bits(learner.coef, learner.intercept)


def test_damaged_pickles_are_refused():
    X, y = table()
    learner = scant.Learner("auto", dimension=6, k=3, max_open=2)
    teach(learner, X[:20], y[:20])
    look = learner.ask()
    for thing in (learner, look):
        text = thing.__getstate__()
        for damaged in (b"", b"{}", b"null", text[: len(text) // 2], text[:-1], text + b"x", text.replace(b"1", b"-1")):
            blank = type(thing).__new__(type(thing))
            with pytest.raises(scant.DataError):
                blank.__setstate__(damaged)
            del blank
    other = scant.Learner.__new__(scant.Learner)
    with pytest.raises(scant.DataError):
        other.__setstate__(look.__getstate__())


@given(place=st.integers(0, 2**30), byte=st.integers(0, 255))
def test_a_damaged_byte_is_refused_or_harmless(place, byte):
    learner = scant.Learner("auto", dimension=6, k=3, max_open=2)
    teach(learner, *table(5))
    look = learner.ask()
    for thing in (learner, look):
        text = bytearray(thing.__getstate__())
        text[place % len(text)] = byte
        blank = type(thing).__new__(type(thing))
        try:
            blank.__setstate__(bytes(text))
        except scant.ScantError:
            continue
        repr(blank)
        if thing is learner:
            assert len(blank.coef)
            try:
                again = blank.ask()
                blank.tell(again, [0.5] * len(again), 0.5)
            except scant.ScantError:
                pass
        else:
            try:
                learner.tell(blank, [0.5] * len(blank), 0.5)
            except scant.ScantError:
                pass


# ---- threads ---------------------------------------------------------------


def test_threads_share_a_learner():
    X, y = table(400)
    learner = scant.Learner("auto", dimension=6, k=3, max_open=4)
    failures = []

    def work(part):
        try:
            for i in range(part, 400, 4):
                look = learner.ask()
                learner.tell(look, X[i, look.attributes], y[i])
                if i % 50 == part:
                    learner.coef, learner.risk, pickle.dumps(learner)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert learner.told == 400
    assert np.isfinite(learner.coef).all()


@pytest.mark.parametrize(
    "option", [{"budget": 10}, {"budget_cost": 5}, {"shuffle": True}, {"examples": 5}, {"passes": 2}]
)
def test_what_a_learner_would_ignore_is_refused(option):
    with pytest.raises(ValueError, match="no option of a Learner"):
        scant.Learner(dimension=10, k=3, **option)


def test_names_of_another_number():
    with pytest.raises(ValueError, match="2 names of 3 attributes"):
        scant.Learner(dimension=3, names=["a", "b"])


# ---- what is there ------------------------------------------------------------


@pytest.mark.parametrize("row", [row for row in ("gaussian", "moments") if row in ROWS])
def test_observed_needs_no_k(row):
    """It is every attribute, whatever k would have been by default."""
    X, y = table(60, 30)
    X[::3, 4] = np.nan
    model = scant.LimitedRegressor(algorithm=row, observed=True, random_state=1).fit(X, y)
    assert model.attributes_bought_ == np.isfinite(X).sum()
    learner = scant.Learner(row, dimension=30, observed=True, seed=1)
    assert len(learner.ask()) == 30
    whole = scant.LimitedRegressor(algorithm=row, observed=True, k=30, random_state=1).fit(X, y)
    assert bits(whole.coef_) == bits(model.coef_)
    with pytest.raises(scant.DataError, match="observed looks at all 30"):
        scant.LimitedRegressor(algorithm=row, observed=True, k=5).fit(X, y)
    assert model.risk_error_ > 0
