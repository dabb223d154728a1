"""Predictions bought one attribute at a time: ask and tell, rules, functions that fetch, and the command."""

import json
import math

import numpy as np
import pytest
from support import bits

import scant

D = 6
NAMES = ["age", "glucose", "cholesterol", "hdl", "triglycerides", "scan"]
COSTS = {"age": 0, "glucose": 3.5, "cholesterol": (4, "l"), "hdl": (4, "l"), "triglycerides": (2, "l"), "scan": 80}

pytestmark = pytest.mark.skipif(
    "gaussian" not in [row.name for row in scant.algorithms() if row.available], reason="gaussian needs LAPACK"
)


def clinic(rows=300, two_valued=False, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, D)) @ (np.eye(D) + 0.3 * random.normal(size=(D, D)))
    y = X @ [0.6, 0.8, 0.3, -0.3, 0.2, 1.0] + 0.5 * random.normal(size=rows)
    return X, np.where(y > 0, 1.0, -1.0) if two_valued else y


def fitted(two_valued=False, costs=None, **keywords):
    X, y = clinic(two_valued=two_valued)
    kind = scant.LimitedClassifier if two_valued else scant.LimitedRegressor
    return kind(algorithm="gaussian", observed=True, costs=costs, random_state=1, **keywords).fit(X, y)


@pytest.fixture(scope="module")
def named(tmp_path_factory, command):
    """Files of the command: a model with names and prices for each kind of target, and examples with holes."""
    folder = tmp_path_factory.mktemp("query")
    lines = ["attribute,cost,group"] + [
        f"{n},{c[0]},{c[1]}" if isinstance(c, tuple) else f"{n},{c}," for n, c in COSTS.items()
    ]
    (folder / "costs.csv").write_text("\n".join(lines) + "\n")
    random = np.random.default_rng(4)
    for kind in (False, True):
        X, y = clinic(two_valued=kind)
        text = [",".join([*NAMES, "y"])] + [
            ",".join(map(repr, [*map(float, x), float(t)])) for x, t in zip(X, y, strict=False)
        ]
        (folder / f"train{kind:d}.csv").write_text("\n".join(text) + "\n")
        words = ["--classes=-1,1"] if kind else []
        command("fit", str(folder / f"train{kind:d}.csv"), "--algorithm", "gaussian", "--observed", "--costs",
                str(folder / "costs.csv"), "-q", "-o", str(folder / f"model{kind:d}.json"), *words)  # fmt: skip
    X, _ = clinic(40, seed=9)
    X[random.random(X.shape) < 0.2] = math.nan
    text = [",".join(NAMES)] + [",".join("" if math.isnan(v) else repr(float(v)) for v in x) for x in X]
    (folder / "new.csv").write_text("\n".join(text) + "\n")
    return folder, X


def run_of(query, x, **rules):
    p = query.reset().run(lambda name: x[NAMES.index(name)], **rules)
    bought = [
        {"attribute": b.attribute, "price": b.price, "value": None if math.isnan(b.value) else b.value}
        for b in query.bought
    ]
    found = {"mean": p.mean, "low": p.low, "high": p.high}
    if p.value is not None:
        found.update({"value": p.value, "class": str(int(p.value)), "probability": p.probability})
    return {**found, "bought": bought, "spent": query.spent, "stopped": query.stopped}


@pytest.mark.parametrize("two_valued", [False, True])
def test_run_is_what_the_command_buys(named, command, two_valued):
    folder, X = named
    query = scant.Model.load(folder / f"model{two_valued:d}.json").query()
    rules = [{"k": 2}, {"spend": 14}, {"until_width": 1.5 if two_valued else 3.0}, {"spend": 90, "k": 2}, {}]
    if two_valued:
        rules += [{"until_sure": 0.9}, {"until_sure": 0.75, "spend": "13.50"}]
    seen = set()
    for rule in rules:
        flags = [f for n, v in rule.items() for f in (f"-{n}" if n == "k" else f"--{n.replace('_', '-')}", str(v))]
        words = flags or ["-k", str(D)]
        printed = json.loads(
            command("predict", str(folder / f"model{two_valued:d}.json"), str(folder / "new.csv"), "--interval", "0.9",
                    "--json", *words)
        )  # fmt: skip
        mine = [run_of(query, x, **(rule or {"k": D})) for x in X]
        assert mine == printed["predictions"]
        assert sum(round(100 * m["spent"]) for m in mine) == round(100 * printed["money_spent"])
        seen |= {m["stopped"] for m in mine}
    assert seen == {"width", "k", "spend", "nothing"} | ({"sure"} if two_valued else set())


def test_ask_and_tell_are_what_next_says(named, command):
    folder, X = named
    for kind in (0, 1):
        path = str(folder / f"model{kind}.json")
        query = scant.Model.load(path).query(level=0.8)
        words = []
        while True:
            printed = json.loads(command("next", path, *words, "--json", "--interval", "0.8", "--top", "6"))
            p, offers, name = query.predict(), query.offers(), query.ask()
            assert (p.mean, p.low, p.high, p.variance) == tuple(printed[n] for n in ("mean", "low", "high", "variance"))
            assert (p.value, p.probability) == (printed.get("value"), printed.get("probability"))
            assert p.width == printed["width"] and name == (printed["next"] and printed["next"]["attribute"])
            assert p.expected_width == (printed["next"] or {}).get("width")
            listed = [{k: v for k, v in o._asdict().items() if v is not None} for o in offers]
            assert listed == printed["offers"]
            if name is None:
                break
            value = X[1][NAMES.index(name)]
            query.tell(name, None if math.isnan(value) else value)
            words.append(f"{name}={'' if math.isnan(value) else repr(float(value))}")
        assert len(words) == D


def test_asking_until_nothing_helps_is_predict_interval():
    estimator = fitted()
    X, _ = clinic(5, seed=3)
    query = estimator.query(level=0.7)
    widths = []
    for x in X:
        query.reset()
        while (name := query.ask()) is not None:
            expected = query.predict().expected_width
            query.tell(name, x[name])
            assert query.predict().width == pytest.approx(expected, rel=1e-9)
        mean, low, high = estimator.model_.predict_interval(x[None], 0.7)
        p = query.predict()
        assert (p.mean, p.low, p.high) == pytest.approx((mean[0], low[0], high[0]), rel=1e-9)
        assert p.expected_width is None and p.value is None and p.probability is None
        widths.append(p.width)
    assert len(set(np.round(widths, 9))) == 1


def test_what_is_known_already_is_told_in_one_go():
    estimator = fitted(costs=[c if isinstance(c, tuple) else (c, None) for c in COSTS.values()])
    one, other = estimator.query(), estimator.query()
    one.tell({0: 1.5, 5: -0.5, 3: None})
    other.tell(0, 1.5).tell(5, -0.5).tell(3, math.nan)
    assert one.predict() == other.predict() and one.is_told(3) and not one.is_told(1)
    assert [o.price for o in one.offers() if 2 in o.attributes] == [0]  # its group was bought
    assert one.reset().predict() == estimator.query().predict()
    texts = estimator.query().tell({0: "1.5", 5: " -0.5", 3: "NA"})
    assert texts.predict() == other.predict() and not texts.is_told(1)
    with pytest.raises(scant.DataError, match="4: 'x' is not a number"):
        texts.tell(4, "x")
    assert repr(other) == "<Query, 3 of 6 attributes told>"


def test_a_function_per_attribute_is_called_when_its_value_is_wanted():
    estimator = fitted()
    x, calls = clinic(1, seed=5)[0][0], []

    def get(i):
        return lambda: calls.append(i) or x[i]

    query = estimator.query()
    p = query.run({i: get(i) for i in range(D)}, k=2)
    assert query.stopped == "k" and calls == [b.attribute for b in query.bought] and len(calls) == 2
    assert [b.price for b in query.bought] == [None, None] and query.spent == 0
    assert query.run(lambda i: calls.append(i) or x[i], until_width=p.width) == p  # nothing more
    assert query.stopped == "width" and len(calls) == 2
    query.run(lambda i: calls.append(i) or x[i])
    assert query.stopped == "nothing" and sorted(calls) == list(range(D))


def test_a_failure_keeps_what_was_bought():
    estimator = fitted(costs=[c if isinstance(c, tuple) else (c, None) for c in COSTS.values()])
    x = clinic(1, seed=5)[0][0]
    query = estimator.query()

    def fetch(i):
        if i == 3:
            raise TimeoutError("the laboratory is closed")
        return x[i]

    with pytest.raises(TimeoutError, match="closed"):
        query.run(fetch)
    before = [b.attribute for b in query.bought]
    assert query.stopped is None and before[-1] == 2 and query.is_told(2) and not query.is_told(3)
    spent = query.spent
    assert spent >= 10  # the group is paid
    query.run(lambda i: x[i])
    assert [b.attribute for b in query.bought][: len(before)] == before and query.stopped == "nothing"
    assert {b.attribute for b in query.bought} == set(range(D)) and query.spent == pytest.approx(93.5)
    whole = estimator.query()
    whole.run(lambda i: x[i])
    assert whole.predict().mean == pytest.approx(query.predict().mean, rel=1e-9)
    with pytest.raises(scant.DataError, match="no function for"):
        estimator.query().run({})


def test_until_sure_stops_as_soon_as_one_value_is():
    estimator = fitted(two_valued=True)
    X, y = clinic(60, two_valued=True, seed=7)
    query, steps, right = estimator.query(), [], 0
    for x, t in zip(X, y, strict=False):
        p = query.reset().run(lambda i, x=x: x[i], until_sure=0.9)
        assert (p.probability >= 0.9) == (query.stopped == "sure")
        steps.append(len(query.bought))
        right += p.value == t
        again = estimator.query()
        for b in query.bought:  # it was not sure before
            assert again.predict().probability < 0.9
            again.tell(b.attribute, b.value)
        assert again.predict() == p
    assert len(set(steps)) > 1 and right > 45


def test_a_classifier_has_the_names_of_its_classes():
    X, y = clinic(two_valued=True)
    estimator = scant.LimitedClassifier(algorithm="gaussian", observed=True, random_state=1)
    estimator.fit(X, np.where(y > 0, "sick", "healthy"))
    seen = set()
    for x in X[:30]:
        p = estimator.query().run(lambda i, x=x: x[i])
        assert p.value == ("sick" if p.mean >= 0 else "healthy")
        seen.add(p.value)
    assert seen == {"sick", "healthy"} and estimator.model_.query().predict().value in (-1, 1)
    with pytest.raises(scant.UsageError, match="of auto"):
        scant.LimitedClassifier(algorithm="auto", k=3, random_state=1).fit(X, y).query()


def test_money_is_never_exceeded():
    estimator = fitted()
    x = clinic(1, seed=5)[0][0]
    random = np.random.default_rng(2)
    for _ in range(30):
        prices = [(int(c), int(g)) for c, g in zip(random.integers(0, 9, D), random.integers(1, 5, D), strict=False)]
        query = estimator.query(prices=prices)
        spend = int(random.integers(1, 20))
        query.run(lambda i: x[i], spend=spend)
        assert query.spent <= spend and query.spent == sum(b.price for b in query.bought)
        left = [o.price for o in query.offers()]
        assert query.stopped == ("spend" if left else "nothing") and all(p > spend - query.spent for p in left)


def test_columns_of_words(tmp_path, command):
    random = np.random.default_rng(3)
    words, x = random.choice(["red", "green", "blue"], 200), random.normal(size=200)
    y = 2 * (words == "red") - (words == "blue") + 0.5 * x + 0.1 * random.normal(size=200)
    lines = [f"{w},{a!r},{b!r}" for w, a, b in zip(words, map(float, x), map(float, y), strict=False)]
    (tmp_path / "d.csv").write_text("colour,x,y\n" + "\n".join(lines) + "\n")
    command("fit", str(tmp_path / "d.csv"), "--one-hot", "colour", "--algorithm", "gaussian", "--observed", "-q", "-o",
            str(tmp_path / "m.json"))  # fmt: skip
    model = scant.Model.load(tmp_path / "m.json")
    query = model.query()
    assert query.ask() == "colour" and query.offers()[0].attribute == "colour"
    asked = []
    p = query.run(lambda name: asked.append(name) or {"colour": "red", "x": 0.5}[name])
    assert asked == ["colour", "x"] and query.spent == 2
    assert {b.attribute: b.value for b in query.bought} == {
        **{n: float(n == "colour=red") for n in model.names if n != "x"}, "x": 0.5
    }  # fmt: skip
    assert model.query().tell("colour", "red").tell("x", 0.5).predict() == p
    printed = json.loads(command("next", str(tmp_path / "m.json"), "colour=red", "x=0.5", "--json"))
    assert printed["mean"] == p.mean and printed["next"] is None
    with pytest.raises(scant.DataError, match="column of words"):
        model.query().tell("colour", 1.0)
    for empty in (None, math.nan, ""):
        query = model.query().tell(model.query().ask(), empty)
        assert query.is_told("colour") and not query.is_told("x") and query.ask() == "x"
        query = model.query()
        query.run(lambda name, empty=empty: empty if name == "colour" else 0.5)
        assert [math.isnan(b.value) for b in query.bought] == [b.attribute != "x" for b in query.bought]
    with pytest.warns(scant.ScantWarning, match="'pink' of 'colour'"):
        query = model.query().tell("colour", "pink")
    assert query.predict() == model.query().tell({n: 0 for n in model.names if n != "x"}).predict()
    # prices may put words of a column into another group, or attributes that are no words at all
    apart = {n: (1, "g") if n in ("colour=red", "colour=blue") else 1 for n in model.names}
    offers = [o.attributes for o in model.query(prices=apart).offers() if o.attribute in ("colour=red", "colour=blue")]
    assert offers == [["colour=blue", "colour=red"]]


def test_a_column_of_words_with_an_equal_sign_in_its_name(tmp_path, command):
    random = np.random.default_rng(3)
    words, x = random.choice(["red", "rose", "blue"], 200), random.normal(size=200)
    lines = [f"{w},{a!r},{float(b)!r}" for w, a, b in zip(words, map(float, x), (words == "red") + x, strict=False)]
    (tmp_path / "d.csv").write_text("a=b,x,y\n" + "\n".join(lines) + "\n")
    command("fit", str(tmp_path / "d.csv"), "--one-hot", "a=b", "--algorithm", "gaussian", "--observed", "-q", "-o",
            str(tmp_path / "m.json"))  # fmt: skip
    query = scant.Model.load(tmp_path / "m.json").query()
    asked = []
    query.run(lambda name: asked.append(name) or {"a=b": "red", "x": 0.5}[name])
    assert sorted(asked) == ["a=b", "x"]
    assert {b.attribute for b in query.bought if b.value == 1} == {"a=b=red"}


def test_several_are_told_or_none(named):
    query = scant.Model.load(named[0] / "model0.json").query()
    for name, value in (("gluose", 5), ("glucose", "high"), ("hdl", "1_0"), ("hdl", math.inf)):
        with pytest.raises(scant.DataError, match=name):
            query.tell({"age": 61, name: value})
        assert not query.is_told("age")
    assert query.tell({"age": 61, "glucose": "5.5"}).is_told("age")


def test_numbers_out_of_range_are_refused(named):
    query = scant.Model.load(named[0] / "model0.json").query()
    for top in (-1, -(2**40)):
        with pytest.raises(scant.UsageError, match=f"top={top}"):
            query.offers(top)
    assert query.offers(0) == []
    with pytest.raises(scant.UsageError, match="k=-1 must be above 0"):
        query.run(lambda n: 0, k=-1)
    with pytest.raises(scant.DataError, match="more than the 6 attributes"):
        query.run(lambda n: 0, k=2**64)
    with pytest.raises(TypeError):
        query.run(lambda n: 0, k=2.5)
    with pytest.raises(scant.DataError, match="age: 'high' is not a number"):
        query.run(lambda n: "high")
    assert not query.bought


def test_what_is_refused(named):
    folder, _ = named
    query = scant.Model.load(folder / "model0.json").query()
    with pytest.raises(scant.DataError, match="'gluose'; the nearest name is 'glucose'"):
        query.tell("gluose", 1)
    query.tell("glucose", 1)
    for value in (2, "3"):
        with pytest.raises(scant.MisuseError, match="'glucose' was told already"):
            query.tell("glucose", value)
    with pytest.raises(scant.DataError, match="not finite"):
        query.tell("hdl", math.inf)
    with pytest.raises(scant.DataError, match="'x' is not a number"):
        query.tell("hdl", "x")
    with pytest.raises(TypeError, match="mapping"):
        query.tell({"hdl": 1}, 2)
    with pytest.raises(TypeError, match="fetch"):
        query.run(3)
    bad = [
        ("k", 0),
        ("k", 7),
        ("spend", 0),
        ("spend", 1.234),
        ("spend", -1),
        ("until_width", 0),
        ("until_width", math.nan),
    ]
    for name, value in [*bad, ("until_sure", 0.5), ("until_sure", 1), ("until_sure", 0.9)]:
        with pytest.raises(scant.ScantError, match="two values" if value == 0.9 else name.replace("_", ".")):
            query.run(lambda n: 0, **{name: value})
    assert not query.bought
    for level in (0, 1, math.nan):
        with pytest.raises(scant.UsageError, match="level"):
            scant.Model.load(folder / "model0.json").query(level=level)
    with pytest.raises(scant.UsageError, match="spend needs prices"):
        fitted().query().run(lambda n: 0, spend=3)
    with pytest.warns(scant.ScantWarning), pytest.raises(scant.UsageError, match="all their targets were the same"):
        scant.LimitedRegressor(algorithm="gaussian", k=3, random_state=1).fit(
            clinic()[0], np.ones(len(clinic()[0]))
        ).query()
    with pytest.raises(scant.UsageError, match="of auto"):
        X, y = clinic()
        scant.LimitedRegressor(algorithm="auto", k=3, random_state=1).fit(X, y).query()
    with pytest.raises(scant.DataError, match="numbers from 0 to 5"):
        fitted().query().tell("age", 1)
    with pytest.raises(scant.NoInputError):
        fitted().query(prices=folder / "absent.csv")


def test_prices_come_from_a_file_a_mapping_or_the_fit(named):
    folder, _ = named
    model = scant.Model.load(folder / "model0.json")
    wanted = bits(*[o.price for o in model.query().offers()])
    for prices in (folder / "costs.csv", str(folder / "costs.csv"), COSTS, list(COSTS.values())):
        assert bits(*[o.price for o in model.query(prices=prices).offers()]) == wanted
    query = model.query()
    del model  # the query keeps it
    assert query.ask() == "age" and query.offers()[0].price == 0
