"""The exact rank of the network's value matrix modulo a prime, set beside the proved upper bounds.

Source: levine2020depth, Claim 1 (the rank at one weight setting is a lower bound for almost all weights);
the blocks and the upper bounds are derived in docs/theory.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.closed_forms.blocks import BlockBound, block_bounds
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.report import Bound, BoundReport, bounds
from seprank.errors import InvalidInput, TooLarge
from seprank.field.draw import residues
from seprank.field.elimination import Pivots, pivots
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME, check_prime
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_matrices
from seprank.separation.cost import refuse_if_too_large, short_count
from seprank.separation.full import full_matrix
from seprank.separation.grid import LIMIT, grid_rank
from seprank.separation.network import network_function
from seprank.validate import whole_number

METHODS = ("blocks", "full", "grid")
SPARE_POINTS = 8  # assignments beyond the expected rank: an unlucky draw becomes far rarer
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Piece:
    """One eliminated matrix: block `k`, or all of it (`k` None), with the pivots of a minor that is not zero.

    `bound` is the best proved upper bound of the block (None for the whole matrix), `full_sample` whether the
    rank equals the number of sampled rows or columns, so that more points might raise it.
    """

    k: int | None
    rank: int
    bound: BlockBound | None
    pivots: Pivots
    full_sample: bool

    @property
    def limit(self) -> int | None:
        """The value of the upper bound."""
        return None if self.bound is None else self.bound.value


@dataclass(frozen=True)
class RankResult:
    """A certified lower bound on the separation rank, for almost all weights, and how it compares.

    `rank` is exact modulo `prime` at the weights and tokens drawn from `seed`. It is a lower bound on the
    separation rank of almost every network of the architecture; `certified_exact` says that it equals the
    proved upper bound `best_upper`, and then it is the exact value with no probability in it.
    """

    architecture: Architecture
    partition: Partition
    method: str
    prime: int
    seed: int
    points: int
    rank: int
    pieces: tuple[Piece, ...]
    report: BoundReport
    seconds: float

    @property
    def gram_bound(self) -> int | None:
        """The Gram bound as an integer; None when it has more than 4,000 digits."""
        return _integer(self.report["gram"])

    @property
    def best_upper(self) -> Bound:
        """The least proved upper bound."""
        best = self.report.best_upper
        if best is None:
            raise ArithmeticError("the Gram bound is always valid")
        return best

    @property
    def best_upper_value(self) -> int | None:
        """Its value; None when it has more than 4,000 digits."""
        return _integer(self.best_upper)

    @property
    def certified_exact(self) -> bool:
        """Whether the rank meets the proved upper bound."""
        return self.rank == self.best_upper_value

    @property
    def sampled_out(self) -> bool:
        """Whether some matrix had full rank below its bound, so that more points might raise the result."""
        return any(
            piece.full_sample and (piece.bound is None or piece.rank < piece.bound.value) for piece in self.pieces
        )

    @property
    def blocks(self) -> tuple[Piece, ...] | None:
        """The blocks in order of k, or None for the other methods."""
        return self.pieces if self.method == "blocks" else None

    @property
    def status(self) -> str:
        """What the number certifies, in one line."""
        if self.certified_exact:
            return f"exact (certified): the rank meets the proved upper bound {self.best_upper.id}"
        if self.sampled_out:
            return "lower bound; the rank is limited by the number of points, more of them may raise it"
        return "lower bound; equals the generic rank unless the draw was unlucky"


def _integer(bound: Bound) -> int | None:
    pair = bound.magnitude.pair
    return None if pair is None else pair[0].numerator // pair[0].denominator


def separation_rank(
    arch: Architecture,
    partition: Partition | None = None,
    *,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
    method: str | None = None,
    points: int | None = None,
    progress: Progress | None = None,
) -> RankResult:
    """Exact rank modulo `prime` of the network's value matrix: a lower bound on its separation rank.

    Parameters
    ----------
    arch, partition : sizes; `partition` None stands for dx tokens on each side, the shortest long input.
    prime : at most 2147483647; the block method needs more than 3**L.
    seed : whole number below 2**64; weights and tokens are functions of it (docs/certificate.md).
    method : "blocks" (default without skip connections): one rank for every bidegree block, whose sum is the
        rank; "full" (default with them): one matrix; "grid": the literal grid tensor, for tiny cases.
    points : assignments sampled per side, templates for "grid"; left out, a few more than the upper bound.
    progress : called as ``progress(done, total)``.

    Raises `InvalidInput`, or `TooLarge` with the estimate before anything is computed.

    >>> from seprank import Architecture
    >>> result = separation_rank(Architecture(L=2, dx=4, H=2))
    >>> result.rank, result.certified_exact, result.best_upper.id
    (107, True, 'staircase')
    """
    start = time.perf_counter()
    report = bounds(arch, partition)
    prime, seed = check_prime(prime), whole_number("seed", seed, least=0, most=2**64 - 1)
    if points is not None:
        points = whole_number("points", points)
    method = method or ("full" if arch.residual else "blocks")
    job = _Job(arch, partition or Partition(arch.dx, arch.dx), prime, seed, points, progress, report)
    roads = {"blocks": _by_blocks, "full": _in_full, "grid": _on_grid}
    if method not in roads:
        raise InvalidInput(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    used, pieces = roads[method](job)
    return RankResult(
        arch,
        job.partition,
        method,
        prime,
        seed,
        used,
        sum(piece.rank for piece in pieces),
        tuple(pieces),
        report,
        time.perf_counter() - start,
    )


@dataclass(frozen=True)
class _Job:
    arch: Architecture
    partition: Partition
    prime: int
    seed: int
    points: int | None
    progress: Progress | None
    report: BoundReport

    def size(self, expected: int) -> int:
        """Rows and columns to sample for a matrix whose rank is at most `expected`."""
        size = expected + SPARE_POINTS
        return size if self.points is None else min(size, self.points)

    def way_out(self) -> str:
        return "--points {points} would fit and give a lower bound"


def _by_blocks(job: _Job) -> tuple[int, list[Piece]]:
    arch = job.arch
    if arch.residual:
        raise InvalidInput("method must be full or grid for a residual network, got 'blocks': its blocks are mixed")
    if job.prime <= arch.degree:
        raise InvalidInput(f"prime must exceed 3**L = {arch.degree} for the block method, got {job.prime}")
    limits = block_bounds(arch, job.partition)
    if limits is None:
        raise TooLarge(
            f"the block method would need {short_count(arch.C + 1)} blocks at L = {arch.L}: "
            "--method full --points 1000 gives a lower bound"
        )
    sizes = [job.size(limit.value) for limit in limits]
    memory = refuse_if_too_large("the largest block", [(size, size) for size in sizes], job.way_out())
    network = network_function(random_weights(arch, job.prime, job.seed), job.prime)
    tokens_A, tokens_B = draw_assignments(job.partition, arch.dx, job.prime, job.seed, max(sizes))
    held = max(memory // 3, 8 * max(sizes) ** 2)
    found: dict[int, Piece] = {}
    for k, matrix in block_matrices(network, tokens_A, tokens_B, sizes, job.prime, memory=held, progress=job.progress):
        found[k] = _piece(k, pivots(matrix, job.prime), limits[k], matrix.shape)
    return max(sizes), [found[k] for k in sorted(found)]


def _in_full(job: _Job) -> tuple[int, list[Piece]]:
    upper = job.report.best_upper
    expected = None if upper is None else _integer(upper)
    size = job.points if expected is None else job.size(expected)
    if size is None:
        raise TooLarge(f"the upper bound has more than 4000 digits at L = {job.arch.L}: give --points")
    memory = refuse_if_too_large("the value matrix", [(size, size)], job.way_out())
    network = network_function(random_weights(job.arch, job.prime, job.seed), job.prime)
    tokens_A, tokens_B = draw_assignments(job.partition, job.arch.dx, job.prime, job.seed, size)
    matrix = full_matrix(network, tokens_A, tokens_B, job.prime, memory=memory, progress=job.progress)
    return size, [_piece(None, pivots(matrix, job.prime), None, matrix.shape)]


def _on_grid(job: _Job) -> tuple[int, list[Piece]]:
    partition, N = job.partition, job.partition.N
    M = job.points or _enough_templates(job)
    if M**N > LIMIT:
        raise TooLarge(
            f"the grid needs M**N = {M}**{N} = {short_count(M**N)} entries, more than {LIMIT}: "
            "--points with fewer templates, a smaller --N, or --method blocks"
        )
    weights = random_weights(job.arch, job.prime, job.seed)
    templates = residues(job.seed, "T", (M, job.arch.dx), job.prime)
    found = grid_rank(weights, templates, N, range(partition.NA), job.prime)
    return M, [_piece(None, found, None, (M**partition.NA, M**partition.NB))]


def _enough_templates(job: _Job) -> int:
    """Templates for the grid to reach the upper bound where it can; as many as are affordable elsewhere.

    Equal tokens may be exchanged within a side without changing the value (but for the output position), so
    the distinct rows and columns number fewer than M**NA and M**NB.
    """
    partition, expected = job.partition, job.report.best_upper
    wanted = (None if expected is None else _integer(expected)) or LIMIT
    M = 2
    while (M + 1) ** partition.N <= LIMIT:
        rows = M * multiset(M, partition.NA - 1)
        if min(rows, multiset(M, partition.NB)) >= wanted + SPARE_POINTS:
            break
        M += 1
    return M


def _piece(k: int | None, found: Pivots, bound: BlockBound | None, shape: tuple[int, ...]) -> Piece:
    return Piece(k, found.rank, bound, found, found.rank >= min(shape))


def confirmed(result: RankResult, progress: Progress | None = None) -> RankResult:
    """The same measurement with the next seed and another prime, to tell bad luck from a lower generic rank."""
    return separation_rank(
        result.architecture,
        result.partition,
        prime=another_prime(result.prime),
        seed=(result.seed + 1) % 2**64,
        method=result.method,
        points=result.points,
        progress=progress,
    )


def another_prime(prime: int) -> int:
    """A different prime of the same size class, so that what the first allowed the second does too."""
    large, small = (MAX_PRIME, 2147483629), (DEFAULT_PRIME, 4194287)
    first, second = large if prime > DEFAULT_PRIME else small
    return second if prime == first else first
