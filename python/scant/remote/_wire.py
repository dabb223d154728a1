"""Requests to a service, and its answers: each is tried again where the connection is lost, and done once.

A request that writes has a key of its own, which stays the same however often it is sent.  The service keeps what it
answered to a key, so the second time it answers the same and does nothing.
"""

from __future__ import annotations

import http
import http.client
import json
import os
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPMessage
from typing import Any, BinaryIO, NamedTuple

from .. import _library as c
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
from ._address import Address

_PREFIX = "/api/v1"
_AGAIN = (429, 502, 503, 504)  # not now: the same later
_FIRST, _MOST = 0.1, 10.0  # seconds to wait before the second try, and before any
_MOST_TOLD = 120.0  # if the service says how many
_NEVER = ("too_large", "too_long")  # why a service can't now, and can't later
_IDLE = 20.0  # seconds after which a connection is not used again: services close idle ones
_KEPT = 8  # connections that are kept for the next requests
_NOT_REACHED = (ConnectionRefusedError, FileNotFoundError, socket.gaierror, ssl.SSLCertVerificationError)
_UNSURE = "; whether it was done is not known"
_PIECE = 1 << 16
_LARGEST = 1 << 20  # bytes of a request that a service takes

_sleep: Callable[[float], None] = time.sleep  # tests replace it


class Answer(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def etag(self) -> str | None:
        tag = self.headers.get("ETag")
        return None if tag is None else tag.removeprefix("W/")  # proxies may weaken it; it is whole all the same


class _Request(NamedTuple):
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None
    file: BinaryIO | None
    patience: float  # the least number of seconds to wait for the answer


class _Token:
    """A text that does not show itself."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "<token>"

    def __reduce__(self) -> Any:
        raise TypeError("a token is not written down: connect again instead")


class _Lost(Exception):
    """There was no answer, or not all of it."""


def _token_of(token: Any) -> _Token:
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise UsageError("a token is a text of printable ASCII without blanks, as `scant token add` prints it")
    return _Token(token)


def segment(name: str) -> str:
    """A name as one part of a path; one of dots alone would lead elsewhere."""
    return urllib.parse.quote(name, safe="") if name.strip(".") else name.replace(".", "%2E")


class Wire:
    """A service that a token opens.  Threads may share it."""

    def __init__(self, url: str, token: str, timeout: float, retries: int, in_clear: bool) -> None:
        self.address = Address(url, in_clear)
        self._token = _token_of(token)
        self._timeout, self._retries = timeout, retries
        self._lock = threading.Lock()
        self._kept: list[tuple[http.client.HTTPConnection, float]] = []
        self._process = os.getpid()
        self.closed = False

    # ---- requests

    def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, etag: str | None = None, patience: float = 0
    ) -> Answer:
        """A look; with an ``etag`` the status is 304 if nothing changed.  ``patience`` is the least number of seconds
        to wait for the answer."""
        return self._send("GET", path, query, {"If-None-Match": etag} if etag else {}, patience=patience)

    def look(self, path: str, query: Mapping[str, Any] | None = None, *, patience: float = 0) -> Any:
        """What a look finds."""
        return self.data(self.get(path, query, patience=patience))

    def pages(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """All items of a list, page after page."""
        after = None
        while True:
            page = self.look(path, {**(query or {}), "limit": 500, "after": after})
            if not isinstance(page, dict) or not isinstance(page.get("items"), list) or "next" not in page:
                raise self._stranger("has no items")
            yield from page["items"]
            if page["next"] is None:
                return
            if page["next"] == after:
                raise self._stranger("leads nowhere")
            after = page["next"]

    def post(self, path: str, body: Any, *, match: str | None = None, key: str | None = None) -> Answer:
        """An act.  ``match`` is the ETag that what changes must still have; ``key`` that of an act which was refused
        before, in another way."""
        headers = {"Idempotency-Key": key or new_key(), "Content-Type": "application/json"}
        if match is not None:
            headers["If-Match"] = match
        content = json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
        if len(content) > _LARGEST:
            raise UsageError(
                f"this is too much for one request: {len(content):,} bytes, and a service takes {_LARGEST:,}"
            )
        return self._send("POST", path, None, headers, content)

    def data(self, answer: Answer) -> Any:
        try:
            return json.loads(answer.body)
        except ValueError:
            raise self._stranger("is not JSON", answer) from None

    def download(self, path: str, query: Mapping[str, Any] | None, file: BinaryIO) -> None:
        """Into a file, from its start; one that is cut is begun again."""
        self._send("GET", path, query, {}, file=file)

    def _stranger(self, what: str, answer: Answer | None = None) -> ServiceError:
        return ServiceError(
            f"the answer of {self.address.text} {what}: is that the address of a Scant service of this version?",
            status=answer.status if answer else None,
        )

    # ---- the same until there is an answer

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        body: bytes | None = None,
        file: BinaryIO | None = None,
        patience: float = 0,
    ) -> Answer:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = self.address.target(_PREFIX + path) + ("?" + urllib.parse.urlencode(given) if given else "")
        request = _Request(method, target, headers, body, file, patience)
        lost: BaseException | None = None
        unsure = False  # a try may have been done, though there was no answer
        for attempt in range(self._retries + 1):
            wait = min(_MOST, _FIRST * 2**attempt) * random.uniform(0.5, 1)
            try:
                answer = self._exchange(request)
            except _Lost as failed:
                lost = failed.__cause__
                unsure = unsure or (method != "GET" and not isinstance(lost, _NOT_REACHED))
                if isinstance(lost, ssl.SSLCertVerificationError):
                    break
            else:
                if not _may_come(answer):
                    return self._judge(answer, path)
                if attempt == self._retries:
                    return self._judge_late(answer, path, unsure)
                wait = _told_wait(answer) or wait
            if attempt < self._retries:
                _sleep(wait)
        why = str(lost) or type(lost).__name__
        sentence = f"no answer from {self.address.text}, after {attempt + 1} {'tries' if attempt else 'try'}: {why}"
        raise ServiceError(self._without_token(sentence + _UNSURE * unsure)) from lost

    def _judge_late(self, answer: Answer, path: str, unsure: bool) -> Answer:
        """The last answer says "not now".  Of a try before it there may have been none."""
        try:
            return self._judge(answer, path)
        except ScantError as failed:
            if not unsure:
                raise
            raise ServiceError(str(failed) + _UNSURE, status=answer.status) from failed

    def _judge(self, answer: Answer, path: str) -> Answer:
        if 200 <= answer.status < 300 or answer.status == 304:
            return answer
        if 300 <= answer.status < 400:
            raise ServiceError(
                f"{self.address.text} leads elsewhere (status {answer.status}), and the token does not follow: "
                "connect to the address of the service itself",
                status=answer.status,
            )
        failed = problem(answer.status, answer.headers, answer.body, self.address.text, self._without_token)
        if isinstance(failed, DataError) and answer.status == 404 and "/examples/" not in path:
            # It is no example that is unknown.
            failed = ServiceError(str(failed), status=404, code="unknown", request=answer.headers.get("X-Request-Id"))
        raise failed

    def _without_token(self, sentence: str) -> str:
        return sentence.replace(self._token.text, "<token>")

    # ---- once

    def _exchange(self, request: _Request) -> Answer:
        connection, used = self._take()
        try:
            return self._ask(connection, request)
        except _Lost as lost:
            # The service may have closed a connection that was idle: that is no fault of it.
            if not used or not isinstance(lost.__cause__, (http.client.RemoteDisconnected, ConnectionError)):
                raise
        return self._ask(self._new(), request)

    def _ask(self, connection: http.client.HTTPConnection, request: _Request) -> Answer:
        own = {
            "Authorization": f"Bearer {self._token.text}",
            "Accept": "application/json, application/problem+json, */*;q=0.1",
            "User-Agent": f"scant/{c.version().decode()}",
            **self.address.via_proxy,
        }
        whole = False
        timeout = max(self._timeout, request.patience)
        try:
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            connection.timeout = timeout
            connection.request(request.method, request.target, request.body, {**own, **request.headers})
            response = connection.getresponse()
            content = _read(response, request.file if response.status == 200 else None)
            whole = True
        except (OSError, http.client.HTTPException) as lost:
            raise _Lost from lost
        finally:
            if whole and connection.sock is not None:
                self._give(connection)
            else:  # also if the caller was interrupted: the rest of the answer would be taken for the next one's
                connection.close()
        return Answer(response.status, response.headers, content)

    # ---- connections

    def _new(self) -> http.client.HTTPConnection:
        return self.address.connection(self._timeout)

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it was used before."""
        if self.closed:
            raise MisuseError("the study is closed")
        with self._lock:
            if self._process != os.getpid():  # after a fork the connections are the parent's
                self._kept, self._process = [], os.getpid()
            while self._kept:
                connection, since = self._kept.pop()
                if time.monotonic() - since < _IDLE:
                    return connection, True
                connection.close()
        return self._new(), False

    def _give(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if not self.closed and self._process == os.getpid() and len(self._kept) < _KEPT:
                self._kept.append((connection, time.monotonic()))
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            kept, self._kept = self._kept, []
        for connection, _ in kept:
            connection.close()

    def __del__(self) -> None:
        if hasattr(self, "closed") and self._process == os.getpid():
            self.close()


def new_key() -> str:
    return str(uuid.uuid4())


def _may_come(answer: Answer) -> bool:
    """Is it no answer yet?"""
    return answer.status in _AGAIN and told_of(answer.headers, answer.body).get("code") not in _NEVER


def _told_wait(answer: Answer) -> float | None:
    """What Retry-After says, in seconds."""
    told = answer.headers.get("Retry-After", "").strip()
    return min(_MOST_TOLD, float(told)) if re.fullmatch(r"[0-9]{1,9}", told) else None


def _read(response: http.client.HTTPResponse, file: BinaryIO | None) -> bytes:
    """The whole content, or an exception; into the file, if there is one."""
    if file is None:
        return response.read()
    if response.length is None and not response.chunked:
        raise http.client.HTTPException("the answer does not say how long it is, so it may have been cut")
    file.seek(0)
    file.truncate()
    while piece := response.read(_PIECE):
        try:
            file.write(piece)
        except OSError as full:
            raise Unwritten from full
    if response.length:  # some versions of Python take an answer that was cut for a whole one
        raise http.client.IncompleteRead(b"", response.length)
    return b""


class Unwritten(Exception):
    """The caller's own file could not be written, which is no fault of the connection."""


# ---- what a service refuses, as the exceptions that the library raises for the same

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
