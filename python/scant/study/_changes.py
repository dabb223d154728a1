"""What changes a study while it runs: amendments of its plan, and erasures of examples."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Iterable, Mapping
from ctypes import byref, c_void_p
from typing import Any

from .. import _library as c
from .._errors import UsageError
from .._options import Settings
from ._catalogue import Attribute, Catalogue, text_of
from ._handle import Opened
from ._records import Traces
from ._words import example_of, record_of

COLUMNS = {field.name for field in dataclasses.fields(Attribute)} - {"name"}


def amended(catalogue: Iterable[Attribute], changes: Mapping[str, Mapping[str, Any]]) -> list[Attribute]:
    """The attributes that change, as they will be."""
    found = {attribute.name: attribute for attribute in catalogue}
    rows = []
    for name, columns in changes.items():
        if name not in found:
            raise UsageError(f"there is no attribute {name!r} in the catalogue; new adds one")
        unknown = set(columns) - COLUMNS
        if unknown:
            raise UsageError(f"an attribute has no {min(unknown)!r}; it has {', '.join(sorted(COLUMNS))}")
        rows.append(dataclasses.replace(found[name], **columns))
    return rows


def added(catalogue: Iterable[Attribute], new: Iterable[Any]) -> list[Any]:
    """The attributes that are new."""
    names = {attribute.name for attribute in catalogue}
    rows = list(new)
    for row in rows:
        name = row.get("name") if isinstance(row, Mapping) else getattr(row, "name", row)
        if name in names:
            raise UsageError(f"there is an attribute {name!r} already")
    return rows


def _traces_of(found: c.StudyTraces) -> Traces:
    return record_of(Traces, found, spent=found.spent / 100, refunded=found.refunded / 100)


class Changes(Opened):
    """Amendments and erasures of a :class:`Study`."""

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
        """Changes the plan, for a reason that is recorded; returns what changes in words, "" if nothing does.

        ``attributes`` has what changes of attributes in the catalogue, by name: ``{"glucose": {"cost": 9}}``, or
        ``{"scan": {"retired": True}}``, which is then never ordered again.  ``new`` are attributes that are added.
        Open orders keep their prices.  ``dry_run`` tries it and changes nothing.  What would be refused when a study
        is made is refused here; the papers' algorithms can neither add or retire attributes nor change k.
        """
        settings = Settings(k=k, spend=spend, budget=budget, budget_cost=budget_cost, max_open=max_open)
        change, words = c_void_p(), c_void_p()
        with self._handle as own:
            catalogue = self.attributes
            rows = Catalogue([*amended(catalogue, attributes or {}), *added(catalogue, new)])
            c.study_amend(
                own, rows.rows, rows.count, settings, text_of(reason, "the reason"), bool(dry_run), byref(change)
            )
        if not change:
            return ""
        try:
            c.study_describe_change(change, byref(words))
            return ctypes.string_at(words).decode()
        finally:
            c.text_free(change)
            c.text_free(words)

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
