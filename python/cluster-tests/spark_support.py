"""What the tests of Spark share: one session, which is made again after a test stopped it or for another master."""

import os
import shutil
import sys

import pytest

pytest.importorskip("pyspark", reason="the tests of Spark need pyspark: pip install '.[spark]'")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("the tests of Spark need Java: apt-get install default-jre-headless", allow_module_level=True)

from pyspark import SparkContext, cloudpickle  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # executors do not find this file

# Executors take the Python that runs the tests.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def session_of(master="local[2,3]"):
    """The session with this master; a task may fail twice."""
    running = SparkContext._active_spark_context
    if running is not None and running.master != master:
        running.stop()
    session = (
        SparkSession.builder.master(master)
        .appName("scant tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    return session


def stop_session():
    running = SparkContext._active_spark_context
    if running is not None:
        running.stop()
