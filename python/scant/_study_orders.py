"""What a study asks for, and what it is told."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from ctypes import byref
from typing import Any

from . import _library as c
from ._catalogue import is_hole, text_of
from ._errors import DataError
from ._records import Order
from ._study_handle import Opened
from ._study_words import answers_of, example_of, order_of, rows_of

_CANCEL, _EXPIRE, _FAIL = 0, 1, 2  # scant_study_end


class Orders(Opened):
    """Orders of a :class:`Study`."""

    def _order(self, call: Callable[..., None], *arguments: Any) -> Order | None:
        with self._handle as own:
            found = ctypes.POINTER(c.StudyOrder)()
            call(own, *arguments, byref(found))
            return order_of(found.contents, self.attributes) if found else None

    def ask(self, example: str) -> Order:
        """What to measure of an example; asking again gives the same order.  Its price is reserved.
        :class:`BudgetSpent` if budget or budget_cost does not cover it, :class:`MisuseError` if too many orders
        are open or the example's order was ended."""
        order = self._order(c.study_ask, example_of(example))
        assert order is not None
        return order

    def find(self, example: str) -> Order:
        """The order of an example, whatever its state; the last, if it has several."""
        order = self._order(c.study_find, example_of(example))
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
        answers = answers_of(values, named)
        with self._handle as own:
            c.study_tell(own, example_of(example), *answers)

    def correct(
        self, example: str, values: Mapping[str, float | None] | None = None, /, *, reason: str, **named: float | None
    ) -> None:
        """Puts other values in place of those that were told, for a reason that is recorded, and learns
        all anew."""
        answers = answers_of(values, named)
        with self._handle as own:
            c.study_correct(own, example_of(example), *answers, text_of(reason, "the reason"))

    def _end(self, example: str, how: int, reason: str | None = None) -> None:
        words = None if reason is None else text_of(reason, "the reason")
        with self._handle as own:
            c.study_end_order(own, example_of(example), how, words)

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
        for example, values in rows_of(table):
            if not isinstance(values, Mapping):
                raise DataError(f"the values of example {example!r} are not a mapping")
            there = {name: value for name, value in values.items() if not is_hole(value)}
            rows.append((example_of(example), answers_of(there, {})))
        for name, answers in rows:
            with self._handle as own:
                c.study_import(own, name, *answers)
        return len(rows)
