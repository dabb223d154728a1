"""Tables of other libraries as sources, without copying where their layout allows.

NumPy       any strides, read-only too; numbers of up to 8 bytes, booleans
SciPy       CSR and CSC as they are; other formats become CSR
pandas      one block as an array, mixed columns each where it lies
Arrow       whatever hands over an Arrow stream: polars, pyarrow, DuckDB ...
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator, Sequence
from ctypes import c_char_p
from typing import Any

import numpy as np

from . import _library as c
from ._errors import DataError, ScantError

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class Source:
    """A scant_source, with what must stay alive as long as it is read.

    ``holds``: the library itself holds the data until the source is freed.
    """

    def __init__(self, make: Any, *arguments: Any, keep: Any = None, holds: bool = False) -> None:
        self._keep, self.holds = keep, holds
        self._own = c.Owned(c.source_free, make, *arguments)
        self.names: list[str] | None = None
        self.pending: BaseException | None = None

    @property
    def _as_parameter_(self) -> Any:
        return self._own._as_parameter_

    @property
    def rows(self) -> int:
        return int(c.source_rows(self))

    @property
    def dimension(self) -> int:
        return int(c.source_dimension(self))

    def set_names(self, names: Sequence[str] | None, target: str | None = None) -> None:
        if names is None:
            return
        if any("\0" in name for name in names):
            raise DataError("there is a null character in the name of a column")
        texts = [name.encode() for name in names]
        c.source_set_names(self, (c_char_p * len(texts))(*texts), target.encode() if target else None)
        self.names = list(names)

    def find_names(self) -> list[str] | None:
        """Names that were set, or that came with the data."""
        if c.source_name(self, 0) is None:
            return None
        return [c.source_name(self, i).decode("utf-8", "replace") for i in range(self.dimension)]

    def let_go(self) -> None:
        """It is not read again: the data are the caller's, and only names and shape stay."""
        self._keep = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Around calls that read: what the user's own code raised in them comes out as it is."""
        try:
            yield
        except ScantError:
            raised, self.pending = self.pending, None
            if raised is not None:
                raise raised from None
            raise


# ---- what is what ------------------------------------------------------------


def _is_from(table: Any, module: str, kind: str) -> bool:
    """Is it of this class, of a library that is loaded if it is?"""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(table, getattr(loaded, kind))


def is_sparse(table: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(table)


def is_frame(table: Any) -> bool:
    return _is_from(table, "pandas", "DataFrame")


def is_arrow(table: Any) -> bool:
    return hasattr(table, "__arrow_c_stream__") and not is_frame(table)


def names_of(table: Any) -> list[str] | None:
    """The names of the columns, if all are texts."""
    columns: Any = None
    if is_frame(table):
        columns = list(table.columns)
    elif is_arrow(table):
        columns = getattr(table, "column_names", None)
        if columns is None or callable(columns):
            columns = getattr(table, "columns", None)
    if columns is None or callable(columns) or not all(isinstance(name, str) for name in columns):
        return None
    return list(columns)


# ---- arrays ------------------------------------------------------------------


def typed(array: np.ndarray, what: str = "the table") -> np.ndarray:
    """The same array if the library can read its elements, else a copy that it can."""
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {what} is of {array.dtype}")
    if array.dtype.kind not in "fiuO":
        raise DataError(f"{what} is of {array.dtype}: only numbers and booleans can be learned from")
    if array.dtype.str[1:] in c.TYPES:
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as wrong:
        raise type(wrong)(f"{what}: {wrong}") from None


def _type(array: np.ndarray) -> int:
    return c.TYPES[array.dtype.str[1:]]


def _targets(y: Any) -> np.ndarray | None:
    return None if y is None else np.ascontiguousarray(y, dtype=np.float64)


def _address(array: np.ndarray | None) -> Any:
    return None if array is None else array.ctypes.data


def unmasked(values: Any) -> np.ndarray:
    """An array of NumPy's.  What is masked is missing, whatever is under the mask: NaN, or None among texts."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return np.asarray(values)
    kind = values.dtype.kind
    if kind in "biuf":
        return np.ma.filled(values if kind == "f" else values.astype(np.float64), np.nan)
    texts = values.data.astype(object)
    texts[np.ma.getmaskarray(values)] = None
    return texts


def _of_array(table: Any, y: np.ndarray | None) -> Source:
    array = unmasked(table)
    if array.ndim != 2:
        raise DataError(f"a table has two dimensions, rows and attributes, and this has {array.ndim}")
    array = typed(array)
    strides = array.strides
    return Source(c.source_wrap, _type(array), array.ctypes.data, *array.shape, *strides, _address(y), keep=(array, y))


def _of_sparse(table: Any, y: np.ndarray | None) -> Source:
    if table.format not in ("csr", "csc"):
        table = table.tocsr()
    if table.ndim != 2:
        raise DataError(f"a table has two dimensions, rows and attributes, and this has {table.ndim}")
    data, indices, starts = typed(table.data), table.indices, table.indptr
    index = np.int32 if indices.dtype == starts.dtype == np.int32 else np.int64
    indices, starts = (np.ascontiguousarray(part, dtype=index) for part in (indices, starts))
    data = np.ascontiguousarray(data)
    lines = table.shape[table.format == "csc"]
    if len(starts) != lines + 1 or starts[-1] > min(len(indices), len(data)):
        raise DataError("the sparse matrix is damaged: its indptr does not fit its data")
    whole = c.Sparse(
        table.format == "csc", _type(data), _type(indices), data.ctypes.data, indices.ctypes.data, starts.ctypes.data
    )
    return Source(
        c.source_sparse, ctypes.byref(whole), *table.shape, _address(y), keep=(data, indices, starts, whole, y)
    )


def _of_series(column: Any, what: str) -> np.ndarray:
    """One column of a frame; what is missing becomes NaN."""
    if isinstance(column.dtype, np.dtype):
        return typed(column.to_numpy(), what)
    types = sys.modules["pandas"].api.types
    if isinstance(column.dtype, sys.modules["pandas"].CategoricalDtype) or not types.is_numeric_dtype(column.dtype):
        raise DataError(f"{what} is of {column.dtype}: only numbers and booleans can be learned from")
    return typed(column.to_numpy(dtype=np.float64, na_value=np.nan), what)


def _text_in(column: Any) -> str | None:
    """A word of a column that holds text, as far as its first 100 rows tell; None: it holds none."""
    if isinstance(column.dtype, np.dtype) and column.dtype != np.dtype(object):
        return None
    first = column.iloc[:100].tolist()
    known = [value for value in first if isinstance(value, str | int | float) and value == value]  # NaN is missing
    words = [value for value in known if isinstance(value, str)]
    return words[0] if 2 * len(words) > len(known) else None


def _refuse_text(frame: Any) -> None:
    """Names all columns of text at once."""
    words = {name: _text_in(frame.iloc[:, place]) for place, name in enumerate(frame.columns)}
    names = [repr(name) for name, word in words.items() if word is not None]
    if not names:
        return
    many = len(names) > 1
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if many else names[0]
    example = next(word for word in words.values() if word is not None)
    raise DataError(
        f"column{'s' * many} {listed} hold{'s' * (not many)} text, such as {example!r}: leave "
        f"{'them' if many else 'it'} out, or make 0/1 columns of {'their' if many else 'its'} words, as "
        "pandas.get_dummies does"
    )


def _of_frame(frame: Any, y: np.ndarray | None) -> Source:
    _refuse_text(frame)
    kinds = set(frame.dtypes)
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype) and kinds != {np.dtype(object)}:
        return _of_array(frame.to_numpy(), y)
    columns = [_of_series(frame.iloc[:, place], f"column {name!r}") for place, name in enumerate(frame.columns)]
    listed = (c.Column * len(columns))(*(c.Column(_type(a), a.ctypes.data, a.strides[0], None, 0) for a in columns))
    return Source(c.source_columns, listed, len(frame), len(columns), _address(y), keep=(columns, listed, y))


def _of_arrow(table: Any, y: np.ndarray | None) -> Source:
    capsule = table.__arrow_c_stream__()
    pointer = _capsule_pointer(capsule, b"arrow_array_stream")
    return Source(c.source_arrow, pointer, _address(y), 0 if y is None else len(y), keep=(capsule, y), holds=True)


def _rows(table: Any) -> int | None:
    """How many rows a table says it has."""
    shape = getattr(table, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    return len(table) if hasattr(table, "__len__") else None


def source_of(table: Any, y: Any = None, names: Sequence[str] | None = None) -> Source:
    """A source over any table; ``y``, if there is one, has a target for each row."""
    targets = _targets(y)
    if targets is not None and targets.ndim != 1:
        raise DataError(f"targets have one dimension, and these have {targets.ndim}")
    rows = _rows(table)
    if targets is not None and rows is not None and rows != len(targets):
        raise DataError(f"there are {rows} rows and {len(targets)} targets")
    if hasattr(table, "as_source"):
        made: Source = table.as_source(targets)
        return made
    if is_sparse(table):
        source = _of_sparse(table, targets)
    elif is_frame(table):
        source = _of_frame(table, targets)
    elif is_arrow(table):
        source = _of_arrow(table, targets)
    else:
        source = _of_array(table, targets)
    source.set_names(names)
    return source
