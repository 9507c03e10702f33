"""The rank depends on N_A, N_B and the side of the output only, and on that side.

Source: docs/theory.md, Gram form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.sparse import mask, network_output, separation_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights, random_weights
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629
VALUES = {(2, 2, 1, 1, 2): 16, (2, 2, 1, 2, 1): 17, (2, 2, 1, 2, 2): 18, (3, 2, 1, 1, 2): 125, (3, 2, 1, 2, 1): 137}

STATEMENT = Statement(
    id="NEW.partition",
    title="The rank depends on the partition through N_A, N_B and the side of the output only, and does depend on "
    "that side",
    statement=r"For all positions $i$ and all $A\ni i$ with $|A|=N_A$ the rank is one number $r(N_A,N_B)$, balanced "
    r"or not; $r(1,2)=16$, $r(2,1)=17$ at $L=2$ and $125$, $137$ at $L=3$, for $d=2$, $H=1$.",
    source="docs/theory.md, Gram form",
    scope="all positions and partitions of N <= 4 tokens at L = 1, 2 with dx = 2, H = 1, 2, with and without skip "
    "connections; N = 3 at L = 1 with dx = 1, 3 and at L = 3 with dx = 2, H = 1; one draw of weights modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes: side B enters through its Gram matrix only, side A through that of its own and the "
    "token i. The coefficient matrices are exact for these weights, modulo the prime.",
)


class Sizes(NamedTuple):
    """A network and the sizes of the two sides, the output on the first."""

    L: int
    dx: int
    H: int
    NA: int
    NB: int
    residual: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """Balanced and unbalanced sides."""
    sides = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)]
    quick = [Sizes(1, dx, dx, *side) for dx in (1, 3) for side in ((1, 2), (2, 1))]
    quick += [Sizes(2, 2, 1, *side) for side in sides[1:4]] + [Sizes(2, 2, 2, 1, 2, True), Sizes(2, 2, 1, 3, 1, True)]
    more = [Sizes(L, 2, H, *side, skip) for L in (1, 2) for H in (1, 2) for side in sides for skip in (False, True)]
    deep = [Sizes(3, 2, 1, 1, 2), Sizes(3, 2, 1, 2, 1)]
    return list(dict.fromkeys(quick + (more + deep if level == "full" else [])))


def choices(case: Sizes) -> Iterator[tuple[int, list[int]]]:
    """Every output position with every side A of the right size that holds it."""
    N = case.NA + case.NB
    for i in range(N):
        yield from ((i, list(A)) for A in combinations(range(N), case.NA) if i in A)


def weights_of(case: Sizes) -> Weights:
    """Random weights modulo the prime."""
    return random_weights(Architecture(case.L, case.dx, case.H, residual=case.residual), PRIME, 0)


def explicit_tokens(case: Sizes) -> tuple[int, ...]:
    """The library's eq. 3 at the positions as they are, and its rank at random points."""
    from seprank.attention.layer import forward_mod
    from seprank.separation.full import full_rank

    weights = weights_of(case)
    points = draw_assignments(Partition(case.NA, case.NB), case.dx, PRIME, 0, 150 if case.L == 3 else 40)

    def rank(i: int, A: list[int]) -> int:
        def network(own: Any, other: Any) -> Any:
            x = np.empty((len(own), len(other), case.NA + case.NB, case.dx), np.int64)
            x[:, :, A] = own[:, None]
            x[:, :, [j for j in range(x.shape[2]) if j not in A]] = other[None]
            return forward_mod(weights, x, PRIME)[:, :, i, 0]

        return full_rank(network, *points, PRIME).rank

    return tuple(rank(i, A) for i, A in choices(case))


def coefficients(case: Sizes) -> tuple[int, ...]:
    """Exact ranks of the coefficient matrices."""
    outputs: dict[int, Any] = {}
    found = []
    for i, A in choices(case):
        if i not in outputs:
            outputs[i] = network_output(weights_of(case), case.NA + case.NB, PRIME, case.residual, position=i)
        found.append(separation_rank(outputs[i], mask(j * case.dx + a for j in A for a in range(case.dx))))
    return tuple(found)


def roads() -> Mapping[str, Road]:
    """The rank for every position and partition, twice."""
    return {"eq. 3 at random points": explicit_tokens, "coefficient matrices": coefficients}


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """One number, and the known ones."""
    return set(result) == {VALUES.get(case[:5], result[0])}


def mutants() -> Mapping[str, Claim]:
    """Too little to depend on; compared at L <= 2."""

    def same_for(case: Sizes, result: tuple[int, ...], NA: int, NB: int) -> bool:
        other = case._replace(NA=NA, NB=NB)
        return case.L > 2 or coefficients(other)[0] == result[0]

    return {
        "on the pair of sizes, not the side of i": lambda case, result: same_for(case, result, case.NB, case.NA),
        "on N only": lambda case, result: same_for(case, result, 1, case.NA + case.NB - 1),
        "on N_A only": lambda case, result: same_for(case, result, case.NA, case.NB + 1),
    }
