"""What a measurement of a rank will do: its method, its sample, its cost. Nothing is drawn or evaluated yet."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.blocks import BlockBound, block_bounds
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.report import BoundReport, bounds
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.kernels import threads
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME, check_prime
from seprank.field.roads import NARROW_PRIME
from seprank.separation import cost
from seprank.separation.blocks import groups
from seprank.separation.derivative_plan import DerivativePlan, plan_derivatives
from seprank.separation.grid import LIMIT
from seprank.separation.result import whole_value
from seprank.separation.room import readable, room, short_count
from seprank.validate import whole_number

METHODS = ("blocks", "full", "grid", "derivative")
LARGE = 2000  # lines of the largest block from which on derivatives are considered without being asked for
SPARE_POINTS = 8  # assignments beyond the expected rank: an unlucky draw becomes far rarer


@dataclass(frozen=True)
class Plan:
    """A measurement that fits in memory.

    `sizes` holds the rows and columns of each matrix (none for the grid), `limits` the proved bound of each block,
    `points` the assignments per side (templates for the grid, 0 for derivatives), `memory` the bytes left for matrices
    and `seconds` a rough estimate of the time.
    """

    arch: Architecture
    partition: Partition
    method: str
    prime: int
    seed: int
    report: BoundReport = field(repr=False)
    points: int = 0
    sizes: tuple[int, ...] = ()
    limits: tuple[BlockBound, ...] = field(default=(), repr=False)
    memory: int = 0
    seconds: float = 0.0
    derivative: DerivativePlan | None = field(default=None, repr=False)


def plan_rank(
    arch: Architecture,
    partition: Partition | None = None,
    *,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
    method: str | None = None,
    points: int | None = None,
) -> Plan:
    """The plan of `separation_rank` with the same arguments.

    Raises `InvalidInput` for arguments that break a rule, and `TooLarge`, with the estimate and what would make it
    fit, for a job that cannot fit in memory.

    >>> plan = plan_rank(Architecture(L=2, dx=4, H=2))
    >>> plan.method, plan.sizes
    ('blocks', (9, 18, 60, 48, 12))
    >>> plan_rank(Architecture(L=3, dx=4)).method
    'derivative'
    """
    report = bounds(arch, partition)
    prime, seed = check_prime(prime), whole_number("seed", seed, least=0, most=2**64 - 1)
    if points is not None:
        points = whole_number("points", points)
    chosen = method or ("full" if arch.residual else "blocks")
    if chosen not in METHODS:
        raise InvalidInput(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    draft = Plan(arch, partition or Partition(arch.dx, arch.dx), chosen, prime, seed, report)
    finish = {
        "blocks": _with_blocks,
        "full": _with_one_matrix,
        "grid": _with_grid,
        "derivative": _with_derivatives,
    }[chosen]
    if method is None and chosen == "blocks" and points is None:
        return _with_blocks_or_derivatives(draft)
    return finish(draft, points)


def _with_blocks_or_derivatives(draft: Plan) -> Plan:
    """Derivatives for large blocks where they should take less than half the time, or alone fit as float64."""
    sampling: Plan | TooLarge
    try:
        sampling = _with_blocks(draft, None)
    except TooLarge as error:
        sampling = error
    limits = block_bounds(draft.arch, draft.partition)
    if limits is not None and max(limit.value for limit in limits) >= LARGE:
        with suppress(OutOfScope, TooLarge):
            other = _with_derivatives(replace(draft, method="derivative"), None)
            if isinstance(sampling, TooLarge) or sampling.prime != draft.prime or 2 * other.seconds < sampling.seconds:
                return other
    if isinstance(sampling, TooLarge):
        raise sampling
    return sampling


def _with_blocks(draft: Plan, points: int | None) -> Plan:
    _refuse_unsuited_to_blocks(draft.arch, draft.prime)
    limits = block_bounds(draft.arch, draft.partition)
    if limits is None:
        raise TooLarge(
            f"the block method would need {short_count(draft.arch.C + 1)} blocks at L = {draft.arch.L}: "
            "--method full --points 1000 gives a lower bound"
        )
    sizes = [_sample(limit.value, points) for limit in limits]
    draft = _narrowed(draft, max(sizes), len(sizes))
    memory = _room_for_matrices(draft, "the largest block", max(sizes), len(sizes))
    shared = groups({k: (size, size) for k, size in enumerate(sizes)}, memory, draft.prime)
    seconds = cost.block_seconds(draft.arch, draft.prime, [list(group.values()) for group in shared], threads())
    return _finished(draft, sizes, memory, seconds, tuple(limits))


def _narrowed(draft: Plan, size: int, blocks: int) -> Plan:
    """`draft` with a prime of float32 in place of the default one where a matrix does not fit as float64."""
    if draft.prime != DEFAULT_PRIME or draft.arch.degree >= NARROW_PRIME:
        return draft
    need = cost.sampling_memory(draft.arch, draft.partition, blocks, draft.prime, threads()).needed(size)
    return replace(draft, prime=NARROW_PRIME) if need > room() else draft


def _with_one_matrix(draft: Plan, points: int | None) -> Plan:
    upper = draft.report.best_upper
    expected = None if upper is None else whole_value(upper)
    if expected is None and points is None:
        raise TooLarge(
            f"the upper bound has more than 4000 digits at L = {draft.arch.L}, too many points to sample: "
            "--points 1000 gives a lower bound"
        )
    size = _sample(expected or points or 1, points)
    draft = _narrowed(draft, size, 0)
    memory = _room_for_matrices(draft, "the value matrix", size)
    seconds = cost.evaluation_seconds(draft.arch, draft.prime, size**2, threads())
    return _finished(draft, [size], memory, seconds)


def _with_grid(draft: Plan, points: int | None) -> Plan:
    arch, partition = draft.arch, draft.partition
    M, N = points or _enough_templates(draft), partition.N
    if M > 1 and (N >= LIMIT.bit_length() or M**N > LIMIT):
        entries = f"{short_count(M)}**{short_count(N)}"
        raise TooLarge(
            f"the grid needs M**N = {entries} entries, more than {LIMIT}: fewer templates (--points), "
            "a smaller --N, or another --method"
        )
    need, free = cost.grid_memory(arch, partition, M**N), room()
    if need > free:
        raise TooLarge(
            f"the grid needs about {readable(need)} of memory, and {readable(free)} may be used: a smaller --N, or "
            "another --method"
        )
    return replace(draft, points=M, memory=free, seconds=cost.grid_seconds(arch, partition, M**N))


def _with_derivatives(draft: Plan, points: int | None) -> Plan:
    if points is not None:
        raise InvalidInput(f"points must be left out for the derivative method, which samples none, got {points}")
    plan = plan_derivatives(draft.arch, draft.prime, draft.seed, partition=draft.partition)
    return replace(draft, limits=plan.limits, memory=plan.memory, seconds=plan.seconds, derivative=plan)


def _refuse_unsuited_to_blocks(arch: Architecture, prime: int) -> None:
    if arch.residual:
        raise InvalidInput("method must be full or grid for a residual network, got 'blocks': its blocks are mixed")
    degree = f"3**{arch.L}" if arch.L > 19 else f"3**L = {arch.degree}"
    if arch.degree >= MAX_PRIME:
        raise InvalidInput(
            f"method must be full or grid for L = {arch.L}, got 'blocks': it needs a prime above {degree}, and primes "
            f"are at most {MAX_PRIME}"
        )
    if prime <= arch.degree:
        raise InvalidInput(f"prime must exceed {degree} for the block method, got {prime}")


def _sample(expected: int, points: int | None) -> int:
    """Rows and columns to sample for a matrix whose rank is at most `expected`."""
    size = expected + SPARE_POINTS
    return size if points is None else min(size, points)


def _room_for_matrices(draft: Plan, what: str, size: int, blocks: int = 0) -> int:
    """Bytes left for matrices; raises `TooLarge` when one of `size` rows and columns does not fit."""
    memory, free = cost.sampling_memory(draft.arch, draft.partition, blocks, draft.prime, threads()), room()
    need = memory.needed(size)
    if need <= free:
        return free - memory.fixed - memory.per_point * size
    most, limit = memory.most_points(free), f"{readable(free)} may be used"
    if most:
        raise TooLarge(
            f"{what} needs {short_count(size)} points per side, about {readable(need)} of memory, and {limit}: "
            f"--points {most} would fit and give a lower bound"
        )
    raise TooLarge(
        f"the network and one assignment need about {readable(memory.needed(1))} of memory, and {limit}: "
        "smaller sizes (--L --dx --H --da --N) would fit"
    )


def _finished(draft: Plan, sizes: list[int], memory: int, seconds: float, limits: tuple[BlockBound, ...] = ()) -> Plan:
    """`draft` with its sample and cost filled in."""
    seconds += cost.elimination_seconds(sizes, draft.prime, threads())
    return replace(draft, points=max(sizes), sizes=tuple(sizes), limits=limits, memory=memory, seconds=seconds)


def _enough_templates(draft: Plan) -> int:
    """Templates for the grid to reach the upper bound where it can; as many as are affordable elsewhere.

    Equal tokens may be exchanged within a side without changing the value (but for the output position), so
    the distinct rows and columns number fewer than M**NA and M**NB.
    """
    partition, expected = draft.partition, draft.report.best_upper
    wanted = (None if expected is None else whole_value(expected)) or LIMIT
    M = 2
    while partition.N < LIMIT.bit_length() and (M + 1) ** partition.N <= LIMIT:
        rows = M * multiset(M, partition.NA - 1)
        if min(rows, multiset(M, partition.NB)) >= wanted + SPARE_POINTS:
            break
        M += 1
    return M
