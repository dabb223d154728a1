"""Fits that are watched and stopped: Ctrl-C, callbacks, verbose, and the GIL."""

import os
import pickle
import signal
import sys
import threading
import warnings
from ctypes import byref, c_int

import numpy as np
import pandas
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import bits, learned, regressor, table

import scant

ROWS_OF_LONG = 3_000_000  # a minute or more, if nobody stops it


def endless(rows):
    """Many rows that are all the same few bytes."""
    row = np.linspace(-1, 1, 400)
    X = np.lib.stride_tricks.as_strided(row, shape=(rows, 400), strides=(0, 8), writeable=False)
    return X, np.lib.stride_tricks.as_strided(row[3:4], shape=(rows,), strides=(0,), writeable=False)


class Endless:
    """The same as a function that is asked: its rows take no memory, nor do its targets."""

    def __init__(self):
        self.calls = 0

    def __call__(self, example, attributes):
        self.calls += 1
        return np.linspace(-1, 1, 50)[attributes]


@pytest.fixture
def ctrl_c():
    """SIGINT does what it does at a prompt, whatever runs the tests."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread alone, and this is another one")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupts:
    """Sends SIGINT to this process as soon as ``ready`` says so; gives up after a minute."""

    def __init__(self, ready):
        self.ready, self.over = ready, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        for _ in range(6000):
            if self.over.wait(0.01):
                return
            if self.ready():
                os.kill(os.getpid(), signal.SIGINT)
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


class Watchdog:
    """A callback that ends a fit that nobody else ended."""

    def __init__(self, most=100):
        self.seen, self.most = [], most

    def __call__(self, progress):
        self.seen.append(progress)
        return len(self.seen) >= self.most


def long_fit(**keywords):
    return regressor(k=200, shuffle=False, **keywords)


@pytest.fixture(scope="module")
def long_data():
    return endless(ROWS_OF_LONG)


def test_ctrl_c(ctrl_c, long_data):
    X, y = long_data
    watchdog = Watchdog()
    model = long_fit(callback=watchdog)
    with Interrupts(lambda: len(watchdog.seen) >= 2), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert 0 < model.n_iter_ < ROWS_OF_LONG // 2
    assert model.ledger_["examples"] == model.n_iter_
    assert np.isfinite(model.predict(X[:5])).all()
    # What it holds is what a fit of so many examples comes to.
    done = model.n_iter_
    shorter = long_fit(examples=done).fit(X, y)
    assert shorter.n_iter_ == done and bits(shorter.coef_) == bits(model.coef_)
    small, targets = table(300, 400)
    again = model.set_params(callback=None).fit(small, targets)
    assert learned(again) == learned(long_fit().fit(small, targets))


def test_ctrl_c_before_anything_was_learned(monkeypatch):
    X, y = table()
    model = regressor(k=2).fit(X, y)
    before, kept = dict(vars(model)), learned(model)
    from scant.estimators import _limited

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_limited.Fit, "new", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :4], y)
    assert vars(model) == before and learned(model) == kept
    assert len(model.predict(X)) == len(X)


def test_ctrl_c_in_partial_fit(ctrl_c, long_data):
    X, y = long_data
    watchdog = Watchdog()
    model = long_fit().partial_fit(X[:1000], y[:1000]).set_params(callback=watchdog)
    with Interrupts(lambda: len(watchdog.seen) >= 2), pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert 1000 < model.n_iter_ < ROWS_OF_LONG // 2
    stopped = model.n_iter_
    model.set_params(callback=None).partial_fit(X[:10], y[:10])
    assert model.n_iter_ == stopped + 10
    # It is as if the batch had ended there.
    plain = long_fit().partial_fit(X[:1000], y[:1000]).partial_fit(X[: stopped - 1000], y[: stopped - 1000])
    assert bits(plain.partial_fit(X[:10], y[:10]).coef_) == bits(model.coef_)


def test_ctrl_c_while_fetching(ctrl_c):
    fetch = Endless()
    rows = 300_000
    source = scant.MeteredSource(fetch, dimension=50, examples=rows)
    model = regressor(k=10, shuffle=False)
    with Interrupts(lambda: fetch.calls > 100), pytest.raises(KeyboardInterrupt):
        model.fit(source, np.zeros(rows))
    assert fetch.calls < rows // 2
    assert 0 < model.n_iter_ <= fetch.calls
    assert model.attributes_bought_ == source.attributes_bought


def test_ctrl_c_at_any_line(ctrl_c):
    """Wherever a Ctrl-C comes in what runs between the library and the user's function, it comes out."""
    X, y = table(30)
    places = set()

    def interrupted(line):
        """Sends SIGINT at so many lines of what runs there; how many of them there were."""
        calls, passed = [], [0]

        def trace(frame, event, argument):
            there = "_metered.py" in frame.f_code.co_filename or frame.f_code.co_name == "fetch"
            if there and event in ("call", "line"):
                passed[0] += 1
                if passed[0] == line:
                    places.add((frame.f_code.co_name, frame.f_lineno))
                    os.kill(os.getpid(), signal.SIGINT)
            return trace

        def fetch(example, attributes):
            calls.append(example)
            return X[example, attributes]

        source = scant.MeteredSource(fetch, dimension=6, examples=30)
        model, came = regressor(k=2), False
        try:
            sys.settrace(trace)
            model.fit(source, y)
        except KeyboardInterrupt:
            came = True
        finally:
            sys.settrace(None)
        assert came == (0 < line <= passed[0]), "a Ctrl-C was lost"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if hasattr(model, "coef_"):
            assert model.attributes_bought_ == source.attributes_bought
            assert model.n_iter_ in (len(calls), len(calls) - 1)
        return passed[0]

    lines = interrupted(0)
    assert lines > 500
    for line in (*range(1, 400, 5), *range(lines - 70, lines + 1, 2)):
        interrupted(line)
    assert len(places) > 10


# ---- the GIL -----------------------------------------------------------------


def test_other_threads_run_meanwhile():
    """A thread counts while one single call into the library learns."""
    from scant import _library as c
    from scant._fit import Fit
    from scant._options import Settings
    from scant._tables import source_of

    rows = 30_000
    X, y = endless(rows)
    fit = Fit.new(Settings(algorithm="auto", k=10, shuffle="no"), source_of(X, np.ascontiguousarray(y)))
    ticks, over = [], threading.Event()

    def count():
        while not over.wait(0.0005):
            ticks.append(len(ticks))

    thread = threading.Thread(target=count)
    thread.start()
    done, between = c_int(0), 0
    try:
        while not done.value:
            before = len(ticks)
            c.fit_advance(fit.own, rows, byref(done))
            between = max(between, len(ticks) - before)
    finally:
        over.set()
        thread.join()
    assert c.fit_ledger(fit.own).contents.examples == rows
    assert between > 1


def test_fits_in_threads_do_not_meet():
    X, y = table(2000, 20)
    alone = [learned(regressor(k=3, random_state=seed).fit(X, y)) for seed in range(4)]
    together = [None] * 4

    def work(seed):
        together[seed] = learned(regressor(k=3, random_state=seed).fit(X, y))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


# ---- callbacks ---------------------------------------------------------------


def test_progress():
    X, y = table(500)
    seen = []
    model = regressor(k=2, costs=[1, 1, 1, 1, 0.5, 1], callback=seen.append)
    plain = regressor(k=2, costs=[1, 1, 1, 1, 0.5, 1]).fit(X, y)
    assert learned(model.fit(X, y)) == learned(plain)  # being watched changes nothing
    last = seen[-1]
    assert last.done and last.examples == last.horizon == 500
    assert last.attributes_bought == model.attributes_bought_ and last.cost_spent == model.cost_spent_
    assert (last.risk, last.risk_error) == (model.risk_estimate_, model.risk_error_)
    assert not any(progress.done for progress in seen[:-1])
    assert sorted(progress.examples for progress in seen) == [progress.examples for progress in seen]
    assert "500 of 500 examples" in str(last) and "spent" in str(last) and "risk" in str(last)


def test_the_model_so_far():
    X, y = table(500)
    models = []
    model = regressor(k=2, callback=lambda progress: models.append(progress.model())).fit(X, y)
    assert bits(models[-1].coef) == bits(model.coef_)


def test_a_callback_that_returns_true_ends_it(long_data):
    X, y = long_data
    watchdog = Watchdog(2)
    model = long_fit(callback=watchdog).fit(X, y)
    assert len(watchdog.seen) == 2 and not watchdog.seen[-1].done
    assert model.n_iter_ == watchdog.seen[-1].examples < ROWS_OF_LONG // 2
    assert not model.budget_spent_
    for answer in (None, 1, "yes", False, np.True_):  # True and nothing else
        small, targets = table(200)
        assert regressor(k=2, callback=lambda progress, answer=answer: answer).fit(small, targets).n_iter_ == 200


@pytest.mark.parametrize("raised", [ZeroDivisionError("oh"), KeyboardInterrupt(), SystemExit()])
def test_what_a_callback_raises_comes_out(raised):
    X, y = table()

    def callback(progress):
        raise raised

    model = regressor(k=2, callback=callback)
    with pytest.raises(type(raised)) as caught:
        model.fit(X, y)
    assert caught.value is raised
    assert hasattr(model, "coef_") == isinstance(raised, KeyboardInterrupt)
    assert learned(model.set_params(callback=None).fit(X, y)) == learned(regressor(k=2).fit(X, y))


def test_verbose(capsys):
    X, y = table()
    regressor(k=2).fit(X, y)
    assert capsys.readouterr() == ("", "")
    regressor(k=2, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out.startswith("[scant] 120 of 120 examples, ") and out.count("\n") == 1 and not err
    regressor(k=2, verbose=1).partial_fit(X, y)
    assert "[scant] 120 examples, " in capsys.readouterr().out  # how many there will be is not known


def test_warnings_point_to_the_caller():
    X, y = table()
    for call in ("fit", "partial_fit"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            getattr(regressor("aerr", k=2), call)(3 * X, y)
        assert [warning.category for warning in caught] == [scant.ScantWarning]
        assert "beyond x-bound 1" in str(caught[0].message)
        assert caught[0].filename == __file__


def test_so_do_warnings_from_deep_inside():
    """Through a pipeline of scikit-learn's, and of errors, absent columns and a distributed fit."""
    X, y = table()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = regressor("gaussian", k=3, random_state=1).fit(frame, y)
    calls = [
        lambda: make_pipeline(StandardScaler(), regressor("aerr", k=2)).fit(30 * X, y),
        lambda: regressor("auto", k=3, errors=True, budget=9).fit(X, y),
        lambda: model.model_.predict(frame.drop(columns="f")),
        lambda: scant.distributed.fit(scant.distributed.InMemory(X, y, block_rows=30), k=2),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        told = [warning for warning in caught if warning.category is scant.ScantWarning]
        assert told and {warning.filename for warning in told} == {__file__}


def test_other_warnings():
    X, y = table()
    X[:, 4] = np.nan
    with pytest.warns(scant.ScantWarning, match="never had a value"):
        regressor(k=5).fit(X, y)
    with pytest.warns(scant.ScantWarning, match="does not pay for one example"):
        regressor(k=5, budget=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regressor(k=5, budget=100).fit(np.nan_to_num(X), y)


def test_weights_that_are_none_or_shrunk_are_warned_of():
    """As the command warns of the one and notes the other."""
    X, y = table()
    with pytest.warns(scant.ScantWarning, match="every weight is 0, so every prediction is the same"):
        model = regressor(k=5).fit(np.ones_like(X), y)
    assert not model.coef_.any()
    shrunk = []
    for seed, algorithm in ((1, "auto"), (2, "auto"), (1, "ridge")):
        noise = np.random.default_rng(seed).normal(size=len(y))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = regressor(algorithm, k=5).fit(X, noise)
        sentences = [str(warning.message) for warning in caught]
        said = [s for s in sentences if f"the weights are {model.scale_:.2g} times what was learned" in s]
        assert len(said) == (model.scale_ < 1), (algorithm, model.scale_, sentences)
        assert any("every weight is 0" in s for s in sentences) == (not model.coef_.any())
        assert all(warning.filename == __file__ for warning in caught)
        shrunk.append(model.scale_ < 1)
    assert shrunk[:2] == [True, True]  # by a part, and to nothing


def test_one_thread_learns_at_a_time():
    X, y = table()
    model = regressor(k=2).fit(X, y)

    def callback(progress):
        with pytest.raises(scant.MisuseError, match="learning already"):
            model.partial_fit(X, y)
        with pytest.raises(scant.MisuseError, match="can't be pickled"):
            pickle.dumps(model)
        seen.append(progress.examples)

    seen = []
    model.set_params(callback=callback).partial_fit(X, y)
    assert seen and model.n_iter_ == 2 * len(X)
    model.set_params(callback=None).partial_fit(X, y)


def test_options_stay_as_they_were_when_learning_began():
    X, y = table()
    model = regressor(k=2).fit(X, y)
    for change in ({"k": 3}, {"algorithm": "svr"}, {"missing": "error"}):
        before = model.get_params()
        with pytest.raises(ValueError, match="when the learning began"):
            model.set_params(**change).partial_fit(X, y)
        model.set_params(**{name: before[name] for name in change})
    model.partial_fit(X, y)


def test_a_ball_that_is_full_is_warned_of():
    X, y = table()
    with pytest.warns(scant.ScantWarning, match="fill the ball of radius 0.01"):
        scant.LimitedRidge(k=6, radius=0.01, random_state=1).fit(X, y)


def test_warnings_as_errors_keep_what_was_paid_for():
    X, y = table()
    model = scant.LimitedRidge(k=6, radius=0.01, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(scant.ScantWarning):
            model.fit(X, y)
    assert model.attributes_bought_ == X.size
