"""Ask and tell: a learner says what to buy, and learns from what it is told."""

from __future__ import annotations

import ctypes
import operator
import threading
from ctypes import byref, c_double
from typing import Any

import numpy as np

from . import _library as c
from ._errors import DataError, UsageError
from ._options import DEFAULT, OPTIONS, Settings, default_k, find_algorithm, needs_k
from ._prices import prices_of


def _lines(look: Look, field: str) -> np.ndarray:
    lines: np.ndarray = np.frombuffer(look._lines, dtype=c.LookLine, count=len(look))[field]
    return lines


def _column(field: str, kind: Any) -> Any:
    """A property of a look: one field of all of its lines."""

    def column(look: Look) -> np.ndarray:
        array = _lines(look, field).astype(kind)
        array.flags.writeable = False
        return array

    return property(column)


def _total(field: str) -> Any:
    """A property of a look: a number that all of its lines have."""
    return property(lambda look: int(_lines(look, field)[0]) if len(look) else 0)


class Look:
    """The attributes to buy of one example, with what the estimate needs, frozen when it
    was asked for.  It can be pickled and told later, by another process too.

    The arrays have a place for each attribute, in the order of ``attributes``; docs/looks.md says
    what estimates follow from them.

    Attributes
    ----------
    attributes : ndarray of int
        The attributes to buy, each once.
    draws : ndarray of int
        How often each was drawn for the gradient; 0 for one that is certain, or was drawn for the
        residual alone.
    draws_total : int
        How many such draws the look has.
    probabilities : ndarray of float
        The probability of one of them; 1 if the attribute is certain, NaN if it was not drawn or draws
        depend on those before them (``gaussian``, ``moments``).
    certain : ndarray of bool
        Is it bought for certain?
    residual_draws, residual_total, residual_probabilities
        Those of draws for the residual, where they are draws of their own (the papers' algorithms).
    inclusion : ndarray of float
        The probability that the look has the attribute at all; NaN where it has no closed form.
    items : ndarray of int
        Attributes that are bought together as a group have the same number.
    serial : int
        Which look of its learner this is, from 1.
    """

    def __init__(self, pointer: Any, lines: Any) -> None:
        self._pointer = pointer
        self._look = pointer.contents
        self._lines = lines  # of scant_look_line
        count = self._look.count
        self.attributes: np.ndarray = self._array("attributes", count).astype(np.int64)
        self.attributes.flags.writeable = False

    def _array(self, field: str, count: int) -> np.ndarray:
        return np.ctypeslib.as_array(getattr(self._look, field), (count,)) if count else np.zeros(0)

    draws = _column("draws", np.int64)
    draws_total = _total("draws_total")
    probabilities = _column("probability", np.float64)
    certain = _column("certain", np.bool_)
    residual_draws = _column("residual_draws", np.int64)
    residual_total = _total("residual_total")
    residual_probabilities = _column("residual_probability", np.float64)
    inclusion = _column("inclusion", np.float64)
    items = _column("item", np.int64)

    @property
    def serial(self) -> int:
        return int(self._look.serial)

    def __len__(self) -> int:
        return len(self.attributes)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            c.look_free(self._pointer)
            self._pointer = None

    def __getstate__(self) -> bytes:
        """The text of the library, and behind a 0 how it was drawn."""
        return c.text_of(c.look_save, self._pointer) + b"\0" + bytes(self._lines)

    def __setstate__(self, state: bytes) -> None:
        text, _, lines = bytes(state).partition(b"\0")
        pointer = ctypes.POINTER(c.Look)()
        c.look_load(byref(pointer), text, len(text))
        if len(lines) != ctypes.sizeof(c.LookLine) * max(1, pointer.contents.count):
            c.look_free(pointer)
            raise DataError("the look is damaged: it does not say how all of it was drawn")
        self.__init__(pointer, lines)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Look {self.serial} at attributes {self.attributes.tolist()}>"


def _check(look: Any) -> None:
    if not isinstance(look, Look):
        raise TypeError(f"{look!r} is no Look: it comes from ask")


def _whole(name: str, number: Any) -> int:
    """A number that the library counts with."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name}={number!r} is not a whole number") from None
    if not 0 <= whole < 2**63:
        raise UsageError(f"{name}={number!r} is not in [0, 2^63)")
    return whole


class Learner:
    """A learner that says which attributes of the next example to buy.

    Parameters
    ----------
    algorithm : str
        The name of one of :func:`scant.algorithms`; "default": gaussian or auto, by ``dimension`` and,
        if it is given, ``horizon``.
    dimension : int
        How many attributes an example has.
    k : int, optional
        Attributes that may be bought per example; default: a tenth of them, at
        least 2.
    seed : int
        Same seed, same looks.
    max_open : int
        Looks that may be open at once: asked for and not yet told.
    horizon : int, optional
        How many examples will be told, if that is known; some step sizes use it.
    costs : sequence or mapping, optional
        What each attribute costs; an entry may be a pair (cost, group).  Looks
        follow them where the algorithm can.
    names : sequence of str, optional
        Names of the attributes, for ``costs`` by name.
    **options
        Options of the algorithm, as of the estimators, and ``missing``; with costs and a
        horizon ``budget_cost`` too, which steers the looks (a :class:`MeteredSource` holds it).

    Examples
    --------
    >>> import numpy as np, scant
    >>> X = np.random.default_rng(0).normal(size=(500, 10))
    >>> y = X[:, 3] - 2 * X[:, 7]
    >>> learner = scant.Learner("auto", dimension=10, k=4, seed=1)
    >>> for x, target in zip(X, y):
    ...     look = learner.ask()
    ...     learner.tell(look, x[look.attributes], target)
    >>> int(np.argmax(abs(learner.coef)))
    7
    """

    def __init__(
        self,
        algorithm: str = DEFAULT,
        *,
        dimension: int,
        k: int | None = None,
        seed: int = 1,
        max_open: int = 1,
        horizon: int | None = None,
        costs: Any = None,
        names: Any = None,
        **options: Any,
    ) -> None:
        entry = find_algorithm(algorithm)
        of_learners = {*entry.options, "missing", "threads", "memory", *(("budget_cost",) if costs is not None else ())}
        for name in options:
            if name in OPTIONS and name not in of_learners:
                hint = ": a MeteredSource holds budgets" if name in ("budget", "budget_cost") else ""
                raise UsageError(f"{name} is no option of a Learner of {algorithm}{hint}")
        if names is not None and len(names) != dimension:
            raise DataError(f"there are {len(names)} names of {dimension} attributes")
        dimension, horizon = _whole("dimension", dimension), _whole("horizon", 0 if horizon is None else horizon)
        if k is None and needs_k(entry, options):
            k = default_k(entry, dimension, options)
        settings = Settings(algorithm=algorithm, k=k, seed=seed, max_open=max_open, **options)
        c.settings_resolve(settings)
        self._prices = prices_of(costs, dimension, names)
        why = c.Error()
        chosen = c.settings_choose(settings, dimension, horizon, self._prices, byref(why))
        self._why = why.text.decode() if chosen else None
        self._start(c.Owned(c.learner_free, c.learner_new, settings, dimension, horizon))
        if self._prices is not None:
            c.learner_price(self._own, self._prices)

    def _start(self, own: c.Owned) -> None:
        self._own = own
        self._lock = threading.Lock()

    def ask(self) -> Look:
        """What to buy of the next example.  :class:`MisuseError` if ``max_open`` looks are
        open already."""
        with self._lock:
            pointer = ctypes.POINTER(c.Look)()
            c.look_new(byref(pointer), self._own)
            try:
                c.learner_ask(self._own, pointer)
                lines = (c.LookLine * max(1, pointer.contents.count))()
                c.learner_describe(self._own, pointer, lines, None)
            except Exception:
                c.look_free(pointer)
                raise
        return Look(pointer, lines)

    def pairs(self, look: Look) -> np.ndarray:
        """The probabilities that a look has both of two attributes of this one: entry (i, j) is about
        places i and j, and NaN if there is no closed form.  Those of ``gaussian``, ``moments``, ``ddaerr`` and
        ``ddaelr`` are known only until something else is asked or told."""
        _check(look)
        pairs = np.empty((len(look), len(look)))
        with self._lock:
            c.learner_describe(self._own, look._pointer, (c.LookLine * max(1, len(look)))(), pairs.ctypes.data)
        return pairs

    def tell(self, look: Look, values: Any, y: float) -> None:
        """Learns from a look: ``values[i]`` is that of ``look.attributes[i]``, NaN if it has
        none; ``y`` is the target.  Each look is told once, in any order."""
        values, y = self._values(look, values), float(y)
        with self._lock:
            c.learner_tell(self._own, look._pointer, len(values), None, values.ctypes.data, y)

    def tell_block(self, look: Look, values: Any, y: Any) -> None:
        """Learns from a look that is for several examples, at most as many as option ``block`` says:
        ``values[r, i]`` is attribute ``look.attributes[i]`` of example r, NaN if it has none, and
        ``y[r]`` its target.  They make one step."""
        _check(look)
        rows = np.ascontiguousarray(values, dtype=np.float64)
        targets = np.ascontiguousarray(y, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(look) or targets.shape != rows.shape[:1]:
            raise DataError(
                f"the look has {len(look)} attributes, and there are values of shape {rows.shape} with targets of "
                f"shape {targets.shape}"
            )
        with self._lock:
            c.learner_tell_block(self._own, look._pointer, len(rows), rows.ctypes.data, targets.ctypes.data)

    def cancel(self, look: Look) -> None:
        """Closes a look that will never be told."""
        _check(look)
        with self._lock:
            c.learner_cancel(self._own, look._pointer)

    def reopen(self, look: Look) -> None:
        """Opens a look again that was cancelled, so that it can be told after all.  Only you know that it was not
        told."""
        _check(look)
        with self._lock:
            c.learner_reopen(self._own, look._pointer)

    def judge(self, look: Look, values: Any, y: float) -> float:
        """An unbiased estimate of the squared error of the regressor so far from a look
        that has not been told yet."""
        values, y = self._values(look, values), float(y)
        risk = c_double()
        with self._lock:
            c.learner_judge(self._own, look._pointer, values.ctypes.data, y, byref(risk))
        return risk.value

    @staticmethod
    def _values(look: Look, values: Any) -> np.ndarray:
        _check(look)
        array: np.ndarray = np.ascontiguousarray(values, dtype=np.float64)
        if array.shape != (len(look),):
            raise DataError(f"the look has {len(look)} attributes, and there are values of shape {array.shape}")
        return array

    def _weights(self) -> tuple[np.ndarray, float]:
        w, intercept = np.empty(self.dimension), c_double()
        with self._lock:
            c.learner_finish(self._own)
            c.learner_weights(self._own, w.ctypes.data, byref(intercept))
        return w, intercept.value

    def _facts(self, finished: bool = False) -> c.Facts:
        facts = c.Facts()
        with self._lock:
            if finished:  # a dense algorithm knows its risk only then
                c.learner_finish(self._own)
            c.learner_get_facts(self._own, byref(facts))
        return facts

    @property
    def dimension(self) -> int:
        return int(self._facts().dimension)

    @property
    def algorithm(self) -> str:
        """The algorithm that learns."""
        name: bytes = c.learner_algorithm(self._own)
        return name.decode()

    @property
    def algorithm_why(self) -> str | None:
        """Why the default took it; None if it was named."""
        return self._why

    @property
    def told(self) -> int:
        """Examples learned from."""
        return int(self._facts().told)

    @property
    def coef(self) -> np.ndarray:
        """The weights so far, in the units of the attributes; for attributes between :attr:`limits`."""
        return self._weights()[0]

    @property
    def intercept(self) -> float:
        return self._weights()[1]

    @property
    def means(self) -> np.ndarray:
        """Running means of the values told; they take the place of missing values."""
        means = np.empty(self.dimension)
        with self._lock:
            c.learner_means(self._own, means.ctypes.data)
        return means

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray] | None:
        """What each attribute is clipped to, low and high; None: attributes are not clipped."""
        low, high = np.empty(self.dimension), np.empty(self.dimension)
        with self._lock:
            c.learner_finish(self._own)
            clips = c.learner_limits(self._own, low.ctypes.data, high.ctypes.data)
        return (low, high) if clips else None

    @property
    def risk(self) -> tuple[float, float]:
        """The squared error of the regressor, estimated from the looks alone, and its standard
        error; NaN while it is not known.  The papers' algorithms and ``average="last"`` tell
        that of recent iterates."""
        facts = self._facts(finished=True)
        return facts.risk, facts.risk_error

    @property
    def scale(self) -> float:
        """What was learned was multiplied by this: below 1 because more would not surely have
        predicted better than the mean, above 1 because it surely does."""
        return float(self._facts(finished=True).scale)

    def predict(self, X: Any) -> np.ndarray:
        """Predictions for the rows of an array; NaN counts as the attribute's mean."""
        X = np.atleast_2d(np.asarray(X, dtype=np.float64))
        w, intercept = self._weights()
        if X.shape[1] != len(w):
            raise DataError(f"there are {X.shape[1]} attributes, and the learner has {len(w)}")
        limits = self.limits
        X = np.where(np.isnan(X), self.means, X)
        predictions: np.ndarray = (X if limits is None else np.clip(X, *limits)) @ w + intercept
        return predictions

    def __getstate__(self) -> bytes:
        with self._lock:
            return c.text_of(c.learner_save, self._own)

    def __setstate__(self, text: bytes) -> None:
        self._prices = None  # the loaded learner has its own
        self._why = None  # it names its algorithm
        self._start(c.Owned(c.learner_free, c.learner_load, text, len(text), Settings()))

    def __repr__(self) -> str:
        return f"<Learner of {self.dimension} attributes, told {self.told} examples>"
