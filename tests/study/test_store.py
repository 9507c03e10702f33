"""Finished cases and claims: what is kept, what is replaced, who may work on what."""

import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from seprank.errors import SeprankError
from seprank.study import certificate, records
from seprank.study.owner import is_gone, own_name
from seprank.study.store import LEASE, Store, is_settled
from seprank.study.work import request, solve


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def outcome(status="done", what="rank", **rest):
    return {"what": what, "status": status, "versions": {"seprank": "0"}, **rest}


def test_an_outcome_is_kept_as_it_is(path, make_case):
    case = make_case(2, 4, H=2, seed=2**64 - 1)
    found = solve(request(case, "rank"))
    with Store(path) as store:
        assert store.finish(case, found)
        assert store.finished() == {case.key: ("rank", "done")}
    (record,) = records(path)
    assert (record.key, record.seed, record.rank, record.certified_exact) == (case.key, 2**64 - 1, 107, True)
    assert record.document() == case.document()
    assert record.key_fits
    assert [block["rank"] for block in record.blocks] == [1, 10, 52, 40, 4]
    assert certificate(path, case.key) == found["certificate"]
    assert certificate(path, "another") is None


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (outcome(rank=1), outcome(rank=2), 1),
        (outcome(rank=1), outcome("error"), 1),
        (outcome(rank=1), outcome(what="bounds"), 1),
        (outcome("error"), outcome(rank=2), 2),
        (outcome("too-large"), outcome(rank=2), 2),
        (outcome(what="bounds"), outcome(rank=2), 2),
        (outcome("error", "bounds"), outcome(rank=2), 2),
        (outcome("error"), outcome(what="bounds"), None),
    ],
)
def test_only_better_outcomes_replace_others(first, second, kept, path, make_case):
    case = make_case(2, 4)
    with Store(path) as store:
        assert store.finish(case, first)
        assert store.finish(case, second) == (kept == 2)
    (record,) = records(path)
    assert record.rank == kept
    if kept is None:
        assert (record.what, record.status) == ("rank", "error")


@pytest.mark.parametrize("what", ["rank", "bounds"])
@pytest.mark.parametrize("status", ["done", "too-large", "error"])
@pytest.mark.parametrize("asked", ["rank", "bounds"])
@pytest.mark.parametrize("retry", [False, True])
def test_what_settles_a_question(what, status, asked, retry):
    answers = what == "rank" or asked == "bounds"
    assert is_settled(what, status, asked, retry) == (answers and (status == "done" or not retry))


def test_a_claim_keeps_others_out_until_it_is_given_up_or_done(path, make_case):
    case, other = make_case(2, 4), make_case(2, 3)
    with Store(path, "first") as first, Store(path, "second") as second:
        assert first.claim(case.key, "rank") == "mine"
        assert first.claim(case.key, "rank") == "mine"
        assert second.claim(case.key, "rank") == "taken"
        assert second.claim(other.key, "rank") == "mine"
        first.give_up()
        assert second.claim(case.key, "rank") == "mine"
        assert first.claim(other.key, "rank") == "taken"
        second.finish(case, outcome("error"))
        assert first.claim(case.key, "rank") == "finished"
        assert first.claim(case.key, "rank", retry=True) == "mine"
        second.finish(other, outcome(what="bounds"))
        assert (first.claim(other.key, "bounds"), first.claim(other.key, "rank")) == ("finished", "mine")


def test_claims_run_out_unless_they_are_renewed(path, make_case, monkeypatch):
    case, other = make_case(2, 4), make_case(2, 3)
    now = time.time()
    with Store(path, "first") as first, Store(path, "second") as second:
        first.claim(case.key, "rank")
        second.claim(other.key, "rank")
        monkeypatch.setattr(time, "time", lambda: now + 0.9 * LEASE)
        first.renew()
        monkeypatch.setattr(time, "time", lambda: now + 1.1 * LEASE)
        assert second.claim(case.key, "rank") == "taken"
        assert first.claim(other.key, "rank") == "mine"


def test_claims_of_a_process_that_ended_are_free_at_once(path, make_case):
    case = make_case(2, 4)
    code = f"from seprank.study.store import Store; Store({str(path)!r}).claim({case.key!r}, 'rank')"
    subprocess.run([sys.executable, "-c", code], check=True)
    with Store(path) as store:
        assert store.claim(case.key, "rank") == "mine"


def test_names_of_processes():
    name = own_name()
    assert not is_gone(name)
    machine, number, started = name.split(" ")
    assert int(number) == os.getpid()
    assert not is_gone(f"another-machine {number} {started}")
    assert is_gone(f"{machine} {number} {int(started) - 1}"), "the number was given to a later process"
    child = subprocess.Popen([sys.executable, "-c", ""])
    deadline = time.monotonic() + 30
    while not is_gone(f"{machine} {child.pid} 1") and time.monotonic() < deadline:
        time.sleep(0.01)
    child.wait()
    assert is_gone(f"{machine} {child.pid} 1")
    assert not is_gone("rubbish")
    assert not is_gone("")


def test_nobody_gets_the_same_case_twice(path, make_case):
    keys = [make_case(1, dx).key for dx in range(2, 42)]
    got, barrier = [], threading.Barrier(4)

    def take(name):
        with Store(path, name) as store:
            barrier.wait()
            got.extend(key for key in keys if store.claim(key, "rank") == "mine")

    takers = [threading.Thread(target=take, args=(f"sweep {number}",)) for number in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert sorted(got) == sorted(keys)


def test_readers_and_a_writer_at_the_same_time(path, make_case):
    done, seen = threading.Event(), []
    with Store(path) as store:

        def read():
            while not done.is_set():
                seen.append(len(records(path)))

        reader = threading.Thread(target=read)
        reader.start()
        for dx in range(2, 32):
            store.finish(make_case(1, dx), outcome(rank=dx + 1))
        done.set()
        reader.join()
    assert seen == sorted(seen)
    assert len(records(path)) == 30


def test_an_outcome_that_cannot_be_kept_leaves_no_trace(path, make_case):
    case = make_case(2, 4)
    with Store(path) as store:
        store.claim(case.key, "rank")
        with pytest.raises((sqlite3.Error, SeprankError)):
            store.finish(case, outcome(rank=object()))
        assert store.finished() == {}
        assert store.finish(case, outcome(rank=3))


def test_a_store_that_is_moved_away_is_noticed(path, make_case):
    with Store(path) as store:
        store.renew()
        path.rename(path.with_suffix(".moved"))
        with pytest.raises(SeprankError, match=r"was moved or deleted while it was in use$"):
            store.renew()


def test_commits_are_on_the_disk_and_the_log_is_written_ahead(path):
    with Store(path), closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with Store(path) as store:
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_names_of_processes_on_systems_that_say_less(monkeypatch):
    def silent(*arguments, **options):
        raise OSError("no such file")

    monkeypatch.setattr("pathlib.Path.read_text", silent)
    machine, number, started = own_name().split(" ")
    assert (machine, int(number), started) == (socket.gethostname(), os.getpid(), "")
    assert not is_gone(own_name())
    assert not is_gone(f"{machine} {10**30} "), "nobody can tell"
