"""Studies: ask today, tell next week, lose nothing.

A study is one file that holds a catalogue of attributes, the orders, an append-only
ledger and the learner.  It needs SQLite, which not every build of the package has.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from ctypes import byref
from typing import Any

from .. import _library as c
from .._errors import UsageError
from .._fit import path_of
from .._options import DEFAULT, Settings, default_k, find_algorithm
from ._catalogue import Attribute, Catalogue, number_of, text_of
from ._changes import Changes
from ._handle import Handle
from ._orders import Orders
from ._out import Out
from ._records import (
    Comparison,
    Difference,
    Event,
    Forecast,
    Frozen,
    Line,
    Order,
    Outlook,
    Prediction,
    Proof,
    Purchase,
    Status,
    Traces,
)
from ._results import Results
from ._words import need_studies

__all__ = [
    "Attribute",
    "Comparison",
    "Difference",
    "Event",
    "Forecast",
    "Frozen",
    "Line",
    "Order",
    "Outlook",
    "Prediction",
    "Proof",
    "Purchase",
    "Status",
    "Study",
    "Traces",
]

_VIA = b"python"  # through what events come


class Study(Orders, Changes, Results, Out):
    """A study: one file with the catalogue of attributes, the orders, the ledger and the learner.

    Every method that writes is one transaction, durable when it returns; one that raises has
    changed nothing.  An open study keeps nobody from writing: a method that writes takes the lock of
    the file, catches up with what others wrote meanwhile, and lets the lock go.  Methods that read
    need no lock.  Threads may share a study; processes open it each for itself.

    Parameters
    ----------
    path : path
        A file that :meth:`create`, or the command, has made.
    mode : {"write", "read"}
    wait : float
        Seconds to wait while another one writes, at opening and in each method that writes; whoever
        came first is served first.  Then :class:`StudyBusy` is raised.  Signals are handled meanwhile.
    threads, memory : optional
        For predictions, as the command's options.
    by : str, optional
        Who acts, for the ledger; default: your login name.

    Examples
    --------
    >>> import os, scant, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "clinic.study")
    >>> tests = [scant.Attribute("age", known=True), scant.Attribute("glucose", "mmol/l", cost=3.5, low=0, high=60),
    ...          scant.Attribute("scan", cost=80)]
    >>> with scant.Study.create(path, tests, spend=90, target="risk") as study:
    ...     order = study.ask("patient 1")
    ...     study.tell("patient 1", age=61)
    ...     study.find("patient 1").state
    'partly told'
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mode: str = "write",
        *,
        wait: float = 0,
        threads: int | None = None,
        memory: float | None = None,
        by: str | None = None,
    ) -> None:
        need_studies()
        #: why "default" took its algorithm; None if that was named, or the study was made before
        self.algorithm_why: str | None = None
        if mode not in ("read", "write"):
            raise UsageError(f"mode={mode!r} is neither 'read' nor 'write'")
        self.path, self.mode = os.fspath(path), mode
        self._handle = Handle(path_of(path), mode, number_of(wait, "wait"), Settings(threads=threads, memory=memory))
        with self._handle as own:
            c.study_sign(own, None if by is None else text_of(by, "by"), _VIA)
        self._handle.about()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        catalogue: Any,
        *,
        target: str = "y",
        algorithm: str = DEFAULT,
        k: int | None = None,
        spend: float | None = None,
        budget: int | None = None,
        budget_cost: float | None = None,
        missing: str | None = None,
        seed: int = 1,
        max_open: int = 1000,
        missing_reasons: str | Sequence[str] | None = None,
        second_entry: bool = False,
        by: str | None = None,
        wait: float = 0,
        **options: Any,
    ) -> Study:
        """Makes a new file, and opens it for writing.

        Parameters
        ----------
        path : path
            Where; a file that is there is never overwritten.
        catalogue : path, sequence or frame
            What can be measured: a CSV file with the columns name and, each optional, unit, cost,
            low, high, usual_low, usual_high, group and known; a frame with these columns; or a sequence of
            :class:`Attribute`, mappings with these keys, or plain names.
        target : str
            The name by which the target is told.
        algorithm : str
            The name of one of :func:`scant.algorithms`; "default": gaussian, or auto where gaussian
            can't be.  The study keeps what was taken, and ``algorithm_why`` of the result says why.
        k : int, optional
            Attributes that may be bought per example; default: a tenth of them, at least 2,
            unless ``spend`` is given.
        spend : float, optional
            Money per example, with ``k`` or instead of it.
        budget, budget_cost : optional
            Attributes that may be bought, and money that may be spent, in all.
        missing : str, optional
            What happens to an order with an attribute that can't be measured; default: "skip-cell".
        seed : int
            Same seed, same orders.
        max_open : int
            Orders that may be open at once.
        missing_reasons : str or sequence, optional
            Why a value may be missing, separated by commas, or a list; default: not done, refused, broken, lost.
        second_entry : bool
            An order is learned only when all its values were entered a second time (:meth:`tell_second`), and agree.
        by : str, optional
            Who makes it and acts, for the ledger; default: your login name.
        wait : float
            As for :class:`Study`.
        **options
            Options of the algorithm.
        """
        need_studies()
        entries = Catalogue(catalogue)
        entry = find_algorithm(algorithm)
        if k is None and not spend and not entry.whole and entries.count > 1:
            k = default_k(entry, entries.count, options)
        settings = Settings(
            algorithm=algorithm,
            k=k,
            spend=spend,
            budget=budget,
            budget_cost=budget_cost,
            missing=missing,
            seed=seed,
            max_open=max_open,
            **options,
        )
        name = text_of(target, "the target's name")
        why = c.Error()
        c.study_choose(settings, entries.rows, entries.count, name, byref(why))
        if missing_reasons is not None and not isinstance(missing_reasons, str):
            missing_reasons = ",".join(missing_reasons)
        reasons = None if missing_reasons is None else text_of(missing_reasons, "missing_reasons")
        terms = c.StudyTerms(name, None if by is None else text_of(by, "by"), _VIA, reasons, bool(second_entry))
        c.study_create(path_of(path), settings, entries.rows, entries.count, byref(terms))
        study = cls(path, wait=wait, by=by)
        study.algorithm_why = why.text.decode() or None
        return study

    # ---- opening and closing

    def close(self) -> None:
        """Keeps the learner, unless another one is writing, so that the study opens fast the next time."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        return self._handle.pointer.value is None

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"open to {self.mode}"
        return f"<Study {str(self.path)!r} of {len(self.attributes)} attributes, {state}>"
