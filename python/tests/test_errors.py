"""Standard errors: the keyword, the intervals and the summary, against errors that are made here by hand."""

import pickle
import warnings

import numpy as np
import pytest
from studies import needs_studies, plain, values_of
from support import bits, regressor, table

import scant

STREAMING = ["auto", "ridge", "lasso", "svr"]
WITH = [*STREAMING, "gaussian", "moments"]
OTHERS = {"svr": {"k": 5}}


def fitted(row, rows=300, **keywords):
    X, y = table(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.ScantWarning)
        return regressor(row, **{"k": 4, **OTHERS.get(row, {}), "random_state": 3, **keywords}).fit(X, y)


@pytest.mark.parametrize("row", WITH)
def test_errors_cost_nothing_and_change_nothing_else(row):
    plain, model = fitted(row), fitted(row, errors=True)
    assert bits(plain.coef_, plain.intercept_) == bits(model.coef_, model.intercept_)
    assert plain.ledger_ == model.ledger_ and bits(plain.purchases_) == bits(model.purchases_)
    assert plain.coef_error_ is None and np.isnan(plain.intercept_error_)
    assert model.coef_error_.shape == (6,) and np.all(model.coef_error_ > 0) and model.intercept_error_ > 0
    again = pickle.loads(pickle.dumps(model))
    assert bits(again.coef_error_, again.conf_int()) == bits(model.coef_error_, model.conf_int())


def test_by_hand():
    """With every attribute seen and none penalised, this is least squares, 20 times on all but a group."""
    X, y = table(400)
    model = regressor("gaussian", k=6, errors_of="all", clip="none", random_state=1).fit(X, y)
    left_out = []
    order = np.random.default_rng(0)  # the groups are by the order of learning, which the seed decides: any will do
    groups = order.permutation(400) % 20
    for group in range(20):
        A = np.c_[np.ones(400), X][groups != group]
        left_out.append(np.linalg.lstsq(A, y[groups != group], rcond=None)[0])
    spread = np.sqrt(19 / 20 * ((left_out - np.mean(left_out, 0)) ** 2).sum(0))
    least = np.linalg.lstsq(np.c_[np.ones(400), X], y, rcond=None)[0]
    np.testing.assert_allclose(np.r_[model.intercept_, model.coef_], least, rtol=0, atol=0.25 * spread.max())
    # each of the two errors is itself off by a part of 1/sqrt(2 * 19)
    ratio = np.r_[model.intercept_error_, model.coef_error_] / spread
    assert np.all((ratio > 0.4) & (ratio < 2.5)) and 0.7 < np.exp(np.log(ratio).mean()) < 1.4
    assert model.model_.unpenalised.all()
    chosen = regressor("default", k=6, errors_of="all", clip="none", random_state=1).fit(X, y)
    assert bits(chosen.coef_error_, chosen.coef_) == bits(model.coef_error_, model.coef_)


def test_intervals_are_by_student():
    model = fitted("gaussian", errors=True)
    low, high = model.conf_int(0.9).T
    times = 1.729132811521367  # of 19 degrees of freedom, at 95%
    np.testing.assert_allclose(high - model.coef_, times * model.coef_error_, rtol=1e-9)
    np.testing.assert_allclose(model.coef_ - low, times * model.coef_error_, rtol=1e-9)
    both = model.conf_int(0.95, intercept=True)
    assert both.shape == (7, 2)
    assert both[0].mean() == pytest.approx(model.intercept_)
    assert (both[0, 1] - both[0, 0]) / 2 == pytest.approx(2.093024054408263 * model.intercept_error_, rel=1e-9)


def test_summary_says_all_that_is_known():
    model = fitted("gaussian", errors=True)
    found = model.summary()
    text = str(found)
    assert repr(found) == text and max(map(len, text.splitlines())) < 120
    for words in ("gaussian", "300", "1,200", "std err", "P>|t|", "[0.05", "0.95]", "intercept", "shrunk toward 0"):
        assert words in text
    rows = found.rows
    assert [row.name for row in rows] == ["intercept", *(f"x{i}" for i in range(6))]
    for i, row in enumerate(rows[1:]):
        assert (row.coef, row.error) == (model.coef_[i], model.coef_error_[i])
        assert row.purchases == model.purchases_[i]
        # at p = 1 - level, an interval of that level ends at 0
        low, high = model.conf_int(1 - row.p)[i] if 1e-6 < row.p < 1 - 1e-6 else (0, 1)
        assert min(abs(low), abs(high)) < 1e-6 * max(abs(low), abs(high), 1)
        assert row.holds_zero == (row.p > 0.1 - 1e-9)
    frame = found.to_frame()
    assert list(frame.index) == [row.name for row in rows] and frame["coef"].iloc[1] == rows[1].coef
    some = fitted("gaussian", errors_of=["2", "5"])
    assert list(some.model_.unpenalised) == [False, True, False, False, True, False]
    assert bits(fitted("gaussian", errors_of=[1, 4]).coef_error_) == bits(some.coef_error_)
    assert "x1 u" in str(some.summary()) and "u were read unpenalised" in str(some.summary()).replace("\n", " ")
    assert "shrunk" not in str(fitted("gaussian", errors_of="all").summary())


def test_names_and_classes():
    pandas = pytest.importorskip("pandas")
    X, y = table(200)
    X = pandas.DataFrame(X, columns=list("abcdef"))
    model = scant.LimitedClassifier(algorithm="gaussian", k=4, errors_of=["a", "c"], random_state=1).fit(
        X, y > np.median(y)
    )
    assert model.coef_error_.shape == (1, 6) and model.intercept_error_.shape == (1,)
    assert [row.name for row in model.summary().rows] == ["intercept", *"abcdef"]
    assert model.conf_int().shape == (6, 2)
    with pytest.raises(scant.ScantError, match="'g'"):
        scant.LimitedRegressor(algorithm="gaussian", k=4, errors_of=["a", "g"]).fit(X, y)


def test_a_risk_that_is_not_known_is_not_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.ScantWarning)
        model = regressor("gaussian", k=2, errors=True).fit(np.ones((60, 3)), np.arange(60) % 2)
    assert np.isnan(model.model_.risk) and "nan" not in str(model.summary())


def test_what_is_refused():
    X, y = table(39)
    with pytest.raises(scant.DataError, match="40"):
        regressor("gaussian", k=4, errors=True).fit(X, y)
    X, y = table(200)
    with pytest.raises(scant.UsageError, match="aerr"):
        regressor("aerr", k=4, errors=True).fit(X, y)
    with pytest.raises(scant.UsageError, match="errors-of"):
        regressor("auto", k=4, errors_of="all").fit(X, y)
    model = regressor("auto", k=4).fit(X, y)
    with pytest.raises(scant.UsageError, match="errors=True"):
        model.conf_int()
    with pytest.raises(scant.UsageError, match="errors=True"):
        model.summary()
    with pytest.raises(scant.UsageError, match="level"):
        fitted("auto", errors=True).conf_int(90)
    # the money ended it: the model stays, and a warning says why there are no errors
    with pytest.warns(scant.ScantWarning, match="no errors.*40"):
        short = regressor("auto", k=4, errors=True, budget=100).fit(X, y)
    assert short.coef_error_ is None and short.n_iter_ == 25


def test_a_model_file_keeps_them(tmp_path):
    model = fitted("auto", errors=True).model_
    model.save(tmp_path / "m.json")
    loaded = scant.Model.load(tmp_path / "m.json")
    assert bits(loaded.coef_error, loaded.conf_int(0.8)) == bits(model.coef_error, model.conf_int(0.8))
    assert (loaded.risk, loaded.risk_error, loaded.intercept_error) == (
        model.risk,
        model.risk_error,
        model.intercept_error,
    )
    assert str(loaded.summary()) == str(model.summary())


@pytest.mark.parametrize("keywords", [{"errors": True}, {"errors_of": ["2", "4"]}])
def test_a_pickled_stream_goes_on_with_them(keywords):
    X, y = table(200)
    whole, broken = (regressor("gaussian", k=4, random_state=1, **keywords).partial_fit(X[:100], y[:100]) for _ in "12")
    broken = pickle.loads(pickle.dumps(broken))
    for model in (whole, broken):
        model.partial_fit(X[100:], y[100:])
    assert bits(whole.coef_, whole.coef_error_) == bits(broken.coef_, broken.coef_error_)
    assert list(broken.model_.unpenalised) == list(whole.model_.unpenalised)


def test_a_pickled_stream_of_others_says_that_it_has_none():
    X, y = table(200)
    model = pickle.loads(pickle.dumps(regressor("auto", k=4, errors=True).partial_fit(X[:100], y[:100])))
    with pytest.warns(scant.ScantWarning, match="there are no errors: .*from the beginning"):
        model.partial_fit(X[100:], y[100:])
    assert model.coef_error_ is None


def test_a_stream_that_failed_once_says_that_it_has_none():
    X, y = table(200)
    model = regressor("auto", k=4, errors=True).partial_fit(X[:100], y[:100])
    assert model.coef_error_ is not None
    with pytest.raises(scant.DataError, match="infinity"):
        model.partial_fit(np.full((100, 6), np.inf), y[100:])
    with pytest.warns(scant.ScantWarning, match="there are no errors: .*from the beginning"):
        model.partial_fit(X[100:], y[100:])
    assert model.coef_error_ is None and model.ledger_["examples"] == 200


def test_too_many_purchases_are_learned_from_all_the_same():
    X, y = table(400)
    model = regressor("auto", k=4, errors=True, memory=3e-5).partial_fit(X[:100], y[:100])
    with pytest.warns(scant.ScantWarning, match="there are no errors: out of memory for the purchases"):
        model.partial_fit(X[100:], y[100:])
    assert model.coef_error_ is None and model.ledger_["examples"] == 400


@needs_studies
@pytest.mark.parametrize("algorithm", ["auto", "gaussian"])
def test_a_study_has_them_too(tmp_path, algorithm):
    X, y = table(60)
    with plain(tmp_path / "s.study", algorithm=algorithm, k=4) as study:
        for i, (x, target) in enumerate(zip(X, y, strict=True)):
            study.tell(f"e{i}", {**values_of(study.ask(f"e{i}"), x), "y": target})
            if i == 30:
                with pytest.raises(scant.DataError, match="40"):
                    study.model(errors=True)
        model = study.model(errors=True)
        assert bits(model.coef) == bits(study.model().coef) and study.model().coef_error is None
        assert np.all(model.coef_error > 0) and len(model.summary().rows) == 7
        if algorithm == "gaussian":
            assert list(study.model(errors_of=["a1", "a5"]).unpenalised) == [False, True, False, False, False, True]
