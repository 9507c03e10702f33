"""The separation rank is the same for every balanced partition.   Source: levine2020depth, Proposition 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from proofs_check.plain.sparse import mask, network_output, separation_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.prop1",
    title="The separation rank is the same for every balanced partition",
    statement=r"$\mathrm{sep}(y^i_p;A,B)$ is one number for all $A$ with $|A|=N/2$, whichever side holds $i$.",
    source="levine2020depth, Proposition 1",
    scope="all balanced partitions: N = 2 with L = 2, 3, N = 4 with L = 1, 2, N = 6 with L = 1; dx <= 2 (3 at L = 1), "
    "H = 1 and dx, some with skip connections; one output position each, one draw of weights modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes, with and without skip connections and for unbalanced partitions too, in docs/theory.md "
    "(Gram form): NEW.partition. Coefficient matrices give the exact rank at these weights, modulo the prime.",
)


class Sizes(NamedTuple):
    """A network, the number of tokens, the output position, and templates enough for the grid."""

    L: int
    dx: int
    H: int
    N: int
    position: int
    templates: int
    residual: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """Small grids; `templates` make the grid rank reach the separation rank."""
    quick = [
        Sizes(1, 2, 1, 4, 1, 3),
        Sizes(1, 3, 3, 4, 3, 4),
        Sizes(2, 1, 1, 4, 0, 5),
        Sizes(2, 2, 1, 4, 2, 6),
        Sizes(2, 2, 2, 4, 0, 6, True),
    ]
    more = [
        Sizes(1, 2, 2, 6, 3, 3),
        Sizes(2, 2, 1, 2, 1, 16),
        Sizes(2, 2, 2, 4, 3, 7),
        Sizes(2, 2, 1, 4, 1, 7, True),
        Sizes(3, 2, 1, 2, 0, 110),
    ]
    return quick + (more if level == "full" else [])


def halves(N: int) -> list[tuple[int, ...]]:
    """All sets of half of the positions."""
    return list(combinations(range(N), N // 2))


def grids(case: Sizes) -> tuple[int, ...]:
    """Ranks of the library's grid tensor, matricized by every half."""
    from seprank.field import rank
    from seprank.separation.grid import grid_tensor, matricization

    weights = random_weights(Architecture(case.L, case.dx, case.H, residual=case.residual), PRIME, 0)
    templates = residues(0, "T", (case.templates, case.dx), PRIME)
    tensor = grid_tensor(weights, templates, case.N, PRIME, position=case.position)
    return tuple(rank(matricization(tensor, A), PRIME) for A in halves(case.N))


def coefficients(case: Sizes, sides: Iterable[tuple[int, ...]] | None = None, causal: bool = False) -> tuple[int, ...]:
    """Ranks of the coefficient matrix, sorted by every half (or by the sides given)."""
    weights = random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0)
    output = network_output(weights, case.N, PRIME, case.residual, causal, case.position)
    columns = [range(j * case.dx, (j + 1) * case.dx) for j in range(case.N)]
    masks = [mask(v for j in A for v in columns[j]) for A in (sides or halves(case.N))]
    return tuple(separation_rank(output, side) for side in masks)


def roads() -> Mapping[str, Road]:
    """Ranks for every half, twice."""
    return {"grid tensor with enough templates": grids, "coefficient matrix": coefficients}


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """One number."""
    return len(set(result)) == 1


def mutants() -> Mapping[str, Claim]:
    """Claims beyond balanced partitions and networks without a mask."""

    def any_sizes(case: Sizes, result: tuple[int, ...]) -> bool:
        sides = [A for size in range(1, case.N) for A in combinations(range(case.N), size)]
        return set(coefficients(case, sides)) == set(result)

    def masked(case: Sizes, result: tuple[int, ...]) -> bool:
        return len(set(coefficients(case._replace(position=case.N - 1), causal=True))) == 1

    return {
        "the same number for unbalanced partitions": any_sizes,
        "also under a causal mask": masked,
        "the number of monomial degrees, C + 1": lambda case, result: set(result) == {(3**case.L + 1) // 2},
    }
