"""What a distributed fit stands on: tables made of blocks, tasks that buy from them, and engines that run tasks.

A block is a set of examples that share one look: a row group of Parquet, some rows of a chunk.  A part is a run of
consecutive blocks that one task works on.  An engine runs tasks that keep nothing behind: any of them may be run again,
elsewhere, and gives the same bytes.
"""

from __future__ import annotations

import abc
import numbers
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from .._errors import EngineError as EngineError, FileError, ScantError, UsageError


class Loaded(NamedTuple):
    """What was bought of one block.

    ``values`` is float64 of shape (attributes, rows) in C order, in the order of the look; NaN is missing.  ``y`` is
    float64 of shape (rows,).  ``bytes`` were read for it.  ``where`` names the block in sentences, such as "file
    'a.parquet', row group 3".
    """

    values: np.ndarray
    y: np.ndarray
    bytes: int
    where: str


class Task(Protocol):
    """What one part buys in one round: small, and goes to a worker by pickle."""

    blocks: list[int]
    """Numbers of the blocks, ascending."""
    looks: list[np.ndarray]
    """For each of them, the attributes to buy: uint32, ascending."""
    inputs: tuple[Any, ...]
    """What the engine replaces by real values before the task runs, such as futures of Dask; () without any."""

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        """On a worker: what the look of this block shows, and the target.  Bad data are a DataError that says where.
        It is used before the next block of the task is loaded, which may take its memory."""
        ...


@runtime_checkable
class Table(Protocol):
    """Examples in blocks, wherever they are.

    A table may also have ``fingerprint``, a dict that goes to JSON: what tells it from another table with the same
    names and rows (of Parquet the paths and sizes).  A checkpoint remembers it.
    """

    names: list[str]
    target: str
    rows: list[int]
    """Of each block; 0 is allowed."""
    parts: list[range]
    """The block numbers of each part: consecutive, and together every block."""

    def task(self, part: int, looks: dict[int, np.ndarray]) -> Task:
        """What buys these looks (by block number, at least one) of this part."""
        ...


class Kept:
    """One bytes for each part, somewhere at the engine; ``state`` is the engine's own affair."""

    def __init__(self, state: Any, count: int) -> None:
        self.state = state
        self.count = count


# The functions that engines call.
OfTask = Callable[[Any, tuple[Any, ...], Any], Any]  # (task, inputs, shared)
OfPart = Callable[[Any, tuple[Any, ...], bytes | None, Any], bytes]  # (task, inputs, before, shared)
OfKept = Callable[[bytes, Any], Any]  # (bytes, shared)
Merge = Callable[[bytes, bytes], bytes]


class Engine(abc.ABC):
    """Where tasks run.  Tasks keep nothing behind and may be run again; the results are the same.

    Functions are of a module, so that pickle finds them by name.  What a function raises of ScantError comes out as
    itself, and is not tried again, unless ``may_pass`` says so.  What is only an engine's (no worker, no progress for
    ``timeout`` seconds) is an EngineError with a sentence.  ``label`` is what people read in the engine's own pages.
    """

    name: str = "engine"
    retried: int = 0
    """Tasks that ran more than once, as far as the engine knows."""
    timeout: float = 600.0
    """Seconds without any progress after which it gives up."""

    @abc.abstractmethod
    def share(self, value: Any) -> Any:
        """Makes a value known to all workers; what it returns is for the ``shared`` of the other calls, where functions
        then get the value."""

    @abc.abstractmethod
    def map(self, function: OfTask, tasks: Sequence[Task], shared: Any = None, label: str = "") -> list[Any]:
        """``function(task, inputs, shared)`` of each task, in their order."""

    @abc.abstractmethod
    def keep(
        self, function: OfPart, tasks: Sequence[Any], before: Kept | None = None, shared: Any = None, label: str = ""
    ) -> Kept:
        """``function(task, inputs, before, shared)`` for each part; the bytes stay with the engine.  There is a task
        for each part; None: the part has nothing to do, and its function is given None and ()."""

    @abc.abstractmethod
    def map_kept(self, function: OfKept, kept: Kept, shared: Any = None, label: str = "") -> list[Any]:
        """``function(bytes, shared)`` for each part, in their order."""

    @abc.abstractmethod
    def reduce(self, function: OfKept, merge: Merge, kept: Kept, shared: Any = None, label: str = "") -> bytes:
        """``function(bytes, shared)`` for each part, merged: neighbours (0, 1), (2, 3), ..., level by level; an odd
        last one goes up as it is, and so does one whose neighbour is None.  b"" if all are None."""

    @abc.abstractmethod
    def forget(self, kept: Kept) -> None:
        """What was kept may go."""


def may_pass(raised: BaseException) -> bool:
    """Whether a task that raised this is worth another try.  What scant refuses is wrong everywhere; but a read that
    failed is a FileError, too, and the store may answer next time."""
    return isinstance(raised, FileError) or not isinstance(raised, ScantError)


def merge_levels(replies: Sequence[bytes | None], merge: Callable[[bytes, bytes], bytes]) -> bytes:
    """Merges replies in this process as Engine.reduce does."""
    level = list(replies)
    while len(level) > 1:
        above: list[bytes | None] = []
        for at in range(0, len(level) - 1, 2):
            left, right = level[at], level[at + 1]
            above.append(
                merge(left, right) if left is not None and right is not None else left if right is None else right
            )
        if len(level) % 2:
            above.append(level[-1])
        level = above
    return (level[0] if level else None) or b""


def seconds_of(timeout: Any) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, numbers.Real) or not float(timeout) > 0:
        raise UsageError(f"timeout={timeout!r} is not a number of seconds above 0")
    return float(timeout)


# ---- two classes


class SignedTask:
    """A task of another table whose targets, of two classes, become -1 and 1."""

    def __init__(self, task: Any, classes: np.ndarray, check: Callable[[Any, int, Loaded], None] | None) -> None:
        self.blocks, self.looks, self.inputs = task.blocks, task.looks, task.inputs
        self.task, self.classes, self.check = task, classes, check

    def __getattr__(self, name: str) -> Any:  # what the inputs of a task ask it for
        if name.startswith("_") or name == "task":
            raise AttributeError(name)
        return getattr(self.task, name)

    def load(self, block: int, inputs: tuple[Any, ...]) -> Loaded:
        loaded: Loaded = self.task.load(block, inputs)
        if self.check is not None:
            self.check(self.task, block, loaded)
        return loaded._replace(y=np.where(loaded.y == self.classes[1], 1.0, -1.0))


class SignedTable:
    """Another table, for two classes.  ``check`` (of a module) refuses a block with other targets."""

    def __init__(
        self,
        table: Any,
        classes: np.ndarray,
        fingerprint: dict[str, Any],
        check: Callable[[Any, int, Loaded], None] | None = None,
    ) -> None:
        self.names, self.target, self.rows, self.parts = table.names, table.target, table.rows, table.parts
        self.fingerprint = fingerprint
        self._table, self._classes, self._check = table, classes, check

    def task(self, part: int, looks: dict[int, np.ndarray]) -> SignedTask:
        return SignedTask(self._table.task(part, looks), self._classes, self._check)


# ---- values of a block on their way to its sums: a large block is more than the caches hold, so every pass counts

_TILE = 2**16  # bytes that are turned at once: they are still in the cache, and their memory is not given back


class Room:
    """Memory for the values of one block at a time.  A new array for each is memory that the system takes back and has
    to clear again, which takes longer than to fill it (above all in workers of Dask, which give back all they can)."""

    def __init__(self) -> None:
        self._held = np.empty(0)

    def __reduce__(self) -> tuple[Any, ...]:
        return Room, ()

    def array(self, attributes: int, rows: int) -> np.ndarray:
        """As np.empty; the one before is lost."""
        size = attributes * rows
        if self._held.size < size:
            self._held = np.empty(size)
        return self._held[:size].reshape(attributes, rows)


def columns_of(rows: Any, attributes: np.ndarray, room: Room | None = None) -> np.ndarray:
    """Some attributes of an array of rows, each on its own, as float64."""
    values = (room or Room()).array(len(attributes), rows.shape[0])
    tile = max(_TILE // max(len(attributes) * rows.itemsize, 1), 16)
    for begin in range(0, rows.shape[0], tile):
        values[:, begin : begin + tile] = rows[begin : begin + tile, attributes].T
    return values


def are_finite(values: np.ndarray) -> bool:
    """True: there is neither NaN nor infinity among them.  False: there may be (finite sums can overflow, too)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def infinite(values: np.ndarray) -> tuple[int, int] | None:
    """The place of the first value that is infinite; None: there is none."""
    if are_finite(values):
        return None
    wild = np.argwhere(np.isinf(values))
    return (int(wild[0][0]), int(wild[0][1])) if len(wild) else None
