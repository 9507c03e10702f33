"""Sweeps on a Dask cluster: a real scheduler and real workers on this machine."""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import distributed
import pytest

from seprank import Architecture, Partition
from seprank.errors import InvalidInput, SeprankError
from seprank.study import records
from seprank.study.case import Case
from seprank.study.dask_workers import DaskWorkers
from seprank.study.jobs import jobs
from seprank.study.store import Store
from seprank.study.sweep import sweep

CASES = [Case(Architecture(3, 3), Partition(3, 3), seed=seed) for seed in range(4)]


@pytest.fixture
def start(tmp_path):
    """Starts ``dask scheduler`` or ``dask worker``; ended after the test."""
    started = []

    def run(*arguments):
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, **quiet))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def cluster(start, tmp_path, eventually):
    """The address of a scheduler that is running, a function that starts a worker of it, and its process."""
    file = tmp_path / "scheduler.json"
    scheduler = start(
        "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
    )
    eventually(lambda: file.exists() and file.stat().st_size)
    with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
        address = client.scheduler.address
    return address, lambda: start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"), scheduler


def test_a_scheduler_that_is_killed_ends_the_sweep_and_keeps_what_is_finished(
    cluster, tmp_path, eventually, monkeypatch
):
    monkeypatch.setattr("seprank.study.dask_workers.PATIENCE", 2.0)
    address, start_worker, scheduler = cluster
    path, said = tmp_path / "results.sqlite", []
    start_worker()

    def run():
        with pytest.raises(SeprankError) as caught:
            swept(path, address)
        said.append(str(caught.value))

    background = threading.Thread(target=run)
    background.start()
    eventually(lambda: path.exists() and records(path))
    scheduler.kill()
    background.join(timeout=60)
    assert ["gone" in line for line in said] == [True]
    assert 1 <= len(records(path)) < 4


def swept(path, address):
    with Store(path) as store, DaskWorkers(address) as workers:
        pending = jobs(CASES, store.finished(), capacity=workers.capacity())
        return sweep(pending, store, workers)


def test_a_worker_killed_in_mid_case_loses_nothing(cluster, tmp_path, eventually):
    address, start_worker, _ = cluster
    path, found = tmp_path / "results.sqlite", []
    with distributed.Client(address, set_as_default=False) as client:
        victims = {worker.pid: worker for worker in (start_worker(), start_worker())}
        client.wait_for_workers(2, timeout=60)
        background = threading.Thread(target=lambda: found.append(swept(path, address)))
        background.start()
        eventually(lambda: path.exists() and any(client.processing().values()))
        busy = next(worker for worker, tasks in client.processing().items() if tasks)
        pid = client.run(os.getpid, workers=[busy])[busy]
        os.kill(pid, signal.SIGKILL)
        victims[pid].wait()
        assert client.processing() or not found
        background.join(timeout=120)
        assert len(client.nthreads()) == 1
    assert (found[0].done, found[0].left, found[0].failed) == (4, 0, 0)
    assert [record.rank for record in records(path)] == [3102] * 4


def test_the_cluster_that_is_started_here(tmp_path):
    taken = socket.socket()  # the usual port of a dashboard may be in use by another cluster
    with suppress(OSError):
        taken.bind(("0.0.0.0", 8787))
        taken.listen()
    path = tmp_path / "results.sqlite"
    cases = [Case(Architecture(1, dx), Partition(dx, dx)) for dx in (2, 3)]
    with Store(path) as store, DaskWorkers("local", 1) as workers:
        standing = sweep(jobs(cases, {}, capacity=workers.capacity()), store, workers)
    taken.close()
    assert (standing.done, [record.rank for record in records(path)]) == (2, [3, 4])


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "tcp://"])
def test_addresses_where_no_scheduler_answers_are_refused(address, monkeypatch):
    monkeypatch.setattr("seprank.study.dask_workers.PATIENCE", 0.5)
    with pytest.raises(InvalidInput, match=r"^dask must be local or the address of a scheduler, got"):
        DaskWorkers(address).__enter__()
