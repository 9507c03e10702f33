"""What a sweep still has to do, in which order, and how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from seprank.study.case import Case
from seprank.study.estimate import Estimate, estimate
from seprank.study.store import is_settled
from seprank.study.workers import Capacity


@dataclass(frozen=True)
class Job:
    """A case to be done, its estimate, whether it needs the machine to itself, and how often its worker died."""

    case: Case
    estimate: Estimate
    alone: bool = False
    deaths: int = 0


def jobs(
    cases: Iterable[Case],
    finished: dict[str, tuple[str, str]],
    *,
    what: str = "rank",
    retry: bool = False,
    threads: int = 1,
    capacity: Capacity,
    progress: Callable[[int, int], None] | None = None,
) -> list[Job]:
    """The cases that a store does not settle yet, each with its estimate, cheapest first.

    Those that need more memory than a worker's share come last, to have the machine to themselves.
    """
    pending = [case for case in cases if not (case.key in finished and is_settled(*finished[case.key], what, retry))]
    found = []
    for number, case in enumerate(pending, 1):
        cost = estimate(case, what, threads, capacity.alone)
        found.append(Job(case, cost, capacity.memory is not None and cost.memory > capacity.memory))
        if progress is not None:
            progress(number, len(pending))
    return sorted(found, key=lambda job: (job.alone, job.estimate.seconds))


def wall_seconds(pending: Sequence[Job], slots: int) -> float:
    """Rough seconds until all these jobs are done by so many workers."""
    crowd = [job.estimate.seconds for job in pending if not job.alone]
    alone = sum(job.estimate.seconds for job in pending if job.alone)
    return alone + max(sum(crowd) / slots, max(crowd, default=0.0))


def after(job: Job, seconds: float) -> Job:
    """The job when it has been worked on for so many seconds of its estimate."""
    return replace(job, estimate=replace(job.estimate, seconds=max(0.0, job.estimate.seconds - seconds)))
