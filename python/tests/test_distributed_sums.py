"""Sums of blocks in Python, and values on their way to them."""

import _thread
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest
from blocks import ATTRIBUTES, ROWS, K, arrays, run, same, table

import scant
from scant._tables import unmasked
from scant.distributed import InMemory, _rounds
from scant.distributed._blocks import Room, are_finite, columns_of, infinite, merge_levels
from scant.distributed._sums import Elsewhere, Here, Limits, Sums, SumsFit, look_at, merge_replies


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
    """Mean and standard deviation of the values that were bought, by NumPy; see scant_engine.h for what is far out."""
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


def test_a_ctrl_c_comes_out_as_itself_whenever_it_comes():
    """Also one that is pending when the library calls Python: it is raised before the first line there."""
    parts = [some_sums(range(at, at + 16), WIDE) for at in range(0, 80, 16)]
    settings, hook = scant._options.Settings(algorithm="gaussian", k=K), sys.unraisablehook
    for turn in range(40):
        timer = threading.Timer(0.001 + 0.0007 * turn, _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            while True:
                SumsFit(settings, ATTRIBUTES, Here(parts, 1), True)
        timer.join()
    assert sys.unraisablehook is hook


def test_an_asker_of_python_gives_the_bits_of_the_one_at_hand():
    parts = [some_sums(range(at, at + 16), WIDE) for at in range(0, 80, 16)]
    settings = scant._options.Settings(algorithm="gaussian", k=K)

    def ask(request):
        replies = [distributed_answer(part, request) for part in parts]
        return merge_levels(replies, merge_replies)

    from scant.distributed._sums import answer as distributed_answer

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


def test_kept_sums_are_made_of_bytes_once(monkeypatch):
    """Per round, not per request.  What travels is bytes alone, and gives the same answers."""
    made, requests = [], []
    from_bytes, answer = Sums.from_bytes, _rounds.answer

    def answering(held, shared):
        requests.append((held, shared))
        return answer(held, shared)

    monkeypatch.setattr(Sums, "from_bytes", lambda held: made.append(len(held)) or from_bytes(held))
    monkeypatch.setattr(_rounds, "answer", answering)
    result = run(em="workers")
    assert result.rounds == 3 and len(made) < 50 < len(requests) / 5
    for held, shared in requests[:: len(requests) // 7]:
        moved, plain = pickle.loads(pickle.dumps(held)), bytes(held)
        assert moved == held and moved.leaves is None and held.leaves
        made.clear()
        assert answer(moved, shared) == answer(moved, shared) == answer(plain, shared) == answer(held, shared)
        assert len(made) == 2 * len(held.leaves)  # `plain` has no room for them


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_values_in_tiles_are_those_of_one_piece(dtype):
    rows = (np.random.default_rng(1).normal(size=(25000, 7)) * 3).astype(dtype)
    look = np.array([1, 4, 5], dtype=np.uint32)
    assert np.array_equal(columns_of(rows, look), rows[:, look].T.astype(float))


def test_one_block_after_another_in_the_same_memory():
    rows, room = np.random.default_rng(1).normal(size=(900, 7)), Room()
    first = columns_of(rows, np.array([0, 1, 2]), room)
    for count, look in ((900, [6, 3]), (0, [1]), (300, [5, 0, 2]), (900, [2, 3, 4]), (10, [])):
        found = columns_of(rows[:count], np.array(look, dtype=np.uint32), room)
        assert found.flags.c_contiguous and np.array_equal(found, rows[:count][:, np.array(look, dtype=int)].T)
        assert not found.size or np.shares_memory(found, first)
    larger = columns_of(rows, np.arange(7), room)
    assert np.array_equal(larger, rows.T) and not np.shares_memory(larger, first)
    assert pickle.loads(pickle.dumps(room))._held.size == 0  # it does not travel


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
