"""The exact rank of the network's value matrix modulo a prime, set beside the proved upper bounds.

Source: levine2020depth, Claim 1 (the rank at one weight setting is a lower bound for almost all weights);
the blocks and the upper bounds are derived in docs/theory.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import overload

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.closed_forms.blocks import BlockBound
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.field.elimination import Pivots, eliminate
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME
from seprank.field.roads import NARROW_PRIME
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import balanced_blocks
from seprank.separation.derivative import certified
from seprank.separation.full import full_rank
from seprank.separation.function import FunctionRank, function_rank
from seprank.separation.grid import grid_rank
from seprank.separation.network import Network, network_function
from seprank.separation.plan import Plan, plan_rank
from seprank.separation.result import Piece, RankResult

Progress = Callable[[int, int], None]


@overload
def separation_rank(
    arch: Architecture,
    partition: Partition | None = None,
    *,
    prime: int = ...,
    seed: int = ...,
    method: str | None = ...,
    points: int | None = ...,
    progress: Progress | None = ...,
) -> RankResult: ...


@overload
def separation_rank(
    arch: Network,
    partition: Partition | None = None,
    *,
    prime: int = ...,
    seed: int = ...,
    method: str | None = ...,
    points: int | None = ...,
    progress: Progress | None = ...,
    dx: int | None = ...,
    C: int | None = ...,
) -> FunctionRank: ...


def separation_rank(
    arch: Architecture | Network,
    partition: Partition | None = None,
    *,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
    method: str | None = None,
    points: int | None = None,
    progress: Progress | None = None,
    dx: int | None = None,
    C: int | None = None,
) -> RankResult | FunctionRank:
    """Exact rank modulo `prime` of the network's value matrix: a lower bound on its separation rank.

    Parameters
    ----------
    arch, partition : sizes; `partition` None stands for dx tokens on each side, the shortest long input. In place of an
        `Architecture` any callable ``f(tokens_A, tokens_B) -> residues`` may stand, with `dx` and `points` (and `C` for
        the method "blocks"): see `seprank.separation.function.function_rank`.
    prime : at most 2147483647; the block method needs more than 3**L.
    seed : whole number below 2**64; weights and tokens are functions of it (docs/certificate.md).
    method : "blocks" (default without skip connections): one rank for every bidegree block, whose sum is the
        rank; "full" (default with them): one matrix; "grid": the literal grid tensor, for tiny cases; "derivative":
        every block by derivatives at weights of its own, for long input and ``H * da == dx``, often far cheaper
        (see `seprank.separation.derivative.derivative_rank`), and taken in place of "blocks" for large ones where it is
        estimated to be and neither method nor points are given.
    points : the most assignments sampled per side, templates for "grid"; left out, a few more than the upper bound.
        Not for "derivative", which samples none.
    progress : called as ``progress(done, total)``.

    Raises `InvalidInput`, or `TooLarge` with the estimate before anything is computed.

    >>> from seprank import Architecture
    >>> result = separation_rank(Architecture(L=2, dx=4, H=2))
    >>> result.rank, result.certified_exact, result.best_upper.id
    (107, True, 'staircase')
    """
    if not isinstance(arch, Architecture) and callable(arch):
        if dx is None or points is None:
            raise InvalidInput(f"dx and points must be given for a function, got dx={dx}, points={points}")
        sides = partition or Partition(dx, dx)
        method = method or ("full" if C is None else "blocks")
        return function_rank(arch, sides, dx, points, method=method, C=C, prime=prime, seed=seed, progress=progress)
    if dx is not None or C is not None:
        raise InvalidInput(f"dx and C go with a function, not with an Architecture, got dx={dx}, C={C}")
    return measured(plan_rank(arch, partition, prime=prime, seed=seed, method=method, points=points), progress)


def measured(plan: Plan, progress: Progress | None = None) -> RankResult:
    """Carry out a plan. Raises `ArithmeticError` if a rank exceeds its proved bound, a fault of the program."""
    start = time.perf_counter()
    measure = {"blocks": _by_blocks, "full": _in_full, "grid": _on_grid, "derivative": _by_derivatives}[plan.method]
    pieces = measure(plan, progress)
    result = RankResult(
        plan.arch,
        plan.partition,
        plan.method,
        plan.prime,
        plan.seed,
        plan.points,
        sum(piece.rank for piece in pieces),
        tuple(pieces),
        plan.report,
        time.perf_counter() - start,
    )
    _refuse_contradiction(result)
    return result


def confirmed(result: RankResult, progress: Progress | None = None) -> RankResult:
    """The same measurement with the next seed and another prime, to tell bad luck from a lower generic rank."""
    return separation_rank(
        result.architecture,
        result.partition,
        prime=another_prime(result.prime),
        seed=(result.seed + 1) % 2**64,
        method=result.method,
        points=result.points or None,
        progress=progress,
    )


def another_prime(prime: int) -> int:
    """A different prime of the same size class, so that what the first allowed the second does too."""
    large, small, narrow = (MAX_PRIME, 2147483629), (DEFAULT_PRIME, 4194287), (NARROW_PRIME, 1019)
    first, second = large if prime > DEFAULT_PRIME else narrow if prime in narrow else small
    return second if prime == first else first


def _by_blocks(plan: Plan, progress: Progress | None) -> list[Piece]:
    network = network_function(random_weights(plan.arch, plan.prime, plan.seed), plan.prime)
    tokens_A, tokens_B = draw_assignments(plan.partition, plan.arch.dx, plan.prime, plan.seed, plan.points)
    found: dict[int, Piece] = {}
    blocks = balanced_blocks(network, tokens_A, tokens_B, plan.sizes, plan.prime, memory=plan.memory, progress=progress)
    for k, matrix in blocks:
        found[k] = _piece(k, eliminate(matrix, plan.prime), plan.limits[k], plan.sizes[k])
        del matrix  # before the next one is made
    return [found[k] for k in sorted(found)]


def _in_full(plan: Plan, progress: Progress | None) -> list[Piece]:
    network = network_function(random_weights(plan.arch, plan.prime, plan.seed), plan.prime)
    tokens_A, tokens_B = draw_assignments(plan.partition, plan.arch.dx, plan.prime, plan.seed, plan.points)
    found = full_rank(network, tokens_A, tokens_B, plan.prime, memory=plan.memory, progress=progress)
    return [_piece(None, found, None, plan.points)]


def _on_grid(plan: Plan, progress: Progress | None) -> list[Piece]:
    weights = random_weights(plan.arch, plan.prime, plan.seed)
    templates = residues(plan.seed, "T", (plan.points, plan.arch.dx), plan.prime)
    NA, NB = plan.partition.NA, plan.partition.NB
    found = grid_rank(weights, templates, NA + NB, range(NA), plan.prime)
    return [_piece(None, found, None, plan.points ** min(NA, NB))]


def _by_derivatives(plan: Plan, progress: Progress | None) -> list[Piece]:
    if plan.derivative is None:
        raise ArithmeticError("a plan for the method derivative holds its own plan")
    found = certified(plan.derivative, progress).blocks
    return [
        Piece(block.k, block.rank, block.bound, block.bound_id, block.pivots, False, block.weights, block.source)
        for block in found
    ]


def _piece(k: int | None, found: Pivots, bound: BlockBound | None, size: int) -> Piece:
    value, id = (None, None) if bound is None else (bound.value, bound.id)
    return Piece(k, found.rank, value, id, found, found.rank >= size)


def _refuse_contradiction(result: RankResult) -> None:
    """A lower bound above an upper bound would mean that one of the two is computed wrongly."""
    pairs = [(piece.rank, piece.bound, f"block {piece.k}") for piece in result.pieces]
    for rank, limit, what in [*pairs, (result.rank, result.best_upper_value, "the network")]:
        if limit is not None and rank > limit:
            raise ArithmeticError(f"the rank {rank} of {what} exceeds the proved bound {limit}")
