"""MeteredSource: it is asked for what is bought and for nothing else, and never beyond its limits."""

import copy
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import ROWS, Recorder, bits, learned, needs, regressor, table

import scant


@pytest.mark.parametrize("row", ROWS)
def test_asked_for_just_what_is_bought(row):
    X, y = table()
    recorder = Recorder(X)
    model = regressor(row, **needs(row)).fit(recorder.source, y)
    assert learned(model) == learned(regressor(row, **needs(row)).fit(X, y))
    assert len(recorder.cells) == len(set(recorder.cells)) == model.attributes_bought_
    assert bits(recorder.bought().sum(axis=0)) == bits(model.purchases_) == bits(recorder.source.purchases)
    assert recorder.source.attributes_bought == model.attributes_bought_
    assert recorder.bought().sum(axis=1).max() == model.ledger_["max_bought_per_example"]


@given(
    rows=st.integers(1, 60),
    dimension=st.integers(2, 9),
    k=st.integers(2, 9),
    budget=st.integers(1, 200),
    fits=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_limits_hold_over_several_fits(rows, dimension, k, budget, fits, seed):
    X, y = table(rows, dimension, seed)
    k = min(k, dimension)
    recorder = Recorder(X, budget=budget)
    for number in range(fits):
        try:
            regressor(k=k, random_state=number).fit(recorder.source, y)
        except scant.BudgetSpent:
            assert budget - recorder.source.attributes_bought <= 0
        assert len(recorder.cells) == recorder.source.attributes_bought <= budget
    if fits * rows * k < budget:
        assert recorder.source.attributes_bought <= fits * rows * k


def test_k_of_an_example_holds_over_fits():
    X, y = table(50)
    recorder = Recorder(X, k=3)
    model = regressor().fit(recorder.source, y)  # k of the source is the k of the fit
    assert model.ledger_["max_bought_per_example"] == 3
    cells = list(recorder.cells)
    with pytest.warns(scant.ScantWarning, match="does not pay for one example"):
        again = regressor(k=3, random_state=4).fit(recorder.source, y)
    assert again.budget_spent_ and again.n_iter_ == 0
    assert recorder.cells == cells and recorder.bought().sum(axis=1).max() == 3
    with pytest.raises(scant.BudgetSpent, match="3 of its 3 attributes are bought, and 1 more"):
        recorder.source.buy(0, [0])
    wider = Recorder(X, k=6)
    for number in range(3):
        regressor(k=2, random_state=number).fit(wider.source, y)
    bought = np.zeros(50, dtype=int)
    np.add.at(bought, [example for example, _ in wider.cells], 1)
    assert bought.max() <= 6


def test_the_lower_limit_counts():
    X, y = table()
    for of_fit, of_source, least in ((100, 50, 50), (50, 100, 50), (None, 70, 70), (70, None, 70)):
        recorder = Recorder(X, budget=of_source)
        model = regressor(k=2, budget=of_fit).fit(recorder.source, y)
        assert least - 2 < model.attributes_bought_ <= least
        assert model.budget_spent_
        assert learned(model) == learned(regressor(k=2, budget=least).fit(X, y))


def test_what_is_spent_stays_spent():
    X, y = table()
    recorder = Recorder(X, budget=60)
    regressor(k=2).fit(recorder.source, y)
    recorder.source.budget = recorder.source.attributes_bought
    model, cells = regressor(k=2), list(recorder.cells)
    with pytest.raises(scant.BudgetSpent, match="budget of the source is spent"):
        model.fit(recorder.source, y)
    assert recorder.cells == cells and not hasattr(model, "coef_")


def test_money():
    X, y = table(200)
    costs = [0.5, 2, 1, 1, 0.25, 3]
    recorder = Recorder(X, costs=costs, budget_cost=100)
    for number in range(4):
        try:
            model = regressor(k=3, random_state=number).fit(recorder.source, y)
        except scant.BudgetSpent:
            break
        paid = sum(costs[attribute] for _, attribute in recorder.cells)
        assert recorder.source.cost_spent == paid <= 100
        assert number or model.cost_spent_ == paid
    assert recorder.source.cost_spent > 90


def test_groups_and_what_is_free():
    """Blood values come from one sample, and the age is known."""
    asked = []

    def fetch(example, attributes):
        asked.append(attributes)
        return np.ones(len(attributes))

    costs = {"age": 0, "iron": (3, "blood"), "zinc": (2, "blood"), "scan": 10}
    source = scant.MeteredSource(fetch, names=list(costs), costs=costs, k=3, budget=3, budget_cost=20)
    source.buy("Anna", [0, 1])
    assert (source.attributes_bought, source.cost_spent, asked) == (1, 5, [["age", "iron"]])
    source.buy("Anna", [2, 3, 0])
    # The group is bought anew: what was fetched before is not remembered here.
    assert (source.attributes_bought, source.cost_spent) == (3, 20)
    with pytest.raises(scant.BudgetSpent, match="Anna"):
        source.buy("Anna", [3])
    with pytest.raises(scant.BudgetSpent, match="3 of the budget of 3"):
        source.buy("Berta", [1, 2])
    assert source.buy("Berta", [0]).tolist() == [1]
    source.budget = None
    with pytest.raises(scant.BudgetSpent, match="20.00 of 20.00"):
        source.buy("Berta", [1, 2])
    assert len(asked) == 3
    assert source.purchases.tolist() == [3, 1, 1, 1]


def test_names():
    X, y = table(40, 3)
    asked = set()

    def fetch(example, attributes):
        asked.update(attributes)
        return X[example, ["abc".index(name) for name in attributes]]

    source = scant.MeteredSource(fetch, names="abc", examples=40)
    model = regressor(k=2).fit(source, y)
    assert asked == {"a", "b", "c"}
    assert model.feature_names_in_.tolist() == model.model_.names == ["a", "b", "c"]
    assert bits(model.coef_) == bits(regressor(k=2).fit(X, y).coef_)


def test_examples_by_any_name():
    X, y = table(40)
    keys = [f"patient {i}" for i in range(40)]
    seen = set()

    def fetch(example, attributes):
        seen.add(example)
        return X[int(example.split()[1]), attributes]

    source = scant.MeteredSource(fetch, dimension=6, examples=keys, k=2)
    assert source.shape == (40, 6) and len(source) == 40
    assert learned(regressor(k=2).fit(source, y)) == learned(regressor(k=2).fit(X, y))
    assert seen == set(keys)


@pytest.mark.parametrize("raised", [RuntimeError("the line is dead"), KeyError(7), KeyboardInterrupt(), SystemExit(3)])
def test_what_fetch_raises_comes_out(raised):
    X, y = table()
    recorder = Recorder(X)

    def fetch(example, attributes):
        if len(recorder.cells) > 50:
            raise raised
        return recorder.fetch(example, attributes)

    source = scant.MeteredSource(fetch, dimension=6, examples=120)
    model = regressor(k=2).fit(X, y)
    before, kept = dict(model.__dict__), learned(model)
    with pytest.raises(type(raised)) as caught:
        model.fit(source, y)
    assert caught.value is raised
    assert source.attributes_bought == len(recorder.cells)
    if isinstance(raised, KeyboardInterrupt):  # what was learned until then is kept
        assert 0 < model.n_iter_ < 120
        assert model.attributes_bought_ == source.attributes_bought
    else:
        assert learned(model) == kept and model.__dict__.keys() == before.keys()


@pytest.mark.parametrize("answer", [[], [1.0], np.zeros((1, 2)), 5.0, [1.0] * 7, None, ["a", "b"]])
def test_wrong_answers(answer):
    X, y = table()
    source = scant.MeteredSource(lambda example, attributes: answer, dimension=6, examples=120)
    with pytest.raises((ValueError, TypeError)):
        regressor(k=2).fit(source, y)
    assert source.attributes_bought == 2  # it was fetched, whatever came
    with pytest.raises((ValueError, TypeError)):
        source.buy(0, [1, 2, 3])
    assert source.attributes_bought == 5 == source.purchases.sum()


def test_missing_and_infinite_answers():
    X, y = table()
    X[::3] = np.nan
    gaps = np.where(np.isnan(X), None, X)  # None is no value, as NaN is
    assert learned(regressor(k=2).fit(Recorder(gaps).source, y)) == learned(regressor(k=2).fit(X, y))
    for missing in ("skip-cell", "skip-example"):
        model = regressor(k=2, missing=missing)
        assert learned(model.fit(Recorder(X).source, y)) == learned(regressor(k=2, missing=missing).fit(X, y))
    with pytest.raises(ValueError, match="row|example|element"):
        regressor(k=2, missing="error").fit(Recorder(X).source, y)
    with pytest.raises(ValueError, match="row 3, attribute 0: infinity"):
        regressor(k=2).fit(Recorder(np.full((120, 6), np.inf)).source, y)


def test_with_a_learner():
    X, y = table()
    recorder = Recorder(X, budget=60)
    learner = scant.Learner("auto", dimension=6, k=2)
    with pytest.raises(scant.BudgetSpent):
        for example, target in enumerate(y):
            look = learner.ask()
            learner.tell(look, recorder.source.buy(example, look), target)
    assert len(recorder.cells) in (59, 60)
    assert learner.told == len({example for example, _ in recorder.cells})


@pytest.mark.parametrize("attributes", [[6], [-1], [0, 99], [1.5], ["a"]])
def test_no_such_attribute(attributes):
    recorder = Recorder(table()[0])
    with pytest.raises((ValueError, TypeError)):
        recorder.source.buy(0, attributes)
    assert not recorder.cells and not recorder.source.attributes_bought


def test_made_wrongly():
    with pytest.raises(TypeError, match="function"):
        scant.MeteredSource([1, 2], dimension=3)
    with pytest.raises(TypeError, match="dimension= or names="):
        scant.MeteredSource(len)
    with pytest.raises(ValueError, match="2 names of 3"):
        scant.MeteredSource(len, dimension=3, names=["a", "b"])
    with pytest.raises(ValueError, match="2 entries"):
        scant.MeteredSource(len, dimension=3, costs=[1, 2])
    with pytest.raises(ValueError, match="examples="):
        regressor(k=2).fit(scant.MeteredSource(len, dimension=3), [1, 2])
    with pytest.raises(ValueError, match="inconsistent|rows"):
        regressor(k=2).fit(Recorder(table()[0]).source, [1, 2])


def test_partial_fit_and_predict():
    X, y = table()
    recorder = Recorder(X, budget=500)
    model = regressor(k=2).partial_fit(Recorder(X[:60]).source, y[:60]).partial_fit(recorder.source, y)
    plain = regressor(k=2).partial_fit(X[:60], y[:60]).partial_fit(X, y)
    assert learned(model) == learned(plain)
    whole = Recorder(X)
    assert bits(model.predict(whole.source)) == bits(plain.predict(X))
    with pytest.raises(ValueError, match="features"):
        model.predict(Recorder(X[:, :5]).source)


def test_another_source_pays_for_more():
    """A source that has nothing left ends its batch, and not what comes after it; copies agree."""
    X, y = table()
    model = regressor(k=2).partial_fit(X[:50], y[:50])
    recorder = Recorder(X, budget=20)
    model.partial_fit(recorder.source, y)
    assert len(recorder.cells) in (19, 20) and model.budget_spent_
    so_far, twin = model.n_iter_, copy.deepcopy(model)
    model.partial_fit(X[:10], y[:10])
    assert model.n_iter_ == so_far + 10 and not model.budget_spent_
    assert learned(model) == learned(twin.partial_fit(X[:10], y[:10]))
    # One's own budget is spent for good.
    own = regressor(k=2, budget=101).partial_fit(X, y)
    bought = own.attributes_bought_
    twin = copy.deepcopy(own)
    for _ in range(3):
        own.partial_fit(X, y)
        assert learned(own) == learned(twin.partial_fit(X, y))
        assert bought <= own.attributes_bought_ <= 101 and own.budget_spent_


def test_values_that_do_not_lie_side_by_side():
    X, y = table()
    turned = np.ascontiguousarray(X.T)
    plain = regressor(k=3).fit(X, y)
    for fetch in (lambda e, a: turned[a][:, e], lambda e, a: X[e, a][::-1].copy()[::-1]):
        model = regressor(k=3).fit(scant.MeteredSource(fetch, dimension=6, examples=len(X)), y)
        assert (model.coef_ == plain.coef_).all()


def test_names_in_another_order_are_refused():
    X, y = table()

    def source(names):
        return scant.MeteredSource(
            lambda e, a: X[e, ["abcdef".index(name) for name in a]], names=names, examples=len(X)
        )

    model = regressor(k=3).fit(source("abcdef"), y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(source("fedcba"))
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(source("fedcba"), y)


def test_several_who_buy_at_once_stay_within_the_budget():
    fetched = []

    refused, first = threading.Semaphore(0), threading.Semaphore(1)

    def fetch(example, attributes):
        if first.acquire(blocking=False):  # the others come while this one is fetched
            for _ in range(5):
                refused.acquire()
        fetched.extend(attributes)
        return np.zeros(len(attributes))

    source = scant.MeteredSource(fetch, dimension=6, budget=10)

    def buy(example):
        try:
            source.buy(example, [0, 1, 2])
        except scant.BudgetSpent:
            refused.release()

    threads = [threading.Thread(target=buy, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert source.attributes_bought == len(fetched) == 9


def test_a_stream_outlives_the_budget_of_its_first_source():
    X, y = table()
    first = scant.MeteredSource(lambda e, a: X[e, a], dimension=6, examples=len(X), budget=40)
    model = regressor(k=2).partial_fit(first, y)
    assert model.n_iter_ == 20 and 38 < first.attributes_bought <= 40
    model.partial_fit(X, y)
    assert model.n_iter_ == 20 + len(X)


def test_examples_of_pandas_are_taken_by_place():
    pd = pytest.importorskip("pandas")
    X, y = table()
    order = np.random.default_rng(3).permutation(len(X))
    asked = []

    def fetch(example, attributes):
        asked.append(example)
        return X[example, attributes]

    examples = pd.Series(order, index=np.argsort(order))
    regressor(k=2, shuffle=False).fit(scant.MeteredSource(fetch, dimension=6, examples=examples), y[order])
    assert asked == order.tolist()


def test_money_that_is_left_is_exact():
    X, y = table()
    source = scant.MeteredSource(lambda e, a: X[e, a], dimension=6, examples=len(X), costs=[0.1] * 6, budget_cost=1.0)
    for example in range(4):
        source.buy(example, [0, 1])
    assert source.left() == (None, 0.2)
    assert regressor(k=2).fit(source, y).cost_spent_ == 0.2


def test_examples_that_are_no_keys():
    X, y = table()
    examples = [{"row": i} for i in range(len(X))]
    source = scant.MeteredSource(lambda e, a: X[e["row"], a], dimension=6, examples=examples, k=4)
    assert (regressor(k=2).fit(source, y).coef_ == regressor(k=2).fit(X, y).coef_).all()
    with pytest.raises(TypeError, match="not hashable"):
        source.buy(examples[0], [1])


@pytest.mark.parametrize("wrong", [{"k": -1}, {"budget": -3}, {"budget": "x"}, {"examples": -1}, {"dimension": -1}])
def test_limits_that_are_none(wrong):
    with pytest.raises(ValueError):
        scant.MeteredSource(lambda e, a: a, **{"dimension": 6, **wrong})


def _bad_values(kind, count):
    return {"inf": [np.inf] * count, "words": ["a word"] * count, "too few": [1.0] * (count - 1)}[kind]


@pytest.mark.parametrize("kind", ["inf", "words", "too few", "missing"])
def test_what_came_is_bought_even_if_it_is_refused(kind):
    X, y = table()
    calls = []

    def fetch(example, attributes):
        calls.append((example, tuple(attributes)))
        if example == 7:
            return [np.nan] * len(attributes) if kind == "missing" else _bad_values(kind, len(attributes))
        return X[example, attributes]

    source = scant.MeteredSource(fetch, dimension=6, examples=120)
    made = regressor(k=3, shuffle=False, missing="error" if kind == "missing" else None)
    with pytest.raises((ValueError, scant.ScantError)):
        made.fit(source, y)
    assert source.attributes_bought == sum(len(attributes) for _, attributes in calls) == 3 * 8
    assert source.purchases.sum() == 3 * 8


def test_what_did_not_come_is_not_bought():
    X, y = table()

    def fetch(example, attributes):
        if example == 7:
            raise OSError("the line is dead")
        return X[example, attributes]

    source = scant.MeteredSource(fetch, dimension=6, examples=120)
    with pytest.raises(OSError, match="the line is dead"):
        regressor(k=3, shuffle=False).fit(source, y)
    assert source.attributes_bought == 3 * 7
