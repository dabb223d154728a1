"""What estimators and models for Spark have in common: Params as pyspark.ml has them, and how models are written."""

from __future__ import annotations

import json
import os
import zlib
from typing import Any, NamedTuple

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasCheckpointInterval, HasSeed
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from ..._errors import DataError
from ..._model import Model
from .. import _driver as rounds
from .._plan import terms_of


class _Names(NamedTuple):
    """What is known of a table before its data are."""

    names: list[str]


def check_settings(names: list[str], is_known: bool, keywords: dict[str, Any]) -> None:
    """Refuses keywords of ``scant.distributed.fit`` that are wrong for every table with these attributes; ``is_known``
    says that there are so many, so that their number may be judged, too."""
    given = {name: keywords.get(name) for name in ("random_state", "budget", "clip", "costs", "budget_cost", "em")}
    given["options"] = {name: keywords[name] for name in ("memory",) if name in keywords}
    terms = terms_of(_Names(names), keywords["algorithm"], keywords.get("k"), None, False, given)  # type: ignore[arg-type]
    if is_known:
        rounds.check(terms.settings, len(names))


def to_clip(value: Any) -> float | str:
    return "none" if value == "none" else TypeConverters.toFloat(value)


class FeaturesCols(Params):
    """featuresCols, which takes the place of featuresCol where it is set."""

    featuresCols: Any = Param(
        Params._dummy(),
        "featuresCols",
        "columns of numbers that are the attributes; where it is set, featuresCol is not looked at",
        TypeConverters.toListString,
    )

    def getFeaturesCols(self) -> list[str]:
        """Gets the value of featuresCols."""
        return list(self.getOrDefault(self.featuresCols))

    def setFeaturesCols(self, value: list[str]) -> Any:
        """Sets the value of :py:attr:`featuresCols`."""
        return self._set(featuresCols=value)

    def _features(self) -> tuple[str, list[str] | None]:
        """featuresCol, and featuresCols where it is set."""
        columns = self.getOrDefault(self.featuresCols) if self.isSet(self.featuresCols) else None
        return self.getOrDefault(self.getParam("featuresCol")), columns


# Params of a fit: name, help, and how a value is converted.
_OF_A_FIT = (
    ("k", "attributes that are bought of each block; default: a tenth of them", TypeConverters.toInt),
    ("budget", "attributes to buy at most; default: no limit", TypeConverters.toInt),
    ("algorithm", "gaussian or moments", TypeConverters.toString),
    ("blockRows", "rows of a DataFrame's partition that share one look (>= 1)", TypeConverters.toInt),
    (
        "clip",
        "attributes are clipped to so many standard deviations around the mean, or none; default: the algorithm's",
        to_clip,
    ),
    ("costs", "the cost of each attribute, in order", TypeConverters.toListFloat),
    ("budgetCost", "money to spend at most, at these costs; default: no limit", TypeConverters.toFloat),
    (
        "em",
        "where expectation steps run: driver, workers or auto (the driver, up to 1 GiB of sums)",
        TypeConverters.toString,
    ),
    ("memory", "GiB that the driver may take for matrices (d^2); default: 4", TypeConverters.toFloat),
    ("timeout", "seconds without a task that ends, after which a fit gives up", TypeConverters.toFloat),
)
_WITH_DEFAULTS = ("algorithm", "blockRows", "em", "timeout")


def _add_method(kind: Any, verb: str, name: str, method: Any, doc: str) -> None:
    method.__name__ = verb + name[0].upper() + name[1:]
    method.__qualname__, method.__doc__ = f"{kind.__qualname__}.{method.__name__}", doc
    setattr(kind, method.__name__, method)


def _add_getter(kind: Any, name: str, convert: Any) -> None:
    def get(self: Any) -> Any:
        return convert(self.getOrDefault(name))

    _add_method(
        kind, "get", name, get, f"Gets the value of {name}{' or its default value' * (name in _WITH_DEFAULTS)}."
    )


def _add_setter(kind: Any, name: str) -> None:
    def set_it(self: Any, value: Any) -> Any:
        return self._set(**{name: value})

    _add_method(kind, "set", name, set_it, f"Sets the value of :py:attr:`{name}`.")


def _with_params(kind: Any) -> Any:
    """Gives a class the Params of a fit, with their getters, and all setters."""
    for name, doc, convert in _OF_A_FIT:
        setattr(kind, name, Param(Params._dummy(), name, doc, convert))
        _add_getter(kind, name, convert)
    for name in (*(name for name, _, _ in _OF_A_FIT), "seed", "checkpointInterval"):
        _add_setter(kind, name)
    return kind


@_with_params
class LimitedParams(FeaturesCols, HasSeed, HasCheckpointInterval):
    """The Params of a fit."""

    def __init__(self) -> None:
        super().__init__()
        # Python's hash of a name differs from run to run, so the seed is another digest of it.
        self._setDefault(
            seed=zlib.crc32(type(self).__name__.encode()),
            checkpointInterval=10,
            algorithm="gaussian",
            blockRows=256,
            em="auto",
            timeout=600.0,
        )

    def _given(self, *names: str) -> dict[str, Any]:
        """The values of Params that are set; None is as good as not set."""
        found = {name: self.getOrDefault(name) for name in names if self.isDefined(name)}
        return {name: value for name, value in found.items() if value is not None}


# What a summary tells, as a Result calls it.
_IN_RESULT = {
    "attributesBought": "attributes_bought",
    "bytesRead": "bytes_read",
    "moneySpent": "money_spent",
    "tasksRetried": "tasks_retried",
    "numInstances": "examples",
    "numBlocks": "blocks",
    "numRounds": "rounds",
    "risk": "risk",
    "riskError": "risk_error",
    "seconds": "seconds",
}


class LimitedSummary:
    """What a fit came to and what it cost.

    Attributes
    ----------
    attributesBought, bytesRead : int
        Each block is charged once, however often its task ran.
    moneySpent : float
    tasksRetried : int
        Tasks that ran more than once, as far as Spark tells.
    numInstances, numBlocks, numRounds : int
        What it learned from.
    risk, riskError : float
        The squared error as estimated from the looks, and its standard error.
    seconds : dict
        By phase.
    """

    attributesBought: int
    bytesRead: int
    moneySpent: float
    tasksRetried: int
    numInstances: int
    numBlocks: int
    numRounds: int
    risk: float
    riskError: float
    seconds: dict[str, float]

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts
        for name in _IN_RESULT:
            setattr(self, name, facts[name])

    @classmethod
    def of(cls, result: Any) -> LimitedSummary:
        return cls({name: getattr(result, field) for name, field in _IN_RESULT.items()})

    def __repr__(self) -> str:
        return f"LimitedSummary({', '.join(f'{name}={value!r}' for name, value in self._facts.items())})"


class ModelWriter(MLWriter):
    """Params and costs as metadata, and the model file as Parquet: by Spark's own writers, so wherever these write."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        facts = json.dumps(self.instance.summary._facts)  # as text: NaN is no JSON of Spark's
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession, {"scant": {"summary": facts}})
        text = self.instance.scantModel.__getstate__()
        frame = self.sparkSession.createDataFrame([(bytearray(text),)], "model binary")
        frame.coalesce(1).write.parquet(os.path.join(path, "data"))


class ModelReader(MLReader):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        wanted = f"{self.kind.__module__}.{self.kind.__name__}"
        if metadata["class"] != wanted:
            raise DataError(f"{path!r} holds a {metadata['class']}, not a {wanted}")
        row = self.sparkSession.read.parquet(os.path.join(path, "data")).first()
        if row is None:
            raise DataError(f"{path!r}: the model is missing")
        own = Model.__new__(Model)
        own.__setstate__(bytes(row[0]))
        loaded = self.kind(own, LimitedSummary(json.loads(metadata["scant"]["summary"])))
        loaded._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(loaded, metadata)
        return loaded
