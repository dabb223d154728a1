"""Between Python's values and those of a study: what is told, and what comes back."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from .. import _library as c
from .._errors import DataError, UsageError
from ._catalogue import Attribute, is_hole, number_of, text_of
from ._records import Difference, Event, Line, Order

Value = float | str | None  # what is told: a number, or why there is none
Confirm = bool | str | Collection[str]
_ORDERED = 0  # scant_line_state


# ---- what is told


class Answer(NamedTuple):
    """A value that is told, or that there is none."""

    name: str
    value: float  #: NaN: it is missing
    missing: bool
    note: str | None  #: why it is missing
    confirmed: bool  #: it is right, though it may be unusual


def _confirmed(confirm: Confirm, names: list[Any]) -> set[Any]:
    """The names of values that are right, though they may be unusual."""
    if isinstance(confirm, bool):
        return set(names) if confirm else set()
    if isinstance(confirm, str):
        confirm = (confirm,)
    if not isinstance(confirm, Collection):
        raise UsageError(f"confirm is True or names, not {type(confirm).__name__}")
    for name in confirm:
        if name not in names:
            raise UsageError(f"confirm names {name!r}, of which no value is given")
    return set(confirm)


def answers_of(values: Mapping[str, Any] | None, named: Mapping[str, Any], confirm: Confirm = False) -> list[Answer]:
    """What is told; None says that something can't be measured, "missing:refused" also why."""
    if values is not None and not isinstance(values, Mapping):
        raise DataError(f"values are a mapping from names to numbers, not {type(values).__name__}")
    pairs = [*(values or {}).items(), *named.items()]
    confirmed = _confirmed(confirm, [name for name, _ in pairs])
    return [_answer(name, value, name in confirmed) for name, value in pairs]


def _answer(name: Any, value: Any, confirmed: bool) -> Answer:
    text_of(name, "the name of an attribute")
    if value is not None and not (isinstance(value, str) and (value == "missing" or value.startswith("missing:"))):
        return Answer(name, number_of(value, repr(name)), False, None, confirmed)
    note = None
    if value is not None and ":" in value:
        note = value.split(":", 1)[1].strip()
        text_of(note, "the reason why it is missing")
    return Answer(name, math.nan, True, note, confirmed)


def array_of(answers: list[Answer]) -> tuple[Any, int]:
    """An array of scant_study_answer, and how many it has."""
    rows = (c.StudyAnswer * max(1, len(answers)))()
    for row, answer in zip(rows, answers, strict=False):
        row.name, row.value, row.missing = answer.name.encode(), answer.value, answer.missing
        row.note = None if answer.note is None else answer.note.encode()
        row.confirmed = answer.confirmed
    return rows, len(answers)


def example_of(example: Any) -> bytes:
    return text_of(example, "an example's name")


def names_of(examples: Any) -> list[bytes]:
    if isinstance(examples, (str, bytes)):
        raise UsageError("examples are given as a list of names")
    return [example_of(example) for example in examples]


def past_of(table: Any, confirm: Confirm) -> list[tuple[bytes, list[Answer]]]:
    """Examples of the past with what is known of each: a mapping, or a frame whose index names them."""
    rows = []
    for example, values in _rows_of(table):
        if not isinstance(values, Mapping):
            raise DataError(f"the values of example {example!r} are not a mapping")
        there = {name: value for name, value in values.items() if not is_hole(value)}
        rows.append((example_of(example), answers_of(there, {}, _of_these(confirm, there))))
    return rows


def _of_these(confirm: Confirm, values: Mapping[str, Any]) -> Confirm:
    """Not every row has a value of everything that is confirmed."""
    if isinstance(confirm, bool) or not isinstance(confirm, Collection):
        return confirm
    return [name for name in ((confirm,) if isinstance(confirm, str) else confirm) if name in values]


def _rows_of(table: Any) -> list[tuple[Any, Mapping[str, Any]]]:
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        return list(zip(table.index, table.to_dict("records"), strict=True))
    if not isinstance(table, Mapping):
        raise DataError("import_rows takes a mapping from examples to their values, or a frame whose index names them")
    return list(table.items())


# ---- what comes back


def _text(value: bytes | None) -> str | None:
    return value.decode() if value else None


def time_of(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise DataError(f"the study has a time {text!r}, which is none") from None


def _value(value: float) -> float | None:
    return None if math.isnan(value) else value


def _second(second: int) -> str | None:
    """None: it was not entered a second time."""
    return c.second_entry_name(second).decode() if second else None


def text_told(value: float | None, note: str | None) -> float | str:
    return value if value is not None else f"missing:{note}" if note else "missing"


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "str": bytes.decode,
    "str | None": _text,
    "int | None": lambda number: number or None,
    "float | None": _value,
    "datetime.datetime": lambda text: time_of(text.decode()),
    "datetime.datetime | None": lambda text: time_of(text.decode()) if text else None,
}


def record_of(kind: type[c.Made], row: Any, /, **given: Any) -> c.Made:
    """A record from a struct of the library's: a copy, which stays when the study goes on."""
    return c.filled(kind, lambda name: getattr(row, name), _MAKERS, **given)


def attribute_of(row: c.StudyAttribute) -> Attribute:
    return record_of(Attribute, row, cost=row.cost / 100)


def order_of(order: c.StudyOrder, attributes: tuple[Attribute, ...]) -> Order:
    extras = [order.extras[i] for i in range(order.extra_count)]
    return record_of(
        Order,
        order,
        state=c.order_state_name(order.state).decode(),
        lines=tuple(_line_of(order.lines[i], attributes) for i in range(order.count)),
        price=order.price / 100,
        spent=order.spent / 100,
        y=order.y if order.has_y else None,
        second=_second(order.second),
        extras={attributes[extra.attribute].name: _value(extra.value) for extra in extras},
    )


def _line_of(line: c.StudyLine, attributes: tuple[Attribute, ...]) -> Line:
    attribute = attributes[line.attribute]
    return record_of(
        Line,
        line,
        name=attribute.name,
        unit=attribute.unit,
        price=line.price / 100,
        state=c.line_state_name(line.state).decode(),
        ordered=line.state == _ORDERED,
        second=_second(line.second),
    )


def differences_of(order: Order, target: str) -> tuple[Difference, ...]:
    """What was entered twice, and not the same."""
    found = [
        Difference(line.name, text_told(line.value, line.note), text_told(line.second_value, line.second_note))
        for line in order.lines
        if line.second == "differs"
    ]
    if order.second == "differs":
        found.append(Difference(target, text_told(order.y, None), text_told(order.second_y, None)))
    return tuple(found)


def event_of(e: c.StudyEvent, attributes: tuple[Attribute, ...], target: str) -> Event:
    values = [(e.told[i].attribute, e.told[i].value, _text(e.told[i].note)) for i in range(e.count)]
    told_of = {target if i < 0 else attributes[i].name: (value, note) for i, value, note in values}
    return record_of(
        Event,
        e,
        kind=c.event_kind_name(e.kind).decode(),
        reserved=e.reserved / 100,
        spent=e.spent / 100,
        told={name: _value(value) for name, (value, _) in told_of.items()},
        notes={name: note for name, (_, note) in told_of.items() if note},
    )


# ---- what this build can't do


def need_studies() -> None:
    if not c.HAS_STUDY:
        raise UsageError(
            "there are no studies here, for SQLite was not there, when the package was built or now: install it with "
            "its headers (libsqlite3-dev, sqlite-devel), and the package with "
            "`pip install . -Csetup-args=-Dstudy=enabled`"
        )


def need_lapack() -> None:
    if not c.HAS_LAPACK:
        raise UsageError(
            "predictions from a few attributes need LAPACK, which this build of the package leaves out "
            "(-Dlapack=disabled); a plain `pip install .` does not"
        )
