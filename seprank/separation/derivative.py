"""The separation rank from derivatives of the output: no sampling of inputs, no interpolation.

For long input block k has the rank of the matrix of all derivatives of order k of f_1, ..., f_dx, where
``y = sum_q x_q f_q(G)``. Blocks of full rank settle others, and every block may be certified at weights of its own,
such that its matrix falls into small classes. Source: docs/theory.md, Derivative certificates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from seprank.attention.architecture import Architecture
from seprank.field.elimination import Pivots
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation.derivative_blocks import block_pivots
from seprank.separation.derivative_gradings import Grading, sides
from seprank.separation.derivative_kernels import Coefficients
from seprank.separation.derivative_plan import (
    DerivativePlan,
    block_cost,
    full_columns,
    full_rows,
    hopeless,
    plan_derivatives,
    tables_memory,
)

Progress = Callable[[int, int], None]

RETRY_SECONDS = 600  # a block that falls short at cheap weights is tried at costlier ones up to this estimate


@dataclass(frozen=True)
class DerivativeBlock:
    """A certified lower bound on the rank of block `k` for almost all weights, beside the proved upper bound.

    `weights` names the special weights that gave it ("torus", "signs", "pairs", "unseen", "none" for generic ones, ""
    where no weights were tried), and `source` the block that was measured there: another one where full rank passed on.
    `pivots` are those of a block that was measured itself.
    """

    k: int
    rank: int
    bound: int
    bound_id: str
    weights: str
    source: int
    pivots: Pivots = field(default=Pivots(0, (), ()), repr=False)

    @property
    def met(self) -> bool:
        """Whether the lower bound meets the upper one, so that both are exact."""
        return self.rank == self.bound


@dataclass(frozen=True)
class DerivativeResult:
    """Lower bounds on all blocks for almost all weights and long input; `rank` is their sum."""

    architecture: Architecture
    prime: int
    seed: int
    blocks: tuple[DerivativeBlock, ...]
    seconds: float

    @property
    def rank(self) -> int:
        """A lower bound on the separation rank for almost all weights."""
        return sum(block.rank for block in self.blocks)

    @property
    def certified_exact(self) -> bool:
        """Whether every block meets its proved upper bound: then `rank` is the exact value."""
        return all(block.met for block in self.blocks)


def derivative_rank(
    arch: Architecture, prime: int = DEFAULT_PRIME, seed: int = 0, grading: str = "auto"
) -> DerivativeResult:
    """The separation rank for long input, at least ``dx`` tokens on each side, from derivatives.

    Parameters
    ----------
    arch : without skip connections and with ``H * da == dx``.
    prime : at most 2147483647 and above C = (3**L - 1) / 2.
    seed : whole number below 2**64; the weights are functions of it.
    grading : the weights. "none": generic ones. "torus", "signs", "pairs" (one head): antidiagonal links, diagonal
        ones, ones with blocks of two coordinates; the matrices of the blocks fall into classes. "unseen" (H = dx >= 3):
        layer 1 reads single entries of G, and the part of highest degree in the others is taken. "auto" tries them
        from the cheapest to generic ones until the proved upper bound is met.

    Every number is a certified lower bound, and exact where it meets the proved upper bound of the block. A number
    below it says nothing about generic weights: special weights may have a lower rank.
    Raises `OutOfScope`, `InvalidInput`, or `TooLarge` with the estimate before anything is computed.
    Source: docs/theory.md, Derivative certificates.

    >>> result = derivative_rank(Architecture(L=2, dx=8))
    >>> result.rank, result.certified_exact
    (999, True)
    >>> [(block.rank, block.weights, block.source) for block in result.blocks]
    [(1, 'torus', 2), (36, 'torus', 2), (666, 'torus', 2), (288, 'torus', 3), (8, 'torus', 3)]
    """
    return certified(plan_derivatives(arch, prime, seed, grading))


def certified(plan: DerivativePlan, progress: Progress | None = None) -> DerivativeResult:
    """Carry out a plan. Raises `ArithmeticError` if a rank exceeds its proved bound, a fault of the program."""
    start = time.perf_counter()
    run = _Run(plan, progress)
    run.measure(plan.blocks)
    C = plan.arch.C
    for first, last, step, full in ((plan.blocks[0], 0, -1, full_rows), (plan.blocks[-1], C, 1, full_columns)):
        for k in range(first, last + step, step):
            run.measure([k])
            found = run.best[k]
            if found.rank == full(plan.arch, k):
                for other in range(k + step, last + step, step):
                    limit = plan.limits[other]
                    rank = full(plan.arch, other)
                    run.keep(DerivativeBlock(other, rank, limit.value, limit.id, found.weights, k))
                break
    blocks = tuple(run.best[k] for k in range(C + 1))
    return DerivativeResult(plan.arch, plan.prime, plan.seed, blocks, time.perf_counter() - start)


class _Run:
    """The best lower bound of every block so far."""

    def __init__(self, plan: DerivativePlan, progress: Progress | None) -> None:
        self.plan, self.progress, self.done = plan, progress, 0
        self.best: dict[int, DerivativeBlock] = {}

    def measure(self, blocks: Iterable[int]) -> None:
        """Measure those of the blocks that are new, at one kind of weights after the other until the bound is met."""
        new = [k for k in blocks if k not in self.best]
        for k in new:
            limit = self.plan.limits[k]
            self.best[k] = DerivativeBlock(k, 0, limit.value, limit.id, "", k)
        for by in self.plan.gradings:
            short = [k for k in new if not self.best[k].met]
            if short:
                self._measure_at(by, short)

    def _measure_at(self, by: Grading, blocks: list[int]) -> None:
        plan, C = self.plan, self.plan.arch.C
        forms: Coefficients | None = None
        for k in blocks:
            limit, found = plan.limits[k], self.best[k]
            if tables_memory(plan.arch, k, by.name) > plan.memory:
                continue
            both = sides(by, C, k)
            cost = block_cost(plan, by, k, both)
            if (
                hopeless(plan, by, k, cost.most)
                or cost.memory > plan.memory
                or (found.weights and cost.seconds > RETRY_SECONDS)
            ):
                continue
            if forms is None:
                forms = by.coefficients(plan.arch, plan.prime, plan.seed)
            free = plan.memory - cost.memory
            pivots = block_pivots(
                forms, both, plan.prime, bound=limit.value, seed=plan.seed, memory=free, progress=self._report
            )
            self.keep(DerivativeBlock(k, pivots.rank, limit.value, limit.id, by.name, k, pivots))

    def keep(self, block: DerivativeBlock) -> None:
        """Keep a lower bound if it is the best one of its block."""
        if block.rank > block.bound:
            raise ArithmeticError(f"the rank {block.rank} of block {block.k} exceeds the proved bound {block.bound}")
        if block.k not in self.best or block.rank > self.best[block.k].rank:
            self.best[block.k] = block

    def _report(self, entries: int) -> None:
        self.done += entries
        if self.progress is not None:
            self.progress(min(self.done, self.plan.entries), self.plan.entries)
