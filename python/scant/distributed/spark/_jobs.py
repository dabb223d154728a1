"""Jobs of Spark that are watched: each runs on a thread of its own, which has its own properties in Spark (description,
group, tag), so that the caller's stay as they are.  The caller sees it go on, cancels it, and gives up when nothing
moves; whatever is wrong with the cluster is an EngineError with a sentence."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import InheritableThread, SparkConf, SparkContext
from pyspark.sql import SparkSession

from ..._errors import EngineError, ScantError, UsageError
from ._steps import OPERATION

T = TypeVar("T")

_GROUP, _DESCRIPTION = "spark.jobGroup.id", "spark.job.description"

# Seconds that a job which must end (its context is stopped, it was cancelled) is waited for.
_GRACE = 10.0


def the_session(spark: Any = None) -> SparkSession:
    """The session that is given, or the one that there is, or a new one."""
    session = _there_or_new() if spark is None else spark
    if not isinstance(session, SparkSession):
        raise UsageError(
            f"spark is a {type(session).__module__}.{type(session).__name__}, not a classic Spark session: over Spark "
            "Connect there are no RDDs, which a fit keeps its sums in"
        )
    return session


def _there_or_new() -> SparkSession:
    """On this machine alone the tasks of a new session run on the Python that we run on."""
    alone = SparkContext._active_spark_context is None and SparkConf().get("spark.master", "local").startswith("local")
    if not alone or "PYSPARK_PYTHON" in os.environ:
        return SparkSession.builder.getOrCreate()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        return SparkSession.builder.getOrCreate()
    finally:
        del os.environ["PYSPARK_PYTHON"]


class Bridge:
    """Calls into the JVM, on a thread of their own: one that does not answer must not hold the caller up."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._lost = False
        calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._calls = calls
        threading.Thread(target=_make_calls, args=(calls,), name="scant-spark-bridge", daemon=True).start()
        weakref.finalize(self, calls.put, None).atexit = False

    def call(self, function: Callable[[], T]) -> T:
        """What it returns or raises; EngineError if the JVM does not answer, and from then on at once."""
        results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        try:
            if self._lost:
                raise queue.Empty
            self._calls.put((function, results))
            result, raised = results.get(timeout=self.timeout)
        except queue.Empty:
            self._lost = True
            raise EngineError(f"Spark's JVM does not answer for {self.timeout:g} seconds; the fit gave up") from None
        if raised is not None:
            raise raised
        return result  # type: ignore[no-any-return]


def _make_calls(calls: queue.SimpleQueue[Any]) -> None:
    while (wanted := calls.get()) is not None:
        function, results = wanted
        try:
            results.put((function(), None))
        except BaseException as raised:
            results.put((None, raised))


class Jobs:
    """The jobs of one fit."""

    def __init__(self, context: SparkContext, timeout: float) -> None:
        self.context, self.timeout = context, timeout
        self.bridge = Bridge(timeout)
        self.tag = f"scant-{uuid.uuid4().hex[:12]}"
        self.check_alive()

    def is_stopped(self) -> bool:
        jsc = self.context._jsc
        try:
            return jsc is None or self.bridge.call(lambda: bool(jsc.sc().isStopped()))
        except (Py4JError, OSError):  # the JVM is gone
            return True

    def check_alive(self) -> None:
        if self.is_stopped():
            raise EngineError("the SparkContext is stopped: a fit needs a running Spark session")

    def run(self, label: str, operation: int, action: Callable[[], T]) -> T:
        """What the action returns; it starts jobs, on another thread."""
        self.check_alive()
        done = threading.Event()
        results: list[T] = []
        raised: list[BaseException] = []

        def work() -> None:
            try:
                self._describe(label, operation)
                results.append(action())
            except BaseException as error:
                raised.append(error)
            finally:
                done.set()

        try:
            thread = InheritableThread(target=work, name="scant-spark", daemon=True)
            thread.start()
            self._watch(done, label)
        except BaseException as error:
            self._cancel()
            if isinstance(error, Py4JError | AssertionError):  # InheritableThread asserts that there is a context
                raise self._sentence(error, label) from error
            raise
        for failure in raised:
            if isinstance(failure, ScantError):
                raise failure
            raise self._sentence(failure, label) from failure
        return results[0]

    def _describe(self, label: str, operation: int) -> None:
        """On the job's own thread.  A group that the caller has set stays, so that cancelling it cancels us."""
        context = self.context
        if context.getLocalProperty(_GROUP) is None:
            context.setLocalProperty(_GROUP, self.tag)
        context.setLocalProperty(_DESCRIPTION, label or "scant")
        context.setLocalProperty(OPERATION, str(operation))
        context.addJobTag(self.tag)

    def _watch(self, done: threading.Event, label: str) -> None:
        """Until it is done.  Short jobs are not looked at."""
        seen: Any = None
        since = time.monotonic()
        pause = min(1.0, self.timeout / 4)
        while not done.wait(pause):
            if self.is_stopped():
                if not done.wait(_GRACE):
                    raise EngineError(f"the SparkContext was stopped during {self._what(label)}")
                return
            now, active = self.bridge.call(self._progress)
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since >= self.timeout:
                raise EngineError(
                    f"{self._what(label)}: no task of Spark ended for {self.timeout:g} seconds "
                    + (f"({active} are running)" if active else "(none is running: is there an executor?)")
                    + "; the fit gave up"
                )

    def _progress(self) -> tuple[Any, int]:
        """Something that changes whenever a task begins or ends, and how many are running."""
        tracker = self.context._jsc.sc().statusTracker()
        counts: list[tuple[Any, ...]] = []
        active = 0
        for job in tracker.getJobIdsForTag(self.tag):
            info = self.context.statusTracker().getJobInfo(job)
            if info is None or info.status != "RUNNING":
                counts.append((job, None if info is None else info.status))
                continue
            for number in info.stageIds:
                stage = self.context.statusTracker().getStageInfo(number)
                if stage is not None:
                    ended = stage.numCompletedTasks + stage.numFailedTasks
                    counts.append((number, stage.currentAttemptId, ended, stage.numActiveTasks))
                    active += stage.numActiveTasks
        return counts, active

    def _cancel(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_stopped():
                self.bridge.call(lambda: self.context.cancelJobsWithTag(self.tag))

    @staticmethod
    def _what(label: str) -> str:
        return label or "a job"

    def _sentence(self, error: BaseException, label: str) -> EngineError:
        """One line of what Spark says in pages."""
        what = self._what(label)
        if isinstance(error, Py4JNetworkError | ConnectionError):
            return EngineError(f"{what}: the connection to Spark's JVM is lost")
        if self.is_stopped():
            return EngineError(f"the SparkContext was stopped during {what}")
        text = str(error)
        if re.search(r"No module named '(scant|numpy|pyarrow|fsspec)\b", text):
            module = re.findall(r"No module named '(\w+)", text)[0]
            return EngineError(
                f"{what}: the executors of Spark have no {module}: install scant-learn and what it needs there; or "
                "they run on another Python than this one: before the session begins, set PYSPARK_PYTHON to the Python "
                f"that has it (here it is {sys.executable})"
            )
        if (own := _last_line(text)) is not None:  # what the caller's own functions raised, say
            return EngineError(f"{what}: Spark failed: an exception in a Python worker: {own[:400]}")
        if "maxResultSize" in text:
            return EngineError(f"{what}: results are larger than spark.driver.maxResultSize allows: raise it")
        if re.search(r"cancell?ed", text):
            return EngineError(f"{what}: the job was cancelled")
        found = re.search(r"Job aborted due to stage failure: (.+)", text)
        reason = found[1] if found else text.strip().splitlines()[0] if text.strip() else type(error).__name__
        raised = re.findall(r"^\s*(?:[\w.]+\.)?(\w*(?:Error|Exception): .+)$", text, re.MULTILINE) if found else []
        return EngineError(f"{what}: Spark failed: {reason[:400]}" + (f" ({raised[-1][:200]})" if raised else ""))


def _last_line(text: str) -> str | None:
    """The line with the exception of the last traceback of Python in a text; None without one."""
    lines = text.rpartition("Traceback (most recent call last):\n")
    if not lines[1]:
        return None
    told = (line for line in lines[2].splitlines() if line.strip() and not line.startswith((" ", "\t")))
    return next(told, None)
