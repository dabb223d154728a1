"""Studies through Python: the file keeps what was acknowledged, refuses the rest, and learns as a Learner does."""

import math
import pathlib
import re

import numpy as np
import pytest
from studies import CLINIC, check_money, clinic, everything, needs_lapack, needs_studies, plain, values_of

import scant
from scant import _library

pytestmark = needs_studies


def test_the_page_names_all_kinds_and_states():
    """As the tables of the library do, and in their words."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "studies.md").read_text()
    named = {
        (name(i), help(i))
        for name, help in (
            (_library.event_kind_name, _library.event_kind_help),
            (_library.order_state_name, _library.order_state_help),
        )
        for i in range(20)
        if name(i) is not None
    }
    assert len(named) == 15 + 8
    for name, help in named:
        assert re.search(rf"^\| {name.decode()} \| .*{re.escape(help.decode())}", page, re.MULTILINE | re.IGNORECASE), (
            name
        )


# ---- learning


@pytest.mark.parametrize("algorithm", ["auto", "ridge", "lasso", "svr", "aerr"])
@pytest.mark.parametrize("late", [0, 15])
def test_same_bits_as_a_learner(path, algorithm, late):
    """At once or late and shuffled, the file adds nothing and takes nothing away."""
    random = np.random.default_rng(5)
    X = random.normal(size=(80, 6))
    y = X[:, 1] - X[:, 4]
    k = 4
    learner = scant.Learner(algorithm, dimension=6, k=k, seed=7, max_open=50)
    looks, waiting = {}, []
    with plain(path, algorithm=algorithm, k=k, seed=7, max_open=50) as study:
        for i in range(80 + late):
            if i < 80:
                looks[i] = learner.ask()
                assert study.ask(f"e{i}").names == [f"a{j}" for j in looks[i].attributes]
                waiting.append(i)
            while waiting and (len(waiting) > late or i >= 80):
                j = waiting.pop(int(random.integers(len(waiting))))
                study.tell(f"e{j}", values_of(study.find(f"e{j}"), X[j]), y=y[j])
                learner.tell(looks[j], X[j, looks[j].attributes], y[j])
        model = study.model()
        assert model.coef.tobytes() == learner.coef.tobytes() and model.intercept == learner.intercept
        status = study.status()
        if algorithm == "aerr" or not _library.HAS_LAPACK:
            wanted = learner.risk if learner.risk[0] >= 0 else (math.nan, math.nan)  # it is of the learner alone
            assert (status.risk, status.risk_error) == pytest.approx(wanted, rel=0, abs=0, nan_ok=True)
        else:
            away = model.coef - [0, 1, 0, 0, -1, 0]
            error = away @ away + model.intercept**2  # attributes are independent, and the target has no noise
            assert 0 < status.risk_error < status.risk and abs(status.risk - error) < 3 * status.risk_error
        assert study.model().coef.tobytes() == learner.coef.tobytes()  # to read it changes nothing
        with scant.Study(path, mode="read") as other:
            assert (other.status().risk, other.status().risk_error) == pytest.approx(
                (status.risk, status.risk_error), rel=0, abs=0, nan_ok=True
            )
        assert (status.learned, status.open) == (80, 0)
        assert (status.most_age > 0) == (late > 0)
        assert model.names == [f"a{i}" for i in range(6)]
        proof = study.verify()
        assert proof.same_build and proof.same_bits and proof.orders == 80


def test_told_bit_by_bit(path):
    """In any order, in pieces and over several sittings: the same as at once."""
    random = np.random.default_rng(2)
    X = random.normal(size=(40, 6))
    with plain(path) as whole:
        for i, x in enumerate(X):
            whole.tell(f"e{i}", values_of(whole.ask(f"e{i}"), x), y=x[2])
        weights = whole.model().coef.tobytes()
    other = path.with_name("b.study")
    plain(other).close()
    for i, x in enumerate(X):
        with scant.Study(other) as study:
            order = study.ask(f"e{i}")
        pieces = [*values_of(order, x).items(), ("y", x[2])]
        for place in random.permutation(len(pieces)):
            with scant.Study(other) as study:
                study.tell(f"e{i}", dict([pieces[place]]))
    with scant.Study(other) as study:
        assert study.model().coef.tobytes() == weights
        assert study.verify().same_bits


def test_states(path):
    with clinic(path) as study:
        order = study.ask("p1")
        assert order.state == "issued" and order.number == 1 and order.left == order.names and "age" in order.names
        assert order == study.ask("p1") == study.find("p1")
        assert order.price == pytest.approx(sum(line.price for line in order.lines)) and order.spent == 0
        assert order.asked_at.utcoffset().total_seconds() == 0
        units = {line.name: line.unit for line in order.lines}
        assert units == {attribute.name: attribute.unit for attribute in CLINIC if attribute.name in units}
        study.tell("p1", age=61)
        assert study.find("p1").state == "partly told"
        for name in study.find("p1").left:
            study.tell("p1", {name: 2})
        told = study.find("p1")
        assert told.state == "told" and told.y is None and told.left == [] and told.spent == told.price
        study.tell("p1", risk=0.5)
        learned = study.find("p1")
        assert learned.state == "learned" and learned.y == 0.5 and learned == study.ask("p1")
        assert {line.value for line in learned.lines} <= {61, 2}
        check_money(study)


def test_missing(path):
    with clinic(path) as study:
        order = study.ask("p1")
        study.tell("p1", {name: None for name in order.names if name != "age"}, age=4, risk=1)
        assert study.find("p1").state == "learned"
        lines = {line.name: line for line in study.find("p1").lines}
        assert lines["age"].value == 4 and lines["age"].state == "told"
        assert all(line.value is None and line.state == "missing" for name, line in lines.items() if name != "age")
        assert study.find("p1").spent == order.price  # the look was made
        told = [event.told for event in study.ledger() if event.kind == "tell"]
        assert told == [{**{name: None for name in order.names}, "age": 4, "risk": 1}]
        assert study.verify().same_bits


def test_the_risk_is_not_known_of_one_example(path):
    study = plain(path)
    for known in (False, False, True):
        status = study.status()
        assert (math.isnan(status.risk), math.isnan(status.risk_error)) == (not known, not known)
        order = study.ask(f"e{status.learned}")
        study.tell(order.example, {**values_of(order, range(6)), "y": 1 + status.learned})


# ---- refusals


@pytest.mark.parametrize(
    ("values", "error", "sentence"),
    [
        ({"glucose": 999}, scant.DataError, "glucose"),
        ({"age": -1}, scant.DataError, "age"),
        ({"age": math.nan}, scant.DataError, "age"),
        ({"age": math.inf}, scant.DataError, "age"),
        ({"age": "61"}, scant.DataError, "not a number"),
        ({"age": [61]}, scant.DataError, "not a number"),
        ({"height": 3}, scant.DataError, "height"),
        ({"age'); DROP TABLE ledger; --": 3}, scant.DataError, "no attribute"),
        ({"risk": None}, scant.DataError, "risk"),
        ({3: 3}, scant.DataError, "no text"),
        ({}, scant.UsageError, "nothing to tell"),
        ([("age", 3)], scant.DataError, "mapping"),
    ],
)
def test_refused_when_told(path, values, error, sentence):
    with clinic(path) as study:
        study.ask("p1")
        before = everything(study)
        with pytest.raises(error, match=sentence):
            study.tell("p1", values)
        assert everything(study) == before
        good = {name: 1 for name in study.find("p1").names if not isinstance(values, dict) or name not in values}
        if isinstance(values, dict) and values:  # all or none
            with pytest.raises(error):
                study.tell("p1", {**good, **values})
            assert everything(study) == before
        assert study.verify().same_bits


def test_refused_otherwise(path):
    with clinic(path, budget_cost=300, max_open=2) as study:
        first = study.ask("p1")
        not_ordered = {attribute.name for attribute in CLINIC} - set(first.names)
        study.tell("p1", age=61)
        study.ask("p2")
        before = everything(study)
        study.tell("p1", age=61)  # the same again
        assert everything(study) == before
        for act, error, sentence in [
            (lambda: study.tell("p1", age=62), scant.DataError, "61 already"),
            (lambda: study.tell("p1", age=None), scant.DataError, "61 already"),
            (lambda: study.tell("p9", age=62), scant.DataError, "nothing was ever asked"),
            (lambda: study.find("p9"), scant.DataError, "nothing was ever asked"),
            (lambda: study.ask("p3"), scant.MisuseError, "open"),
            (lambda: study.ask(""), scant.DataError, "name"),
            (lambda: study.ask("a\0b"), scant.DataError, "null"),
            (lambda: study.ask("\ud800"), scant.DataError, "UTF-8"),
            (lambda: study.ask(7), scant.DataError, "no text"),
            (lambda: study.correct("p1", age=62, reason=""), scant.UsageError, "reason"),
            (lambda: study.correct("p1", risk=1, reason="typo"), scant.DataError, "never told"),
            (lambda: study.fail("p1", ""), scant.UsageError, "reason"),
            (lambda: study.import_rows({"p1": {"age": 3, "risk": 2}}), scant.MisuseError, "has an order"),
            (lambda: study.import_rows({"q": {"age": 3}}), scant.DataError, "no 'risk'"),
            (lambda: study.import_rows({"q": {"age": 300, "risk": 2}}), scant.DataError, "'q'.*age"),
            (lambda: study.import_rows([3]), scant.DataError, "import_rows takes"),
            *[(lambda n=n: study.tell("p1", {n: 3}), scant.DataError, "not ordered") for n in not_ordered],
        ]:
            with pytest.raises(error, match=sentence):
                act()
            assert everything(study) == before, sentence
        assert study.verify().same_bits


def test_budget(path):
    with clinic(path, budget_cost=200) as study:
        asked = 0
        with pytest.raises(scant.BudgetSpent, match="200.00"):
            while True:
                study.ask(f"p{asked}")
                asked += 1
        before = everything(study)
        with pytest.raises(scant.BudgetSpent):
            study.ask("another")
        assert everything(study) == before
        status = check_money(study)
        assert asked and status.budget == 200 and status.spent + status.reserved <= 200
        study.cancel("p0")
        assert study.status().reserved < status.reserved or study.find("p0").price == 0
        assert study.verify().same_bits


# ---- ending


def test_ends(path):
    with clinic(path) as study:
        prices = {name: study.ask(name).price for name in "abcd"}
        study.cancel("a")
        study.expire("b")
        study.fail("c", "the sample was lost")
        assert [study.find(name).state for name in "abcd"] == ["cancelled", "expired", "failed", "issued"]
        assert study.find("c").reason == "the sample was lost"
        status = check_money(study)
        assert status.spent == pytest.approx(prices["b"]) and status.reserved == pytest.approx(prices["d"])
        assert (status.cancelled, status.expired, status.failed, status.open) == (1, 1, 1, 1)
        study.cancel("b")  # reconciles it
        assert check_money(study).spent == 0
        assert study.ask("a").number == 5  # nothing was measured, so it may be asked for anew
        with pytest.raises(scant.MisuseError, match="failed"):
            study.tell("c", age=3)
        with pytest.raises(scant.MisuseError, match="failed"):
            study.cancel("c")
        kinds = [event.kind for event in study.ledger()]
        assert kinds == ["create", *4 * ["ask"], "cancel", "expire", "fail", "cancel", "ask"]
        assert study.verify().same_bits


def test_correct(path):
    random = np.random.default_rng(0)
    with plain(path) as study:
        for i, x in enumerate(random.normal(size=(30, 6))):
            study.tell(f"e{i}", values_of(study.ask(f"e{i}"), x), y=x[0])
        before, name = study.model().coef, study.find("e3").names[0]
        study.correct("e3", {name: 5.5}, reason="read from the wrong line", y=2)
        assert study.find("e3").y == 2 and study.find("e3").lines[0].value == 5.5
        assert not np.array_equal(study.model().coef, before)
        event = list(study.ledger())[-1]
        assert event.kind == "correct" and event.reason == "read from the wrong line"
        assert event.told == {name: 5.5, "y": 2}
        study.verify()
        after = study.model().coef.tobytes()
    with scant.Study(path) as study:
        assert study.model().coef.tobytes() == after
        study.replay()
        assert study.model().coef.tobytes() == after
        study.verify()


# ---- the past


@pytest.mark.parametrize("form", ["mapping", "frame"])
def test_import(path, form):
    X = np.random.default_rng(1).normal(size=(60, 6))
    rows = {f"old {i}": {**{f"a{j}": v for j, v in enumerate(x) if v < 1}, "y": x[3]} for i, x in enumerate(X)}
    table = rows
    if form == "frame":
        table = pytest.importorskip("pandas").DataFrame.from_dict(rows, orient="index")
        assert table.isna().any(axis=None)
    with plain(path) as study:
        assert study.import_rows(table) == 60
        status = study.status()
        assert (status.imported, status.orders, status.spent) == (60, 0, 0)
        assert abs(study.model().coef).argmax() == 3
        told = [event.told for event in study.ledger() if event.kind == "import"]
        assert told == [pytest.approx(row) for row in rows.values()]
        with pytest.raises(scant.MisuseError, match="imported before"):
            study.import_rows({"old 1": {"a1": 50, "y": 3}})
        with pytest.raises(scant.MisuseError, match="import"):
            study.ask("old 1")
        assert study.verify().same_bits


# ---- predictions


@needs_lapack
def test_predict(path):
    random = np.random.default_rng(3)
    mix = random.normal(size=(6, 6))
    X = random.normal(size=(1500, 6)) @ mix
    y = X[:, 0] - X[:, 3] + 3 * random.normal(size=1500)
    with plain(path) as study:
        with pytest.raises(scant.DataError, match="at least two"):
            study.predict(a1=2)
        for i in range(500):
            study.tell(f"e{i}", values_of(study.ask(f"e{i}"), X[i]), y=y[i])
        model = study.gaussian()
        rows = X[500:].copy()
        rows[::2, 2:5] = np.nan
        mean, low, high = model.predict_interval(rows, 0.9)
        for i in (0, 1):
            known = {f"a{j}": v for j, v in enumerate(rows[i]) if not np.isnan(v)}
            assert study.predict(known) == (mean[i], low[i], high[i])
        assert study.predict(known, level=0.5).high < high[1]
        for half in (slice(0, None, 2), slice(1, None, 2)):
            assert 0.85 <= np.mean((low <= y[500:])[half] & (y[500:] <= high)[half]) <= 0.95
        with pytest.raises(scant.DataError, match="predicted"):
            study.predict(y=1)
        for level in (0, 1, 2, float("nan")):
            with pytest.raises(scant.UsageError, match="level"):
                study.predict(known, level=level)
        with pytest.raises(scant.DataError, match="height"):
            study.predict(height=1)


def test_without_lapack_predict_says_how_to_get_it(monkeypatch, path):
    study = plain(path)
    monkeypatch.setattr(_library, "HAS_LAPACK", False)
    for use in (study.gaussian, lambda: study.predict(a1=1)):
        with pytest.raises(scant.UsageError, match="-Dlapack=disabled.*`pip install .` does not"):
            use()
