"""Wide tables in Parquet, of which only the chunks that are bought are read.

A row group is a block: all its examples are looked at in the same attributes.  Parquet keeps each column of a row group
in a chunk of its own, so the chunks of the attributes that were bought, and of the target, are all that is read of it.
The footers are read once, where the table is opened; tasks have byte ranges.

>>> import scant.distributed.parquet
>>> table = scant.distributed.parquet.open("s3://bucket/folder", "price", ignore=["id"])    # doctest: +SKIP
>>> result = scant.distributed.fit(table, k=50)                                 # doctest: +SKIP

It needs pyarrow, and fsspec for what is not on the local disk: ``pip install 'scant-learn[parquet]'``.
"""

from __future__ import annotations

import bisect
import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._errors import DataError, NoInputError, UsageError
from .._local import counted
from ._columns import MOST_WORDS, Choice, attributes_of, check_schema, choose
from ._files import File, check_unchanged, find_files, need
from ._footer import Groups, read_columns, read_footer, read_groups
from ._task import ParquetTask, Wanted, read_columns as read_chunks, to_words

if TYPE_CHECKING:
    from .._blocks import Table

__all__ = ["ParquetTable", "open"]

_AT_ONCE = 8  # footers that are read at the same time


class ParquetTable:
    """Examples in Parquet files: each row group is a block.  ``scant.distributed.parquet.open`` makes one.

    Attributes
    ----------
    names : list of str
        Of the attributes: columns, and ``column=word`` for the words of a column of text.
    target : str
    rows : list of int
        Of each block; 0 is allowed.
    parts : list of range
        The blocks of each part, which is what one task works on.
    files : list of str
    bytes : int
        Of the chunks of all attributes and the target: what reading everything would take.
    footer_bytes : int
        Bytes of footers that were read to open the table.
    scanned_bytes : int
        Bytes of columns that were read whole to find the words of ``one_hot``.
    fingerprint : dict
        Of each file its place, its size and what tells that it is another one: for checkpoints.
    """

    def __init__(self, files: Sequence[Groups], choice: Choice, part_blocks: int) -> None:
        self._files, self._choice = list(files), choice
        self.target = choice.target
        self._first = np.cumsum([0, *(len(groups.rows) for groups in files)]).tolist()  # block of each file
        self.rows = [int(rows) for groups in files for rows in groups.rows]
        if not any(self.rows):
            raise DataError(f"{files[0].file}{' and the others' * (len(files) > 1)}: there are no rows")
        count = len(self.rows)
        self.parts = [range(at, min(at + part_blocks, count)) for at in range(0, count, part_blocks)]
        self.files = [groups.file.title for groups in files]
        self.footer_bytes = sum(groups.footer for groups in files)
        self.bytes = sum(int(groups.size[groups.rows > 0].sum()) for groups in files)
        self.scanned_bytes = 0
        self._find_words()
        self.names, self._columns, self._words = attributes_of(choice)

    def __repr__(self) -> str:
        shape = f"{counted(sum(self.rows), 'row')} of {counted(len(self.names), 'attribute')}"
        groups = f"{counted(len(self.rows), 'block')} (row groups of {counted(len(self.files), 'file')})"
        return f"<ParquetTable of {shape} in {groups}, target {self.target!r}>"

    @property
    def fingerprint(self) -> dict[str, Any]:
        files = enumerate(groups.file for groups in self._files)
        return {f"file {file.path!r}": [f"number {place + 1}", file.size, *(file.stamp or ())] for place, file in files}

    def arrange(self, columns: Sequence[str]) -> None:
        """Puts the attributes into the order of these columns, which are all of the table's; the words of a column stay
        together."""
        place = {name: at for at, name in enumerate(columns)}
        own = [place[self._choice.attributes[column]] for column in self._columns]
        order = sorted(range(len(own)), key=own.__getitem__)
        self.names = [self.names[at] for at in order]
        self._columns = [self._columns[at] for at in order]
        self._words = [self._words[at] for at in order]

    def _wanted(self, block: int, columns: Sequence[int]) -> Wanted:
        """Where these columns of a block are."""
        place = bisect.bisect_right(self._first, block) - 1
        groups, group = self._files[place], block - self._first[place]
        picked = np.asarray(columns, dtype=np.int64)
        places = [facts[group, picked] for facts in (groups.start, groups.size, groups.data, groups.dictionary)]
        return Wanted(
            groups.file,
            groups.writer,
            group,
            self.rows[block],
            [self._choice.columns[column] for column in columns],
            [groups.leaves[column] for column in columns],
            np.stack(places, axis=1),
            groups.codec[group, picked],
        )

    def _find_words(self) -> None:
        """Reads the columns of text whose words were not listed."""
        compute = need("pyarrow.compute")
        unknown = {name: set[str]() for name, words in self._choice.words.items() if words is None}
        if not unknown:
            return
        columns = [self._choice.attributes.index(name) for name in unknown]
        for groups in self._files:
            check_unchanged(groups.file, groups.file)
        for block, rows in enumerate(self.rows):
            if not rows:
                continue
            wanted = self._wanted(block, columns)
            chunks, count = read_chunks(wanted)
            self.scanned_bytes += count
            for (name, words), chunk in zip(unknown.items(), chunks, strict=True):
                words.update(word for word in compute.unique(to_words(chunk)).to_pylist() if word is not None)
                if len(words) > MOST_WORDS:
                    raise DataError(
                        f"{wanted.where}: column {name!r} holds over {MOST_WORDS} different words: list those that "
                        "matter, as one_hot={NAME: [...]}"
                    )
        for name, words in unknown.items():
            if not words:
                raise DataError(f"{self._files[0].file}: column {name!r} is empty in every row (one_hot)")
            self._choice.words[name] = sorted(words)

    def task(self, part: int, looks: Mapping[int, np.ndarray]) -> ParquetTask:
        """What buys these looks (attributes by block number) of a part.  It goes to a worker."""
        blocks = sorted(looks)
        if not blocks or blocks[0] not in self.parts[part] or blocks[-1] not in self.parts[part]:
            raise UsageError(f"looks are of blocks of part {part}, {self.parts[part]}, at least one")
        wanted, picks, kept = [], [], []
        target = len(self._choice.attributes)
        for block in blocks:
            look = np.asarray(looks[block], dtype=np.uint32)
            columns = [self._columns[attribute] for attribute in look.tolist()]
            distinct = sorted(set(columns))  # the words of a column are bought with one chunk
            chunk = {column: at for at, column in enumerate(distinct)}
            wanted.append(self._wanted(block, [*distinct, target]))
            words = [self._words[attribute] for attribute in look.tolist()]
            picks.append([(chunk[column], word) for column, word in zip(columns, words, strict=True)])
            kept.append(look)
        return ParquetTask(blocks, kept, wanted, picks)

    def read(self, blocks: Iterable[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """All attributes (rows, attributes) and targets of some blocks, or of all: to predict and to compare, outside
        any ledger."""
        every = np.arange(len(self.names), dtype=np.uint32)
        chosen = list(range(len(self.rows)) if blocks is None else blocks)
        X, y = np.empty((sum(self.rows[block] for block in chosen), len(self.names))), []
        at = 0
        for block in chosen:
            part = next(place for place, numbers in enumerate(self.parts) if block in numbers)
            loaded = self.task(part, {block: every}).load(block)
            X[at : at + self.rows[block]] = loaded.values.T
            y.append(loaded.y)
            at += self.rows[block]
        return X, np.concatenate([np.empty(0), *y])


def open(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str,
    *,
    columns: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    one_hot: str | Iterable[str] | Mapping[str, Sequence[str] | None] | None = None,
    filesystem: Any = None,
    part_blocks: int = 16,
) -> ParquetTable:
    """Opens a table: reads the footers of its files, and nothing else.

    Parameters
    ----------
    path : str, pathlib.Path or a list of them
        A file; a folder, whose files ``*.parquet`` are taken in the order of their names (folders of partitions such as
        ``year=2024`` are refused, since their columns are not in the files); or a URL that fsspec knows, such as
        ``s3://bucket/folder`` (with the store's own package, such as s3fs).  ``~`` is your home folder; patterns such
        as ``*`` are not expanded.  Workers must find the files by the same path.
    target : str
        The column of the targets: numbers or booleans, none missing.
    columns : list of str, optional
        The only columns that are attributes; the target need not be among them.
    ignore : list of str, optional
        Columns that are no attributes.
    one_hot : dict, list or str, optional
        Columns of text.  ``{"town": ["Bonn", "Kiel"]}`` makes the attributes ``town=Bonn`` and ``town=Kiel``, which are
        0 or 1; a word that is not listed is 0 in all of them, and where there is none they are missing.  ``["town"]``
        or ``{"town": None}`` finds the words by reading that column whole, here and outside any ledger;
        ``scanned_bytes`` counts it.  Attributes of one column are in the same chunk, which is read once for all that
        are bought.
    filesystem : an fsspec filesystem, optional
        Where the paths are; without it the path says so.
    part_blocks : int, default=16
        Row groups that one task works on.  It changes no bit of a result.

    Returns
    -------
    ParquetTable

    Notes
    -----
    Numbers are floats of 16, 32 and 64 bits, integers (up to 2^53) and booleans.  Null and NaN are missing; an infinite
    value is refused where it is read.  Dates, times, decimals and nested columns are refused by their names.  All files
    have the same columns, in any order; their types may differ as long as all are numbers, or all text.
    """
    if isinstance(part_blocks, bool) or not isinstance(part_blocks, int | np.integer) or part_blocks < 1:
        raise UsageError(f"part_blocks is a number of row groups, at least 1, not {part_blocks!r}")
    try:
        files = find_files(path, filesystem)
    except NoInputError as missing:
        if set("*?[") & set(str(path)):
            raise NoInputError(f"{missing}: patterns are not expanded, but glob.glob makes a list of one") from None
        raise
    first = files[0]
    metadata, size = read_footer(first)
    found = read_columns(first, metadata)
    choice = choose(first, found, target, columns, ignore, one_hot, len(files) > 1)
    names = choice.columns
    groups = [read_groups(first, metadata, size, [found[name] for name in names], names)]

    def read(file: File) -> Groups:
        metadata, size = read_footer(file)
        found = read_columns(file, metadata)
        check_schema(file, found, choice, first)
        return read_groups(file, metadata, size, [found[name] for name in names], names)

    if len(files) > 1:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            groups += pool.map(read, files[1:])
    return ParquetTable(groups, choice, int(part_blocks))


_OPTIONS = [name for name, one in inspect.signature(open).parameters.items() if one.kind == one.KEYWORD_ONLY]


def check_options(function: str, options: Mapping[str, Any]) -> None:
    """Of a function that has those of ``open``, too."""
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"{function}() has no option {name!r}: of files it takes {', '.join(_OPTIONS)}")


if TYPE_CHECKING:

    def _is_table(table: ParquetTable) -> Table:
        return table
