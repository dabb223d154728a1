"""What a study that a service has has come to, and the proof of it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import _library as c
from .._errors import StudyChanged
from .._model import Model
from .._options import OPTIONS, Settings, as_text, value_of
from ..study._catalogue import Attribute, Catalogue, number_of
from ..study._changes import COLUMNS, added, amended
from ..study._records import Event, Prediction, Proof, Purchase, Status, Traces
from ..study._words import answers_of, attribute_of
from ._link import Linked, name_of, reason_of, worded
from ._records import (
    answers_json,
    attribute_json,
    event_of,
    outlook_of,
    prediction_of,
    proof_of,
    purchases_of,
    shaped,
    status_of,
    traces_of,
)

_OUTLOOK = 150  # seconds: a service gives up after 120


class RemoteResults(Linked):
    """Results of a :class:`RemoteStudy`."""

    def status(self, until_error: float | None = None) -> Status:
        """As :meth:`Study.status`."""
        outlook = None
        if until_error is not None:
            wanted = {"error": repr(number_of(until_error, "until_error"))}
            outlook = shaped(outlook_of, self._wire.look(self._path + "/outlook", wanted, patience=_OUTLOOK))
        return shaped(status_of, self._wire.look(self._path + "/status"), self._about().settings, outlook)

    def purchases(self) -> dict[str, Purchase]:
        """As :meth:`Study.purchases`."""
        return shaped(purchases_of, self._wire.look(self._path + "/purchases"))

    def ledger(self) -> Iterator[Event]:
        """As :meth:`Study.ledger`."""
        return (shaped(event_of, item) for item in self._wire.pages(self._path + "/events"))

    def model(self, errors: bool = False, errors_of: str | Sequence[str] | None = None) -> Model:
        """As :meth:`Study.model`."""
        query: dict[str, Any] = {"errors": "yes" if errors or errors_of is not None else None}
        if errors_of is not None:
            query["errors_of"] = as_text(OPTIONS["errors_of"], errors_of).decode()
        return self._model(query)

    def gaussian(self) -> Model:
        """As :meth:`Study.gaussian`."""
        return self._model({"gaussian": "yes"})

    def _model(self, query: Mapping[str, Any]) -> Model:
        file = io.BytesIO()
        self._wire.download(self._path + "/export/model.json", query, file)
        text = file.getvalue()
        return Model(c.Owned(c.model_free, c.model_read, text, len(text)))

    def predict(
        self, values: Mapping[str, float | None] | None = None, /, *, level: float = 0.9, **named: float | None
    ) -> Prediction:
        """As :meth:`Study.predict`."""
        body = {"answers": answers_json(answers_of(values, named)), "level": number_of(level, "level")}
        return shaped(prediction_of, self._wire.data(self._act("/predictions", body)))

    def verify(self) -> Proof:
        """As :meth:`Study.verify`."""
        return shaped(proof_of, self._wire.look(self._path + "/proof"))

    # ---- forgetting

    def traces(self, example: str) -> Traces:
        """As :meth:`Study.traces`."""
        return shaped(traces_of, self._wire.look(self._path_of(name_of(example), "/traces")))

    def erase(self, example: str, reason: str) -> Traces:
        """As :meth:`Study.erase`; :class:`StudyChanged` as in :meth:`correct`."""
        traces = shaped(traces_of, self._change(example, "/erase", {"reason": reason_of(reason)}))
        self._seen.put(name_of(example), None)
        return traces

    # ---- plans change

    def amend(
        self,
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        new: Iterable[Attribute | Mapping[str, Any] | str] = (),
        reason: str,
        k: int | None = None,
        spend: float | None = None,
        budget: int | None = None,
        budget_cost: float | None = None,
        max_open: int | None = None,
        dry_run: bool = False,
    ) -> str:
        """As :meth:`Study.amend`.  :class:`StudyChanged` if somebody else amended the study since you last looked at
        its ``attributes`` or ``settings``."""
        given = {"k": k, "spend": spend, "budget": budget, "budget_cost": budget_cost, "max_open": max_open}
        settings = Settings(**given)
        seen, about = self._terms_seen, self._about()
        changes = attributes or {}
        rows = [attribute_json(row, changes[row.name]) for row in _checked(amended(about.attributes, changes))] + [
            {**attribute_json(row, COLUMNS), "new": True} for row in _checked(added(about.attributes, new))
        ]
        body = {
            "reason": reason_of(reason),
            "attributes": rows,
            "settings": {name: value_of(settings, name) for name, value in given.items() if value is not None},
            "trial": bool(dry_run),
        }
        try:
            answer = self._act("/amendments", body, match=seen or about.terms)
        except StudyChanged as changed:
            raise worded(
                changed,
                "the study was amended by somebody else since you last looked at it, so nothing was done: look at "
                "its attributes and settings again, and then decide",
            ) from None
        if not dry_run and seen is not None:  # what was seen, and what was just done
            self._terms_seen = self._about().terms if answer.etag is None else answer.etag
        return shaped(lambda data: str(data["words"] or ""), self._wire.data(answer))


def _checked(rows: list[Any]) -> list[Attribute]:
    """Attributes as the library has them; what it can't have is refused."""
    catalogue = Catalogue(rows)
    return [attribute_of(catalogue.rows[i]) for i in range(catalogue.count)]
