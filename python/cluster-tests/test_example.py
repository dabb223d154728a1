"""The example of docs/clusters.md runs as it is on all three engines, and writes the same model."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "python" / "examples" / "cluster.py"


def run(name, table, folder):
    ended = subprocess.run([sys.executable, EXAMPLE, table, "y", name], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()[-1], (folder / f"{name}.json").read_bytes()


@pytest.fixture(scope="module")
def local(parquet_path, tmp_path_factory):
    pytest.importorskip("scant.distributed.parquet")
    return run("local", parquet_path, tmp_path_factory.mktemp("local"))


def test_dask(local, parquet_path, tmp_path):
    pytest.importorskip("distributed")
    assert run("dask", parquet_path, tmp_path) == local


def test_spark(local, parquet_path, tmp_path, java):
    pytest.importorskip("pyspark")
    assert run("spark", parquet_path, tmp_path) == local


def test_the_page_shows_it():
    program = EXAMPLE.read_text().split('"""\n', 1)[1].strip()
    assert program in (ROOT / "docs" / "clusters.md").read_text()
