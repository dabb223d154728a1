"""What runs on workers in a distributed fit.  Engines find these functions by name, and know nothing of what is in the
bytes that they return.

Blocks are gathered in leaves of 16 by their numbers, and replies merge along the binary tree over the leaves.  So the
sums are the same to the bit, whatever parts and workers the blocks were with.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from .._errors import DataError
from ._blocks import Loaded, Task, are_finite, infinite
from ._sums import Limits, Sums, answer as answer_of, merge_replies

LEAF = 16  # blocks
Held = TypeVar("Held", bytes, memoryview)


# ---- bytes -------------------------------------------------------------------


def packed(head: dict[str, Any], blobs: Sequence[bytes]) -> list[bytes]:
    """The pieces of what pack makes."""
    text = json.dumps({**head, "sizes": [len(blob) for blob in blobs]}).encode()
    return [struct.pack("<Q", len(text)), text, *blobs]


def pack(head: dict[str, Any], blobs: Sequence[bytes]) -> bytes:
    """A small dict and some bytes as one bytes."""
    return b"".join(packed(head, blobs))


def unpack(held: Held) -> tuple[dict[str, Any], list[Held]]:
    """What pack made one of; of a view the bytes are views."""
    (length,) = struct.unpack_from("<Q", held)
    head = json.loads(bytes(held[8 : 8 + length]))
    blobs, at = [], 8 + length
    for size in head.pop("sizes"):
        blobs.append(held[at : at + size])
        at += size
    return head, blobs


# ---- buying ------------------------------------------------------------------


def _load(task: Task, inputs: tuple[Any, ...], block: int, look: np.ndarray) -> Loaded:
    """What was bought of a block; what is not of its shape is refused."""
    loaded = task.load(block, inputs)
    if loaded.values.shape != (len(look), len(loaded.y)):
        raise DataError(
            f"{loaded.where}: {len(look)} attributes of {len(loaded.y)} examples were bought, and what came has the "
            f"shape {loaded.values.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(loaded.y))
    if bad.size:
        kind = "missing" if np.isnan(loaded.y[bad[0]]) else "infinite"
        raise DataError(
            f"{loaded.where}: the target is {kind} in row {int(bad[0]) + 1} ({bad.size} of {len(loaded.y)} are not "
            "finite numbers)"
        )
    return loaded


def _line(block: int, look: np.ndarray, loaded: Loaded) -> list[Any]:
    """What the ledger says of a block: number, rows, attributes of each, missing values, bytes, tally of targets, and a
    checksum of what came."""
    missing = 0 if are_finite(loaded.values) else int(np.isnan(loaded.values).sum())
    values, y = (np.ascontiguousarray(array, dtype="<f8") for array in (loaded.values, loaded.y))
    checksum = zlib.crc32(y.data, zlib.crc32(values.data))
    return [block, len(loaded.y), len(look), missing, int(loaded.bytes), tally(loaded.y), checksum]


def tally(y: np.ndarray) -> list[list[float]] | None:
    """Up to two values of the target, each with its number; None: there are more."""
    found: list[list[float]] = []
    while y.size:
        if len(found) == 2:
            return None
        others = y[y != y[0]]
        found.append([float(y[0]), y.size - others.size])
        y = others
    return found


def _add(sums: Sums, block: int, look: np.ndarray, loaded: Loaded, limits: Limits | None, names: Sequence[str]) -> None:
    """Adds a block to sums; what is refused says where it is."""
    wild = infinite(loaded.values)
    if wild is not None:
        attribute, row = wild
        raise DataError(f"{loaded.where}: {names[look[attribute]]!r} is infinite in row {row + 1}")
    try:
        sums.add(block, look, loaded.values, loaded.y, limits)
    except DataError as refused:
        raise DataError(f"{loaded.where}: {refused}") from None


def buy_raw(task: Task | None, inputs: tuple[Any, ...], before: bytes | None, shared: Any) -> bytes:
    """keep: the first round's values as they are, since there are no limits yet."""
    bought: list[list[Any]] = []
    where: list[str] = []
    blobs: list[bytes] = []
    if task is not None:
        for block, look in zip(task.blocks, task.looks, strict=True):
            loaded = _load(task, inputs, block, look)
            bought.append(_line(block, look, loaded))
            where.append(loaded.where)
            blobs += [np.asarray(look, dtype="<u4").tobytes(), np.asarray(loaded.values, dtype="<f8").tobytes()]
            blobs.append(loaded.y.astype("<f8").tobytes())
    return pack({"bought": bought, "where": where}, blobs)


def _raw(held: bytes) -> Iterable[tuple[int, np.ndarray, Loaded]]:
    head, blobs = unpack(held)
    for at, (line, where) in enumerate(zip(head["bought"], head["where"], strict=True)):
        block, rows, count = line[:3]
        look, values, y = blobs[3 * at : 3 * at + 3]
        shaped = np.frombuffer(values, dtype="<f8").reshape(count, rows)
        loaded = Loaded(shaped, np.frombuffer(y, dtype="<f8"), line[4], where)
        yield block, np.frombuffer(look, dtype="<u4"), loaded


def raw_sums(held: bytes, shared: Any) -> bytes:
    """map_kept: of values as they are, the sums from which limits are made."""
    sums = Sums(shared["dimension"])
    for block, look, loaded in _raw(held):
        _add(sums, block, look, loaded, None, shared["names"])
    return sums.to_bytes()


class HeldSums(bytes):
    """What a part keeps, with its sums by leaf already decoded: to decode them, with their checksum, takes longer than
    to answer a request, and there are hundreds.  Nobody changes them.  Only the bytes travel."""

    leaves: dict[int, Sums] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return HeldSums, (bytes(self),)


def leaves_of(held: bytes) -> dict[int, Sums]:
    """To read; whoever adds to sums makes some of his own, with Leaves."""
    found: dict[int, Sums] | None = getattr(held, "leaves", None)
    if found is None:
        found = _loaded(*unpack(held))
        if isinstance(held, HeldSums):
            held.leaves = found
    return found


def _loaded(head: dict[str, Any], blobs: Sequence[bytes]) -> dict[int, Sums]:
    return {leaf: Sums.from_bytes(blob) for leaf, blob in zip(head["leaves"], blobs, strict=True)}


class Leaves:
    """Sums by leaf, and the ledger's lines of what was bought last."""

    def __init__(self, dimension: int, held: bytes | None = None) -> None:
        self.dimension = dimension
        self.bought: list[list[Any]] = []
        self.sums: dict[int, Sums] = {}
        if held is not None:
            head, blobs = unpack(held)
            self.bought = head["bought"]
            self.sums = _loaded(head, blobs)

    def add(self, block: int, look: np.ndarray, loaded: Loaded, shared: Any) -> None:
        leaf = self.sums.setdefault(block // LEAF, Sums(self.dimension))
        _add(leaf, block, look, loaded, Limits(shared["low"], shared["high"]), shared["names"])
        self.bought.append(_line(block, look, loaded))

    def merge(self, leaf: int, sums: Sums) -> None:
        if leaf in self.sums:
            self.sums[leaf].merge(sums)
        else:
            self.sums[leaf] = sums

    def hold(self) -> HeldSums:
        """Them as bytes; nothing may be added after that."""
        leaves = sorted(self.sums)
        held = HeldSums(
            pack({"bought": self.bought, "leaves": leaves}, [self.sums[leaf].to_bytes() for leaf in leaves])
        )
        held.leaves = {leaf: self.sums[leaf] for leaf in leaves}
        return held


def limited(held: bytes, shared: Any) -> bytes:
    """map_kept: the first round's values as sums, once there are limits."""
    leaves = Leaves(shared["dimension"])
    for block, look, loaded in _raw(held):
        leaves.add(block, look, loaded, shared)
    return leaves.hold()


def limit(task: None, inputs: tuple[Any, ...], before: bytes | None, shared: Any) -> bytes:
    """keep: the same, where sums stay with the workers."""
    assert before is not None
    return limited(before, shared)


def buy(task: Task | None, inputs: tuple[Any, ...], before: bytes | None, shared: Any) -> bytes:
    """keep: what a part buys in a round is added to what it had."""
    leaves = Leaves(shared["dimension"], before)
    leaves.bought = []
    if task is not None:
        for block, look in zip(task.blocks, task.looks, strict=True):
            leaves.add(block, look, _load(task, inputs, block, look), shared)
    return leaves.hold()


def bought(task: Task, inputs: tuple[Any, ...], shared: Any) -> bytes:
    """map: the same, where sums go to the driver."""
    return buy(task, inputs, None, shared)


def ledger(held: bytes, shared: Any) -> list[list[Any]]:
    """map_kept: the lines of what each part bought last."""
    lines: list[list[Any]] = unpack(held)[0]["bought"]
    return lines


# ---- leaves that cross parts ---------------------------------------------------


class Pieces:
    """A task that buys nothing: sums that come to a part, and leaves that left it."""

    inputs: tuple[Any, ...] = ()

    def __init__(self, come: dict[int, list[bytes]], gone: list[int]) -> None:
        self.come = come
        self.gone = gone


def pieces(held: bytes, shared: Any) -> dict[int, bytes]:
    """map_kept: the sums of the leaves that belong to another part.  ``ends`` has of each leaf that crosses parts the
    end of its owner's blocks: a part that bought beyond it is not the owner."""
    head, blobs = unpack(held)
    ends = shared["ends"]
    foreign = {block // LEAF for block, *_ in head["bought"] if block >= ends.get(block // LEAF, block + 1)}
    return {leaf: blob for leaf, blob in zip(head["leaves"], blobs, strict=True) if leaf in foreign}


def absorb(task: Pieces | None, inputs: tuple[Any, ...], before: bytes | None, shared: Any) -> bytes:
    """keep: each leaf is with one part."""
    assert before is not None
    if task is None:
        return before
    leaves = Leaves(shared["dimension"], before)
    for leaf in task.gone:
        leaves.sums.pop(leaf, None)
    for leaf, come in task.come.items():
        for blob in come:
            leaves.merge(leaf, Sums.from_bytes(blob))
    return leaves.hold()


# ---- requests ------------------------------------------------------------------


def _rise(nodes: dict[tuple[int, int], bytes], count: int) -> dict[tuple[int, int], bytes]:
    """Merges what has its neighbour, level by level; of `count` leaves an odd last one goes up as it is."""
    top = max(count - 1, 0).bit_length()
    waiting = sorted(nodes)
    while waiting:
        level, at = waiting.pop(0)
        if level == top or (level, at) not in nodes:
            continue
        other = at ^ 1
        if (level, other) in nodes:
            left, right = nodes.pop((level, min(at, other))), nodes.pop((level, max(at, other)))
            nodes[level + 1, at // 2] = merge_replies(left, right)
        elif other << level >= count:
            nodes[level + 1, at // 2] = nodes.pop((level, at))
        else:
            continue
        waiting.append((level + 1, at // 2))
    return nodes


def _packed(nodes: dict[tuple[int, int], bytes], count: int) -> bytes:
    places = sorted(nodes)
    return pack({"count": count, "places": places}, [nodes[place] for place in places])


def _nodes(reply: bytes) -> tuple[dict[tuple[int, int], bytes], int]:
    head, blobs = unpack(reply)
    places = [(level, at) for level, at in head["places"]]
    return dict(zip(places, blobs, strict=True)), head["count"]


def answer(held: bytes, shared: Any) -> bytes | None:
    """reduce: what a part says to a request.  ``shared`` has the request and the numbers of all leaves, ascending."""
    nodes: dict[tuple[int, int], bytes] = {}
    count = len(shared["leaves"])
    for leaf, sums in leaves_of(held).items():
        place = int(np.searchsorted(shared["leaves"], leaf))
        nodes[0, place] = answer_of(sums, shared["request"])
        nodes = _rise(nodes, count)
    return _packed(nodes, count) if nodes else None


def merge(a: bytes, b: bytes) -> bytes:
    """reduce: two parts' replies."""
    nodes, count = _nodes(a)
    nodes.update(_nodes(b)[0])
    return _packed(_rise(nodes, count), count)


def whole(reply: bytes) -> bytes:
    """The reply of all leaves, once every part's is merged."""
    nodes, _ = _nodes(reply)
    if len(nodes) != 1:
        raise AssertionError(f"{len(nodes)} replies did not meet")
    (only,) = nodes.values()
    return only
