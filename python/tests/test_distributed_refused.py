"""Distributed fits: tables and settings that are refused, and those that are only odd."""

import pickle
import warnings

import numpy as np
import pytest
from blocks import ALGORITHMS, ATTRIBUTES, ROWS, arrays, run, same, table

import scant
from scant.distributed import InMemory, LocalEngine, fit


def test_k_above_d():
    with pytest.raises(scant.UsageError, match="k=13 is more than the 12 attributes"):
        run(k=13)
    with pytest.raises(scant.UsageError, match="k=1 "):
        run(k=1)


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_targets_that_are_none(em):
    X, y = arrays()
    y[3 * ROWS + 4] = np.nan
    with pytest.raises(scant.DataError, match=r"^row 65 of y: the target is missing \(1 of the 20"):
        run(InMemory(X, y, block_rows=ROWS), em=em)
    y[3 * ROWS : 4 * ROWS] = np.nan
    with pytest.raises(scant.DataError, match=r"^row 61 of y: .* \(20 of the 20"):
        run(InMemory(X, y, block_rows=ROWS), em=em)
    y[3 * ROWS : 4 * ROWS] = np.inf
    with pytest.raises(scant.DataError, match="infinite"):
        run(InMemory(X, y, block_rows=ROWS), em=em, engine=LocalEngine(4))


def test_infinite_values_say_where():
    X, y = arrays()
    X[:, 5] = np.where(np.arange(len(X)) == 107, np.inf, X[:, 5])
    with pytest.raises(scant.DataError, match="^row 108 of X: 'x6' is infinite$"):
        run(InMemory(X, y, block_rows=ROWS), k=ATTRIBUTES)
    sent = pickle.dumps(InMemory(X, y, block_rows=ROWS).task(0, {5: np.arange(4, 7, dtype=np.uint32)}))
    with pytest.raises(scant.DataError, match="^row 108 of X: 'x6' is infinite$"):  # on the worker, not before
        pickle.loads(sent).load(5, ())


def test_tables_say_what_they_are():
    X, y = arrays()
    rows, blocks = len(X), len(X) // ROWS
    assert repr(InMemory(X, y, block_rows=ROWS)) == (
        f"<InMemory of {rows} rows of {ATTRIBUTES} attributes in {blocks} blocks, target 'y'>"
    )
    one = InMemory(X[:1, :1], y[:1], target="z")
    assert repr(one) == "<InMemory of 1 row of 1 attribute in 1 block, target 'z'>"


def test_columns_without_values():
    X, y = arrays()
    X[:, 2] = np.nan
    X[:, 4] = 7.0
    for algorithm in ALGORITHMS:
        result = run(InMemory(X, y, block_rows=ROWS), algorithm=algorithm)
        assert np.all(np.isfinite(result.coef_)) and result.coef_[2] == 0 and result.coef_[4] == 0


class WithEmpty:
    """A table of which every third block is empty, and a whole part."""

    def __init__(self, inner):
        self.inner, self.names, self.target = inner, inner.names, inner.target
        self.rows, self.places = [], {}
        for block, rows in enumerate(inner.rows):
            if block % 2 == 0:
                self.rows.append(0)
            self.places[len(self.rows)] = block
            self.rows.append(rows)
        self.rows += [0] * 8
        self.parts = [range(at, min(at + 8, len(self.rows))) for at in range(0, len(self.rows), 8)]

    def task(self, part, looks):
        assert all(self.rows[block] for block in looks)
        task = self.inner.task(0, {self.places[block]: look for block, look in looks.items()})
        return Renumbered(task, sorted(looks), self.places)


class Renumbered:
    inputs = ()

    def __init__(self, inner, blocks, places):
        self.inner, self.blocks, self.looks, self.places = inner, blocks, inner.looks, places

    def load(self, block, inputs):
        return self.inner.load(self.places[block], inputs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_empty_blocks_and_parts(algorithm):
    result = run(WithEmpty(table()), em="driver", algorithm=algorithm)
    assert result.blocks == 80 and result.examples == 80 * ROWS
    if algorithm == "moments":
        assert same(result) == same(run(WithEmpty(table()), em="workers", algorithm=algorithm))


@pytest.mark.parametrize("em", ["driver", "workers"])
def test_blocks_with_other_rows_than_the_table_says(em):
    """The budget and the order stand on the table's rows."""

    class Shrinks(InMemory):
        def load(self, block, look):
            loaded = super().load(block, look)
            return loaded._replace(values=loaded.values[:, 1:], y=loaded.y[1:]) if block == 7 else loaded

    with pytest.raises(scant.DataError, match="block 7 of the table has 20 rows, and 19 came"):
        run(Shrinks(*arrays(), block_rows=ROWS), em=em, algorithm="moments")


def test_one_block_is_too_few():
    X, y = arrays(1)
    with pytest.raises(scant.DataError, match="block"):
        run(InMemory(X, y, block_rows=ROWS))


def test_few_blocks_are_noted():
    X, y = arrays(8)
    with pytest.warns(scant.ScantWarning, match="8 blocks have few different looks: 12 attributes at K = 4 want 9"):
        result = run(InMemory(X, y, block_rows=ROWS))
    assert result.notes and result.rounds == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", scant.ScantWarning)
        assert run().notes == []


def test_attributes_that_were_never_bought_are_named():
    rng = np.random.default_rng(1)
    data = InMemory(rng.normal(size=(30, 40)), rng.normal(size=30), block_rows=5)
    with pytest.warns(scant.ScantWarning, match="few different looks"):
        result = fit(data, k=5, random_state=1)
    unseen = [f"'x{i + 1}'" for i in np.flatnonzero(result.purchases == 0)]
    assert len(unseen) == 10
    assert f"nothing was bought of {', '.join(unseen[:3])} and 7 more: there is no weight" in result.notes[1]


def test_what_is_beyond_the_memory_is_refused_before_anything_is_bought():
    class Wide:
        names = [f"x{i}" for i in range(200_000)]
        target = "y"
        rows = [10] * 100
        parts = [range(100)]

        def task(self, part, looks):
            raise AssertionError("it was bought")

    with pytest.raises(scant.ScantError, match="memory"):
        run(Wide())


def test_a_budget_that_pays_for_nothing():
    with pytest.raises(scant.DataError, match="does not pay for the first block"):
        run(budget=3)


def test_wrong_words():
    with pytest.raises(scant.UsageError, match="aerr does not learn from sums"):
        run(algorithm="aerr")
    with pytest.raises(scant.UsageError, match="em='both'"):
        run(em="both")
    with pytest.raises(TypeError, match="'passes'"):
        run(passes=3)
    with pytest.raises(scant.UsageError, match="penalty is no option of gaussian"):
        run(penalty=0.1)
    with pytest.raises(scant.UsageError, match="random_state"):
        run(random_state=-1)
    with pytest.raises(scant.UsageError, match="random_state"):
        run(random_state="seven")
    with pytest.raises(scant.UsageError, match="budget"):
        run(budget=2.5)
    with pytest.raises(scant.UsageError, match="engine"):
        run(engine="dask")
    with pytest.raises(scant.UsageError, match="no table of blocks"):
        run(arrays())
    with pytest.raises(scant.UsageError, match="threads=0"):
        LocalEngine(0)
    with pytest.raises(scant.UsageError):
        run(clip=-1)
    for name in ("gausian", 3):
        with pytest.raises(
            scant.UsageError, match=f"^{name} does not learn from sums of blocks: gaussian and moments do"
        ):
            run(algorithm=name)


def test_wrong_checkpoints(tmp_path):
    for words, keywords in (
        ("checkpoint=3 is no path", {"checkpoint": 3}),
        ("checkpoint='.*' is a folder: name a file", {"checkpoint": tmp_path}),
        ("checkpoint='.*' is a folder: name a file", {"checkpoint": tmp_path, "resume": True}),
        ("resume='no' is neither True nor False", {"checkpoint": tmp_path / "a", "resume": "no"}),
        ("resume=True needs the checkpoint", {"resume": True}),
    ):
        with pytest.raises(scant.UsageError, match=words):
            run(**keywords)
    assert list(tmp_path.iterdir()) == []


def test_tables_that_are_none():
    X, y = arrays()
    for wrong, words in (
        (lambda: InMemory(X[:, 0], y), "dimensions"),
        (lambda: InMemory(X, y[:-1]), "rows"),
        (lambda: InMemory(X.astype(str), y), "numbers"),
        (lambda: InMemory(X, y.astype(str)), "numbers"),
        (lambda: InMemory(X[:0], y[:0]), "no rows"),
        (lambda: InMemory(X, y, names=["a"]), "names"),
        (lambda: InMemory(X, y, block_rows=0), "block_rows"),
        (lambda: InMemory(X, y, part_blocks=1.5), "part_blocks"),
    ):
        with pytest.raises(scant.ScantError, match=words):
            wrong()
    with pytest.raises(scant.DataError, match="2 or more"):
        run(InMemory(X[:, :1], y))
    with pytest.raises(scant.DataError, match="two attributes of the table are called 'a'"):
        run(InMemory(X, y, names=["a", "b"] * 6))
    with pytest.raises(scant.DataError, match="name of a column is a text, and 0 is none"):
        run(InMemory(X, y, names=range(12)))
    with pytest.raises(scant.DataError, match="null character"):
        run(InMemory(X, y, target="a\0b"))


def test_parts_that_leave_blocks_out():
    for parts, words in (
        ([range(0, 16), range(17, 80)], "begins at block 17, not at 16"),
        ([range(0, 70)], "have 70 blocks, and there are 80"),
        ([range(0, 80, 2)], "not consecutive"),
    ):
        data = table()
        data.parts = parts
        with pytest.raises(scant.DataError, match=words):
            run(data)


def test_frames_name_the_column_that_has_no_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(scant.DataError, match="'b'"):
        InMemory(frame, [1, 2])
    nullable = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [True, False]})
    loaded = InMemory(nullable, [1, 2], block_rows=2).load(0, np.array([0, 1], dtype=np.uint32))
    assert np.array_equal(loaded.values, [[1, np.nan], [1, 0]], equal_nan=True)
