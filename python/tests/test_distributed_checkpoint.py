"""Checkpoints of distributed fits: a fit that was stopped anywhere ends with the bits of one that was not."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from blocks import ROWS, K, Stopped, StopsAfter, arrays, run, same, table

import scant
from scant.distributed import InMemory, _file
from scant.distributed._plan import order_of

# Where sums stay with the workers moments is tried, which asks little: all else is the same.


@pytest.fixture
def reference(references):
    return references["gaussian"]


class After:
    """A progress that ends the fit when a round begins."""

    def __init__(self, number, phase, what=KeyboardInterrupt):
        self.place, self.what = (number, phase), what

    def __call__(self, progress):
        if (progress.round, progress.phase) == self.place and not progress.done:
            raise self.what


@pytest.mark.parametrize("first", ["driver", "workers"])
@pytest.mark.parametrize("then", ["driver", "workers"])
@pytest.mark.parametrize("place", [(1, "learn"), (2, "buy"), (2, "learn"), (3, "buy"), (3, "learn")])
def test_resume_after_each_round(references, tmp_path, first, then, place):
    algorithm = "gaussian" if (first, then) == ("driver", "driver") or place == (3, "buy") else "moments"
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(em=first, checkpoint=path, progress=After(*place), algorithm=algorithm)
    assert path.exists() and os.listdir(tmp_path) == ["checkpoint"]
    again = run(em=then, checkpoint=path, resume=True, algorithm=algorithm)
    assert same(again) == same(references[algorithm])


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_an_engine_that_is_gone_at_any_call(references, tmp_path, em):
    """Whichever call it is: what was bought before is in the checkpoint, and the rest is as it would have been."""
    calls, stopped = 0, True
    while stopped:
        path = tmp_path / str(calls)
        try:
            run(em=em, checkpoint=path, engine=StopsAfter(calls), algorithm="moments")
            stopped = False
        except Stopped:
            again = run(em=em, checkpoint=path, resume=True, algorithm="moments")
            assert same(again) == same(references["moments"]), calls
        calls += 1
    assert calls > 4


def test_going_on_twice_and_when_all_is_done(reference, tmp_path):
    path = tmp_path / "checkpoint"
    for place in ((2, "buy"), (3, "buy")):
        with pytest.raises(KeyboardInterrupt):
            run(checkpoint=path, resume=True, progress=After(*place))
    assert same(run(checkpoint=path, resume=True)) == same(reference)
    engine = StopsAfter(0)  # nothing is bought any more
    assert same(run(checkpoint=path, resume=True, engine=engine)) == same(reference)


def test_what_was_bought_is_not_bought_again(tmp_path):
    path, bought = tmp_path / "checkpoint", []

    class Counted(InMemory):
        def load(self, block, look):
            bought.append(block)
            return super().load(block, look)

    data = Counted(*arrays(), block_rows=ROWS)
    with pytest.raises(KeyboardInterrupt):
        run(data, checkpoint=path, progress=After(3, "buy"))
    run(data, checkpoint=path, resume=True)
    assert sorted(bought) == list(range(80))


def test_seed_comes_from_the_checkpoint(tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=path, progress=After(2, "buy"), random_state=None)
    once = run(checkpoint=os.fsencode(path), resume=True, random_state=None)
    assert same(once) == same(run(random_state=once.seed))


def test_other_data_and_settings_are_refused(tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=path, progress=After(2, "buy"))
    before = path.read_bytes()
    X, y = arrays()
    for data, keywords, words in (
        (None, {"k": K + 1}, "other settings: k is 4 there, and 5 here"),
        (None, {"random_state": 4}, "other settings: random_state is 3 there, and 4 here"),
        (None, {"algorithm": "moments"}, "algorithm is 'gaussian' there, and 'moments' here"),
        (None, {"budget": 100_000}, "budget is None there"),
        (None, {"clip": 2.0}, "clip is 3.0 there, and 2.0 here"),
        (None, {"costs": [1] * 12}, "costs is None there"),
        (table(81), {}, "other data: .*number of blocks is 80 there, and 81 here"),
        (InMemory(X, y, block_rows=ROWS, target="z"), {}, "other data: target is 'y' there, and 'z' here"),
        (InMemory(X[:, 1:], y, block_rows=ROWS), {}, "other data: number of attributes is 12 there, and 11 here"),
        (InMemory(X, y, block_rows=ROWS, names=list("abcdefghijkl")), {}, "other data: digest of names"),
        (InMemory(X, y + 1, block_rows=ROWS), {}, "other data: digest of targets"),
    ):
        with pytest.raises(scant.DataError, match="is of (other data|a fit with)") as caught:
            run(data, checkpoint=path, resume=True, **keywords)
        assert re.search(words, str(caught.value)), str(caught.value)
    assert path.read_bytes() == before


def test_tables_may_say_more_of_themselves(tmp_path):
    path = tmp_path / "checkpoint"

    class Files(InMemory):
        fingerprint = {"files": [["a.parquet", 100]]}

    data = Files(*arrays(), block_rows=ROWS)
    with pytest.raises(KeyboardInterrupt):
        run(data, checkpoint=path, progress=After(2, "buy"))
    data.fingerprint["files"][0][1] = 101
    with pytest.raises(scant.DataError, match=r"files is \[\['a.parquet', 100\]\] there"):
        run(data, checkpoint=path, resume=True)


def test_data_that_changed_are_found_where_they_are_read_again(tmp_path):
    """Names, rows and targets are the same.  One value of one block is not."""
    X, y = arrays()
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(InMemory(X, y, block_rows=ROWS), em="workers", checkpoint=path, progress=After(2, "learn"), k=12)
    other = X.copy()
    bought = order_of([ROWS] * 80, 3)[5]
    other[bought * ROWS, 3] += 1
    with pytest.raises(scant.DataError, match=f"block {bought} was bought before, and what came now is not"):
        run(InMemory(other, y, block_rows=ROWS), em="workers", checkpoint=path, resume=True, k=12)


def test_another_partition_may_go_on(reference, tmp_path):
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=path, progress=After(3, "buy"))
    assert same(run(table(part_blocks=7), checkpoint=path, resume=True)) == same(reference)


def test_files_that_are_none(tmp_path):
    path = tmp_path / "checkpoint"
    run(checkpoint=path)
    whole = path.read_bytes()
    with pytest.raises(scant.UsageError, match="resume=True goes on"):
        run(checkpoint=path)
    with pytest.raises(scant.UsageError, match="needs the checkpoint"):
        run(resume=True)
    for text, words in (
        (whole[:-1], "damaged"),
        (whole[:60], "damaged"),
        (whole[:100] + bytes([whole[100] ^ 4]) + whole[101:], "damaged"),
        (b"", "no checkpoint"),
        (b"PAR1", "no checkpoint"),
    ):
        path.write_bytes(text)
        with pytest.raises(scant.DataError, match=words):
            run(checkpoint=path, resume=True)
    # Before anything is bought.
    with pytest.raises(scant.FileError, match="can't be written: No such file"):
        run(checkpoint=tmp_path / "nowhere" / "checkpoint", engine=StopsAfter(0))
    with pytest.raises(scant.UsageError, match="is a folder: name a file"):
        run(checkpoint=tmp_path, resume=True, engine=StopsAfter(0))
    path.write_bytes(whole)
    with pytest.raises(Stopped):
        run(checkpoint=tmp_path / "other", engine=StopsAfter(0))
    assert sorted(os.listdir(tmp_path)) == ["checkpoint"]


def test_a_checkpoint_is_in_memory_once(tmp_path):
    """Its sums may be a gibibyte."""
    path, blobs, size = str(tmp_path / "checkpoint"), [os.urandom(2**20) for _ in range(8)], 8 * 2**20
    tracemalloc.start()
    try:
        _file.write(path, {"version": 1}, blobs)
        assert tracemalloc.get_traced_memory()[1] < size / 8
        tracemalloc.reset_peak()
        head, found = _file.read(path)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * size
    finally:
        tracemalloc.stop()
    assert head == {"version": 1} and [bytes(one) for one in found] == blobs


@pytest.mark.parametrize("em", ["driver", "workers"])
@pytest.mark.parametrize("place", [(2, "buy"), (2, "learn"), (3, "buy"), (3, "learn")])
def test_money_and_classes_go_on(tmp_path, em, place):
    """What the money pays for is the same, and so are the two values of the target."""
    X, y = arrays()
    data = InMemory(X, np.sign(y), block_rows=ROWS, part_blocks=5)
    keywords = {"costs": [0.25 * (i + 1) for i in range(12)], "budget_cost": 8000, "em": em, "algorithm": "moments"}
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(data, checkpoint=path, progress=After(*place), **keywords)
    whole = run(data, **keywords)
    assert whole.rounds == 3 and whole.blocks < 80
    assert same(run(data, checkpoint=path, resume=True, **keywords)) == same(whole)
    with pytest.raises(scant.DataError, match="budget_cost is 8000.0 there, and 8000.5 here"):
        run(data, checkpoint=path, resume=True, **{**keywords, "budget_cost": 8000.5})


_PROGRAM = """
import os, sys
sys.path.insert(0, {folder!r})
from blocks import table, K
from scant.distributed import fit, LocalEngine
path, place, em, algorithm = sys.argv[1:]

def die(progress):
    if f"{{progress.round}} {{progress.phase}}" == place:
        os.kill(os.getpid(), 9)

fit(
    table(), k=K, random_state=3, algorithm=algorithm, engine=LocalEngine(2), em=em, checkpoint=path, resume=True,
    progress=die,
)
"""


@pytest.mark.parametrize(("em", "algorithm"), [("driver", "gaussian"), ("workers", "moments")])
def test_kill(references, tmp_path, em, algorithm):
    """kill -9 in each phase in turn; each goes on where the one before was killed."""
    path = tmp_path / "checkpoint"
    program = _PROGRAM.format(folder=str(pathlib.Path(__file__).parent))
    for place in ("1 buy", "1 learn", "2 buy", "2 learn", "3 buy", "3 learn"):
        call = [sys.executable, "-c", program, path, place, em, algorithm]
        ended = subprocess.run(call, capture_output=True, text=True)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert same(run(em=em, checkpoint=path, resume=True, algorithm=algorithm)) == same(references[algorithm])


def test_a_checkpoint_is_whole_or_not_there(tmp_path, monkeypatch):
    """A disk that is full leaves the checkpoint of the round before."""
    path = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        run(checkpoint=path, progress=After(2, "buy"))
    before = path.read_bytes()

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(scant.FileError, match="No space left"):
        run(checkpoint=path, resume=True)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["checkpoint"]
    assert np.frombuffer(before, dtype=np.uint8).size


def test_two_that_write_one_checkpoint(tmp_path, monkeypatch):
    """A driver that was taken for dead may still write when it was started again."""
    path, fsync = str(tmp_path / "checkpoint"), os.fsync

    def meanwhile(handle):
        monkeypatch.setattr(os, "fsync", fsync)
        _file.check(path)
        _file.write(path, {"version": 1, "who": "second"}, [b"short"])
        assert _file.read(path)[0]["who"] == "second"
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    _file.write(path, {"version": 1, "who": "first"}, [bytes(10**5)])
    assert _file.read(path)[0]["who"] == "first"
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_what_a_killed_writer_left_goes_in_time(tmp_path):
    old, young, other = (tmp_path / name for name in ("checkpoint.1.part", "checkpoint.2.part", "checkpoints.1.part"))
    for left in (old, young, other):
        left.write_bytes(b"half")
    for left in (old, other):
        os.utime(left, (0, 0))
    _file.check(str(tmp_path / "checkpoint"))
    assert sorted(os.listdir(tmp_path)) == [young.name, other.name]
