"""The checkpoint of a distributed fit: one file, written whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import time
import uuid
from typing import Any

from .._errors import DataError, FileError, NoInputError
from ._rounds import packed, unpack

_MAGIC = b"scant distributed checkpoint 1\n"


def _beside(path: str) -> str:
    """Where a checkpoint is written first: another name each time, for a job that was started again may write the same
    one while the first is still at it."""
    return f"{path}.{uuid.uuid4().hex[:12]}.part"


def _clear(path: str) -> None:
    """Removes what a writer left that was killed: nobody writes for an hour."""
    for left in glob.glob(f"{glob.escape(path)}.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - os.stat(left).st_mtime > 3600:
                os.unlink(left)


def check(path: str) -> None:
    """Raises where nothing can be written, before anything is bought.  The file itself stays as it is."""
    try:
        beside = _beside(path)
        with open(beside, "xb"):
            pass
        os.unlink(beside)
        _clear(path)
    except OSError as failed:
        raise _unwritten(path, failed) from None


def _unwritten(path: str, failed: OSError) -> FileError:
    return FileError(f"the checkpoint {path!r} can't be written: {failed.strerror or failed}")


def write(path: str, head: dict[str, Any], blobs: list[bytes]) -> None:
    """Beside its place first, then by one rename: whoever reads finds the old one or the new one."""
    folder = os.path.dirname(os.path.abspath(path))
    digest = hashlib.sha256()
    try:
        beside = _beside(path)
        try:
            with open(beside, "xb") as file:
                for piece in (_MAGIC, *packed(head, blobs)):  # never all of it in memory once more
                    digest.update(piece)
                    file.write(piece)
                file.write(digest.digest())
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        folder_handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(folder_handle)
        finally:
            os.close(folder_handle)
    except OSError as failed:
        raise _unwritten(path, failed) from None


def read(path: str) -> tuple[dict[str, Any], list[memoryview]]:
    """The head, and views of what follows it: the file is in memory once."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        raise NoInputError(f"there is no checkpoint {path!r}") from None
    except OSError as failed:
        raise FileError(f"the checkpoint {path!r} can't be read: {failed.strerror or failed}") from None
    if not text.startswith(_MAGIC):
        raise DataError(f"{path!r} is no checkpoint of a distributed fit")
    body, digest = memoryview(text)[:-32], text[-32:]
    if hashlib.sha256(body).digest() != digest:
        raise DataError(f"the checkpoint {path!r} is damaged: its digest is not that of its bytes")
    head, blobs = unpack(body[len(_MAGIC) :])
    if head.get("version") != 1:
        raise DataError(f"the checkpoint {path!r} has version {head.get('version')!r}, and this package reads 1")
    return head, blobs


def differ(path: str, theirs: dict[str, Any], ours: dict[str, Any], what: str) -> None:
    """Raises if the checkpoint is of something else; names the first thing that differs."""
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        one, other = theirs.get(name), json.loads(json.dumps(ours.get(name)))
        if one != other:
            raise DataError(
                f"the checkpoint {path!r} is of {what}: {name} is {_short(one)} there, and {_short(other)} here"
            )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
