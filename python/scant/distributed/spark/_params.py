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


class LimitedParams(FeaturesCols, HasSeed, HasCheckpointInterval):
    """The Params of a fit."""

    k: Any = Param(
        Params._dummy(), "k", "attributes that are bought of each block; default: a tenth of them", TypeConverters.toInt
    )
    budget: Any = Param(Params._dummy(), "budget", "attributes to buy at most; default: no limit", TypeConverters.toInt)
    algorithm: Any = Param(Params._dummy(), "algorithm", "gaussian or moments", TypeConverters.toString)
    blockRows: Any = Param(
        Params._dummy(), "blockRows", "rows of a DataFrame's partition that share one look (>= 1)", TypeConverters.toInt
    )
    clip: Any = Param(
        Params._dummy(),
        "clip",
        "attributes are clipped to so many standard deviations around the mean, or none; default: the algorithm's",
        to_clip,
    )
    costs: Any = Param(Params._dummy(), "costs", "the cost of each attribute, in order", TypeConverters.toListFloat)
    budgetCost: Any = Param(
        Params._dummy(),
        "budgetCost",
        "money to spend at most, at these costs; default: no limit",
        TypeConverters.toFloat,
    )
    em: Any = Param(
        Params._dummy(),
        "em",
        "where expectation steps run: driver, workers or auto (the driver, up to 1 GiB of sums)",
        TypeConverters.toString,
    )
    memory: Any = Param(
        Params._dummy(), "memory", "GiB that the driver may take for matrices (d^2); default: 4", TypeConverters.toFloat
    )
    timeout: Any = Param(
        Params._dummy(),
        "timeout",
        "seconds without a task that ends, after which a fit gives up",
        TypeConverters.toFloat,
    )

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

    def getK(self) -> int:
        """Gets the value of k."""
        return int(self.getOrDefault(self.k))

    def getBudget(self) -> int:
        """Gets the value of budget."""
        return int(self.getOrDefault(self.budget))

    def getAlgorithm(self) -> str:
        """Gets the value of algorithm or its default value."""
        return str(self.getOrDefault(self.algorithm))

    def getBlockRows(self) -> int:
        """Gets the value of blockRows or its default value."""
        return int(self.getOrDefault(self.blockRows))

    def getClip(self) -> float | str:
        """Gets the value of clip."""
        return to_clip(self.getOrDefault(self.clip))

    def getCosts(self) -> list[float]:
        """Gets the value of costs."""
        return list(self.getOrDefault(self.costs))

    def getBudgetCost(self) -> float:
        """Gets the value of budgetCost."""
        return float(self.getOrDefault(self.budgetCost))

    def getEm(self) -> str:
        """Gets the value of em or its default value."""
        return str(self.getOrDefault(self.em))

    def getMemory(self) -> float:
        """Gets the value of memory."""
        return float(self.getOrDefault(self.memory))

    def getTimeout(self) -> float:
        """Gets the value of timeout or its default value."""
        return float(self.getOrDefault(self.timeout))

    def setK(self, value: int) -> Any:
        """Sets the value of :py:attr:`k`."""
        return self._set(k=value)

    def setBudget(self, value: int) -> Any:
        """Sets the value of :py:attr:`budget`."""
        return self._set(budget=value)

    def setAlgorithm(self, value: str) -> Any:
        """Sets the value of :py:attr:`algorithm`."""
        return self._set(algorithm=value)

    def setBlockRows(self, value: int) -> Any:
        """Sets the value of :py:attr:`blockRows`."""
        return self._set(blockRows=value)

    def setClip(self, value: float | str) -> Any:
        """Sets the value of :py:attr:`clip`."""
        return self._set(clip=value)

    def setCosts(self, value: list[float]) -> Any:
        """Sets the value of :py:attr:`costs`."""
        return self._set(costs=value)

    def setBudgetCost(self, value: float) -> Any:
        """Sets the value of :py:attr:`budgetCost`."""
        return self._set(budgetCost=value)

    def setEm(self, value: str) -> Any:
        """Sets the value of :py:attr:`em`."""
        return self._set(em=value)

    def setMemory(self, value: float) -> Any:
        """Sets the value of :py:attr:`memory`."""
        return self._set(memory=value)

    def setTimeout(self, value: float) -> Any:
        """Sets the value of :py:attr:`timeout`."""
        return self._set(timeout=value)

    def setSeed(self, value: int) -> Any:
        """Sets the value of :py:attr:`seed`."""
        return self._set(seed=value)

    def setCheckpointInterval(self, value: int) -> Any:
        """Sets the value of :py:attr:`checkpointInterval`."""
        return self._set(checkpointInterval=value)


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

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts
        self.attributesBought: int = facts["attributesBought"]
        self.bytesRead: int = facts["bytesRead"]
        self.moneySpent: float = facts["moneySpent"]
        self.tasksRetried: int = facts["tasksRetried"]
        self.numInstances: int = facts["numInstances"]
        self.numBlocks: int = facts["numBlocks"]
        self.numRounds: int = facts["numRounds"]
        self.risk: float = facts["risk"]
        self.riskError: float = facts["riskError"]
        self.seconds: dict[str, float] = facts["seconds"]

    @classmethod
    def of(cls, result: Any) -> LimitedSummary:
        return cls(
            {
                "attributesBought": result.attributes_bought,
                "bytesRead": result.bytes_read,
                "moneySpent": result.money_spent,
                "tasksRetried": result.tasks_retried,
                "numInstances": result.examples,
                "numBlocks": result.blocks,
                "numRounds": result.rounds,
                "risk": result.risk,
                "riskError": result.risk_error,
                "seconds": result.seconds,
            }
        )

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
