"""What a case will take, known before it starts: rough seconds and bytes, or why it does not fit."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.errors import SeprankError, TooLarge
from seprank.field.kernels import thread_limit
from seprank.separation import cost
from seprank.separation.derivative_blocks import sample
from seprank.separation.derivative_plan import DerivativePlan, tables_memory
from seprank.separation.plan import Plan, plan_rank
from seprank.separation.room import room_limit
from seprank.study.case import Case

OVERHEAD = 0.02  # seconds for closed forms, a certificate, and the way to a worker and back


@dataclass(frozen=True)
class Estimate:
    """Rough `seconds` on a 2 GHz core and `memory` in bytes beside the program itself.

    `too_large` says why a case cannot fit, and `refusal` why it cannot be asked; one that has either takes no time.
    """

    seconds: float
    memory: int = 0
    too_large: str | None = None
    refusal: str | None = None


def estimate(case: Case, what: str = "rank", threads: int = 1, memory: int | None = None) -> Estimate:
    """The estimate for a case that may use so many threads and bytes (None: what the machine has left).

    >>> from seprank import Architecture, Partition
    >>> found = estimate(Case(Architecture(L=2, dx=7), Partition(7, 7)))
    >>> 0.005 < found.seconds < 5, 10**6 < found.memory < 10**9
    (True, True)
    >>> estimate(Case(Architecture(L=4, dx=8), Partition(8, 8)), memory=2**30).too_large[:23]
    'the largest block needs'
    """
    if what == "bounds":
        return Estimate(OVERHEAD)
    try:
        with thread_limit(threads), room_limit(memory):
            plan = plan_rank(case.architecture, case.partition, prime=case.prime, seed=case.seed, method=case.method)
    except TooLarge as error:
        return Estimate(0.0, too_large=str(error))
    except SeprankError as error:
        return Estimate(0.0, refusal=str(error))
    return Estimate(plan.seconds + OVERHEAD, _memory(plan, threads))


def _memory(plan: Plan, threads: int) -> int:
    if plan.derivative is not None:
        return _derivative_memory(plan.derivative)
    if plan.method == "grid":
        return cost.grid_memory(plan.arch, plan.partition, plan.points**plan.partition.N)
    blocks = len(plan.sizes) if plan.method == "blocks" else 0
    return cost.sampling_memory(plan.arch, plan.partition, blocks, plan.prime, threads).needed(plan.points)


def _derivative_memory(plan: DerivativePlan) -> int:
    short = plan.largest
    return max(tables_memory(plan.arch, k) for k in plan.blocks) + (8 * short + 2 * plan.arch.s) * sample(
        short, 2 * short
    )
