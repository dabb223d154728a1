"""Estimators for Spark, with the habits of pyspark.ml's, that look at a few attributes of each block of rows.

  LimitedRegressor   and LimitedRegressionModel
  LimitedClassifier  and LimitedClassificationModel
  SparkEngine        for scant.distributed.fit, and DataFrameTable: a DataFrame as a table of blocks

They need pyspark and pyarrow (``pip install 'scant-learn[spark]'``), here and on the executors.  A model's
``transform`` needs NumPy and pyarrow there, but not scant.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ._engine import SparkEngine  # says what is missing without pyspark

# isort: split
from pyspark import keyword_only
from pyspark.ml.classification import ClassificationModel, Classifier
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import DenseVector
from pyspark.ml.regression import RegressionModel, Regressor
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable, MLReadable, MLWritable
from pyspark.sql import functions as F

from ..._errors import DataError
from ..._model import Model
from .._blocks import Loaded, SignedTable, Table
from ._params import FeaturesCols, LimitedParams, LimitedSummary, ModelReader, ModelWriter, check_settings
from ._table import DataFrameTable, check_columns, check_frame, check_label, features_of, known_width

__all__ = [
    "DataFrameTable",
    "LimitedClassificationModel",
    "LimitedClassifier",
    "LimitedRegressionModel",
    "LimitedRegressor",
    "LimitedSummary",
    "SparkEngine",
]


def _linear(model: Model) -> Any:
    """A function for executors: arrays of attributes to predictions.  It is pickled whole, and needs no scant there.

    A missing value counts as the mean of its attribute; others are clipped.  Each row is summed alone, so that a
    prediction does not depend on the rows beside it.
    """
    import pyarrow

    weights, intercept, means, low, high = model.coef, model.intercept, model.means, model.low, model.high

    def predict(features: Any) -> Any:
        import numpy

        lengths = numpy.diff(features.offsets.to_numpy())
        there = features.is_valid().to_numpy(zero_copy_only=False)
        wrong = lengths[there & (lengths != len(weights))]
        if len(wrong):
            raise ValueError(f"there are {wrong[0]} features, and the model has {len(weights)}")
        x = features.flatten().to_numpy(zero_copy_only=False).astype(numpy.float64).reshape(-1, len(weights))
        holes = numpy.isnan(x)
        if low is not None:
            x = numpy.clip(x, low, high)
        x = numpy.where(holes, means, x)
        told = numpy.full(len(there), numpy.nan)
        told[there] = (x * weights).sum(axis=1) + intercept
        return pyarrow.array(told, mask=~there)

    # Spark reads these to see which kind of function it is.
    predict.__annotations__ = {"features": pyarrow.Array, "return": pyarrow.Array}
    return F.arrow_udf(predict, "double")


class _Limited(LimitedParams):
    """What both estimators do."""

    def setParams(self, **params: Any) -> Any:
        """Sets the Params that are given."""
        inspect.signature(type(self)).bind(**params)  # refuses what is no Param
        return self._set(**params)

    def _table(self, table: Table) -> Table:
        return table

    def _model(self, result: Any) -> Any:
        raise NotImplementedError

    def _engine(self, session: Any) -> SparkEngine:
        return SparkEngine(session, self.getTimeout(), self.getCheckpointInterval())

    def _keywords(self) -> dict[str, Any]:
        """Those of ``scant.distributed.fit``."""
        given = self._given("k", "budget", "clip", "costs", "memory")
        if "budgetCost" in (money := self._given("budgetCost")):
            given["budget_cost"] = money["budgetCost"]
        seed = self.getSeed() % 2**64  # Spark's seeds may be negative
        return {"algorithm": self.getAlgorithm(), "random_state": seed, "em": self.getEm(), **given}

    def _learn(self, table: Table, engine: SparkEngine, **more: Any) -> Any:
        from .. import fit

        result = fit(self._table(table), engine=engine, **self._keywords(), **more)
        model = self._copyValues(self._model(result))
        model._resetUid(self.uid)
        return model

    def _check(self, columns: list[str] | None, width: int | None) -> None:
        """Refuses what is wrong whatever the data are, before a job reads them."""
        keywords = self._keywords()
        if columns is None:
            # Where nobody knows the number of attributes yet, it is one with which k and costs are right.
            least = len(keywords.get("costs") or ()) or max(keywords.get("k", 2), 2)
            names = [f"x{i + 1}" for i in range(least if width is None else width)]
        else:
            names = columns
        check_settings(names, columns is not None or width is not None, keywords)

    def _fit(self, dataset: Any) -> Any:
        check_frame(dataset)
        vector, columns = self._features()
        label = self.getOrDefault(self.getParam("labelCol"))
        features = vector if columns is None else columns
        check_label(columns or [], label)
        check_columns(dataset, [*(columns or []), label])
        self._check(columns, known_width(dataset, vector))
        engine = self._engine(dataset.sparkSession)
        with DataFrameTable(dataset, features, label, block_rows=self.getBlockRows(), engine=engine) as table:
            return self._learn(table, engine)

    def fitParquet(
        self,
        path: Any,
        target: str | None = None,
        *,
        session: Any = None,
        checkpoint: Any = None,
        resume: bool = False,
        progress: Any = None,
        **options: Any,
    ) -> Any:
        """Fits a model to Parquet files, of which executors read only the chunks that are bought.

        path : str or list of str
            A file, a folder or a URL that fsspec knows, which executors find by the same path; a row group is a block.
        target : str, optional
            The column of targets.  Default: labelCol.
        session : SparkSession, optional
        checkpoint, resume, progress
            As in ``scant.distributed.fit``.
        options
            As in ``scant.distributed.parquet.open``: ``columns`` (default: featuresCols, if set), ``ignore``,
            ``one_hot``, ...
        """
        from .. import parquet

        parquet.check_options("fitParquet", options)
        columns = self._features()[1]
        named = columns is not None and "columns" not in options
        if named:
            options["columns"] = columns
        if target is None:
            target = str(self.getOrDefault(self.getParam("labelCol")))
        check_label(columns or [], target)
        table = parquet.open(path, target, **options)
        if named and columns is not None:
            table.arrange(columns)  # weights and costs are in the order of featuresCols, whatever that of the file
        model = self._learn(table, self._engine(session), checkpoint=checkpoint, resume=resume, progress=progress)
        return model.setFeaturesCols(table.names)


class _LimitedModel(FeaturesCols, MLWritable, MLReadable):
    """What both models have."""

    def __init__(self, model: Model, summary: LimitedSummary) -> None:
        super().__init__()
        self._own, self._summary = model, summary

    @property
    def coefficients(self) -> DenseVector:
        """The weights, in the units of the attributes."""
        return DenseVector(self._own.coef)

    @property
    def intercept(self) -> float:
        return float(self._own.intercept)

    @property
    def numFeatures(self) -> int:
        return self._own.dimension

    @property
    def summary(self) -> LimitedSummary:
        """What the fit cost; it is saved with the model."""
        return self._summary

    @property
    def hasSummary(self) -> bool:
        return True

    @property
    def scantModel(self) -> Model:
        """The model as the rest of scant knows it: it predicts here, and ``save`` writes the command's model file."""
        return self._own

    def _linear_of(self, dataset: Any) -> Any:
        vector, columns = self._features()
        return _linear(self._own)(features_of(dataset, vector, columns))

    def _predict_one(self, value: Any) -> float:
        x = np.asarray(value.toArray() if hasattr(value, "toArray") else value, dtype=np.float64)
        own = self._own
        if x.shape != (own.dimension,):
            raise DataError(f"there are {x.size} features, and the model has {own.dimension}")
        seen = x if own.low is None or own.high is None else np.clip(x, own.low, own.high)
        seen = np.where(np.isnan(x), own.means, seen)
        return float((seen * own.coef).sum() + own.intercept)

    def write(self) -> ModelWriter:
        """What writes the model: ``model.write().overwrite().save(path)``."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader:
        return ModelReader(cls)


# ---- regression ------------------------------------------------------------


class LimitedRegressionModel(_LimitedModel, RegressionModel):
    """A linear model that LimitedRegressor learned.  ``transform`` adds the column of predictions: attributes are
    clipped to the limits that were learned, and a missing value counts as the mean of its attribute."""

    def predict(self, value: Any) -> float:
        """The prediction for one vector."""
        return self._predict_one(value)

    def _transform(self, dataset: Any) -> Any:
        prediction = self.getPredictionCol()
        return dataset.withColumn(prediction, self._linear_of(dataset)) if prediction else dataset


class LimitedRegressor(_Limited, Regressor, DefaultParamsWritable, DefaultParamsReadable):
    """Linear regression that looks at ``k`` attributes of each block of rows; an Estimator as those of pyspark.ml.

    ``fit(DataFrame)`` takes a column of vectors (featuresCol), sparse or dense, or of arrays, or many columns of
    numbers (featuresCols).  Partitions are cut into blocks of ``blockRows`` rows, which share one look; null and NaN
    are missing.  ``fitParquet(path, target)`` reads Parquet on the executors: only the chunks that are bought.
    """

    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        featuresCols: list[str] | None = None,
        k: int | None = None,
        budget: int | None = None,
        seed: int | None = None,
        checkpointInterval: int = 10,
        algorithm: str = "gaussian",
        blockRows: int = 256,
        clip: float | str | None = None,
        costs: list[float] | None = None,
        budgetCost: float | None = None,
        em: str = "auto",
        memory: float | None = None,
        timeout: float = 600.0,
    ) -> None:
        super().__init__()
        self._set(**self._input_kwargs)

    def _model(self, result: Any) -> LimitedRegressionModel:
        return LimitedRegressionModel(result.model, LimitedSummary.of(result))


# ---- classification --------------------------------------------------------


def _check_labels(task: Any, block: int, loaded: Loaded) -> None:
    wrong = np.flatnonzero((loaded.y != 0) & (loaded.y != 1))
    if wrong.size:
        row = int(wrong[0])
        own = getattr(task, "row", None)  # of a DataFrame; of Parquet it is a row of the row group
        where = own(block, row) if own is not None else f"{loaded.where}, row {row + 1}"
        raise DataError(f"{where}: the label is {loaded.y[row]:g}: classes are 0 and 1")


class LimitedClassificationModel(_LimitedModel, ClassificationModel):
    """A linear function that tells two classes apart.  ``transform`` adds rawPrediction, the function with both signs,
    and the prediction: 1 where the function is above 0."""

    @property
    def numClasses(self) -> int:
        return 2

    def predictRaw(self, value: Any) -> DenseVector:
        """The linear function of one vector, for class 0 and class 1."""
        margin = self._predict_one(value)
        return DenseVector([-margin, margin])

    def predict(self, value: Any) -> float:
        """The class of one vector."""
        return float(self._predict_one(value) > 0)

    def _transform(self, dataset: Any) -> Any:
        raw, prediction = self.getRawPredictionCol(), self.getPredictionCol()
        margin = self._linear_of(dataset)
        told = dataset
        if raw:
            both = array_to_vector(F.array(-margin, margin))  # it takes no null
            told = told.withColumn(raw, F.when(margin.isNotNull(), both))
        return told.withColumn(prediction, (margin > 0).cast("double")) if prediction else told


class LimitedClassifier(_Limited, Classifier, DefaultParamsWritable, DefaultParamsReadable):
    """Tells two classes, 0 and 1, apart by a linear function, from ``k`` attributes of each block of rows.

    It fits -1 and +1 by least squares; everything else is as in LimitedRegressor.
    """

    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        rawPredictionCol: str = "rawPrediction",
        featuresCols: list[str] | None = None,
        k: int | None = None,
        budget: int | None = None,
        seed: int | None = None,
        checkpointInterval: int = 10,
        algorithm: str = "gaussian",
        blockRows: int = 256,
        clip: float | str | None = None,
        costs: list[float] | None = None,
        budgetCost: float | None = None,
        em: str = "auto",
        memory: float | None = None,
        timeout: float = 600.0,
    ) -> None:
        super().__init__()
        self._set(**self._input_kwargs)

    def _table(self, table: Table) -> Table:
        told = {**getattr(table, "fingerprint", {}), "classes": [0, 1]}
        return SignedTable(table, np.array([0, 1]), told, _check_labels)

    def _model(self, result: Any) -> LimitedClassificationModel:
        if not result.coef_.any() and abs(result.intercept_) == 1:
            raise DataError(f"all labels are {int(result.intercept_ > 0)}: there must be two classes, 0 and 1")
        return LimitedClassificationModel(result.model, LimitedSummary.of(result))
