"""The same fit in this process, on Dask and on Spark.

python cluster.py TABLE TARGET local|dask|spark
"""

import sys

from scant.distributed import LocalEngine, fit, parquet


def engine(name):
    if name == "dask":
        from dask.distributed import Client

        from scant.distributed.dask import DaskEngine

        return DaskEngine(Client())  # or Client("tcp://scheduler:8786")
    if name == "spark":
        from scant.distributed.spark import SparkEngine

        return SparkEngine()  # the session that there is, or a new one
    if name == "local":
        return LocalEngine(threads=2)
    sys.exit(f"{name} is neither local nor dask nor spark")


if __name__ == "__main__":
    path, target, name = sys.argv[1:]
    result = fit(parquet.open(path, target), k=4, random_state=1, engine=engine(name), progress=True)
    print(f"{result.attributes_bought} attributes, {result.bytes_read} bytes, risk {result.risk:.6f}")
    result.model.save(f"{name}.json")
