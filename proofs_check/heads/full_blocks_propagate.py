"""A block that is full on one side makes all blocks beyond it full on that side.

Source: docs/theory.md, Bidegree blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.draws import head_counts
from proofs_check.plain.graded import derivative_ranks
from proofs_check.plain.special_weights import KINDS, structured
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.partition import Partition
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.propagation",
    title="If block k is full on side B so are all smaller blocks; if it is full on side A so are all larger ones",
    statement=r"With $S(k)=\binom{s+k-1}k$: (i) $\mathrm{rank}(y_k)=S(k)$ implies $\mathrm{rank}(y_j)=S(j)$ for $j<k$; "
    r"(ii) $\mathrm{rank}(y_k)=dS(C-k)$ implies $\mathrm{rank}(y_j)=dS(C-j)$ for $j>k$. Long input, all weights.",
    source="docs/theory.md, Bidegree blocks",
    scope="L = 1 and 2 with dx <= 3, L = 3 with dx = 2, all H dividing dx, N_A = N_B = dx; ten kinds of weights, most "
    "of them structured so that blocks lose rank, two seeds each, modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md: a kernel element times an operator is a kernel element. So the Gram "
    "bound is certified for all blocks by two of them. The converses are false.",
)


class Sizes(NamedTuple):
    """A network with weights of a kind and a seed."""

    L: int
    dx: int
    H: int
    kind: str
    seed: int


def cases(level: str) -> Iterable[Sizes]:
    """All kinds of weights."""
    widths, seeds = (
        ([(1, 2), (1, 3), (2, 2), (2, 3), (3, 2)], (0, 1)) if level == "full" else ([(1, 2), (2, 2), (3, 2)], (0,))
    )
    return [
        Sizes(L, dx, H, kind, seed)
        for L, dx in widths
        for H in head_counts(dx)
        for kind in KINDS
        for seed in (seeds if kind != "identity" else (0,))
    ]


def sampled(case: Sizes) -> tuple[int, ...]:
    """The library's block ranks at random points."""
    from seprank.separation.blocks import block_ranks
    from seprank.separation.network import network_function

    weights = structured(case.kind, case.L, case.dx, case.H, PRIME, case.seed)
    points = 50 if case.L == 3 else 30
    sides = draw_assignments(Partition(case.dx, case.dx), case.dx, PRIME, 0, points)
    sizes = [points] * ((3**case.L + 1) // 2)
    return tuple(block.rank for block in block_ranks(network_function(weights, PRIME), *sides, sizes, PRIME) if block)


def derivatives(case: Sizes) -> tuple[int, ...]:
    """Exact ranks of the derivatives of the forms f_q."""
    arrays = structured(case.kind, case.L, case.dx, case.H, PRIME, case.seed)
    return derivative_ranks(arrays, (3**case.L - 1) // 2, PRIME)


def roads() -> Mapping[str, Road]:
    """The ranks of all blocks, twice."""
    return {"random points": sampled, "derivatives of coefficients": derivatives}


def full_B(case: Sizes, ranks: tuple[int, ...]) -> list[bool]:
    """Which blocks have all S(k) functions of side B."""
    s = case.dx * (case.dx + 1) // 2
    return [rank == comb(s + k - 1, k) for k, rank in enumerate(ranks)]


def full_A(case: Sizes, ranks: tuple[int, ...]) -> list[bool]:
    """Which blocks have all d S(C - k) functions of side A."""
    s, C = case.dx * (case.dx + 1) // 2, len(ranks) - 1
    return [rank == case.dx * comb(s + C - k - 1, C - k) for k, rank in enumerate(ranks)]


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """Full on side B: an initial run. Full on side A: a final run."""
    below, above = full_B(case, result), full_A(case, result)
    return sorted(below, reverse=True) == below and sorted(above) == above


def mutants() -> Mapping[str, Claim]:
    """The converse implications, wherever the other side leaves room."""

    def room(case: Sizes, k: int, C: int) -> tuple[int, int]:
        s = case.dx * (case.dx + 1) // 2
        return comb(s + k - 1, k), case.dx * comb(s + C - k - 1, C - k)

    def converse_B(case: Sizes, result: tuple[int, ...]) -> bool:
        full, C = full_B(case, result), len(result) - 1
        return all(full[k + 1] for k in range(C) if full[k] and room(case, k + 1, C)[0] <= room(case, k + 1, C)[1])

    def converse_A(case: Sizes, result: tuple[int, ...]) -> bool:
        full, C = full_A(case, result), len(result) - 1
        return all(
            full[k - 1] for k in range(1, C + 1) if full[k] and room(case, k - 1, C)[0] >= room(case, k - 1, C)[1]
        )

    def one_block(case: Sizes, result: tuple[int, ...]) -> bool:
        C = len(result) - 1
        full = [rank == min(room(case, k, C)) for k, rank in enumerate(result)]
        return not full[C // 2] or all(full)

    return {
        "(i) upwards: full on side B passes to the next block": converse_B,
        "(ii) downwards: full on side A passes to the block before": converse_A,
        "the middle block alone certifies the Gram bound": one_block,
    }
