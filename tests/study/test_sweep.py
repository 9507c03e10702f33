"""The order of a sweep and what becomes of every kind of case, with workers in threads."""

import threading
import time
from concurrent.futures import BrokenExecutor, Future

import pytest

from seprank.errors import SeprankError
from seprank.study import records
from seprank.study import sweep as sweep_module
from seprank.study.estimate import Estimate
from seprank.study.jobs import Job, jobs, wall_seconds
from seprank.study.store import Store
from seprank.study.sweep import sweep
from seprank.study.workers import Capacity

GiB = 2**30


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        yield store


@pytest.fixture
def answers(monkeypatch):
    """Replaces what workers do by a function from the width of a case to an outcome; returns the widths seen."""
    seen = []

    def install(answer):
        def solve(question):
            dx = question["case"]["architecture"]["dx"]
            seen.append((dx, question["memory"]))
            found = answer(dx)
            return found if isinstance(found, dict) else {"what": question["what"], "status": "done", "rank": found}

        monkeypatch.setattr(sweep_module, "solve", solve)
        return seen

    return install


def pending(make_case, *seconds, alone=()):
    return [Job(make_case(1, dx), Estimate(cost, 100), dx in alone) for dx, cost in enumerate(seconds, 2)]


def ranks(store):
    return {record.dx: record.rank for record in records(store.path)}


def test_jobs_come_cheapest_first_and_large_ones_last(make_case):
    cases = [make_case(3, 3), make_case(2, 8), make_case(1, 2), make_case(4, 8)]
    found = jobs(cases, {}, capacity=Capacity(2, GiB, 4 * GiB))
    assert [(job.case.architecture.L, job.alone) for job in found] == [(4, False), (1, False), (2, False), (3, False)]
    costs = [job.estimate.seconds for job in found]
    assert costs == sorted(costs)
    assert found[0].estimate.too_large
    small = jobs(cases[:3], {}, capacity=Capacity(2, min(job.estimate.memory for job in found[1:]), 4 * GiB))
    assert [job.alone for job in small] == [False, True, True]


def test_only_what_the_store_does_not_settle_is_done(make_case):
    cases = [make_case(1, dx) for dx in (2, 3, 4, 5)]
    finished = dict(
        zip(
            (case.key for case in cases),
            [("rank", "done"), ("bounds", "done"), ("rank", "error"), ("rank", "too-large")],
            strict=True,
        )
    )
    seen = []
    capacity = Capacity(1, GiB, GiB)

    def widths(**options):
        return [job.case.architecture.dx for job in jobs(cases, finished, capacity=capacity, **options)]

    assert widths(progress=lambda *step: seen.append(step)) == [3]
    assert seen == [(1, 1)]
    assert widths(retry=True) == [3, 4, 5]
    assert widths(what="bounds") == []
    assert widths(what="bounds", retry=True) == [4, 5]


def test_every_case_is_kept_and_counted(store, make_case, thread_workers, answers):
    seen = answers(
        lambda dx: {2: 5, 3: {"what": "rank", "status": "too-large"}, 4: {"what": "rank", "status": "error"}}[dx]
    )
    told = []
    found = sweep(
        pending(make_case, 1, 2, 3),
        store,
        thread_workers(memory=GiB),
        total=5,
        report=lambda standing: told.append((standing.left, standing.share)),
    )
    assert (found.total, found.before, found.done, found.too_large, found.failed, found.left) == (5, 2, 1, 1, 1, 0)
    assert [dx for dx, _ in seen] == [2, 3, 4]
    assert ranks(store) == {2: 5, 3: None, 4: None}
    assert told == sorted(told, key=lambda step: step[1])
    assert told[-1] == (0, pytest.approx(1))
    assert found.seconds > 0
    assert found.seconds_left == 0


def test_one_that_is_too_large_for_a_share_gets_the_machine_to_itself(store, make_case, thread_workers, answers):
    tries = []

    def answer(dx):
        tries.append(dx)
        return {"what": "rank", "status": "too-large"} if tries.count(3) == 1 and dx == 3 else dx

    seen = answers(answer)
    found = sweep(pending(make_case, 1, 2, 3, alone=[4]), store, thread_workers(slots=2, memory=GiB, alone=2 * GiB))
    assert (found.done, found.too_large) == (3, 0)
    assert sorted(seen) == [(2, GiB), (3, GiB), (3, 2 * GiB), (4, 2 * GiB)]


def test_nothing_runs_beside_one_that_needs_the_machine(store, make_case, thread_workers, answers):
    lock, most, running = threading.Lock(), {}, set()

    def answer(dx):
        with lock:
            running.add(dx)
            for other in running:
                most[other] = max(most.get(other, 0), len(running))
        time.sleep(0.1)
        with lock:
            running.discard(dx)
        return dx

    answers(answer)
    sweep(pending(make_case, 1, 1, 1, 1, alone=[4, 5]), store, thread_workers(slots=3))
    assert most == {2: 2, 3: 2, 4: 1, 5: 1}


def test_the_budget_ends_a_sweep_and_the_next_one_goes_on(store, make_case, thread_workers, answers):
    answers(lambda dx: dx)
    work = pending(make_case, 0.1, 0.1, 1000)
    found = sweep(work, store, thread_workers(), budget=30)
    assert (found.done, found.left, found.budget_spent) == (2, 1, True)
    assert store.claim(work[2].case.key, "rank") == "mine"
    store.give_up()
    found = sweep(work[2:], store, thread_workers(), budget=2000)
    assert (found.done, found.left, found.budget_spent) == (1, 0, False)


def test_a_case_still_running_at_the_end_of_the_budget_is_left(store, make_case, thread_workers, answers):
    done = threading.Event()
    answers(lambda dx: done.wait(20) and dx)
    found = sweep(pending(make_case, 0.1), store, thread_workers(), budget=0.2)
    done.set()
    assert (found.done, found.left, found.budget_spent) == (0, 1, True)
    assert found.seconds < 10
    assert ranks(store) == {}


def test_cases_of_another_sweep_are_waited_for(store, make_case, thread_workers, answers, monkeypatch):
    monkeypatch.setattr(sweep_module, "LOOK", 0.05)
    seen = answers(lambda dx: dx)
    work = pending(make_case, 1, 2, 3)
    with Store(store.path, "another") as other:
        assert other.claim(work[0].case.key, "rank") == other.claim(work[1].case.key, "rank") == "mine"
        other.finish(work[0].case, {"what": "rank", "status": "done", "rank": 7})

        def finish():
            with Store(store.path, "another") as again:
                again.finish(work[1].case, {"what": "rank", "status": "done", "rank": 8})

        timer = threading.Timer(0.6, finish)
        timer.start()
        found = sweep(work, store, thread_workers())
        timer.join()
    assert (found.done, found.elsewhere, found.left) == (1, 2, 0)
    assert [dx for dx, _ in seen] == [4]
    assert ranks(store) == {2: 7, 3: 8, 4: 4}


def test_a_case_of_a_sweep_that_died_is_taken_over(store, make_case, thread_workers, answers, monkeypatch):
    monkeypatch.setattr(sweep_module, "LOOK", 0.05)
    answers(lambda dx: dx)
    work = pending(make_case, 1)
    monkeypatch.setattr("seprank.study.store.LEASE", 0.7)
    Store(store.path, "another").claim(work[0].case.key, "rank")
    start = time.monotonic()
    found = sweep(work, store, thread_workers())
    assert (found.done, found.elsewhere) == (1, 0)
    assert time.monotonic() - start > 0.5


def test_claims_are_renewed_while_a_case_runs(store, make_case, thread_workers, answers, monkeypatch):
    monkeypatch.setattr(sweep_module, "LEASE", 0.4)
    monkeypatch.setattr(sweep_module, "LOOK", 0.1)
    monkeypatch.setattr(sweep_module, "TICK", 0.1)
    renewed = []
    monkeypatch.setattr(store, "renew", lambda: renewed.append(time.monotonic()))
    answers(lambda dx: time.sleep(0.8) or dx)
    assert sweep(pending(make_case, 1), store, thread_workers()).done == 1
    assert len(renewed) >= 2


class Dying:
    """Workers whose process dies a given number of times for every case."""

    def __init__(self, times):
        self.times, self.deaths, self.executor = times, {}, self

    def capacity(self):
        return Capacity(2, GiB, 2 * GiB)

    def submit(self, function, question):
        future, dx = Future(), question["case"]["architecture"]["dx"]
        self.deaths[dx] = self.deaths.get(dx, 0) + 1
        if self.deaths[dx] <= self.times:
            future.set_exception(BrokenExecutor("gone"))
        else:
            future.set_result(function(question))
        return future


def test_a_worker_that_dies_once_is_forgiven(store, make_case, answers):
    seen = answers(lambda dx: dx)
    found = sweep(pending(make_case, 1, 2), store, Dying(1))
    assert (found.done, found.failed) == (2, 0)
    assert {memory for _, memory in seen} == {2 * GiB}


def test_a_case_that_kills_its_worker_twice_is_a_failure(store, make_case, answers):
    answers(lambda dx: dx)
    found = sweep(pending(make_case, 1), store, Dying(2))
    assert (found.done, found.failed) == (0, 1)
    (record,) = records(store.path)
    assert record.error == "the process of the worker was killed twice, perhaps for want of memory"


def test_an_exception_on_the_way_to_a_worker_is_a_failure(store, make_case, thread_workers, monkeypatch):
    def broken(question):
        raise RuntimeError("no such worker")

    monkeypatch.setattr(sweep_module, "solve", broken)
    found = sweep(pending(make_case, 1, 2), store, thread_workers())
    assert (found.done, found.failed) == (0, 2)
    assert {record.error for record in records(store.path)} == {"RuntimeError: no such worker"}


def test_workers_that_are_gone_end_the_sweep(store, make_case):
    class Gone(Dying):
        def submit(self, function, question):
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    work = pending(make_case, 1)
    with pytest.raises(SeprankError, match=r"^the workers are gone: the finished cases are stored"):
        sweep(work, store, Gone(0))
    with Store(store.path, "another") as other:
        assert other.claim(work[0].case.key, "rank") == "mine"


def test_an_interrupt_keeps_what_is_there(store, make_case, thread_workers, answers):
    answers(lambda dx: dx)

    def interrupt(standing):
        if standing.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(pending(make_case, *[1] * 9), store, thread_workers(slots=3), report=interrupt)
    assert ranks(store)
    with Store(store.path, "another") as other:
        assert other.claim(make_case(1, 10).key, "rank") in ("mine", "finished")


def test_time_until_all_is_done(make_case):
    assert wall_seconds(pending(make_case, 1, 2, 3), 2) == 3
    assert wall_seconds(pending(make_case, 1, 9, 2), 2) == 9
    assert wall_seconds(pending(make_case, 1, 2, 3, alone=[4]), 2) == 5
    assert wall_seconds([], 2) == 0
