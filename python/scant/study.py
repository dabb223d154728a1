"""Studies: ask today, tell next week, lose nothing.

A study is one file that holds a catalogue of attributes, the orders, an append-only
ledger and the learner.  It needs SQLite, which not every build of the package has.
"""

from __future__ import annotations

import ctypes
import datetime
import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import byref
from typing import Any

import numpy as np

from . import _library as c
from ._catalogue import Attribute, Catalogue, attribute_of, is_hole, number_of, text_of
from ._errors import DataError, MisuseError, UsageError
from ._fit import path_of
from ._model import Model, settings_of
from ._options import DEFAULT, OPTIONS, Settings, as_text, default_k, find_algorithm, value_of
from ._records import Event, Frozen, Line, Order, Prediction, Proof, Purchase, Status
from ._study_out import Out

__all__ = ["Attribute", "Event", "Frozen", "Line", "Order", "Prediction", "Proof", "Purchase", "Status", "Study"]

_MODES = {"read": 0, "write": 1}  # scant_study_mode
_ORDERED = 0  # scant_line_state
_VIA = b"python"  # through what events come
_CANCEL, _EXPIRE, _FAIL = 0, 1, 2  # scant_study_end
_NOT_OF_STUDIES = ("classes", "log_target", "passes", "shuffle", "split")


def _text(value: bytes | None) -> str | None:
    return value.decode() if value else None


def _time(value: bytes) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(value.decode().replace("Z", "+00:00"))
    except ValueError:
        raise DataError(f"the study has a time {value.decode()!r}, which is none") from None


def _value(value: float) -> float | None:
    return None if math.isnan(value) else value


def _answers(values: Mapping[str, Any] | None, named: Mapping[str, Any]) -> tuple[Any, int]:
    """An array of scant_study_answer; None says that something can't be measured."""
    if values is not None and not isinstance(values, Mapping):
        raise DataError(f"values are a mapping from names to numbers, not {type(values).__name__}")
    pairs = [*(values or {}).items(), *named.items()]
    rows = (c.StudyAnswer * max(1, len(pairs)))()
    for row, (name, value) in zip(rows, pairs, strict=False):
        row.name = text_of(name, "the name of an attribute")
        row.missing = value is None
        row.value = math.nan if value is None else number_of(value, repr(name))
    return rows, len(pairs)


def _example(example: Any) -> bytes:
    return text_of(example, "an example's name")


def _rows(table: Any) -> list[tuple[Any, Mapping[str, Any]]]:
    """Examples and their values: a mapping, or a frame whose index names them."""
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        return list(zip(table.index, table.to_dict("records"), strict=True))
    if not isinstance(table, Mapping):
        raise DataError("import_rows takes a mapping from examples to their values, or a frame whose index names them")
    return list(table.items())


def _need_studies() -> None:
    if not c.HAS_STUDY:
        raise UsageError(
            "there are no studies here, for SQLite was not there, when the package was built or now: install it with "
            "its headers (libsqlite3-dev, sqlite-devel), and the package with "
            "`pip install . -Csetup-args=-Dstudy=enabled`"
        )


def _need_lapack() -> None:
    if not c.HAS_LAPACK:
        raise UsageError(
            "predictions from a few attributes need LAPACK, which this build of the package leaves out "
            "(-Dlapack=disabled); a plain `pip install .` does not"
        )


class _Handle:
    """An open scant_study, of the process that opened it alone."""

    def __init__(self, path: bytes, mode: int, given: Settings) -> None:
        self.process = os.getpid()
        self.lock = threading.RLock()
        self.pointer: Any = ctypes.c_void_p()
        c.study_open(byref(self.pointer), path, mode, given)

    def __enter__(self) -> Any:
        if self.process != os.getpid():  # before the lock, which a thread of the other process may have held
            raise MisuseError("the study was opened by another process: each opens it for itself")
        self.lock.acquire()
        if self.pointer.value is None:
            self.lock.release()
            raise MisuseError("the study is closed")
        return self.pointer

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    def close(self) -> None:
        """In a process that was forked off, the file is left alone: it is the other one's."""
        if self.process != os.getpid():
            return
        with self.lock:
            pointer, self.pointer = self.pointer, ctypes.c_void_p()
            if pointer.value is not None:
                c.study_close(pointer)

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.close()


class Study(Out):
    """A study: one file with the catalogue of attributes, the orders, the ledger and the learner.

    Every method that writes is one transaction, durable when it returns; one that raises has
    changed nothing.  One handle writes at a time (:class:`StudyBusy` else); those that read need not
    wait for it.  Threads may share a study; processes open it each for itself.

    Parameters
    ----------
    path : path
        A file that :meth:`create`, or the command, has made.
    mode : {"write", "read"}
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
        threads: int | None = None,
        memory: float | None = None,
        by: str | None = None,
    ) -> None:
        _need_studies()
        #: why "default" took its algorithm; None if that was named, or the study was made before
        self.algorithm_why: str | None = None
        if mode not in _MODES:
            raise UsageError(f"mode={mode!r} is neither 'read' nor 'write'")
        self.path, self.mode = os.fspath(path), mode
        self._handle = _Handle(path_of(path), _MODES[mode], Settings(threads=threads, memory=memory))
        with self._handle as own:
            c.study_sign(own, None if by is None else text_of(by, "by"), _VIA)
            count = c.study_dimension(own)
            self.attributes = tuple(attribute_of(c.study_attribute_at(own, i).contents) for i in range(count))
            self.target: str = c.study_target(own).decode()
            settings = c.study_settings(own)
            self.settings: dict[str, Any] = {
                name: value for name, value in settings_of(settings).items() if name not in _NOT_OF_STUDIES
            }
            self.settings["max_open"] = value_of(settings, "max_open")

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
        by: str | None = None,
        **options: Any,
    ) -> Study:
        """Makes a new file, and opens it for writing.

        Parameters
        ----------
        path : path
            Where; a file that is there is never overwritten.
        catalogue : path, sequence or frame
            What can be measured: a CSV file with the columns name and, each optional, unit, cost,
            low, high, group and known; a frame with these columns; or a sequence of
            :class:`Attribute`, mappings with these keys, or plain names.
        target : str
            The name by which the target is told.
        algorithm : str
            The name of one of :func:`scant.algorithms`; "default": gaussian or auto, by the number of
            attributes.  The study keeps what was taken, and ``algorithm_why`` of the result says why.
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
        by : str, optional
            Who makes it and acts, for the ledger; default: your login name.
        **options
            Options of the algorithm.
        """
        _need_studies()
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
        terms = c.StudyTerms(name, None if by is None else text_of(by, "by"), _VIA)
        c.study_create(path_of(path), settings, entries.rows, entries.count, byref(terms))
        study = cls(path, by=by)
        study.algorithm_why = c.in_python(why.text.decode()) or None
        return study

    @staticmethod
    def upgrade(path: str | os.PathLike[str], *, by: str | None = None) -> None:
        """Takes over a file of version 1; what it was is kept in a file with ``.v1`` behind its name."""
        _need_studies()
        terms = c.StudyTerms(None, None if by is None else text_of(by, "by"), _VIA)
        c.study_upgrade(path_of(path), Settings(), byref(terms))

    # ---- opening and closing

    def close(self) -> None:
        """Keeps the learner, so that the study opens fast the next time, and lets others write."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        return self._handle.pointer.value is None

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- orders

    def _order(self, call: Callable[..., None], *arguments: Any) -> Order | None:
        with self._handle as own:
            found = ctypes.POINTER(c.StudyOrder)()
            call(own, *arguments, byref(found))
            return self._order_of(found.contents) if found else None

    def _order_of(self, order: c.StudyOrder) -> Order:
        return Order(
            number=order.number,
            example=order.example.decode(),
            state=c.order_state_name(order.state).decode(),
            lines=tuple(self._line_of(order.lines[i]) for i in range(order.count)),
            price=order.price / 100,
            spent=order.spent / 100,
            y=order.y if order.has_y else None,
            asked_at=_time(order.asked_at),
            reason=_text(order.reason),
            age=order.age,
        )

    def _line_of(self, line: c.StudyLine) -> Line:
        attribute = self.attributes[line.attribute]
        return Line(
            name=attribute.name,
            unit=attribute.unit,
            price=line.price / 100,
            state=c.line_state_name(line.state).decode(),
            ordered=line.state == _ORDERED,
            value=_value(line.value),
            probability=line.probability,
        )

    def ask(self, example: str) -> Order:
        """What to measure of an example; asking again gives the same order.  Its price is reserved.
        :class:`BudgetSpent` if budget or budget_cost does not cover it, :class:`MisuseError` if too many orders
        are open or the example's order was ended."""
        order = self._order(c.study_ask, _example(example))
        assert order is not None
        return order

    def find(self, example: str) -> Order:
        """The order of an example, whatever its state; the last, if it has several."""
        order = self._order(c.study_find, _example(example))
        assert order is not None
        return order

    def orders(self) -> Iterator[Order]:
        """All orders, the first first."""
        number = 1
        while (order := self._order(c.study_order_at, number)) is not None:
            yield order
            number += 1

    def tell(self, example: str, values: Mapping[str, float | None] | None = None, /, **named: float | None) -> None:
        """Records values of an example, by a mapping or by keyword; the target by its name.  None
        says that an attribute can't be measured.  All or none are taken; when the last one is there, the
        learner learns.  The same value again changes nothing; another one, one that was not ordered, out of
        range or NaN is a :class:`DataError`."""
        answers = _answers(values, named)
        with self._handle as own:
            c.study_tell(own, _example(example), *answers)

    def correct(
        self, example: str, values: Mapping[str, float | None] | None = None, /, *, reason: str, **named: float | None
    ) -> None:
        """Puts other values in place of those that were told, for a reason that is recorded, and learns
        all anew."""
        answers = _answers(values, named)
        with self._handle as own:
            c.study_correct(own, _example(example), *answers, text_of(reason, "the reason"))

    def _end(self, example: str, how: int, reason: str | None = None) -> None:
        words = None if reason is None else text_of(reason, "the reason")
        with self._handle as own:
            c.study_end_order(own, _example(example), how, words)

    def cancel(self, example: str) -> None:
        """Ends an order; what was not measured by then is refunded.  Also reconciles an order that
        expired."""
        self._end(example, _CANCEL)

    def expire(self, example: str) -> None:
        """Ends an order whose money stays spent until it is cancelled."""
        self._end(example, _EXPIRE)

    def fail(self, example: str, reason: str) -> None:
        """Ends an order for a reason; what was not measured by then is refunded."""
        self._end(example, _FAIL, reason)

    def import_rows(self, table: Any) -> int:
        """Learns from examples of the past, whose values were not chosen by this study.

        ``table`` maps examples to their values, or is a frame whose index names them; None and NaN
        are holes.  It costs nothing.  Each row is a transaction: what comes before one that is
        refused stays.  Returns how many rows there were.
        """
        rows = []
        for example, values in _rows(table):
            if not isinstance(values, Mapping):
                raise DataError(f"the values of example {example!r} are not a mapping")
            there = {name: value for name, value in values.items() if not is_hole(value)}
            rows.append((_example(example), _answers(there, {})))
        for name, answers in rows:
            with self._handle as own:
                c.study_import(own, name, *answers)
        return len(rows)

    # ---- results

    def status(self) -> Status:
        """Orders, money, and the squared error as the looks themselves tell it."""
        with self._handle as own:
            status = c.StudyStatus()
            c.study_get_status(own, byref(status))
        entries = {field[0]: getattr(status, field[0]) for field in c.StudyStatus._fields_}
        entries.update(spent=status.spent / 100, reserved=status.reserved / 100)
        entries.update(budget=entries.pop("budget_cost") / 100 or None, attributes_budget=status.budget or None)
        return Status(**entries)

    def purchases(self) -> dict[str, Purchase]:
        """How often each attribute was measured, and for how much."""
        times, money = np.zeros((2, len(self.attributes)), dtype=np.uint64)
        with self._handle as own:
            c.study_purchases(own, times.ctypes.data, money.ctypes.data)
        return {
            attribute.name: Purchase(int(times[i]), int(money[i]) / 100) for i, attribute in enumerate(self.attributes)
        }

    def ledger(self) -> Iterator[Event]:
        """Every event, the first first."""
        after = 0
        while (event := self._event_after(after)) is not None:
            yield event
            after = event.sequence

    def _event_after(self, after: int) -> Event | None:
        with self._handle as own:
            found = ctypes.POINTER(c.StudyEvent)()
            c.study_event_after(own, after, byref(found))
            if not found:
                return None
            e = found.contents
            told = [(e.told[i].attribute, e.told[i].value) for i in range(e.count)]
            return Event(
                sequence=e.sequence,
                at=_time(e.at),
                kind=c.event_kind_name(e.kind).decode(),
                by=_text(e.by),
                via=_text(e.via),
                erased=bool(e.erased),
                example=_text(e.example),
                order=e.order or None,
                attributes=e.attributes,
                reserved=e.reserved / 100,
                spent=e.spent / 100,
                reason=_text(e.reason),
                learned=bool(e.learned),
                told={self.target if i < 0 else self.attributes[i].name: _value(value) for i, value in told},
                checksum=e.checksum,
            )

    # ---- using it

    def model(self, errors: bool = False, errors_of: str | Sequence[str] | None = None) -> Model:
        """The regressor so far: a model that the command takes, too.  ``errors`` adds standard errors, made of what was
        told; ``errors_of`` reads these attributes of a study of ``gaussian`` unpenalised, or "all"."""
        of = None if errors_of is None else as_text(OPTIONS["errors_of"], errors_of)
        with self._handle as own:
            if errors or of is not None:
                return Model(c.Owned(c.model_free, lambda out: c.study_model_errors(own, of, out)))
            return Model(c.Owned(c.model_free, lambda out: c.study_model(own, out)))

    def gaussian(self) -> Model:
        """The joint Gaussian of all that was told, whose ``predict_interval`` predicts from whatever is
        known.  It needs LAPACK, which a wheel leaves out."""
        _need_lapack()
        with self._handle as own:
            return Model(c.Owned(c.model_free, lambda out: c.study_gaussian(own, out)))

    def looks(self) -> np.ndarray:
        """What was bought for the orders that were learned from: a line for each attribute of each, as
        docs/looks.md says.  ``example`` is the number of the order, from 0."""
        with tempfile.TemporaryDirectory() as folder:
            self.write_looks(os.path.join(folder, "looks.npy"))
            lines: np.ndarray = np.load(os.path.join(folder, "looks.npy"))
        return lines

    def write_looks(
        self,
        path: str | os.PathLike[str],
        pairs: str | os.PathLike[str] | None = None,
        *,
        pseudonyms: bool = False,
    ) -> None:
        """The same into a file, CSV or NPY by its name, and the probabilities of ``pairs`` into another one,
        where they have a closed form.  CSV has the names of the examples, or their ``pseudonyms``."""
        with self._handle as own:
            c.study_looks(own, path_of(path), None if pairs is None else path_of(pairs), bool(pseudonyms))

    def predict(
        self, values: Mapping[str, float | None] | None = None, /, *, level: float = 0.9, **named: float | None
    ) -> Prediction:
        """A prediction from the attributes given, by :meth:`gaussian`, with the interval that holds y
        with probability ``level``."""
        _need_lapack()
        answers = _answers(values, named)
        found = c.Prediction()
        with self._handle as own:
            c.study_predict(own, *answers, level, byref(found))
        return Prediction(found.mean, found.low, found.high)

    # ---- proving it

    def verify(self) -> Proof:
        """Replays the ledger from the start and compares it with everything in the file;
        :class:`DataError` says what is wrong and where."""
        proof = c.StudyProof()
        with self._handle as own:
            c.study_verify(own, byref(proof))
        return Proof(proof.events, proof.orders, bool(proof.same_build), bool(proof.same_bits), proof.difference)

    def replay(self) -> None:
        """Makes orders, amounts and learner anew from the ledger."""
        with self._handle as own:
            c.study_replay(own)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """A copy in a new file, consistent also while others write."""
        with self._handle as own:
            c.study_backup(own, path_of(path))

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"open to {self.mode}"
        return f"<Study {str(self.path)!r} of {len(self.attributes)} attributes, {state}>"

