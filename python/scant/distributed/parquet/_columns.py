"""Which attributes a Parquet table has: its columns, and the words of columns of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..._errors import DataError, UsageError
from ._files import File
from ._footer import Column

MOST_WORDS = 1000  # a column of more is a column of names, which tell nothing about other examples


@dataclass
class Choice:
    """What was asked for, and what the first file makes of it."""

    target: str
    attributes: list[str] = field(default_factory=list)  # columns, in the order of the first file
    words: dict[str, list[str] | None] = field(default_factory=dict)  # of columns of text; None: to be found
    left_out: frozenset[str] = frozenset()
    chosen: bool = False  # columns were named: others do not matter
    several: bool = False  # there are other files, which were not looked at yet

    @property
    def columns(self) -> list[str]:
        """All that may be read: the attributes' columns, then the target."""
        return [*self.attributes, self.target]


def _names(given: object, keyword: str) -> list[str]:
    if given is None:
        return []
    listed = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    names = [name for name in listed if isinstance(name, str)]
    for name in listed:
        if not isinstance(name, str):
            raise UsageError(f"{keyword} has names of columns, and {name!r} is none")
    if len(set(names)) != len(names):
        raise UsageError(f"{keyword} names a column twice")
    return names


def _one_hot(given: object) -> dict[str, list[str] | None]:
    """one_hot: a name, names, or a mapping from names to words (None: to be found)."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(_names(given, "one_hot"))
    found: dict[str, list[str] | None] = {}
    for name, words in given.items():
        _names([name], "one_hot")
        if words is None:
            found[name] = None
            continue
        if isinstance(words, str) or not isinstance(words, Sequence) or not words:
            raise UsageError(f"one_hot: column {name!r} needs a list of its words, or None")
        for word in words:
            if not isinstance(word, str) or not word or word != word.strip():
                raise UsageError(f"one_hot: {word!r} is no word of column {name!r}: a text without blanks around it")
        if len(set(words)) != len(words):
            raise UsageError(f"one_hot: column {name!r} has a word twice")
        found[name] = list(words)
    return found


def listed(names: Sequence[str]) -> str:
    """'a', 'b' and 'c'"""
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _refuse_text(file: File, names: list[str], choice: Choice, first: File | None) -> None:
    if names and first is not None:  # one_hot would not help: the first file has no words there
        raise DataError(
            f"{file}: column {names[0]!r} holds text, and {first} has none there: mend the file, or leave the column "
            "out with ignore"
        )
    if names:
        many = len(names) > 1
        raise DataError(
            f"{file}: column{'s' * many} {listed(names)} hold{'s' * (not many)} text: leave {'them' if many else 'it'} "
            f"out with ignore, or make 0/1 attributes of {'their' if many else 'its'} words with one_hot"
            f"{' (if every file has text there)' * choice.several}"
        )


def _refuse_types(file: File, columns: Mapping[str, Column], choice: Choice) -> None:
    for name in choice.columns:
        column = columns[name]
        if column.leaf is None:
            kind = f"is nested ({column.what})" if column.nested else f"is of type {column.what}"
            if name == choice.target:
                raise DataError(f"{file}: the target {name!r} {kind}: a target is numbers or booleans")
            raise DataError(
                f"{file}: column {name!r} {kind}: only numbers and booleans can be learned from; leave it out with "
                "ignore"
            )


def choose(
    file: File,
    columns: Mapping[str, Column],
    target: str,
    only: object,
    ignore: object,
    one_hot: object,
    several: bool,
) -> Choice:
    """Decides by the first file of a table."""
    kept, left_out, words = _names(only, "columns"), _names(ignore, "ignore"), _one_hot(one_hot)
    if not isinstance(target, str):
        raise UsageError(f"target is the name of a column, not {target!r}")
    if only is not None and not kept:
        raise UsageError("columns is empty, so no attributes are left: leave it out to take all columns")
    if target not in columns:
        raise DataError(f"{file} has no column {target!r}, the target")
    for keyword, names in (("columns", kept), ("ignore", left_out), ("one_hot", list(words))):
        for name in names:
            if name not in columns:
                raise DataError(f"{file} has no column {name!r} ({keyword})")
    if target in left_out or target in words:
        raise UsageError(f"{target!r} is the target, and can't be in {'ignore' if target in left_out else 'one_hot'}")
    for name in kept:
        if name in left_out:
            raise UsageError(f"column {name!r} is in columns and in ignore")
    attributes = [name for name in columns if name != target and (not kept or name in kept) and name not in left_out]
    for name in words:
        if name not in attributes:
            raise UsageError(f"one_hot: column {name!r} is left out by columns or ignore")
    if not attributes:
        raise DataError(f"{file} has no columns that are left to be attributes")
    choice = Choice(target, attributes, words, frozenset(left_out), bool(kept), several)
    check_columns(file, columns, choice)
    return choice


def check_columns(file: File, columns: Mapping[str, Column], choice: Choice, first: File | None = None) -> None:
    """Refuses, in any file, a column that can't be what the table needs it to be.  ``first``: a file that can."""
    _refuse_types(file, columns, choice)
    kinds = {name: column.leaf.kind for name, column in columns.items() if column.leaf is not None}
    texts = [name for name in choice.attributes if kinds[name] == "text" and name not in choice.words]
    _refuse_text(file, texts, choice, first)
    for name in choice.words:
        if kinds[name] == "number":
            raise DataError(f"{file}: column {name!r} holds numbers ({columns[name].what}), not text (one_hot)")
    if kinds[choice.target] == "text":
        raise DataError(f"{file}: the target {choice.target!r} holds text, which can't be learned from")


def check_schema(file: File, columns: Mapping[str, Column], choice: Choice, first: File) -> None:
    """Refuses a file that is not like the first one."""
    for name in choice.columns:
        if name not in columns:
            what = ", the target" if name == choice.target else ""
            raise DataError(f"{file} has no column {name!r}{what}, which {first} has")
    expected = {*choice.columns, *choice.left_out}
    for name in columns:
        if not choice.chosen and name not in expected:
            raise DataError(f"{file} has a column {name!r} that {first} has not: leave it out with columns")
    check_columns(file, columns, choice, first)


def attributes_of(choice: Choice) -> tuple[list[str], list[int], list[str | None]]:
    """Names of the attributes, the column of each (by its place), and its word (None: it is a number)."""
    names: list[str] = []
    places: list[int] = []
    words: list[str | None] = []
    for place, name in enumerate(choice.attributes):
        if name not in choice.words:
            names.append(name)
            places.append(place)
            words.append(None)
        for word in choice.words.get(name) or []:
            names.append(f"{name}={word}")
            places.append(place)
            words.append(word)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"two attributes would be called {name!r} (one_hot)")
        seen.add(name)
    return names, places, words
