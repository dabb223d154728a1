"""Keywords of the estimators: their types, and their help, which comes from the table of options."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import numpy as np

from .._options import ALGORITHMS, DEFAULT, OPTIONS, Option

_LEARNER = 1  # scant_option.scope

AnyAlgorithm = Literal[
    "default",
    "auto",
    "ridge",
    "lasso",
    "svr",
    "gaussian",
    "moments",
    "aerr",
    "aelr",
    "ddaerr",
    "ddaelr",
    "aesvr",
    "aer",
    "coinflip",
    "online-ridge",
    "online-lasso",
    "full-ridge",
    "full-lasso",
    "full-svr",
]
Ridge = Literal["ridge", "aerr", "ddaerr", "coinflip", "moments", "online-ridge", "full-ridge"]
Lasso = Literal["lasso", "aelr", "ddaelr", "aer", "coinflip", "moments", "online-lasso", "full-lasso"]
SVR = Literal["svr", "aesvr", "coinflip", "full-svr"]
Auto = Literal["auto"]
Average = Literal["all", "half", "last", "late"]
Path = str | os.PathLike[str]
Costs = Sequence[Any] | Mapping[Any, Any] | Path
Loss = Literal["squared", "insensitive", "absolute", "hinge", "huber", "logistic"]
Missing = Literal["error", "skip-cell", "skip-example"]
Seed = int | np.random.RandomState | np.random.Generator

_OWN = {
    "costs": (
        "sequence, mapping or path",
        "what each attribute costs: a number, or a pair (cost, group) where a group is bought as one; by place, by "
        "name, or from a file as the command's --costs",
    ),
    "random_state": (
        "int, RandomState, Generator or None",
        "the seed: same number, same bits as the command's --seed; None: another one each time",
    ),
    "verbose": ("int", "1: a line about where the fit stands every second, and at its end"),
    "callback": (
        "callable or None",
        "called with a scant.Progress some ten times a second and at the end; returning True ends the fit there",
    ),
}

_WORDS = {"flag": "bool", "count": "int", "real": "float", "choice": "str", "text": "str"}
_Class = TypeVar("_Class", bound=type)


def _kind(option: Option) -> str:
    if option.join:
        return "str or list of str"
    kind = "{" + ", ".join(map(repr, option.choices)) + "}" if option.choices else _WORDS[option.type]
    if option.yes_or_no:
        kind = "bool"
    return kind + ' or "auto"' * option.or_auto + ' or "none"' * option.or_none


def _describe(name: str, algorithms: tuple[str, ...]) -> tuple[str, str]:
    """The type of a keyword and its help."""
    named = [name for name in algorithms if name != DEFAULT]
    if name in _OWN:
        return _OWN[name]
    if name == "algorithm":
        shown = [name if ALGORITHMS[name].available else f"{name} (needs LAPACK)" for name in named]
        words = "an algorithm of scant.algorithms(): " + ", ".join(shown)
        return "str", words + "; default: gaussian where its work is small, else auto" * (DEFAULT in algorithms)
    option, first = OPTIONS[name], ALGORITHMS[named[0]]
    default = first.presets.get(name, option.default)
    if name == "k":
        return _kind(option), option.help + "; default: a tenth of them, at least 2"
    if default is None:
        return _kind(option), option.help
    if option.scope & _LEARNER and name not in first.options:
        return _kind(option), f"{option.help}; not of {first.name}"
    return _kind(option), f"{option.help}; default of {first.name}: {default}"


def documented(attributes: str) -> Callable[[_Class], _Class]:
    """Puts the help of its keywords, and its fitted attributes, into the docstring of an estimator."""

    def document(cls: _Class) -> _Class:
        algorithms: tuple[str, ...] = vars(cls)["_algorithms"]
        lines = ["Parameters", "----------", "None leaves an option at its default.", ""]
        for name, parameter in inspect.signature(cls).parameters.items():
            kind, words = _describe(name, algorithms)
            lines.append(f"{name} : {kind}, default={parameter.default!r}")
            lines += textwrap.wrap(words, 80, initial_indent="    ", subsequent_indent="    ")
        head = textwrap.dedent("    " + (cls.__doc__ or "").rstrip())
        cls.__doc__ = "\n\n".join([head, "\n".join(lines), textwrap.dedent("    " + attributes)])
        return cls

    return document
