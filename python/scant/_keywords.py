"""Constructors made from the table of options: each keyword, its default and its help."""

from __future__ import annotations

import textwrap
from typing import Any

from ._options import ALGORITHMS, DEFAULT, OPTIONS, Algorithm

_LEARNER, _FIT = 1, 2

# Of the command, or said in scikit-learn's way (seed is random_state).
_ELSEWHERE = {"algorithm", "seed", "split", "max_open", "labels", "target", "classes", "format", "header", "index_base"}

_OWN = {
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


def keywords_of(algorithms: tuple[str, ...], fixed: tuple[str, ...]) -> list[str]:
    """The options that some of these algorithms take, in the table's order."""
    taking: list[Algorithm] = [a for name, a in ALGORITHMS.items() if name in algorithms and a.available]
    dense = any(a.dense for a in taking)
    names = []
    for name, option in OPTIONS.items():
        of_fit = bool(option.scope & _FIT) and (dense or name not in ("threads", "memory"))
        of_algorithm = any(name in a.options for a in taking)
        if name not in _ELSEWHERE and name not in fixed and (of_fit or of_algorithm or name == "log_target"):
            names.append(name)
    return names


def _describe(name: str, algorithm: Algorithm) -> tuple[str, str]:
    if name in _OWN:
        return _OWN[name]
    if name == "costs":
        return (
            "sequence, mapping or path",
            "what each attribute costs: a number, or a pair (cost, group) where a group is bought as one; by place, by "
            "name, or from a file as the command's --costs",
        )
    option = OPTIONS[name]
    kind = "{" + ", ".join(map(repr, option.choices)) + "}" if option.choices else _WORDS[option.type]
    if set(option.choices) == {"no", "yes"}:
        kind = "bool"
    if option.or_auto:
        kind += ' or "auto"'
    if option.or_none:
        kind += ' or "none"'
    if option.join:
        kind = "str or list of str"
    if name == "k":
        return kind, option.help + "; default: a tenth of them, at least 2"
    default = algorithm.presets.get(name, option.default)
    if default is None:
        return kind, option.help
    if option.scope & _LEARNER and name not in algorithm.options:
        return kind, f"{option.help}; not of {algorithm.name}"
    return kind, f"{option.help}; default of {algorithm.name}: {default}"


def parameters_of(cls: Any) -> dict[str, Any]:
    """Every keyword with its default."""
    keywords = keywords_of(cls._algorithms, cls._fixed)
    return {
        "algorithm": cls._algorithms[0],
        **dict.fromkeys(keywords),
        "random_state": None,
        "verbose": 0,
        "callback": None,
    }


def _document(cls: Any, parameters: dict[str, Any]) -> str:
    lines = []
    for name, default in parameters.items():
        if name == "algorithm":
            named = [name for name in cls._algorithms if name != DEFAULT]
            names = [name if ALGORITHMS[name].available else f"{name} (needs LAPACK)" for name in named]
            kind, words = "str", "an algorithm of scant.algorithms(): " + ", ".join(names)
            if DEFAULT in cls._algorithms:
                words += "; " + OPTIONS["algorithm"].help.partition("; ")[2]
        else:
            kind, words = _describe(name, ALGORITHMS[next(name for name in cls._algorithms if name != DEFAULT)])
        lines.append(f"{name} : {kind}, default={default!r}")
        lines += textwrap.wrap(words, 80, initial_indent="    ", subsequent_indent="    ")
    parameters_text = "Parameters\n----------\nNone leaves an option at its default.\n\n" + "\n".join(lines) + "\n"
    text = textwrap.dedent("    " + (cls.__doc__ or ""))
    head, _, rest = text.partition("Attributes\n----------")
    return head + parameters_text + "\nAttributes\n----------" + rest


def from_table(cls: Any) -> Any:
    """Gives an estimator the constructor of its algorithms' options, and their help."""
    parameters = parameters_of(cls)
    listed = ", ".join(f"{name}={default!r}" for name, default in parameters.items())
    body = "\n".join(f"    self.{name} = {name}" for name in parameters)
    made: dict[str, Any] = {}
    exec(f"def __init__(self, *, {listed}):\n{body}\n", made)
    cls.__init__ = made["__init__"]
    cls.__init__.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__.__module__ = cls.__module__
    cls.__doc__ = _document(cls, parameters)
    return cls
