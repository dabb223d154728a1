"""Studies through Python: several at once, what orders may cost, what waits, and ends that are taken back."""

import pytest
from studies import check_money, clinic, everything, needs_studies, plain

import scant

pytestmark = needs_studies


def refused(study, kind, words, call):
    before = everything(study)
    with pytest.raises(kind, match=words):
        call()
    assert everything(study) == before


def test_several_at_once_are_as_one_by_one(path, tmp_path):
    with plain(path, seed=3) as study, plain(tmp_path / "b.study", seed=3) as other:
        orders = study.ask_all(name for name in ("p", "q", "r"))
        assert [order.example for order in orders] == ["p", "q", "r"]
        assert [order.names for order in orders] == [other.ask(name).names for name in ("p", "q", "r")]
        before = everything(study)
        assert study.ask_all(["q", "p"]) == [orders[1], orders[0]]
        assert everything(study) == before
        assert study.verify().same_bits


def test_all_or_none(path):
    with plain(path, budget=7, max_open=10) as study:
        study.ask("first")
        refused(study, scant.BudgetSpent, "none of the 5 examples", lambda: study.ask_all(f"x{i}" for i in range(5)))
        refused(study, scant.MisuseError, "max-open", lambda: study.ask_all(f"x{i}" for i in range(10)))
        refused(study, scant.UsageError, "no example", lambda: study.ask_all([]))
        refused(study, scant.UsageError, "list of names", lambda: study.ask_all("abc"))
        refused(study, scant.DataError, "blanks", lambda: study.ask_all(["good", " bad"]))
        check_money(study)


def test_names_that_are_nearly_the_same(path):
    with plain(path) as study:
        order = study.ask("P-001")
        study.import_rows({"Old": {"a0": 1, "y": 2}})
        refused(study, scant.MisuseError, "'P-001'.*new-name", lambda: study.ask("p-001"))
        refused(study, scant.MisuseError, "'Old'", lambda: study.import_rows({"old": {"a0": 1, "y": 2}}))
        assert study.ask("p-001", new_name=True).number == order.number + 1
        assert study.import_rows({"old": {"a0": 1, "y": 2}}, new_name=True) == 1
        refused(study, scant.MisuseError, "differs", lambda: study.ask("P- 001"))  # new_name was for that call
        assert study.verify().same_bits


def test_a_forecast_changes_nothing(path):
    with clinic(path, budget_cost=1000) as study:
        before = everything(study)
        forecast = study.preview(500)
        assert forecast == study.preview(500)
        assert everything(study) == before
        assert forecast.draws == 500 and 0 <= forecast.least <= forecast.mean <= forecast.most <= 100
        assert forecast.left == 1000 and forecast.attributes_left is None
        assert list(forecast.chance) == [attribute.name for attribute in study.attributes]
        assert forecast.chance["age"] == 1 and forecast.chance["ldl"] == forecast.chance["hdl"]
        order = study.ask("p")
        assert forecast.least <= order.price <= forecast.most
        assert study.preview(10).left == pytest.approx(1000 - order.price)
        for draws in (0, 10**7):
            refused(study, scant.UsageError, "draws", lambda draws=draws: study.preview(draws))
        with scant.Study(path, "read") as reader:
            assert reader.preview(10).draws == 10


def test_what_waits_and_what_happened(path):
    with plain(path, by="anna") as study:
        study.ask_all(["p", "q", "r"])
        study.cancel("q")
        assert [order.example for order in study.waiting()] == ["p", "r"]
        assert [order.asked_by for order in study.orders()] == ["anna"] * 3
        assert [(event.kind, event.by) for event in study.history("q")] == [("ask", "anna"), ("cancel", "anna")]
        assert study.history("nobody") == []
        with pytest.raises(scant.DataError):
            study.history("")


def test_an_end_is_taken_back(path):
    with clinic(path, budget_cost=1000) as study:
        order = study.ask("p")
        name = next(line.name for line in order.lines if line.price)
        study.tell("p", {name: 2})
        before, status = study.find("p"), study.status()
        study.fail("p", "went home")
        refused(study, scant.UsageError, "reason", lambda: study.reopen("p", ""))
        refused(study, scant.DataError, "'nobody'", lambda: study.reopen("nobody", "x"))
        study.reopen("p", "it was another")
        assert study.find("p") == before
        assert (study.status().spent, study.status().reserved) == (status.spent, status.reserved)
        refused(study, scant.MisuseError, "no end", lambda: study.reopen("p", "x"))
        assert study.history("p")[-1].kind == "reopen" and study.history("p")[-1].reason == "it was another"
        study.tell("p", {line.name: 1 for line in order.lines if line.name != name}, risk=3)
        assert study.find("p").state == "learned"
        assert study.verify().same_bits
        check_money(study)


def test_a_learner_opens_a_cancelled_look_again():
    learner = scant.Learner("auto", dimension=6, k=3, seed=1)
    look = learner.ask()
    with pytest.raises(scant.MisuseError, match="is open"):
        learner.reopen(look)
    learner.cancel(look)
    learner.reopen(look)
    learner.tell(look, [1.0] * len(look.attributes), 2.0)
