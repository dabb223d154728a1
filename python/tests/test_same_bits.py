"""Same seed, same bits as the command, from the same numbers.

The package brings its own BLAS, so algorithms on LAPACK agree with the command to rounding.
"""

import json

import numpy as np
import pandas
import pytest
from support import DENSE, ROWS, bits, needs, regressor, table

import scant

COSTS = {"a": 1, "b": 2.5, "c": 1, "d": 0.25, "e": 3, "f": 1}
GROUPS = {"a": (1, "g"), "b": (2.5, "g"), "c": 1, "d": 0, "e": (3, "h"), "f": (1, "h")}


def words_of(keywords):
    """The command's words for keywords of an estimator."""
    words = []
    for name, value in keywords.items():
        flag = "--" + name.replace("_", "-")
        if name == "k":
            words += ["-k", value]
        elif name == "random_state":
            words += ["--seed", value]
        elif value is True:
            words += [flag]
        elif value is False:
            words += ["--no-" + flag[2:]]
        else:
            words += [flag, value]
    return words


def costs_file(folder, costs, by_number=False):
    lines = ["attribute,cost,group"]
    for number, (name, cost) in enumerate(costs.items(), 1):
        cost, group = cost if isinstance(cost, tuple) else (cost, "")
        lines.append(f"{number if by_number else name},{cost},{group}")
    (folder / "costs.csv").write_text("\n".join(lines) + "\n")
    return folder / "costs.csv"


def is_equal(ours, theirs):
    return bits(ours) == bits(theirs)


def is_near(ours, theirs):
    return np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def check(model, told, folder):
    """Everything that the model file says is what the estimator says."""
    assert model.purchases_.tolist() == told["purchases"]
    dense = told["settings"]["algorithm"] in DENSE
    same = is_near if dense else is_equal
    assert same(model.coef_.ravel(), np.array(told["weights"], dtype=float))
    assert same(np.ravel(model.intercept_), np.array([told["intercept"]], dtype=float))
    assert same(model.model_.means, np.array(told["means"], dtype=float))
    hundredths = told["ledger"].get("money_spent", 0)
    assert model.cost_spent_ == hundredths / 100
    for name, number in told["ledger"].items():
        assert name == "money_spent" or model.ledger_[name] == number, name
    for name, value in told["settings"].items():
        assert name not in model.model_.settings or model.model_.settings[name] in (value, None), name
    if dense:
        return
    # The model file is the same to the byte, but for the name of a target, which only files have.
    model.model_.save(folder / "ours.json")
    ours, theirs = (folder / "ours.json").read_bytes(), (folder / "model.json").read_bytes()
    if told["target"] is None:
        assert ours == theirs
    else:
        ours, theirs = json.loads(ours), json.loads(theirs)
        for file in (ours, theirs):
            file.pop("target"), file.pop("checksum")
        assert ours == theirs


KEYWORDS = [
    {},
    {"passes": 2},
    {"shuffle": False},
    {"examples": 50},
    {"budget": 101},
    {"missing": "skip-example"},
    {"random_state": 2**63 - 1},
]


@pytest.mark.parametrize("keywords", KEYWORDS, ids=str)
@pytest.mark.parametrize("row", ROWS)
def test_rows(command, tmp_path, row, keywords):
    X, y = table()
    X[::7, 2] = np.nan
    keywords = {"random_state": 5, **needs(row), **keywords}
    words = ["--algorithm", row, *words_of(keywords)]
    try:
        model = regressor(row, **keywords).fit(X, y)
    except scant.ScantError as refused:  # then the command refuses it too, and says the same
        np.save(tmp_path / "X.npy", X)
        np.save(tmp_path / "y.npy", y)
        said = command("fit", tmp_path / "X.npy", "--labels", tmp_path / "y.npy", *words, refused=True)
        assert str(refused)[:20] in said.replace("X.npy: ", "")
        return
    check(model, command.fit(tmp_path, X, y, *words), tmp_path)
    predicted = command("predict", tmp_path / "model.json", tmp_path / "X.npy").split()
    if row in DENSE:
        assert is_near(model.predict(X), np.array(predicted, dtype=float))
        return
    assert bits(model.predict(X)) == bits(np.array(predicted, dtype=float))
    loaded = scant.Model.load(tmp_path / "model.json")
    assert bits(loaded.predict(X)) == bits(model.predict(X))
    assert (loaded.settings, loaded.ledger) == (model.model_.settings, model.ledger_)


OPTIONS = [
    ("ridge", {"radius": 2.5, "eta": 0.01, "average": "last", "intercept": False}),
    ("lasso", {"radius": 0.3, "like_units": True, "average": "half"}),
    ("auto", {"intercept": False, "like_units": True}),
    ("svr", {"loss": "insensitive", "tube": 0.25, "smoothing": 0.5}),
    ("svr", {"loss": "huber", "tube": 0.25}),
    ("aesvr", {"norm": 1, "x_bound": 2, "k": 6, "smoothing": 0.7}),
    ("coinflip", {"norm": 1, "loss": "absolute", "radius": 3, "center": True}),
    ("aerr", {"residual_looks": 2, "replacement": "no", "center": True}),
    ("aer", {"penalty": 0.1, "radius": 2}),
    ("auto", {"log_target": True}),
]


@pytest.mark.parametrize("row, keywords", OPTIONS, ids=str)
def test_options(command, tmp_path, row, keywords):
    X, y = table()
    y = y + 3
    keywords = {"random_state": 5, "k": 4, **keywords}
    told = command.fit(tmp_path, X, y, "--algorithm", row, *words_of(keywords))
    model = regressor(row, **keywords).fit(X, y)
    check(model, told, tmp_path)
    predicted = command("predict", tmp_path / "model.json", tmp_path / "X.npy").split()
    assert bits(model.predict(X)) == bits(np.array(predicted, dtype=float))


@pytest.mark.parametrize("keywords", [{"k": 3}, {"spend": 8}, {"k": 3, "budget_cost": 100}, {"k": 3, "thrift": False}])
@pytest.mark.parametrize("costs", [COSTS, GROUPS], ids=["plain", "groups"])
def test_costs(command, tmp_path, costs, keywords):
    X, y = table()
    path = costs_file(tmp_path, costs, by_number=True)
    told = command.fit(tmp_path, X, y, "--costs", path, *words_of(keywords))
    listed = list(costs.values())
    forms = [path, str(path), listed, tuple(listed), dict(enumerate(listed))]
    if costs is COSTS:
        forms.append(np.array(listed))
    for form in forms:
        model = regressor(random_state=1, costs=form, **keywords).fit(X, y)
        check(model, told, tmp_path)
    frame = pandas.DataFrame(X, columns=list(costs))
    named = regressor(random_state=1, costs=costs, **keywords).fit(frame, y)
    assert bits(named.coef_) == bits(model.coef_)
    assert bits(regressor(random_state=1, costs=costs_file(tmp_path, costs), **keywords).fit(frame, y).coef_) == bits(
        model.coef_
    )


def test_csv_and_frame(command, tmp_path):
    """A csv by the command, and the frame that it was; holes are holes."""
    X, y = table()
    frame = pandas.DataFrame(X, columns=["b", "a", "height, m", "d", "é", "f"]).assign(y=y)
    frame.iloc[::5, 1] = np.nan
    frame.to_csv(tmp_path / "data.csv", index=False)
    command("fit", tmp_path / "data.csv", "-k", 3, "--seed", 9, "-q", "-o", tmp_path / "model.json")
    told = json.loads((tmp_path / "model.json").read_text())
    model = regressor(k=3, random_state=9).fit(frame.drop(columns="y"), frame["y"])
    assert told["names"] == model.feature_names_in_.tolist() == model.model_.names
    check(model, told, tmp_path)
    predicted = np.array(command("predict", tmp_path / "model.json", tmp_path / "data.csv").split(), dtype=float)
    assert bits(model.predict(frame.drop(columns="y"))) == bits(predicted)
    # By name: a model does not care where a column stands.
    moved = frame.drop(columns="y")[["f", "é", "d", "height, m", "a", "b"]]
    assert bits(scant.Model.load(tmp_path / "model.json").predict(moved)) == bits(predicted)
    # And the command takes what the estimator saved.
    again = command("predict", tmp_path / "ours.json", tmp_path / "data.csv").split()
    assert bits(np.array(again, dtype=float)) == bits(predicted)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_classes(command, tmp_path, loss):
    X, y = table()
    signs = np.where(y > 0, 1.0, -1.0)
    told = command.fit(tmp_path, X, signs, "--algorithm", "svr", "--loss", loss, "-k", 4, "--seed", 2)
    model = scant.LimitedClassifier(algorithm="svr", loss=loss, k=4, random_state=2)
    model.fit(X, np.where(y > 0, "up", "down"))
    check(model, told, tmp_path)
    predicted = np.array(command("predict", tmp_path / "model.json", tmp_path / "X.npy").split(), dtype=float)
    assert bits(model.decision_function(X)) == bits(predicted)
    assert (model.predict(X) == np.where(predicted > 0, "up", "down")).all()


@pytest.mark.parametrize("dtype", ["<f4", "|u1", "|b1", "<i8", ">f8"])
def test_types_of_arrays(command, tmp_path, dtype):
    X, y = table()
    X = (10 * abs(X)).astype(dtype)
    model = regressor(k=2, random_state=1).fit(X, y)
    if dtype in ("|b1", ">f8"):  # the command may not read these; the numbers are the same
        X = X.astype(np.float64)
    check(model, command.fit(tmp_path, X, y, "-k", 2), tmp_path)


def test_ridge_and_lasso_are_rows(command, tmp_path):
    X, y = table()
    for kind, row, words in (
        (scant.LimitedRidge, "ridge", []),
        (scant.LimitedLasso, "lasso", []),
        (scant.LimitedSVR, "svr", []),
        (scant.LimitedRidge, "coinflip", ["--norm", 2]),
        (scant.LimitedLasso, "coinflip", ["--norm", 1]),
        (scant.LimitedSVR, "coinflip", ["--loss", "insensitive"]),
    ):
        told = command.fit(tmp_path, X, y, "--algorithm", row, "-k", 3, *words)
        check(kind(algorithm=row, k=3, random_state=1).fit(X, y), told, tmp_path)


def test_random_states():
    X, y = table()
    fits = [regressor(k=2, random_state=state) for state in (7, np.int64(7), np.uint8(7))]
    assert len({bits(fit.fit(X, y).coef_) for fit in fits}) == 1
    for make in (lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)):
        first, second = (regressor(k=2, random_state=make()).fit(X, y) for _ in range(2))
        assert first.seed_ == second.seed_ and bits(first.coef_) == bits(second.coef_)
        assert bits(regressor(k=2, random_state=first.seed_).fit(X, y).coef_) == bits(first.coef_)
    unlike = regressor(k=2, random_state=None)
    assert bits(unlike.fit(X, y).coef_) != bits(unlike.fit(X, y).coef_)
