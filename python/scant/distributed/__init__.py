"""Fits of tables that are larger than one machine: blocks buy their looks where they are, and only sums travel.

  fit          learns from a table of blocks, on an engine
  InMemory     a table of blocks from NumPy or pandas
  LocalEngine  the engine that is this process
  Result       what a fit came to; Progress: where one stands

  parquet      tables of Parquet files
  dask, spark  engines and estimators for clusters

docs/clusters.md goes from a laptop to a cluster.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import os
import sys
import time
from collections.abc import Callable
from ctypes import c_char_p, pointer
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _library as c
from .._errors import DataError, UsageError, warn
from .._model import Model
from . import _driver as rounds
from ._blocks import Engine, EngineError, Kept, Loaded, Table, Task
from ._local import InMemory, LocalEngine
from ._plan import terms_of
from ._sums import SumsFit, require

__all__ = [
    "Engine",
    "EngineError",
    "InMemory",
    "Kept",
    "Loaded",
    "LocalEngine",
    "Progress",
    "Result",
    "Table",
    "Task",
    "fit",
    "print_progress",
]

if TYPE_CHECKING:
    from . import dask as dask, parquet as parquet, spark as spark


def __getattr__(name: str) -> Any:
    """Each of these modules needs packages of its own."""
    if name in ("dask", "parquet", "spark"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'scant.distributed' has no attribute {name!r}")


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a distributed fit stands: what ``progress`` is called with.

    Attributes
    ----------
    phase : {"buy", "learn"}
        What comes now; or with ``done``, what ended the fit.
    round, rounds : int
        Counted from 1.
    blocks, blocks_total : int
        Blocks bought, and how many there will be.
    examples, attributes_bought, bytes_read : int
    money_spent : float
    tasks_retried : int
    risk : float
        The squared error as estimated from the looks, when the last law was made; NaN before.
    seconds : float
        Since the fit began.
    done : bool
    """

    phase: str
    round: int
    rounds: int
    blocks: int
    blocks_total: int
    examples: int
    attributes_bought: int
    bytes_read: int
    money_spent: float
    tasks_retried: int
    risk: float
    seconds: float
    done: bool

    def __str__(self) -> str:
        money = f", {self.money_spent:.2f} spent" if self.money_spent else ""
        risk = "" if math.isnan(self.risk) else f", risk {self.risk:.4g}"
        doing = "done" if self.done else {"buy": "buying", "learn": "learning"}[self.phase]
        return (
            f"[scant] round {self.round} of {self.rounds}, {doing}: {self.blocks} of {self.blocks_total} blocks, "
            f"{self.examples} examples, {self.attributes_bought} attributes bought, {_amount(self.bytes_read)} read"
            f"{money}{risk}"
        )


def print_progress(progress: Progress) -> None:
    """A line on standard error for each phase of each round; ``progress=True`` stands for it."""
    print(progress, file=sys.stderr, flush=True)


def _amount(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


@dataclasses.dataclass(frozen=True)
class Result:
    """What a distributed fit came to.

    Attributes
    ----------
    model : scant.Model
        As any other: it predicts, and ``save`` writes the command's model file.
    coef_ : ndarray of shape (attributes,)
    intercept_ : float
    names : list of str
    target : str
    algorithm : str
    engine : str
    em : {"driver", "workers"}
        Where the expectation steps ran.
    seed : int
        With which random_state the same result comes again.
    rounds : int
    blocks, examples : int
        From which it learned.
    attributes_bought, bytes_read : int
        Each block is charged once, however often its task ran.
    money_spent : float
    purchases : ndarray of shape (attributes,)
        Examples in which each attribute was bought.
    cells : int
        Values that the table has, of which attributes were bought.
    tasks_retried : int
        Tasks that ran more than once, as far as the engine knows.
    risk, risk_error : float
        The squared error as estimated from the looks, and its standard error with blocks as units.
    seconds : dict
        By phase: buy, learn, checkpoint, and all.
    notes : list of str
        What was warned of.
    """

    model: Model
    coef_: np.ndarray
    intercept_: float
    names: list[str]
    target: str
    algorithm: str
    engine: str
    em: str
    seed: int
    rounds: int
    blocks: int
    examples: int
    attributes_bought: int
    bytes_read: int
    money_spent: float
    purchases: np.ndarray
    cells: int
    tasks_retried: int
    risk: float
    risk_error: float
    seconds: dict[str, float]
    notes: list[str]

    def __repr__(self) -> str:
        return (
            f"<Result of {self.algorithm} on {self.engine}: {self.attributes_bought} attributes of {self.examples} "
            f"examples bought, risk {self.risk:.4g}>"
        )

    def __str__(self) -> str:
        """A few lines: what was learned from, what it cost, and how good it is."""
        count, rows, share = len(self.names), self.examples, 100 * self.attributes_bought / max(self.cells, 1)
        money = f", {self.money_spent:.2f} spent" if self.money_spent else ""
        retried = f", {self.tasks_retried} tasks retried" if self.tasks_retried else ""
        phases = ", ".join(f"{phase} {time:.1f}" for phase, time in self.seconds.items() if phase != "all")
        lines = [
            f"{self.target!r} from {count} attributes by {self.algorithm}, engine {self.engine}, seed {self.seed}",
            f"learned from  {rows} examples in {self.blocks} blocks, {self.rounds} rounds{retried}",
            f"bought        {self.attributes_bought} attributes, {share:.3g}% of the table{money}",
            f"read          {_amount(self.bytes_read)}",
            f"seconds       {self.seconds['all']:.1f} ({phases})",
            f"weights       {np.count_nonzero(self.coef_)} of {count} are not 0",
            "risk          " + (_risk(self.risk, self.risk_error)),
        ]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _risk(risk: float, error: float) -> str:
    if math.isnan(risk):
        return "unknown: nothing could judge"
    return f"{risk:.4g}" + ("" if math.isnan(error) else f" +- {error:.2g}") + " (squared error, from the looks)"


def _check_table(table: Any) -> None:
    if not isinstance(table, Table):
        raise UsageError(
            f"{type(table).__name__} is no table of blocks: scant.distributed.InMemory makes one of arrays, and "
            "scant.distributed.parquet of files"
        )
    if len(table.names) < 2:
        raise DataError(
            f"the table has {len(table.names)} attribute{'s' if len(table.names) != 1 else ''}: a fit needs 2 or more"
        )
    names = [*table.names, table.target]
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"the name of a column is a text, and {name!r} is none")
    if any("\0" in name for name in names):
        raise DataError("there is a null character in the name of a column")
    if len(set(table.names)) < len(table.names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise DataError(f"two attributes of the table are called {twice!r}")
    at = 0
    for part in table.parts:
        if part.start != at or part.step != 1:
            raise DataError(
                f"the parts of the table are not consecutive: one begins at block {part.start}, not at {at}"
            )
        at = part.stop
    if at != len(table.rows):
        raise DataError(f"the parts of the table have {at} blocks, and there are {len(table.rows)}")
    if not any(table.rows):
        raise DataError("the table has no examples")


def _notes(fit: rounds.Fit, found: SumsFit, model: Model) -> list[str]:
    """What is worth a warning."""
    notes, needed = [], -(-3 * fit.dimension // fit.terms.k)
    if len(fit.order) < needed and fit.terms.k < fit.dimension:
        notes.append(
            f"{len(fit.order)} blocks have few different looks: {fit.dimension} attributes at K = {fit.terms.k} want "
            f"{needed} or more; smaller blocks, or a larger K, learn more from the same attributes"
        )
    unseen = [name for name, bought in zip(fit.table.names, fit.account.purchases, strict=True) if not bought]
    if unseen:
        more = f" and {len(unseen) - 3} more" if len(unseen) > 3 else ""
        notes.append(
            f"nothing was bought of {', '.join(map(repr, unseen[:3]))}{more}: there is no weight; more blocks, or a "
            "larger K, would see every attribute"
        )
    if not np.any(model.coef):
        notes.append(
            "every weight is 0, so every prediction is the same: there were too few examples, or no attribute varies "
            "with the target"
        )
    scale = found.facts().scale
    if scale < 1:
        notes.append(
            f"the weights are {scale:.2g} times what was learned: by the fit's own estimate, all of it would not surely "
            "predict better than the mean"
        )
    return notes


def _model(fit: rounds.Fit, found: SumsFit) -> Model:
    texts = [name.encode() for name in fit.table.names]
    ledger, state = fit.account.ledger(), fit.state
    assert state.limits is not None
    low, high = state.limits if fit.terms.clip is not None else (None, None)
    prices, values = fit.terms.prices, fit.account.two_values()
    two = None if values is None else np.array(values)
    terms = c.SumsTerms(
        names=(c_char_p * len(texts))(*texts),
        target=fit.table.target.encode(),
        low=None if low is None else low.ctypes.data,
        high=None if high is None else high.ctypes.data,
        two_values=None if two is None else two.ctypes.data,
        prices=None if prices is None else prices._as_parameter_,
        ledger=pointer(ledger),
        purchases=fit.account.purchases.ctypes.data,
    )
    return found.model(terms)


def _telling(progress: Any) -> Callable[[rounds.Fit, str, bool], None]:
    call = print_progress if progress is True else progress
    if call is not None and call is not False and not callable(call):
        raise UsageError(f"progress={progress!r} is neither True nor a function")
    began = time.perf_counter()

    def tell(fit: rounds.Fit, phase: str, done: bool) -> None:
        if not call:
            return
        account, found = fit.account, fit.state.fit
        call(
            Progress(
                phase=phase,
                round=fit.now,
                rounds=len(fit.rounds),
                blocks=len(account.lines),
                blocks_total=len(fit.order),
                examples=account.examples,
                attributes_bought=account.attributes,
                bytes_read=account.bytes,
                money_spent=account.money / 100,
                tasks_retried=fit.engine.retried,
                risk=found.facts().risk if found is not None else math.nan,
                seconds=time.perf_counter() - began,
                done=done,
            )
        )

    return tell


def fit(
    table: Table,
    *,
    k: int | None = None,
    algorithm: str = "gaussian",
    engine: Engine | None = None,
    random_state: Any = None,
    budget: int | None = None,
    clip: float | Literal["none"] | None = None,
    costs: Any = None,
    budget_cost: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    em: Literal["auto", "driver", "workers"] = "auto",
    progress: Callable[[Progress], Any] | bool | None = None,
    **options: Any,
) -> Result:
    """Learns a linear model from a table of blocks, of each of which K attributes are bought.

    The first round buys evenly and fixes the limits of the attributes; each later one follows what was learned and
    doubles what there is.  Which attributes of a block are bought follows from the seed, its number and the round's law
    alone, so a task that runs twice buys the same, and is charged once.  The result has the same bits on every engine,
    with any number of workers and whatever the parts of the table.

    Parameters
    ----------
    table : Table
        ``InMemory`` of arrays, or a table of ``scant.distributed.parquet``, ``scant.distributed.dask`` or
        ``scant.distributed.spark``.
    k : int, optional
        Attributes of each block.  Default: a tenth of them, at least 2.
    algorithm : {"gaussian", "moments"}
    engine : Engine, optional
        Where tasks run.  Default: this process, on as many threads as it has processors.
    random_state : int, RandomState, Generator or None
        The seed.  None: another one each time; with ``resume`` that of the checkpoint.
    budget : int, optional
        Attributes to buy at most (examples times K).  The first block that it does not pay for ends the buying.
    clip : float or "none", optional
        Attributes are clipped to so many standard deviations around the mean, as the first round saw them.  Default:
        that of the algorithm.
    costs : sequence, mapping or path, optional
        What each attribute costs, by place or by name.
    budget_cost : float, optional
        Money to spend at most, at these costs.  The first block that it does not pay for ends the buying.
    checkpoint : path, optional
        A file that is written after each round, whole or not at all.  Nothing may be there yet, unless ``resume``.
    resume : bool, default=False
        Go on from the checkpoint, if there is one; the result is that of a fit that was never stopped.
    em : {"auto", "driver", "workers"}
        Where the expectation steps run: in this process, to which all sums come, or with the workers, where sums stay.
        Both give the same bits.  "auto": here, up to 1 GiB of sums.
    progress : callable or bool, optional
        Called with a Progress before each phase and at the end; True prints a line each.
    memory, threads, penalty, norm, like_units : optional
        As in ``LimitedRegressor``; memory (GiB) and threads are those of this process.

    Returns
    -------
    Result
    """
    require()
    began = time.perf_counter()
    _check_table(table)
    given = {
        "random_state": random_state,
        "budget": budget,
        "budget_cost": budget_cost,
        "clip": clip,
        "costs": costs,
        "em": em,
        "options": options,
    }
    terms = terms_of(table, algorithm, k, checkpoint, resume, given)
    rounds.check(terms.settings, len(table.names))
    engine = LocalEngine(os.cpu_count() or 1) if engine is None else engine
    if not isinstance(engine, Engine):
        raise UsageError(f"engine={engine!r} is no scant.distributed.Engine")
    run = rounds.Fit(table, engine, terms, _telling(progress))
    if not run.order:
        raise DataError(f"budget={budget} does not pay for the first block of {terms.k} attributes: nothing was bought")
    if len(run.order) < 2:
        raise DataError(
            "there is one block to buy"
            + (f" with budget={budget}" if len(table.rows) > 1 and budget is not None else "")
            + ": halves are made of whole blocks, so a fit needs 2 or more, and many are better (a row group of "
            "Parquet is a block: row_group_size of pyarrow makes smaller ones)"
        )
    retried = engine.retried
    try:
        found = run.run()
    finally:
        run.end()
    model = _model(run, found)
    notes = _notes(run, found, model)
    for note in notes:
        warn(note)
    facts, account = found.facts(), run.account
    coef, intercept = found.weights()
    return Result(
        model=model,
        coef_=coef,
        intercept_=intercept,
        names=list(table.names),
        target=table.target,
        algorithm=terms.algorithm,
        engine=engine.name,
        em=run.em,
        seed=terms.seed,
        rounds=len(run.rounds),
        blocks=len(account.lines),
        examples=account.examples,
        attributes_bought=account.attributes,
        bytes_read=account.bytes,
        money_spent=account.money / 100,
        purchases=account.purchases,
        cells=sum(table.rows) * len(table.names),
        tasks_retried=engine.retried - retried,
        risk=facts.risk,
        risk_error=facts.risk_error,
        seconds={**run.seconds, "all": time.perf_counter() - began},
        notes=notes,
    )
