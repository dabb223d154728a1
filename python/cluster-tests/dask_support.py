"""What the tests of Dask share: clusters of processes on this machine, started once, and workers that are killed."""

import contextlib
import os
import signal
import sys
import time

import pytest

pytest.importorskip("distributed", reason="the tests of Dask need dask and distributed: pip install '.[dask]'")

import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import distributed  # noqa: E402
import numpy as np  # noqa: E402
from conftest import ATTRIBUTES  # noqa: E402

from scant.distributed.dask._engine import DaskEngine  # noqa: E402

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not find this file

_clusters = {}


def cluster_of(workers):
    """A cluster of so many processes, with one thread each, and its client: made once, and again after a kill."""
    if workers in _clusters and not _is_whole(workers):
        _close(workers)
    if workers not in _clusters:
        with dask.config.set({"distributed.worker.daemon": True, "distributed.comm.timeouts.connect": "300s"}):
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
            )
        _clusters[workers] = cluster, distributed.Client(cluster, set_as_default=False), []
    return _clusters[workers][:2]


def _is_whole(workers, seconds=4):
    """Whether nannies have started again what was killed; a cluster where that takes long is not worth the wait."""
    cluster, _, killed = _clusters[workers]
    until = time.monotonic() + seconds
    while killed and len(cluster.workers) == workers and time.monotonic() < until:
        pids = [pid_of(cluster, worker) for worker in range(workers)]
        if len(cluster.scheduler.workers) == workers and not {None, *killed} & set(pids):
            killed.clear()
        time.sleep(0.05)
    return not killed


def _close(workers):
    cluster, client, _ = _clusters.pop(workers)
    client.close()
    cluster.close()


def close_clusters():
    for workers in list(_clusters):
        _close(workers)


def pid_of(cluster, worker=0):
    """None while there is none; a nanny whose worker dies as it starts gives up."""
    nannies = list(cluster.workers.values())
    process = nannies[worker].process if worker < len(nannies) else None
    return None if process is None or process.process is None else process.process.pid


def kill(cluster, worker=0):
    """Kills one worker as an operator or the kernel would; its nanny starts another, sooner or later."""
    pid = pid_of(cluster, worker)
    for known, _, killed in _clusters.values():
        if known is cluster:
            killed.append(pid)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def is_empty(cluster):
    """Waits until the scheduler has no task: futures are released a moment after they are let go."""
    while cluster.scheduler.tasks:
        time.sleep(0.05)
    return True


class KillingEngine(DaskEngine):
    """Kills the worker that begins the first task with these words (between stars) in its label, or `after` later."""

    def __init__(self, client, cluster, words, after=0, **options):
        super().__init__(client, **options)
        self.cluster, self.words, self.after = cluster, words.split("*"), after
        self.killed = None
        self.labels = {}

    def _nodes(self, step, label, *rest):
        self.labels[step] = label
        return super()._nodes(step, label, *rest)

    def _began(self, step, number):
        super()._began(step, number)
        label = self.labels.get(step, "")
        if self.killed is None and all(word in label for word in self.words):
            self.after -= 1
            if self.after < 0:
                self.killed = label
                kill(self.cluster, self._worker_of((label, self._token, step, number)))

    def _worker_of(self, key):
        task = self.cluster.scheduler.tasks.get(key)
        found = task and (task.processing_on or next(iter(task.who_has or ()), None))
        addresses = [nanny.worker_address for nanny in self.cluster.workers.values()]
        return addresses.index(found.address) if found else 0


# ---- tables of Dask ---------------------------------------------------------------


def chunked(arrays, rows=300, columns=ATTRIBUTES):
    X, y = arrays
    return da.from_array(X, chunks=(rows, columns)), da.from_array(y, chunks=rows)


def unknown(array):
    """The same with chunk sizes that Dask does not know."""
    chunks = (tuple([np.nan] * array.numblocks[0]), *array.chunks[1:])
    return da.Array(array.dask, array.name, chunks, dtype=array.dtype)


def uneven(frame, *lengths):
    """Partitions of these lengths, and the rest; some may be empty.  Divisions are unknown."""
    ends = np.cumsum(lengths)
    pieces = [frame.iloc[start:end] for start, end in zip([0, *ends], [*ends, len(frame)], strict=True)]
    return dd.from_delayed([dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0], verify_meta=False)
