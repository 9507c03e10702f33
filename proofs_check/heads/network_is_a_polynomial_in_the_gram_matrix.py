"""An output entry is linear in its own token and a polynomial in the Gram matrix.

Source: docs/theory.md, Gram form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import head_counts, weight_matrices
from proofs_check.plain.words import Matrix, apply, gram_matrix, times
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.gram-form",
    title="The output is e_p^T M_L(G_L) ... M_1(G_1) x^i with G_{l+1} = M_l G_l M_l^T, with I + M_l for skip "
    "connections",
    statement=r"$y^i_p=e_p^TM_L(G_L)\cdots M_1(G_1)x^i$, $G_1=\sum_jx^jx^{jT}$, "
    r"$M_l(G)=\sum_hW^{O,l,h}W^{V,l,h}G(W^{K,l,h})^TW^{Q,l,h}$, $G_{l+1}=M_lG_lM_l^T$; $I+M_l$ for $M_l$ with skip "
    r"connections.",
    source="docs/theory.md, Gram form",
    scope="L <= 4, dx <= 4, all H dividing dx and head sizes with H da != dx, N = 2 to 5, with and without skip "
    "connections: all output entries at one position, random weights and tokens modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md: the sum over positions in eq. 3 only sees G.",
)


class Sizes(NamedTuple):
    """A network and the tokens of each side; the output is at the first position of side A."""

    L: int
    dx: int
    H: int
    da: int
    residual: bool
    NA: int
    NB: int


def cases(level: str) -> Iterable[Sizes]:
    """All small sizes; fewer depths at the quick level."""
    heads = [(dx, H, dx // H) for dx in (1, 2, 3, 4) for H in head_counts(dx)] + [(3, 2, 2), (3, 2, 1)]
    depths, sides = ((1, 2, 3, 4), ((1, 1), (2, 3))) if level == "full" else ((1, 2, 3), ((2, 1),))
    return [Sizes(L, *head, skip, *side) for L in depths for head in heads for skip in (False, True) for side in sides]


def weights_of(case: Sizes) -> Weights:
    """Random weights modulo the prime."""
    return random_weights(Architecture(case.L, case.dx, case.H, case.da, case.residual), PRIME, 0)


def tokens(case: Sizes) -> np.ndarray:
    """Random tokens, side A first."""
    return residues(0, "tokens", (case.NA + case.NB, case.dx), PRIME)


def library(case: Sizes) -> tuple[int, ...]:
    """The library's Gram form."""
    from seprank.attention.gram import GramNetwork

    x, found = tokens(case)[None], []
    for entry in range(case.dx):
        network = GramNetwork(weights_of(case), PRIME, entry)
        found.append(int(network.evaluate(network.side_A(x[:, : case.NA]), network.side_B(x[:, case.NA :]))[0, 0]))
    return tuple(found)


def explicit_tokens(case: Sizes) -> tuple[int, ...]:
    """Eq. 3 on explicit tokens, in python-flint."""
    layers, x = weight_matrices(weights_of(case), PRIME), tokens(case).tolist()
    return tuple(output_entry(layers, x, PRIME, case.residual, entry=entry) for entry in range(case.dx))


def roads() -> Mapping[str, Road]:
    """The output vector, twice."""
    return {"Gram form": library, "eq. 3 on explicit tokens": explicit_tokens}


def formula(case: Sizes, names: str = "QKVO", both_sides: bool = True, identity: bool | None = None) -> tuple[int, ...]:
    """The statement in nested lists of Python integers, or a variant of it."""
    arrays = dict(zip(names, (array.tolist() for array in weights_of(case)), strict=True))
    x = tokens(case).tolist()
    gram, y = gram_matrix(x), x[0]
    for layer in range(case.L):
        M = [
            [int(a == b and (case.residual if identity is None else identity)) for b in range(case.dx)]
            for a in range(case.dx)
        ]
        for h in range(case.H):
            Q, K, V, O = (arrays[name][layer][h] for name in "QKVO")
            M = _plus(M, times(times(times(O, V), gram), times(_turned(K), Q)))
        gram = times(times(M, gram), _turned(M)) if both_sides else times(M, gram)
        gram, y = [[x % PRIME for x in row] for row in gram], [x % PRIME for x in apply(M, y)]
    return tuple(y)


def _turned(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _plus(a: Matrix, b: Matrix) -> Matrix:
    return [[(x + y) % PRIME for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """The formula."""
    return result == formula(case)


def mutants() -> Mapping[str, Claim]:
    """Variants of the formula; the first differs from L = 2 on, the last with skip connections."""
    return {
        "G_{l+1} = M_l G_l": lambda case, result: result == formula(case, both_sides=False),
        "W^K and W^Q exchanged": lambda case, result: result == formula(case, names="KQVO"),
        "M_l also with skip connections": lambda case, result: result == formula(case, identity=False),
    }
