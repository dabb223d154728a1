"""From the keywords of a distributed fit to what it was asked for, checked before anything is bought."""

from __future__ import annotations

import decimal
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _library as c
from .._errors import UsageError
from .._options import OPTIONS, Settings, as_text, default_k, find_algorithm, value_of
from .._prices import Prices, prices_of
from .._tables import source_of
from . import _file
from ._blocks import Table

_ALGORITHMS = ("gaussian", "moments")
_MINE = {"algorithm", "k", "seed", "clip", "budget", "budget_cost", "costs"}  # said by keywords of fit
_TAKEN = {"memory", "threads", "penalty", "norm", "like_units"}


@dataclass
class Terms:
    """What a fit was asked for."""

    algorithm: str
    k: int
    seed: int
    budget: int | None
    budget_cost: int | None  # hundredths
    clip: float | None
    settings: Settings
    options: dict[str, str]
    prices: Prices | None
    em: str
    checkpoint: str | None
    resume: bool


def _seed_of(state: Any, checkpoint: str | None, resume: bool) -> int:
    """The seed; without one, that of the checkpoint."""
    if isinstance(state, numbers.Integral) and not isinstance(state, bool):
        if not 0 <= int(state) < 2**64:
            raise UsageError(f"random_state={state!r} is not a whole number from 0 to 2^64 - 1")
        return int(state)
    if isinstance(state, np.random.Generator):
        return int(state.integers(2**31))
    if isinstance(state, np.random.RandomState):
        return int(state.randint(2**31 - 1))
    if state is not None:
        raise UsageError(f"random_state={state!r} is neither a number nor a generator")
    if resume and checkpoint is not None and os.path.exists(checkpoint):
        return int(_file.read(checkpoint)[0]["settings"]["random_state"])
    return int(np.random.randint(2**31 - 1))


def _clip_of(clip: Any, algorithm: Any) -> float | None:
    """The number of standard deviations; None: nothing is clipped."""
    text = as_text(OPTIONS["clip"], algorithm.presets.get("clip", "none") if clip is None else clip)
    settings = Settings(algorithm=algorithm.name, clip=text)
    value = value_of(settings, "clip")
    return None if value == "none" else float(value)


def _k_of(k: Any, dimension: int, algorithm: Any) -> int:
    if k is None:
        return default_k(algorithm, dimension, {})
    if isinstance(k, bool) or not isinstance(k, numbers.Integral) or int(k) < algorithm.least_k:
        raise UsageError(f"k={k!r} is not a whole number of {algorithm.least_k} or more")
    if int(k) > dimension:
        raise UsageError(f"k={k} is more than the {dimension} attributes that there are")
    return int(k)


def _budget_of(budget: Any) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, numbers.Integral) or int(budget) < 0:
        raise UsageError(f"budget={budget!r} is not a whole number of attributes")
    return int(budget)


def _money_of(budget: Any, prices: Prices | None) -> int | None:
    """budget_cost in hundredths."""
    if budget is None:
        return None
    try:
        money = decimal.Decimal(str(budget)) * 100
        whole = int(money)
    except (decimal.InvalidOperation, OverflowError, ValueError):
        raise UsageError(f"budget_cost={budget!r} is not an amount of money") from None
    if isinstance(budget, bool) or money != whole or whole < 0:
        raise UsageError(f"budget_cost={budget!r} is not a whole number of hundredths of 0 or more")
    if prices is None:
        raise UsageError(f"budget_cost={budget!r} needs costs=, which say what each attribute costs")
    return whole


def _prices(costs: Any, names: Sequence[str]) -> Prices | None:
    source = None
    if isinstance(costs, str | bytes | os.PathLike):  # a file is read by the names of a source: one without values
        source = source_of(np.zeros((1, len(names))), names=list(names))
    prices = prices_of(costs, len(names), names, source)
    if prices is not None and prices.groups.any():
        raise UsageError("costs: groups that are bought together are not for blocks: give a price for each attribute")
    return prices


def terms_of(table: Table, algorithm: str, k: Any, checkpoint: Any, resume: bool, given: dict[str, Any]) -> Terms:
    """What was asked for, checked as far as it can be before anything is bought."""
    if algorithm not in _ALGORITHMS:
        raise UsageError(f"{algorithm} does not learn from sums of blocks: {' and '.join(_ALGORITHMS)} do")
    row = find_algorithm(algorithm)
    options = given.pop("options")
    for name in options:
        if name not in OPTIONS or name in _MINE or name not in _TAKEN:
            raise TypeError(f"fit() has no option {name!r} for a distributed fit")
        if OPTIONS[name].scope & 1 and name not in row.options and options[name] is not None:
            raise UsageError(f"{name} is no option of {row.name}")
    if not isinstance(resume, bool | np.bool_):
        raise UsageError(f"resume={resume!r} is neither True nor False")
    try:
        path = None if checkpoint is None else os.fsdecode(checkpoint)
    except TypeError:
        raise UsageError(f"checkpoint={checkpoint!r} is no path") from None
    if path is not None and os.path.isdir(path):
        raise UsageError(f"checkpoint={path!r} is a folder: name a file")
    if resume and path is None:
        raise UsageError("resume=True needs the checkpoint to go on from")
    if path is not None and not resume and os.path.exists(path):
        raise UsageError(f"there is a file {path!r} already: resume=True goes on from it; remove it to begin again")
    if given["em"] not in ("auto", "driver", "workers"):
        raise UsageError(f"em={given['em']!r} is none of 'auto', 'driver' and 'workers'")
    k = _k_of(k, len(table.names), row)
    prices = _prices(given["costs"], table.names)
    seed = _seed_of(given["random_state"], path, resume)
    clip = _clip_of(given["clip"], row)
    settings = Settings(algorithm=row.name, k=k, seed=seed, clip="none" if clip is None else clip, **options)
    c.settings_resolve(settings)
    decides = {name: str(value_of(settings, name)) for name in options if name not in ("threads", "memory")}
    return Terms(
        algorithm=row.name,
        k=k,
        seed=seed,
        budget=_budget_of(given["budget"]),
        budget_cost=_money_of(given["budget_cost"], prices),
        clip=clip,
        settings=settings,
        options=decides,
        prices=prices,
        em=given["em"],
        checkpoint=path,
        resume=bool(resume),
    )
