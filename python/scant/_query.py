"""Predictions bought one attribute at a time."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Mapping
from ctypes import byref, c_double, c_ubyte, c_uint32
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _library as c
from ._errors import DataError, MisuseError, UsageError, warn
from ._prices import Prices, hundredths, prices_of

if TYPE_CHECKING:
    from ._model import Model

Fetch = Callable[[Any], Any]


class Offer(NamedTuple):
    """What an attribute, or a group that is bought with it, would change.

    ``attribute`` is its name, or its number where the model has no names, and ``attributes`` are all that come with it.
    ``price`` is None without prices.  ``width`` is the expected width of the interval after it (None for a target of
    two values); ``probability`` is how often the likelier value will be right after it, and ``moves`` how far the
    probability moves, root mean square (None for a number).
    """

    attribute: Any
    attributes: list[Any]
    price: float | None
    variance: float
    width: float | None
    probability: float | None
    moves: float | None


class Prediction(NamedTuple):
    """What is known of the target: its mean, and ``low`` and ``high``, between which it is with probability ``level``.

    Of a target of two values ``value`` is the likelier one (the class, of a classifier) and ``probability`` its
    probability; of a number they are None.  ``width`` is ``high - low``, and ``expected_width`` what it will be
    after the next purchase, on average (None where nothing would help, and for two values).
    """

    mean: float
    low: float
    high: float
    variance: float
    level: float
    value: Any
    probability: float | None
    width: float
    expected_width: float | None


class Purchase(NamedTuple):
    """One attribute that was bought: ``price`` is its own (None without prices), ``value`` NaN if it had none."""

    attribute: Any
    price: float | None
    value: float


def _number(x: float) -> float | None:
    return None if math.isnan(x) else x


class Query:
    """One prediction of a model of ``gaussian``, for which attributes are bought one after another.

    ``ask`` says what to buy next, ``tell`` takes what it was, and ``predict`` predicts from what is known so far.
    ``run`` does all of it with functions that fetch values.  Attributes are called by their names, or by their numbers
    from 0 where the model has no names.

    Parameters
    ----------
    model : Model
    prices : optional
        What attributes cost, as ``costs`` of an estimator: the path of a file, a sequence, or a mapping from names.
        None takes the costs that the model was fitted with, if there are any.
    level : float
        The probability that the target is inside its interval.

    Attributes
    ----------
    bought : list of Purchase
        What ``run`` bought, in order.
    spent : float
        What that cost.
    stopped : str or None
        What ended the last ``run``: "sure", "width", "k", "spend" or "nothing".
    """

    _labels: Any = None  # what the two values of the target are called, where they have names

    def __init__(self, model: Model, prices: Any = None, level: float = 0.9) -> None:
        if not 0 < level < 1:
            raise UsageError(f"level={level!r} must be between 0 and 1")
        self._model = model
        self.level = float(level)
        self._prices = self._prices_of(prices)
        self._own = c.Owned(c.query_free, c.query_new, model._own, self._prices)
        self._places = {name: i for i, name in enumerate(model.names or range(model.dimension))}
        self._items = 0
        self._spent = 0
        self.bought: list[Purchase] = []
        self.stopped: str | None = None

    def _prices_of(self, prices: Any) -> Prices | None:
        model = self._model
        if prices is None:
            fitted = c.model_prices(model._own)
            return Prices(c.Borrowed(fitted, model), model.dimension) if fitted else None
        if isinstance(prices, Prices):
            return prices
        return prices_of(prices, model.dimension, model.names, model=model._own)

    def _called(self, place: int) -> Any:
        return self._model.names[place] if self._model.names is not None else place

    def _words(self, name: Any) -> list[int]:
        """The attributes NAME=WORD that were made of the column of this name; an error if it is no name at all."""
        if self._model.names is None:
            raise DataError(
                f"the model has no attribute {name!r}: its attributes have numbers from 0 to "
                f"{self._model.dimension - 1}"
            )
        flags = (c_ubyte * self._model.dimension)()
        c.model_find(self._model._own, str(name).encode(), flags)  # raises with the nearest name
        return [i for i, flag in enumerate(flags) if flag]

    def _column(self, place: int) -> str | None:
        """The column of words that an attribute NAME=WORD was made of, if all of them are bought with it.  NAME is all
        that they have in common, since it may have a = itself."""
        members = self._members(place)
        if len(members) < 2 or self._model.names is None:
            return None
        column, equal, _ = os.path.commonprefix([self._called(i) for i in members]).rpartition("=")
        try:
            return column if equal and self._words(column) == members else None
        except DataError:
            return None

    def _asked(self, place: int) -> Any:
        """What ``tell`` calls the attribute, or the column that it is a word of."""
        column = self._column(place)
        whole = column is not None and len(self._untold(place)) == len(self._members(place))
        return column if whole else self._called(place)

    def _members(self, place: int) -> list[int]:
        """The attributes that are bought with this one."""
        group = self._prices.groups[place] if self._prices is not None else 0
        if not group:
            return [place]
        assert self._prices is not None
        return [i for i in range(self._model.dimension) if self._prices.groups[i] == group]

    def _untold(self, place: int) -> list[int]:
        return [i for i in self._members(place) if not c.query_is_told(self._own, i)]

    def ask(self) -> Any:
        """The attribute to buy next, or None if nothing would help.  Of attributes that ``one_hot`` made it is the
        column."""
        place = c_uint32()
        return self._asked(place.value) if c.query_next(self._own, byref(place)) else None

    def offers(self, top: int | None = None) -> list[Offer]:
        """What the attributes that were not told would change, best first; at most ``top`` of them."""
        if top is not None and top < 0:
            raise UsageError(f"top={top!r} must not be below 0")
        most = self._model.dimension if top is None else min(int(top), self._model.dimension)
        found = (c.Offer * max(most, 1))()
        count = c.query_offers(self._own, self.level, 2**64 - 1, found, most)
        return [
            Offer(
                self._asked(o.attribute),
                [self._called(i) for i in self._untold(o.attribute)],
                o.price / 100 if self._prices is not None else None,
                o.variance,
                _number(o.width),
                _number(o.sure),
                _number(o.moves),
            )
            for o in found[:count]
        ]

    def tell(self, name: Any, value: Any = None) -> Query:
        """What an attribute is; None or NaN: it has no value, and is not asked for again.

        ``tell({"age": 61, "hdl": 1.2})`` tells several, or none if one of them can't be told.  A word tells a column
        that ``one_hot`` made attributes of.  It returns the query."""
        if isinstance(name, Mapping):
            if value is not None:
                raise TypeError("tell takes a mapping, or a name and a value")
            given = list(name.items())
        else:
            given = [(name, value)]
        numbers: dict[int, float] = {}
        for key, one in given:
            for place, number in self._numbers(key, one):
                if place in numbers or c.query_is_told(self._own, place):
                    raise MisuseError(f"{key!r} was told already")
                numbers[place] = number
        for place, number in numbers.items():
            c.query_tell(self._own, place, number)
        return self

    def _numbers(self, name: Any, value: Any) -> list[tuple[int, float]]:
        """What a value tells of which attributes."""
        if name in self._places:
            return [(self._places[name], _number_of(name, value))]
        words, text = self._words(name), _word_of(value)
        if text is None:
            return [(i, math.nan) for i in words]
        if not isinstance(value, str):
            raise DataError(f"{name!r} is a column of words: tell it by tell({name!r}, word)")
        told = [(i, float(self._called(i) == f"{name}={text}")) for i in words]
        if not any(number for _, number in told):
            warn(f"the model does not know the word {text!r} of {name!r}: it counts as none of its words")
        return told

    def is_told(self, name: Any) -> bool:
        places = [self._places[name]] if name in self._places else self._words(name)
        return all(c.query_is_told(self._own, i) for i in places)

    def predict(self) -> Prediction:
        """The prediction from what is known so far."""
        p, value = c.Prediction(), c_double()
        c.query_predict(self._own, self.level, byref(p))
        sure = c.query_sure(self._own, byref(value))
        after = self.offers(1)
        likelier: Any = _number(value.value)
        if self._labels is not None and likelier is not None:
            likelier = self._labels[int(likelier > 0)]
        return Prediction(
            p.mean, p.low, p.high, p.variance, self.level, likelier, _number(sure), p.high - p.low,
            after[0].width if after else None,
        )  # fmt: skip

    def reset(self) -> Query:
        """Another example, of which nothing is known.  It returns the query."""
        c.query_reset(self._own)
        self._items = self._spent = 0
        self.bought, self.stopped = [], None
        return self

    @property
    def spent(self) -> float:
        return self._spent / 100

    def run(
        self,
        fetch: Fetch | Mapping[Any, Callable[[], Any]],
        *,
        spend: Any = None,
        until_width: float | None = None,
        until_sure: float | None = None,
        k: int | None = None,
    ) -> Prediction:
        """Buys until the first of the rules is met, or nothing would help, and predicts.

        Parameters
        ----------
        fetch : callable or mapping
            ``fetch(name)`` returns the value of an attribute, or None if it has none.  A mapping has a function without
            arguments for every attribute that may be asked for.
        spend : amount of money, optional
            No more than this is spent; what does not fit is passed over.
        until_width : float, optional
            The interval is at most so wide.
        until_sure : float, optional
            One of the two values of the target has this probability.
        k : int, optional
            So many were bought; a group counts as one, and what is free does not count.

        What earlier runs bought counts.  All attributes of a group are fetched.  If ``fetch`` raises, what was fetched
        before stays told and in ``bought``, and a group that is half fetched is paid; a further ``run`` goes on.
        """
        count = 0 if k is None else operator.index(k)
        stop = c.Stop(
            min(max(count, 0), 2**63),
            0 if spend is None else _amount(spend),
            0 if until_width is None else float(until_width),
            0 if until_sure is None else float(until_sure),
        )
        for name, given, least in (
            ("k", k, stop.k),
            ("spend", spend, stop.spend),
            ("until_width", until_width, stop.width),
        ):
            if given is not None and not least > 0:
                raise UsageError(f"{name}={given!r} must be above 0")
        if until_sure is not None and not 0.5 < stop.sure < 1:
            raise UsageError(f"until_sure={until_sure!r} must be above 0.5 and below 1")
        c.stop_check(byref(stop), self._model._own, self._prices, self.level)
        get = _getter(fetch)
        self.stopped = None
        place = c_uint32()
        while True:
            verdict = c.query_decide(self._own, byref(stop), self.level, self._items, self._spent, byref(place))
            if verdict != c.BUY:
                self.stopped = c.verdict_name(verdict).decode()
                return self.predict()
            self._buy(place.value, get)

    def _buy(self, place: int, get: Fetch) -> None:
        price, members, asked = c.query_price(self._own, place), self._untold(place), self._asked(place)
        if asked != self._called(place):  # a column of words
            told = self._numbers(asked, _word_of(get(asked)))
            for i, number in told:
                c.query_tell(self._own, i, number)
            self._pay(price)
            for i, number in told:
                self._note(i, number)
            return
        for i in members:
            number = _number_of(self._called(i), get(self._called(i)))
            c.query_tell(self._own, i, number)
            if i == members[0]:  # a group is paid once the first value is there
                self._pay(price)
            self._note(i, number)

    def _pay(self, price: int) -> None:
        self._spent += price
        self._items += price > 0 or self._prices is None

    def _note(self, place: int, value: float) -> None:
        own = int(self._prices.amounts[place]) / 100 if self._prices is not None else None
        self.bought.append(Purchase(self._called(place), own, value))

    def __repr__(self) -> str:
        told = sum(bool(c.query_is_told(self._own, i)) for i in range(self._model.dimension))
        return f"<Query, {told} of {self._model.dimension} attributes told>"


def _number_of(name: Any, value: Any) -> float:
    """The number that a value of an attribute is; NaN: it has none."""
    if isinstance(value, str) and value.strip() in ("", "?", "NA"):
        return math.nan
    try:
        number = math.nan if value is None else float(value)
        if isinstance(value, str) and "_" in value:  # which only Python reads
            raise ValueError
    except ValueError:
        raise DataError(f"{name}: {value!r} is not a number") from None
    if math.isinf(number):
        raise DataError(f"the value of {name!r} is not finite")
    return number


def _word_of(value: Any) -> str | None:
    """The word that a value of a column is; None: it has none."""
    text = "nan" if value is None else str(value)
    return None if text.strip() in ("", "?", "NA") or text.strip().lower() == "nan" else text


def _amount(spend: Any) -> int:
    try:
        return hundredths(spend, "")
    except DataError:
        raise UsageError(f"spend={spend!r} is not an amount of money with at most two decimals") from None


def _getter(fetch: Fetch | Mapping[Any, Callable[[], Any]]) -> Fetch:
    if isinstance(fetch, Mapping):
        functions: Mapping[Any, Callable[[], Any]] = fetch

        def get(name: Any) -> Any:
            if name not in functions:
                raise DataError(f"fetch has no function for {name!r}")
            return functions[name]()

        return get
    if not callable(fetch):
        raise TypeError("fetch is a function of a name, or a mapping from names to functions")
    return fetch
