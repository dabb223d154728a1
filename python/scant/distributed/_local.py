"""The engine that is this process: tasks run on its threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .._errors import UsageError
from ._blocks import Engine, Kept, Task, merge_levels


class LocalEngine(Engine):
    """Runs tasks in this process, on ``threads`` threads (1: in this one alone)."""

    name = "local"

    def __init__(self, threads: int = 1) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise UsageError(f"threads={threads!r} is not a whole number of 1 or more")
        self.threads = threads

    def _each(self, call: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """In the order of the items.  After a failure, or a Ctrl-C, what has not begun does not begin."""
        items = list(items)
        if self.threads == 1 or len(items) < 2:
            return [call(item) for item in items]
        stop = threading.Event()

        def unless_stopped(item: Any) -> Any:
            return None if stop.is_set() else call(item)

        with ThreadPoolExecutor(min(self.threads, len(items)), thread_name_prefix="scant") as pool:
            futures = [pool.submit(unless_stopped, item) for item in items]
            try:
                return [future.result() for future in futures]
            except BaseException:
                stop.set()
                raise

    def share(self, value: Any) -> Any:
        return value

    def map(
        self,
        function: Callable[[Any, tuple[Any, ...], Any], Any],
        tasks: Sequence[Task],
        shared: Any = None,
        label: str = "",
    ) -> list[Any]:
        return self._each(lambda task: function(task, task.inputs, shared), tasks)

    def keep(
        self,
        function: Callable[[Any, tuple[Any, ...], bytes | None, Any], bytes],
        tasks: Sequence[Any],
        before: Kept | None = None,
        shared: Any = None,
        label: str = "",
    ) -> Kept:
        pairs = zip(tasks, [None] * len(tasks) if before is None else before.state, strict=True)

        def one(pair: tuple[Any, bytes | None]) -> bytes:
            task, old = pair
            return function(task, () if task is None else task.inputs, old, shared)

        return Kept(self._each(one, pairs), len(tasks))

    def map_kept(
        self, function: Callable[[bytes, Any], Any], kept: Kept, shared: Any = None, label: str = ""
    ) -> list[Any]:
        return self._each(lambda held: function(held, shared), kept.state)

    def reduce(
        self,
        function: Callable[[bytes, Any], bytes | None],
        merge: Callable[[bytes, bytes], bytes],
        kept: Kept,
        shared: Any = None,
        label: str = "",
    ) -> bytes:
        return merge_levels(self._each(lambda held: function(held, shared), kept.state), merge)

    def forget(self, kept: Kept) -> None:
        kept.state = []
