"""Files of a Parquet table: on the local disk, or in any store that fsspec knows."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..._errors import DataError, FileError, NoInputError, ScantError, UsageError

# What stores call it that a file is another one than before, the surest first.
_STAMPS = (
    "ETag",
    "etag",
    "e_tag",
    "md5Hash",
    "content_md5",
    "generation",
    "mtime",
    "LastModified",
    "last_modified",
    "updated",
    "modified",
    "created",
)


def need(module: str) -> Any:
    """pyarrow and fsspec, which only tables of Parquet need."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.split(".")[0]
        raise ImportError(f"tables of Parquet need {package}: pip install 'scant-learn[parquet]'") from missing


@dataclass(frozen=True)
class File:
    """A file, as it was when its footer was read.  It goes to workers with what is to be read of it."""

    path: str
    """As its store calls it."""
    title: str
    """As sentences call it."""
    store: Any
    """A filesystem of fsspec; None: the local disk."""
    size: int
    stamp: tuple[str, str] | None
    """A fact that changes with the file, by its name; None: the store tells none."""

    def __str__(self) -> str:
        return f"file {self.title!r}"


@contextlib.contextmanager
def saying(where: object) -> Iterator[None]:
    """Around what reads: failures of the system or of a store become sentences."""
    try:
        yield
    except ScantError:
        raise
    except FileNotFoundError as missing:
        raise NoInputError(f"{where}: there is no such file") from missing
    except Exception as wrong:  # stores have exceptions of their own
        sentence = getattr(wrong, "strerror", None) or str(wrong) or type(wrong).__name__
        raise FileError(f"{where} can't be read: {sentence}") from wrong


# ---- finding them ------------------------------------------------------------


def _stat(path: str) -> tuple[int, tuple[str, str]]:
    found = os.stat(path)
    return found.st_size, ("mtime", str(found.st_mtime_ns))


def _stamp(info: dict[str, Any]) -> tuple[str, str] | None:
    for name in _STAMPS:
        if info.get(name) is not None:
            return name, str(info[name]).strip('"')
    return None


def _local(path: str, title: str) -> File:
    with saying(f"file {title!r}"):
        size, stamp = _stat(path)
        return File(os.path.abspath(path), title, None, size, stamp)  # a worker may be in another folder


def _stored(store: Any, path: str, title: str) -> File:
    with saying(f"file {title!r}"):
        info = store.info(path)
        if info.get("size") is None:
            raise DataError(f"file {title!r}: its store does not tell how large it is")
        return File(path, title, store, int(info["size"]), _stamp(info))


def _listed(title: str, entries: list[tuple[str, bool]]) -> list[str]:
    """The files of a folder that belong to the table; entries are (name, is it a folder)."""
    hive = sorted(name for name, folder in entries if folder and "=" in name)
    if hive:
        raise DataError(
            f"folder {title!r} has partitions such as {hive[0]!r}, whose columns are in names of folders and not in "
            "the files: name the files themselves to learn from what they hold"
        )
    files = [name for name, folder in entries if not folder]
    names = sorted(name for name in files if name.endswith(".parquet") and name[0] not in "._")
    if not names:
        raise NoInputError(f"folder {title!r} has no file *.parquet")
    return names


def _find_local(path: str) -> list[File]:
    if not os.path.isdir(path):
        return [_local(path, path)]
    with saying(f"folder {path!r}"), os.scandir(path) as entries:
        names = _listed(path, [(entry.name, entry.is_dir()) for entry in entries])
    return [_local(os.path.join(path, name), os.path.join(path, name)) for name in names]


def _find_stored(store: Any, path: str, title: str) -> list[File]:
    with saying(title):
        folder = store.isdir(path)
        found = store.ls(path, detail=True) if folder else []
    if not folder:
        return [_stored(store, path, title)]
    paths = {info["name"].rstrip("/").rsplit("/", 1)[-1]: info["name"] for info in found}
    entries = [(name, info["type"] == "directory") for name, info in zip(paths, found, strict=True)]
    return [_stored(store, paths[name], f"{title.rstrip('/')}/{name}") for name in _listed(title, entries)]


def _find(path: Any, filesystem: Any) -> list[File]:
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise UsageError(f"a path is a text or a pathlib.Path, not {type(path).__name__}")
    if filesystem is None and "://" not in text and "::" not in text:
        return _find_local(os.path.expanduser(text))
    if filesystem is None:
        fsspec = need("fsspec")
        try:
            filesystem, inside = fsspec.core.url_to_fs(text)
        except (ImportError, ValueError) as wrong:  # what the store's own package is, or that there is no such store
            raise UsageError(f"{text!r}: {wrong}") from wrong
    else:
        inside = filesystem._strip_protocol(text)
    local = need("fsspec.implementations.local").LocalFileSystem
    if type(filesystem) is local:
        return _find_local(str(inside))
    return _find_stored(filesystem, str(inside), text)


def find_files(path: Any, filesystem: Any = None) -> list[File]:
    """The files of a table, in the order of its blocks."""
    if filesystem is not None and not hasattr(filesystem, "_strip_protocol"):
        raise UsageError(f"filesystem is one of fsspec, not {type(filesystem).__name__}")
    several = isinstance(path, Sequence) and not isinstance(path, str | bytes)
    files = [file for one in (path if several else [path]) for file in _find(one, filesystem)]
    if not files:
        raise UsageError("there are no files in the list")
    seen: set[tuple[int, str]] = set()
    for file in files:
        if (id(file.store), file.path) in seen:
            raise UsageError(f"{file} is in the list twice")
        seen.add((id(file.store), file.path))
    return files


# ---- reading them ------------------------------------------------------------


def _refuse_changed(file: File, size: int, stamp: tuple[str, str] | None, where: object) -> None:
    comparable = file.stamp is not None and stamp is not None and file.stamp[0] == stamp[0]
    if size != file.size or (comparable and stamp != file.stamp):
        raise DataError(f"{where}: the file has changed since its footer was read; open the table again")


def check_unchanged(file: File, where: object) -> None:
    """Asks a store whether a file is the one whose footer was read.  (The local disk is asked whenever it is read.)"""
    if file.store is None:
        return
    with saying(where):
        file.store.invalidate_cache(file.path)
        info = file.store.info(file.path)
        _refuse_changed(file, int(info["size"]), _stamp(info), where)


def _read_local(file: File, ranges: Sequence[tuple[int, int]], where: object) -> list[bytes]:
    descriptor = os.open(file.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        _refuse_changed(file, found.st_size, ("mtime", str(found.st_mtime_ns)), where)
        pieces = []
        for start, size in ranges:
            piece = os.pread(descriptor, size, start)
            while 0 < len(piece) < size:  # the system gives at most 2 GiB at once
                more = os.pread(descriptor, size - len(piece), start + len(piece))
                if not more:
                    break
                piece += more
            pieces.append(piece)
        return pieces
    finally:
        os.close(descriptor)


def _read_stored(file: File, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
    store = file.store
    if getattr(store, "async_impl", False):  # a request for each range, several at a time
        starts, ends = [start for start, _ in ranges], [start + size for start, size in ranges]
        pieces = store.cat_ranges([file.path] * len(ranges), starts, ends)
        for piece in pieces:
            if isinstance(piece, BaseException):
                raise piece
        return list(pieces)
    with store.open(file.path, "rb", cache_type="none") as stream:  # a cache would read ahead
        pieces = []
        for start, size in ranges:
            stream.seek(start)
            pieces.append(stream.read(size))
        return pieces


def read_ranges(file: File, ranges: Sequence[tuple[int, int]], where: object) -> list[bytes]:
    """The bytes of each range (start, size), and no others."""
    with saying(where):
        pieces = _read_local(file, ranges, where) if file.store is None else _read_stored(file, ranges)
    for (start, size), piece in zip(ranges, pieces, strict=True):
        if len(piece) != size:
            raise DataError(
                f"{where}: the file is truncated: it ends {size - len(piece)} bytes before byte {start + size}"
            )
    return pieces
