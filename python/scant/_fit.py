"""Fits: the library's loop over ask, meter and tell, in strides; a Ctrl-C or a
callback can come between two of them."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from ctypes import byref, c_int, c_uint64
from typing import Any

from . import _library as c
from ._errors import UsageError, warn
from ._model import Model
from ._options import Settings
from ._tables import Source

_PROMPT = 0.05  # seconds that a stride should take at most


def path_of(path: str | os.PathLike[str]) -> bytes:
    """A path as the library takes it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise UsageError(f"the path {path!r} has a null character in it")
    return encoded


class Progress:
    """Where a fit stands: what a callback is given.

    Attributes
    ----------
    examples, horizon : int
        Examples learned from, and how many there will be (0: not known).
    attributes_bought : int
    cost_spent : float
    risk, risk_error : float
        The squared error as estimated from the looks, and its standard error; NaN
        while it is not known, and the latter always for ``gaussian``.
    done : bool
    """

    def __init__(self, fit: Fit, done: bool) -> None:
        ledger, facts = c.fit_ledger(fit.own).contents, fit.facts()
        self._fit = fit
        self.examples = int(ledger.examples)
        self.horizon = int(c.fit_horizon(fit.own))
        self.attributes_bought = int(ledger.attributes_bought)
        self.cost_spent = ledger.money_spent / 100
        self.risk, self.risk_error = facts.risk, facts.risk_error
        self.done = done

    def model(self) -> Model:
        """The model so far; only while the callback runs.  O(d)."""
        return self._fit.model()

    def __str__(self) -> str:
        of = f" of {self.horizon}" if self.horizon else ""
        money = f", {self.cost_spent:.2f} spent" if self.cost_spent else ""
        bar = "" if math.isnan(self.risk_error) else f" +- {self.risk_error:.2g}"
        risk = "" if math.isnan(self.risk) else f", risk {self.risk:.4g}{bar}"
        return f"[scant] {self.examples}{of} examples, {self.attributes_bought} attributes bought{money}{risk}"


Callback = Callable[[Progress], Any]


class Fit:
    """A scant_fit.  It reads the data of its source while it advances; the source itself, with
    its names, it needs until another one takes its place."""

    def __init__(self, own: c.Owned, source: Source) -> None:
        self.own = own
        self.source = source

    @classmethod
    def new(cls, settings: Settings, source: Source) -> Fit:
        return cls(c.Owned(c.fit_free, c.fit_new, settings, source), source)

    @classmethod
    def stream(cls, settings: Settings, source: Source) -> Fit:
        return cls(c.Owned(c.fit_free, c.fit_stream, settings, source), source)

    @classmethod
    def resume(cls, model: Model, learner: bytes, source: Source) -> Fit:
        loaded = c.Owned(c.learner_free, c.learner_load, learner, len(learner), Settings())
        return cls(c.Owned(c.fit_free, c.fit_continue, model._own, loaded.release(), source), source)

    def feed(self, source: Source) -> None:
        c.fit_feed(self.own, source)
        self.source = source

    def choice(self) -> str | None:
        """Why the default took its algorithm; None if that was named."""
        why = c.fit_choice(self.own)
        return why.decode() if why else None

    def facts(self) -> c.Facts:
        facts = c.Facts()
        c.fit_get_facts(self.own, byref(facts))
        return facts

    def model(self) -> Model:
        return Model(c.Owned(c.model_free, lambda out: c.fit_model(self.own, 0, out)))

    def add_errors(self, model: Model) -> Model:
        """The same model with standard errors, made of the purchases of this fit."""
        c.fit_errors(self.own, model._own)
        return Model(model._own)

    @contextlib.contextmanager
    def keeping(self, looks: Any, pairs: Any = None) -> Iterator[None]:
        """Within it, purchases go to a file of looks (None: nowhere), which is whole at the end.  It is
        there after a Ctrl-C too, but not after a failure."""
        if looks is None:
            if pairs is not None:
                raise UsageError("looks_pairs needs looks")
            yield
            return
        c.fit_keep_looks(self.own, path_of(looks), None if pairs is None else path_of(pairs))
        try:
            yield
        except KeyboardInterrupt:
            c.fit_end_looks(self.own)
            raise
        except BaseException:
            c.fit_keep_looks(self.own, None, None)
            raise
        c.fit_end_looks(self.own)

    def learner(self) -> bytes:
        """The learner, as text from which it comes back."""
        return c.text_of(c.learner_save, c.fit_learner(self.own))

    def run(self, callback: Callback | None = None, verbose: int = 0, stops: Iterable[int] = ()) -> None:
        """To its end, or until the callback returns True.  The callback comes after each number
        of examples in ``stops`` and at the end; without them, ten times a second."""
        marks = sorted(stops)
        curve = c.Owned(c.curve_free, c.curve_new, self.own, (c_uint64 * len(marks))(*marks), len(marks))
        ledger = c.fit_ledger(self.own).contents
        done, arrived = c_int(0), c_int(0)
        stride, shown, called = 64, time.monotonic(), 0.0
        while not done.value:
            before, began = ledger.examples, time.monotonic()
            with self.source.reading():
                c.curve_advance(curve, stride, byref(arrived), byref(done))
            now = time.monotonic()
            if now - began < _PROMPT / 4 and ledger.examples - before == stride:
                stride *= 2
            elif now - began > _PROMPT:
                stride = max(1, stride // 2)
            if verbose and (now - shown >= 1 or done.value):
                print(Progress(self, bool(done.value)), flush=True)
                shown = now
            if callback and (arrived.value or (not marks and now - called >= 0.1)):
                called = now
                if callback(Progress(self, bool(done.value))) is True:
                    break


def warn_of(fit: Fit | None, model: Model | None) -> None:
    """Says what the command would warn of, to whoever called the function that calls this."""
    if fit is None or model is None:
        return
    for note in range(c.FIT_NOTES):
        sentence = c.sentence_of(c.fit_say, fit.own, model._own, note)
        if sentence:
            warn(sentence)
