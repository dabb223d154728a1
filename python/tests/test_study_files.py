"""Studies through Python: how they are made of a catalogue, opened, closed and copied."""

import math
import os
import sqlite3

import pytest
from studies import CLINIC, everything, needs_studies, plain

import scant
from scant import _library


def test_without_studies_says_how_to_get_them(monkeypatch, path):
    monkeypatch.setattr(_library, "HAS_STUDY", False)
    for use in (lambda: scant.Study(path), lambda: scant.Study.create(path, ["a", "b"])):
        with pytest.raises(scant.UsageError, match="libsqlite3-dev.*-Dstudy=enabled"):
            use()
    assert not path.exists()


# ---- catalogues

MAPPINGS = [
    {"name": "age", "unit": "years", "known": True, "low": 0, "high": 120},
    {"name": "glucose", "unit": "mmol/l", "cost": 3.5, "low": 0, "high": 60},
    {"name": "ldl", "unit": "mmol/l", "cost": 5, "group": "lipids"},
    {"name": "hdl", "unit": "mmol/l", "cost": "5.25", "group": "lipids", "known": "no"},
    {"name": "scan", "cost": 80.1, "unit": None, "low": math.nan},
]


@needs_studies
@pytest.mark.parametrize("blank", ["", " ", "\t ", None, math.nan])
def test_blank_units_and_groups_are_none(path, blank):
    entries = [{"name": "a", "unit": blank, "group": blank}, scant.Attribute("b", blank, group=blank), "c"]
    with scant.Study.create(path, entries, k=2) as study:
        assert [(a.unit, a.group) for a in study.attributes] == [(None, None)] * 3
        assert study.ask("x").lines[0].unit is None


@needs_studies
@pytest.mark.parametrize("form", ["attributes", "mappings", "frame", "csv"])
def test_catalogues(path, tmp_path, form):
    catalogue = {"attributes": CLINIC, "mappings": MAPPINGS}.get(form)
    if form == "frame":
        pandas = pytest.importorskip("pandas")
        catalogue = pandas.DataFrame([{**row, "cost": float(row.get("cost", 0))} for row in MAPPINGS])
    if form == "csv":
        catalogue = tmp_path / "catalogue.csv"
        lines = ["name,unit,cost,low,high,group,known", "age,years,,0,120,,yes", "glucose,mmol/l,3.50,0,60,,"]
        lines += ["ldl,mmol/l,5,,,lipids,", "hdl,mmol/l,5.25,,,lipids,no", "scan,,80.10,,,,"]
        catalogue.write_text("\n".join(lines) + "\n")
    with scant.Study.create(path, catalogue, spend=100) as study:
        assert study.attributes == tuple(CLINIC)
    with scant.Study(path, "read") as study:
        assert study.attributes == tuple(CLINIC)
        assert study.target == "y" and study.settings["spend"] == 100 and study.settings["max_open"] == 1000


@needs_studies
@pytest.mark.parametrize(
    ("catalogue", "keywords", "sentence"),
    [
        (["a"], {}, "at least two"),
        ([], {}, "at least two"),
        (["a", "a"], {"k": 2}, "twice"),
        (["a", "y"], {"k": 2}, "name of the target"),
        (["a", "b\0c"], {}, "null character"),
        (["a", "b\n"], {"k": 2}, "control characters"),
        (["a", {"name": "b", "price": 3}], {}, "column 'price'"),
        (["a", {"unit": "m"}], {}, "entry 2 of the catalogue has no name"),
        (["a", {"name": "b", "cost": 1.005}], {}, "hundredths"),
        (["a", {"name": "b", "cost": -1}], {}, "hundredths"),
        (["a", {"name": "b", "low": "high"}], {}, "not a number"),
        (["a", {"name": "b", "low": 2, "high": 1}], {"k": 2}, "holds nothing"),
        (["a", {"name": "b", "known": "maybe"}], {}, "neither yes nor no"),
        (["a", {"name": "b", "known": True, "cost": 1}], {"k": 2}, "always known"),
        (["a", 3], {}, "neither an Attribute nor a mapping"),
        ({"a": 1}, {}, "a catalogue is"),
        (["a", "b"], {"k": 2, "spend": 3}, "cost"),
        (["a", "b"], {"k": 2, "budget_cost": 3}, "cost"),
        (["a", "b"], {"k": 3}, "3"),
        (["a", "b"], {"algorithm": "best"}, "no algorithm"),
        (["a", "b", "c", "d"], {"k": 4, "passes": 2}, "no setting of a study"),
        (["a", "b"], {"target": 3}, "no text"),
    ],
)
def test_refused_when_made(path, catalogue, keywords, sentence):
    with pytest.raises(scant.ScantError, match=sentence):
        scant.Study.create(path, catalogue, **keywords)
    assert not os.listdir(path.parent)


# ---- files


@needs_studies
def test_files(path, tmp_path):
    with pytest.raises(scant.NoInputError):
        scant.Study(path)
    plain(path).close()
    before = path.read_bytes()
    with pytest.raises(scant.FileError):
        plain(path)
    assert path.read_bytes() == before
    assert os.stat(path).st_mode & 0o777 == 0o600
    with pytest.raises(scant.UsageError, match="neither 'read' nor 'write'"):
        scant.Study(path, "append")
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE ledger(a)")
    with pytest.raises(scant.DataError, match="not a study"):
        scant.Study(foreign)
    with sqlite3.connect(path) as database:
        database.execute("CREATE VIEW everything AS SELECT * FROM ledger")
    with pytest.raises(scant.DataError, match="views"):
        scant.Study(path)


@needs_studies
def test_closed(path):
    study = plain(path)
    assert not study.closed and repr(study).endswith("open to write>")
    study.close()
    study.close()
    assert study.closed and repr(study).endswith("closed>")
    for act in (lambda: study.ask("a"), study.status, study.verify, lambda: next(study.orders()), study.model):
        with pytest.raises(scant.MisuseError, match="closed"):
            act()
    with pytest.raises(RuntimeError), plain(path.with_name("b.study")) as study:
        raise RuntimeError
    assert study.closed


@needs_studies
def test_backup_and_proof(path):
    copy = path.with_name("copy.study")
    with plain(path) as study:
        for i in range(10):
            study.tell(f"e{i}", dict.fromkeys(study.ask(f"e{i}").names, i), y=i)
        study.backup(copy)
        with pytest.raises(scant.FileError):
            study.backup(copy)
        before = everything(study)
    with scant.Study(copy) as study:
        assert everything(study) == before and study.verify().events == 21
    with sqlite3.connect(copy) as database:
        database.execute("UPDATE told SET value = 77 WHERE sequence = 3 AND place = 0")
    with scant.Study(copy, "read") as study, pytest.raises(scant.DataError, match="event 3"):
        study.verify()
