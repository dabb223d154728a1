"""What leaves a study: tables, and frozen copies."""

import csv
import hashlib
import math
import os

import numpy as np
import pytest
from studies import needs_studies

import scant

pytestmark = needs_studies

TESTS = [
    scant.Attribute("age", known=True),
    scant.Attribute("+glucose", "mmol/l", cost=3.5, low=0, high=60),
    scant.Attribute("scan", cost=80),
]


@pytest.fixture
def study(tmp_path):
    with scant.Study.create(tmp_path / "clinic.study", TESTS, algorithm="auto", k=2, target="risk") as made:
        made.import_rows({"=old": {"age": 50, "scan": 1 / 3, "risk": 2 / 7}})
        made.ask("Ann")
        made.tell("Ann", age=0.1 + 0.2, scan=None)
        made.ask("Bob")
        made.fail("Bob", "Bob went home")
        yield made


def test_the_frame_has_every_value(study):
    pytest.importorskip("pandas")
    frame = study.to_frame()
    assert list(frame.index) == ["Ann", "Bob", "=old"] and list(frame["state"]) == ["partly told", "failed", "imported"]
    assert frame.loc["Ann", "age"] == 0.1 + 0.2 and frame.loc["=old", "scan"] == 1 / 3
    assert frame.loc["=old", "risk"] == 2 / 7 and math.isnan(frame.loc["Ann", "risk"])
    assert frame.loc["Ann", "scan_note"] == "missing" and math.isnan(frame.loc["Ann", "scan"])
    assert frame["+glucose"].dtype == np.float64 and frame["spent"].dtype == np.float64
    assert frame.loc["Bob", "reason"] == "Bob went home" and frame["asked_at"].dt.tz is not None
    assert frame.loc["Ann", "asked_at"] == study.find("Ann").asked_at
    assert frame.loc["Ann", "asked_by"] == next(e.by for e in study.ledger() if e.kind == "ask")


def test_the_frame_of_nothing(tmp_path):
    pytest.importorskip("pandas")
    with scant.Study.create(tmp_path / "new", TESTS, algorithm="auto", k=2) as study:
        frame = study.to_frame()
    assert len(frame) == 0 and "scan" in frame.columns


def test_files(study, tmp_path):
    study.export_csv(tmp_path / "t.csv")
    study.export_events(tmp_path / "e.csv")
    with open(tmp_path / "t.csv", newline="", encoding="utf-8") as table:
        header = next(csv.reader(table))
    with open(tmp_path / "t-dictionary.csv", newline="", encoding="utf-8") as columns:
        assert [row["column"] for row in csv.DictReader(columns)] == header
    with open(tmp_path / "e.csv", newline="", encoding="utf-8") as events:
        assert {int(row["event"]): row["checksum"] for row in csv.DictReader(events)} == {
            e.sequence: f"{e.checksum:016x}" for e in study.ledger()
        }


def test_pseudonyms(study, tmp_path):
    pytest.importorskip("pandas")
    names = study.to_frame(pseudonyms=True).index
    assert list(names) == list(study.to_frame(pseudonyms=True).index) and len(set(names)) == 3
    study.export_events(tmp_path / "e.csv", pseudonyms=True)
    study.export_csv(tmp_path / "t.csv", tmp_path / "d.csv", pseudonyms=True)
    out = (tmp_path / "e.csv").read_text() + (tmp_path / "t.csv").read_text()
    assert all(word not in out for word in ("Ann", "Bob", "=old")) and all(name in out for name in names)


def test_looks_have_pseudonyms_too(tmp_path):
    with scant.Study.create(tmp_path / "s", TESTS, algorithm="auto", k=2) as study:
        order = study.ask("Ann")
        study.tell("Ann", dict.fromkeys(order.names, 1.0), y=1)
        study.write_looks(tmp_path / "l.csv", pseudonyms=True)
    assert "Ann" not in (tmp_path / "l.csv").read_text() and "E-" in (tmp_path / "l.csv").read_text()


def test_a_frozen_copy(study, tmp_path):
    last = list(study.ledger())[-1]
    frozen = study.freeze("first submission", tmp_path / "paper.study")
    assert (frozen.name, frozen.events, frozen.checksum) == ("first submission", last.sequence, last.checksum)
    assert frozen.sha256 == hashlib.sha256((tmp_path / "paper.study").read_bytes()).hexdigest()
    event = list(study.ledger())[-1]
    assert (event.kind, event.reason, event.at, event.by) == ("freeze", frozen.name, frozen.at, frozen.by)
    assert study.frozen is None and study.verify().same_bits
    with scant.Study(tmp_path / "paper.study", "read") as copy:
        assert copy.frozen == "first submission" and copy.verify().same_bits and copy.check_frozen() == frozen
    for mode in (0o400, 0o600):
        os.chmod(tmp_path / "paper.study", mode)
        with pytest.raises(scant.MisuseError, match="is frozen, as 'first submission'"):
            scant.Study(tmp_path / "paper.study")
    with pytest.raises(scant.MisuseError, match="no frozen copy"):
        study.check_frozen()


def test_what_is_refused(study, tmp_path):
    study.freeze("a", tmp_path / "a")
    before = sorted(os.listdir(tmp_path)), len(list(study.ledger()))
    with pytest.raises(scant.MisuseError, match="frozen as 'a' before"):
        study.freeze("a", tmp_path / "b")
    with pytest.raises(OSError, match="there already"):
        study.freeze("b", tmp_path / "a")
    with pytest.raises(scant.DataError, match="name of the frozen copy"):
        study.freeze("", tmp_path / "b")
    with pytest.raises(OSError, match="no such folder"):
        study.export_csv(tmp_path / "none" / "t.csv")
    with pytest.raises(OSError, match="no such folder"):
        study.export_events(tmp_path / "none" / "e.csv")
    assert (sorted(os.listdir(tmp_path)), len(list(study.ledger()))) == before
    study.close()
    with pytest.raises(scant.MisuseError, match="closed"):
        study.export_csv(tmp_path / "t.csv")
