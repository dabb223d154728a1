"""What a service says, as the records that a study hands out.  No other module knows its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

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
Made = TypeVar("Made")
HIDDEN = "not shown"


def shaped(make: Callable[..., Made], *parts: Any) -> Made:
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


def order_of(order: Fields) -> Order:
    return Order(
        number=order["order"],
        example=order["example"],
        state=order["state"],
        lines=tuple(_line_of(line) for line in order["lines"]),
        price=float(order["price"]),
        spent=float(order["spent"]),
        y=_real(order["y"]),
        asked_at=time_of(order["asked_at"]),
        asked_by=order["asked_by"],
        reason=order.get("reason"),
        age=order["learned_since"],
        second=order["second"],
        second_y=_real(order["second_y"]),
        second_needed=order["second_needed"],
        extras={extra["name"]: _real(extra["value"]) for extra in order["extras"]},
    )


def _line_of(line: Fields) -> Line:
    return Line(
        name=line["name"],
        unit=line["unit"],
        price=float(line["price"]),
        state=line["state"],
        ordered=line["state"] == "ordered",
        value=_real(line["value"]),
        probability=_real(line["probability"]),
        note=line["note"],
        second=line["second"],
        second_value=_real(line["second_value"]),
        second_note=line["second_note"],
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
    return Event(
        sequence=event["event"],
        at=time_of(event["at"]),
        kind=event["kind"],
        by=event["by"],
        via=event["via"],
        erased=event["erased"],
        example=event.get("example", example),
        order=event["order"],
        attributes=event["attributes"],
        reserved=float(event["reserved"]),
        spent=float(event["spent"]),
        reason=event["reason"],
        learned=event["learned"],
        told={value["name"]: _real(value["value"]) for value in event["values"]},
        checksum=int(event["checksum"], 16),
        notes={value["name"]: value["note"] for value in event["values"] if value["note"]},
    )


def traces_of(traces: Fields) -> Traces:
    return Traces(
        events=traces["events"],
        orders=traces["orders"],
        order=traces["order"],
        open=traces["open"],
        imported=traces["imported"],
        spent=float(traces["spent"]),
        refunded=float(traces["refunded"]),
        attributes=traces["attributes"],
        looks=traces["looks"],
        unknown=traces["unknown"],
        mentions=traces["mentions"],
        unswept=traces["unswept"],
    )


# ---- what a study is, and what it has come to


def attribute_of(attribute: Fields) -> Attribute:
    return Attribute(
        name=attribute["name"],
        unit=attribute["unit"],
        cost=float(attribute["cost"]),
        low=_real(attribute["low"]),
        high=_real(attribute["high"]),
        group=attribute["group"],
        known=attribute["known"],
        usual_low=_real(attribute["usual_low"]),
        usual_high=_real(attribute["usual_high"]),
        retired=attribute["retired"],
    )


def settings_of(study: Fields) -> dict[str, Any]:
    settings = dict(study["settings"])
    for name, none in (("budget", 0), ("budget_cost", 0.0), ("spend", 0.0)):  # null: there is no limit
        settings[name] = none if settings[name] is None else type(none)(settings[name])
    settings["missing_reasons"] = tuple(study["missing_reasons"])
    settings["second_entry"] = study["second_entry"]
    return settings


def status_of(status: Fields, settings: Fields, outlook: Outlook | None) -> Status:
    """The limits are in the settings."""
    return Status(
        **{name: status[name] for name in _COUNTS},
        spent=float(status["spent"]),
        reserved=float(status["reserved"]),
        budget=settings["budget_cost"] or None,
        attributes_budget=settings["budget"] or None,
        risk=_or_nan(status["risk"]),
        risk_error=_or_nan(status["risk_error"]),
        mean_age=_or_nan(status["mean_learned_since"]),
        most_age=status["most_learned_since"],
        outlook=outlook,
    )


_COUNTS = (
    "events", "orders", "open", "learned", "cancelled", "expired", "failed", "erased", "differ", "unswept", "imported",
    "attributes_bought", "attributes_reserved",
)  # fmt: skip


def outlook_of(outlook: Fields) -> Outlook:
    return Outlook(
        error=float(outlook["error"]),
        more=None if outlook["more"] is None else int(outlook["more"]),
        examples=None if outlook["examples"] is None else int(outlook["examples"]),
        learned=outlook["learned"],
        k=outlook["k"],
        runs=outlook["runs"],
        reached=outlook["reached"],
    )


def forecast_of(forecast: Fields) -> Forecast:
    return Forecast(
        draws=forecast["draws"],
        least=float(forecast["least"]),
        mean=float(forecast["mean"]),
        most=float(forecast["most"]),
        attributes_mean=float(forecast["attributes_mean"]),
        attributes_most=forecast["attributes_most"],
        left=_real(forecast["left"]),
        attributes_left=forecast["attributes_left"],
        chance={chance["name"]: float(chance["chance"]) for chance in forecast["chances"]},
    )


def purchases_of(items: Any) -> dict[str, Purchase]:
    return {item["name"]: Purchase(item["purchases"], float(item["money"])) for item in items}


def prediction_of(found: Fields) -> Prediction:
    return Prediction(float(found["prediction"]), float(found["low"]), float(found["high"]))


def proof_of(proof: Fields) -> Proof:
    return Proof(
        proof["events"], proof["orders"], proof["same_build"], proof["same_bits"], float(proof["difference"] or 0)
    )


def frozen_of(frozen: Fields) -> Frozen:
    return Frozen(
        name=frozen["name"],
        at=time_of(frozen["at"]) if frozen["at"] else None,
        by=frozen["by"],
        events=frozen["events"],
        checksum=int(frozen["ledger"], 16),
        sha256=frozen["sha256"],
    )
