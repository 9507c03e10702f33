"""Stores, sweeps as programs of their own, and workers that need no process, shared by the tests of studies."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from seprank import Architecture, Partition
from seprank.study import certificate, records
from seprank.study.case import Case
from seprank.study.store import Store
from seprank.study.work import request, solve
from seprank.study.workers import Capacity

PROGRAM = "import sys; from seprank.cli.main import run; sys.exit(run())"


@pytest.fixture
def make_case():
    """A case from sizes: ``make_case(2, 4, H=2)``; long input unless NA and NB are given."""

    def make(L, dx, H=1, NA=None, NB=None, residual=False, **rest):
        return Case(Architecture(L, dx, H, residual=residual), Partition(NA or dx, NB or dx), **rest)

    return make


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A store with ranks, bounds only, a case that is too large and one that failed; not to be changed."""
    path = tmp_path_factory.mktemp("study") / "filled.sqlite"
    sizes = [(1, 2, 1), (2, 2, 2), (2, 4, 2), (2, 4, 1)]
    cases = [(Case(Architecture(*size), Partition(size[1], size[1])), "rank") for size in sizes]
    cases.append((Case(Architecture(2, 3, residual=True), Partition(1, 2), seed=2**64 - 1), "rank"))
    cases.append((Case(Architecture(40, 64, 8), Partition(64, 64)), "bounds"))
    cases.append((Case(Architecture(4, 8), Partition(8, 8)), "rank"))
    cases.append((Case(Architecture(2, 2), Partition(2, 2), prime=7), "rank"))
    with Store(path) as store:
        for case, what in cases:
            store.finish(case, solve(request(case, what, memory=2**30)))
    return path


@pytest.fixture
def what_it_says():
    """What a store says, whatever the machine did: records without time, memory and versions, and certificates."""

    def plain(path):
        kept = {}
        for record in records(path):
            same = replace(record, seconds=None, memory=None, versions=None)
            kept[record.key] = same, certificate(path, record.key)
        return kept

    return plain


@pytest.fixture
def start_sweep():
    """Starts ``seprank sweep`` as a program of its own, in a process group of its own; ended after the test."""
    started = []

    def start(store, line, **options):
        command = [sys.executable, "-c", PROGRAM, "sweep", *line.split(), "--store", str(store), "--format", "json"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def finish():
    """Waits for a sweep that was started, which must succeed, and returns the JSON that it printed."""

    def wait(process, timeout=120):
        out, err = process.communicate(timeout=timeout)
        assert (process.returncode, err) == (0, "")
        return json.loads(out)

    return wait


@pytest.fixture
def children():
    """The numbers of the living processes that a process has started."""

    def find(number):
        try:
            text = Path(f"/proc/{number}/task/{number}/children").read_text()
        except OSError:
            return []
        return [int(child) for child in text.split()]

    return find


@pytest.fixture
def is_running():
    """Whether there is a living process of that number."""

    def look(number):
        try:
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    return look


@pytest.fixture
def eventually():
    """Waits until something holds, a minute at most."""

    def wait(holds, patience=60.0):
        end = time.monotonic() + patience
        while not holds():
            assert time.monotonic() < end, "it never came to hold"
            time.sleep(0.02)

    return wait


@pytest.fixture
def thread_workers():
    """Workers in threads of this process, for what does not need processes."""

    class Threads:
        def __init__(self, slots=1, memory=2**30, alone=2**30):
            self.found = Capacity(slots, memory, alone)
            self.executor = ThreadPoolExecutor(slots)

        def capacity(self):
            return self.found

    made = []

    def make(**options):
        made.append(Threads(**options))
        return made[-1]

    yield make
    for workers in made:
        workers.executor.shutdown()
