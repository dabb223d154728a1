"""The engine alone, with functions that know nothing of sums: order, tree, what is kept, shared and let go of, and
workers that die in the middle."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # dask_support.py
from dask_support import KillingEngine, cluster_of, is_empty, kill  # noqa: E402  (skips without Dask)

# isort: split
import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.array  # noqa: E402
import distributed  # noqa: E402

from scant import DataError, ScantError, UsageError  # noqa: E402
from scant.distributed._blocks import EngineError, merge_levels  # noqa: E402
from scant.distributed._local import LocalEngine  # noqa: E402
from scant.distributed.dask._engine import DaskEngine, lazy_values  # noqa: E402
from scant.distributed.parquet._files import saying  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Step:
    """A task: a number, and how long to work."""

    def __init__(self, number, inputs=(), seconds=0.0):
        self.number, self.inputs, self.seconds = number, inputs, seconds


LARGE = 2**20  # a shared value of so many bytes is a task of its own


def add(task, inputs, shared):
    time.sleep(task.seconds)
    return task.number + sum(inputs) + (shared or 0)


def grow(task, inputs, before, shared):
    if task is not None:
        time.sleep(task.seconds)
    return (before or b"") + (b"-" if task is None else b"%d" % task.number) + (shared or b"")[:1]


def read(kept, shared):
    return kept.decode() + (shared or b"")[:1].decode()


def slow_read(kept, shared):
    time.sleep(0.05)
    return kept


def odd_ones(kept, shared):
    return None if kept[-1] % 2 == 0 else kept


def join(a, b):
    """Not associative: says in which tree it was called."""
    return b"(" + a + b"+" + b + b")"


def slow_join(a, b):
    time.sleep(0.05)
    return join(a, b)


def test_results_come_in_order_whoever_ran_them():
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        shared = engine.share(100)
        tasks = [Step(number, seconds=0.05 * (number % 3)) for number in range(12)]
        assert engine.map(add, tasks, shared, "scant: some") == [number + 100 for number in range(12)]
        assert engine.map(add, tasks[:2], 7) == [7, 8]
        assert engine.map(add, []) == []
        assert engine.retried == 0
    assert is_empty(cluster)


def test_inputs_are_values_of_a_lazy_collection():
    cluster, client = cluster_of(2)
    x = dask.array.arange(12, chunks=3)
    plain = x.map_blocks(lambda chunk: chunk.sum(keepdims=True), dtype=int, chunks=((1,) * 4,))
    with DaskEngine(client) as engine:
        for collection in (plain, client.persist(plain)):
            (values,) = lazy_values(collection)
            tasks = [Step(1000, (value,)) for value in values]
            assert [int(result[0]) for result in engine.map(add_arrays, tasks)] == [1003, 1012, 1021, 1030]
            # only what is wanted is computed
            assert [int(result[0]) for result in engine.map(add_arrays, tasks[2:3])] == [1021]
        future = client.submit(pow, 2, 5, pure=False)
        assert engine.map(add, [Step(1, (future,))]) == [33]
        del collection, values, tasks, future
    assert is_empty(cluster)


def add_arrays(task, inputs, shared):
    return inputs[0] + task.number


def test_what_is_kept_stays_and_grows_and_goes():
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        first = engine.keep(grow, [Step(number) for number in range(5)], label="scant: round 0, buy")
        tasks = [Step(9), None, Step(8), None, None]
        second = engine.keep(grow, tasks, first, engine.share(b"!" * LARGE), "scant: round 1, buy")
        engine.forget(first)
        assert engine.map_kept(read, second, engine.share(b"?")) == ["09!?", "1-!?", "28!?", "3-!?", "4-!?"]
        with pytest.raises(EngineError, match="forgotten"):
            engine.map_kept(read, first)
        prefixes = set(cluster.scheduler.task_prefixes)
        assert {"scant: round 0, buy", "scant: round 1, buy", "scant: share"} <= prefixes
        engine.forget(second)
        assert is_empty(cluster)
    third = engine.keep(grow, [Step(1)])
    assert cluster.scheduler.tasks
    engine.close()  # or a driver that failed
    assert is_empty(cluster)
    assert third.count == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 16, 21])
def test_the_tree_is_that_of_the_local_engine(count):
    cluster, client = cluster_of(2)
    tasks = [Step(number) for number in range(count)]
    here = LocalEngine()
    with DaskEngine(client) as engine:
        kept, same = engine.keep(grow, tasks), here.keep(grow, tasks)
        for function in (slow_read if count == 3 else odd_ones, nothing, grow_by):
            assert engine.reduce(function, join, kept) == here.reduce(function, join, same)
    assert is_empty(cluster)


def nothing(kept, shared):
    return None


def grow_by(kept, shared):
    return kept


def test_nothing_at_all_reduces_to_nothing():
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        assert engine.reduce(grow_by, join, engine.keep(grow, [])) == b"" == merge_levels([], join)


PHASES = ["map", "keep", "again", "ask", "merge"]


@pytest.mark.parametrize("phase", PHASES)
def test_a_worker_that_is_killed_changes_nothing(phase):
    cluster, client = cluster_of(2)
    results = []
    # `merge` has the label of the reduction: by then six tasks of it have begun
    words = {"map": "first", "keep": "second", "again": "third", "ask": "fourth", "merge": "fourth"}
    for engine in (LocalEngine(), KillingEngine(client, cluster, words[phase], 6 if phase == "merge" else 1)):
        shared = engine.share(b"s" * LARGE)
        number = engine.share(5)
        tasks = [Step(number, seconds=0.05) for number in range(6)]
        mapped = engine.map(add, tasks, number, "scant: first")
        kept = engine.keep(grow, tasks, None, shared, "scant: second")
        more = engine.keep(grow, [*tasks[:3], None, None, None], kept, shared, "scant: third")
        engine.forget(kept)
        results.append([mapped, engine.reduce(slow_read, slow_join, more, shared, "scant: fourth")])
        results[-1].append(engine.map_kept(read, more, shared))
        if engine.name == "dask":
            assert engine.killed
            assert engine.retried >= 1  # it was at work
            engine.close()
    assert results[0] == results[1]
    assert is_empty(cluster)


def test_what_was_kept_before_a_worker_died_is_made_again():
    """Long chains, too: what came before was forgotten, and is computed once more."""
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        shared = engine.share(b"s" * LARGE)
        kept = engine.keep(grow, [Step(number) for number in range(8)], None, shared)
        for turn in range(3):
            later = engine.keep(grow, [Step(turn)] * 8, kept, engine.share(b"%d" % turn * LARGE))
            engine.forget(kept)
            kept = later
        del shared
        kill(cluster, 0)
        kill(cluster, 1)  # nothing is left anywhere
        assert engine.map_kept(read, kept) == [f"{number}s001122" for number in range(8)]
        assert engine.retried >= 8
    assert is_empty(cluster)


def refuse(task, inputs, shared):
    with open(shared, "a") as log:
        log.write("x")
    if task.number in (2, 4):
        time.sleep(0.3 if task.number == 2 else 0)
        raise DataError(f"partition {task.number} is bad")
    return 0


def test_what_scant_refuses_is_raised_once_and_the_first_part_wins(tmp_path):
    cluster, client = cluster_of(4)
    with DaskEngine(client) as engine:
        with pytest.raises(DataError, match="^partition 2 is bad$"):
            engine.map(refuse, [Step(number) for number in range(5)], str(tmp_path / "log"))
        assert (tmp_path / "log").read_text() == "x" * 5
        with pytest.raises(DataError, match="^partition 2 is bad$"):
            engine.keep(refuse_kept, [Step(number) for number in range(5)], None, str(tmp_path / "log"))
    assert is_empty(cluster)


def refuse_kept(task, inputs, before, shared):
    return bytes(refuse(task, inputs, shared))


def stumble(task, inputs, shared):
    path = f"{shared}{task.number}"
    if task.number == 1 and not os.path.exists(path):
        with open(path, "w"):
            raise OSError("the storage is slow today")
    return task.number


def fall(task, inputs, shared):
    raise OSError("the storage is gone")


def test_a_read_that_fails_is_tried_again(tmp_path):
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        assert engine.map(stumble, [Step(0), Step(1)], str(tmp_path / "mark")) == [0, 1]
        assert engine.retried == 1
        with pytest.raises(OSError, match="the storage is gone"):
            engine.map(fall, [Step(0)])
    assert is_empty(cluster)


def stumble_over_parquet(task, inputs, shared):
    """The first read fails as those of scant.distributed.parquet do."""
    with saying("file 'a.parquet', row group 3"):
        return stumble(task, inputs, shared)


def test_so_is_a_read_of_parquet(tmp_path):
    cluster, client = cluster_of(2)
    with DaskEngine(client) as engine:
        assert engine.map(stumble_over_parquet, [Step(0), Step(1)], str(tmp_path / "mark")) == [0, 1]
        assert engine.retried == 1
    assert is_empty(cluster)


def die(task, inputs, shared):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_its_workers_is_a_sentence():
    cluster, client = cluster_of(2)
    cluster.scheduler.allowed_failures = 0
    with DaskEngine(client) as engine:
        with pytest.raises(EngineError, match=r"1 workers died while they ran the same task \(scant: buy\), the last"):
            engine.map(die, [Step(1)], label="scant: buy")
    assert is_empty(cluster)
    kill(cluster, 0)  # so that the next test waits for both
    kill(cluster, 1)
    cluster.scheduler.allowed_failures = 3


def test_without_a_client_there_is_a_sentence():
    with pytest.raises(EngineError, match="there is no Dask client: make one"):
        DaskEngine()
    assert issubclass(EngineError, ScantError)
    cluster, client = cluster_of(2)
    for timeout in (0, -1, float("nan")):
        with pytest.raises(UsageError, match="timeout"):
            DaskEngine(client, timeout=timeout)


@pytest.fixture
def small_cluster():
    """Of one worker that nobody starts again."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
    ) as cluster:
        with distributed.Client(cluster, set_as_default=False) as client:
            yield cluster, client


def test_no_worker_is_a_sentence_in_bounded_time(small_cluster):
    cluster, client = small_cluster
    engine = DaskEngine(client)
    kept = engine.keep(grow, [Step(1)])
    cluster.scale(0)
    client.sync(_until_alone, client)
    engine.timeout = 2
    for call in (lambda: engine.map(add, [Step(1)]), lambda: engine.reduce(grow_by, join, kept, label="scant: ask")):
        with pytest.raises(EngineError, match="the Dask cluster has no worker, and nothing happened for 2 seconds"):
            call()
    engine.close()
    assert is_empty(cluster)


async def _until_alone(client):
    import asyncio

    while (await client.scheduler.identity())["workers"]:
        await asyncio.sleep(0.05)


def wait(task, inputs, shared):
    """Says that it has begun, and waits until it may end."""
    open(os.path.join(shared, "begun"), "x").close()
    while not os.path.exists(os.path.join(shared, "end")):
        time.sleep(0.01)


def test_a_task_that_never_ends_is_a_sentence(small_cluster, tmp_path):
    cluster, client = small_cluster
    engine = DaskEngine(client, timeout=2)
    with pytest.raises(EngineError, match=r"no task began or ended for 2 seconds on 1 Dask workers \(scant: slow, 1"):
        engine.map(wait, [Step(1)], str(tmp_path), label="scant: slow")
    (tmp_path / "end").touch()
    engine.close()


def test_a_client_or_scheduler_that_is_gone_is_a_sentence(small_cluster, tmp_path):
    cluster, client = small_cluster
    engine = DaskEngine(client)

    def close():
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        client.close()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(EngineError, match="gone"):
        engine.map(wait, [Step(1)], str(tmp_path), label="scant: slow")
    closer.join()
    with pytest.raises(EngineError, match="the Dask client was closed"):
        engine.share(1)
    (tmp_path / "end").touch()
    engine.close()


SCHEDULER = """
import asyncio, distributed

async def main():
    async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard_address=":0") as scheduler:
        async with distributed.Worker(scheduler.address, nthreads=1, memory_limit=0):
            print(scheduler.address, flush=True)
            await scheduler.finished()

asyncio.run(main())
"""


def test_a_scheduler_that_is_killed_is_a_sentence():
    """It is a process of its own, which a worker is in, too: its task kills both."""
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            client = distributed.Client(process.stdout.readline().strip(), set_as_default=False)
            engine = DaskEngine(client)
            kept = engine.keep(grow, [Step(1), Step(2)])
            with pytest.raises(EngineError, match=r"^Dask's scheduler is gone, or it dropped the tasks \(scant: buy\)"):
                engine.map(die, [Step(1)], label="scant: buy")
            engine.timeout = 1  # for the client still tries to connect
            for call in (
                lambda: engine.map(add, [Step(1)], label="scant: later"),
                lambda: engine.reduce(grow_by, join, kept, label="scant: later"),
            ):
                with pytest.raises(EngineError, match="scheduler (does not answer, and nothing|is gone)"):
                    call()
            engine.forget(kept)
            engine.close()
            client.close()
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
