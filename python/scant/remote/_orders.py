"""What a study that a service has asks for, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._errors import DataError, MisuseError, UsageError
from ..study._records import Comparison, Event, Forecast, Order
from ..study._words import Confirm, Value, answers_of, names_of, past_of
from ._link import Linked, name_of, reason_of
from ._records import answers_json, comparison_of, event_of, forecast_of, order_of, shaped

_BODY, _ROWS = 200_000, 200  # bytes and rows of the past that go in one request


class RemoteOrders(Linked):
    """Orders of a :class:`RemoteStudy`."""

    def _order(self, item: Any) -> Order:
        order = shaped(order_of, item)
        self._seen.put(order.example, item.get("etag"))
        return order

    def ask(self, example: str, *, new_name: bool = False) -> Order:
        """As :meth:`Study.ask`."""
        return self.ask_all([example], new_name=new_name)[0]

    def ask_all(self, examples: Iterable[str], *, new_name: bool = False) -> list[Order]:
        """As :meth:`Study.ask_all`, up to 1,000 at once."""
        names = [name.decode() for name in names_of(examples)]
        if not names:
            raise UsageError("there is no example to ask for")
        answer = self._act("/orders", {"examples": names, "new_name": bool(new_name)})
        orders = shaped(lambda data: list(data["orders"]), self._wire.data(answer))
        found = {order.example: order for order in map(self._order, orders)}
        return shaped(lambda: [found[name] for name in names])

    def preview(self, draws: int = 1000) -> Forecast:
        """As :meth:`Study.preview`."""
        return shaped(forecast_of, self._wire.look(self._path + "/forecast", {"draws": int(draws)}))

    def find(self, example: str) -> Order:
        """As :meth:`Study.find`.  This is a look: what you change afterwards of this example is refused
        (:class:`StudyChanged`) if somebody else changed something of it meanwhile."""
        name = name_of(example)
        data = self._look_at(name)
        orders = shaped(lambda: [order_of(order) for order in data["orders"]])
        if not orders:
            raise DataError(
                f"nothing was ever asked for example '{name}': it was imported, and correct changes its values"
            )
        return orders[-1]

    def orders(self) -> Iterator[Order]:
        """As :meth:`Study.orders`."""
        return map(self._order, self._wire.pages(self._path + "/orders", {"state": "all"}))

    def waiting(self) -> Iterator[Order]:
        """As :meth:`Study.waiting`."""
        return map(self._order, self._wire.pages(self._path + "/orders"))

    def history(self, example: str) -> list[Event]:
        """As :meth:`Study.history`."""
        name = name_of(example)
        try:
            data = self._look_at(name)
        except DataError:  # nothing is known of it
            return []
        return shaped(lambda: [event_of(event, name) for event in data["history"]])

    def tell(
        self,
        example: str,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        confirm: Confirm = False,
        extra: bool = False,
        reason: str | None = None,
        **named: Value,
    ) -> None:
        """As :meth:`Study.tell`."""
        if not extra and reason is not None:
            raise UsageError("a reason goes with extra=True")
        body: dict[str, Any] = {"answers": answers_json(answers_of(values, named, confirm))}
        if reason is not None:
            body["reason"] = reason_of(reason)
        self._add(example, "/extra" if extra else "/answers", body)

    def tell_second(
        self,
        example: str,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        confirm: Confirm = False,
        **named: Value,
    ) -> Comparison:
        """As :meth:`Study.tell_second`.  A token of the role *enter* is told what differs, but neither value: they are
        "not shown"."""
        found = self._add(example, "/second", {"answers": answers_json(answers_of(values, named, confirm))})
        return shaped(comparison_of, found)

    def correct(
        self,
        example: str,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        reason: str,
        confirm: Confirm = False,
        **named: Value,
    ) -> None:
        """As :meth:`Study.correct`.  A token of the role *enter* corrects what the same person told last.
        :class:`StudyChanged` if somebody else changed something of the example since you last looked at it."""
        answers = answers_json(answers_of(values, named, confirm))
        self._change(example, "/correction", {"answers": answers, "reason": reason_of(reason)})

    def _end(self, example: str, how: str, reason: str | None = None) -> None:
        body = {"how": how}
        if reason is not None:
            body["reason"] = reason_of(reason)
        self._change(example, "/end", body)

    def cancel(self, example: str) -> None:
        """As :meth:`Study.cancel`; :class:`StudyChanged` as in :meth:`correct`."""
        self._end(example, "cancel")

    def expire(self, example: str) -> None:
        """As :meth:`Study.expire`; :class:`StudyChanged` as in :meth:`correct`."""
        self._end(example, "expire")

    def fail(self, example: str, reason: str) -> None:
        """As :meth:`Study.fail`; :class:`StudyChanged` as in :meth:`correct`."""
        self._end(example, "fail", reason)

    def reopen(self, example: str, reason: str) -> None:
        """As :meth:`Study.reopen`; :class:`StudyChanged` as in :meth:`correct`."""
        self._change(example, "/reopen", {"reason": reason_of(reason)})

    def import_rows(self, table: Any, *, confirm: Confirm = False, new_name: bool = False) -> int:
        """As :meth:`Study.import_rows`.  Rows go many at a time; what comes before one that is refused
        stays, here too."""
        rows = [
            {"example": name.decode(), "answers": answers_json(answers)} for name, answers in past_of(table, confirm)
        ]
        for part in _parts(rows):
            try:
                self._import(part, new_name)
            except (DataError, MisuseError, UsageError):
                if len(part) == 1:
                    raise
                for row in part:  # to the one that is refused
                    self._import([row], new_name)
        return len(rows)

    def _import(self, rows: list[Any], new_name: bool) -> None:
        self._act("/imports", {"rows": rows, "new_name": bool(new_name)})


def _parts(rows: list[Any]) -> Iterator[list[Any]]:
    """Rows in portions that a service takes at once."""
    part: list[Any] = []
    size = 0
    for row in rows:
        length = len(json.dumps(row))
        if part and (size + length > _BODY or len(part) == _ROWS):
            yield part
            part, size = [], 0
        part.append(row)
        size += length
    if part:
        yield part
