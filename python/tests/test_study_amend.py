"""Plans change: amendments, what was not ordered, and imports that are corrected."""

import pytest

import scant

TESTS = [
    scant.Attribute("age", "years", known=True),
    scant.Attribute("glucose", "mmol/l", cost=2, low=0, high=50),
    scant.Attribute("hba1c", "%", cost=12),
    scant.Attribute("crp", "mg/l", cost=4),
]


@pytest.fixture(params=["auto", "gaussian"])
def study(request, tmp_path):
    if request.param == "gaussian" and not scant._library.HAS_LAPACK:
        pytest.skip("no engine of gaussian")
    with scant.Study.create(
        tmp_path / "a.study", TESTS, k=2, budget_cost=600, target="score", algorithm=request.param, seed=1
    ) as study:
        yield study


def fill(study, first, count):
    for i in range(first, first + count):
        order = study.ask(f"P{i}")
        study.tell(f"P{i}", {**{name: 1 + (i * 7 % 5) / 4 for name in order.names}, "score": i % 3})


def test_prices_ranges_and_new_attributes(study):
    fill(study, 0, 8)
    before = study.ask("open")
    assert study.amend({"hba1c": {"cost": 9}}, reason="a contract", dry_run=True) == "hba1c: cost 12 -> 9"
    assert study.attributes[2].cost == 12
    said = study.amend({"hba1c": {"cost": 9}}, new=[scant.Attribute("ferritin", cost=5)], budget_cost=900, reason="r")
    assert said == "hba1c: cost 12 -> 9; new ferritin: cost 5; budget-cost 600 -> 900"
    assert [a.name for a in study.attributes][-1] == "ferritin" and study.attributes[2].cost == 9
    assert study.settings["budget_cost"] == 900
    assert study.find("open").price == before.price
    assert study.amend({"hba1c": {"cost": 9}}, reason="again") == ""
    study.amend({"crp": {"retired": True}}, k=3, reason="no reagent")
    fill(study, 10, 12)
    assert all("crp" not in study.find(f"P{i}").names for i in range(10, 22))
    assert study.verify().same_bits


def test_another_handle_notices(study, tmp_path):
    with scant.Study(tmp_path / "a.study") as other:
        fill(other, 0, 3)
        study.amend(new=[{"name": "ferritin", "cost": 5}], reason="r")
        fill(other, 3, 3)
        assert [a.name for a in other.attributes][-1] == "ferritin"
        other.amend({"ferritin": {"cost": 6}}, reason="r")
    study.status()
    assert study.attributes[-1].cost == 6


def test_refused(study):
    fill(study, 0, 8)
    for call, words in [
        (lambda: study.amend({"nothing": {"cost": 1}}, reason="r"), "no attribute 'nothing'"),
        (lambda: study.amend({"crp": {"colour": 1}}, reason="r"), "has no 'colour'"),
        (lambda: study.amend(new=[scant.Attribute("crp")], reason="r"), "already"),
        (lambda: study.amend(new=["crp"], reason="r"), "already"),
        (lambda: study.amend(budget_cost=20, reason="r"), "below what is spent"),
        (lambda: study.amend({"crp": {"known": True, "cost": 0}}, reason="r"), "not always known"),
        (lambda: study.amend(k=3, reason=""), "has a reason"),
        (lambda: study.tell("P1", age=3, reason="r"), "extra=True"),
        (lambda: study.tell("P1", {"score": 3}, extra=True, reason="r"), "is the target"),
    ]:
        events = study.status().events
        with pytest.raises(scant.ScantError, match=words):
            call()
        assert study.status().events == events


def test_what_was_not_ordered(study):
    fill(study, 0, 12)
    order = study.find("P3")
    name = next(a.name for a in study.attributes if a.name not in order.names)
    with pytest.raises(scant.DataError, match="told as extra"):
        study.tell("P3", {name: 1.5})
    study.tell("P3", {name: 1.5}, extra=True, reason="the ward did it")
    assert study.find("P3").extras == {name: 1.5}
    study.correct("P3", {name: 1.75}, reason="a slip")
    assert study.find("P3").extras == {name: 1.75}
    assert study.verify().same_bits


def test_an_import_is_corrected(study):
    study.import_rows({"old": {"age": 50, "crp": 3, "score": 1}})
    fill(study, 0, 4)
    study.correct("old", {"crp": 4}, reason="misread")
    assert study.verify().same_bits
