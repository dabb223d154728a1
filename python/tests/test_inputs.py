"""Tables of every kind: the same numbers give the same bits, and are not copied where their layout allows."""

import gc
import pathlib
import re
import tracemalloc
import weakref

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from hypothesis import given, strategies as st
from support import DENSE, bits, learned, regressor, table

import scant

X, Y = table(90)
WHOLE = np.round(10 * X)  # whole numbers
COUNTS = abs(WHOLE)


def fit(table, y=Y, **keywords):
    return regressor(k=3, **keywords).fit(table, y)


def same(table, plain, y=Y):
    """Fitted, gone on with, and predicted: as from the plain array."""
    ours, theirs = fit(table, y), fit(np.array(plain, dtype=np.float64), y)
    assert learned(ours) == learned(theirs)
    assert bits(ours.predict(table)) == bits(theirs.predict(plain))
    assert bits(theirs.model_.predict(table)) == bits(theirs.predict(plain))
    assert learned(ours.partial_fit(table, y)) == learned(theirs.partial_fit(plain, y))


# ---- arrays ------------------------------------------------------------------


def mapped(array, path):
    np.save(path / "mapped.npy", array)
    return np.load(path / "mapped.npy", mmap_mode="r")


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def between(array):
    wide = np.full((3 * array.shape[0], 2 * array.shape[1]), np.inf)
    wide[1::3, ::2] = array
    return wide[1::3, ::2]


LAYOUTS = {
    "plain": lambda a: a,
    "Fortran": np.asfortranarray,
    "backwards": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "every other": lambda a: np.ascontiguousarray(np.repeat(a, 2, axis=0)[:, ::-1])[::2, ::-1],
    "between": between,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "read-only": frozen,
    "lists": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a)),
    "objects": lambda a: a.astype(object),
    "matrix of longdouble": lambda a: a.astype(np.longdouble),
    "big-endian": lambda a: a.astype(">f8"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    same(LAYOUTS[name](X), X)


def test_memory_mapped(tmp_path):
    for array in (X, np.asfortranarray(X), X.astype(np.float32), X.astype(">f8")):
        same(mapped(array, tmp_path), array)


@pytest.mark.parametrize("swap", ["=", ">"])
@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "g"])
def test_dtypes(dtype, swap):
    numbers = (COUNTS % 2) if dtype == "?" else COUNTS
    array = numbers.astype(np.dtype(dtype).newbyteorder(swap))
    for layout in ("plain", "Fortran", "backwards"):
        same(LAYOUTS[layout](array), numbers)


def test_numbers_at_the_ends():
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        ends = np.iinfo(dtype)
        array = np.where(X > 0, ends.max, ends.min).astype(dtype)
        fitted = regressor("online-ridge", x_bound=1e20).fit(array, Y)
        assert learned(fitted) == learned(regressor("online-ridge", x_bound=1e20).fit(array.astype(float), Y))


@pytest.mark.parametrize("kind", [list, tuple, pandas.Series, lambda y: y.astype(np.float32), lambda y: y[::-1][::-1]])
def test_targets(kind):
    y = np.round(Y, 3).astype(np.float32).astype(np.float64)
    assert learned(fit(X, kind(y))) == learned(fit(X, y))
    assert learned(fit(X, np.column_stack([y, y + 1])[:, 0])) == learned(fit(X, y))
    assert learned(fit(pandas.DataFrame(X), kind(y))) == learned(fit(X, y))


def test_targets_of_one_column():
    with pytest.warns(UserWarning, match="column-vector"):
        assert learned(fit(X, Y[:, None])) == learned(fit(X, Y))


def test_the_data_may_go_after_a_fit():
    """Nothing is read of them later, and what comes to lie there does not matter."""
    array, y = X.copy(), Y.copy()
    model, twin = fit(array, y), fit(X, Y)
    array[:], y[:] = np.inf, np.nan
    assert learned(model.partial_fit(X, Y)) == learned(twin.partial_fit(X, Y))
    assert bits(model.predict(X)) == bits(twin.predict(X))


def test_the_data_are_let_go():
    """A fitted estimator keeps no table alive, and none of its targets."""
    array, y = X.copy(), Y.copy()
    model = fit(array, y)
    gone = weakref.ref(array), weakref.ref(y)
    del array, y
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    before = pyarrow.total_allocated_bytes()
    arrow = pyarrow.table({name: np.zeros(10_000).tolist() for name in "abcdef"})
    assert pyarrow.total_allocated_bytes() > before
    model.fit(arrow, np.arange(10_000.0))
    del arrow
    gc.collect()
    assert pyarrow.total_allocated_bytes() == before
    model.partial_fit(named(X), Y)


# ---- pandas ------------------------------------------------------------------


def named(plain):
    return pandas.DataFrame(plain, columns=list("abcdef"))


def mixed():
    """Columns of many types, and the numbers that they are."""
    frame = named(WHOLE).assign(
        b=lambda f: f.b.astype(np.float32),
        c=lambda f: f.c.astype(np.int64),
        d=lambda f: f.d.abs().astype(np.uint8),
        e=lambda f: f.e > 0,
        f=lambda f: f.f.astype(object),
    )
    return frame, frame.astype(float).to_numpy()


def test_frames():
    same(named(X), named(X))
    for frame in (named(X), named(X).astype(np.float32), named(WHOLE).astype(int), named(X) > 0):
        assert bits(fit(frame).coef_) == bits(fit(frame.to_numpy()).coef_)
    frame, numbers = mixed()
    assert len(set(frame.dtypes)) == 6
    assert bits(fit(frame).coef_, fit(frame).purchases_) == bits(fit(numbers).coef_, fit(numbers).purchases_)
    assert bits(fit(frame).predict(frame)) == bits(fit(numbers).predict(numbers))
    # Parts of a frame, and columns that have no names.
    for part in (frame[::-1], frame.iloc[::2, ::-1], frame.T.T, frame.sample(60, random_state=0)):
        assert bits(fit(part, Y[: len(part)]).coef_) == bits(fit(part.astype(float).to_numpy(), Y[: len(part)]).coef_)
    assert not hasattr(fit(pandas.DataFrame(X)), "feature_names_in_")
    assert fit(frame).feature_names_in_.tolist() == list("abcdef")


def test_nullable_columns():
    frame = named(WHOLE).assign(a=(X[:, 0] > 0), b=X[:, 1])
    nullable = frame.astype({"a": "boolean", "b": "Float64", "c": "Int64", "d": "Int8", "e": "Float32"})
    nullable.iloc[::4, [0, 1, 2, 3, 4]] = pandas.NA
    numbers = frame.astype(float).to_numpy()
    numbers[::4, :5] = np.nan
    assert bits(fit(nullable).coef_) == bits(fit(numbers).coef_)
    assert fit(nullable).ledger_ == fit(numbers).ledger_ and fit(numbers).ledger_["missing_cells"]
    assert bits(fit(nullable).predict(nullable)) == bits(fit(numbers).predict(numbers))
    all_nullable = named(WHOLE).astype("Int64")
    assert bits(fit(all_nullable).coef_) == bits(fit(WHOLE).coef_)
    arrow = named(X).astype("double[pyarrow]")
    arrow.iloc[::4, 1] = pandas.NA
    numbers = X.copy()
    numbers[::4, 1] = np.nan
    assert bits(fit(arrow).coef_) == bits(fit(numbers).coef_)


def test_sparse_columns():
    frame = named(COUNTS % 3).astype(pandas.SparseDtype(float, 0.0))
    assert bits(fit(frame).coef_) == bits(fit(COUNTS % 3).coef_)


# ---- Arrow -------------------------------------------------------------------


def holes():
    numbers = WHOLE.copy()
    numbers[::3, 1] = numbers[5:9, 4] = numbers[40] = np.nan
    return numbers


def as_polars(numbers, dtype=polars.Float64):
    return polars.DataFrame(numbers, schema=list("abcdef")).fill_nan(None).cast(dtype)


def as_arrow(numbers, kind, chunks=1):
    """A table whose columns are in so many pieces; NaN is null."""
    parts = np.array_split(numbers, chunks)
    columns = {}
    for place, name in enumerate("abcdef"):
        pieces = []
        for part in parts:
            values = [None if np.isnan(value) else value for value in part[:, place]]
            pieces.append(pyarrow.array(values, pyarrow.float64()).cast(kind))
        columns[name] = pyarrow.chunked_array(pieces)
    return pyarrow.table(columns)


POLARS_TYPES = [polars.Float64, polars.Float32, polars.Int64, polars.Int32, polars.Int16, polars.Int8, polars.UInt8]


@pytest.mark.parametrize("dtype", POLARS_TYPES, ids=str)
def test_polars(dtype):
    for numbers in (COUNTS, abs(holes())):
        frame = as_polars(numbers, dtype)
        assert frame.null_count().sum_horizontal()[0] == np.isnan(numbers).sum()
        ours, theirs = fit(frame), fit(named(numbers))
        assert learned(ours) == learned(theirs)
        assert bits(ours.predict(frame)) == bits(theirs.predict(named(numbers)))
        assert ours.feature_names_in_.tolist() == list("abcdef")
        cut = polars.concat([frame[:7], frame[7:8], frame[8:60], frame[60:]], rechunk=False)
        assert cut.n_chunks() > 1
        assert learned(fit(cut)) == learned(theirs)
        assert learned(fit(frame[10:80], Y[10:80])) == learned(fit(named(numbers[10:80]), Y[10:80]))


def test_polars_booleans():
    frame = as_polars(X).select(polars.all() > 0)
    assert bits(fit(frame).coef_) == bits(fit((X > 0).astype(float)).coef_)
    assert bits(fit(frame[3:77], Y[3:77]).coef_) == bits(fit((X > 0).astype(float)[3:77], Y[3:77]).coef_)


ARROW_TYPES = [
    pyarrow.float64(),
    pyarrow.float32(),
    pyarrow.int64(),
    pyarrow.uint64(),
    pyarrow.int32(),
    pyarrow.uint16(),
    pyarrow.int8(),
    pyarrow.uint8(),
]


@pytest.mark.parametrize("kind", ARROW_TYPES, ids=str)
@pytest.mark.parametrize("chunks", [1, 4])
def test_pyarrow(kind, chunks):
    for numbers in (COUNTS, abs(holes())):
        arrow = as_arrow(numbers, kind, chunks)
        ours, theirs = fit(arrow), fit(named(numbers))
        assert bits(ours.coef_, ours.purchases_, ours.ledger_) == bits(theirs.coef_, theirs.purchases_, theirs.ledger_)
        assert bits(ours.predict(arrow)) == bits(theirs.predict(named(numbers)))
        sliced = arrow.slice(3, 70)
        assert bits(fit(sliced, Y[3:73]).coef_) == bits(fit(numbers[3:73], Y[3:73]).coef_)


def test_mixed_arrow():
    frame, numbers = mixed()
    frame = frame.astype({"f": float})
    for arrow in (polars.from_pandas(frame), pyarrow.Table.from_pandas(frame, preserve_index=False)):
        assert bits(fit(arrow).coef_) == bits(fit(numbers).coef_)
        assert bits(fit(arrow).predict(arrow)) == bits(fit(numbers).predict(numbers))


def test_arrow_that_is_refused():
    texts = as_polars(X).with_columns(c=polars.lit("x"))
    for refused in (texts, texts.to_arrow()):
        with pytest.raises(ValueError, match="column 'c' holds no numbers"):
            fit(refused)
    two = texts.with_columns(e=polars.lit("x"), f=polars.lit("y"))
    with pytest.raises(ValueError, match="column 'c' holds no numbers.*; nor do 'e' and 'f'"):
        fit(two)
    with pytest.raises(ValueError, match=r"1 feature\(s\)"):
        fit(as_polars(X).select("a"))
    with pytest.raises(ValueError, match="inconsistent"):
        fit(as_polars(X), Y[:-1])
    with pytest.raises(ValueError, match="feature"):
        fit(as_polars(X)).predict(as_polars(X).select("b", "a", "c", "d", "e", "f"))


# ---- sparse ------------------------------------------------------------------


def thin():
    return np.where(np.random.default_rng(3).random(X.shape) < 0.4, WHOLE, 0)


SPARSE = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", SPARSE)
def test_sparse(form, kind):
    make = getattr(scipy.sparse, f"{form}_{kind}")
    for dtype in (np.float64, np.float32, np.int16, bool):
        numbers = thin().astype(dtype)
        same(make(numbers), numbers)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sparse_indices(form, index):
    numbers = thin()
    sparse = scipy.sparse.csr_array(numbers).asformat(form)
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    assert sparse.indices.dtype == index
    same(sparse, numbers)


def twice(form):
    """Entries that are there twice add up; lines that are not sorted, zeros that are said."""
    random = np.random.default_rng(4)
    rows, columns = random.integers(0, 90, 400), random.integers(0, 6, 400)
    values = random.integers(-3, 4, 400).astype(float)
    dense = np.zeros((90, 6))
    np.add.at(dense, (rows, columns), values)
    by, across, lines = (rows, columns, 90) if form == "csr" else (columns, rows, 6)
    order = np.argsort(by, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(by, minlength=lines))])
    make = scipy.sparse.csr_array if form == "csr" else scipy.sparse.csc_array
    return make((values[order], across[order], starts), shape=(90, 6)), dense


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_duplicates(form):
    sparse, dense = twice(form)
    assert not sparse.has_canonical_format and (sparse.data == 0).any()
    same(sparse, dense)
    coo = sparse.tocoo()
    same(coo, dense)


@given(
    seed=st.integers(0, 999),
    form=st.sampled_from(["csr", "csc", "coo"]),
    rows=st.integers(1, 30),
    dimension=st.integers(2, 20),
    density=st.floats(0, 1),
)
def test_any_sparse_table(seed, form, rows, dimension, density):
    sparse = scipy.sparse.random_array((rows, dimension), density=density, format=form, rng=np.random.default_rng(seed))
    y = np.arange(float(rows))
    dense = sparse.toarray()
    assert learned(regressor(k=2).fit(sparse, y)) == learned(regressor(k=2).fit(dense, y))
    model = regressor(k=2).fit(dense, y)
    assert bits(model.predict(sparse)) == bits(model.predict(dense))


def test_sparse_nan():
    sparse = scipy.sparse.csr_array(thin())
    sparse.data[::5] = np.nan
    same(sparse, sparse.toarray())


# ---- copies ------------------------------------------------------------------

LARGE = 4_000_000  # cells


class Peak:
    """The most memory that Python and NumPy took at once, in bytes; and the process with all its libraries."""

    def __enter__(self):
        tracemalloc.start()
        self.before = tracemalloc.get_traced_memory()[0]
        self.resident = self.status("VmRSS") if self.reset() else None
        return self

    def __exit__(self, *_):
        self.bytes = tracemalloc.get_traced_memory()[1] - self.before
        tracemalloc.stop()
        self.process = 0 if self.resident is None else self.status("VmHWM") - self.resident

    @staticmethod
    def reset():
        """Forgets the peak of the process, where the system has such a thing."""
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            return False
        return True

    @staticmethod
    def status(name):
        text = pathlib.Path("/proc/self/status").read_text()
        return 1024 * int(re.search(rf"{name}:\s+(\d+)", text).group(1))


def large(dtype):
    return np.arange(LARGE, dtype=np.uint32).astype(dtype).reshape(-1, 400) % np.asarray(100, dtype=dtype)


def large_mixed():
    parts = {}
    for place in range(400):
        column = np.arange(10_000) % (place + 2)
        parts[f"x{place}"] = column.astype([np.float64, np.float32, np.int64, np.int16][place % 4])
    return pandas.DataFrame(parts)


def large_polars(with_nulls):
    frame = polars.from_pandas(large_mixed())
    return frame.with_columns(polars.when(polars.all() > 0).then(polars.all())) if with_nulls else frame


UNCOPIED = {
    "float64": lambda: large(np.float64),
    "float32": lambda: large(np.float32),
    "uint8": lambda: large(np.uint8),
    "int64": lambda: large(np.int64),
    "bool": lambda: large(np.uint8).astype(bool),
    "Fortran": lambda: np.asfortranarray(large(np.float64)),
    "strided": lambda: large(np.float64)[::2, ::-1],
    "every third": lambda: large(np.float32)[:, ::3],
    "read-only": lambda: frozen(large(np.float64)),
    "frame": lambda: pandas.DataFrame(large(np.float64)),
    "frame of float32": lambda: pandas.DataFrame(large(np.float32)),
    "mixed frame": large_mixed,
    "csr": lambda: scipy.sparse.csr_array(large(np.float64)),
    "csc": lambda: scipy.sparse.csc_array(large(np.float64)),
    "polars": lambda: large_polars(False),
    "polars with nulls": lambda: large_polars(True),
    "pyarrow": lambda: large_polars(False).to_arrow(),
    "pyarrow with nulls": lambda: large_polars(True).to_arrow(),
}


def own_bytes(table):
    if isinstance(table, np.ndarray):
        return table.nbytes
    if isinstance(table, pandas.DataFrame):
        return int(table.memory_usage(index=False).sum())
    if isinstance(table, polars.DataFrame):
        return int(table.estimated_size())
    return table.data.nbytes if scipy.sparse.issparse(table) else table.nbytes


@pytest.mark.parametrize("name", UNCOPIED)
def test_no_copies(name):
    table = UNCOPIED[name]()
    y = np.arange(table.shape[0], dtype=np.float64)
    small = table[:50] if not isinstance(table, pyarrow.Table) else table.slice(0, 50)
    regressor(k=4).fit(small, y[:50]).predict(small)  # what is loaded at first use is loaded
    pool = pyarrow.total_allocated_bytes()
    with Peak() as peak:
        model = regressor(k=4).fit(table, y)
        model.partial_fit(table, y)
        model.predict(table)
    # y's own copies, weights, counts and names; never the table.
    assert own_bytes(table) > 1_500_000
    assert peak.bytes < own_bytes(table) / 4, f"{peak.bytes} of {own_bytes(table)}"
    assert pyarrow.total_allocated_bytes() - pool < own_bytes(table) / 4
    if own_bytes(table) > 10_000_000:  # else it is lost in what else the process does
        assert peak.process < own_bytes(table) / 2, f"{peak.process} of {own_bytes(table)}"


def test_a_copy_would_be_seen():
    table = large(np.float64)
    with Peak() as peak:
        regressor(k=4).fit(table.astype(np.longdouble), np.arange(10_000.0))
    assert peak.bytes > table.nbytes and (peak.resident is None or peak.process > table.nbytes)


def test_a_table_larger_than_memory(tmp_path):
    """A file that is one large hole, mapped: what is not bought is not read."""
    rows, dimension = 20, 2**33
    path = tmp_path / "large.npy"
    with open(path, "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (rows, dimension)}
        np.lib.format.write_array_header_1_0(file, header)
        try:
            file.truncate(file.tell() + rows * dimension * 8)
        except OSError:
            pytest.skip("the file system takes no file of a terabyte, if with nothing in it")
    try:
        table = np.load(path, mmap_mode="r")[:, :: 2**23]
    except OSError:
        pytest.skip("a terabyte can't be mapped here")
    with Peak() as peak:
        model = regressor(k=2).fit(table, np.arange(float(rows)))
    assert model.attributes_bought_ <= 2 * rows and peak.bytes < 5_000_000


@pytest.mark.parametrize("damage", ["end", "data"])
def test_damaged_sparse_matrices_are_refused(damage):
    sparse = pytest.importorskip("scipy.sparse")
    X = np.random.default_rng(0).normal(size=(60, 6))
    matrix = sparse.csr_matrix(X)
    if damage == "end":
        matrix.indptr[-1] = 10**7
    else:
        matrix.data = matrix.data[:10]
    with pytest.raises(ValueError):
        scant.LimitedRegressor(k=3, random_state=1).fit(matrix, X[:, 0])


def test_masked_values_are_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    mask = rng.random(X.shape) < 0.2
    masked = np.ma.masked_array(np.where(mask, 1e6, X), mask)
    holes = np.where(mask, np.nan, X)
    y = X[:, 2]
    model, plain = (scant.LimitedRegressor(k=3, random_state=1).fit(table, y) for table in (masked, holes))
    assert (model.coef_ == plain.coef_).all() and (model.predict(masked) == plain.predict(holes)).all()


def test_arrow_streams_of_another_length_than_they_say():
    pyarrow = pytest.importorskip("pyarrow")
    X = np.random.default_rng(0).normal(size=(50, 4))

    class Liar:
        shape = (20, 4)

        def __arrow_c_stream__(self, requested_schema=None):
            table = pyarrow.table({name: X[:, i] for i, name in enumerate("abcd")})
            return table.__arrow_c_stream__(requested_schema)

    from scant._tables import source_of

    with pytest.raises(ValueError, match="50 rows, and there are 20 targets"):
        source_of(Liar(), X[:20, 0])


def test_costs_of_pandas_go_by_name():
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(100, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    costs = {"d": 4, "c": 3, "b": 2, "a": 1}
    fits = [
        scant.LimitedRegressor(k=2, random_state=1, costs=each).fit(frame, X[:, 0]).cost_spent_
        for each in (costs, pd.Series(costs), [1, 2, 3, 4])
    ]
    assert fits[0] == fits[1] == fits[2]
    with pytest.raises(ValueError, match="has no order"):
        scant.LimitedRegressor(costs={1, 2, 3, 4}).fit(X, X[:, 0])


@pytest.mark.skipif("gaussian" not in DENSE, reason="this build has no LAPACK")
def test_columns_that_are_absent():
    frame = named(X)
    model = scant.LimitedRegressor(algorithm="gaussian", k=3, random_state=1).fit(frame, Y).model_
    holes = frame.assign(b=np.nan, d=np.nan)
    for predict in (model.predict, model.predict_interval):
        with pytest.warns(scant.ScantWarning, match="no columns 'b' and 'd'.*count as empty"):
            less = predict(frame.drop(columns=["b", "d"]))
        assert bits(less) == bits(predict(holes))
    with pytest.raises(ValueError, match="'a', 'b', 'c' and 'd'.*4 of the 6"):
        model.predict(frame[["e", "f"]])
    other = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1).fit(frame, Y).model_
    with pytest.raises(ValueError, match="no columns 'b' and 'd', which the model needs"):
        other.predict(frame.drop(columns=["b", "d"]))
