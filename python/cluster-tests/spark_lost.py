"""A fit on Spark's local-cluster whose executors are killed by the tasks themselves: python spark_lost.py FOLDER.

In the second round's purchase, and in a request for sums after it, the first task that gets there ends the JVM that it
runs in.  What the other process kept is lost with it.  Prints what test_spark_lost.py compares.
"""

import json
import os
import pathlib
import signal
import sys
import time

import numpy as np
from pyspark.sql import SparkSession

from scant.distributed import InMemory, LocalEngine, fit
from scant.distributed.spark._engine import SparkEngine


class KillOnce:
    """A function that kills the executor it runs on, if nothing has done so before."""

    def __init__(self, function, flag):
        self.function, self.flag = function, flag

    def __call__(self, *arguments):
        if not os.path.exists(self.flag):
            with open(self.flag, "w") as file:
                file.write(str(executor()))
            os.kill(executor(), signal.SIGKILL)
            time.sleep(60)
        return self.function(*arguments)


def executor():
    """The JVM above this process: a worker of Python is a child of a daemon, which is a child of the JVM."""
    process = os.getppid()
    while process > 1:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            command = file.read()
        if b"CoarseGrainedExecutorBackend" in command:
            return process
        with open(f"/proc/{process}/stat") as file:
            process = int(file.read().rpartition(")")[2].split()[1])
    raise RuntimeError("there is no executor above this process")


class KillingEngine(SparkEngine):
    folder = ""

    def deadly(self, function, label, *phases):
        for phase in phases:
            if label.endswith(phase):
                return KillOnce(function, os.path.join(self.folder, phase.replace(" ", "-").replace(",", "")))
        return function

    def keep(self, function, tasks, before=None, shared=None, label=""):
        deadly = self.deadly(function, label, ", buy") if "round 2 " in label else function
        return super().keep(deadly, tasks, before, shared, label)

    def reduce(self, function, merge, kept, shared=None, label=""):
        deadly = self.deadly(function, label, ", expect") if "round 2 " in label else function
        return super().reduce(deadly, merge, kept, shared, label)


def facts(result):
    return {
        "model": [float(v).hex() for v in (*result.coef_, result.intercept_, result.risk, result.risk_error)],
        "ledger": [result.attributes_bought, result.bytes_read, result.money_spent, result.examples, result.blocks],
        "purchases": result.purchases.tolist(),
    }


def main(folder):
    random = np.random.default_rng(3)
    X = random.normal(size=(168, 3)) + random.normal(size=(168, 1))
    table = InMemory(X, X[:, 1] - X[:, 2] + 0.3 * random.normal(size=168), block_rows=8, part_blocks=4)
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.executor.memory", "512m")
        .getOrCreate()
    )
    engine = KillingEngine(spark)
    engine.folder = folder
    # Both executors are there before one is killed, so that something is kept on each.
    while spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 3:
        time.sleep(0.2)
    settings = {"k": 2, "random_state": 1, "algorithm": "moments", "em": "workers", "costs": [1.0, 2.0, 3.0]}
    result = fit(table, engine=engine, **settings)
    lost = [path.read_text() for path in pathlib.Path(folder).iterdir() if path.is_file()]
    spark.stop()
    here = fit(table, engine=LocalEngine(), **settings)
    print(json.dumps({"spark": facts(result), "here": facts(here), "retried": result.tasks_retried, "lost": lost}))


if __name__ == "__main__":
    main(sys.argv[1])
