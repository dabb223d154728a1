"""Forgetting: nothing of the person is in any file of the study."""

import os
import sqlite3
import struct
import subprocess
import sys

import pytest
from studies import check_money, clinic, everything, needs_studies

import scant

NAME = "Zacharias-Quux-Person"
VALUES = [1.2345678901234567 + 0.0137931034482758 * i for i in range(8)]
READS = """
import sqlite3, sys
reader = sqlite3.connect(sys.argv[1])
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM ledger").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""
pytestmark = needs_studies


def found(path):
    """How much of the person is to be found in the files beside the study."""
    traces = [NAME.encode()]
    for value in VALUES:
        traces += [struct.pack(">d", value), struct.pack("<d", value), repr(value).encode()]
    content = b"|".join((path.parent / name).read_bytes() for name in os.listdir(path.parent))
    return sum(trace in content for trace in traces)


def tell(study, example, values):
    order = study.ask(example)
    study.tell(example, dict(zip([*order.names, "risk"], values, strict=False)))


def make(path):
    study = clinic(path)
    for i in range(5):
        tell(study, f"P{i}", [3 + i % 3, 2 + i % 2, 1.5, 2.5, 4, 7 - i])
    tell(study, NAME, VALUES)
    for i in range(5, 8):
        tell(study, f"P{i}", [3 + i % 3, 2 + i % 2, 1.5, 2.5, 4, 7 - i])
    return study


def test_nothing_is_left(path):
    with make(path) as study:
        before = study.status()
        seen = study.traces(NAME)
        assert (seen.events, seen.orders, seen.order, seen.open, seen.refunded) == (2, 1, 6, 0, 0)
        assert seen.spent > 0 and seen.looks == 3
        gone = study.erase(NAME, "withdrew")
        assert gone == seen and not gone.unswept
        after = check_money(study)
        assert (after.erased, after.learned, after.spent, after.unswept) == (1, before.learned - 1, before.spent, False)
        order = list(study.orders())[5]
        assert (order.state, order.example, order.names) == ("erased", "erased 6", [])
        marks = [event for event in study.ledger() if event.erased]
        assert [(event.kind, event.example, event.told) for event in marks] == [("ask", None, {}), ("tell", None, {})]
        assert study.verify().same_bits
        tell(study, "P9", [3, 4, 5, 6, 7, 8])
        assert study.verify().same_bits
    assert found(path) == 0


def test_it_was_there(path):
    make(path).close()
    assert found(path) > 3


def test_refusals_change_nothing(path):
    with make(path) as study:
        before = everything(study)
        for arguments, error, words in (
            (("nobody", "withdrew"), scant.DataError, "nothing is known"),
            ((NAME, ""), scant.UsageError, "for a reason"),
            ((NAME, f"as {NAME} said"), scant.UsageError, "must not hold the name"),
        ):
            with pytest.raises(error, match=words):
                study.erase(*arguments)
            assert everything(study) == before
        with pytest.raises(scant.DataError, match="nothing is known"):
            study.traces("nobody")
        study.erase(NAME, "withdrew")
        with pytest.raises(scant.DataError, match="or was erased before"):
            study.erase(NAME, "withdrew")


def test_somebody_reads(path):
    with make(path) as study:
        # in another process: in this one every file that is closed would let its locks go
        with subprocess.Popen(
            [sys.executable, "-c", READS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as reader:
            assert reader.stdout.readline().strip() == b"reading"
            assert study.erase(NAME, "withdrew").unswept
            assert study.status().unswept
            with pytest.raises(scant.StudyBusy, match="somebody reads the study"):
                study.sweep()
            reader.stdin.close()
        study.sweep()
        assert not study.status().unswept
    assert found(path) == 0
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM sweep").fetchone() == (0,)
