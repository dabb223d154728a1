"""The default algorithm: gaussian where its work is small and this build has it, else auto."""

import json
import pickle
import re

import numpy as np
import pytest
from support import bits, learned, table

import scant
from scant._library import HAS_LAPACK, HAS_STUDY
from scant._options import OPTIONS

DENSE = "gaussian" if HAS_LAPACK else "auto"
WORK = float(re.search(r"<= (\S+),", OPTIONS["algorithm"].help)[1])  # the constant, from the table of options
WIDE = int((WORK / 8) ** (1 / 3)) + 2  # attributes that are too many
ESTIMATORS = [scant.LimitedRegressor, scant.LimitedClassifier]


def targets(kind, y):
    return np.where(y > 0, "up", "down") if kind is scant.LimitedClassifier else y


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_small_data(kind):
    X, y = table()
    y = targets(kind, y)
    model = kind(k=3, random_state=1).fit(X, y)
    assert model.algorithm == "default"
    assert model.algorithm_ == model.model_.settings["algorithm"] == DENSE
    work = len(X) * 3**3 + 8 * X.shape[1] ** 3
    expected = f"m K^3 + 8 d^3 = {work:.3g} is at most" if HAS_LAPACK else "there is no engine of gaussian here"
    assert model.algorithm_why_.startswith(expected)
    named = kind(algorithm=DENSE, k=3, random_state=1).fit(X, y)
    assert learned(model) == learned(named)
    assert named.algorithm_ == DENSE and named.algorithm_why_ is None


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_large_data(kind):
    X, y = np.random.default_rng(0).normal(size=(40, WIDE)), np.arange(40) % 7 - 3.0
    y = targets(kind, y)
    model = kind(k=3, random_state=1).fit(X, y)
    assert model.algorithm_ == "auto"
    assert not HAS_LAPACK or " is above " in model.algorithm_why_
    named = kind(algorithm="auto", k=3, random_state=1).fit(X, y)
    assert learned(model) == learned(named)


def test_streams_are_judged_by_the_attributes_alone():
    X, y = table()
    model = scant.LimitedRegressor(k=3, random_state=1).partial_fit(X[:60], y[:60])
    assert model.algorithm_ == DENSE
    assert not HAS_LAPACK or model.algorithm_why_.startswith(f"8 d^3 = {8 * X.shape[1] ** 3:.3g} is at most")
    why = model.algorithm_why_
    kept = pickle.loads(pickle.dumps(model))
    for each in (model, kept):
        each.partial_fit(X[60:], y[60:])
        assert (each.algorithm_, each.algorithm_why_) == (DENSE, why)
    assert learned(model) == learned(kept)


@pytest.mark.parametrize("keywords", [{"like_units": True}, {"average": "last"}, {"intercept": False}, {"passes": 2}])
def test_options_that_only_auto_takes(keywords):
    X, y = table()
    model = scant.LimitedRegressor(k=4, random_state=1, **keywords).fit(X, y)
    assert model.algorithm_ == "auto"
    taken = "more than one pass" if "passes" in keywords else next(iter(keywords)).replace("_", "-")
    assert model.algorithm_why_ == f"only it takes {taken}"
    named = scant.LimitedRegressor(algorithm="auto", k=4, random_state=1, **keywords).fit(X, y)
    assert learned(model) == learned(named)


@pytest.mark.skipif(not HAS_LAPACK, reason="observed is of dense algorithms")
def test_an_option_that_only_gaussian_takes():
    X, y = table()
    model = scant.LimitedRegressor(observed=True, random_state=1).fit(X, y)
    assert (model.algorithm_, model.algorithm_why_) == ("gaussian", "only it takes observed")


def test_refusals():
    X, y = table()
    with pytest.raises(scant.UsageError, match="radius is an option of neither gaussian nor auto"):
        scant.LimitedRegressor(k=3, radius=1).fit(X, y)
    with pytest.raises(scant.UsageError, match="default, auto, ridge"):
        scant.LimitedRegressor(algorithm="defualt").fit(X, y)
    if HAS_LAPACK:
        with pytest.raises(scant.DataError, match=r"gaussian needs .* GiB .*memory allows .*\(option algorithm auto\)"):
            scant.LimitedRegressor(k=3, memory=1e-9).fit(X, y)


def test_costs():
    """Whichever it is, prices are charged."""
    X, y = table()
    model = scant.LimitedRegressor(k=3, costs=[1, 2, 3, (1, "a"), (1, "a"), 0], random_state=1).fit(X, y)
    assert model.algorithm_ in ("auto", DENSE) and model.cost_spent_ > 0
    spend = scant.LimitedRegressor(spend=6, costs=[1, 2, 3, 1, 1, 1], random_state=1).fit(X, y)
    assert spend.algorithm_ in ("auto", DENSE) and spend.cost_spent_ <= 6 * len(X)


# ---- learners --------------------------------------------------------------------


def test_learners():
    assert scant.Learner(dimension=6, k=3).algorithm == DENSE
    wide = scant.Learner(dimension=WIDE, k=3)
    assert wide.algorithm == "auto" and wide.algorithm_why
    many = scant.Learner(dimension=60, k=50, horizon=int(WORK / 50**3) + 1)  # the examples count where they are known
    assert many.algorithm == "auto"
    named = scant.Learner("auto", dimension=6, k=3)
    assert named.algorithm == "auto" and named.algorithm_why is None
    priced = scant.Learner(dimension=6, k=3, costs=[1] * 6)
    assert priced.algorithm in ("auto", DENSE)
    assert pickle.loads(pickle.dumps(scant.Learner(dimension=6, k=3))).algorithm == DENSE


# ---- studies ---------------------------------------------------------------------


@pytest.mark.skipif(not HAS_STUDY, reason="this build has no studies")
def test_studies(tmp_path):
    path = tmp_path / "small.study"
    with scant.Study.create(path, [f"a{i}" for i in range(6)], k=3) as study:
        assert study.settings["algorithm"] == DENSE
        expected = "what is told late teaches it as much" if HAS_LAPACK else "there is no engine of gaussian here"
        assert study.algorithm_why.startswith(expected)
        order = study.ask("one")
        study.tell("one", {line.name: 1.0 for line in order.lines}, y=2)
    with scant.Study(path) as again:
        assert again.settings["algorithm"] == DENSE and again.algorithm_why is None
        assert again.verify().same_bits
    with scant.Study.create(tmp_path / "wide.study", [f"a{i}" for i in range(WIDE)], k=3) as study:
        assert study.settings["algorithm"] == DENSE
    with scant.Study.create(tmp_path / "options.study", ["a", "b", "c"], k=2, like_units=True) as study:
        assert (study.settings["algorithm"], study.algorithm_why) == ("auto", "only it takes like-units")
    with scant.Study.create(tmp_path / "named.study", ["a", "b", "c"], k=2, algorithm="ridge") as study:
        assert (study.settings["algorithm"], study.algorithm_why) == ("ridge", None)
    groups = [scant.Attribute("age", known=True), scant.Attribute("a", group="g"), scant.Attribute("b", group="g"), "c"]
    with scant.Study.create(tmp_path / "groups.study", groups, k=2) as study:
        assert study.settings["algorithm"] in ("auto", DENSE)
        assert {"age"} <= {line.name for line in study.ask("one").lines}


# ---- beside the command ----------------------------------------------------------


@pytest.mark.skipif(not HAS_LAPACK, reason="the command has gaussian, and this build has not")
def test_the_command_takes_the_same(command, tmp_path):
    X, y = table()
    told = command.fit(tmp_path, X, y, "-k", 3)
    model = scant.LimitedRegressor(k=3, random_state=1).fit(X, y)
    assert told["settings"]["algorithm"] == model.algorithm_
    assert bits(model.purchases_) == bits(np.array(told["purchases"]))
    said = json.loads(command("fit", tmp_path / "X.npy", "--labels", tmp_path / "y.npy", "-k", 3, "--json"))
    assert (said["algorithm"], said["algorithm_why"]) == (model.algorithm_, model.algorithm_why_)
