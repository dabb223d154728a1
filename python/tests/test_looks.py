"""Looks: how each attribute was drawn, in memory and on file."""

import csv
import os
import pickle

import numpy as np
import pytest
from studies import needs_studies

import scant

RNG = np.random.default_rng(5)
X = RNG.normal(size=(400, 6)) + RNG.normal(size=(400, 1))
y = X[:, 0] - 2 * X[:, 5] + RNG.normal(size=400)


def moments_of(lines, d):
    """Hansen and Hurwitz by hand: the means of x_i x_j over all examples, from what was bought of them."""
    row, column, sure = np.unique(lines["example"], return_inverse=True)[1], lines["attribute"], lines["certain"]
    m, n = row.max() + 1, np.maximum(lines["draws_total"], 2)
    value = np.where(sure, 1, lines["draws"] / (n * lines["probability"])) * lines["value"]
    A, D = np.zeros((2, m, d))
    A[row, column] = value
    D[row, column] = np.where(sure, 0, value / np.sqrt(n - 1))  # two draws are never the same one
    S = (A.T @ A + D.T @ D) / m
    np.fill_diagonal(S, np.bincount(column, weights=value * lines["value"], minlength=d) / m)
    return S


# ---- one look ------------------------------------------------------------------


def test_a_look_says_how_it_was_drawn():
    learner = scant.Learner("auto", dimension=6, k=4, seed=1)
    certain = 0
    for x, target in zip(X[:100], y[:100], strict=False):
        look = learner.ask()
        assert len(look.draws) == len(look.probabilities) == len(look.certain) == len(look)
        assert look.draws.sum() == look.draws_total and look.residual_total == 0
        assert np.array_equal(look.certain, look.draws == 0)
        assert np.all(look.probabilities[look.certain] == 1) and np.all(look.probabilities[~look.certain] < 1)
        assert np.array_equal(np.isnan(look.inclusion), ~look.certain)
        assert np.array_equal(look.items, np.arange(len(look)))
        assert not look.draws.flags.writeable
        certain += look.certain.sum()
        learner.tell(look, x[look.attributes], target)
    assert certain > 0
    assert look.draws_total >= 2  # it still knows, when it was told


def test_draws_for_the_residual_are_of_their_own():
    learner = scant.Learner("aerr", dimension=6, k=4, seed=1)
    for x, target in zip(X[:30] / 20, y[:30] / 20, strict=False):
        look = learner.ask()
        inclusion, pairs = look.inclusion, learner.pairs(look)
        learner.tell(look, x[look.attributes], target)
    assert (look.draws_total, look.residual_total) == (3, 1) and look.residual_draws.sum() == 1
    assert np.array_equal(np.isnan(look.residual_probabilities), look.residual_draws == 0)
    assert np.all((inclusion > 0) & (inclusion < 1)) and np.allclose(np.diag(pairs), inclusion, atol=1e-15)
    assert np.all(pairs <= np.minimum.outer(inclusion, inclusion) + 1e-15) and np.allclose(pairs, pairs.T)


def test_looks_without_replacement_have_inclusion_alone():
    learner = scant.Learner("gaussian", dimension=6, k=3, seed=1)
    look = learner.ask()
    assert np.all(np.isnan(look.probabilities)) and np.allclose(look.inclusion, 0.5) and not look.certain.any()
    assert np.allclose(learner.pairs(look)[0, 1], 0.2)
    learner.tell(look, X[0, look.attributes], y[0])
    assert np.allclose(look.inclusion, 0.5) and np.isnan(learner.pairs(look)).all()  # the current law is another one


def test_groups_share_an_item():
    costs = [(1, "g"), (1, "g"), 1, 0, 2, 3]
    learner = scant.Learner("auto", dimension=6, k=3, costs=costs)
    for _ in range(20):
        look = learner.ask()
        places = {int(a): i for i, a in enumerate(look.attributes)}
        assert look.certain[places[3]] and look.inclusion[places[3]] == 1  # it is free
        assert (0 in places) == (1 in places)
        if 0 in places:
            assert look.items[places[0]] == look.items[places[1]]
        learner.cancel(look)


def test_a_pickled_look_knows_it_too():
    learner = scant.Learner("aerr", dimension=6, k=4, seed=1, max_open=2)
    look = learner.ask()
    copy = pickle.loads(pickle.dumps(look))
    for field in ("attributes", "draws", "probabilities", "certain", "inclusion", "residual_draws", "items"):
        assert np.array_equal(getattr(look, field), getattr(copy, field), equal_nan=field != "certain"), field
    text = look.__getstate__().partition(b"\0")[0]
    for damaged in (text, text + b"\0short"):
        with pytest.raises(scant.DataError, match="damaged"):
            scant.Look.__new__(scant.Look).__setstate__(damaged)
    learner.tell(copy, X[0, copy.attributes], 0)


def test_an_empty_look():
    learner = scant.Learner("coinflip", dimension=6, k=2, seed=1)
    looks = []
    for x, target in zip(X[:40] / 20, y[:40] / 20, strict=False):
        looks.append(learner.ask())
        learner.tell(looks[-1], x[looks[-1].attributes], target)
    assert {len(look) for look in looks} == {0, 6}
    empty = next(look for look in looks if not len(look))
    assert empty.draws.shape == empty.inclusion.shape == (0,) and empty.draws_total == 0


# ---- a fit ---------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["auto", "gaussian", "aerr"])
def test_looks_of_a_fit(algorithm, tmp_path):
    plain = scant.LimitedRegressor(algorithm=algorithm, k=3, random_state=1).fit(X, y)
    model = scant.LimitedRegressor(algorithm=algorithm, k=3, random_state=1).fit(X, y, looks=True)
    lines = model.looks_
    assert np.array_equal(plain.coef_, model.coef_) and not hasattr(plain, "looks_")
    assert len(lines) == model.attributes_bought_
    assert np.array_equal(np.bincount(lines["attribute"], minlength=6), model.purchases_)
    assert np.array_equal(lines["value"], X[lines["example"], lines["attribute"]])
    assert np.array_equal(lines["target"], y[lines["example"]])
    model.fit(X, y, looks=tmp_path / "looks.npy")
    same = np.load(tmp_path / "looks.npy")
    assert same.dtype == lines.dtype and same.tobytes() == lines.tobytes() and not hasattr(model, "looks_")
    model.fit(X, y, looks=str(tmp_path / "looks.csv"), looks_pairs=str(tmp_path / "pairs.npy"))
    with open(tmp_path / "looks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["example"]) - 1 for row in rows] == lines["example"].tolist()
    assert [float(row["value"]) for row in rows] == lines["value"].tolist()
    pairs = np.load(tmp_path / "pairs.npy")
    assert (len(pairs) > 0) == (algorithm != "auto") and set(os.listdir(tmp_path)) == {
        "looks.npy",
        "looks.csv",
        "pairs.npy",
    }


def test_looks_of_classes_have_signs():
    model = scant.LimitedClassifier(algorithm="auto", k=3, random_state=1)
    model.fit(X, np.where(y > 0, "yes", "no"), looks=True)
    assert set(model.looks_["target"]) == {-1, 1}


def test_the_same_lines_as_the_command(tmp_path, command):
    table = tmp_path / "data.csv"
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", fmt="%.17g", comments="", header="a,b,c,d,e,f,y")
    command("fit", table, "-q", "-k", "3", "--algorithm", "auto", "--looks", tmp_path / "looks.npy")
    model = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1).fit(X, y, looks=True)
    assert np.load(tmp_path / "looks.npy").tobytes() == model.looks_.tobytes()


def test_what_a_fit_refuses(tmp_path):
    model = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1)
    with pytest.raises(scant.UsageError, match="ends neither"):
        model.fit(X, y, looks=tmp_path / "looks.txt")
    with pytest.raises(scant.UsageError, match="looks_pairs needs looks"):
        model.fit(X, y, looks_pairs=tmp_path / "pairs.csv")
    with pytest.raises(scant.UsageError, match="null character"):
        model.fit(X, y, looks="a\0.csv")
    with pytest.raises(OSError, match="folder"):
        model.fit(X, y, looks=tmp_path / "none" / "looks.csv")
    assert not hasattr(model, "model_") and os.listdir(tmp_path) == []


def test_a_fit_that_fails_leaves_nothing(tmp_path):
    bad = X.copy()
    bad[300] = np.inf
    model = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1)
    with pytest.raises(scant.DataError):
        model.fit(bad, y, looks=tmp_path / "looks.csv")
    assert os.listdir(tmp_path) == []

    def interrupt(progress):
        raise KeyboardInterrupt

    model.set_params(callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, looks=tmp_path / "looks.npy")
    assert len(np.load(tmp_path / "looks.npy")) == model.attributes_bought_


def test_a_metered_source():
    source = scant.MeteredSource(lambda row, attributes: X[row, attributes], dimension=6, examples=400, budget=500)
    model = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1).fit(source, y, looks=True)
    assert len(model.looks_) == source.attributes_bought == model.attributes_bought_


# ---- second moments ----------------------------------------------------------------


def test_second_moments_by_hand():
    """Unbiased: the mean over many seeds is the truth, to 5 standard errors of each entry."""
    truth = X.T @ X / len(X)
    found = [
        moments_of(scant.LimitedRegressor(algorithm="auto", k=4, random_state=seed).fit(X, y, looks=True).looks_, 6)
        for seed in range(60)
    ]
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert np.all(np.abs(np.mean(found, axis=0) - truth) < 5 * error) and np.all(error < 0.1 * np.abs(truth).max())


# ---- a study -----------------------------------------------------------------------


@needs_studies
def test_looks_of_a_study(tmp_path):
    study = scant.Study.create(tmp_path / "a.study", ["a", "b", "c", "d", "e"], target="y", algorithm="auto", k=3)
    for i in range(20):
        order = study.ask(f"x{i}")
        study.tell(f"x{i}", {line.name: float(i % 4) for line in order.lines} | {"y": float(i % 3)})
    order = study.ask("open")
    lines = study.looks()
    assert sorted(set(lines["example"])) == list(range(20)) and np.isnan(lines["price"]).all()
    for number, told in enumerate(study.orders()):
        mine = lines[lines["example"] == number]
        assert len(mine) == (len(told.lines) if told.example != "open" else 0)
        if len(mine):
            assert [study.attributes[i].name for i in mine["attribute"]] == [line.name for line in told.lines]
            assert mine["probability"].tolist() == [line.probability for line in told.lines]
            assert mine["value"].tolist() == [line.value for line in told.lines] and set(mine["target"]) == {told.y}
    study.write_looks(tmp_path / "looks.csv", pairs=tmp_path / "pairs.csv")
    with open(tmp_path / "looks.csv", newline="") as file:
        assert [row["example"] for row in csv.DictReader(file)] == [f"x{i}" for i in lines["example"]]
    with pytest.raises(scant.UsageError, match="ends neither"):
        study.write_looks(tmp_path / "looks")
    study.close()
