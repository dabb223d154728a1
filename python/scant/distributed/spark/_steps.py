"""What of a distributed fit runs on the executors of Spark: small objects that are pickled by name, with the functions
they call."""

from __future__ import annotations

import itertools
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyspark import TaskContext
from pyspark.accumulators import AccumulatorParam

from ..._errors import EngineError, ScantError
from .._blocks import may_pass, merge_levels

# The property of a job that says which operation it is.
OPERATION = "scant.operation"


class Rows:
    """One partition of an RDD as an input of a task.  The RDD stays behind when a task is pickled."""

    def __init__(self, rdd: Any, partition: int) -> None:
        self.rdd = rdd
        self.partition = partition

    def __getstate__(self) -> dict[str, Any]:
        return {"rdd": None, "partition": self.partition}

    def pick(self, task: Any, elements: Iterator[Any]) -> Any:
        """On an executor: what the task needs of the partition's elements."""
        return list(elements)


class Failure:
    """What a function raised, on its way to the driver as a value: Spark would try again, and make it a page."""

    def __init__(self, raised: Exception) -> None:
        self.raised: Exception = raised
        try:
            pickle.loads(pickle.dumps(raised))
        except Exception:
            self.raised = EngineError(f"a task of Spark failed: {type(raised).__name__}: {raised}")
        if not isinstance(raised, ScantError):
            trace = "".join(traceback.format_tb(raised.__traceback__)[-3:])
            self.raised.add_note(f"on an executor of Spark:\n{trace}")


class Shared:
    """A value that was broadcast, or is so small that it goes with each task.  When nothing refers to it any more, the
    engine removes it from the executors."""

    def __init__(self, broadcast: Any, pickled: bytes | None = None) -> None:
        self.broadcast, self.pickled = broadcast, pickled

    def get(self) -> Any:
        return pickle.loads(self.pickled) if self.pickled is not None else self.broadcast.value


class Runs(AccumulatorParam):
    """How often each (operation, slice) ran."""

    def zero(self, value: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        return {}

    def addInPlace(
        self, value1: dict[tuple[int, int], int], value2: dict[tuple[int, int], int]
    ) -> dict[tuple[int, int], int]:
        for key, runs in value2.items():
            value1[key] = value1.get(key, 0) + runs
        return value1


class Step:
    """What every call does on an executor: it counts its run, and catches what functions raise.

    ``failures`` is how many times Spark lets a task fail.
    """

    def __init__(self, operation: int, shared: Any, runs: Any, failures: int) -> None:
        self.operation, self.runs, self.failures = operation, runs, failures
        # The engine sees by its Shared when a value is not used any more: this is another one.
        self.value = Shared(shared.broadcast, shared.pickled) if isinstance(shared, Shared) else shared

    def shared(self) -> Any:
        return self.value.get() if isinstance(self.value, Shared) else self.value

    def count(self) -> None:
        """A slice that is made again for a later operation, because an executor was lost, counts once more.  Of its own
        operation each attempt counts, also those that left nothing behind."""
        context = TaskContext.get()
        assert context is not None
        own = context.getLocalProperty(OPERATION) == str(self.operation)
        self.runs += {(self.operation, context.partitionId()): 1 + (context.attemptNumber() if own else 0)}

    def guard(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """What is wrong with the data is so at every attempt.  Anything else may pass, so Spark tries again; what the
        last attempt raises is told."""
        for argument in arguments:
            if isinstance(argument, Failure):
                return argument
        try:
            return call(*arguments)
        except Exception as raised:
            context = TaskContext.get()
            if may_pass(raised) and context is not None and context.attemptNumber() + 1 < self.failures:
                raise
            return Failure(raised)


class Pick(Step):
    """For tasks that work on the rows of an RDD: ``shared`` are the tasks by partition, and what each needs of its
    partition is its input."""

    def __call__(self, partition: int, elements: Iterator[Any]) -> Iterator[Any]:
        task = self.shared().get(partition)
        yield [(task, () if task is None else self.guard(self.pick, task, elements))]

    @staticmethod
    def pick(task: Any, elements: Iterator[Any]) -> tuple[Any, ...]:
        return (task.inputs[0].pick(task, elements),)


class Map(Step):
    """A slice of tasks with their inputs."""

    def __init__(self, function: Callable[..., Any], *of_step: Any) -> None:
        super().__init__(*of_step)
        self.function = function

    def __call__(self, slices: Iterator[Any]) -> Iterator[Any]:
        self.count()
        shared = self.shared()
        for pairs in slices:
            yield [self.guard(self.function, task, inputs, shared) for task, inputs in pairs]


class Keep(Map):
    """A slice of tasks with their inputs: what they make is kept."""

    def __call__(self, slices: Iterator[Any]) -> Iterator[Any]:
        return self.after((itertools.repeat(None), pairs) for pairs in slices)

    def after(self, slices: Iterator[Any]) -> Iterator[Any]:
        """With what was kept before."""
        self.count()
        shared = self.shared()
        for before, pairs in slices:
            yield [
                self.guard(self.function, task, inputs, old, shared)
                for (task, inputs), old in zip(pairs, before, strict=False)
            ]


class KeepAfter(Keep):
    def __call__(self, slices: Iterator[Any]) -> Iterator[Any]:
        return self.after(slices)


class MapKept(Map):
    """A slice of what was kept."""

    def __call__(self, slices: Iterator[Any]) -> Iterator[Any]:
        self.count()
        shared = self.shared()
        for held in slices:
            yield [self.guard(self.function, one, shared) for one in held]


class Merger:
    """Merges neighbours; of several failures that of the first part goes up."""

    def __init__(self, merge: Callable[[bytes, bytes], bytes]) -> None:
        self.merge = merge

    def two(self, a: Any, b: Any) -> Any:
        for one in (a, b):
            if isinstance(one, Failure):
                return one
        try:
            return self.merge(a, b)
        except ScantError as raised:
            return Failure(raised)

    def all(self, replies: Sequence[Any]) -> Any:
        return merge_levels(replies, self.two) or None


class Leaves(MapKept):
    """What a slice says to a request: one node of the tree, with its number."""

    def __init__(self, merge: Merger, *of_map: Any) -> None:
        super().__init__(*of_map)
        self.merge = merge

    def __call__(self, slices: Iterator[Any]) -> Iterator[Any]:
        context = TaskContext.get()
        assert context is not None
        for replies in super().__call__(slices):
            yield context.partitionId(), self.merge.all(replies)


class Above:
    """The node that ``fan`` neighbours go up to, with the number of each."""

    def __init__(self, fan: int) -> None:
        self.fan = fan

    def __call__(self, node: tuple[int, Any]) -> tuple[int, tuple[int, Any]]:
        return node[0] // self.fan, node


class Neighbours:
    """Neighbours, which a shuffle brought together, become one node."""

    def __init__(self, merge: Merger) -> None:
        self.merge = merge

    def __call__(self, records: Iterator[tuple[int, tuple[int, Any]]]) -> Iterator[Any]:
        nodes: dict[int, dict[int, Any]] = {}
        for above, (node, reply) in records:
            nodes.setdefault(above, {})[node] = reply
        for above, replies in nodes.items():
            yield above, self.merge.all([replies[node] for node in sorted(replies)])


def itself(key: int) -> int:
    return key


def failures_of(held: list[Any]) -> list[Failure]:
    """Of a slice that is kept, what went wrong, instead of its bytes."""
    return [one for one in held if isinstance(one, Failure)]
