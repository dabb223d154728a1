"""Input that is refused: a sentence with what is wrong, and an estimator as it was before."""

import copy
import dataclasses
import re

import numpy as np
import pandas
import pytest
import scipy.sparse
from support import bits, learned, regressor, table

import scant
from scant import _options

X, Y = table(60)
LABELS = np.where(Y > 0, 1, 0)
REGRESSORS = [scant.LimitedRegressor, scant.LimitedRidge, scant.LimitedLasso, scant.LimitedSVR]


FRAME = pandas.DataFrame(X, columns=list("abcdef"))


def with_cell(value, dtype=object):
    bad = X.astype(dtype)
    bad[4, 2] = value
    return bad


# name: X, y, the exception, words of its sentence
DATA = {
    "one dimension": (X[0], Y[:6], ValueError, "2D array"),
    "three dimensions": (X[None], Y[:1], ValueError, "dim 3"),
    "no dimension": (np.float64(3), Y, ValueError, "2D array"),
    "fewer targets": (X, Y[:-1], ValueError, "inconsistent numbers of samples"),
    "more targets": (X[:-1], Y, ValueError, "inconsistent numbers of samples"),
    "fewer targets of a frame": (pandas.DataFrame(X), Y[:-1], ValueError, "inconsistent numbers of samples"),
    "fewer targets of a sparse table": (scipy.sparse.csr_array(X), Y[:-1], ValueError, "inconsistent"),
    "no rows": (X[:0], Y[:0], ValueError, "0 sample"),
    "no rows of a frame": (pandas.DataFrame(X[:0]), Y[:0], ValueError, "0 sample|no row|no examples"),
    "no attributes": (X[:, :0], Y, ValueError, r"0 feature\(s\)"),
    "one attribute": (X[:, :1], Y, ValueError, r"1 feature\(s\)"),
    "one attribute of a frame": (pandas.DataFrame(X[:, :1]), Y, ValueError, r"1 feature\(s\)"),
    "one attribute of a sparse table": (scipy.sparse.csr_array(X[:, :1]), Y, ValueError, r"1 feature\(s\)"),
    "complex": (X + 1j, Y, ValueError, "[Cc]omplex"),
    "an object": (with_cell({"a": 1}), Y, TypeError, "argument must be .* string.* number"),
    "a word in an object array": (with_cell("many"), Y, ValueError, "could not convert string to float: 'many'"),
    "texts": (X.astype(str), Y, ValueError, "dtype='numeric' is not compatible"),
    "lists of unlike length": ([[1, 2], [3]], [1, 2], ValueError, ""),
    "no X": (None, Y, ValueError, ""),
    "a word in a frame": (pandas.DataFrame(with_cell("many")), Y, ValueError, "column 2.*'many'"),
    "categories": (
        FRAME.assign(b=pandas.Categorical(list("xy") * 30)),
        Y,
        ValueError,
        "column 'b' holds text, such as 'x': leave it out",
    ),
    "two columns of text": (
        FRAME.assign(b=pandas.Categorical(list("xy") * 30), d=["Rome", None] * 30),
        Y,
        ValueError,
        "columns 'b' and 'd' hold text, such as 'x': leave them out, or make 0/1 columns",
    ),
    "times": (
        FRAME.assign(b=pandas.date_range("2020", periods=60)),
        Y,
        ValueError,
        "column 'b' is of datetime64",
    ),
    "times alone": (np.full((60, 6), np.datetime64("2020", "s")), Y, ValueError, "datetime64"),
    "numbers as categories": (FRAME.assign(b=pandas.Categorical([1, 2] * 30)), Y, ValueError, "column 'b' is of categ"),
    "numbers as texts": (FRAME.assign(b=["1", "2"] * 30), Y, ValueError, "column 'b'"),
    "names that are the same": (pandas.DataFrame(X, columns=list("abcabc")), Y, ValueError, "'?a'?"),
    "names of two kinds": (pandas.DataFrame(X, columns=["a", 2, 3, 4, 5, 6]), Y, TypeError, "string"),
    "y with NaN": (X, np.where(Y > 0.5, np.nan, Y), ValueError, "NaN"),
    "y with infinity": (X, np.where(Y > 0.5, np.inf, Y), ValueError, "infinity"),
    "y of a frame with NaN": (pandas.DataFrame(X), np.where(Y > 0.5, np.nan, Y), ValueError, "NaN"),
    "y of two dimensions": (X, np.c_[Y, Y], ValueError, "1d array|shape"),
    "y of words": (X, ["a", "b"] * 30, ValueError, "could not convert"),
    "no y": (X, None, ValueError, "requires y"),
    "bought infinity": (np.full_like(X, np.inf), Y, ValueError, "infinity"),
}

# name: keywords, the exception, words
SETTINGS = {
    "k above d": ({"k": 7}, ValueError, "k = 7 .* 6"),
    "k of 1": ({"k": 1}, ValueError, "k"),
    "k of 0": ({"k": 0}, ValueError, "k"),
    "negative k": ({"k": -3}, ValueError, "k"),
    "k a word": ({"k": "abc"}, ValueError, "k.*abc"),
    "k a fraction": ({"k": 2.5}, ValueError, "k.*2.5"),
    "k a list": ({"k": [2]}, (ValueError, TypeError), "k"),
    "k true": ({"k": True}, (ValueError, TypeError), "k=True"),
    "k not a number": ({"k": float("nan")}, ValueError, "k"),
    "unknown algorithm": ({"algorithm": "magic"}, ValueError, "no algorithm 'magic'"),
    "algorithm no name": ({"algorithm": 3}, (ValueError, TypeError), "3"),
    "algorithm None": ({"algorithm": None}, (ValueError, TypeError), "None"),
    "radius of auto": ({"algorithm": "auto", "radius": 1}, ValueError, "radius"),
    "option of another row": ({"algorithm": "aerr", "loss": "huber"}, ValueError, "loss"),
    "negative radius": ({"algorithm": "ridge", "radius": -1}, ValueError, "radius.*-1"),
    "radius no number": ({"algorithm": "ridge", "radius": "wide"}, ValueError, "radius.*wide"),
    "radius NaN": ({"algorithm": "ridge", "radius": float("nan")}, ValueError, "radius"),
    "unknown missing": ({"missing": "x"}, ValueError, "missing.*x"),
    "unknown average": ({"average": "some"}, ValueError, "average.*some"),
    "intercept a word": ({"intercept": "perhaps"}, ValueError, "intercept|no-intercept"),
    "negative budget": ({"budget": -5}, ValueError, "budget"),
    "no passes": ({"passes": 0}, ValueError, "passes"),
    "too many passes": ({"k": 2, "passes": 2}, ValueError, "passes|k|visit"),
    "null character": ({"missing": "error\0x"}, ValueError, "null"),
    "hinge": ({"algorithm": "svr", "loss": "hinge"}, ValueError, "hinge.*LimitedClassifier"),
    "logistic": ({"algorithm": "svr", "loss": "logistic"}, ValueError, "logistic.*LimitedClassifier"),
    "few costs": ({"costs": [1, 2]}, ValueError, "2 entries.*6"),
    "many costs": ({"costs": [1] * 7}, ValueError, "7 entries.*6"),
    "costs of unknown names": ({"costs": {**dict.fromkeys(range(6), 1), "age": 1}}, ValueError, "'age'"),
    "costs that lack one": ({"costs": dict.fromkeys(range(5), 1)}, ValueError, "5"),
    "negative cost": ({"costs": [1, 1, -1, 1, 1, 1]}, ValueError, "attribute 2 costs -1"),
    "cost in thousandths": ({"costs": [1, 1, 1, 0.125, 1, 1]}, ValueError, "attribute 3 costs 0.125.*hundredths"),
    "cost a word": ({"costs": [1, "dear", 1, 1, 1, 1]}, ValueError, "'dear'"),
    "cost NaN": ({"costs": [1, float("nan"), 1, 1, 1, 1]}, ValueError, "nan"),
    "cost infinite": ({"costs": [1, float("inf"), 1, 1, 1, 1]}, ValueError, "inf"),
    "cost without bounds": ({"costs": [1e300] * 6}, ValueError, "too much"),
    "costs of three parts": ({"costs": [(1, "a", 2)] * 6}, ValueError, "pair"),
    "costs no file": ({"costs": "/nowhere/costs.csv"}, FileNotFoundError, "/nowhere/costs.csv"),
    "costs a number": ({"costs": 3}, (ValueError, TypeError), "costs"),
    "spend without costs": ({"spend": 3}, ValueError, "spend"),
    "spend too little": ({"costs": [5] * 6, "spend": 3}, ValueError, "spend 3.00"),
    "seed a word": ({"random_state": "lucky"}, ValueError, "lucky"),
    "seed negative": ({"random_state": -1}, ValueError, "seed"),
    "log target of what is below": ({"log_target": True}, ValueError, "-1"),
    "no callback": ({"callback": 3}, TypeError, "callable"),
}


def snapshot(estimator):
    return {name: bits(value) if isinstance(value, np.ndarray) else value for name, value in vars(estimator).items()}


class Untouched:
    """A fitted estimator, and that it is the same afterwards: all it holds, what it predicts, how it goes on."""

    def __init__(self, estimator, y):
        self.estimator, self.y = estimator, y
        self.before, self.predictions = snapshot(estimator), bits(estimator.predict(X))
        self.twin = copy.deepcopy(estimator)

    def check(self, **given):
        before = {**self.before, **given}
        after = snapshot(self.estimator)
        # A learner may be kept as text in place of the fit, which says the same.
        before.pop("_fit", None), before.pop("_kept_learner", None)
        after.pop("_fit", None), after.pop("_kept_learner", None)
        assert before == after
        assert bits(self.estimator.predict(X)) == self.predictions
        self.estimator.set_params(**{name: self.before[name] for name in given})
        assert learned(self.estimator.partial_fit(X, self.y)) == learned(self.twin.partial_fit(X, self.y))


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", DATA)
def test_data(name, call):
    bad, targets, kind, words = DATA[name]
    fresh = regressor(k=2 if "bought" in name else None)
    with pytest.raises(kind, match=words or None):
        getattr(fresh, call)(bad, targets)
    assert vars(fresh).keys() == fresh.get_params(deep=False).keys()
    for first in ("fit", "partial_fit"):
        fitted = getattr(regressor(k=2), first)(X, Y)
        kept = Untouched(fitted, Y)
        again = words if call == "fit" or "feature" not in words else "feature"
        with pytest.raises((kind, ValueError), match=again or None):
            getattr(fitted, call)(bad, targets)
        kept.check()


@pytest.mark.parametrize("name", [name for name in DATA if not re.match("y |no y|fewer|more|no rows of", name)])
def test_predict(name):
    bad, _, kind, words = DATA[name]
    fitted = regressor(k=2).fit(X, Y)
    kept = Untouched(fitted, Y)
    if "attribute" in words or "attribute" in name or "names" in name:
        kind, words = TypeError, ""
    with pytest.raises((kind, ValueError), match=words or None):
        fitted.predict(bad)
    kept.check()


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name):
    keywords, kind, words = SETTINGS[name]
    with pytest.raises(kind, match=words):
        regressor(**keywords).fit(X, Y - 2 if "log" in name else Y)
    fitted = regressor(k=2).fit(X, Y)
    kept = Untouched(fitted, Y)
    fitted.set_params(**keywords)
    with pytest.raises(kind, match=words):
        fitted.fit(X, Y - 2 if "log" in name else Y)
    kept.check(**keywords)


def test_unknown_keywords():
    with pytest.raises(TypeError, match="nonsense"):
        scant.LimitedRegressor(nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        scant.LimitedRegressor().set_params(nonsense=1)
    with pytest.raises(TypeError):
        scant.LimitedRidge(loss="huber")


@pytest.mark.parametrize(
    "kind, row",
    [
        (scant.LimitedRidge, "lasso"),
        (scant.LimitedLasso, "ridge"),
        (scant.LimitedSVR, "auto"),
        (scant.LimitedRidge, "auto"),
    ],
)
def test_rows_of_another_class(kind, row):
    with pytest.raises(ValueError, match=f"{row} is no algorithm of {kind.__name__}: it has .*{kind()._algorithms[0]}"):
        kind(algorithm=row).fit(X, Y)


def test_rows_that_need_lapack(monkeypatch):
    """In a build that leaves LAPACK out."""
    for row in (row for row in scant.algorithms() if row.dense):
        absent = dataclasses.replace(row, available=False)
        monkeypatch.setattr(_options, "ALGORITHMS", {**_options.ALGORITHMS, row.name: absent})
        with pytest.raises(ValueError, match=f"{row.name} needs LAPACK.*`pip install .` does not"):
            regressor(row.name).fit(X, Y)


@pytest.mark.parametrize("call", ["predict", "partial_fit"])
@pytest.mark.parametrize("change", [lambda t: t[:, :5], lambda t: np.c_[t, t]])
@pytest.mark.parametrize("form", [np.asarray, pandas.DataFrame, scipy.sparse.csr_array])
def test_another_number_of_attributes(call, change, form):
    fitted = regressor(k=2).fit(X, Y)
    kept = Untouched(fitted, Y)
    bad = form(change(X))
    with pytest.raises(ValueError, match=f"{bad.shape[1]} features, but LimitedRegressor is expecting 6 features"):
        fitted.predict(bad) if call == "predict" else fitted.partial_fit(bad, Y)
    kept.check()


def test_other_names():
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    fitted = regressor(k=2).fit(frame, Y)
    before = learned(fitted)
    for columns in ("abcdeg", "bacdef"):
        other = frame.set_axis(list(columns), axis=1)
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(other)
        with pytest.raises(ValueError, match="feature names"):
            fitted.partial_fit(other, Y)
    assert learned(fitted) == before


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    for kind in (*REGRESSORS, scant.LimitedClassifier):
        with pytest.raises(NotFittedError, match=kind.__name__):
            kind().predict(X)


# ---- classes -----------------------------------------------------------------


@pytest.mark.parametrize(
    "labels, words",
    [
        (np.zeros(60), "two classes.*1 class"),
        (np.arange(60) % 3, "Only binary classification.*3 classes"),
        (Y, "[Uu]nknown label type"),
        (np.where(Y > 0, 1.0, np.nan), "NaN"),
        (np.c_[LABELS, LABELS], "1d array|shape"),
        (LABELS[:-1], "inconsistent"),
        (None, "requires y"),
    ],
)
def test_classes(labels, words):
    with pytest.raises(ValueError, match=words):
        scant.LimitedClassifier(k=2).fit(X, labels)
    fitted = scant.LimitedClassifier(k=2, random_state=1).fit(X, LABELS)
    kept = Untouched(fitted, LABELS)
    with pytest.raises(ValueError, match=words):
        fitted.fit(X, labels)
    kept.check()


def test_classes_of_partial_fit():
    classifier = scant.LimitedClassifier(k=2, random_state=1)
    with pytest.raises(ValueError, match="classes must be passed"):
        classifier.partial_fit(X, LABELS)
    with pytest.raises(ValueError, match="class 1"):
        classifier.partial_fit(X, LABELS, classes=[0, 2])
    with pytest.raises(ValueError, match="two classes"):
        classifier.partial_fit(X, LABELS, classes=[0])
    assert vars(classifier).keys() == classifier.get_params(deep=False).keys()
    classifier.partial_fit(X, LABELS, classes=[0, 1])
    kept = Untouched(classifier, LABELS)
    with pytest.raises(ValueError, match="class 2"):
        classifier.partial_fit(X, LABELS + 1)
    with pytest.raises(ValueError, match="not the same"):
        classifier.partial_fit(X, LABELS, classes=[0, 2])
    kept.check()


def test_probabilities_of_other_losses():
    with pytest.raises(AttributeError, match="predict_proba"):
        scant.LimitedClassifier().fit(X, LABELS).predict_proba(X)


# ---- in the middle of a batch -------------------------------------------------


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
@pytest.mark.parametrize("way", ["value", "callback", "warning"])
@pytest.mark.parametrize("first", ["fit", "partial_fit", "unpickled"])
def test_a_failure_in_the_middle_of_a_batch(first, way, kind):
    """Some examples of the batch are learned from, then one can't be: none count."""
    y = Y if kind == "regressor" else LABELS
    made = regressor(k=2) if kind == "regressor" else scant.LimitedClassifier(k=2, random_state=3)
    extra = {"classes": [0, 1]} if kind == "classifier" and first != "fit" else {}
    fitted = getattr(made, "fit" if first == "fit" else "partial_fit")(X, y, **extra)
    if first == "unpickled":
        fitted = copy.deepcopy(fitted)
    kept = Untouched(fitted, y)
    for _ in range(2):
        if way == "value":
            bad = np.tile(X, (20, 1))
            bad[600:] = np.inf
            with pytest.raises(ValueError, match="infinity"):
                fitted.partial_fit(bad, np.tile(y, 20))
            kept.check() if _ else None
        elif way == "callback":

            def stop(progress):
                raise ArithmeticError(f"after {progress.examples}")

            fitted.callback = stop
            with pytest.raises(ArithmeticError, match=r"after \d+"):
                fitted.partial_fit(X, y)
            fitted.callback = None
            kept.check() if _ else None
        else:
            import warnings

            bad = np.tile(X, (20, 1))
            bad[:, 3] = np.nan
            with warnings.catch_warnings():
                warnings.simplefilter("error", scant.ScantWarning)
                with pytest.raises(scant.ScantWarning, match="attribute 3|never had a value"):
                    regressor(k=4).fit(bad, np.tile(Y, 20))
            return


def test_sentences_have_no_newlines_nor_numbers_of_status():
    for keywords, kind, _ in SETTINGS.values():
        with pytest.raises(kind) as caught:
            regressor(**keywords).fit(X, Y - 2)
        assert not re.search(r"\n|status", str(caught.value))


@pytest.mark.parametrize("wrong", ["model.json", None, 0, 1, b"abc"])
def test_a_model_is_loaded_not_made(wrong):
    with pytest.raises(TypeError, match="Model.load"):
        scant.Model(wrong)
