"""What a service says, as the records that a study hands out.  No other module knows its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import _library as c
from .._errors import DataError, ServiceError
from ..study._catalogue import Attribute
from ..study._records import (
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
from ..study._words import Answer, text_told, time_of

Fields = Mapping[str, Any]
HIDDEN = "not shown"


def shaped(make: Callable[..., c.Made], *parts: Any) -> c.Made:
    """What ``make`` makes of an answer; one of another shape is none of ours."""
    try:
        return make(*parts)
    except (AttributeError, DataError, IndexError, KeyError, TypeError, ValueError) as wrong:
        raise ServiceError(
            f"the service's answer is not as expected ({type(wrong).__name__}: {wrong}): it may be of another version"
        ) from wrong


def _real(value: Any) -> float | None:
    return None if value is None else float(value)


def _or_nan(value: Any) -> float:
    return math.nan if value is None else float(value)


# ---- what is told


def answers_json(answers: list[Answer]) -> dict[str, Any]:
    """Answers as a request has them."""
    told: dict[str, Any] = {}
    for answer in answers:
        if answer.name in told:  # an object can't say so; the sentence is the library's
            raise DataError(f"'{answer.name}' is told twice")
        told[answer.name] = _answer_json(answer)
    return told


def _answer_json(answer: Answer) -> Any:
    if answer.missing:
        return None if answer.note is None else {"missing": answer.note}
    if not math.isfinite(answer.value):  # JSON has no such numbers; the sentence is the library's
        what = "NaN" if math.isnan(answer.value) else "infinite"
        raise DataError(f"'{answer.name}' is {what}, which is not a value")
    return {"value": answer.value, "confirmed": True} if answer.confirmed else answer.value


def attribute_json(attribute: Attribute, columns: Iterable[str]) -> dict[str, Any]:
    """Columns of an attribute, by its name."""
    return {"name": attribute.name, **{column: getattr(attribute, column) for column in columns}}


# ---- orders and events


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "float | None": _real,
    "datetime.datetime": time_of,
    "datetime.datetime | None": lambda text: time_of(text) if text else None,
}


def record_of(kind: type[c.Made], fields: Fields, /, **given: Any) -> c.Made:
    """A record from the fields of an object that have its names."""
    return c.filled(kind, fields.__getitem__, _MAKERS, **given)


def order_of(order: Fields) -> Order:
    return record_of(
        Order,
        order,
        number=order["order"],
        lines=tuple(record_of(Line, line, ordered=line["state"] == "ordered") for line in order["lines"]),
        reason=order.get("reason"),
        age=order["learned_since"],
        extras={extra["name"]: _real(extra["value"]) for extra in order["extras"]},
    )


def comparison_of(found: Fields) -> Comparison:
    differences = tuple(_difference_of(difference) for difference in found["differences"])
    return Comparison(found["agree"], found["once"], found["same_hand"], differences)


def _difference_of(difference: Fields) -> Difference:
    """Who enters does not see the first entry, so that the second one stays blind."""
    if "value" not in difference:
        return Difference(difference["name"], HIDDEN, HIDDEN)
    first = text_told(_real(difference["value"]), difference["note"])
    return Difference(
        difference["name"], first, text_told(_real(difference["second_value"]), difference["second_note"])
    )


def event_of(event: Fields, example: str | None = None) -> Event:
    """``example``: whose history it is from."""
    return record_of(
        Event,
        event,
        sequence=event["event"],
        example=event.get("example", example),
        told={value["name"]: _real(value["value"]) for value in event["values"]},
        checksum=int(event["checksum"], 16),
        notes={value["name"]: value["note"] for value in event["values"] if value["note"]},
    )


def traces_of(traces: Fields) -> Traces:
    return record_of(Traces, traces)


# ---- what a study is, and what it has come to


def attribute_of(attribute: Fields) -> Attribute:
    return record_of(Attribute, attribute)


def settings_of(study: Fields) -> dict[str, Any]:
    settings = dict(study["settings"])
    for name, none in (("budget", 0), ("budget_cost", 0.0), ("spend", 0.0)):  # null: there is no limit
        settings[name] = none if settings[name] is None else type(none)(settings[name])
    settings["missing_reasons"] = tuple(study["missing_reasons"])
    settings["second_entry"] = study["second_entry"]
    return settings


def status_of(status: Fields, settings: Fields, outlook: Outlook | None) -> Status:
    """The limits are in the settings."""
    return record_of(
        Status,
        status,
        budget=settings["budget_cost"] or None,
        attributes_budget=settings["budget"] or None,
        risk=_or_nan(status["risk"]),
        risk_error=_or_nan(status["risk_error"]),
        mean_age=_or_nan(status["mean_learned_since"]),
        most_age=status["most_learned_since"],
        outlook=outlook,
    )


def outlook_of(outlook: Fields) -> Outlook:
    whole = {name: None if outlook[name] is None else int(outlook[name]) for name in ("more", "examples")}
    return record_of(Outlook, outlook, **whole)


def forecast_of(forecast: Fields) -> Forecast:
    chances = {chance["name"]: float(chance["chance"]) for chance in forecast["chances"]}
    return record_of(Forecast, forecast, chance=chances)


def purchases_of(items: Any) -> dict[str, Purchase]:
    return {item["name"]: Purchase(item["purchases"], float(item["money"])) for item in items}


def prediction_of(found: Fields) -> Prediction:
    return Prediction(float(found["prediction"]), float(found["low"]), float(found["high"]))


def proof_of(proof: Fields) -> Proof:
    return record_of(Proof, proof, difference=float(proof["difference"] or 0))


def frozen_of(frozen: Fields) -> Frozen:
    return record_of(Frozen, frozen, checksum=int(frozen["ledger"], 16))
