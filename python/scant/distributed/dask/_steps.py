"""What runs on workers of Dask: every task of ours is a call of one of these, and so finds all it needs in its text."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable
from typing import Any

import distributed

from .._blocks import may_pass, merge_levels

TOPIC = "scant"  # one for all fits: what a topic was told stays on the scheduler, a bounded number of lines
PAUSES = (0.1, 1.0)  # seconds before a read that failed is tried again


class Sealed:
    """Bytes that Dask does not hash, which takes longer than to send them: their task has a name that no other has."""

    __slots__ = ("held",)

    def __init__(self, held: bytes) -> None:
        self.held = held

    def __dask_tokenize__(self) -> str:
        return "sealed"


def opened(sealed: Sealed) -> Any:
    return pickle.loads(sealed.held)


def _say(run: tuple[str, int, int]) -> None:
    """Tells the engine that this task begins: that is how it knows of those that begin again."""
    with contextlib.suppress(Exception):  # to count is not worth a failure
        distributed.get_worker().log_event(TOPIC, list(run))


def run_task(
    run: tuple[str, int, int], payload: bytes, alone: Sealed | None, before: Any, shared: Any, *inputs: Any
) -> Any:
    """What every task of ours is.  A read that fails for the storage's sake is tried again here; what scant refuses, is
    wrong everywhere."""
    call = pickle.loads(payload)
    if alone is not None:
        shared = opened(alone)
    for pause in (*PAUSES, None):
        _say(run)
        try:
            return call(inputs, before, shared)
        except OSError as failed:
            if pause is None or not may_pass(failed):
                raise
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def merge_task(run: tuple[str, int, int], payload: bytes, *replies: bytes | None) -> bytes | None:
    _say(run)
    if all(reply is None for reply in replies):
        return None
    return merge_levels(replies, pickle.loads(payload))


class Buy:
    """A call of map or keep, for one task."""

    def __init__(self, function: Callable[..., Any], task: Any, keeps: bool) -> None:
        self.function, self.task, self.keeps = function, task, keeps

    def __call__(self, inputs: tuple[Any, ...], before: Any, shared: Any) -> Any:
        if self.keeps:
            return self.function(self.task, inputs, before, shared)
        return self.function(self.task, inputs, shared)


class Ask:
    """A call of map_kept or reduce, the same for all parts."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, inputs: tuple[Any, ...], before: Any, shared: Any) -> Any:
        return self.function(before, shared)
