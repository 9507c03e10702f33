"""The separation rank is the sum of the ranks of the bidegree blocks.   Source: docs/theory.md, Bidegree blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import flint

from proofs_check.plain.sparse import Polynomial, mask, network_output, parts_by_degree, separation_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.blocks",
    title="The separation rank is the sum of the ranks of the parts of equal degree in side B",
    statement=r"$\mathrm{sep}(y)=\sum_{k=0}^C\mathrm{rank}(y_k)$, $y_k$ the part of degree $2k$ in the tokens of $B$; "
    r"scaling them by $t$ gives $\sum_kt^{2k}y_k$. Without skip connections.",
    source="docs/theory.md, Bidegree blocks",
    scope="L = 1 with dx <= 3, L = 2 with dx <= 3, L = 3 with dx = 2 and one token a side; several H, N_A and N_B up "
    "to 3; random weights modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes: different k share no monomial on either side. The coefficient matrices are exact for "
    "these weights, modulo the prime. With skip connections the same sum is too large.",
)


class Sizes(NamedTuple):
    """A network and its partition; the output is on side A."""

    L: int
    dx: int
    H: int
    NA: int
    NB: int
    points: int = 60


class Ranks(NamedTuple):
    """The rank of the whole, and of the blocks k = 0..C."""

    whole: int
    blocks: tuple[int, ...]


def cases(level: str) -> Iterable[Sizes]:
    """Equal and unequal sides."""
    quick = [
        (1, 1, 1, 1, 1),
        (1, 3, 3, 1, 2),
        (2, 1, 1, 2, 2),
        (2, 2, 1, 1, 2),
        (2, 2, 1, 2, 1),
        (2, 2, 1, 2, 2),
        (2, 2, 2, 3, 2),
    ]
    more = [(1, 2, 1, 2, 1), (2, 3, 1, 1, 2), (2, 3, 3, 2, 1), (2, 3, 1, 2, 2), (2, 2, 2, 1, 3)]
    deep = [Sizes(3, 2, 1, 1, 1, 120), Sizes(3, 2, 2, 1, 1, 120)]
    return [Sizes(*sizes) for sizes in quick + (more if level == "full" else [])] + (deep if level == "full" else [])


def sampled(case: Sizes) -> Ranks:
    """The library's full and block ranks at random points."""
    from seprank.separation.blocks import block_ranks
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    arch = Architecture(case.L, case.dx, case.H)
    network = network_function(random_weights(arch, PRIME, 0), PRIME)
    points = draw_assignments(Partition(case.NA, case.NB), case.dx, PRIME, 0, case.points)
    blocks = block_ranks(network, *points, [case.points] * (arch.C + 1), PRIME)
    return Ranks(full_rank(network, *points, PRIME).rank, tuple(block.rank for block in blocks if block))


def expanded(case: Sizes, residual: bool = False) -> tuple[Polynomial, int]:
    """The output as a polynomial in the token entries, and the variables of side B."""
    weights = random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0)
    output = network_output(weights, case.NA + case.NB, PRIME, residual)
    return output, mask(range(case.NA * case.dx, (case.NA + case.NB) * case.dx))


def coefficients(case: Sizes) -> Ranks:
    """Ranks of the coefficient matrix and of its parts."""
    output, side = expanded(case)
    parts = parts_by_degree(output, side)
    if any(degree % 2 for degree in parts):
        raise ArithmeticError("a part of odd degree in side B")
    blocks = (parts.get(2 * k, Polynomial({}, PRIME)) for k in range((3**case.L + 1) // 2))
    return Ranks(separation_rank(output, side), tuple(separation_rank(block, side) for block in blocks))


def roads() -> Mapping[str, Road]:
    """Ranks of the whole and of the blocks, twice."""
    return {"random points, interpolation in t^2": sampled, "coefficient matrices": coefficients}


def holds(case: Sizes, result: Ranks) -> bool:
    """The sum."""
    return result.whole == sum(result.blocks)


def interpolated_in_t(case: Sizes) -> tuple[int, ...]:
    """Ranks of what interpolation in t with nodes 0..C takes for the blocks."""
    output, side = expanded(case)
    parts, C = parts_by_degree(output, side), (3**case.L - 1) // 2
    nodes = flint.nmod_mat([[pow(t, n, PRIME) for n in range(C + 1)] for t in range(C + 1)], PRIME)
    scales = flint.nmod_mat([[pow(t, degree, PRIME) for degree in parts] for t in range(C + 1)], PRIME)
    found = []
    for row in nodes.solve(scales).tolist():
        mixed = Polynomial({}, PRIME)
        for factor, part in zip(row, parts.values(), strict=True):
            mixed = mixed + part * int(factor)
        found.append(separation_rank(mixed, side))
    return tuple(found)


def mutants() -> Mapping[str, Claim]:
    """Too few nodes, skip connections, and one block in place of the sum."""

    def residual(case: Sizes, result: Ranks) -> bool:
        output, side = expanded(case, residual=True)
        parts = parts_by_degree(output, side).values()
        return case.L > 2 or separation_rank(output, side) == sum(separation_rank(part, side) for part in parts)

    return {
        "interpolation in t with C + 1 nodes": lambda case, result: (
            case.L > 2 or result.blocks == interpolated_in_t(case)
        ),
        "the same sum with skip connections": residual,
        "the largest block only": lambda case, result: result.whole == max(result.blocks),
    }
