"""Forgetting an example."""

from __future__ import annotations

from ctypes import byref

from .. import _library as c
from ._catalogue import text_of
from ._handle import Opened
from ._records import Traces
from ._words import example_of


def _traces_of(t: c.StudyTraces) -> Traces:
    return Traces(
        events=t.events,
        orders=t.orders,
        order=t.order or None,
        open=t.open,
        imported=bool(t.imported),
        spent=t.spent / 100,
        refunded=t.refunded / 100,
        attributes=t.attributes,
        looks=t.looks,
        unknown=t.unknown,
        mentions=t.mentions,
        unswept=bool(t.unswept),
    )


class Erasing(Opened):
    """Erasures of a :class:`Study`."""

    def traces(self, example: str) -> Traces:
        """What the study holds of an example, and what would go if it were erased.  :class:`DataError` if nothing is
        known of it."""
        found = c.StudyTraces()
        with self._handle as own:
            c.study_find_traces(own, example_of(example), byref(found))
        return _traces_of(found)

    def erase(self, example: str, reason: str) -> Traces:
        """Erases an example for good, for a reason that is recorded and must not hold its name.

        Its name, values, looks and reasons are gone from the file; the ledger keeps a mark of each of its events, and
        what was paid stays counted.  The study learns everything anew without it.  Backups and exports are other files:
        they stay.  If somebody reads the study, bytes of it may stay in the file for now: then ``unswept`` of the result
        is true, and :meth:`sweep` finishes it.
        """
        found = c.StudyTraces()
        with self._handle as own:
            c.study_erase(own, example_of(example), text_of(reason, "the reason"), byref(found))
        return _traces_of(found)

    def sweep(self) -> None:
        """Finishes erasures: writes the file anew and empties its log, so that no byte of what was erased is in
        them.  :class:`StudyBusy` if somebody reads the study."""
        with self._handle as own:
            c.study_sweep(own)
