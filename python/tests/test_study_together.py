"""Several that write to one study: threads, notebooks, the command, and processes that were killed."""

import contextlib
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from studies import everything, needs_lapack, needs_studies, plain, values_of

import scant

pytestmark = needs_studies


@contextlib.contextmanager
def locked(path):
    """As if another one were writing."""
    with open(f"{path}-lock", "a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_an_open_study_blocks_nobody(path, command):
    with plain(path) as study, scant.Study(path) as other:
        study.ask("e1")
        assert other.find("e1").number == 1
        assert other.ask("e2").number == 2
        assert "order 3: example e3" in command("study", "ask", path, "e3")
        assert [order.example for order in study.orders()] == ["e1", "e2", "e3"]
        order = study.find("e3")
        study.tell("e3", dict.fromkeys(order.names, 1.5), y=1)
        other.correct("e3", y=2, reason="a slip")
        assert study.find("e3").y == 2
        assert [repr(event) for event in study.ledger()] == [repr(event) for event in other.ledger()]
        assert repr(study.status()) == repr(other.status())
        assert study.verify().same_bits and other.verify().same_bits
        study.replay()
    with scant.Study(path) as study:
        assert study.status().orders == 3 and study.verify().same_bits


def test_busy(path):
    plain(path).close()
    with locked(path):
        with pytest.raises(scant.StudyBusy, match="is being written to by another one: try again later") as busy:
            scant.Study(path)
        assert isinstance(busy.value, BlockingIOError) and isinstance(busy.value, scant.ScantError)
        with pytest.raises(scant.StudyBusy, match=r"waited [\d.]+ seconds; try again later"):
            scant.Study(path, wait=0.02)
        with scant.Study(path, "read") as reader:
            assert reader.status().orders == 0
    for wait in (-1, float("nan")):
        with pytest.raises(scant.ScantError, match="wait"):
            scant.Study(path, wait=wait)
    with scant.Study(path, wait=0.02) as study:
        with locked(path):
            with pytest.raises(scant.StudyBusy, match="waited"):
                study.ask("e1")
            assert study.status().orders == 0  # reading needs no lock
        assert study.ask("e1").number == 1


def test_waiting_ends_when_the_other_one_does(path):
    plain(path).close()
    other = subprocess.Popen(["flock", f"{path}-lock", "sh", "-c", "echo locked; read x"], stdin=-1, stdout=-1)
    other.stdout.readline()
    code = f"import scant\nprint('begins', flush=True)\nprint(scant.Study({str(path)!r}, wait=250).ask('e1').number)"
    waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert waiting.stdout.readline() == "begins\n"
    other.communicate(b"x\n")
    assert waiting.communicate()[0] == "1\n"


@pytest.mark.parametrize("opened", [False, True])
def test_signals_while_it_waits(path, opened):
    """A handler runs while the library waits: what it raises comes out, else the waiting goes on."""
    plain(path).close()
    code = f"""
import os, signal, scant
seen = []
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background, which ignores it
signal.signal(signal.SIGUSR1, lambda *_: (seen.append(1), os.write(1, b"seen\\n")))  # print may be interrupted itself
study = scant.Study({str(path)!r}, wait=250) if {opened} else None
print("ready", flush=True)
input()
try:
    study.ask("e1") if study else scant.Study({str(path)!r}, wait=250)
except KeyboardInterrupt:
    print("interrupted", len(seen), flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=subprocess.PIPE, stderr=-1, text=True)
    assert child.stdout.readline() == "ready\n"
    with locked(path):
        child.stdin.write("\n")
        child.stdin.flush()
        while not os.path.exists(f"{path}-queue"):
            time.sleep(0.001)
        for _ in range(3):
            child.send_signal(signal.SIGUSR1)
            assert child.stdout.readline() == "seen\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate() == ("interrupted 3\n", "")
    with scant.Study(path) as study:
        assert study.status().orders == 0


def _work(path, part):
    random = np.random.default_rng(part)
    with scant.Study(path, wait=250) as study:
        for i in range(10):
            x = random.normal(size=6)
            study.tell(f"{part}-{i}", values_of(study.ask(f"{part}-{i}"), x), y=x[1])


def test_processes(path):
    study = plain(path)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_work, args=(path, part)) for part in range(4)]
    for process in processes:
        process.start()
    _work(path, 4)
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert study.status().learned == 50
    assert study.verify().same_bits
    study.close()


FORKS = {
    "os.fork": "child = os.fork()\nif not child: sleep()",
    "multiprocessing": "multiprocessing.get_context('fork').Process(target=sleep).start()",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("how", list(FORKS))
def test_a_killed_parent_leaves_no_lock_with_its_child(path, how):
    """The parent holds the lock in a call of another thread when it forks, and is killed."""
    plain(path).close()
    code = f"""
import multiprocessing, os, sys, threading, time, scant
from scant import _library as c
from scant._options import Settings
import ctypes

def sleep():
    print(os.getpid(), flush=True)
    time.sleep(1000)

held = ctypes.c_void_p()
c.study_open_waiting(ctypes.byref(held), {str(path)!r}.encode(), 1, None, Settings())
{FORKS[how]}
time.sleep(1000)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    try:
        with pytest.raises(scant.StudyBusy):
            scant.Study(path)
        parent.kill()
        parent.wait()
        os.kill(child, 0)  # it is there
        with scant.Study(path) as study:
            assert study.ask("e1").number == 1
    finally:
        os.kill(child, signal.SIGKILL)
        parent.stdout.close()


# ---- the planner


@needs_lapack
def test_until_error(path, command):
    random = np.random.default_rng(0)
    with scant.Study.create(path, list("abcdef"), k=3, algorithm="gaussian") as study:
        with pytest.raises(scant.DataError, match="no example"):
            study.status(until_error=1)
        for i in range(60):
            x = random.normal(size=6)
            y = 3 * x[0] - 3 * x[3] + random.normal()
            study.import_rows({f"e{i}": {**dict(zip("abcdef", x, strict=True)), "y": y}})
        assert study.status().outlook is None
        outlook = study.status(until_error=4).outlook
        found = scant.plan(study, reach=4, k=3, algorithm="gaussian").table[0]["reach"]
        assert outlook.learned == 60 and outlook.k == 3 and outlook.error == 4
        assert (outlook.examples, outlook.reached) == (int(np.ceil(found["examples"])), found["runs"])
        assert outlook.more == max(0, outlook.examples - 60)
        with pytest.raises(scant.DataError, match="can't be reached"):
            study.status(until_error=0.001)
        for wrong in (0, -1, float("nan")):
            with pytest.raises(scant.ScantError):
                study.status(until_error=wrong)
    words = f"to error 4   about {outlook.more} more examples, {outlook.examples} in all with K = 3"
    assert words in command("study", "status", path, "--until-error", "4")


def test_reading_while_another_writes(path):
    with plain(path) as study, scant.Study(path, "read") as reader:
        for i in range(3):
            order = study.ask(f"e{i}")
            there = reader.find(f"e{i}")
            assert (there.number, there.lines, there.state) == (order.number, order.lines, "issued")
            study.tell(f"e{i}", dict.fromkeys(order.names, 1.5), y=1)
        assert [order.number for order in reader.orders()] == [1, 2, 3]
        assert [repr(event) for event in reader.ledger()] == [repr(event) for event in study.ledger()]
        before = everything(study)
        for act in (
            lambda: reader.ask("other"),
            lambda: reader.tell("e1", y=5),
            lambda: reader.cancel("e1"),
            lambda: reader.import_rows({"old": {"a1": 1, "y": 2}}),
            reader.replay,
        ):
            with pytest.raises(scant.ScantError):
                act()
        assert everything(study) == before


def test_threads(path):
    failures = []

    def work(study, part):
        random = np.random.default_rng(part)
        try:
            for i in range(20):
                x = random.normal(size=6)
                study.tell(f"{part}-{i}", values_of(study.ask(f"{part}-{i}"), x), y=x[1])
                study.status()
        except Exception as failure:
            failures.append(failure)

    with plain(path) as study:
        threads = [threading.Thread(target=work, args=(study, part)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert study.status().learned == 80
        assert study.verify().same_bits


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_leaves_it_alone(path):
    code = f"""
import os, scant
study = scant.Study.create({str(path)!r}, ["a", "b", "c"], algorithm="auto", k=2)
study.ask("e1")
child = os.fork()
if not child:
    try:
        study.ask("e2")
    except scant.MisuseError as refused:
        print(refused, flush=True)
    study.close()
    os._exit(0)
os.waitpid(child, 0)
study.ask("e3")
print(study.status().orders, study.verify().same_bits)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "the study was opened by another process: each opens it for itself",
        "2 True",
    ], done.stderr
