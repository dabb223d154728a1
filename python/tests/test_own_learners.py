"""Learners of the user's own as entries of a budget_curve: the protocol, and the meter that holds them to it."""

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

import scant

D = 12
RNG = np.random.default_rng(3)
X = RNG.normal(size=(600, D))
y = X[:, 1] - 2 * X[:, 4] + 0.3 * RNG.normal(size=600)
SHORT = {"runs": 2, "points": 3, "references": None}


class Pairs:
    """Means of products by how often they were seen, and then ridge."""

    def __init__(self, seed=0, k=4):
        self.k, self.draw = k, np.random.default_rng(seed)
        self.sums, self.counts = np.zeros((2, D + 1, D + 1))
        self.told = 0

    def ask(self):
        return self.draw.choice(D, self.k, replace=False)

    def tell(self, look, values, y):
        assert isinstance(values, np.ndarray) and values.shape == (len(look),)
        places = np.ix_([*look, D], [*look, D])
        self.sums[places] += np.outer([*values, y], [*values, y])
        self.counts[places] += 1
        self.told += 1

    @property
    def coef(self):
        S = self.sums / np.maximum(self.counts, 1)
        return np.linalg.solve(S[:D, :D] + 0.1 * np.eye(D), S[:D, D])


class Source:
    """The same with fit: it goes through the rows until the meter says that it is enough."""

    k, budget = 4, None

    def __init__(self, seed=0):
        self.inner = Pairs(seed)

    def fit(self, source, y):
        assert len(source) == len(y)
        for example, target in zip(source.examples, y, strict=False):
            look = self.inner.ask()
            self.inner.tell(look, source.buy(example, look), target)

    def predict(self, X):
        return X @ self.inner.coef


def curve(entries, **options):
    return scant.budget_curve(entries, X, y, **{**SHORT, **options})


# ---- learning ------------------------------------------------------------------------


def test_asking_beside_others():
    found = curve({"mine": Pairs, "auto": scant.LimitedRegressor(algorithm="auto", k=4)})
    mine = found["mine"]
    assert mine.examples.tolist() == [160, 320, 480] == found["auto"].examples.tolist()
    assert mine.attributes.tolist() == [640, 1280, 1920] and mine.money is None
    assert mine.error[-1] < mine.error[0] and mine.error[-1] < np.var(y) / 2
    assert mine.errors.shape == (2, 3) and np.isnan(mine.risk).all()
    assert "mine" in repr(found) and len(found.to_frame()) == 6


def test_the_curve_is_what_the_learner_makes_of_the_rows():
    one = curve({"mine": Pairs}, runs=1, points=1, X_test=X[:50], y_test=y[:50], random_state=9)["mine"]
    learner = Pairs(9)
    for row in np.random.default_rng(9).permutation(600):
        look = learner.ask()
        learner.tell(look, X[row, look], y[row])
    assert one.error[0] == np.mean((X[:50] @ learner.coef - y[:50]) ** 2)


def test_objects_are_copied_and_makers_called():
    learner = Pairs(5)
    same = curve({"mine": learner}, runs=2)["mine"]
    assert learner.told == 0 and same.errors.shape == (2, 3)
    made = []
    curve({"mine": lambda seed: made.append(seed) or Pairs(seed)}, random_state=30)
    assert set(made) == {30, 31}


def test_a_learner_of_scants_is_one_too():
    found = curve({"learner": lambda seed: scant.Learner("auto", dimension=D, k=4, seed=seed)})
    assert found["learner"].error[-1] < found["learner"].error[0]
    copied = curve({"learner": scant.Learner("auto", dimension=D, k=4)}, runs=1)
    assert copied["learner"].attributes[-1] <= 4 * 480


def test_fitting_a_source():
    found = curve({"fits": Source, "asks": Pairs})
    assert found["fits"].examples.tolist() == found["asks"].examples.tolist()
    assert np.allclose(found["fits"].errors, found["asks"].errors)  # the same rows, the same looks
    assert found["fits"].attributes.tolist() == found["asks"].attributes.tolist()


def test_classes():
    class Sign(Pairs):
        def tell(self, look, values, y):
            super().tell(look, values, 1 if y == "up" else -1)

        def predict(self, X):
            return np.where(X @ self.coef > 0, "up", "down")

    labels = np.where(y > 0, "up", "down")
    entries = {"mine": Sign, "auto": scant.LimitedClassifier(algorithm="auto", k=4)}
    found = scant.budget_curve(entries, X, labels, **SHORT)
    assert found.metric == "error rate" and found["mine"].error[-1] < 0.2
    assert scant.budget_curve(entries, X, labels, metric="accuracy", **SHORT)["mine"].error[-1] > 0.8


@pytest.mark.parametrize("kind", ["frame", "sparse", "list"])
def test_tables(kind):
    if kind == "frame":
        pandas = pytest.importorskip("pandas")
        table = pandas.DataFrame(X, columns=[f"a{i}" for i in range(D)])
    elif kind == "sparse":
        table = pytest.importorskip("scipy.sparse").csr_matrix(X)
    else:
        table = X.tolist()
    one = scant.budget_curve({"mine": Pairs}, table, y, **SHORT)["mine"]
    assert np.allclose(one.errors, curve({"mine": Pairs})["mine"].errors, rtol=1e-9)
    assert scant.budget_curve({"mine": Pairs}, table, y, metric="r2", **SHORT)["mine"].error[-1] > 0.5


# ---- limits ----------------------------------------------------------------------------


def test_budgets_end_it():
    class Limited(Pairs):
        budget = 1001

    one = curve({"mine": Limited})["mine"]
    assert one.attributes[-1] == 1000 and one.examples[-1] == 250

    class Fitted(Source):
        budget = 1001

    one = curve({"mine": Fitted})["mine"]
    assert one.attributes.tolist() == [332, 664, 1000]


def test_money():
    class Paid(Pairs):
        costs = [2.5] * D
        budget_cost = 400

    found = curve({"mine": Paid}, references="default")
    assert found["mine"].money[-1] == 400 and found["mine"].examples[-1] == 40
    assert found["RidgeCV"].money[0] == 480 * D * 2.5


def test_more_than_k_is_refused():
    class Greedy(Pairs):
        def ask(self):
            return np.arange(5)

    with pytest.raises(ValueError, match="'mine' asked for 5 attributes of an example, and its k is 4"):
        curve({"mine": Greedy})


def test_a_limit_that_the_learner_moves_does_not_move():
    class Sly(Source):
        budget = 600

        def fit(self, source, y):
            source.budget = 10**9
            super().fit(source, y)

    with pytest.raises(scant.MisuseError, match="'mine' has bought more than its budget"):
        curve({"mine": Sly})


def test_reading_past_the_meter_is_noticed():
    class Thief(Source):
        def fit(self, source, y):
            super().fit(source, y)
            source.fetch(source.examples[0], list(range(D)))

    with pytest.raises(scant.MisuseError, match="'mine' has read attributes that it did not buy"):
        curve({"mine": Thief})


def test_a_budget_that_pays_for_nothing():
    class Poor(Pairs):
        budget = 3

    with pytest.raises(scant.BudgetSpent, match="does not pay for one example"):
        curve({"mine": Poor})

    class PoorSource(Source):
        budget = 3

    with pytest.raises(scant.BudgetSpent, match="'mine' has bought nothing with its budget"):
        curve({"mine": PoorSource})


def test_a_part_of_the_budget_that_pays_for_nothing_has_no_point():
    class Poor(Source):
        budget = 9

    assert curve({"mine": Poor}, points=10)["mine"].examples.tolist() == [1, 2]


def test_the_last_point_has_the_whole_budget():
    class Paid(Source):
        costs = [0.05] * D
        budget_cost = 4.35  # 100 times this is below 435

        def fit(self, source, y):
            for example, target in zip(source.examples, y, strict=False):
                self.inner.tell([1], source.buy(example, [1]), target)

    assert curve({"mine": Paid})["mine"].money.tolist() == [1.45, 2.9, 4.35]


# ---- what does not follow the protocol ------------------------------------------------------


def broken(**parts):
    return type("Broken", (Pairs,), parts)


@pytest.mark.parametrize(
    ("entry", "error", "words"),
    [
        (SGDRegressor(), TypeError, "SGDRegressor.*ask and tell, or with fit.source, y. and k.*references"),
        (3, TypeError, "'mine' is a int"),
        (lambda seed: 3, TypeError, "'mine' is a int"),
        (broken(ask=lambda self: None), TypeError, "ask gave None, which is neither a sequence"),
        (broken(ask=lambda self: [0.5]), TypeError, "ask gave .0.5., which is neither"),
        (broken(ask=lambda self: [1, 1]), ValueError, r"asked for \[1, 1\]: different attributes from 0 to 11"),
        (broken(ask=lambda self: [12]), ValueError, r"asked for \[12\]"),
        (broken(ask=lambda self: [-1]), ValueError, r"asked for \[-1\]"),
        (broken(coef=np.zeros(3)), TypeError, r"coef has the shape \(3,\), and there are 12 attributes"),
        (broken(predict=lambda self, X: np.zeros(3)), TypeError, r"predict gave an array of shape \(3,\)"),
    ],
)
def test_refusals(entry, error, words):
    with pytest.raises(error, match=words):
        curve({"mine": entry})


def test_without_predictions():
    class Mute:
        k = 2

        def ask(self):
            return [0, 1]

        def tell(self, look, values, y):
            pass

    with pytest.raises(TypeError, match="neither predict nor coef"):
        curve({"mine": Mute()})


def test_an_ask_that_fails_comes_out():
    def ask(self):
        raise RuntimeError("my fault")

    with pytest.raises(RuntimeError, match="my fault"):
        curve({"mine": broken(ask=ask)})
