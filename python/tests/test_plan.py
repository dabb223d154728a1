"""Plans: the command's numbers, whatever the pilot is; what is refused; Ctrl-C and callbacks."""

import json
import os
import subprocess

import numpy as np
import pytest

import scant

D = 6


def examples(rows, seed=0, holes=0.0):
    rng = np.random.default_rng(seed)
    X = 3 + rng.normal(size=(rows, D)) + rng.normal(size=(rows, 1))
    y = X[:, 0] - X[:, 4] + rng.normal(size=rows)
    X[rng.random(size=X.shape) < holes] = np.nan
    return X, y


@pytest.fixture
def command(tmp_path):
    """What the command prints for the same pilot."""

    def run(X, y, *options):
        lines = [",".join([f"a{i}" for i in range(D)] + ["y"])]
        lines += [",".join("" if np.isnan(v) else repr(float(v)) for v in (*x, t)) for x, t in zip(X, y, strict=False)]
        path = tmp_path / "pilot.csv"
        path.write_text("\n".join(lines) + "\n")
        words = [os.environ["SCANT"], "plan", path, "-q", "--json", *options]
        return json.loads(subprocess.run(list(map(str, words)), check=True, capture_output=True).stdout)

    return run


def test_the_numbers_are_the_commands(command):
    X, y = examples(60, holes=0.1)
    printed = command(X, y, "--budget", 400, "--seed", 3, "--reach", 1.8)
    plan = scant.plan(X, y, budget=400, random_state=3, reach=1.8)
    assert plan.k == printed["k"] and plan.unit == printed["unit"]
    for name in ("dimension", "pilot_examples", "unknown_attributes", "limit"):
        assert getattr(plan, name) == printed[name]
    for name in ("strength", "strength_error", "least_squared_error", "target_variance"):
        assert getattr(plan, name) == pytest.approx(printed[name], rel=1e-9)
    for i, (row, entry) in enumerate(zip(plan.table, printed["entries"], strict=True)):
        assert (row["k"], row["algorithm"], row["examples"]) == (entry["k"], entry["algorithm"], entry["examples"])
        assert row["squared_error"] == pytest.approx(entry["squared_error"], rel=1e-6)
        for r, run in enumerate(entry["runs"]):
            errors = plan.errors[i, r]
            assert errors[~np.isnan(errors)] == pytest.approx([p["squared_error"] for p in run], rel=1e-6)


def test_threads_change_nothing():
    X, y = examples(40)
    one, three = (scant.plan(X, y, budget=300, threads=n, runs=2) for n in (1, 3))
    assert np.array_equal(one.errors, three.errors, equal_nan=True) and one.k == three.k


def test_money_and_labels():
    X, y = examples(40)
    plan = scant.plan(X, y, budget_cost=900, costs=[1, 2, 3, 4, 5.25, 6], label_cost=2.5, k=[2, D], runs=2)
    assert plan.unit == "money" and plan.table[1]["examples"] == 900 // 23.75
    assert plan.table[1]["money"] == pytest.approx(23.75 * (900 // 23.75))
    assert np.nanmax(plan.money) <= 900


def test_pilots(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = examples(60)
    names = [f"a{i}" for i in range(D)]
    frame = pandas.DataFrame(X, columns=names)
    same = scant.plan(frame, y, budget=300, runs=2)
    assert np.array_equal(same.errors, scant.plan(X, y, budget=300, runs=2).errors, equal_nan=True)
    priced = scant.plan(frame, y, budget_cost=300, runs=2, costs=dict.fromkeys(names, 1.5))
    assert priced.unit == "money"
    model = scant.LimitedRegressor(algorithm="gaussian", k=D, random_state=1).fit(frame, y).model_
    model.save(tmp_path / "model.json")
    plans = [scant.plan(pilot, budget=300, runs=2) for pilot in (model, tmp_path / "model.json")]
    assert np.array_equal(plans[0].errors, plans[1].errors, equal_nan=True)
    (tmp_path / "costs.csv").write_text("attribute,cost\n" + "".join(f"{name},1.5\n" for name in names))
    assert scant.plan(model, budget_cost=300, runs=2, costs=tmp_path / "costs.csv").unit == "money"
    assert plans[0].pilot_examples == 0 and np.isnan(plans[0].strength_error)


def test_a_study(tmp_path):
    X, y = examples(40)
    names = [f"a{i}" for i in range(D)]
    path = tmp_path / "s.study"
    with scant.Study.create(path, names, k=3) as study:
        study.import_rows(
            {
                f"e{i}": {**dict(zip(names, map(float, x), strict=False)), "y": float(t)}
                for i, (x, t) in enumerate(zip(X, y, strict=False))
            }
        )
        inside = scant.plan(study, budget=200, runs=2)
    outside = scant.plan(path, budget=200, runs=2)
    assert np.array_equal(inside.errors, outside.errors, equal_nan=True)


def test_a_study_has_prices_and_examples(tmp_path):
    X, y = examples(40)
    names = [f"a{i}" for i in range(D)]
    catalogue = [scant.Attribute(name, cost=1 + i) for i, name in enumerate(names)]
    with scant.Study.create(tmp_path / "s.study", catalogue, k=3) as study:
        study.import_rows(
            {
                f"e{i}": {**dict(zip(names, map(float, x), strict=False)), "y": float(t)}
                for i, (x, t) in enumerate(zip(X, y, strict=False))
            }
        )
        assert study.gaussian().query().offers()[0].price is not None
        told = scant.plan(study, budget_cost=400, runs=2)
    rows = scant.plan(X, y, budget_cost=400, runs=2, costs=[1 + i for i in range(D)])
    assert told.unit == "money" and told.pilot_examples == 40
    assert np.array_equal(told.errors, rows.errors, equal_nan=True)


def test_other_pilots(tmp_path):
    X, y = examples(40)
    estimator = scant.LimitedRegressor(algorithm="gaussian", k=D, random_state=1).fit(X, y)
    plans = [scant.plan(pilot, budget=300, runs=2) for pilot in (estimator, estimator.model_)]
    assert np.array_equal(plans[0].errors, plans[1].errors, equal_nan=True)
    with pytest.raises(ValueError, match="was not fitted"):
        scant.plan(scant.LimitedRegressor(algorithm="gaussian", k=D), budget=300)
    (tmp_path / "data.csv").write_text("a,b,y\n1,2,3\n")
    with pytest.raises(ValueError, match="neither a model file nor a study"):
        scant.plan(tmp_path / "data.csv", budget=300)
    assert [row["k"] for row in scant.plan(X, y, budget=300, runs=1, k=[4, "d"]).table] == [4, D]


def test_what_is_known_is_said():
    X, y = examples(12)
    X[:, 2] = np.nan
    y = np.random.default_rng(5).normal(size=12)
    with pytest.warns(scant.ScantWarning) as caught:
        plan = scant.plan(X, y, budget=300)
    words = repr(plan)
    assert words.startswith("pilot: 12 examples of 6 attributes; R^2 ") and "by held-out halves" in words
    for sentence in ("1 attribute is simulated as noise", "may be chance"):
        assert sentence in words and any(sentence in str(warning.message) for warning in caught)
    assert [str(warning.message) for warning in caught] == plan.warnings
    assert all(warning.filename == __file__ for warning in caught)


def test_nothing_beats_the_mean():
    X, y = examples(60)
    with pytest.warns(scant.ScantWarning, match="none of these is expected to be better than the mean"):
        plan = scant.plan(X, y, budget=60, algorithm="aerr", radius=100.0)
    assert plan.worse_than_mean and "<" not in repr(plan) and "take K" not in repr(plan)


def test_budget_and_wanted_error():
    X, y = examples(60)
    plan = scant.plan(X, y, budget=150, reach=1.8, algorithm="gaussian")
    words = repr(plan)
    assert f"for the budget take K = {plan.budget_k}" in words and "more than the budget of 150" in words
    assert f"for a squared error of 1.8 take K = {plan.k}" in words
    assert "+- 0 " not in repr(scant.plan(X, y, budget=150, runs=1))


def test_what_it_shows():
    X, y = examples(60)
    plan = scant.plan(X, y, budget=300, reach=1.8, runs=2)
    assert f"take K = {plan.k}" in repr(plan) and "full information" in repr(plan)
    pytest.importorskip("pandas")
    assert list(plan.to_frame()["k"]) == [2, 4, D] and "reach_money" in plan.to_frame()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = plan.plot()
    reached = [row["reach"]["money"] for row in plan.table if np.isfinite(row["reach"]["money"])]
    ends = [line.get_xydata()[-1] for line in axes.get_lines() if str(line.get_label()).startswith("K")]
    assert reached and [tuple(end) for end in ends if end[1] == 1.8] == [(money, 1.8) for money in reached]
    assert len(axes.collections) == 1
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["K = 2", "K = 4", "K = 6, whole", "least", "wanted"]


def test_a_wanted_error_alone():
    X, y = examples(60)
    plan = scant.plan(X, y, reach=1.8, runs=3)
    found = {row["k"]: row["reach"]["money"] for row in plan.table}
    assert plan.k is not None and found[plan.k] <= 1.05 * min(found.values())
    assert "squared_error" not in plan.table[0]


@pytest.mark.parametrize(
    ("words", "keywords"),
    [
        ("needs a budget or a wanted error", {}),
        ("not both", {"budget": 3, "budget_cost": 3}),
        ("K = 7 is more than the 6 attributes", {"budget": 100, "k": [2, 7]}),
        ("not ascending", {"budget": 100, "k": [4, 2]}),
        ("can't be reached by this pilot: with full information it is", {"reach": 1e-6}),
        ("takes no attribute", {"reach": 1e6}),
        ("does not pay for two examples", {"budget": 11, "k": [D]}),
        ("-1", {"budget": 100, "label_cost": -1}),
        ("there is no algorithm", {"budget": 100, "algorithm": "nothing"}),
        ("costs has 2 entries", {"budget_cost": 100, "costs": [1, 2]}),
        ("budget=0", {"budget": 0}),
        ("budget-cost needs costs", {"budget_cost": 100}),
    ],
)
def test_refused(words, keywords):
    X, y = examples(40)
    with pytest.raises(ValueError, match=words):
        scant.plan(X, y, **keywords)


def test_refused_pilots():
    X, y = examples(40)
    with pytest.raises(ValueError, match="no target"):
        scant.plan(X, budget=100)
    with pytest.raises(ValueError, match="a plan needs 10"):
        scant.plan(X[:9], y[:9], budget=100)
    with pytest.raises(ValueError, match="every target"):
        scant.plan(X, np.ones(40), budget=100)
    with pytest.raises(TypeError, match="clip"):
        scant.plan(X, y, budget=100, clip=3)
    with pytest.raises(FileNotFoundError):
        scant.plan("nothing.json", budget=100)


def test_callbacks():
    X, y = examples(40)
    shares = []
    scant.plan(X, y, budget=100, runs=2, callback=shares.append)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    with pytest.raises(scant.ScantError, match="stopped"):
        scant.plan(X, y, budget=100, runs=2, callback=lambda share: True)

    def fail(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scant.plan(X, y, budget=100, runs=2, callback=fail)
