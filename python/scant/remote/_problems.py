"""What a service refuses, as the exceptions that the library raises for the same."""

from __future__ import annotations

import http
import json
from collections.abc import Callable
from http.client import HTTPMessage
from typing import Any

from .._errors import (
    BudgetSpent,
    DataError,
    FileError,
    MisuseError,
    ScantError,
    ServiceError,
    StudyBusy,
    StudyChanged,
    UsageError,
)

_BY_CODE: dict[str, type[ScantError]] = {
    "usage": UsageError,
    "data": DataError,
    "unknown": DataError,
    "unusual": DataError,
    "conflict": MisuseError,
    "spent": BudgetSpent,
    "busy": StudyBusy,
    "storage": FileError,
}


def problem(status: int, headers: HTTPMessage, body: bytes, address: str, clean: Callable[[str], str]) -> ScantError:
    """The exception for an answer that is none; ``clean`` takes secrets out of sentences."""
    told = told_of(headers, body)
    code, detail = told.get("code"), told.get("detail")
    if not isinstance(code, str) or not isinstance(detail, str):
        code, detail = None, f"{address} answers with status {status} ({_phrase(status)})"
    detail = clean(detail)
    if code == "conflict" and "stored" in told:  # another value is there: no call out of order
        return DataError(detail)
    if code in _BY_CODE:
        return _BY_CODE[code](detail)
    kind = StudyChanged if status == 412 else ServiceError
    return kind(detail, status=status, code=code, request=headers.get("X-Request-Id"))


def told_of(headers: HTTPMessage, body: bytes) -> dict[str, Any]:
    """What a problem says; nothing if it is none."""
    if not headers.get("Content-Type", "").startswith("application/problem+json"):
        return {}
    try:
        told = json.loads(body)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "which is none"
