"""What a sweep would take: cases, time, memory, before anything is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seprank.study.jobs import Job, wall_seconds
from seprank.study.workers import Capacity

PROCESS = 300 * 2**20  # bytes that a worker takes before its first case


@dataclass(frozen=True)
class Outlook:
    """Estimates for the jobs of a sweep on so many `workers`.

    `too_large` of the `pending` cases will be recorded as such, and `refused` counts those that will be recorded as
    failed, by reason. `seconds` is computing time on one 2 GHz core and `wall_seconds` the time until all is done;
    `largest_case` and `all_workers` are bytes, the latter with the programs themselves. `longest` is the costliest job.
    """

    pending: int
    workers: int
    seconds: float
    wall_seconds: float
    largest_case: int
    all_workers: int
    too_large: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    longest: Job | None = None


def outlook(pending: Sequence[Job], capacity: Capacity) -> Outlook:
    """The outlook for jobs from `seprank.study.jobs.jobs`."""
    needs = sorted((job.estimate.memory for job in pending if not job.alone), reverse=True)
    alone = max((job.estimate.memory for job in pending if job.alone), default=0)
    return Outlook(
        pending=len(pending),
        workers=capacity.slots,
        seconds=sum(job.estimate.seconds for job in pending),
        wall_seconds=wall_seconds(pending, capacity.slots),
        largest_case=max([alone, *needs[:1]]),
        all_workers=max(alone, sum(needs[: capacity.slots])) + capacity.slots * PROCESS,
        too_large=sum(job.estimate.too_large is not None for job in pending),
        refused=Counter(job.estimate.refusal for job in pending if job.estimate.refusal is not None),
        longest=max(pending, key=lambda job: job.estimate.seconds, default=None),
    )
