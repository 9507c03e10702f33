"""Sweeps as programs of their own: killed, interrupted, two at once. Nothing finished is lost or done twice."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from seprank.study import records
from seprank.study.grid import grid
from seprank.study.schema import open_to_read
from seprank.study.store import Store
from seprank.study.work import request, solve

GRID = "--L 1:3 --dx 2:3 --H 1 --N long,2"
CASES = 12
KILLS = 25 if os.environ.get("SEPRANK_LONG") else 2


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """A store with the grid of `GRID`, filled one case after the other in this process."""
    path = tmp_path_factory.mktemp("survival") / "uninterrupted.sqlite"
    with Store(path) as store:
        for case in grid("1:3", "2:3", "1", "long,2").cases:
            store.finish(case, solve(request(case, "rank")))
    return path


def kill_at_random(kills, store, start_sweep, eventually, children, is_running):
    moments = random.Random(kills)
    seen = set()
    for _ in range(kills):
        sweep = start_sweep(store, f"{GRID} --workers 2")
        wanted = len(seen) + moments.randrange(3)
        eventually(lambda sweep=sweep, wanted=wanted: sweep.poll() is not None or count(store) >= wanted)
        time.sleep(moments.random())
        workers = children(sweep.pid)
        before = {record.key for record in records(store)} if count(store) else set()
        sweep.kill()
        sweep.wait()
        seen |= before
        assert seen <= ({record.key for record in records(store)} if store.exists() else set())
        eventually(lambda workers=workers: not any(map(is_running, workers)))
    return seen


def count(store):
    return len(records(store)) if store.exists() else 0


@pytest.mark.long
def test_a_killed_sweep_loses_no_finished_case(
    tmp_path, uninterrupted, start_sweep, finish, what_it_says, eventually, children, is_running
):
    store = tmp_path / "killed.sqlite"
    kill_at_random(KILLS, store, start_sweep, eventually, children, is_running)
    before = count(store)
    start = time.monotonic()
    found = finish(start_sweep(store, f"{GRID} --workers 2"))
    assert (found["before"], found["done"], found["left"]) == (before, CASES - before, 0)
    assert time.monotonic() - start < 60, "claims of the dead were waited for"
    assert what_it_says(store) == what_it_says(uninterrupted)
    with open_to_read(store) as connection:
        assert connection.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_two_sweeps_on_one_store_share_the_work(tmp_path, uninterrupted, start_sweep, finish, what_it_says):
    store = tmp_path / "shared.sqlite"
    both = [start_sweep(store, f"{GRID} --workers 1") for _ in range(2)]
    found = [finish(sweep) for sweep in both]
    assert sum(one["done"] for one in found) == CASES
    assert all(one["before"] + one["done"] + one["elsewhere"] == CASES for one in found)
    assert what_it_says(store) == what_it_says(uninterrupted)


def test_an_interrupt_stops_within_seconds_and_keeps_what_is_finished(
    tmp_path, start_sweep, eventually, children, is_running, finish
):
    store = tmp_path / "interrupted.sqlite"
    line = "--L 1:4 --dx 2:3 --workers 2"  # the last case would take most of an hour
    sweep = start_sweep(store, line)
    eventually(lambda: count(store) >= 4)
    workers = children(sweep.pid)
    assert workers
    start = time.monotonic()
    os.killpg(sweep.pid, signal.SIGINT)
    out, err = sweep.communicate(timeout=30)
    assert time.monotonic() - start < 10
    assert (sweep.returncode, out) == (1, "")
    assert err.startswith("seprank: this will take about")
    assert err.splitlines()[1].startswith(f"seprank: interrupted: {count(store)} of 8 cases are in {store}")
    assert err.count("\n") == 2
    eventually(lambda: not any(map(is_running, workers)))
    before = sum(record.L <= 2 for record in records(store))
    found = finish(start_sweep(store, "--L 1:2 --dx 2:3 --workers 1"))
    assert (found["before"], found["done"]) == (before, 4 - before)


def test_a_worker_that_is_killed_costs_only_time(tmp_path, start_sweep, finish, eventually, children):
    store = tmp_path / "worker.sqlite"
    sweep = start_sweep(store, "--L 3 --dx 3 --H 1 --workers 1 --method blocks")
    eventually(lambda: claimed(store) and worker_processes(sweep.pid, children))
    os.kill(worker_processes(sweep.pid, children)[0], signal.SIGKILL)
    assert finish(sweep)["done"] == 1
    assert [record.rank for record in records(store)] == [3102]


def claimed(store):
    if not store.exists():
        return False
    with open_to_read(store) as connection:
        return connection.execute("SELECT count(*) FROM claims").fetchone() == (1,)


def worker_processes(number, children):
    """Spawned workers among the children, not the helper that watches over shared resources."""

    return [child for child in children(number) if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]
