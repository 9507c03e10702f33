"""Sweeps: all cases of a grid into a store, cheapest first, over any workers, resumable at every moment."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from seprank.errors import SeprankError
from seprank.study.jobs import Job, after, wall_seconds
from seprank.study.record import DONE, ERROR, TOO_LARGE
from seprank.study.store import LEASE, Store
from seprank.study.work import one_line, request, solve, versions
from seprank.study.workers import Capacity

TICK = 0.5  # seconds between two looks at the workers
MOMENT = 0.1  # seconds between two reports
LOOK = 2.0  # seconds between two looks at claims of others and at the number of workers
_TELLING = 0.5  # seconds of an estimate from which on the time taken corrects the later ones


class Workers(Protocol):
    """What a sweep needs of its workers."""

    @property
    def executor(self) -> Executor: ...

    def capacity(self) -> Capacity: ...


@dataclass
class Standing:
    """How far a sweep is, in cases.

    `before` were in the store; others were `done`, found `too_large` or `failed` now, or done `elsewhere` by another
    sweep at the same time; `left` are not. `seconds_left` is an estimate, `share` the part of the estimated time that
    is over, `seconds` the time since the start.
    """

    total: int
    before: int = 0
    done: int = 0
    too_large: int = 0
    failed: int = 0
    elsewhere: int = 0
    left: int = 0
    seconds_left: float = 0.0
    share: float = 0.0
    seconds: float = 0.0
    budget_spent: bool = False


Report = Callable[[Standing], None]


def sweep(
    pending: list[Job],
    store: Store,
    workers: Workers,
    *,
    what: str = "rank",
    retry: bool = False,
    threads: int = 1,
    budget: float | None = None,
    total: int | None = None,
    report: Report | None = None,
) -> Standing:
    """Do all `pending` cases and keep every outcome in the store as soon as it is there.

    Parameters
    ----------
    pending : from `seprank.study.jobs.jobs`.
    workers : `LocalWorkers` or `DaskWorkers`, entered.
    what : "rank" (the closed forms come with it) or "bounds".
    retry : do cases again that failed or were too large.
    threads : for each case.
    budget : seconds after which the sweep ends; a case that would not end in time is not begun.
    total : cases of the whole grid, for the report; those that are not pending were done before.
    report : called with the `Standing` ten times a second at most, and at the end.

    An interrupt or any other exception leaves every finished case in the store and ends the sweep at once. Cases that
    another living sweep has claimed are waited for.
    """
    run = _Sweep(pending, store, workers, what, retry, threads, budget, total or len(pending), report)
    try:
        run.go()
    finally:
        run.keep_what_is_there()
        store.give_up()
    run.standing.seconds = time.monotonic() - run.start
    return run.standing


@dataclass
class _Sweep:
    pending: list[Job]
    store: Store
    workers: Workers
    what: str
    retry: bool
    threads: int
    budget: float | None
    total: int
    report: Report | None
    running: dict[Future[dict[str, Any]], tuple[Job, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.queue = deque(self.pending)
        self.taken: list[Job] = []
        self.start = self.looked = self.renewed = time.monotonic()
        self.told = -MOMENT
        self.capacity = self.workers.capacity()
        self.planned = sum(job.estimate.seconds for job in self.pending) or 1.0
        self.estimated = self.spent = 0.0
        self.standing = Standing(self.total, self.total - len(self.pending), left=len(self.pending))

    def go(self) -> None:
        """Until all is done or the budget is spent."""
        while self.queue or self.running or self.taken:
            if self._out_of_time():
                self.standing.budget_spent = True
                return
            self._start_some()
            self._settle_done(wait(self.running, TICK, FIRST_COMPLETED).done)
            if not self.running:
                time.sleep(0 if self.queue else TICK)
            self._look_around()
            self._tell()

    def keep_what_is_there(self) -> None:
        """Store the outcomes that came in while the sweep was being stopped."""
        for future in list(self.running):
            if future.done() and not future.cancelled() and future.exception() is None:
                self._settle_done([future])

    def _start_some(self) -> None:
        most = self.capacity.slots + self.capacity.ahead
        while self.queue and len(self.running) < most and self._may_start(self.queue[0]):
            job = self.queue.popleft()
            claim = self.store.claim(job.case.key, self.what, self.retry)
            if claim == "mine":
                memory = self.capacity.alone if job.alone else self.capacity.memory
                question = request(job.case, self.what, self.threads, memory)
                self.running[self.workers.executor.submit(solve, question)] = job, time.monotonic()
            elif claim == "taken":
                self.taken.append(job)
            else:
                self._count("elsewhere", job)

    def _may_start(self, job: Job) -> bool:
        if any(other.alone for other, _ in self.running.values()) or (job.alone and self.running):
            return False
        return self.budget is None or job.estimate.seconds * self._pace() <= self._time_left()

    def _settle_done(self, futures: Iterable[Future[dict[str, Any]]]) -> None:
        for future in futures:
            job, _ = self.running[future]
            outcome = self._outcome(job, future)
            if outcome is not None:
                self.store.finish(job.case, outcome)
                self._count({DONE: "done", TOO_LARGE: "too_large", ERROR: "failed"}[outcome["status"]], job)
                self._learn(job.estimate.seconds, outcome.get("seconds"))
            del self.running[future]

    def _outcome(self, job: Job, future: Future[dict[str, Any]]) -> dict[str, Any] | None:
        """What became of a case; None for one that is to be done again with the machine to itself."""
        if future.cancelled():
            raise SeprankError("the workers are gone: the finished cases are stored, and the same command goes on")
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            if job.deaths == 0:
                self.queue.append(replace(job, alone=True, deaths=1))
                return None
            error = SeprankError("the process of the worker was killed twice, perhaps for want of memory")
        if error is not None:
            return {"what": self.what, "status": ERROR, "error": one_line(error), "versions": versions()}
        outcome = future.result()
        crowded = not job.alone and self.capacity.memory != self.capacity.alone and job.estimate.too_large is None
        if outcome["status"] == TOO_LARGE and crowded:
            self.queue.append(replace(job, alone=True))
            return None
        return outcome

    def _count(self, kind: str, job: Job) -> None:
        setattr(self.standing, kind, getattr(self.standing, kind) + 1)
        self.standing.left -= 1
        self.standing.share = min(1.0, self.standing.share + job.estimate.seconds / self.planned)

    def _learn(self, estimated: float, took: float | None) -> None:
        """Short cases say nothing about the pace: the first one of a worker loads the program."""
        if took is not None and estimated >= _TELLING:
            self.estimated += estimated
            self.spent += took

    def _look_around(self) -> None:
        now = time.monotonic()
        if now - self.looked > LOOK:
            self.looked = now
            self.capacity = self.workers.capacity()
            self.queue.extend(self.taken)
            self.taken.clear()
        if now - self.renewed > LEASE / 4:
            self.renewed = now
            self.store.renew()

    def _tell(self) -> None:
        now = time.monotonic()
        if self.report is None or (self.standing.left and now - self.told < MOMENT):
            return
        self.told = now
        begun = [after(job, (now - since) / self._pace()) for job, since in self.running.values()]
        self.standing.seconds_left = (
            wall_seconds([*begun, *self.queue, *self.taken], self.capacity.slots) * self._pace()
        )
        self.report(self.standing)

    def _pace(self) -> float:
        """Seconds that an estimated second takes on these workers."""
        return self.spent / self.estimated if self.estimated else 1.0

    def _time_left(self) -> float:
        return float("inf") if self.budget is None else self.start + self.budget - time.monotonic()

    def _out_of_time(self) -> bool:
        if self._time_left() <= 0:
            return True
        waiting = self.running or self.taken
        return not waiting and bool(self.queue) and not self._may_start(self.queue[0])
