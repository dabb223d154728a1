"""A source over the user's own function, which is called only for the attributes that are bought."""

from __future__ import annotations

import contextlib
import ctypes
import numbers
import operator
import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _library as c
from ._errors import BudgetSpent, DataError
from ._learner import Look
from ._prices import prices_of
from ._tables import Source


class _Asked(Source):
    """A source that calls a function of Python's while the library reads.

    A Ctrl-C may come out of the user's function, and waits anywhere else in between:
    ctypes drops what is raised outside it, and the library would go on with values
    that nobody gave.
    """

    _open = _waiting = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(before):
            with super().reading():  # no Ctrl-C comes here
                yield
            return

        def handle(number: int, frame: Any) -> None:
            if self._open:
                self._open = False
                before(number, frame)
            else:
                self._waiting = True

        self._handle = before
        signal.signal(signal.SIGINT, handle)
        try:
            with super().reading():
                yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._settle()

    def _settle(self) -> None:
        """A Ctrl-C that waited comes now."""
        if self._waiting:
            self._waiting = False
            self._handle(signal.SIGINT, None)

    def call(self, function: Callable[[Any, list[Any]], Any], example: Any, attributes: list[Any]) -> Any:
        self._settle()
        try:
            self._open = True
            return function(example, attributes)
        finally:
            self._open = False


class _Row:
    """In the key of an example that can't be a key itself."""


class MeteredSource:
    """Examples whose attributes come from a function of yours: a database, a web
    look-up, a laboratory.

    It stands in for ``X`` in ``fit(source, y)``, and serves a :class:`Learner` through
    :meth:`buy`.  The function is asked only for the attributes that are bought, and not at all for
    what the limits do not cover.

    Parameters
    ----------
    fetch : callable
        ``fetch(example, attributes)`` returns the values of these attributes of an
        example, in their order; NaN for one that has no value.  ``attributes`` is a
        list of numbers, or of names if ``names`` are given.  What it raises ends the fit
        and comes out of it.
    dimension : int, optional
        How many attributes an example has; default: as many as there are ``names``.
    examples : int or sequence, optional
        What ``fetch`` is given for each row of a fit: 0, 1, 2 ... for a number, else the
        entries of the sequence.  :meth:`buy` does without.
    names : sequence of str, optional
        Names of the attributes.
    k : int, optional
        Attributes that may be bought per example.
    budget : int, optional
        Attributes that may be bought in all.  A ``fit`` takes the rest as its own budget.
    costs : sequence or mapping, optional
        What each attribute costs; an entry may be a pair (cost, group).
    budget_cost : float, optional
        Money that may be spent in all.

    Attributes
    ----------
    attributes_bought : int
        As the ledger counts: a group is one, and free attributes are not counted.
    cost_spent : float
    purchases : ndarray of shape (dimension,)
        How often each attribute was fetched.

    Examples
    --------
    >>> import numpy as np, scant
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> source = scant.MeteredSource(lambda example, attributes: X[example, attributes],
    ...                              dimension=6, examples=300, budget=500)
    >>> model = scant.LimitedRegressor(k=2, random_state=1).fit(source, X[:, 1])
    >>> source.attributes_bought
    500
    """

    def __init__(
        self,
        fetch: Callable[[Any, list[Any]], Any],
        *,
        dimension: int | None = None,
        examples: int | Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        k: int | None = None,
        budget: int | None = None,
        costs: Any = None,
        budget_cost: float | None = None,
    ) -> None:
        if not callable(fetch):
            raise TypeError("fetch is not a function")
        if dimension is None and names is None:
            raise TypeError("MeteredSource needs dimension= or names=")
        self.names = None if names is None else [str(name) for name in names]
        self.dimension = operator.index(dimension) if dimension is not None else len(self.names or ())
        if self.names is not None and len(self.names) != self.dimension:
            raise DataError(f"there are {len(self.names)} names of {self.dimension} attributes")
        self.fetch = fetch
        if self.dimension < 1:
            raise DataError(f"dimension={self.dimension} is no number of attributes")
        for name, limit in (("k", k), ("budget", budget), ("budget_cost", budget_cost), ("examples", examples)):
            if isinstance(limit, (str, bytes)) or (isinstance(limit, numbers.Real) and not limit >= 0):
                raise DataError(f"{name}={limit!r} is no limit" if name != "examples" else f"examples={examples!r}?")
        if hasattr(examples, "iloc"):  # of pandas: by place, not by label
            examples = list(examples)  # type: ignore[arg-type]
        self.examples: Any = range(examples) if isinstance(examples, (int, np.integer)) else examples
        self.k, self.budget, self.costs, self.budget_cost = k, budget, costs, budget_cost
        self._prices = prices_of(costs, self.dimension, self.names)
        self.attributes_bought = 0
        self.purchases = np.zeros(self.dimension, dtype=np.int64)
        self._hundredths = 0
        self._of_example: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    @property
    def cost_spent(self) -> float:
        return self._hundredths / 100

    @property
    def shape(self) -> tuple[int, int]:
        if self.examples is None:
            raise DataError("a MeteredSource without examples= serves ask and tell alone, not a fit")
        return len(self.examples), self.dimension

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        money = f", {self.cost_spent:.2f} spent" if self._prices is not None else ""
        return f"<MeteredSource of {self.dimension} attributes: {self.attributes_bought} bought{money}>"

    def left(self) -> tuple[int | None, float | None]:
        """What is left of budget and budget_cost; None: no limit."""
        money = None if self.budget_cost is None else (round(100 * self.budget_cost) - self._hundredths) / 100
        return None if self.budget is None else self.budget - self.attributes_bought, money

    def _check(self, example: Any, key: Hashable, looks: int, money: int) -> None:
        """Raises if a limit does not allow it."""
        before = self._of_example.get(key, 0) if self.k is not None else 0
        if self.k is not None and before + looks > self.k:
            raise BudgetSpent(
                f"example {example!r}: {before} of its {self.k} attributes are bought, and {looks} more were asked for"
            )
        if self.budget is not None and self.attributes_bought + looks > self.budget:
            raise BudgetSpent(
                f"{self.attributes_bought} of the budget of {self.budget} attributes are spent, and {looks} more were "
                "asked for"
            )
        if self.budget_cost is not None and self._hundredths + money > round(100 * self.budget_cost):
            raise BudgetSpent(
                f"the budget: {self.cost_spent:.2f} of {self.budget_cost:.2f} are spent, and a look costs "
                f"{money / 100:.2f}"
            )

    def _charge(self, key: Hashable, wanted: list[int], looks: int, money: int, sign: int) -> None:
        self.attributes_bought += sign * looks
        self._hundredths += sign * money
        if self.k is not None:
            self._of_example[key] = self._of_example.get(key, 0) + sign * looks
        np.add.at(self.purchases, wanted, sign)

    def buy(self, example: Any, attributes: Any) -> np.ndarray:
        """The values of a :class:`Look`, or of a list of attributes, of one example.
        :class:`BudgetSpent` if a limit does not allow it; then nothing is fetched."""
        if isinstance(attributes, Look):
            attributes = attributes.attributes
        if self.k is not None and not isinstance(example, Hashable):
            raise TypeError(f"with k=, examples are told apart, and {example!r} can't be: it is not hashable")
        return self._buy(example, example if self.k is not None else None, attributes, self.fetch)

    def _buy(self, example: Any, key: Hashable, attributes: Any, fetch: Callable[[Any, list[Any]], Any]) -> np.ndarray:
        """``key`` tells examples apart.  It is paid before it is fetched, so that several who
        buy at once do not spend the same money; what could not be fetched is paid back."""
        wanted = [operator.index(i) for i in attributes]
        if wanted and not (0 <= min(wanted) and max(wanted) < self.dimension):
            raise DataError(f"there is no attribute {max(wanted)}: the source has {self.dimension}")
        looks, money = (len(set(wanted)), 0) if self._prices is None else self._prices.charge(wanted)
        with self._lock:
            self._check(example, key, looks, money)
            self._charge(key, wanted, looks, money, 1)
        asked = wanted if self.names is None else [self.names[i] for i in wanted]
        try:
            fetched = fetch(example, asked)
        except BaseException:
            with self._lock:
                self._charge(key, wanted, looks, money, -1)
            raise
        values = np.asarray(fetched, dtype=np.float64)
        if values.shape != (len(wanted),):
            raise DataError(
                f"example {example!r}: fetch was asked for {len(wanted)} values and gave an array of shape "
                f"{values.shape}"
            )
        return np.ascontiguousarray(values)

    def as_source(self, y: np.ndarray | None) -> Source:
        """What the library reads in a fit."""
        rows, dimension = self.shape

        def fetch(_: Any, row: int, count: int, attributes: Any, values: Any, error: Any) -> int:
            came = False

            def ask(example: Any, asked: list[Any]) -> Any:
                nonlocal came
                fetched = source.call(self.fetch, example, asked)
                came = True
                return fetched

            try:
                example = self.examples[row]
                key = example if isinstance(example, Hashable) else (_Row, row)
                bought = self._buy(example, key, attributes[:count], ask)
                ctypes.memmove(values, bought.ctypes.data, bought.nbytes)
                return 0
            except BudgetSpent as spent:
                error.contents.text = str(spent).encode()[:511]
                return c.SPENT
            except BaseException as raised:  # comes out where the library was called
                source.pending = raised
                return c.DATA if came else c.IO  # what came is bought, even if it is no number

        called = c.Fetch(fetch)
        address = None if y is None else y.ctypes.data
        source = _Asked(c.source_custom, rows, dimension, called, None, address, keep=(called, y))
        source.set_names(self.names)
        return source
