"""The engine that is a Spark cluster: tasks are tasks of Spark, and what is kept is an RDD that is persisted.

Parts lie in slices: slice s of an RDD holds the parts from s 2^g to (s + 1) 2^g - 1, as one list.  So a slice alone can
merge g levels of the tree, and what goes up is the same to the bit for every g.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..._errors import MisuseError, UsageError
from .._blocks import Engine, Kept, Merge, OfKept, OfPart, OfTask, Task, seconds_of

try:
    from pyspark import StorageLevel
    from pyspark.serializers import BatchedSerializer, CPickleSerializer
except ImportError as missing:
    raise ImportError(
        f"scant.distributed.spark needs pyspark: pip install 'scant-learn[spark]' ({missing})"
    ) from missing

from ._jobs import Jobs, the_session
from ._steps import (
    Above,
    Failure,
    Keep,
    KeepAfter,
    Leaves,
    Map,
    MapKept,
    Merger,
    Neighbours,
    Pick,
    Rows,
    Runs,
    Shared,
    failures_of,
    itself,
)

# Nodes of the tree that the driver merges itself; where there are more, executors merge FAN neighbours at a time first.
AT_DRIVER = 16
FAN = 8  # a power of 2

# Bytes of a shared value that go with each task: a broadcast takes longer.
SMALL = 1 << 16

# Slices per core: few enough that a job of little work is short, enough that all cores are busy to its end.
SLICES_PER_CORE = 4


class _File:
    """A checkpoint of Spark's, which goes when nothing is built on it any more."""

    def __init__(self, path: str) -> None:
        self.path = path


class _State:
    """What is kept: an RDD with one list per slice; how many keeps ago it was written or begun; and what its slices are
    made from when they are lost."""

    def __init__(self, rdd: Any, levels: int, depth: int, needs: tuple[Any, ...]) -> None:
        self.rdd, self.levels, self.depth, self.needs = rdd, levels, depth, needs


class SparkEngine(Engine):
    """Runs tasks on the executors of a Spark session.

    spark : SparkSession or None
        None: the one that there is, or a new one.
    timeout : float
        Seconds in which no task ends, after which it gives up.
    checkpoint_interval : int
        After so many rounds what is kept is written to Spark's checkpoint folder, if one is set
        (``SparkContext.setCheckpointDir``), and what it was made from is forgotten.  -1: never.
    """

    name = "spark"

    def __init__(self, spark: Any = None, timeout: float = 600.0, checkpoint_interval: int = 10) -> None:
        timeout = seconds_of(timeout)
        if isinstance(checkpoint_interval, bool) or not (checkpoint_interval == -1 or checkpoint_interval >= 1):
            raise UsageError(f"checkpoint_interval={checkpoint_interval!r} is neither 1 or more nor -1")
        self.spark = the_session(spark)
        self.timeout = timeout
        self.checkpoint_interval = checkpoint_interval
        self._context = self.spark.sparkContext
        self._jobs = Jobs(self._context, self.timeout)
        self._operations = itertools.count(1)
        self._runs = self._context.accumulator({}, Runs())
        self._failures = self._most_failures()
        # What nothing refers to any more.  It is removed at the next call and not by the garbage collector, which may
        # run in the middle of a conversation with the JVM.
        self._stale: list[Callable[[], Any]] = []

    # ---- the calls of an engine

    @property
    def retried(self) -> int:  # type: ignore[override]
        return sum(runs > 1 for runs in list(self._runs.value.values()))

    def run(self, label: str, action: Callable[[], Any]) -> Any:
        """What an action that starts jobs returns; they are watched and described."""
        return self._jobs.run(label, next(self._operations), action)

    def share(self, value: Any) -> Any:
        self._jobs.check_alive()
        self._sweep()
        pickled = pickle.dumps(value)
        if len(pickled) <= SMALL:
            return Shared(None, pickled)
        shared = self._jobs.run("scant: share", 0, lambda: Shared(self._context.broadcast(value)))
        self._when_unused(shared, shared.broadcast.destroy)
        return shared

    def map(self, function: OfTask, tasks: Sequence[Task], shared: Any = None, label: str = "") -> list[Any]:
        tasks = list(tasks)
        if not tasks:
            return []
        operation, step = self._step(shared)
        do = Map(function, *step)
        if not self._has_rows(tasks):
            made = self._of_tasks
            levels = self._levels(len(tasks))
            return self._told(self._jobs.run(label, operation, lambda: made(tasks, levels).mapPartitions(do).collect()))
        partitions = [task.inputs[0].partition for task in tasks]
        if len(set(partitions)) < len(partitions):
            raise MisuseError("two tasks work on one partition of an RDD")
        by_partition = self.share(dict(zip(partitions, tasks, strict=True)))
        # Partitions that have no task are not looked at.
        return self._told(
            self._jobs.run(
                label,
                operation,
                lambda: self._context.runJob(
                    self._of_rows(tasks, by_partition, step).mapPartitions(do), list, partitions
                ),
            )
        )

    def keep(
        self, function: OfPart, tasks: Sequence[Any], before: Kept | None = None, shared: Any = None, label: str = ""
    ) -> Kept:
        tasks = list(tasks)
        if before is not None and before.count != len(tasks):
            raise MisuseError(f"{len(tasks)} tasks for the {before.count} parts that are kept")
        if not tasks:
            return Kept(None, 0)
        old = None if before is None else self._state(before)
        rows = self._has_rows(tasks)
        levels = old.levels if old else 0 if rows else self._levels(len(tasks))
        if rows and levels:
            raise MisuseError("parts that are partitions of an RDD cannot follow parts that are not")
        if rows and any(task is not None and task.inputs[0].partition != at for at, task in enumerate(tasks)):
            raise MisuseError("a part that is a partition of an RDD must have its number")
        by_partition = self.share({at: task for at, task in enumerate(tasks) if task is not None}) if rows else None
        operation, step = self._step(shared)
        depth = old.depth + 1 if old else 1
        checkpoint = self.checkpoint_interval > 0 and depth >= self.checkpoint_interval and self._has_checkpoints()

        def make() -> tuple[Any, list[list[Failure]], str | None]:
            made = self._of_rows(tasks, by_partition, step) if rows else self._of_tasks(tasks, levels)
            kept = (
                _alone(old.rdd.zip(made).mapPartitions(KeepAfter(function, *step)))
                if old
                else _alone(made.mapPartitions(Keep(function, *step)))
            )
            kept.persist(StorageLevel.MEMORY_AND_DISK)
            if checkpoint:
                kept.checkpoint()
            try:
                return kept, kept.map(failures_of).collect(), kept.getCheckpointFile() if checkpoint else None
            except BaseException:
                kept.unpersist()
                raise

        rdd, failures, path = self._jobs.run(label, operation, make)
        needs: tuple[Any, ...] = (shared, by_partition, *(old.needs if old else ()))
        if path is not None:
            file = _File(path)
            self._when_unused(file, lambda: self._delete(path))
            needs = (file,)
        kept = Kept(_State(rdd, levels, 0 if path is not None else depth, needs), len(tasks))
        for failure in itertools.chain(*failures):
            self.forget(kept)
            raise failure.raised
        return kept

    def map_kept(self, function: OfKept, kept: Kept, shared: Any = None, label: str = "") -> list[Any]:
        if not kept.count:
            return []
        state = self._state(kept)
        operation, step = self._step(shared)
        do = MapKept(function, *step)
        return self._told(self._jobs.run(label, operation, lambda: state.rdd.mapPartitions(do).collect()))

    def reduce(self, function: OfKept, merge: Merge, kept: Kept, shared: Any = None, label: str = "") -> bytes:
        if not kept.count:
            return b""
        state, merging = self._state(kept), Merger(merge)
        operation, step = self._step(shared)

        def nodes() -> list[tuple[int, Any]]:
            rdd = state.rdd.mapPartitions(Leaves(merging, function, *step))
            count = _ceil(kept.count, 1 << state.levels)
            while count > AT_DRIVER:
                count = _ceil(count, FAN)
                rdd = rdd.map(Above(FAN)).partitionBy(count, itself).mapPartitions(Neighbours(merging))
            return list(rdd.collect())

        replies = sorted(self._jobs.run(label, operation, nodes), key=lambda node: node[0])
        (reply,) = self._told([[merging.all([reply for _, reply in replies])]])
        return reply or b""

    def forget(self, kept: Kept) -> None:
        state, kept.state, kept.count = kept.state, None, 0
        if state is not None:
            with contextlib.suppress(Exception):  # the session may be gone
                self._jobs.bridge.call(state.rdd.unpersist)
        del state
        self._sweep()

    # ---- what they are made of

    def _step(self, shared: Any) -> tuple[int, tuple[Any, ...]]:
        """A new operation, and what its objects on the executors are told."""
        self._jobs.check_alive()
        self._sweep()
        operation = next(self._operations)
        return operation, (operation, shared, self._runs, self._failures)

    def _levels(self, count: int) -> int:
        """Of the tree, within a slice."""
        most = max(SLICES_PER_CORE * self._context.defaultParallelism, 1)
        return max(0, (_ceil(count, most) - 1).bit_length())

    @staticmethod
    def _has_rows(tasks: list[Any]) -> bool:
        return any(task is not None and task.inputs and isinstance(task.inputs[0], Rows) for task in tasks)

    def _of_tasks(self, tasks: list[Any], levels: int) -> Any:
        """One list of (task, inputs) per slice."""
        pairs = [(task, () if task is None else task.inputs) for task in tasks]
        slices = [pairs[at : at + (1 << levels)] for at in range(0, len(pairs), 1 << levels)]
        return self._context.parallelize(slices, len(slices))

    @staticmethod
    def _of_rows(tasks: list[Any], by_partition: Any, step: tuple[Any, ...]) -> Any:
        """One list of one (task, inputs) per partition."""
        operation, _, runs, failures = step
        rows = next(task.inputs[0].rdd for task in tasks if task is not None)
        return _alone(rows.mapPartitionsWithIndex(Pick(operation, by_partition, runs, failures)))

    @staticmethod
    def _told(slices: Sequence[Sequence[Any]]) -> list[Any]:
        """The results of all slices, or what the first failure was."""
        results = [one for held in slices for one in held]
        for one in results:
            if isinstance(one, Failure):
                raise one.raised
        return results

    @staticmethod
    def _state(kept: Kept) -> _State:
        if not isinstance(kept.state, _State):
            raise MisuseError("what was kept is forgotten already")
        return kept.state

    def _most_failures(self) -> int:
        """How many times Spark lets a task fail: in local mode once, unless the master says more."""
        master = self._context.master
        if master.startswith("local") and not master.startswith("local-cluster"):
            told = master.partition("[")[2].rstrip("]").partition(",")[2]
            return int(told) if told.strip().isdigit() else 1
        return int(self._context.getConf().get("spark.task.maxFailures", "4") or 4)

    # ---- what goes when it is not used any more

    def _has_checkpoints(self) -> bool:
        return self._context.getCheckpointDir() is not None

    def _when_unused(self, holder: Any, remove: Callable[[], Any]) -> None:
        weakref.finalize(holder, self._stale.append, remove).atexit = False

    def _sweep(self) -> None:
        while self._stale:
            remove = self._stale.pop()
            with contextlib.suppress(Exception):  # it is gone with its session
                self._jobs.bridge.call(remove)

    def _delete(self, path: str) -> None:
        jvm, jsc = self._context._jvm, self._context._jsc
        assert jvm is not None
        where = jvm.org.apache.hadoop.fs.Path(path)
        where.getFileSystem(jsc.hadoopConfiguration()).delete(where, True)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _alone(rdd: Any) -> Any:
    """Its elements one by one, so that it can be zipped without going through Python once more."""
    return rdd._reserialize(BatchedSerializer(CPickleSerializer(), 1))
