"""What attributes cost: from a file, a sequence or a mapping to scant_prices."""

from __future__ import annotations

import decimal
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _library as c
from ._errors import DataError


def hundredths(cost: Any, attribute: str) -> int:
    try:
        amount = decimal.Decimal(str(cost)) * 100
        whole = int(amount)
    except (decimal.InvalidOperation, OverflowError, ValueError):
        raise DataError(f"costs: {attribute} costs {cost!r}, which is not an amount of money") from None
    if amount != whole or whole < 0:
        raise DataError(f"costs: {attribute} costs {cost!r}, which is not a whole number of hundredths of 0 or more")
    if whole >= 2**63:
        raise DataError(f"costs: {attribute} costs {cost!r}, which is too much to be counted")
    return whole


def _listed(costs: Any, dimension: int, names: Sequence[str] | None) -> list[Any]:
    """One entry an attribute, in their order."""
    if hasattr(costs, "to_dict") and hasattr(costs, "index"):  # a Series of pandas: by its labels, if they are names
        costs = costs.to_dict() if names is not None else costs.tolist()
    if isinstance(costs, (set, frozenset)):
        raise DataError("costs is a set, which has no order: give a list or a mapping")
    if not isinstance(costs, Mapping):
        try:
            entries = list(costs)
        except TypeError:
            raise TypeError(f"costs={costs!r} is neither a sequence nor a mapping nor a path") from None
        if len(entries) != dimension:
            raise DataError(f"costs has {len(entries)} entries, and there are {dimension} attributes")
        return entries
    keys = list(names) if names is not None else list(range(dimension))
    missing = [key for key in keys if key not in costs]
    if missing:
        raise DataError(f"costs has no entry for attribute {missing[0]!r}")
    known = set(keys)
    unknown = [key for key in costs if key not in known]
    if unknown:
        raise DataError(f"costs has an entry for {unknown[0]!r}, which is no attribute")
    return [costs[key] for key in keys]


class Prices:
    """A scant_prices, with its numbers as arrays.

    ``amounts`` are costs in hundredths; attributes of one group (0: none) are bought
    together.
    """

    def __init__(self, own: c.Owned | c.Borrowed, dimension: int) -> None:
        self._own = own
        self.amounts = np.array([c.prices_cost(own, i) for i in range(dimension)], dtype=np.int64)
        self.groups = np.array([c.prices_group(own, i) for i in range(dimension)], dtype=np.int64)

    @property
    def _as_parameter_(self) -> Any:
        return self._own._as_parameter_

    def charge(self, attributes: Sequence[int]) -> tuple[int, int]:
        """Looks and money of buying these: a group is one look at the price of all its
        members, and a free attribute is none."""
        singles = [i for i in set(attributes) if not self.groups[i]]
        groups = {int(self.groups[i]) for i in attributes} - {0}
        prices = [int(self.amounts[i]) for i in singles]
        prices += [int(self.amounts[self.groups == group].sum()) for group in groups]
        return sum(price > 0 for price in prices), sum(prices)


def prices_of(
    costs: Any, dimension: int, names: Sequence[str] | None, source: Any = None, model: Any = None
) -> Prices | None:
    """Prices from ``costs``: None, the path of a file, a sequence with an entry for each
    attribute, or a mapping from its name (or number); an entry is a cost or a pair
    (cost, group)."""
    if costs is None:
        return None
    if isinstance(costs, (str, bytes, os.PathLike)):
        if model is not None:
            load = c.Owned(c.prices_free, lambda out: c.model_load_prices(model, os.fsencode(costs), out))
            return Prices(load, dimension)
        if source is None:
            raise DataError("costs in a file need a table whose attributes they are of: give a sequence or a mapping")
        return Prices(c.Owned(c.prices_free, c.prices_load, os.fsencode(costs), source), dimension)
    amounts = np.zeros(dimension, dtype=np.uint64)
    groups = np.zeros(dimension, dtype=np.uint32)
    numbers: dict[Any, int] = {}
    for i, entry in enumerate(_listed(costs, dimension, names)):
        attribute = repr(names[i]) if names is not None else f"attribute {i}"
        group = None
        if isinstance(entry, (tuple, list)):
            if len(entry) != 2:
                raise DataError(f"costs: the entry of {attribute} is neither a cost nor a pair of cost and group")
            entry, group = entry
        amounts[i] = hundredths(entry, attribute)
        if group is not None and group != "":
            groups[i] = numbers.setdefault(group, len(numbers) + 1)
    return Prices(c.Owned(c.prices_free, c.prices_new, dimension, amounts.ctypes.data, groups.ctypes.data), dimension)
