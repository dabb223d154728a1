"""The engine that is a Dask cluster: plain tasks with keys, nothing else.

There are no ranks, sockets or barriers.  Whatever a task needs is a key that Dask can compute again: so a worker that
dies takes nothing with it that is not made anew elsewhere, to the same bytes.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import queue
import time
import uuid
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

try:
    import cloudpickle
    import dask.base
    import distributed
    from dask._task_spec import Task as Node, TaskRef, convert_legacy_graph
except ImportError as missing:
    raise ImportError("fits on Dask need dask and distributed: pip install 'scant-learn[dask]'") from missing

from ..._errors import EngineError, UsageError
from .._blocks import Engine, Kept, Merge, OfKept, OfPart, OfTask, Task, merge_levels, seconds_of
from ._workers import TOPIC, Ask, Buy, Sealed, merge_task, opened, run_task

_base: Any = dask.base  # of whose functions only some have types
_distributed: Any = distributed

_WITH_TASKS = 2**20  # bytes of a shared value that go with all tasks together; more are a task of their own
_SMALL = 2**15  # bytes of a request to which replies are small
_FAN, _FAN_SMALL = 4, 16  # replies that are merged at once, two levels of the tree: four, if they are small
_TICK = 0.5  # seconds between two looks at whether the cluster is still there


class Lazy:
    """A value that Dask computes where it is needed: a key of a graph.  Stands in the ``inputs`` of a task."""

    __slots__ = ("graph", "key")

    def __init__(self, key: Any, graph: dict[Any, Any]) -> None:
        self.key = key
        self.graph = graph  # shared by all values of a collection


def lazy_values(*collections: Any) -> list[list[Lazy]]:
    """The chunks or partitions of each Dask collection, in order, with optimised graphs: nothing is computed.
    Arrays are optimised together, so that what they share is computed once; a dataframe has other keys once it is
    optimised."""
    arrays = [collection for collection in collections if not hasattr(collection, "optimize")]
    ready = iter(_base.optimize(*arrays))
    return [_values(one.optimize() if hasattr(one, "optimize") else next(ready)) for one in collections]


def _values(collection: Any) -> list[Lazy]:
    graph = {key: node for key, node in dict(collection.__dask_graph__()).items() if not _is_itself(key, node)}
    shared = convert_legacy_graph(graph)
    return [Lazy(key, shared) for key in _flat(collection.__dask_keys__())]


def _is_itself(key: Any, node: Any) -> bool:
    """What is persisted is a future under its own name: the scheduler knows it."""
    return isinstance(node, TaskRef) and node.key == key


def _flat(keys: Any) -> list[Any]:
    return [key for part in keys for key in _flat(part)] if isinstance(keys, list) else [keys]


def _take_in(graph: dict[Any, Any], lazy: Lazy) -> None:
    """Adds what it takes to compute this value, and no more."""
    wanted = [lazy.key]
    while wanted:
        key = wanted.pop()
        if key in graph or key not in lazy.graph:
            continue
        graph[key] = lazy.graph[key]
        wanted.extend(lazy.graph[key].dependencies)


class _Shared:
    """A value that lives in the text of tasks: whoever loses it makes it again.  It goes with each task that needs it,
    or if that were too much, once with each graph."""

    def __init__(self, payload: bytes, key: Any) -> None:
        self.payload = payload
        self.key = key  # of a task that makes it


class _Retries:
    """How often Dask itself runs a failed task again: ours never (see run_task), those of the caller's graph
    sometimes."""

    def __init__(self, ours: str, count: int) -> None:
        self.ours, self.count = ours, count

    def __call__(self, key: Any) -> int:
        return 0 if isinstance(key, tuple) and self.ours in key else self.count


_engines: weakref.WeakKeyDictionary[Any, weakref.WeakValueDictionary[str, DaskEngine]] = weakref.WeakKeyDictionary()


def _hear(engines: weakref.WeakValueDictionary[str, DaskEngine], event: tuple[float, Any]) -> None:
    token, step, number = event[1]
    engine = engines.get(token)
    if engine is not None:
        engine._began(step, number)


class DaskEngine(Engine):
    """Runs tasks on the cluster of a ``distributed.Client``.

    ``client`` None is the current one; there must be one, a cluster is never started silently.  If no task begins or
    ends for ``timeout`` seconds, a call raises EngineError.  ``retries`` is how often Dask runs a task of the caller's
    own graph again that failed.  What tasks need travels inside the graph, so that all of it can be computed again;
    only results are lost with a worker.

    An engine holds results on the cluster until they are forgotten; ``close`` lets go of all of them, and ``with``
    calls it.
    """

    name = "dask"

    def __init__(self, client: Any = None, timeout: float = 600.0, retries: int = 2) -> None:
        timeout = seconds_of(timeout)
        if client is None:
            try:
                client = _distributed.default_client()
            except ValueError:
                raise EngineError(
                    "there is no Dask client: make one before the fit, with distributed.Client(ADDRESS), or with "
                    "distributed.Client() for a cluster on this machine"
                ) from None
        if not isinstance(client, _distributed.Client):
            what = (
                f"distributed.Client({client!r}) makes one" if isinstance(client, str) else "make a distributed.Client"
            )
            raise UsageError(f"client={client!r} is no client of Dask: {what}")
        if client.asynchronous:
            raise UsageError(
                "the Dask client is asynchronous: a fit waits for its tasks, and needs a client that does, too"
            )
        self.client = client
        self.timeout = timeout
        self.retries = retries
        self.retried = 0
        self._token = uuid.uuid4().hex
        self._steps = itertools.count()
        self._runs: dict[int, dict[int, int]] = {}  # of tasks that may still run again: how often each began
        self._heard = 0
        self._held: weakref.WeakSet[Any] = weakref.WeakSet()  # futures that are not released yet
        if client not in _engines:
            _engines[client] = weakref.WeakValueDictionary()
            client.subscribe_topic(TOPIC, functools.partial(_hear, _engines[client]))
        _engines[client][self._token] = self

    def __enter__(self) -> DaskEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all that it holds on the cluster."""
        self._release(list(self._held))

    def _began(self, step: int, number: int) -> None:
        self._heard += 1
        runs = self._runs.get(step)
        if runs is not None:
            runs[number] = runs.get(number, 0) + 1
            self.retried += runs[number] == 2

    # ---- graphs --------------------------------------------------------------

    def _submit(self, graph: dict[Any, Any], keys: list[Any]) -> list[Any]:
        self._check_client("a task was to begin")
        with warnings.catch_warnings():
            # What is shared has to travel, and inside the graph it cannot be lost.
            warnings.filterwarnings("ignore", message="Sending large graph")
            futures = list(self.client.get(graph, keys, sync=False, retries=_Retries(self._token, self.retries)))
        self._held.update(futures)
        return futures

    def _release(self, futures: Sequence[Any]) -> None:
        for future in futures:
            self._held.discard(future)
            with contextlib.suppress(Exception):  # the cluster may be gone
                future.release()

    def _nodes(
        self, step: int, label: str, calls: Sequence[Any], before: Sequence[Any] | None, shared: _Shared
    ) -> tuple[dict[Any, Any], list[Any]]:
        """A graph with a task for each call; the dashboard shows them under their label."""
        graph: dict[Any, Any] = {}
        keys = []
        name = label.replace("-", " ") or "scant"  # a hyphen would end the name there
        alone: Sealed | None = Sealed(shared.payload)
        spread = None
        if len(shared.payload) * len(calls) > _WITH_TASKS:
            graph[shared.key] = Node(shared.key, opened, alone)
            alone, spread = None, TaskRef(shared.key)
        same = cloudpickle.dumps(calls[0]) if calls and isinstance(calls[0], Ask) else None
        for number, call in enumerate(calls):
            inputs = []
            if isinstance(call, Buy) and call.task is not None:
                inputs, call = list(call.task.inputs), Buy(call.function, _without_inputs(call.task), call.keeps)
            for at, value in enumerate(inputs):
                if isinstance(value, Lazy):
                    _take_in(graph, value)
                inputs[at] = _reference(value)
            key = (name, self._token, step, number)
            payload = same or cloudpickle.dumps(call)
            run = (self._token, step, number)
            earlier = None if before is None else _reference(before[number])
            graph[key] = Node(key, run_task, run, payload, alone, earlier, spread, *inputs)
            keys.append(key)
        return graph, keys

    def share(self, value: Any) -> Any:
        if isinstance(value, _Shared):
            return value
        self._check_client("a value was to be shared")
        return _Shared(cloudpickle.dumps(value), ("scant: share", self._token, next(self._steps), 0))

    def map(self, function: OfTask, tasks: Sequence[Task], shared: Any = None, label: str = "") -> list[Any]:
        return self._results([Buy(function, task, False) for task in tasks], None, shared, label)

    def map_kept(self, function: OfKept, kept: Kept, shared: Any = None, label: str = "") -> list[Any]:
        return self._results([Ask(function)] * kept.count, self._of(kept), shared, label)

    def _results(self, calls: Sequence[Any], before: Sequence[Any] | None, shared: Any, label: str) -> list[Any]:
        step = next(self._steps)
        graph, keys = self._nodes(step, label, calls, before, self.share(shared))
        return self._fetch(step, graph, keys, label)

    def keep(
        self, function: OfPart, tasks: Sequence[Any], before: Kept | None = None, shared: Any = None, label: str = ""
    ) -> Kept:
        step = next(self._steps)
        calls = [Buy(function, task, True) for task in tasks]
        graph, keys = self._nodes(step, label, calls, None if before is None else self._of(before), self.share(shared))
        self._runs[step] = {}
        futures: list[Any] = []
        try:
            futures = self._submit(graph, keys)
            self._wait(futures, label)
        except BaseException:
            self._release(futures)
            del self._runs[step]
            raise
        return Kept(futures, len(tasks))

    def reduce(self, function: OfKept, merge: Merge, kept: Kept, shared: Any = None, label: str = "") -> bytes:
        if not kept.count:
            return b""
        step, shared = next(self._steps), self.share(shared)
        graph, level = self._nodes(step, label, [Ask(function)] * kept.count, self._of(kept), shared)
        payload, name = cloudpickle.dumps(merge), level[0][0]
        number = len(level)
        fan = _FAN if len(shared.payload) > _SMALL else _FAN_SMALL
        while len(level) > fan:
            above = []
            for at in range(0, len(level), fan):
                key = (name, self._token, step, number)
                replies = [TaskRef(below) for below in level[at : at + fan]]
                graph[key] = Node(key, merge_task, (self._token, step, number), payload, *replies)
                above.append(key)
                number += 1
            level = above
        return merge_levels(self._fetch(step, graph, level, label), merge)  # here: one more task would take longer

    def _fetch(self, step: int, graph: dict[Any, Any], keys: list[Any], label: str) -> list[Any]:
        """Runs a graph and brings the values of these keys here; nothing of it stays."""
        self._runs[step] = {}
        futures: list[Any] = []
        try:
            futures = self._submit(graph, keys)
            results: dict[int, Any] = {}
            self._wait(futures, label, results)
            return [results[number] for number in range(len(futures))]
        finally:
            self._release(futures)
            del self._runs[step]

    def forget(self, kept: Kept) -> None:
        futures, kept.state = kept.state, None
        if futures is not None:
            self._release(futures)

    def _of(self, kept: Kept) -> Sequence[Any]:
        if kept.state is None:
            raise EngineError("what the engine kept was forgotten already")
        futures: Sequence[Any] = kept.state
        return futures

    # ---- waiting ---------------------------------------------------------------

    def _check_client(self, what: str) -> None:
        if self.client.status in ("closed", "closing"):
            raise EngineError(
                f"the Dask client was closed when {what}: its scheduler is gone, or the client was closed"
            )

    def _wait(self, futures: list[Any], label: str, results: dict[int, Any] | None = None) -> None:
        """Until all have ended, their values in ``results`` if they are wanted.  Of several failures that of the
        first task is raised, whichever came first."""
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number, future in enumerate(futures):
            future.add_done_callback(lambda _, number=number: ended.put(number))
        left, failed = set(range(len(futures))), len(futures)
        heard, since = self._heard, time.monotonic()
        ready: list[int] = []  # they are gathered together: one message for each would take long
        gathered = since
        while left:
            done = _all_of(ended)
            now = time.monotonic()
            if done or heard != self._heard:
                heard, since = self._heard, now
            self._check_client(f"a task ran ({label})")
            if now - since > self.timeout:
                raise EngineError(self._stuck(label, len(left)))
            left.difference_update(done)
            failed = min([failed, *(number for number in done if futures[number].status in ("error", "cancelled"))])
            left = {number for number in left if number < failed}
            ready += done
            if results is not None and (not left or now - gathered > _TICK):
                self._gather([number for number in ready if number < failed], futures, label, results)
                ready, gathered = [], time.monotonic()
        if failed < len(futures):
            raise self._reason(self._exception(futures[failed]), label)

    def _gather(self, numbers: list[int], futures: list[Any], label: str, results: dict[int, Any]) -> None:
        if not numbers:
            return
        wanted = [futures[number] for number in numbers]
        get = functools.partial(self.client.gather, wanted, asynchronous=True)
        try:
            values = self.client.sync(get, callback_timeout=self.timeout)
        except TimeoutError:
            raise EngineError(self._stuck(label, len(numbers))) from None
        except Exception as error:
            raise self._reason(error, label) from None
        results.update(zip(numbers, values, strict=True))
        self._release(wanted)

    def _exception(self, future: Any) -> BaseException:
        try:
            error: BaseException | None = future.exception(timeout=min(self.timeout, 30))
        except Exception as raised:
            error = raised
        return error or EngineError("a task failed, and Dask does not say why")

    def _reason(self, error: BaseException, label: str) -> BaseException:
        """What is the engine's own trouble, as a sentence; what a task raised, as it is."""
        if isinstance(error, distributed.KilledWorker):
            return EngineError(
                f"{error.allowed_failures + 1} workers died while they ran the same task ({label}), the last of them "
                f"{error.last_worker.address}: its log may say why; often it is memory"
            )
        if isinstance(error, distributed.CancelledError) or self.client.status != "running":
            return EngineError(f"Dask's scheduler is gone, or it dropped the tasks ({label}): {_line(error)}")
        return error

    def _stuck(self, label: str, left: int) -> str:
        seconds = f"for {self.timeout:g} seconds"
        try:
            facts = self.client.sync(self.client.scheduler.identity, callback_timeout=min(self.timeout, 5))
            workers = int(facts.get("n_workers", len(facts["workers"])))
        except Exception:
            return f"Dask's scheduler does not answer, and nothing happened {seconds} ({label})"
        if workers == 0:
            return f"the Dask cluster has no worker, and nothing happened {seconds} ({label}, {left} tasks left)"
        return f"no task began or ended {seconds} on {workers} Dask workers ({label}, {left} tasks left)"


def _reference(value: Any) -> Any:
    """The name of what is on the cluster; another value is itself."""
    return TaskRef(value.key) if isinstance(value, (Lazy, distributed.Future)) else value


def _without_inputs(task: Any) -> Any:
    """The task as it travels: what stood in its inputs comes by Dask."""
    if not task.inputs:
        return task
    import copy

    task = copy.copy(task)
    task.inputs = ()
    return task


def _all_of(ended: queue.SimpleQueue[int]) -> list[int]:
    """What has ended, after a short wait for the first."""
    found = []
    with contextlib.suppress(queue.Empty):
        found.append(ended.get(timeout=_TICK))
        while True:
            found.append(ended.get_nowait())
    return found


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
