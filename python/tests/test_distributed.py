"""Distributed fits: the same bits however the work is spread, and a ledger that charges each block once."""

import gc
import itertools
import json
import pickle
import warnings
import weakref

import numpy as np
import pytest
from blocks import ATTRIBUTES, ROWS, Failing, K, Shuffled, Twice, arrays, same, table

import scant
from scant import _rounds, distributed
from scant._blocks import merge_levels
from scant._distributed_fit import Fit
from scant._distributed_plan import order_of, rounds_of, within
from scant._sums import Elsewhere, Here, Limits, Sums, SumsFit, look_at, merge_replies
from scant._values import are_finite, columns_of, infinite, unmasked
from scant.distributed import InMemory, LocalEngine, fit

ALGORITHMS = ("gaussian", "moments")


def run(data=None, **keywords):
    return fit(data or table(), **{"k": K, "random_state": 3, "engine": LocalEngine(), **keywords})


@pytest.fixture(scope="module")
def references():
    return {algorithm: run(algorithm=algorithm, em="driver") for algorithm in ALGORITHMS}


@pytest.fixture(params=ALGORITHMS)
def reference(references, request):
    return references[request.param]


# Where sums stay with the workers moments goes the same way as gaussian, and asks a hundredth as often.
CASES = [("gaussian", "driver"), ("moments", "driver"), ("moments", "workers")]


# ---- the same bits -------------------------------------------------------------


@pytest.mark.parametrize("em", ["driver", "workers"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_and_where_em_runs(reference, em, threads):
    other = run(algorithm=reference.algorithm, em=em, engine=LocalEngine(threads), threads=threads)
    assert other.em == em
    assert same(other) == same(reference)


@pytest.mark.parametrize(
    ("algorithm", "em", "part_blocks"),
    [(*case, count) for case in CASES for count in (1, 5, 16, 23, 32, 100)] + [("gaussian", "workers", 5)],
)
def test_parts(references, algorithm, em, part_blocks):
    other = run(table(part_blocks=part_blocks), algorithm=algorithm, em=em)
    assert same(other) == same(references[algorithm])


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_order_of_execution(reference, em):
    assert same(run(algorithm=reference.algorithm, em=em, engine=Shuffled())) == same(reference)


@pytest.mark.parametrize(("algorithm", "em"), CASES)
@pytest.mark.parametrize("engine", [Twice, lambda: Failing(3)])
def test_tasks_that_run_again_are_charged_once(references, algorithm, em, engine):
    other = run(algorithm=algorithm, em=em, engine=engine())
    assert other.tasks_retried > 0 and references[algorithm].tasks_retried == 0
    assert same(other) == same(references[algorithm])


def test_another_seed_is_another_fit(reference):
    other = run(algorithm=reference.algorithm, random_state=4)
    assert not np.array_equal(other.coef_, reference.coef_)
    assert not np.array_equal(other.purchases, reference.purchases)


def test_pandas_gives_the_same_bits(reference):
    pandas = pytest.importorskip("pandas")
    X, y = arrays()
    frame = pandas.DataFrame(X, columns=[f"x{i + 1}" for i in range(ATTRIBUTES)])
    other = run(InMemory(frame, pandas.Series(y), block_rows=ROWS), algorithm=reference.algorithm)
    assert same(other) == same(reference)


def test_tasks_go_to_other_processes():
    """A task of arrays takes what it buys with it, and no more."""
    data = table()
    looks = {block: look_at(ATTRIBUTES, K, 3, block) for block in (16, 20)}
    task = data.task(1, looks)
    text = pickle.dumps(task)
    assert len(text) < 2 * 3 * ROWS * (K + 1) * 8
    other = pickle.loads(text)
    for block in other.blocks:
        assert np.array_equal(other.load(block, ()).values, task.load(block, ()).values, equal_nan=True)
    shared = {
        "dimension": ATTRIBUTES,
        "names": data.names,
        "low": np.full(ATTRIBUTES, -9.0),
        "high": np.full(ATTRIBUTES, 9.0),
    }
    assert _rounds.bought(other, (), shared) == _rounds.bought(task, (), shared)


# ---- the tree ------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 8, 11, 16, 21])
def test_every_cut_gives_the_tree_of_the_leaves(count, monkeypatch):
    """With brackets in place of sums: whatever parts the leaves are in, they meet as neighbours do."""
    monkeypatch.setattr(_rounds, "merge_replies", lambda a, b: b"(" + a + b + b")")
    leaves = [b"%c" % (97 + leaf) for leaf in range(count)]
    expected = merge_levels(leaves, lambda a, b: b"(" + a + b + b")")
    cuts = itertools.chain.from_iterable(itertools.combinations(range(1, count), n) for n in range(min(count, 4)))
    for cut in itertools.islice(cuts, 300):
        parts = []
        for begin, end in zip((0, *cut), (*cut, count), strict=True):
            nodes = {}
            for leaf in range(begin, end):
                nodes[0, leaf] = leaves[leaf]
                nodes = _rounds._rise(nodes, count)
            parts.append(_rounds._packed(nodes, count))
        assert _rounds.whole(merge_levels(parts, _rounds.merge)) == expected


def test_merge_levels_passes_nothing_over():
    def join(a, b):
        return a + b

    assert merge_levels([], join) == b""
    assert merge_levels([None, None, None], join) == b""
    assert merge_levels([None, b"a", b"b", None, b"c"], join) == b"abc"


# ---- sums ----------------------------------------------------------------------


def some_sums(blocks, limits=None, data=None):
    data = data or table()
    sums = Sums(ATTRIBUTES)
    for block in blocks:
        look = look_at(ATTRIBUTES, K, 3, block)
        loaded = data.load(block, look)
        sums.add(block, look, loaded.values, loaded.y, limits)
    return sums


WIDE = Limits(np.full(ATTRIBUTES, -6.0), np.full(ATTRIBUTES, 6.0))


def test_sums_merge_in_any_order_and_come_back_from_bytes():
    whole = some_sums(range(10), WIDE)
    one, other = some_sums((9, 1, 4, 0), WIDE), some_sums((4, 2, 3, 5, 8, 7, 6), WIDE)
    other.merge(Sums.from_bytes(one.to_bytes()))
    assert other.to_bytes() == whole.to_bytes()
    facts = whole.facts()
    assert (facts.blocks, facts.examples, facts.cells) == (10, 10 * ROWS, 10 * ROWS * K)
    assert facts.limited and facts.dimension == ATTRIBUTES and facts.missing > 0
    purchases = np.zeros(ATTRIBUTES)
    for block in range(10):
        purchases[look_at(ATTRIBUTES, K, 3, block)] += ROWS
    assert np.array_equal(whole.purchases(), purchases)


def test_sums_refuse():
    sums = some_sums(range(3), WIDE)
    with pytest.raises(scant.DataError):
        sums.add(1, [0, 1], np.zeros((2, 1)), [0.0], WIDE)
    with pytest.raises(scant.UsageError, match="shape"):
        sums.add(9, [0, 1], np.zeros((3, 1)), [0.0], WIDE)
    with pytest.raises(scant.DataError):
        sums.limits(3.0)  # they have limits
    held = bytearray(sums.to_bytes())
    held[len(held) // 2] ^= 1
    with pytest.raises(scant.DataError):
        Sums.from_bytes(bytes(held))
    with pytest.raises(scant.DataError):
        Sums.from_bytes(b"")


def test_limits_of_sums():
    """Mean and standard deviation of the values that were bought, by NumPy; see limits.h for what is far out."""
    low, high = some_sums(range(40)).limits(3.0)
    bought = [[] for _ in range(ATTRIBUTES)]
    for block in range(40):
        look = look_at(ATTRIBUTES, K, 3, block)
        for attribute, values in zip(look, table().load(block, look).values, strict=True):
            bought[attribute] += values[~np.isnan(values)].tolist()
    plain = 0
    for attribute, values in enumerate(bought):
        values = np.sort(values)
        core = values[2:-2]
        center, reach = core.mean(), 3 * core.std(ddof=1)
        plain += values[0] >= center - reach and values[-1] <= center + reach
        off = values - center
        for place, inner in ((1, 2), (0, 1), (-2, -3), (-1, -2)):
            counts = max(abs(off[inner]), reach)
            if (
                abs(off[place]) > reach
            ):  # as the next one inwards, if that is two thirds as far; else as three deviations
                counts = counts if abs(off[place]) <= 1.5 * counts else reach
                values[place] = center + np.sign(off[place]) * counts
        assert low[attribute] == pytest.approx(values.mean() - 3 * values.std(), rel=1e-9), attribute
        assert high[attribute] == pytest.approx(values.mean() + 3 * values.std(), rel=1e-9), attribute
    assert 0 < plain < ATTRIBUTES  # of both kinds


def test_what_a_callback_raises_comes_out_as_itself():
    class Odd(BaseException):
        pass

    odd = Odd("something of Python's")

    def ask(request):
        assert isinstance(request, bytes) and request
        raise odd

    settings = scant._options.Settings(algorithm="gaussian", k=K)
    with pytest.raises(Odd) as caught:
        SumsFit(settings, ATTRIBUTES, Elsewhere(ask), True)
    assert caught.value is odd


def test_an_asker_of_python_gives_the_bits_of_the_one_at_hand():
    parts = [some_sums(range(at, at + 16), WIDE) for at in range(0, 80, 16)]
    settings = scant._options.Settings(algorithm="gaussian", k=K)

    def ask(request):
        replies = [distributed_answer(part, request) for part in parts]
        return merge_levels(replies, merge_replies)

    from scant._sums import answer as distributed_answer

    here = SumsFit(settings, ATTRIBUTES, Here(parts, 2), True)
    there = SumsFit(settings, ATTRIBUTES, Elsewhere(ask), True)
    assert np.array_equal(here.weights()[0], there.weights()[0]) and here.weights()[1] == there.weights()[1]
    assert all(np.array_equal(a, b) for a, b in zip(here.law(), there.law(), strict=True))


def test_sums_go_with_their_asker():
    """They may be a gibibyte, of which the garbage collector knows nothing."""
    settings = scant._options.Settings(algorithm="moments", k=K)
    parts = [some_sums(range(16), WIDE)]
    held = weakref.ref(parts[0])
    gc.disable()
    try:
        asker = Here(parts, 1)
        SumsFit(settings, ATTRIBUTES, asker, True)
        del asker, parts
        assert held() is None
    finally:
        gc.enable()


def test_a_reply_that_is_none_is_refused():
    settings = scant._options.Settings(algorithm="gaussian", k=K)
    for reply in (b"", b"nothing of the kind"):
        with pytest.raises(scant.ScantError):
            SumsFit(settings, ATTRIBUTES, Elsewhere(lambda request, reply=reply: reply), True)


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


class Never(LocalEngine):
    """Nothing may be bought."""

    def _each(self, call, items):
        raise AssertionError("it was bought")


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


class Recording(LocalEngine):
    """Remembers the looks of every task."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen
        self.labels = []

    def _note(self, tasks, label):
        self.labels.append(label)
        for task in tasks:
            for block, look in zip(getattr(task, "blocks", ()), getattr(task, "looks", ()), strict=True):
                assert block not in self.seen, "bought twice"
                self.seen[block] = look

    def map(self, function, tasks, shared=None, label=""):
        self._note(tasks, label)
        return super().map(function, tasks, shared, label)

    def keep(self, function, tasks, before=None, shared=None, label=""):
        self._note(tasks, label)
        return super().keep(function, tasks, before, shared, label)

    def reduce(self, function, merge, kept, shared=None, label=""):
        self.labels.append(label)
        return super().reduce(function, merge, kept, shared, label)


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


# ---- what travels ------------------------------------------------------------------


def test_only_leaves_that_move_come_to_the_driver():
    came = []

    class Watched(LocalEngine):
        def map_kept(self, function, kept, shared=None, label=""):
            results = super().map_kept(function, kept, shared, label)
            if function is _rounds.pieces:
                came.append(results)
            return results

    data = table(part_blocks=23)  # leaf 1 is of parts 0 and 1, leaf 2 of 1 and 2
    run(data, engine=Watched(), em="workers", algorithm="moments")
    assert len(came) > 1
    for found in came:
        for part, pieces in enumerate(found):
            for leaf in pieces:
                assert leaf * 16 < data.parts[part].start, "it was where it belongs"
    leaves = {(part, leaf) for found in came for part, pieces in enumerate(found) for leaf in pieces}
    assert leaves == {(1, 1), (2, 2), (3, 4)}


def test_parts_without_blocks_own_nothing(references):
    class Gaps(InMemory):
        def task(self, part, looks):
            assert len(self.parts[part])
            return super().task(part, looks)

    data = Gaps(*arrays(), block_rows=ROWS)
    data.parts = [range(0, 0), range(0, 7), range(7, 7), range(7, 80), range(80, 80)]
    assert same(run(data, em="workers", algorithm="moments")) == same(references["moments"])


def test_nothing_of_the_users_is_held():
    """What was kept at the engine is forgotten, whatever happens."""

    class Counting(LocalEngine):
        held = 0

        def keep(self, *arguments, **keywords):
            self.held += 1
            return super().keep(*arguments, **keywords)

        def forget(self, kept):
            self.held -= 1
            super().forget(kept)

    for em in ("driver", "workers"):
        engine = Counting()
        run(table(part_blocks=5), engine=engine, em=em, algorithm="moments")
        assert engine.held == 0


# ---- how good it is --------------------------------------------------------------


def sparse_problem(seed, blocks=1000, rows=50, d=40):
    """40 correlated attributes of which the target needs four; the noise has variance 1."""
    draw = np.random.default_rng(seed)
    mixing = np.eye(d) + 0.2 * draw.normal(size=(d, d))
    w = np.zeros(d)
    w[draw.choice(d, 4, replace=False)] = [1.0, -1.0, 2.0, 0.5]
    X = draw.normal(size=(blocks * rows, d)) @ mixing
    covariance = mixing.T @ mixing

    def error(coef, intercept):
        """The expected squared error of new examples, exactly."""
        return 1 + (coef - w) @ covariance @ (coef - w) + intercept**2

    return X, X @ w + draw.normal(size=len(X)), np.flatnonzero(w), error


def full_ridge(X, y):
    """What whoever sees everything makes of it: NumPy's own."""
    A = np.c_[X, np.ones(len(X))]
    solved = np.linalg.solve(A.T @ A + np.diag([1.0] * X.shape[1] + [0.0]), A.T @ y)
    return solved[:-1], solved[-1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_near_full_information_and_better_than_even_looks(algorithm, seed, monkeypatch):
    """A fifth of the attributes.  What the pages claim: at most 1.1 times the error of ridge on all of them, and
    the error within two standard errors of the risk.  (Of moments, which knows no more than pairs, only that it
    explains nine tenths of what ridge does, and that it is better than even looks that are drawn apart from each other.)"""
    X, y, needed, error = sparse_problem(seed)
    data = InMemory(X, y, block_rows=50)
    result = fit(data, k=8, random_state=seed, algorithm=algorithm)
    own, full, mean = error(result.coef_, result.intercept_), error(*full_ridge(X, y)), np.var(y)
    assert own <= 1.1 * full if algorithm == "gaussian" else mean - own >= 0.9 * (mean - full)
    assert abs(result.risk - own) <= 2 * result.risk_error
    rest = np.setdiff1d(np.arange(40), needed)
    assert result.purchases[needed].min() > result.purchases[rest].mean()  # it looks more often at what matters
    apart = (np.ones(40), np.ones(40))
    law = None if algorithm == "gaussian" else apart  # None: even looks that go round
    monkeypatch.setattr(Fit, "next_law", lambda self: self.state.laws.append(law))
    even = fit(data, k=8, random_state=seed, algorithm=algorithm)
    assert error(even.coef_, even.intercept_) > own


# ---- bad input -------------------------------------------------------------------


def test_k_above_d():
    with pytest.raises(scant.UsageError, match="k=13 is more than the 12 attributes"):
        run(k=13)
    with pytest.raises(scant.UsageError, match="k=1 "):
        run(k=1)


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_targets_that_are_none(em):
    X, y = arrays()
    y[3 * ROWS + 4] = np.nan
    with pytest.raises(scant.DataError, match=r"^row 65 of y: the target is missing \(1 of the 20"):
        run(InMemory(X, y, block_rows=ROWS), em=em)
    y[3 * ROWS : 4 * ROWS] = np.nan
    with pytest.raises(scant.DataError, match=r"^row 61 of y: .* \(20 of the 20"):
        run(InMemory(X, y, block_rows=ROWS), em=em)
    y[3 * ROWS : 4 * ROWS] = np.inf
    with pytest.raises(scant.DataError, match="infinite"):
        run(InMemory(X, y, block_rows=ROWS), em=em, engine=LocalEngine(4))


def test_infinite_values_say_where():
    X, y = arrays()
    X[:, 5] = np.where(np.arange(len(X)) == 107, np.inf, X[:, 5])
    with pytest.raises(scant.DataError, match="^row 108 of X: 'x6' is infinite$"):
        run(InMemory(X, y, block_rows=ROWS), k=ATTRIBUTES)
    sent = pickle.dumps(InMemory(X, y, block_rows=ROWS).task(0, {5: np.arange(4, 7, dtype=np.uint32)}))
    with pytest.raises(scant.DataError, match="^row 108 of X: 'x6' is infinite$"):  # on the worker, not before
        pickle.loads(sent).load(5, ())


def test_tables_say_what_they_are():
    X, y = arrays()
    rows, blocks = len(X), len(X) // ROWS
    assert repr(InMemory(X, y, block_rows=ROWS)) == (
        f"<InMemory of {rows} rows of {ATTRIBUTES} attributes in {blocks} blocks, target 'y'>"
    )
    one = InMemory(X[:1, :1], y[:1], target="z")
    assert repr(one) == "<InMemory of 1 row of 1 attribute in 1 block, target 'z'>"


def test_columns_without_values():
    X, y = arrays()
    X[:, 2] = np.nan
    X[:, 4] = 7.0
    for algorithm in ALGORITHMS:
        result = run(InMemory(X, y, block_rows=ROWS), algorithm=algorithm)
        assert np.all(np.isfinite(result.coef_)) and result.coef_[2] == 0 and result.coef_[4] == 0


class WithEmpty:
    """A table of which every third block is empty, and a whole part."""

    def __init__(self, inner):
        self.inner, self.names, self.target = inner, inner.names, inner.target
        self.rows, self.places = [], {}
        for block, rows in enumerate(inner.rows):
            if block % 2 == 0:
                self.rows.append(0)
            self.places[len(self.rows)] = block
            self.rows.append(rows)
        self.rows += [0] * 8
        self.parts = [range(at, min(at + 8, len(self.rows))) for at in range(0, len(self.rows), 8)]

    def task(self, part, looks):
        assert all(self.rows[block] for block in looks)
        task = self.inner.task(0, {self.places[block]: look for block, look in looks.items()})
        return Renumbered(task, sorted(looks), self.places)


class Renumbered:
    inputs = ()

    def __init__(self, inner, blocks, places):
        self.inner, self.blocks, self.looks, self.places = inner, blocks, inner.looks, places

    def load(self, block, inputs):
        return self.inner.load(self.places[block], inputs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_empty_blocks_and_parts(algorithm):
    result = run(WithEmpty(table()), em="driver", algorithm=algorithm)
    assert result.blocks == 80 and result.examples == 80 * ROWS
    if algorithm == "moments":
        assert same(result) == same(run(WithEmpty(table()), em="workers", algorithm=algorithm))


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_blocks_with_other_rows_than_the_table_says(em):
    """The budget and the order stand on the table's rows."""

    class Shrinks(InMemory):
        def load(self, block, look):
            loaded = super().load(block, look)
            return loaded._replace(values=loaded.values[:, 1:], y=loaded.y[1:]) if block == 7 else loaded

    with pytest.raises(scant.DataError, match="block 7 of the table has 20 rows, and 19 came"):
        run(Shrinks(*arrays(), block_rows=ROWS), em=em, algorithm="moments")


def test_one_block_is_too_few():
    X, y = arrays(1)
    with pytest.raises(scant.DataError, match="block"):
        run(InMemory(X, y, block_rows=ROWS))


def test_few_blocks_are_noted():
    X, y = arrays(8)
    with pytest.warns(scant.ScantWarning, match="8 blocks have few different looks: 12 attributes at K = 4 want 9"):
        result = run(InMemory(X, y, block_rows=ROWS))
    assert result.notes and result.rounds == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", scant.ScantWarning)
        assert run().notes == []


def test_attributes_that_were_never_bought_are_named():
    rng = np.random.default_rng(1)
    data = InMemory(rng.normal(size=(30, 40)), rng.normal(size=30), block_rows=5)
    with pytest.warns(scant.ScantWarning, match="few different looks"):
        result = fit(data, k=5, random_state=1)
    unseen = [f"'x{i + 1}'" for i in np.flatnonzero(result.purchases == 0)]
    assert len(unseen) == 10
    assert f"nothing was bought of {', '.join(unseen[:3])} and 7 more: there is no weight" in result.notes[1]


def test_what_is_beyond_the_memory_is_refused_before_anything_is_bought():
    class Wide:
        names = [f"x{i}" for i in range(200_000)]
        target = "y"
        rows = [10] * 100
        parts = [range(100)]

        def task(self, part, looks):
            raise AssertionError("it was bought")

    with pytest.raises(scant.ScantError, match="memory"):
        run(Wide())


def test_a_budget_that_pays_for_nothing():
    with pytest.raises(scant.DataError, match="does not pay for the first block"):
        run(budget=3)


def test_wrong_words():
    with pytest.raises(scant.UsageError, match="aerr does not learn from sums"):
        run(algorithm="aerr")
    with pytest.raises(scant.UsageError, match="em='both'"):
        run(em="both")
    with pytest.raises(TypeError, match="'passes'"):
        run(passes=3)
    with pytest.raises(scant.UsageError, match="penalty is no option of gaussian"):
        run(penalty=0.1)
    with pytest.raises(scant.UsageError, match="random_state"):
        run(random_state=-1)
    with pytest.raises(scant.UsageError, match="random_state"):
        run(random_state="seven")
    with pytest.raises(scant.UsageError, match="budget"):
        run(budget=2.5)
    with pytest.raises(scant.UsageError, match="engine"):
        run(engine="dask")
    with pytest.raises(scant.UsageError, match="no table of blocks"):
        run(arrays())
    with pytest.raises(scant.UsageError, match="threads=0"):
        LocalEngine(0)
    with pytest.raises(scant.UsageError):
        run(clip=-1)


def test_tables_that_are_none():
    X, y = arrays()
    for wrong, words in (
        (lambda: InMemory(X[:, 0], y), "dimensions"),
        (lambda: InMemory(X, y[:-1]), "rows"),
        (lambda: InMemory(X.astype(str), y), "numbers"),
        (lambda: InMemory(X, y.astype(str)), "numbers"),
        (lambda: InMemory(X[:0], y[:0]), "no rows"),
        (lambda: InMemory(X, y, names=["a"]), "names"),
        (lambda: InMemory(X, y, block_rows=0), "block_rows"),
        (lambda: InMemory(X, y, part_blocks=1.5), "part_blocks"),
    ):
        with pytest.raises(scant.ScantError, match=words):
            wrong()
    with pytest.raises(scant.DataError, match="2 or more"):
        run(InMemory(X[:, :1], y))
    with pytest.raises(scant.DataError, match="two attributes of the table are called 'a'"):
        run(InMemory(X, y, names=["a", "b"] * 6))
    with pytest.raises(scant.DataError, match="name of a column is a text, and 0 is none"):
        run(InMemory(X, y, names=range(12)))
    with pytest.raises(scant.DataError, match="null character"):
        run(InMemory(X, y, target="a\0b"))


def test_parts_that_leave_blocks_out():
    for parts, words in (
        ([range(0, 16), range(17, 80)], "begins at block 17, not at 16"),
        ([range(0, 70)], "have 70 blocks, and there are 80"),
        ([range(0, 80, 2)], "not consecutive"),
    ):
        data = table()
        data.parts = parts
        with pytest.raises(scant.DataError, match=words):
            run(data)


def test_frames_name_the_column_that_has_no_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(scant.DataError, match="'b'"):
        InMemory(frame, [1, 2])
    nullable = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [True, False]})
    loaded = InMemory(nullable, [1, 2], block_rows=2).load(0, np.array([0, 1], dtype=np.uint32))
    assert np.array_equal(loaded.values, [[1, np.nan], [1, 0]], equal_nan=True)


def test_the_module_says_what_it_has():
    assert set(distributed.__all__) <= set(dir(distributed))
    for name in distributed.__all__:
        assert getattr(distributed, name).__doc__


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_values_in_tiles_are_those_of_one_piece(dtype):
    rows = (np.random.default_rng(1).normal(size=(2500, 7)) * 3).astype(dtype)
    look = np.array([1, 4, 5], dtype=np.uint32)
    assert np.array_equal(columns_of(rows, look), rows[:, look].T.astype(float))


def test_what_is_infinite_is_found():
    values = np.full((2, 3), 1e308)  # the sum overflows, and nothing is infinite
    assert not are_finite(values) and infinite(values) is None
    values[1, 2] = np.nan
    assert infinite(values) is None
    values[1, 1] = -np.inf
    assert infinite(values) == (1, 1)


def test_what_is_masked_is_missing():
    """As in any other fit; the numbers under a mask are not looked at."""
    X, y = arrays()
    holes = np.random.default_rng(2).random(X.shape) < 0.2
    hidden = np.ma.masked_array(np.where(holes, 1e6, X), holes)
    one, other = (run(InMemory(values, y, block_rows=ROWS)) for values in (hidden, np.where(holes, np.nan, X)))
    assert same(one) == same(other)
    with pytest.raises(scant.DataError, match="^row 8 of y: the target is missing"):
        run(InMemory(X, np.ma.masked_array(y, np.arange(len(y)) == 7), block_rows=ROWS))
    whole = np.ma.masked_array([1, 2, 3], [False, True, False])
    assert np.array_equal(unmasked(whole), [1, np.nan, 3], equal_nan=True)
    assert unmasked(np.ma.masked_array(["a", "b"], [True, False])).tolist() == [None, "b"]
    assert unmasked(np.ma.masked_array([1, 2])).dtype.kind == "i"
