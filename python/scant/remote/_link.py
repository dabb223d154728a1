"""What the parts of a study that a service has share: the connection, and what was last seen through it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

from .._errors import DataError, ServiceError, StudyChanged
from ..study._catalogue import Attribute, text_of
from ..study._words import example_of
from ._records import Fields, attribute_of, settings_of, shaped
from ._wire import Answer, Wire, new_key, segment

_MOST = 100_000  # examples whose last look is remembered
_RACES = 20  # how often an act is tried again that others were faster than, if it goes by no look


class About(NamedTuple):
    """What a study says of itself."""

    attributes: tuple[Attribute, ...]
    target: str
    settings: dict[str, Any]
    terms: str | None  #: the ETag of the catalogue and the settings
    etag: str | None


def _about(fields: Fields, etag: str | None) -> About:
    attributes = tuple(attribute_of(attribute) for attribute in fields["attributes"])
    return About(attributes, fields["target"], settings_of(fields), fields["terms_etag"], etag)


class _Seen:
    """The ETag of the last look at each example."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._etags: OrderedDict[str, str] = OrderedDict()

    def get(self, example: str) -> str | None:
        with self._lock:
            return self._etags.get(example)

    def put(self, example: str, etag: str | None) -> None:
        with self._lock:
            self._etags.pop(example, None)
            if etag is not None:
                self._etags[example] = etag
            if len(self._etags) > _MOST:
                self._etags.popitem(last=False)


def name_of(example: Any) -> str:
    name = example_of(example).decode()
    if not name:  # it would be another path
        raise DataError("the example's name is empty")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in name):
        raise DataError("the example's name has control characters in it")
    return name


def reason_of(reason: Any) -> str:
    return text_of(reason, "the reason").decode()


def worded(changed: StudyChanged, sentence: str) -> StudyChanged:
    return StudyChanged(sentence, status=changed.status, code=changed.code, request=changed.request)


class Linked:
    """What the parts of a :class:`RemoteStudy` share."""

    _wire: Wire
    _path: str  # of the study
    _seen: _Seen
    _known: About
    _terms_seen: str | None  # the ETag of the last look at the catalogue or the settings

    def _link(self, wire: Wire, study: str) -> None:
        self._wire, self._path, self._seen = wire, f"/studies/{segment(study)}", _Seen()
        self._terms_seen = None
        answer = wire.get(self._path)
        self._known = shaped(_about, wire.data(answer), answer.etag)

    def _about(self) -> About:
        """As it is now."""
        answer = self._wire.get(self._path, etag=self._known.etag)
        if answer.status != 304:
            self._known = shaped(_about, self._wire.data(answer), answer.etag)
        return self._known

    def _look_at_terms(self) -> About:
        """The same, for somebody who looks at it."""
        about = self._known if self._wire.closed else self._about()
        self._terms_seen = about.terms
        return about

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The catalogue, as it is now; while the study is closed, as it was."""
        return self._look_at_terms().attributes

    @property
    def target(self) -> str:
        """The name by which the target is told."""
        return self._known.target

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the study, as they are now: those that the service tells."""
        return dict(self._look_at_terms().settings)

    # ---- examples

    def _path_of(self, name: str, act: str = "") -> str:
        return f"{self._path}/examples/{segment(name)}{act}"

    def _look_at(self, name: str) -> Any:
        """An example as it is now."""
        answer = self._wire.get(self._path_of(name))
        data = self._wire.data(answer)
        self._seen.put(name, answer.etag)
        return data

    def _add(self, example: Any, act: str, body: Any) -> Any:
        """Tells something of an example, whatever others did meanwhile.

        If they did something since the last look, that look stays the last: a change to come is still refused.
        """
        name, key = name_of(example), new_key()
        path, seen = self._path_of(name, act), self._seen.get(name)
        try:
            answer = self._wire.post(path, body, match=seen, key=key)
        except StudyChanged:
            return self._wire.data(self._wire.post(path, body, key=key))
        self._seen.put(name, answer.etag)
        return self._wire.data(answer)

    def _change(self, example: Any, act: str, body: Any) -> Any:
        """Changes something of an example, if it still is as it was at the last look."""
        name, key = name_of(example), new_key()
        path, seen = self._path_of(name, act), self._seen.get(name)
        for race in range(_RACES):
            match = seen or self._etag_of(name)
            try:
                answer = self._wire.post(path, body, match=match, key=key)
            except StudyChanged as changed:
                if seen is None and race + 1 < _RACES:
                    continue
                raise worded(
                    changed,
                    f"example {name!r} was changed by somebody else since you last looked at it, so nothing was done: "
                    "look at it again (find), and then decide",
                ) from None
            self._seen.put(name, answer.etag)
            return self._wire.data(answer)
        raise AssertionError

    def _etag_of(self, name: str) -> str:
        etag = self._wire.get(self._path_of(name)).etag
        if etag is None:
            raise ServiceError("the service's answer has no ETag: something between here and there may remove it")
        return etag

    def _act(self, path: str, body: Any, match: str | None = None) -> Answer:
        return self._wire.post(self._path + path, body, match=match)
