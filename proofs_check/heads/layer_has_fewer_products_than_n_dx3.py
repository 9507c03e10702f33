"""A layer is a sum of N dx^3 products of entries; with equal factors counted once the rank found is exact.

Source: levine2020depth, Lemma 2, sharpened for this project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.attention import output_entry
from proofs_check.plain.cubic_layer import products_in_order, separable_products, tokens_of_rank
from proofs_check.plain.draws import weight_matrices
from proofs_check.plain.ranks import rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights

PRIME = 2147483629
SPARE = 4  # sampled points beyond the count, so that the rank is not that of the sample

STATEMENT = Statement(
    id="NEW.lemma2",
    title="A layer over functions of separation rank K has separation rank at most N dx^3 K^3, and less when repeated "
    "factors are counted once",
    statement=r"Collecting $x^i_\alpha x^j_\beta x^j_\gamma$ leaves $Nd_x^3$ products, so the rank is at most "
    r"$Nd_x^3K^3$; with $n=d_xK$ it is even at most $(N-1)\,n\binom{n+1}2+\binom{n+2}3$, which random functions and "
    r"weights reach.",
    source="levine2020depth, Lemma 2, sharpened",
    scope="dx <= 4, several H for each, N <= 3, K <= 4: products enumerated; ranks for random weights and random "
    "functions of rank exactly K modulo a prime",
    expected=Verdict.HOLDS,
    note="Proof of both bounds for all sizes: expand every entry in K products g g'; each term is a product of one g "
    "of position i and two of a position j, times the g' of the same three, whatever their order.",
)


class Sizes(NamedTuple):
    """A layer, the number of tokens, and the rank of its input entries."""

    dx: int
    H: int
    N: int
    K: int


class Counts(NamedTuple):
    """Products of three entries, products of three functions of one side, and the rank of a layer."""

    products: int
    separable: int
    rank: int


def cases(level: str) -> Iterable[Sizes]:
    """Sizes whose ranks stay below 200."""
    quick = [(1, 1, 1, 1), (1, 1, 1, 4), (1, 1, 2, 2), (2, 1, 1, 1), (2, 2, 2, 1), (2, 1, 3, 1), (3, 3, 2, 1)]
    more = [
        (1, 1, 3, 3),
        (2, 1, 2, 2),
        (2, 2, 2, 2),
        (2, 2, 1, 3),
        (3, 1, 2, 1),
        (4, 2, 2, 1),
        (2, 1, 3, 2),
        (3, 3, 2, 2),
    ]
    return [Sizes(*sizes) for sizes in quick + (more if level == "full" else [])]


def by_formula(case: Sizes) -> Counts:
    """Counts by formula, the rank by the library."""
    from seprank.attention.layer import forward_mod
    from seprank.field import rank as field_rank

    n = case.dx * case.K
    separable = (case.N - 1) * n * comb(n + 1, 2) + comb(n + 2, 3)
    tokens = tokens_of_rank(case.N, case.dx, case.K, separable + SPARE, PRIME)
    output = forward_mod(random_weights(Architecture(1, case.dx, case.H), PRIME, 0), tokens, PRIME)
    return Counts(case.N * case.dx**3, separable, field_rank(output[:, :, 0, 0], PRIME))


def by_enumeration(case: Sizes) -> Counts:
    """Counts by listing all products, the rank by python-flint."""
    separable = separable_products(case.N, case.dx, case.K)
    tokens = tokens_of_rank(case.N, case.dx, case.K, separable + SPARE, PRIME).tolist()
    layers = weight_matrices(random_weights(Architecture(1, case.dx, case.H), PRIME, 0), PRIME)
    found = rank([[output_entry(layers, x, PRIME) for x in row] for row in tokens], PRIME)
    return Counts(len(products_in_order(case.N, case.dx)), separable, found)


def roads() -> Mapping[str, Road]:
    """Formulas and library, enumeration and python-flint."""
    return {"formulas, library rank": by_formula, "products listed, python-flint rank": by_enumeration}


def holds(case: Sizes, result: Counts) -> bool:
    """Both bounds, the sharper one reached."""
    return result.rank == result.separable <= result.products * case.K**3 == case.N * case.dx**3 * case.K**3


def mutants() -> Mapping[str, Claim]:
    """Fewer products, and no gain from equal factors."""
    return {
        "N dx^2 products": lambda case, result: result.rank <= case.N * case.dx**2 * case.K**3,
        "N dx^3 K^3 is reached": lambda case, result: result.rank == result.products * case.K**3,
        "equal factors save nothing at K = 1": lambda case, result: case.K > 1 or result.rank == result.products,
    }
