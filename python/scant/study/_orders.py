"""What a study asks for, and what it is told."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref
from typing import Any

from .. import _library as c
from .._errors import UsageError
from ._catalogue import text_of
from ._handle import Opened
from ._records import Comparison, Event, Forecast, Order
from ._words import (
    Confirm,
    Value,
    answers_of,
    array_of,
    differences_of,
    event_of,
    example_of,
    names_of,
    order_of,
    past_of,
    record_of,
)

_CANCEL, _EXPIRE, _FAIL = 0, 1, 2  # scant_study_end
_NO_LIMIT = 2**64 - 1


class Orders(Opened):
    """Orders of a :class:`Study`."""

    def _order(self, call: Callable[..., None], *arguments: Any) -> Order | None:
        with self._handle as own:
            found = ctypes.POINTER(c.StudyOrder)()
            call(own, *arguments, byref(found))
            return order_of(found.contents, self.attributes) if found else None

    @contextlib.contextmanager
    def _naming(self, new_name: bool) -> Iterator[Any]:
        """The handle, which takes names that are nearly those of others as new ones if ``new_name``."""
        with self._handle as own:
            c.study_take_new_names(own, bool(new_name))
            try:
                yield own
            finally:
                c.study_take_new_names(own, False)

    def ask(self, example: str, *, new_name: bool = False) -> Order:
        """What to measure of an example; asking again gives the same order.  Its price is reserved.
        :class:`BudgetSpent` if budget or budget_cost does not cover it, :class:`MisuseError` if too many orders
        are open, the example's order was ended, or its name differs from that of another only in case,
        blanks or the kind of dash; ``new_name`` says that it is a new one."""
        return self.ask_all([example], new_name=new_name)[0]

    def ask_all(self, examples: Iterable[str], *, new_name: bool = False) -> list[Order]:
        """Orders of several examples, all or none: if the budget does not cover all of them, nothing is
        ordered.  Examples that have an order keep it."""
        names = names_of(examples)
        array = (ctypes.c_char_p * len(names))(*names)
        with self._naming(new_name) as own:
            c.study_ask_all(own, array, len(names))
            orders = [self._order(c.study_find, name) for name in names]
        return [order for order in orders if order is not None]

    def preview(self, draws: int = 1000) -> Forecast:
        """What the next orders may cost, by ``draws`` simulated ones.  Nothing is ordered, and the order
        to come is not shown: to ask or not by what it says would bias what is learned."""
        found = c.StudyForecast()
        with self._handle as own:
            attributes = self.attributes
            chance = (ctypes.c_double * len(attributes))()
            c.study_preview(own, int(draws), byref(found), chance)
        return record_of(
            Forecast,
            found,
            least=found.least / 100,
            mean=found.mean / 100,
            most=found.most / 100,
            left=None if found.left == _NO_LIMIT else found.left / 100,
            attributes_left=None if found.attributes_left == _NO_LIMIT else found.attributes_left,
            chance={attribute.name: chance[i] for i, attribute in enumerate(attributes)},
        )

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

    def waiting(self) -> Iterator[Order]:
        """The open orders, of which something is still to come, the first first."""
        number = 0
        while (order := self._order(c.study_open_after, number)) is not None:
            yield order
            number = order.number

    def history(self, example: str) -> list[Event]:
        """What happened to an example, the first first; nothing if it is not in the study."""
        events: list[Event] = []
        name = example_of(example)
        with self._handle as own:
            while True:
                found = ctypes.POINTER(c.StudyEvent)()
                c.study_event_of(own, name, events[-1].sequence if events else 0, byref(found))
                if not found:
                    return events
                events.append(event_of(found.contents, self.attributes, self.target))

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
        """Records values of an example, by a mapping or by keyword; the target by its name.  None
        says that an attribute can't be measured, ``"missing:refused"`` also why (see ``missing_reasons``).
        All or none are taken; when the last one is there, the learner learns.  The same value again changes
        nothing; another one, one that was not ordered, out of range or NaN is a :class:`DataError`, and so is
        one outside its usual range, unless ``confirm`` is True or has its name.

        With ``extra`` and a ``reason`` the values were measured without being ordered.  They cost nothing; a study by
        gaussian learns from them, others keep them aside, and predictions and plans use them."""
        if not extra and reason is not None:
            raise UsageError("a reason goes with extra=True")
        answers = array_of(answers_of(values, named, confirm))
        words = None if reason is None else text_of(reason, "the reason")
        with self._handle as own:
            if extra:
                c.study_tell_extra(own, example_of(example), *answers, words, None)
            else:
                c.study_tell(own, example_of(example), *answers)

    def tell_second(
        self,
        example: str,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        confirm: Confirm = False,
        **named: Value,
    ) -> Comparison:
        """Enters values a second time that were told, without a look at the first entry, and compares.

        All or none are recorded, whether they agree or not.  What differs is put right by :meth:`correct`,
        or by another second entry.  If the study was made with ``second_entry``, the one that completes an
        order is learned from.
        """
        answers = array_of(answers_of(values, named, confirm))
        found = c.StudyComparison()
        with self._handle as own:
            c.study_tell_second(own, example_of(example), *answers, byref(found))
            order = self.find(example)
        return Comparison(found.agree, found.once, found.same_hand, differences_of(order, self.target))

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
        """Puts other values in place of those that were told, for a reason that is recorded, and learns
        all anew.  ``confirm`` is that of :meth:`tell`."""
        answers = array_of(answers_of(values, named, confirm))
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

    def reopen(self, example: str, reason: str) -> None:
        """Takes the end of an order back, for a reason that is recorded: it was cancelled, expired or failed by
        mistake.  What was refunded is reserved again, and what is still to come can be told.
        :class:`BudgetSpent` if the budget does not cover it any more, :class:`MisuseError` if the order has not ended
        or too many are open."""
        with self._handle as own:
            c.study_reopen(own, example_of(example), text_of(reason, "the reason"))

    def import_rows(self, table: Any, *, confirm: Confirm = False, new_name: bool = False) -> int:
        """Learns from examples of the past, whose values were not chosen by this study.

        ``table`` maps examples to their values, or is a frame whose index names them; None and NaN
        are holes.  It costs nothing.  Each row is a transaction: what comes before one that is
        refused stays.  ``confirm`` (True, or names of attributes) takes unusual values.  Returns how many
        rows there were.  ``new_name``: as in :meth:`ask`.
        """
        rows = [(name, array_of(answers)) for name, answers in past_of(table, confirm)]
        for name, answers in rows:
            with self._naming(new_name) as own:
                c.study_import(own, name, *answers)
        return len(rows)
