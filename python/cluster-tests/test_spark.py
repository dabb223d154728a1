"""Fits on Spark: the same bits as here from DataFrames and Parquet, what a DataFrame may hold, and the conventions of
pyspark.ml: Params, copies, persistence, Pipeline, CrossValidator."""

import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # spark_support.py
from spark_support import session_of, stop_session  # noqa: E402  (skips without Spark)

# isort: split
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from bad_parquet import BAD_TABLES, bad_table, spoiled_after_opening  # noqa: E402
from pyspark import cloudpickle  # noqa: E402
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import BinaryClassificationEvaluator, RegressionEvaluator  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.linalg import Vectors, VectorUDT  # noqa: E402
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql.types import DoubleType, StructField, StructType  # noqa: E402

import scant  # noqa: E402
import scant.distributed.parquet  # noqa: E402
from scant import DataError, EngineError, UsageError  # noqa: E402
from scant.distributed import InMemory, LocalEngine, fit  # noqa: E402
from scant.distributed.spark import (  # noqa: E402
    DataFrameTable,
    LimitedClassificationModel,
    LimitedClassifier,
    LimitedRegressionModel,
    LimitedRegressor,
    SparkEngine,
    _linear,
)

cloudpickle.register_pickle_by_value(sys.modules[__name__])

D, K, BLOCK, PARTS = 6, 2, 8, 2
ROWS = 48 * BLOCK


def made(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, D)) + rng.normal(size=(rows, 1))
    return X, 2 * X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=rows) + 1


X, Y = made()
NAMES = [f"x{i + 1}" for i in range(D)]


@pytest.fixture(scope="module", autouse=True)
def sessions():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scant.ScantWarning)  # tables are small
        yield
    stop_session()


@pytest.fixture
def spark():
    return session_of()


def vectors_of(spark, X=X, y=Y, parts=PARTS):
    """Rows in their order, as vectors: dense and sparse in turn."""
    rows = [
        (Vectors.dense(x) if i % 2 else Vectors.sparse(len(x), {j: float(v) for j, v in enumerate(x)}), float(target))
        for i, (x, target) in enumerate(zip(X, y, strict=True))
    ]
    schema = StructType([StructField("features", VectorUDT()), StructField("label", DoubleType())])
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), schema)


def columns_of(spark, X=X, y=Y, parts=PARTS, names=NAMES):
    rows = [tuple(None if np.isnan(v) else float(v) for v in (*x, target)) for x, target in zip(X, y, strict=True)]
    schema = ", ".join(f"`{name}` double" for name in [*names, "label"])
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), schema)


def estimator(**more):
    return LimitedRegressor(**{"k": K, "seed": 1, "blockRows": BLOCK, **more})


def here(X=X, y=Y, **more):
    """The same fit in this process."""
    return fit(InMemory(X, y, block_rows=BLOCK), **{"k": K, "random_state": 1, "engine": LocalEngine(), **more})


def bits(values):
    return np.asarray(values, dtype=np.float64).tobytes()


def is_same(model, result):
    summary = model.summary
    return (
        bits(model.coefficients.toArray()) == bits(result.coef_)
        and bits(model.intercept) == bits(result.intercept_)
        and (summary.attributesBought, summary.bytesRead, summary.moneySpent, summary.numInstances)
        == (result.attributes_bought, result.bytes_read, result.money_spent, result.examples)
    )


# ---- the same bits ------------------------------------------------------------


@pytest.mark.parametrize("master", ["local[1]", "local[2,3]"])
def test_the_bits_and_the_ledger_are_those_of_this_process(master):
    frame = vectors_of(session_of(master))
    for more in ({"em": "driver"}, {"em": "workers", "algorithm": "moments"}):
        result = here(**more)
        assert result.rounds > 1
        assert is_same(estimator(**more).fit(frame), result)


def test_each_step_of_em_is_a_job(spark):
    """There are more than a hundred, so the table is of one round, and so noisy that EM soon ends."""
    noise = 10 * np.random.default_rng(1).normal(size=20 * BLOCK)
    few, y = X[: 20 * BLOCK, :3], Y[: 20 * BLOCK] + noise
    assert is_same(estimator(em="workers").fit(vectors_of(spark, few, y)), here(few, y, em="workers"))


def test_partitions_change_nothing(spark):
    result = here(algorithm="moments", budget=600, costs=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    given = estimator(algorithm="moments", budget=600, costs=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert is_same(given.fit(vectors_of(spark, parts=3)), result)
    assert is_same(given.setFeaturesCols(NAMES).fit(columns_of(spark, parts=1)), result)
    given.setBudgetCost(1234.5).setBudget(10**6)
    assert given.getBudgetCost() == 1234.5
    less = here(algorithm="moments", costs=given.getCosts(), budget_cost=1234.5)
    assert is_same(given.fit(columns_of(spark)), less) and 0 < less.money_spent <= 1234.5 and less.blocks < 48


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of Parquet, with row groups that are the blocks."""
    folder = tmp_path_factory.mktemp("parquet")
    table = pa.table({**{name: X[:, i] for i, name in enumerate(NAMES)}, "y": Y})
    for at in range(2):
        pq.write_table(table.slice(at * ROWS // 2, ROWS // 2), folder / f"{at}.parquet", row_group_size=BLOCK)
    return folder


def test_parquet_is_read_by_executors(spark, files):
    result = fit(scant.distributed.parquet.open(files, "y"), k=K, random_state=1, engine=LocalEngine())
    model = estimator().fitParquet(str(files), "y")
    assert is_same(model, result)
    assert bits(result.coef_) == bits(here().coef_)
    assert model.getFeaturesCols() == NAMES
    told = model.transform(spark.read.parquet(str(files)).limit(5)).toPandas()
    assert np.allclose(told["prediction"], result.model.predict(told[NAMES].to_numpy()), rtol=0, atol=1e-12)
    with pytest.raises(DataError, match="nowhere"):
        estimator().fitParquet(str(files), "nowhere")
    assert estimator(labelCol="y", featuresCols=NAMES[:3]).fitParquet(str(files)).numFeatures == 3


def test_parquet_comes_in_the_order_of_the_features(spark, files):
    """Whatever the order in the file: weights, costs and predictions are those of a DataFrame with these columns."""
    picked, costs = [4, 1, 3], [1.0, 20.0, 300.0]
    names = [NAMES[i] for i in picked]
    given = estimator(labelCol="y", featuresCols=names, costs=costs)
    model, result = given.fitParquet(str(files)), here(X[:, picked], costs=costs)
    assert bits(model.coefficients.toArray()) == bits(result.coef_)
    assert model.summary.moneySpent == result.money_spent
    assert model.getFeaturesCols() == names
    told = model.transform(spark.read.parquet(str(files)).limit(5)).toPandas()
    assert np.allclose(told["prediction"], result.model.predict(told[names].to_numpy()), rtol=0, atol=1e-12)
    other = given.fitParquet(str(files), columns=NAMES[:3])  # what is said last counts
    assert other.getFeaturesCols() == NAMES[:3]


# ---- what a DataFrame may hold --------------------------------------------------


def test_missing_values_and_empty_partitions(spark):
    holed = X.copy()
    holed[::5, 2] = np.nan
    frame = columns_of(spark, holed).union(columns_of(spark).where("label > 1e9"))
    with DataFrameTable(frame, NAMES, "label", block_rows=BLOCK) as table:
        assert sum(table.rows) == ROWS and table.parts[-1] == range(len(table.rows), len(table.rows))
        assert table.names == NAMES
    result = here(holed)
    assert is_same(estimator(featuresCols=NAMES).fit(frame), result)
    arrays = frame.select(F.array(*NAMES).alias("features"), "label")
    model = estimator().fit(arrays)
    assert is_same(model, result)
    own = result.model
    wanted = np.where(np.isnan(holed), own.means, np.clip(holed, own.low, own.high)) @ own.coef + own.intercept
    told = model.transform(arrays).select("prediction").toPandas()["prediction"]
    assert np.allclose(told, wanted, rtol=0, atol=1e-12)
    assert np.isclose(model.predict(holed[0]), wanted[0], rtol=0, atol=1e-12)


def test_names_come_from_the_assembler(spark):
    frame = VectorAssembler(inputCols=NAMES[::-1], outputCol="features").transform(columns_of(spark))
    with DataFrameTable(frame, "features", "label") as table:
        assert table.names == NAMES[::-1]
    with DataFrameTable(vectors_of(spark), "features", "label") as table:
        assert table.names == NAMES


def refused(frame, sentence, error=DataError, **params):
    with pytest.raises(error, match=sentence) as raised:
        estimator(**params).fit(frame)
    assert "\n" not in str(raised.value)


def test_bad_frames_are_refused_with_the_place(spark):
    holed = Y.copy()
    holed[ROWS // PARTS + 10] = np.nan  # a null
    refused(columns_of(spark, y=holed), "^partition 1, row 11: the label 'label' is null$", featuresCols=NAMES)
    wild = Y.copy()
    wild[3] = np.inf
    refused(vectors_of(spark, y=wild), "^partition 0, row 4: the label 'label' is infinite$")
    good = vectors_of(spark)
    refused(good, "no column 'there'", featuresCol="there")
    refused(good, "no column 'there'", labelCol="there")
    refused(good, "no column 'a'", featuresCols=["a"])
    refused(good.limit(0), "the DataFrame has no rows")
    refused(good.withColumn("features", F.lit("red")), "the column 'features' has neither vectors nor arrays.*string")
    refused(good.withColumn("label", F.lit("red")), "the column 'label' has no numbers but string")
    refused(good.withColumn("features", F.lit(None).cast(VectorUDT())), "row 1: there is no vector")
    uneven = spark.createDataFrame([(Vectors.dense([1, 2]), 1.0), (Vectors.dense([1]), 1.0)], ["features", "label"])
    refused(uneven.coalesce(1), "^partition 0, row 2: there are 1 features, and 2 in rows before$")
    infinite = X.copy()
    infinite[ROWS // PARTS + 30, 0] = np.inf
    refused(vectors_of(spark, infinite), "^partition 1, row 31: 'x1' is infinite$", k=D)
    refused(good, "k=7 is more than the 6 attributes", UsageError, k=D + 1)
    refused(good, "is not a whole number", UsageError, blockRows=0)
    refused(good, "auto", UsageError, algorithm="auto")
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_settings_are_refused_before_any_job(spark):
    """The data cannot be computed: whoever looked at them would fail in another way."""

    @F.udf("double")
    def broken(value):
        raise RuntimeError("a job looked at the data")

    frame = columns_of(spark).withColumn("x1", broken("x1")).withColumn("price", F.col("label"))
    vectors = VectorAssembler(inputCols=NAMES, outputCol="features").transform(frame)
    for sentence, params in (
        ("the label 'price' is among the features", {"featuresCols": [*NAMES, "price"], "labelCol": "price"}),
        ("featuresCols has the column 'x2' twice", {"featuresCols": [*NAMES, "x2"]}),
        ("k=7 is more than the 6 attributes", {"featuresCols": NAMES, "k": D + 1}),
        ("k=1 is not a whole number of 2 or more", {"k": 1}),
        ("lasso does not learn from sums", {"algorithm": "lasso"}),
        ("clip", {"clip": -1.0}),
        ("em='both' is none of", {"em": "both"}),
        ("budget=-1 is not", {"budget": -1}),
        ("budget_cost=3.0 needs costs", {"budgetCost": 3.0}),
        ("timeout=-1.0 is not", {"timeout": -1.0}),
    ):
        refused(frame if "featuresCols" in params else vectors, sentence, UsageError, **params)
    refused(frame, "costs has 1 entries, and there are 6", featuresCols=NAMES, costs=[1.0])
    frames = columns_of(spark).toPandas()
    refused(frames, "a pandas.DataFrame is no DataFrame of Spark: spark.createDataFrame makes one", UsageError)
    with pytest.raises(UsageError, match="a pandas.DataFrame is no DataFrame of Spark"):
        DataFrameTable(frames, NAMES, "label")
    refused("some.parquet", r"fit takes a DataFrame of Spark; fitParquet\(path, target\) takes files", UsageError)
    with pytest.raises(UsageError, match="the label 'x1' is among the features"):
        estimator(featuresCols=NAMES).fitParquet("nowhere", "x1")
    with pytest.raises(TypeError, match=r"^fitParquet\(\) has no option 'budget': of files it takes columns, ignore"):
        estimator().fitParquet("nowhere", "x1", budget=3)


def test_warnings_point_at_who_called_fit(spark):
    for one in (estimator(blockRows=100), Pipeline(stages=[estimator(blockRows=100)])):
        with pytest.warns(scant.ScantWarning, match="few different looks") as told:
            one.fit(vectors_of(spark))
        assert {w.filename for w in told if issubclass(w.category, scant.ScantWarning)} == {__file__}


def test_what_a_function_of_the_caller_raises_is_told(spark):
    @F.udf("double")
    def broken(value):
        raise RuntimeError("my own udf failed")

    frame = columns_of(spark).withColumn("x1", broken("x1"))
    refused(frame, "Spark failed: .*RuntimeError: my own udf failed$", EngineError, featuresCols=NAMES)
    with pytest.raises(EngineError) as raised:
        estimator(featuresCols=NAMES).fit(frame)
    assert "my own udf failed" in str(raised.value.__cause__)


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_parquet_is_refused_with_file_and_row_group(spark, name, tmp_path):
    target, k, sentence = bad_table(name, tmp_path)
    with pytest.raises((DataError, UsageError), match=sentence) as raised:
        estimator(k=k).fitParquet(str(tmp_path), target)
    assert "\n" not in str(raised.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.parquet", "1.parquet"]
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_a_file_that_is_truncated_after_it_was_opened(spark, tmp_path):
    table, sentence = spoiled_after_opening(tmp_path)
    with pytest.raises(DataError, match=sentence):
        fit(table, k=2, random_state=1, engine=SparkEngine(spark))
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_rows_that_change_their_order_are_noticed(spark):
    frame = vectors_of(spark)
    engine = SparkEngine(spark)
    with DataFrameTable(frame, "features", "label", block_rows=BLOCK, engine=engine) as table:
        task = table.task(1, {table.parts[1][2]: np.array([0, 3], dtype=np.uint32)})
        ((values, y),) = engine.map(load, [task])
        at = ROWS // PARTS + 2 * BLOCK
        assert np.array_equal(values, X[at : at + BLOCK, [0, 3]].T) and np.array_equal(y, Y[at : at + BLOCK])
        task.checksums = [task.checksums[0] ^ 1]
        with pytest.raises(DataError, match="^partition 1, row 17 and those after it: the rows are not those"):
            engine.map(load, [task])


def load(task, inputs, shared):
    loaded = task.load(task.blocks[0], inputs)
    return loaded.values, loaded.y


# ---- the conventions of pyspark.ml ------------------------------------------------


def test_params():
    session_of()
    given = LimitedRegressor(k=3, labelCol="y").setBudget(100).setClip("none").setSeed(-5).setCosts([1, 2])
    assert (given.getK(), given.getLabelCol(), given.getBudget(), given.getClip()) == (3, "y", 100, "none")
    assert (given.getSeed(), given.getCosts(), given.getEm()) == (-5, [1.0, 2.0], "auto")
    assert given.setParams(k=4, predictionCol="p").getK() == 4 and given.getPredictionCol() == "p"
    for word in ("k: attributes that are bought", "budget", "checkpointInterval", "featuresCols", "seed"):
        assert word in given.explainParams()
    assert LimitedRegressor().getSeed() == LimitedRegressor().getSeed() > 0
    for param in given.params:
        name = param.name[0].upper() + param.name[1:]
        assert hasattr(given, f"get{name}") and hasattr(given, f"set{name}"), name
    copy = given.copy({given.k: 9})
    assert (copy.getK(), given.getK(), copy.uid) == (9, 4, given.uid)
    with pytest.raises(TypeError):
        LimitedRegressor(3)
    with pytest.raises(TypeError):
        LimitedRegressor(k="many")


@pytest.fixture(scope="module")
def fitted():
    """A model, and what transform makes of some rows."""
    frame = vectors_of(session_of())
    model = estimator(predictionCol="p").fit(frame)
    return model, frame


def told_by(model, frame, column="p"):
    return model.transform(frame).select(column).toPandas()[column].to_numpy()


def test_a_model_says_what_it_is(spark, fitted):
    model, frame = fitted
    assert isinstance(model, LimitedRegressionModel) and model.numFeatures == D and model.hasSummary
    assert model.uid.startswith("LimitedRegressor_") and model.getPredictionCol() == "p"
    told = told_by(model, frame)
    assert np.allclose(told, model.scantModel.predict(X), rtol=0, atol=1e-12)
    assert np.isclose(model.predict(Vectors.dense(X[0])), told[0], rtol=0, atol=1e-12)
    other = model.copy({model.predictionCol: "q"})
    assert (other.getPredictionCol(), model.getPredictionCol()) == ("q", "p")
    assert bits(told_by(other, frame, "q")) == bits(told)
    nothing = frame.limit(1).withColumn("features", F.lit(None).cast(frame.schema["features"].dataType))
    assert model.transform(nothing).first()["p"] is None
    assert model.copy({model.predictionCol: ""}).transform(frame).columns == frame.columns
    assert "LimitedSummary(attributesBought=" in repr(model.summary)


WITHOUT = """
import pickle, sys
sys.modules["scant"] = None  # importing it fails
import pyarrow
predict = pickle.load(sys.stdin.buffer)
print(repr(predict(pyarrow.array([[float(v) for v in sys.argv[1:]]])).to_pylist()[0]))
"""


def test_who_transforms_needs_no_scant(fitted):
    model, frame = fitted
    pickled = cloudpickle.dumps(_linear(model.scantModel).func)
    text = [repr(float(v)) for v in X[0]]
    told = subprocess.run([sys.executable, "-c", WITHOUT, *text], input=pickled, capture_output=True, check=True)
    assert float(told.stdout) == told_by(model, frame.limit(1))[0]


def test_persistence(spark, fitted, tmp_path):
    model, frame = fitted
    path = str(tmp_path / "model")
    model.save(path)
    with pytest.raises(Exception, match="(?i)already exists"):
        model.save(path)
    model.write().overwrite().save(path)
    again = LimitedRegressionModel.load(path)
    assert again.uid == model.uid and again.getPredictionCol() == "p" and again.getLabelCol() == "label"
    assert bits(again.coefficients.toArray()) == bits(model.coefficients.toArray())
    assert again.intercept == model.intercept
    assert repr(again.summary) == repr(model.summary)
    assert bits(told_by(again, frame)) == bits(told_by(model, frame))
    with pytest.raises(DataError, match="holds a scant.distributed.spark.LimitedRegressionModel, not a"):
        LimitedClassificationModel.load(path)
    given = estimator(budget=77, featuresCols=["a", "b"], clip=3.0)
    given.save(str(tmp_path / "estimator"))
    read = LimitedRegressor.load(str(tmp_path / "estimator"))
    assert read.uid == given.uid and read.explainParams() == given.explainParams()


def test_a_pipeline(spark, tmp_path):
    frame = columns_of(spark)
    stages = [VectorAssembler(inputCols=NAMES, outputCol="features"), estimator()]
    pipeline = Pipeline(stages=stages)
    pipeline.save(str(tmp_path / "pipeline"))
    model = Pipeline.load(str(tmp_path / "pipeline")).fit(frame)
    assert is_same(model.stages[1], here())
    model.save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    assert bits(told_by(again, frame, "prediction")) == bits(told_by(model, frame, "prediction"))


def test_cross_validation(spark, tmp_path):
    frame = vectors_of(spark)
    given = estimator()
    grid = ParamGridBuilder().addGrid(given.k, [2, D]).build()
    validator = CrossValidator(
        estimator=given, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2, seed=1, parallelism=2
    )
    model = validator.fit(frame)
    assert len(model.avgMetrics) == 2 and model.bestModel.numFeatures == D
    assert min(model.avgMetrics) < np.std(Y) / 2
    model.save(str(tmp_path / "validated"))
    again = CrossValidatorModel.load(str(tmp_path / "validated"))
    assert bits(told_by(again, frame, "prediction")) == bits(told_by(model, frame, "prediction"))


def test_two_classes(spark, tmp_path):
    label = (Y > np.median(Y)).astype(float)
    frame = vectors_of(spark, y=label)
    given = LimitedClassifier(k=K, seed=1, blockRows=BLOCK)
    model = given.fit(frame)
    assert is_same(model, here(y=2 * label - 1)) and model.numClasses == 2
    assert json.loads(model.scantModel.__getstate__())["gaussian"]["target_values"] == [-1, 1]
    told = model.transform(frame)
    assert BinaryClassificationEvaluator().evaluate(told) > 0.9
    rows = told.select("prediction", "rawPrediction").collect()
    margin = model.scantModel.predict(X)
    assert [row.prediction for row in rows] == [float(one > 0) for one in margin]
    raw = [row.rawPrediction.toArray() for row in rows]
    assert np.allclose(raw, np.stack([-margin, margin], 1), rtol=0, atol=1e-12)
    assert model.predict(Vectors.dense(X[0])) == rows[0].prediction
    assert np.allclose(model.predictRaw(Vectors.dense(X[0])).toArray(), [-margin[0], margin[0]], atol=1e-12)
    nothing = frame.limit(1).withColumn("features", F.lit(None).cast(VectorUDT()))
    first = model.transform(nothing).first()  # as a regressor's: null, and no failure
    assert first["prediction"] is None and first["rawPrediction"] is None
    model.save(str(tmp_path / "model"))
    again = LimitedClassificationModel.load(str(tmp_path / "model"))
    assert bits(told_by(again, frame, "prediction")) == bits(told_by(model, frame, "prediction"))
    with pytest.raises(DataError, match="^all labels are 1: there must be two classes, 0 and 1$"):
        given.fit(vectors_of(spark, y=np.ones_like(label)))
    label[ROWS // PARTS + 30] = 2
    with pytest.raises(DataError, match="^partition 1, row 31: the label is 2: classes are 0 and 1$"):
        given.fit(vectors_of(spark, y=label))


def test_a_classifier_does_not_go_on_from_a_regressor(spark, tmp_path):
    """Its targets are -1 and 1, and the labels are not."""
    pq.write_table(
        pa.table({**dict(zip(NAMES, X.T, strict=True)), "label": (Y > 0).astype(float)}),
        tmp_path / "a.parquet",
        row_group_size=BLOCK,
    )
    given = {"checkpoint": tmp_path / "checkpoint", "resume": True, "session": spark}
    settings = {"k": K, "seed": 1, "algorithm": "moments"}
    LimitedRegressor(**settings).fitParquet(str(tmp_path / "a.parquet"), **given)
    with pytest.raises(DataError, match=r"other data: classes is None there, and \[0, 1\] here"):
        LimitedClassifier(**settings).fitParquet(str(tmp_path / "a.parquet"), **given)


def test_the_page_is_right(spark, tmp_path, capsys):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "clusters.md").read_text()
    program = page.partition("## Spark\n")[2].partition("```python\n")[2].partition("```")[0]
    frame = columns_of(spark).withColumnRenamed("label", "price")
    given = {"names": NAMES, "train": frame, "test": frame.limit(3), "path": str(tmp_path / "model")}
    exec(program, given)
    assert given["model"].numFeatures == D and "attributesBought=" in capsys.readouterr().out
    for param in given["regressor"].params:
        assert f"`{param.name}`" in page, param.name
