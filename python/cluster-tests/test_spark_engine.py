"""The engine alone, with functions that know nothing of sums: order, tree, what is kept, shared and let go of, what
goes wrong on an executor, and a session that is gone."""

import gc
import os
import pathlib
import signal
import sys
import threading
import time
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # spark_support.py
from spark_support import session_of, stop_session  # noqa: E402  (skips without Spark)

# isort: split
from pyspark import TaskContext, cloudpickle  # noqa: E402

from scant import DataError, EngineError, FileError, UsageError  # noqa: E402
from scant.distributed._local import LocalEngine  # noqa: E402
from scant.distributed.parquet._files import saying  # noqa: E402
from scant.distributed.spark import _engine, _jobs  # noqa: E402
from scant.distributed.spark._engine import SparkEngine  # noqa: E402
from scant.distributed.spark._steps import Rows  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module", autouse=True)
def sessions():
    yield
    stop_session()


@pytest.fixture
def spark():
    return session_of()


@pytest.fixture
def engine(spark):
    return SparkEngine(spark)


class Step:
    """A task: a number."""

    def __init__(self, number, inputs=()):
        self.number, self.inputs = number, inputs


def times(task, inputs, shared):
    return task.number * shared


def hold(task, inputs, before, shared):
    """What happened to a part, as text."""
    return (before or b"") + (b"-" if task is None else b"%d" % task.number) + (shared or b"")


def tell(held, shared):
    return None if shared and held[:1] in shared else held


def pair(a, b):
    """The tree as brackets: two trees are the same if these are."""
    return b"(" + a + b" " + b + b")"


def steps(count, every=1):
    return [Step(number) if number % every == 0 else None for number in range(count)]


def same_of(engine, count, silent=b""):
    """What an engine makes of two rounds over so many parts."""
    shared = engine.share(b"!")
    first = engine.keep(hold, steps(count), shared=shared)
    second = engine.keep(hold, steps(count, 2), first)
    engine.forget(first)
    told = engine.map_kept(tell, second)
    reply = engine.reduce(tell, pair, second, engine.share(silent))
    engine.forget(second)
    return engine.map(times, steps(count), engine.share(3)), told, reply


@pytest.mark.parametrize("count", [1, 2, 7, 16, 21])
def test_it_does_what_the_local_engine_does(engine, count):
    assert same_of(engine, count) == same_of(LocalEngine(), count)


def test_parts_that_say_nothing(engine):
    for silent in (b"1", b"0123456789"):
        assert same_of(engine, 21, silent) == same_of(LocalEngine(), 21, silent)


@pytest.mark.parametrize("slices", [1, 50])
def test_the_tree_is_the_same_for_other_slices_and_where_executors_merge(engine, slices, monkeypatch):
    monkeypatch.setattr(_engine, "SLICES_PER_CORE", slices)
    monkeypatch.setattr(_engine, "AT_DRIVER", 2)
    monkeypatch.setattr(_engine, "SMALL", 0)  # everything is broadcast
    monkeypatch.setattr(_engine, "FAN", 4)
    assert same_of(engine, 13, b"2") == same_of(LocalEngine(), 13, b"2")


def test_nothing_to_do(engine):
    kept = engine.keep(hold, [])
    assert (engine.map(times, []), engine.map_kept(tell, kept), engine.reduce(tell, pair, kept)) == ([], [], b"")


# ---- rows of an RDD ----------------------------------------------------------


class Evens(Rows):
    def pick(self, task, elements):
        return [element for element in elements if element % 2 == 0]


def list_inputs(task, inputs, shared):
    return task.number, inputs


def hold_inputs(task, inputs, before, shared):
    return (before or b"") + repr(inputs).encode()


def test_tasks_that_work_on_the_partitions_of_an_rdd(spark, engine):
    rdd = spark.sparkContext.parallelize(range(10), 4).persist()
    tasks = [Step(7 * at, (Evens(rdd, at),)) for at in range(4)]
    parts = [[at for at in part if at % 2 == 0] for part in rdd.glom().collect()]
    assert engine.map(list_inputs, [tasks[2], tasks[0]]) == [(14, (parts[2],)), (0, (parts[0],))]
    first = engine.keep(hold_inputs, [tasks[0], None, tasks[2], None])
    second = engine.keep(hold_inputs, [None, None, tasks[2], tasks[3]], first)
    third = engine.keep(hold_inputs, [None] * 4, second)
    wanted = [[repr(() if at not in round_ else (parts[at],)) for round_ in ((0, 2), (2, 3), ())] for at in range(4)]
    assert [held.decode() for held in engine.map_kept(tell, third)] == ["".join(one) for one in wanted]
    for kept in (first, second, third):
        engine.forget(kept)
    rdd.unpersist()


# ---- what goes wrong ----------------------------------------------------------


def refuse(task, inputs, shared):
    if task.number >= 2:
        raise DataError(f"part {task.number}: no target")
    return 0


def refuse_to_hold(task, inputs, before, shared):
    return bytes([refuse(task, inputs, shared)])


def refuse_to_tell(held, shared):
    raise DataError(f"what is held as {held.decode()} is bad")


def refuse_to_merge(a, b):
    raise DataError(f"{a.decode()} is in both")


def test_our_own_sentences_come_out_as_themselves_and_are_not_tried_again(spark, engine):
    for fails in (
        lambda: engine.map(refuse, steps(5)),
        lambda: engine.keep(refuse_to_hold, steps(5)),
    ):
        with pytest.raises(DataError, match="^part 2: no target$") as raised:
            fails()
        assert raised.value.__cause__ is None and raised.value.__context__ is None  # no page of Spark's
    kept = engine.keep(hold, steps(5))
    with pytest.raises(DataError, match="^what is held as 0 is bad$"):
        engine.map_kept(refuse_to_tell, kept)
    with pytest.raises(DataError, match="^what is held as 0 is bad$"):
        engine.reduce(refuse_to_tell, pair, kept)
    with pytest.raises(DataError, match="^0 is in both$"):
        engine.reduce(tell, refuse_to_merge, kept)
    assert engine.retried == 0
    assert engine.map_kept(tell, kept) == [b"0", b"1", b"2", b"3", b"4"]  # it is as it was
    engine.forget(kept)
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


def stumble(task, inputs, shared):
    """Passes at the attempt that is asked for."""
    if task.number == 1 and TaskContext.get().attemptNumber() < shared:
        raise OSError("the store does not answer")
    return task.number


def test_what_may_pass_is_tried_again_and_counted(engine):
    assert engine.map(stumble, steps(3), 2) == [0, 1, 2]
    assert engine.retried == 1
    with pytest.raises(OSError, match="the store does not answer"):
        engine.map(stumble, steps(3), 3)


def stumble_over_parquet(task, inputs, shared):
    """A read fails as those of scant.distributed.parquet do."""
    with saying("file 'a.parquet', row group 3"):
        return stumble(task, inputs, shared)


def test_a_read_of_parquet_is_tried_again(engine):
    assert engine.map(stumble_over_parquet, steps(3), 2) == [0, 1, 2]
    assert engine.retried == 1
    with pytest.raises(FileError, match="^file 'a.parquet', row group 3 can't be read: the store does not answer$"):
        engine.map(stumble_over_parquet, steps(3), 3)


class Odd(Exception):
    def __init__(self, a, b):
        super().__init__(a)


def raise_odd(task, inputs, shared):
    raise Odd("cannot be pickled", 1)


def end_process(task, inputs, shared):
    os._exit(3)


def test_failures_that_are_not_ours_are_sentences(engine):
    with pytest.raises(EngineError, match="a task of Spark failed: Odd: cannot be pickled"):
        engine.map(raise_odd, steps(1))
    with pytest.raises(EngineError, match="^scant: buy: Spark failed: ") as raised:
        engine.map(end_process, steps(1), label="scant: buy")
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 800 and raised.value.__cause__ is not None


def test_an_executor_without_scant_is_told_of_its_python(engine):
    class Gone(Exception):
        def __str__(self):
            return (
                "Traceback (most recent call last):\n  File 'x', line 1\nModuleNotFoundError: No module named 'scant'\n"
            )

    sentence = str(engine._jobs._sentence(Gone(), "scant: buy"))
    assert "the executors of Spark have no scant" in sentence
    assert "PYSPARK_PYTHON" in sentence and sys.executable in sentence


def test_settings_are_checked(spark):
    for wrong in ({"timeout": 0}, {"timeout": "x"}, {"checkpoint_interval": 0}, {"spark": object()}):
        with pytest.raises(UsageError):
            SparkEngine(**{"spark": spark, **wrong})


# ---- jobs ---------------------------------------------------------------------


def properties(task, inputs, shared):
    context = TaskContext.get()
    return [context.getLocalProperty(name) for name in ("spark.job.description", "spark.jobGroup.id", "mine")]


def test_jobs_are_described_and_the_properties_of_the_caller_stay(spark, engine):
    context = spark.sparkContext
    names = ("spark.job.description", "spark.jobGroup.id", "spark.job.tags", "mine")
    before = [context.getLocalProperty(name) for name in names]
    ((description, group, _),) = engine.map(properties, steps(1), label="scant: round 2 of 6, buy")
    assert description == "scant: round 2 of 6, buy" and group.startswith("scant-")
    assert [context.getLocalProperty(name) for name in names] == before
    context.setJobGroup("theirs", "their words")
    context.setLocalProperty("mine", "3")
    try:
        assert engine.map(properties, steps(1), label="x") == [["x", "theirs", "3"]]
        assert context.getLocalProperty("spark.job.description") == "their words"
    finally:
        for name in names:
            context.setLocalProperty(name, None)


def sleep(task, inputs, shared):
    time.sleep(shared)


def is_busy(spark):
    return bool(spark.sparkContext.statusTracker().getActiveJobsIds())


def is_idle(spark):
    while is_busy(spark):
        time.sleep(0.05)
    return True


def test_a_wait_is_bounded(spark):
    # on a machine that is busy with other things the task may not have begun
    with pytest.raises(EngineError, match=r"^scant: buy: no task of Spark ended for 3 seconds \(\w+ (are|is) running"):
        SparkEngine(spark, timeout=3).map(sleep, steps(1), 3600, label="scant: buy")
    assert is_idle(spark)


def test_a_jvm_that_does_not_answer_is_a_sentence(spark):
    """In the middle of a job, at a new one, and where something is let go of; and all is well once it answers again."""
    jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    engine, other = SparkEngine(spark), SparkEngine(spark)
    kept = engine.keep(hold, steps(2))

    def stop():
        while not is_busy(spark):
            time.sleep(0.05)
        for one in (engine, other):
            one._jobs.bridge.timeout = 2
        os.kill(jvm, signal.SIGSTOP)

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        with pytest.raises(EngineError, match=r"^Spark's JVM does not answer for 2 seconds; the fit gave up$"):
            other.map(sleep, steps(1), 3600, label="scant: buy")
        with pytest.raises(EngineError, match="does not answer"):
            engine.map_kept(tell, kept)
        engine.forget(kept)
    finally:
        stopper.join()
        os.kill(jvm, signal.SIGCONT)
    spark.sparkContext.cancelAllJobs()
    assert is_idle(spark)
    assert SparkEngine(spark).map(times, steps(2), 2) == [0, 2]


def test_tasks_that_end_are_progress(spark, monkeypatch, tmp_path):
    """All together take longer than the wait, and each takes a tenth of it, by a clock that tasks advance."""

    def end(task, inputs, shared):
        time.sleep(0.3)  # so that somebody looks meanwhile
        open(os.path.join(shared, str(task.number)), "x").close()

    monkeypatch.setattr(_engine, "SLICES_PER_CORE", 50)
    clock = types.SimpleNamespace(monotonic=lambda: 60.0 * len(os.listdir(tmp_path)))
    monkeypatch.setattr(_jobs, "time", clock)
    assert SparkEngine(spark, timeout=600).map(end, steps(24), str(tmp_path)) == [None] * 24


def test_an_interrupt_cancels_the_job(spark, engine):
    def interrupt():
        while not is_busy(spark):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark's own handler cancels all jobs
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.map(sleep, steps(1), 3600)
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert is_idle(spark)


def test_a_job_that_others_cancel(spark, engine):
    def cancel():
        while not is_busy(spark):
            time.sleep(0.05)
        spark.sparkContext.cancelAllJobs()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(EngineError, match="^scant: buy: the job was cancelled$"):
        engine.map(sleep, steps(1), 3600, label="scant: buy")
    thread.join()


# ---- what is let go of ----------------------------------------------------------


def test_what_is_shared_goes_when_nothing_refers_to_it(engine, monkeypatch):
    monkeypatch.setattr(_engine, "SMALL", 0)
    shared = engine.share(b"!")
    broadcast = shared.broadcast
    kept = engine.keep(hold, steps(2), shared=shared)
    del shared
    gc.collect()
    engine.share(1)
    assert os.path.exists(broadcast._path)  # a slice that is lost is made with it
    engine.forget(kept)
    del kept
    gc.collect()
    engine.share(1)
    assert not os.path.exists(broadcast._path)


def test_checkpoints_cut_the_lineage_and_are_deleted(spark, tmp_path):
    context = spark.sparkContext
    engine = SparkEngine(spark, checkpoint_interval=2)

    def rounds(count):
        kept = engine.keep(hold, steps(5))
        for _ in range(count - 1):
            before, kept = kept, engine.keep(hold, steps(5), kept)
            engine.forget(before)
        return kept

    def files():
        return [path for path in tmp_path.glob("*/rdd-*") if path.is_dir()]

    context.setCheckpointDir(str(tmp_path))
    kept = rounds(5)
    assert len(files()) == 1  # of the fourth; the second's is not needed any more
    assert engine.map_kept(tell, kept) == [b"%d" % at * 5 for at in range(5)]
    assert kept.state.rdd.toDebugString().decode().count("ReliableCheckpointRDD") == 1
    engine.forget(kept)
    gc.collect()
    engine.share(1)
    assert files() == []


# ---- a session that is gone ------------------------------------------------------


def test_a_context_that_is_stopped_ends_the_fit(spark):
    engine = SparkEngine(spark)
    kept = engine.keep(hold, steps(3))

    def stop():
        while not is_busy(spark):
            time.sleep(0.05)
        spark.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(EngineError, match="^the SparkContext was stopped during scant: buy$"):
        engine.map(sleep, steps(1), 3600, label="scant: buy")
    thread.join()
    for call in (
        lambda: engine.map(times, steps(1), 1),
        lambda: engine.keep(hold, steps(3), kept),
        lambda: engine.share(1),
        lambda: SparkEngine(spark),
    ):
        with pytest.raises(EngineError, match="the SparkContext is stopped"):
            call()
    engine.forget(kept)
