"""Sums of blocks as the library keeps them (scant_sums.h): made by workers, merged in any order, and learned from."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, byref, c_double, c_size_t, c_void_p
from typing import Any, NamedTuple

import numpy as np

from .. import _library as c
from .._errors import ScantError, UsageError
from .._model import Model
from .._options import Settings

_NEEDED = "sums of blocks need LAPACK, which this build of the package leaves out (-Dlapack=disabled)"


def require() -> None:
    if not c.HAS_SUMS:
        raise UsageError(_NEEDED)


def _bytes_of(make: Callable[..., None], *arguments: Any) -> bytes:
    """What a function of the library's writes to (bytes, size) after these arguments, as bytes of Python's."""
    out, size = c_void_p(), c_size_t()
    make(*arguments, byref(out), byref(size))
    try:
        return ctypes.string_at(out, size.value) if size.value else b""
    finally:
        c.bytes_free(out)


def _pointer(array: np.ndarray | None) -> Any:
    return None if array is None else array.ctypes.data


class Limits(NamedTuple):
    """What each attribute is clipped to."""

    low: np.ndarray
    high: np.ndarray


class Sums:
    """What is kept of a set of blocks."""

    def __init__(self, dimension: int, own: c.Owned | None = None) -> None:
        require()
        self.dimension = dimension
        self.own = own if own is not None else c.Owned(c.sums_free, c.sums_new, dimension)

    @classmethod
    def from_bytes(cls, held: bytes) -> Sums:
        require()
        own = c.Owned(c.sums_free, c.sums_load, held, len(held))
        loaded = cls(0, own)
        loaded.dimension = int(loaded.facts().dimension)
        return loaded

    def to_bytes(self) -> bytes:
        return _bytes_of(c.sums_save, self.own)

    def add(self, block: int, attributes: Any, values: Any, y: Any, limits: Limits | None = None) -> None:
        """A block of which these attributes were bought; ``values`` has a row for each of them, NaN is missing.
        Without limits values are taken as they come, and the sums can make limits."""
        attributes = np.ascontiguousarray(attributes, dtype=np.uint32)
        values = np.ascontiguousarray(values, dtype=np.float64)
        y = np.ascontiguousarray(y, dtype=np.float64)
        if values.shape != (attributes.size, y.size):
            raise UsageError(
                f"block {block}: values of shape {values.shape} are not {attributes.size} attributes of {y.size} rows"
            )
        low = high = None
        if limits is not None:
            low, high = (np.ascontiguousarray(limit, dtype=np.float64) for limit in limits)
            if low.shape != (self.dimension,) or high.shape != (self.dimension,):
                raise UsageError(f"limits are not of {self.dimension} attributes")
        c.sums_add(
            self.own,
            block,
            y.size,
            attributes.size,
            _pointer(attributes),
            _pointer(values),
            _pointer(y),
            _pointer(low),
            _pointer(high),
        )

    def merge(self, other: Sums) -> None:
        """The blocks of both; one that is in both counts once."""
        c.sums_merge(self.own, other.own)

    def facts(self) -> c.SumsFacts:
        facts = c.SumsFacts()
        c.sums_get_facts(self.own, byref(facts))
        return facts

    def purchases(self) -> np.ndarray:
        """For each attribute, the rows in which it was bought."""
        purchases = np.zeros(self.dimension, dtype=np.uint64)
        c.sums_purchases(self.own, _pointer(purchases))
        return purchases

    def limits(self, clip: float) -> Limits:
        """What these blocks say of where values usually are; of sums without limits alone."""
        low, high = np.empty(self.dimension), np.empty(self.dimension)
        c.sums_limits(self.own, clip, _pointer(low), _pointer(high))
        return Limits(low, high)


def answer(sums: Sums, request: bytes) -> bytes:
    return _bytes_of(c.sums_answer, sums.own, request, len(request))


def merge_replies(a: bytes, b: bytes) -> bytes:
    return _bytes_of(c.reply_merge, a, len(a), b, len(b))


def look_at(
    dimension: int, k: int, seed: int, block: int, follow: np.ndarray | None = None, explore: np.ndarray | None = None
) -> np.ndarray:
    """The attributes that are bought of a block: they follow from its number, the seed and the law alone."""
    require()
    attributes, count = np.empty(dimension, dtype=np.uint32), c_size_t()
    c.block_look(dimension, k, seed, block, _pointer(follow), _pointer(explore), _pointer(attributes), byref(count))
    return attributes[: count.value].copy()


# ---- who answers requests ----------------------------------------------------


class _Asker:
    """A scant_asker whose function is Python's.  What it raises, a Ctrl-C too, comes out of whatever asked."""

    def __init__(self, ask: Callable[[Any, int, Any, Any, Any], int]) -> None:
        # The callback must not refer to the asker: sums that an asker holds would wait for the garbage collector, which
        # does not see how large they are.
        caught: list[BaseException] = []

        def call(_user: Any, request: Any, size: int, reply: Any, reply_size: Any, error: Any) -> int:
            try:
                return ask(request, size, reply, reply_size, error)
            except BaseException as raised:
                caught[:] = [raised]
                error.contents.text = str(raised).encode("utf-8", "replace")[:511]
                return c.IO

        self._caught, self._function = caught, call
        self._call = c.Ask(call)  # it stays alive as long as it is called
        self._asker = c.Asker(self._call, None)

    @property
    def _as_parameter_(self) -> Any:
        return byref(self._asker)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """While it is asked.  A Ctrl-C that is pending when the function is called is raised before its first line:
        nobody could catch it, and ctypes tells it to this hook alone."""
        if threading.current_thread() is not threading.main_thread():  # others get no Ctrl-C
            yield
            return
        before, function, caught = sys.unraisablehook, self._function, self._caught

        def hear(ignored: Any) -> None:
            if ignored.object is function:
                caught[:] = [ignored.exc_value]
            else:
                before(ignored)

        sys.unraisablehook = hear
        try:
            yield
        finally:
            sys.unraisablehook = before

    def reraise(self) -> None:
        """What the function raised, if it did."""
        if self._caught:
            raise self._caught.pop() from None


class Here(_Asker):
    """Answers from sums in this process, on threads of the library's.  Each request passes through Python, so that a
    Ctrl-C need not wait for the last."""

    def __init__(self, parts: Sequence[Sums], threads: int) -> None:
        self._parts = list(parts)  # they stay alive as long as they are asked
        pointers = (c_void_p * len(parts))(*[part.own.pointer for part in parts])
        self._own = c.Owned(c.asker_here_free, c.asker_here, pointers, len(parts), threads)
        inner = ctypes.cast(self._own._as_parameter_, POINTER(c.Asker)).contents

        def ask(request: Any, size: int, reply: Any, reply_size: Any, error: Any) -> int:
            return int(inner.ask(inner.user, request, size, reply, reply_size, error))

        super().__init__(ask)


class Elsewhere(_Asker):
    """Answers by calling a function of Python's with the bytes of each request."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        def ask(request: Any, size: int, reply: Any, reply_size: Any, error: Any) -> int:
            said = answer(ctypes.string_at(request, size))
            reply[0], reply_size[0] = c.copied(said), len(said)
            return 0

        super().__init__(ask)


# ---- learning ----------------------------------------------------------------


class SumsFit:
    """What was learned from sums."""

    def __init__(self, settings: Settings, dimension: int, asker: Here | Elsewhere, final: bool) -> None:
        require()
        self.dimension = dimension
        try:
            with asker.listening():
                self.own = c.Owned(
                    c.sums_fit_free, lambda out: c.sums_learn(out, settings, dimension, asker, int(final))
                )
        except ScantError:
            asker.reraise()
            raise
        asker.reraise()  # the library may go on without an answer, and Python may not

    def weights(self) -> tuple[np.ndarray, float]:
        w, intercept = np.empty(self.dimension), c_double()
        c.sums_fit_weights(self.own, _pointer(w), byref(intercept))
        return w, intercept.value

    def facts(self) -> c.Facts:
        facts = c.Facts()
        c.sums_fit_facts(self.own, byref(facts))
        return facts

    def law(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each attribute, what the looks of the next round follow, and what explores."""
        follow, explore = np.empty(self.dimension), np.empty(self.dimension)
        c.sums_fit_law(self.own, _pointer(follow), _pointer(explore))
        return follow, explore

    def model(self, terms: Any) -> Model:
        return Model(c.Owned(c.model_free, lambda out: c.sums_fit_model(self.own, byref(terms), out)))
