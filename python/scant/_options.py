"""The library's table of options and of algorithms, and settings made from keywords.

Nothing is listed here: names, defaults, ranges and help come from the library.
"""

from __future__ import annotations

import dataclasses
import numbers
import operator
import os
from collections.abc import Iterator, Mapping
from ctypes import byref, create_string_buffer
from typing import Any

from . import _library as c
from ._errors import UsageError

_TYPES = ("flag", "count", "real", "choice", "text")

# scant_option.scope
_LEARNER, _FIT, _DATA = 1, 2, 4


@dataclasses.dataclass(frozen=True)
class Option:
    """An entry of the table of options."""

    name: str  #: as a keyword
    type: str  #: flag, count, real, choice or text
    default: str | None  #: as text; an algorithm may have its own
    choices: tuple[str, ...]
    minimum: float
    maximum: float
    or_auto: bool  #: "auto" is allowed
    or_none: bool  #: "none" is allowed
    help: str
    scope: int
    join: str  #: a list: what separates its items; "": one value

    @property
    def yes_or_no(self) -> bool:
        """True and False are what it takes."""
        return self.type == "flag" or set(self.choices) == {"no", "yes"}

    @property
    def flag(self) -> str:
        return self.name.replace("_", "-")


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """An entry of the table of algorithms."""

    name: str
    title: str
    look: str  #: which attributes, with what probability
    estimate: str  #: from looks to a gradient
    update: str  #: how the weights move and stay in their ball
    options: tuple[str, ...]  #: what it takes, as keywords
    presets: Mapping[str, str]  #: its own defaults
    strict: bool  #: k holds for every example; else in expectation
    whole: bool  #: it looks at every attribute, so that k need not be given
    least_k: int  #: attributes per visit that it needs, unless they are all; 0: K is d
    dense: bool  #: d^2 memory
    joint: bool  #: it learns the joint distribution of attributes and target
    sums: bool  #: it learns from sums of purchases, too
    reference: str
    available: bool  #: False: it needs LAPACK, which this build leaves out


def _text(value: bytes | None) -> str:
    return value.decode() if value else ""


def _keyword(name: str) -> str:
    return name.replace("-", "_")


def _rows(at: Any) -> Iterator[Any]:
    index = 0
    while entry := at(index):
        yield entry.contents
        index += 1


def _record(kind: type[c.Made], entry: Any, **given: Any) -> c.Made:
    return c.filled(kind, lambda name: getattr(entry, name), {"str": _text, "bool": bool}, **given)


def _option(entry: c.Option) -> Option:
    return _record(
        Option,
        entry,
        name=_keyword(_text(entry.name)),
        type=_TYPES[entry.type],
        default=entry.preset.decode() if entry.preset else None,
        choices=tuple(_text(entry.choices).split("|")) if entry.choices else (),
        join=entry.join.decode().strip("\0"),
    )


def _algorithm(entry: c.Algorithm) -> Algorithm:
    presets = (pair.split("=", 1) for pair in _text(entry.presets).split())
    return _record(
        Algorithm,
        entry,
        options=tuple(_keyword(name) for name in _text(entry.options).split()),
        presets={_keyword(name): value for name, value in presets},
        available=c.HAS_LAPACK or not entry.dense,
    )


OPTIONS: Mapping[str, Option] = {option.name: option for option in map(_option, _rows(c.option_at))}
ALGORITHMS: Mapping[str, Algorithm] = {entry.name: entry for entry in map(_algorithm, _rows(c.algorithm_at))}
_POINTERS = {_keyword(_text(entry.name)): entry for entry in _rows(c.option_at)}


DEFAULT = OPTIONS["algorithm"].default or ""


def _either(one: Algorithm, other: Algorithm) -> Algorithm:
    """What the default stands for, where it is not known yet which one is taken."""
    options = tuple(dict.fromkeys(one.options + (other.options if other.available else ())))
    title = f"{other.name} or {one.name}"
    return dataclasses.replace(one, name=DEFAULT, title=title, options=options, presets={}, joint=other.joint)


def _in_role(role: int) -> Algorithm:
    return next(ALGORITHMS[_text(entry.name)] for entry in _rows(c.algorithm_at) if entry.role == role)


_DEFAULT = _either(_in_role(c.DEFAULT_STREAMING), _in_role(c.DEFAULT_DENSE))


def algorithms() -> list[Algorithm]:
    """The table of algorithms; those with ``available`` False need LAPACK, where a build
    leaves that out on demand.  "default" is not in it: it takes gaussian or auto, as the
    size of the data allows."""
    return list(ALGORITHMS.values())


def find_algorithm(name: Any) -> Algorithm:
    """The algorithm of this name; raises if there is none."""
    if isinstance(name, str) and name == DEFAULT:
        return _DEFAULT
    algorithm = ALGORITHMS.get(name) if isinstance(name, str) else None
    if algorithm is None:
        names = ", ".join((DEFAULT, *ALGORITHMS))
        raise UsageError(f"there is no algorithm {name!r}: scant.algorithms() lists them ({names})")
    if not algorithm.available:
        raise UsageError(
            f"{name} needs LAPACK, which this build of the package leaves out (-Dlapack=disabled); a plain "
            "`pip install .` does not"
        )
    return algorithm


def needs_k(algorithm: Algorithm, options: Mapping[str, Any]) -> bool:
    """Not if all attributes are looked at, what is there is taken, or money is the limit."""
    observed = options.get("observed")
    if observed is not None and as_text(OPTIONS["observed"], observed) == b"yes":
        return False
    return not algorithm.whole and not options.get("spend")


def default_k(algorithm: Algorithm, dimension: int, options: Mapping[str, Any]) -> int:
    """What ``k=None`` means: a tenth of the attributes, at least 2 (3 for svr); more where the
    algorithm with these options needs more, as aer needs an even number."""
    least = min(dimension, max(algorithm.least_k, -(-dimension // 10)))

    def is_taken(k: int) -> bool:
        try:
            c.settings_resolve(Settings(**{**options, "algorithm": algorithm.name, "k": k}))
        except UsageError:
            return False
        return True

    if is_taken(least):
        return least
    # What refuses many as well as few has nothing to do with k: it will be said.
    if not is_taken(dimension) and not is_taken(dimension - 1):
        return least
    return next((k for k in range(least + 1, dimension + 1) if is_taken(k)), least)


def as_text(option: Option, value: Any) -> bytes:
    """The value of a keyword as the library reads it."""
    if option.yes_or_no:
        if isinstance(value, (bool, numbers.Integral)) or type(value).__name__ == "bool_":
            value = "yes" if value else "no"
    elif isinstance(value, (bool,)) or type(value).__name__ == "bool_":
        raise UsageError(f"{option.name}={value!r} is neither a number nor a name")
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if (
        option.join
        and isinstance(value, (list, tuple))
        and all(isinstance(item, (str, numbers.Integral)) for item in value)
    ):
        value = option.join.join(
            item if isinstance(item, str) else str(int(item) + 1) for item in value
        )  # C counts from 1
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, numbers.Integral):
        return str(int(value)).encode()
    if isinstance(value, numbers.Real):
        return repr(float(value)).encode()
    raise UsageError(f"{option.name}={value!r} is neither a number nor a name")


class Settings:
    """A scant_settings, filled by keyword; None leaves an option at its default."""

    def __init__(self, **keywords: Any) -> None:
        self._own = c.Owned(c.settings_free, c.settings_new)
        self._texts: list[bytes] = []  # the library does not copy them
        if c.HAS_LAPACK:
            c.set_engines(self._own)
        for name, value in keywords.items():
            self.set(name, value)

    @property
    def _as_parameter_(self) -> Any:
        return self._own._as_parameter_

    def set(self, name: str, value: Any) -> None:
        if value is None:
            return
        option = OPTIONS.get(name)
        if option is None:
            raise TypeError(f"there is no option {name!r}")
        text = as_text(option, value)
        if b"\0" in text:
            raise UsageError(f"{name}={value!r} has a null character in it")
        self._texts.append(text)
        c.settings_set(self._own, option.flag.encode(), text)


def count_of(value: Any, name: str) -> int:
    """A whole number of 1 or more."""
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1 or isinstance(value, bool):
        raise UsageError(f"{name}={value!r} is not a number of 1 or more")
    return count


def value_of(settings: Any, name: str) -> Any:
    """The value of an option in a scant_settings of the library's."""
    option = OPTIONS[name]
    text = create_string_buffer(256)
    length = c.settings_get(settings, byref(_POINTERS[name]), text, len(text))
    if length >= len(text):
        text = create_string_buffer(length + 1)
        c.settings_get(settings, byref(_POINTERS[name]), text, len(text))
    value = text.value.decode()
    if option.type == "flag":
        return value == "yes"
    if option.type == "count":
        return int(value)
    if option.type == "real" and value not in ("auto", "none"):
        return float(value)
    return value
