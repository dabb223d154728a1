"""Unusual values, reasons of missing ones, and values that are entered twice."""

import pytest
from studies import everything, needs_studies

import scant
from scant.study import Difference

pytestmark = needs_studies

CLINIC = [
    scant.Attribute("age", known=True, low=0, high=120, usual_low=18, usual_high=100),
    scant.Attribute("glucose", "mmol/l", 3.5, low=0, high=60, usual_low=3, usual_high=30),
    scant.Attribute("scan", cost=80, usual_high=2),
]


def clinic(path, **keywords):
    """Everything is in every order."""
    study = scant.Study.create(
        path, CLINIC, **{"algorithm": "auto", "k": 2, "spend": 90, "target": "risk", "by": "ann", **keywords}
    )
    assert study.ask("p1").names == ["age", "glucose", "scan"]
    return study


def line(study, name, example="p1"):
    return next(each for each in study.find(example).lines if each.name == name)


def refuses(study, error, words, call, *arguments, **keywords):
    before = everything(study)
    with pytest.raises(error, match=words):
        call(*arguments, **keywords)
    assert everything(study) == before


def test_unusual_values_are_confirmed(tmp_path):
    with clinic(tmp_path / "s") as study:
        words = r"'glucose' is 2, and usually it is from 3 to 30: .*confirm it"
        refuses(study, scant.DataError, words, study.tell, "p1", glucose=2)
        refuses(study, scant.DataError, "'age' is 17", study.tell, "p1", glucose=2, age=17, confirm={"glucose"})
        refuses(study, scant.DataError, "above its range", study.tell, "p1", glucose=61, confirm=True)
        refuses(study, scant.UsageError, "confirm names 'scan'", study.tell, "p1", glucose=2, confirm=["scan"])
        refuses(study, scant.UsageError, "confirm is True or names", study.tell, "p1", glucose=2, confirm=1.5)
        study.tell("p1", glucose=2, age=40, confirm=True)
        assert (line(study, "glucose").note, line(study, "age").note) == ("confirmed", None)
        assert list(study.ledger())[-1].notes == {"glucose": "confirmed"}
        study.tell("p1", scan=2.5, confirm="scan")
        refuses(study, scant.DataError, "usually", study.correct, "p1", scan=3, reason="misread")
        study.correct("p1", scan=3, reason="misread", confirm=["scan"])
        refuses(study, scant.DataError, "example 'old'", study.import_rows, {"old": {"glucose": 1, "risk": 2}})
        rows = {"old": {"glucose": 1, "risk": 2}, "older": {"age": 40, "risk": 2}}
        assert study.import_rows(rows, confirm={"glucose"}) == 2
        assert study.verify().same_bits


def test_missing_values_have_reasons(tmp_path):
    with clinic(tmp_path / "s") as study:
        assert study.settings["missing_reasons"] == ("not done", "refused", "broken", "lost")
        words = "'scan' is missing for the reason 'shy', and the study knows: not done, refused, broken, lost"
        refuses(study, scant.DataError, words, study.tell, "p1", scan="missing:shy")
        refuses(study, scant.DataError, "'scan'", study.tell, "p1", scan="missin")
        study.tell("p1", scan="missing: refused", glucose="missing", age=None)
        assert [(each.value, each.note) for each in study.find("p1").lines] == [
            (None, None),
            (None, None),
            (None, "refused"),
        ]
        assert list(study.ledger())[-1].notes == {"scan": "refused"}
        assert study.verify().same_bits
    for reasons in (["no vein", "lost"], "no vein,lost"):
        path = tmp_path / f"own {type(reasons).__name__}"
        with clinic(path, missing_reasons=reasons) as study:
            assert study.settings["missing_reasons"] == ("no vein", "lost")
            study.tell("p1", scan="missing:no vein")
    for reasons, words in ((["a", "a"], "twice"), ("", "empty"), (["confirmed"], "unusual")):
        with pytest.raises(scant.DataError, match=words):
            clinic(tmp_path / "bad", missing_reasons=reasons)
        assert not (tmp_path / "bad").exists()


def test_second_entries(tmp_path):
    path = tmp_path / "s"
    with clinic(path, second_entry=True) as study:
        assert study.settings["second_entry"]
        refuses(study, scant.DataError, "was not told yet", study.tell_second, "p1", age=40)
        study.tell("p1", age=40, glucose=5.4, scan="missing:refused", risk=7)
        order = study.find("p1")
        assert (order.state, order.second_needed, order.second, order.lines[0].second) == ("told", True, None, None)
        refuses(study, scant.DataError, "usually", study.tell_second, "p1", glucose=54)
        with scant.Study(path, by="ben") as other:
            found = other.tell_second("p1", age=40, glucose=4.5, scan="missing:lost")
            assert found.differences == (
                Difference("glucose", 5.4, 4.5),
                Difference("scan", "missing:refused", "missing:lost"),
            )
            assert (found.agree, found.once, found.same_hand) == (1, 1, 0)
        found = study.tell_second("p1", risk=8, scan=None)
        assert found.differences == (Difference("glucose", 5.4, 4.5), Difference("risk", 7, 8))
        assert (found.agree, found.once, found.same_hand) == (2, 0, 2)
        assert study.find("p1").second_y == 8
        assert study.status().learned == 0
        study.correct("p1", glucose=4.5, reason="a slip")
        assert line(study, "glucose").second == "agrees"
        assert not study.tell_second("p1", risk=7).differences
        assert (study.status().learned, study.find("p1").state) == (1, "learned")
        last = list(study.ledger())[-1]
        assert (last.kind, last.learned, last.told, last.spent) == ("second", True, {"risk": 7}, 0)
        before = everything(study)
        assert study.tell_second("p1", risk=7).same_hand == 0
        assert everything(study) == before
        assert study.verify().same_bits
        study.replay()
        assert everything(study) == before


def test_a_study_that_does_not_demand_them(tmp_path):
    with clinic(tmp_path / "s") as study:
        study.tell("p1", age=40, glucose=5.4, scan=1, risk=7)
        model = study.model().coef.tobytes()
        assert study.tell_second("p1", {"age": 41}).differences == (Difference("age", 40, 41),)
        assert (study.find("p1").state, study.model().coef.tobytes()) == ("learned", model)
        assert not study.settings["second_entry"]
