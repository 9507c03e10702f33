"""The rank of a matricized grid tensor is a lower bound that enough templates reach.

Source: levine2020depth, Claim 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import weight_matrices
from proofs_check.plain.ranks import rank
from proofs_check.plain.sparse import mask, network_output, separation_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

PRIME = 2147483629
KINDS = ("random", "repeated", "on one line", "unit vectors")

STATEMENT = Statement(
    id="D2W.claim1",
    title="A grid tensor never has a larger rank than the function, and reaches it with enough templates",
    statement=r"$\mathrm{rank}[\![\mathcal A(y)]\!]_{A,B}\le\mathrm{sep}(y;A,B)$ for all templates $v^1,\dots,v^M$, "
    r"with equality for some finite set of them.",
    source="levine2020depth, Claim 1",
    scope="L = 1 with dx <= 3 and L = 2 with dx <= 2, (N_A, N_B) up to (2, 2), with and without skip connections, M "
    "from 1 to the first M that reaches the separation rank; random templates, and three degenerate sets at the "
    "largest M",
    expected=Verdict.HOLDS,
    note="The result lists the separation rank, the least M that reaches it with random templates, the grid ranks for "
    "M = 1, 2, ... and those of the degenerate sets (repeated, on one line, unit vectors). At L = 2, dx = 2 six "
    "templates reach the ranks 17 and 18 of two tokens a side; with a single token on one side as many are needed as "
    "the rank.",
)


class Sizes(NamedTuple):
    """A network and its partition: positions 0..NA-1 are side A, the output is at position 0."""

    L: int
    dx: int
    H: int
    NA: int
    NB: int
    residual: bool = False


class Ranks(NamedTuple):
    """The separation rank, the least number of templates that reaches it, and ranks of grids."""

    separation: int
    least: int
    growing: tuple[int, ...]
    degenerate: tuple[int, ...]


def cases(level: str) -> Iterable[Sizes]:
    """Both sides of each size."""
    sides = [(1, 1), (1, 2), (2, 1), (2, 2)]
    quick = [Sizes(1, dx, dx, *side) for dx in (1, 2, 3) for side in sides]
    quick += [Sizes(2, 1, 1, 1, 1), Sizes(2, 2, 1, 1, 1), Sizes(2, 2, 1, 2, 2), Sizes(2, 2, 2, 1, 2, True)]
    more = [Sizes(2, dx, H, *side, skip) for dx, H in ((2, 1), (2, 2)) for side in sides for skip in (False, True)]
    return list(dict.fromkeys(quick + (more if level == "full" else [])))


def weights_of(case: Sizes) -> Weights:
    """Random weights modulo the prime."""
    return random_weights(Architecture(case.L, case.dx, case.H, residual=case.residual), PRIME, 0)


def templates(case: Sizes, M: int, kind: str = "random") -> Any:
    """M template vectors; a larger M only adds some."""
    drawn = residues(0, "T", (M, case.dx), PRIME)
    if kind == "repeated":
        return drawn[[0] * M]
    if kind == "on one line":
        return drawn[:1] * residues(0, "line", (M, 1), 1000003) % PRIME
    if kind == "unit vectors":
        return (drawn * 0) + [[int(a == m % case.dx) for a in range(case.dx)] for m in range(M)]
    return drawn


def _collected(case: Sizes, separation: int, rank_of: Any) -> Ranks:
    growing: list[int] = []
    while not growing or growing[-1] < separation:
        growing.append(rank_of(templates(case, len(growing) + 1)))
        if len(growing) > separation:
            break
    M = len(growing)
    return Ranks(separation, M, tuple(growing), tuple(rank_of(templates(case, M, kind)) for kind in KINDS[1:]))


def library(case: Sizes) -> Ranks:
    """The library's grid tensors; the separation rank from many random assignments by the Gram form."""
    from seprank.attention.partition import Partition
    from seprank.separation.assignments import draw_assignments
    from seprank.separation.full import full_rank
    from seprank.separation.grid import grid_rank
    from seprank.separation.network import network_function

    weights, N = weights_of(case), case.NA + case.NB
    points = draw_assignments(Partition(case.NA, case.NB), case.dx, PRIME, 0, 30)
    separation = full_rank(network_function(weights, PRIME), *points, PRIME).rank
    return _collected(case, separation, lambda grid: grid_rank(weights, grid, N, range(case.NA), PRIME).rank)


def plain(case: Sizes) -> Ranks:
    """Grids from eq. 3 on explicit tokens in python-flint; the separation rank from all coefficients."""
    weights = weights_of(case)
    layers = weight_matrices(weights, PRIME)
    output = network_output(weights, case.NA + case.NB, PRIME, case.residual)

    def grid_rank(grid: Any) -> int:
        vectors = [[int(x) for x in vector] for vector in grid]
        rows, columns = product(vectors, repeat=case.NA), list(product(vectors, repeat=case.NB))
        return rank([[output_entry(layers, [*a, *b], PRIME, case.residual) for b in columns] for a in rows], PRIME)

    return _collected(case, separation_rank(output, mask(range(case.NA * case.dx))), grid_rank)


def roads() -> Mapping[str, Road]:
    """The ranks, twice."""
    return {"library grid and random assignments": library, "explicit tokens and coefficient matrix": plain}


def holds(case: Sizes, result: Ranks) -> bool:
    """Never above, and reached."""
    every = (*result.growing, *result.degenerate)
    return max(every) <= result.separation == result.growing[-1]


def mutants() -> Mapping[str, Claim]:
    """Wrong ideas of how many templates are enough."""

    def full_size(case: Sizes, result: Ranks) -> bool:
        sizes = [min(result.separation, M ** min(case.NA, case.NB)) for M in range(1, result.least + 1)]
        return result.growing == tuple(sizes)

    return {
        "every set of that many templates reaches it": lambda case, result: min(result.degenerate) == result.separation,
        "a grid of M^n rows has rank min(sep, M^n)": full_size,
        "M = sep templates are needed": lambda case, result: result.least == result.separation,
    }
