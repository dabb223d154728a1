"""The rounds of a distributed fit: what is bought when, a ledger that charges each block once, and what comes out."""

import json
import warnings

import numpy as np
import pytest
from blocks import ATTRIBUTES, CASES, ROWS, K, Never, Recording, Twice, arrays, run, same, table

import scant
from scant import distributed
from scant.distributed import InMemory, _rounds, fit
from scant.distributed._plan import order_of, rounds_of, within

# ---- rounds --------------------------------------------------------------------


def test_rounds():
    order = list(range(1000))
    sizes = [len(blocks) for blocks in rounds_of(order, 500, 50)]
    assert sizes == [30, 30, 60, 120, 240, 520]
    assert sum(rounds_of(order, 500, 50), []) == order
    assert [len(blocks) for blocks in rounds_of(order, 50, 50)] == [20, 980]  # limits, then everything
    assert [len(blocks) for blocks in rounds_of(order[:20], 500, 50)] == [20]
    assert [len(blocks) for blocks in rounds_of(order[:31], 500, 50)] == [30, 1]


def test_order_is_of_the_seed_and_leaves_out_what_is_empty():
    rows = [5, 0, 5, 5, 0, 5, 5, 5]
    assert sorted(order_of(rows, 1)) == [0, 2, 3, 5, 6, 7]
    assert order_of(rows, 1) == order_of(rows, 1) and order_of([5] * 99, 1) != order_of([5] * 99, 2)
    assert order_of(rows, 2**64 - 1)
    # Every block is as likely to be first as any other: 5 sigma.
    firsts = np.bincount([order_of([1] * 10, seed)[0] for seed in range(2000)], minlength=10)
    assert np.all(np.abs(firsts - 200) < 5 * np.sqrt(2000 * 0.1 * 0.9))


def test_budget_cuts_the_order():
    assert within([3, 1, 2], [9, 10, 1, 20], 2, 40) == [3]
    assert within([3, 1, 2], [9, 10, 1, 20], 2, 60) == [3, 1]
    assert within([3, 1, 2], [9, 10, 1, 20], 2, 61) == [3, 1]
    result = run(budget=30 * ROWS * K + 1)
    assert result.attributes_bought == 30 * ROWS * K and result.blocks == 30
    assert result.purchases.sum() == result.attributes_bought


PRICES = [0.25 * (i + 1) for i in range(ATTRIBUTES)]


@pytest.mark.parametrize(("algorithm", "em"), CASES)
@pytest.mark.parametrize("budget_cost", [1500, 4321.09, 9000])
def test_money_cuts_the_order(algorithm, em, budget_cost):
    """Everything that is paid for is bought, up to the first block that is not."""
    seen = {}
    data = table(part_blocks=5)
    result = run(data, algorithm=algorithm, em=em, engine=Recording(seen), costs=PRICES, budget_cost=budget_cost)
    spent = sum(ROWS * PRICES[i] for look in seen.values() for i in look)
    assert result.money_spent == spent == result.purchases @ np.array(PRICES) <= budget_cost
    order = order_of(data.rows, 3)
    assert set(seen) == set(order[: len(seen)]) and 8 <= len(seen) < 80
    # The next block's look has K attributes, of which the dearest are known.
    assert spent + ROWS * sum(PRICES[-K:]) > budget_cost
    assert same(run(algorithm=algorithm, costs=PRICES, budget_cost=budget_cost)) == same(result)


def test_money_that_is_enough_changes_nothing():
    whole = run(algorithm="moments", costs=PRICES)
    assert same(run(algorithm="moments", costs=PRICES, budget_cost=whole.money_spent)) == same(whole)
    less = run(algorithm="moments", costs=PRICES, budget_cost=whole.money_spent - 0.01)
    assert less.blocks == whole.blocks - 1
    both = run(algorithm="moments", costs=PRICES, budget_cost=whole.money_spent, budget=30 * ROWS * K)
    assert both.blocks == 30


def test_money_that_is_none():
    for words, keywords in (
        ("does not pay for two blocks of 4", {"budget_cost": 3}),
        ("does not pay for two blocks of 4", {"budget_cost": 0}),
        ("budget_cost=1.234 is not a whole number of hundredths", {"budget_cost": 1.234}),
        ("budget_cost=-1 is not", {"budget_cost": -1}),
        ("budget_cost='much' is not an amount", {"budget_cost": "much"}),
        ("budget_cost=5 needs costs=", {"budget_cost": 5, "costs": None}),
    ):
        with pytest.raises(scant.ScantError, match=words):
            run(**{"costs": PRICES, "engine": Never(), **keywords})


def test_looks_follow_from_seed_number_and_law_alone():
    """What a round buys is what its law says, whatever was bought before."""
    seen = {}
    result = run(engine=Recording(seen))
    for block, look in seen.items():
        assert len(look) == K and np.all(np.diff(look.astype(int)) > 0), block
    assert len(seen) == result.blocks == 80
    purchases = np.zeros(ATTRIBUTES, dtype=np.uint64)
    for look in seen.values():
        purchases[look] += np.uint64(ROWS)
    assert np.array_equal(purchases, result.purchases)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_round_goes_round(seed):
    """Every attribute has its turn before any has its next."""
    rng = np.random.default_rng(seed)
    X, y, seen = rng.normal(size=(300, 31)), rng.normal(size=300), {}
    fit(InMemory(X, y, block_rows=5), k=4, random_state=seed, algorithm="moments", engine=Recording(seen))
    (first, *later) = rounds_of(order_of([5] * 60, seed), 31, 4)
    turns = np.zeros(31, dtype=int)
    for block in first:
        turns[seen[block]] += 1
        assert turns.max() - turns.min() <= 1
    assert later and turns.min() >= 3


def test_labels_say_round_and_phase():
    engine = Recording({})
    result = run(engine=engine, em="workers", algorithm="moments")
    assert result.rounds == 3
    assert engine.labels[0] == "scant: round 1 of 3, buy"
    assert "scant: round 2 of 3, buy" in engine.labels and engine.labels[-1] == "scant: round 3 of 3, expect"


def test_every_attribute_of_every_block():
    """K = d: the limits from the first blocks, then everything; no law."""
    result = run(k=ATTRIBUTES)
    X, y = arrays()
    assert result.rounds == 2 and result.attributes_bought == X.size
    assert np.all(result.purchases == len(X))
    truth = np.zeros(ATTRIBUTES)
    truth[[0, 3, 7]] = [1.0, -2.0, 0.5]
    filled = np.c_[np.where(np.isnan(X), np.nanmean(X, axis=0), X), np.ones(len(X))]
    error = np.sqrt(np.diag(np.linalg.inv(filled.T @ filled)))  # of least squares; the noise has variance 1
    assert np.all(np.abs(result.coef_ - truth) < 5 * error[:-1]) and abs(result.intercept_) < 5 * error[-1]


# ---- results -------------------------------------------------------------------


def test_costs():
    costs = {f"x{i + 1}": 0.25 * i for i in range(ATTRIBUTES)}
    result = run(costs=costs)
    money = sum(int(result.purchases[i]) * 0.25 * i for i in range(ATTRIBUTES))
    assert result.money_spent == money
    assert result.attributes_bought == result.purchases.sum()  # what costs nothing is bought, too
    assert result.model.ledger["money_spent"] == money
    with pytest.raises(scant.UsageError, match="groups"):
        run(costs=[(1, "a")] * ATTRIBUTES)
    with pytest.raises(scant.DataError, match="entries"):
        run(costs=[1, 2])


def test_costs_of_a_file(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("attribute,cost\n" + "".join(f"x{i + 1},{price}\n" for i, price in enumerate(PRICES)))
    keywords = {"algorithm": "moments", "budget_cost": 3000}
    assert same(run(costs=path, **keywords)) == same(run(costs=PRICES, **keywords))
    path.write_text("attribute,cost\nx1,3\n")
    with pytest.raises(scant.DataError, match="costs.csv"):
        run(costs=path, **keywords)


def test_the_model_is_as_any_other(reference, tmp_path, command):
    path = tmp_path / "model.json"
    reference.model.save(path)
    again = scant.Model.load(path)
    X, _ = arrays()
    assert np.array_equal(again.predict(X[:50]), reference.model.predict(X[:50]))
    assert again.names == [f"x{i + 1}" for i in range(ATTRIBUTES)]
    assert again.ledger["attributes_bought"] == reference.attributes_bought
    assert again.ledger["examples"] == reference.examples
    assert again.settings["k"] == K and again.settings["algorithm"] == reference.algorithm
    assert np.array_equal(again.coef, reference.coef_) and again.intercept == reference.intercept_
    assert str(reference.attributes_bought) in command("show", path).replace(",", "")


def test_progress(capsys):
    steps = []
    result = run(progress=steps.append)
    assert [(step.phase, step.round) for step in steps if not step.done] == [
        ("buy", 1),
        ("learn", 1),
        ("buy", 2),
        ("learn", 2),
        ("buy", 3),
        ("learn", 3),
    ]
    last = steps[-1]
    assert last.done and last.attributes_bought == result.attributes_bought and last.bytes_read == result.bytes_read
    assert last.blocks == last.blocks_total == 80
    run(progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 7 and lines[0].startswith("[scant] round 1 of 3, buying: 0 of 80 blocks")
    with pytest.raises(scant.UsageError, match="progress"):
        run(progress=3)


def test_seconds_and_text():
    result = run(costs=PRICES, engine=Twice())
    assert set(result.seconds) == {"buy", "learn", "checkpoint", "all"}
    assert result.seconds["all"] >= result.seconds["buy"] + result.seconds["learn"]
    bought = 80 * ROWS * K
    assert repr(result) == (
        f"<Result of gaussian on local: {bought} attributes of 1600 examples bought, risk {result.risk:.4g}>"
    )
    text = str(result)
    assert "array(" not in text and all(len(line) < 100 for line in text.splitlines())
    for words in (
        "'y' from 12 attributes by gaussian, engine local, seed 3",
        f"1600 examples in 80 blocks, 3 rounds, {result.tasks_retried} tasks retried",
        f"{bought} attributes, 33.3% of the table, {result.money_spent:.2f} spent",
        "62.5 KiB",  # 80 x 20 x 5 x 8
        f"{result.risk:.4g} +- {result.risk_error:.2g}",
    ):
        assert words in text, text


def test_text_of_a_risk_that_nobody_knows():
    """Two blocks in one half: nothing judges the other."""
    X, y = arrays(40)
    data = InMemory(X, y, block_rows=ROWS)
    data.rows = [ROWS if block % 2 == 0 else 0 for block in range(40)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.ScantWarning)
        result = run(data)
    assert np.isnan(result.risk) and "unknown" in str(result) and "nan" in repr(result)


def test_the_module_says_what_it_has():
    assert set(distributed.__all__) <= set(dir(distributed))
    for name in distributed.__all__:
        assert getattr(distributed, name).__doc__


# ---- targets of two values -------------------------------------------------------


def values_of(result, folder):
    result.model.save(folder / "model.json")
    return json.loads((folder / "model.json").read_text())["gaussian"].get("target_values")


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_two_values_of_the_target_are_known(em, tmp_path):
    """As a fit of one process does: so queries of a model know of classes."""
    X, y = arrays()
    sign = np.where(y > 0, 1.0, -3.0)
    keywords = {"em": em, "algorithm": "gaussian", "budget": 25 * ROWS * K}
    result = run(InMemory(X, sign, block_rows=ROWS), **keywords)
    assert values_of(result, tmp_path) == [-3.0, 1.0]
    inside = fitted_alone(X, sign, tmp_path)
    assert inside == [-3.0, 1.0]
    # One other value is enough, and so is a value that is too rare.
    other = np.where(np.arange(len(y)) % ROWS == 7, 2.0, sign)
    assert values_of(run(InMemory(X, other, block_rows=ROWS), **keywords), tmp_path) is None
    order = order_of([ROWS] * 80, 3)
    for count, expected in ((4, None), (5, [0.0, 1.0])):
        rare = np.zeros(len(y))
        rare[order[0] * ROWS : order[0] * ROWS + count] = 1
        assert values_of(run(InMemory(X, rare, block_rows=ROWS), **keywords), tmp_path) == expected


def fitted_alone(X, y, folder):
    learner = scant.LimitedRegressor(k=K, algorithm="gaussian", random_state=3).fit(X, y)
    learner.model_.save(folder / "alone.json")
    return json.loads((folder / "alone.json").read_text())["gaussian"].get("target_values")


def test_tally():
    assert _rounds.tally(np.array([])) == []
    assert _rounds.tally(np.array([2.0, 2.0])) == [[2.0, 2]]
    assert _rounds.tally(np.array([2.0, 1.0, 2.0])) == [[2.0, 2], [1.0, 1]]
    assert _rounds.tally(np.array([2.0, 1.0, 2.0, 3.0])) is None
