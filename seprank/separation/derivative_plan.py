"""What a certificate by derivatives will do: which blocks, at which weights, for how much memory and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.blocks import BlockBound, block_bounds
from seprank.closed_forms.combinatorics import multiset
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.kernels import threads
from seprank.field.primes import check_prime
from seprank.field.roads import elimination_bytes, exact_dtypes
from seprank.separation import cost
from seprank.separation.derivative_blocks import sample
from seprank.separation.derivative_gradings import Grading, grading, sides
from seprank.separation.derivative_sides import Sides
from seprank.separation.derivative_unseen import unseen_degree
from seprank.separation.room import readable, room, short_count
from seprank.validate import whole_number


@dataclass(frozen=True)
class DerivativePlan:
    """A certificate that fits in memory.

    `gradings` are the kinds of weights that may be used, cheapest first, `blocks` the blocks to measure (the others
    follow from them where these are full), `entries` those of the matrices expected, `largest` the lines of the
    largest one, `memory` the bytes that may be used and `seconds` a rough estimate of the time.
    """

    arch: Architecture
    prime: int
    seed: int
    limits: tuple[BlockBound, ...] = field(repr=False)
    gradings: tuple[Grading, ...] = field(repr=False)
    blocks: tuple[int, ...]
    memory: int
    entries: int = 0
    largest: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class BlockCost:
    """One block at one kind of weights: the most its rank can be by the sizes of the classes, and what it takes."""

    most: int
    entries: int
    largest: int
    memory: int
    seconds: float


def plan_derivatives(
    arch: Architecture, prime: int, seed: int, by: str = "auto", partition: Partition | None = None
) -> DerivativePlan:
    """The plan of `seprank.separation.derivative.derivative_rank` with the same arguments.

    Raises `OutOfScope` for networks and inputs that have no such certificate, `InvalidInput` for arguments that break
    a rule, and `TooLarge`, with the estimate, for a job that cannot fit in memory.

    >>> plan = plan_derivatives(Architecture(L=3, dx=4), 4194301, seed=0)
    >>> plan.blocks, [kind.name for kind in plan.gradings]
    ((6, 7, 8), ['torus', 'signs', 'pairs', 'none'])
    """
    _refuse_out_of_scope(arch, partition)
    prime, seed = check_prime(prime), whole_number("seed", seed, least=0, most=2**64 - 1)
    limits = block_bounds(arch)
    if limits is None:
        raise TooLarge(
            f"the derivative method would need {short_count(arch.C + 1)} blocks at L = {arch.L}: "
            "a smaller --L would fit"
        )
    if prime <= arch.C:
        raise InvalidInput(f"prime must exceed C = {arch.C} for the derivative method, got {prime}")
    gradings = _gradings(arch, by)
    blocks, free = blocks_to_measure(arch, limits), room()
    _refuse_if_above(free, arch, max(min(tables_memory(arch, k, by.name) for by in gradings) for k in blocks))
    return _with_costs(DerivativePlan(arch, prime, seed, tuple(limits), gradings, blocks, free))


def blocks_to_measure(arch: Architecture, limits: list[BlockBound]) -> tuple[int, ...]:
    """The last block that may have full rows, the first that may have full columns, and those in between.

    Full rows pass on to all smaller blocks, full columns to all larger ones.
    """
    rows = [k for k in range(arch.C + 1) if limits[k].value == full_rows(arch, k)]
    columns = [k for k in range(arch.C + 1) if limits[k].value == full_columns(arch, k)]
    last = max(rows)
    return tuple(range(last, min(max(min(columns), last + 1), arch.C) + 1))


def full_rows(arch: Architecture, k: int) -> int:
    """Operators of order k: monomials of degree k in the entries of the Gram matrix."""
    return multiset(arch.dx * (arch.dx + 1) // 2, k)


def full_columns(arch: Architecture, k: int) -> int:
    """Pairs of a component and a monomial of degree C - k."""
    return arch.dx * full_rows(arch, arch.C - k)


def tables_memory(arch: Architecture, k: int, name: str = "none") -> int:
    """Bytes for coefficients (as many rows of forms as the recursion holds) and for the monomials of both sides."""
    every, operators, left = _table_sizes(arch, k, name)
    before = full_rows(arch, arch.C - 1)
    if name == "unseen":
        forms = 4 * (4 * arch.dx + 8) * every
    else:
        forms = 4 * arch.dx * (2 * every + before if arch.H == 1 else 3 * every + 2 * arch.L * before)
    lines = operators + arch.dx * left
    return cost.TEMPORARIES + forms + (2 * arch.s + 8) * (operators + left) + 40 * lines


def _table_sizes(arch: Architecture, k: int, name: str) -> tuple[int, int, int]:
    """Monomials of a component of the output, operators, and monomials left over."""
    if name != "unseen":
        return full_rows(arch, arch.C), full_rows(arch, k), full_rows(arch, arch.C - k)
    Z, d = unseen_degree(arch.C), arch.dx

    def count(seen: int, unseen: int) -> int:
        return multiset(d, seen) * multiset(arch.s - d, unseen)

    degrees = [(k - i, i) for i in range(min(k, Z) + 1)]
    operators = sum(count(a, b) for a, b in degrees if a <= arch.C - Z)
    return count(arch.C - Z, Z), operators, sum(count(arch.C - Z - a, Z - b) for a, b in degrees)


def block_cost(plan: DerivativePlan, by: Grading, k: int, both: Sides) -> BlockCost:
    """What block k takes at these weights, from the sizes of its classes."""
    arch = plan.arch
    dtype = exact_dtypes(plan.prime)[0]
    pairs = [(min(pair), sample(min(pair), max(pair))) for pair in both.shapes().tolist()]
    entries = sum(short * long for short, long in pairs)
    short, long = max(pairs, default=(0, 0))
    seconds = _rate(plan.prime) * sum(short**2 * long for short, long in pairs) / threads()
    seconds += entries * (arch.s + 3) * 1.2e-9 / threads() + 2e-4 * len(pairs)
    memory = tables_memory(arch, k, by.name) + elimination_bytes(short, long, dtype, threads()) + 2 * arch.s * long
    return BlockCost(sum(short for short, _ in pairs), entries, short, memory, seconds)


def _rate(prime: int) -> float:
    """Seconds to eliminate a matrix with all its rows independent, by rows squared times columns; one core."""
    return 4e-11 if prime > 2**27 else 1.5e-11 if len(exact_dtypes(prime)) == 1 else 9e-12


def hopeless(plan: DerivativePlan, by: Grading, k: int, most: int) -> bool:
    """Whether these weights cannot reach the bound of block k and others may.

    The classes may be too small; and where isotropic directions form curves or more, symmetric links lose more rank
    than generic ones (docs/theory.md, Isotropic directions).
    """
    symmetric = plan.limits[k].id == "isotropic" and plan.arch.dx >= 5 and by.name in ("torus", "signs")
    return by is not plan.gradings[-1] and (symmetric or most < plan.limits[k].value)


def coefficient_seconds(arch: Architecture, name: str = "none") -> float:
    """Rough time for the coefficients at one kind of weights."""
    s, L, H = arch.s, arch.L, arch.H
    every = _table_sizes(arch, arch.C, name)[0]
    if name == "unseen":
        return every * arch.dx**4 * 3.0 ** (L - 3) * 2e-9
    products = sum(H * (2 * H + 1) ** (layer - 1) for layer in range(1, L + 1))
    all_monomials = comb(s + arch.C - 1, s) * products / arch.C
    return all_monomials * (s + 2 * arch.dx**2) * 4e-9 + every * (s + arch.dx) * 4e-9


def _with_costs(draft: DerivativePlan) -> DerivativePlan:
    """`draft` with the cost of every block at the first weights that the sizes of the classes do not rule out."""
    entries = largest = 0
    seconds, used = 0.0, set()
    for k in draft.blocks:
        for by in draft.gradings:
            if tables_memory(draft.arch, k, by.name) > draft.memory:
                continue
            found = block_cost(draft, by, k, sides(by, draft.arch.C, k))
            if not hopeless(draft, by, k, found.most):
                break
        _refuse_if_above(draft.memory, draft.arch, found.memory, k, found.largest)
        used.add(by.name)
        entries, largest, seconds = entries + found.entries, max(largest, found.largest), seconds + found.seconds
    seconds += sum(coefficient_seconds(draft.arch, name) for name in used)
    return DerivativePlan(
        draft.arch,
        draft.prime,
        draft.seed,
        draft.limits,
        draft.gradings,
        draft.blocks,
        draft.memory,
        entries,
        largest,
        seconds,
    )


def _refuse_out_of_scope(arch: Architecture, partition: Partition | None) -> None:
    if arch.residual:
        raise OutOfScope("residual must be False for the derivative method, got True: skip connections mix the blocks")
    if arch.H * arch.da != arch.dx:
        raise OutOfScope(
            f"H * da must be dx for the derivative method, got H = {arch.H}, da = {arch.da}, dx = {arch.dx}"
        )
    if partition is not None and min(partition.NA, partition.NB) < arch.dx:
        raise OutOfScope(
            f"NA and NB must be at least dx = {arch.dx} for the derivative method (long input), got "
            f"NA = {partition.NA}, NB = {partition.NB}"
        )


def _gradings(arch: Architecture, by: str) -> tuple[Grading, ...]:
    names = {arch.dx: ("unseen", "none"), 1: ("torus", "signs", "pairs", "none")}.get(arch.H, ("none",))
    if by == "auto":
        found = (grading(name, arch.dx, arch.C) for name in names)
        return tuple(kind for kind in found if kind is not None)
    single = grading(by, arch.dx, arch.C) if by in names else None
    if single is None:
        raise InvalidInput(
            f"grading must be auto or one of {', '.join(names)} at H = {arch.H}, dx = {arch.dx}, where it applies, "
            f"got {by!r}"
        )
    return (single,)


def _refuse_if_above(free: int, arch: Architecture, need: int, k: int | None = None, lines: int = 0) -> None:
    if need > free:
        what = "the coefficients and monomials need" if k is None else f"block {k} has {lines} lines and needs"
        raise TooLarge(
            f"{what} about {readable(need)} of memory at L = {arch.L}, dx = {arch.dx}, and {readable(free)} may be "
            "used: --method blocks with fewer --points gives a lower bound"
        )
