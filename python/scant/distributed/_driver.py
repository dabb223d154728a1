"""The driver's side of a distributed fit: the rounds, and what goes into a checkpoint."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _library as c
from .._errors import DataError
from .._options import Settings, value_of
from . import _file as file, _rounds
from ._blocks import Engine, Kept, Table
from ._plan import Account, Terms, order_of, rounds_of, within
from ._rounds import LEAF
from ._sums import Elsewhere, Here, Limits, Sums, SumsFit, look_at

DRIVER_BYTES = 2**30  # of sums: up to here em="auto" brings them to the driver

_HARDLY = 2.0**-40  # the weight of an attribute whose turn has not come

Law = tuple[np.ndarray, np.ndarray]


# ---- a fit -----------------------------------------------------------------------


@dataclass
class State:
    """What a fit knows after some rounds."""

    done: int = 0
    laws: list[Law | None] = field(default_factory=lambda: [None])
    limits: Limits | None = None
    sums: dict[int, Sums] = field(default_factory=dict)  # em="driver": by leaf
    kept: Kept | None = None  # em="workers"
    fit: SumsFit | None = None


class Fit:
    """The rounds: a law is shared, blocks buy their looks and keep them, EM by map and reduce, the next law."""

    def __init__(self, table: Table, engine: Engine, terms: Terms, tell: Callable[[Fit, str, bool], None]) -> None:
        self.table, self.engine, self.terms, self.tell = table, engine, terms, tell
        self.dimension = len(table.names)
        self.seconds = {"buy": 0.0, "learn": 0.0, "checkpoint": 0.0}
        self.account = Account(table.rows, self.dimension, terms.prices)
        self.state = State()
        self.now = 1  # the round, counted from 1
        self.order = within(order_of(table.rows, terms.seed), table.rows, terms.k, terms.budget)
        self.rounds = rounds_of(self.order, self.dimension, terms.k) if self.order else []
        self.part_of = {block: part for part, blocks in enumerate(table.parts) for block in blocks}
        size = len(self.order) * (terms.k + 1) ** 2 * 4
        self.em = terms.em if terms.em != "auto" else "driver" if size <= DRIVER_BYTES else "workers"

    # ---- small things ----

    def label(self, phase: str) -> str:
        """What people read in the engine's own pages."""
        return f"scant: round {self.now} of {len(self.rounds)}, {phase}"

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] += time.perf_counter() - began

    def looks(self, number: int, spent: int) -> tuple[dict[int, np.ndarray], int]:
        """Of the blocks of a round: from seed, number of the block and law alone; and what is spent with them.  The
        first block that the money does not pay for ends the buying.

        The first round goes round: a look takes the attributes that were in the fewest looks before it.  Looks that
        are drawn apart from each other would leave one attribute of twenty unseen, and the laws would not miss it."""
        law = self.state.laws[number]
        terms, looks = self.terms, {}
        seen = np.zeros(self.dimension)
        for at, block in enumerate(self.rounds[number]):
            follow, explore = law or (None, np.where(seen == seen.min(), 1.0, _HARDLY))
            look = look_at(self.dimension, terms.k, terms.seed, block, follow, explore)
            seen[look] += 1
            price = self.account.price(block, look)
            if terms.budget_cost is not None and spent + price > terms.budget_cost:
                self.cut(number, at)
                break
            looks[block], spent = look, spent + price
        return looks, spent

    def cut(self, number: int, at: int) -> None:
        """Ends the order of blocks at a place of a round."""
        self.rounds = [*self.rounds[:number], self.rounds[number][:at]] if at else self.rounds[:number]
        self.order = [block for blocks in self.rounds for block in blocks]
        if len(self.order) < 2:
            assert self.terms.budget_cost is not None
            raise DataError(
                f"budget_cost={self.terms.budget_cost / 100:.2f} does not pay for two blocks of {self.terms.k} "
                "attributes: nothing was bought"
            )

    def tasks(self, looks: dict[int, np.ndarray]) -> list[Any]:
        """One for each part; None: it buys nothing."""
        by_part: dict[int, dict[int, np.ndarray]] = {}
        for block in sorted(looks):
            by_part.setdefault(self.part_of[block], {})[block] = looks[block]
        return [
            self.table.task(part, by_part[part]) if part in by_part else None for part in range(len(self.table.parts))
        ]

    def shared(self) -> Any:
        assert self.state.limits is not None
        low, high = self.state.limits
        return {"dimension": self.dimension, "names": self.table.names, "low": low, "high": high}

    # ---- buying ----

    def buy_first(self, looks: dict[int, np.ndarray]) -> None:
        """The first round: its values stay raw until they have given the limits; nothing is read twice."""
        engine, state = self.engine, self.state
        raw = engine.keep(_rounds.buy_raw, self.tasks(looks), label=self.label("buy"))
        try:
            facts = engine.share({"dimension": self.dimension, "names": self.table.names})
            sums = Sums(self.dimension)
            for held in engine.map_kept(_rounds.raw_sums, raw, facts, label=self.label("limits")):
                sums.merge(Sums.from_bytes(held))
            if self.terms.clip is None:
                wide = np.full(self.dimension, np.finfo(float).max)
                state.limits = Limits(-wide, wide)
            else:
                state.limits = sums.limits(self.terms.clip)
            shared = engine.share(self.shared())
            if self.em == "driver":
                self.take(engine.map_kept(_rounds.limited, raw, shared, label=self.label("sums")), looks)
            else:
                state.kept = engine.keep(_rounds.limit, [None] * raw.count, raw, shared, label=self.label("sums"))
                self.settle(looks)
        finally:
            engine.forget(raw)

    def buy(self, looks: dict[int, np.ndarray], phase: str = "buy") -> None:
        """A later round, or what a checkpoint says was bought before."""
        engine, state = self.engine, self.state
        tasks, shared = self.tasks(looks), engine.share(self.shared())
        if self.em == "driver":
            busy = [task for task in tasks if task is not None]
            self.take(engine.map(_rounds.bought, busy, shared, label=self.label(phase)), looks)
            return
        before = state.kept
        state.kept = engine.keep(_rounds.buy, tasks, before, shared, label=self.label(phase))
        if before is not None:
            engine.forget(before)
        self.settle(looks)

    def take(self, containers: Sequence[bytes], looks: dict[int, np.ndarray]) -> None:
        """em="driver": sums and ledger of what each part bought."""
        for held in containers:
            leaves = _rounds.Leaves(self.dimension, held)
            self.account.charge(leaves.bought, looks)
            for leaf, sums in leaves.sums.items():
                if leaf in self.state.sums:
                    self.state.sums[leaf].merge(sums)
                else:
                    self.state.sums[leaf] = sums

    def settle(self, looks: dict[int, np.ndarray]) -> None:
        """em="workers": the ledger, and leaves that cross parts get together in the first of these."""
        engine, state = self.engine, self.state
        assert state.kept is not None
        for lines in engine.map_kept(_rounds.ledger, state.kept, label=self.label("ledger")):
            self.account.charge(lines, looks)
        owner: dict[int, int] = {}
        ends: dict[int, int] = {}
        for part, blocks in enumerate(self.table.parts):
            for leaf in range(blocks.start // LEAF, -(-blocks.stop // LEAF)) if blocks else ():
                if owner.setdefault(leaf, part) != part:
                    ends[leaf] = self.table.parts[owner[leaf]].stop
        if not any(block >= ends.get(block // LEAF, block + 1) for block in looks):
            return
        shared = engine.share({"ends": ends, "dimension": self.dimension})
        found = engine.map_kept(_rounds.pieces, state.kept, shared, label=self.label("gather"))
        moves: list[_rounds.Pieces | None] = [None] * len(self.table.parts)
        for part, pieces in enumerate(found):
            for leaf, blob in pieces.items():
                here, there = moves[part] or _rounds.Pieces({}, []), moves[owner[leaf]] or _rounds.Pieces({}, [])
                here.gone.append(leaf)
                there.come.setdefault(leaf, []).append(blob)
                moves[part], moves[owner[leaf]] = here, there
        before = state.kept
        state.kept = engine.keep(_rounds.absorb, moves, before, shared, label=self.label("gather"))
        engine.forget(before)

    # ---- learning ----

    def learn(self, final: bool) -> SumsFit:
        asker: Here | Elsewhere
        if self.em == "driver":
            parts = [self.state.sums[leaf] for leaf in sorted(self.state.sums)]
            asker = Here(parts, int(value_of(self.terms.settings, "threads")))
        else:
            leaves = np.array(sorted({block // LEAF for block in self.account.lines}), dtype=np.int64)
            asker = Elsewhere(lambda request: self.ask(request, leaves))
        return SumsFit(self.terms.settings, self.dimension, asker, final)

    def ask(self, request: bytes, leaves: np.ndarray) -> bytes:
        """em="workers": a request goes to every part, and one reply comes back."""
        assert self.state.kept is not None
        shared = self.engine.share({"request": request, "leaves": leaves})
        label = self.label("expect")
        return _rounds.whole(self.engine.reduce(_rounds.answer, _rounds.merge, self.state.kept, shared, label=label))

    # ---- checkpoints ----

    def fingerprint(self) -> dict[str, Any]:
        """What tells the table from another; its parts change no bit, so they are left out."""
        names = hashlib.sha256(json.dumps([self.table.names, self.table.target]).encode()).hexdigest()
        rows = hashlib.sha256(np.asarray(self.table.rows, dtype="<i8").tobytes()).hexdigest()
        return {
            "number of attributes": self.dimension,
            "number of blocks": len(self.table.rows),
            "number of examples": int(sum(self.table.rows)),
            "target": self.table.target,
            "digest of names": names,
            "digest of rows of each block": rows,
            **getattr(self.table, "fingerprint", {}),
        }

    def wishes(self) -> dict[str, Any]:
        """What decides the result beside the table."""
        terms, prices = self.terms, self.terms.prices
        return {
            "algorithm": terms.algorithm,
            "k": terms.k,
            "random_state": terms.seed,
            "budget": terms.budget,
            "budget_cost": None if terms.budget_cost is None else terms.budget_cost / 100,
            "clip": terms.clip,
            "costs": None if prices is None else prices.amounts.tolist(),
            **terms.options,
        }

    def save(self) -> None:
        if self.terms.checkpoint is None:
            return
        state, leaves = self.state, sorted(self.state.sums)
        assert state.limits is not None
        head = {
            "version": 1,
            "library": c.version().decode(),
            "table": self.fingerprint(),
            "settings": self.wishes(),
            "done": state.done,
            "laws": [law is not None for law in state.laws],
            "lines": [[block, *line] for block, line in self.account.lines.items()],
            "leaves": leaves if self.em == "driver" else None,
        }
        blobs = [np.asarray(limit, dtype="<f8").tobytes() for limit in state.limits]
        blobs += [np.asarray(half, dtype="<f8").tobytes() for law in state.laws if law for half in law]
        blobs += [state.sums[leaf].to_bytes() for leaf in leaves]
        with self.timed("checkpoint"):
            file.write(self.terms.checkpoint, head, blobs)

    def load(self) -> None:
        """Goes on from the checkpoint, if it is there; of workers' sums it reads again what was bought."""
        path = self.terms.checkpoint
        assert path is not None
        if not os.path.exists(path):
            return
        head, blobs = file.read(path)
        file.differ(path, head["table"], self.fingerprint(), "other data")
        file.differ(path, head["settings"], self.wishes(), "a fit with other settings")
        state, arrays = self.state, iter(blobs)
        floats = (np.frombuffer(blob, dtype="<f8").astype(float) for blob in arrays)
        self.now = state.done = head["done"]
        state.limits = Limits(next(floats), next(floats))
        state.laws = [(next(floats), next(floats)) if there else None for there in head["laws"]]
        looks: dict[int, np.ndarray] = {}
        spent = 0
        for number in range(state.done):
            bought, spent = self.looks(number, spent)
            looks.update(bought)
        for block, *line in head["lines"]:
            self.account.lines[block] = line
            self.account.purchases[looks[block]] += np.uint64(line[0])
        if self.em == "driver" and head["leaves"] is not None:
            state.sums = {leaf: Sums.from_bytes(bytes(blob)) for leaf, blob in zip(head["leaves"], arrays, strict=True)}
        else:
            with self.timed("buy"):
                self.buy(looks, "read again")

    # ---- all of it ----

    def run(self) -> SumsFit:
        if self.terms.checkpoint is not None:
            file.check(self.terms.checkpoint)
        if self.terms.resume:
            self.load()
        state = self.state
        while state.done < len(self.rounds):
            if state.done and len(state.laws) <= state.done:
                self.next_law()
            looks, _ = self.looks(state.done, self.account.money)
            if not looks:  # the money is spent
                break
            self.now = state.done + 1
            self.tell(self, "buy", False)
            with self.timed("buy"):
                if state.limits is None:
                    self.buy_first(looks)
                else:
                    self.buy(looks)
            state.done += 1
            self.save()
        self.tell(self, "learn", False)
        with self.timed("learn"):
            state.fit = self.learn(final=True)
        self.tell(self, "learn", True)
        return state.fit

    def next_law(self) -> None:
        """What the next round follows; where every attribute is bought there is nothing to follow."""
        if self.terms.k >= self.dimension:
            self.state.laws.append(None)
            return
        self.tell(self, "learn", False)
        with self.timed("learn"):
            self.state.fit = self.learn(final=False)
        self.state.laws.append(self.state.fit.law())

    def end(self) -> None:
        if self.state.kept is not None:
            self.engine.forget(self.state.kept)
            self.state.kept = None


class _Asked(Exception):
    """The library got as far as asking: nothing speaks against the settings."""


def check(settings: Settings, dimension: int) -> None:
    """What can be refused before anything is bought: the algorithm, k, and d^2 beyond the memory."""

    def ask(request: bytes) -> bytes:
        raise _Asked

    try:
        SumsFit(settings, dimension, Elsewhere(ask), True)
    except _Asked:
        pass
