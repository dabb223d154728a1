"""Executors that are lost in the middle of a fit: the result and the ledger are as if nothing had happened."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # spark_support.py
import spark_support  # noqa: E402, F401  (skips without Spark)

# isort: split
import pyspark  # noqa: E402


def spark_home(folder):
    """Spark as it is installed, in a folder where a cluster may write its logs."""
    folder.mkdir()
    for path in pathlib.Path(pyspark.__file__).parent.iterdir():
        if path.name != "work":
            (folder / path.name).symlink_to(path)
    return str(folder)


def test_executors_are_killed(tmp_path):
    flags = tmp_path / "flags"
    flags.mkdir()
    environment = {**os.environ, "SPARK_HOME": spark_home(tmp_path / "spark")}
    program = pathlib.Path(__file__).with_name("spark_lost.py")
    ended = subprocess.run(
        [sys.executable, program, flags], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    assert len(set(told["lost"])) == 2  # in each phase another JVM
    assert told["spark"] == told["here"]
    assert told["retried"] >= 2
