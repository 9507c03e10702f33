"""A layer over functions of separation rank K has separation rank at most N dx^4 K^3 / H.

Source: levine2020depth, Lemma 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.attention import output_entry
from proofs_check.plain.cubic_layer import tokens_of_rank
from proofs_check.plain.draws import weight_matrices
from proofs_check.plain.ranks import rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights

PRIME = 2147483629
SPARE = 4  # sampled points beyond the rank, so that the rank is not that of the sample

STATEMENT = Statement(
    id="D2W.lemma2",
    title="A layer over functions of separation rank at most K has separation rank at most N dx^4 K^3 / H",
    statement=r"If every entry of every token is a function of separation rank at most $K$, then every output entry "
    r"of the layer has separation rank at most $\frac{Nd_x^4}{H}K^3$.",
    source="levine2020depth, Lemma 2",
    scope="dx <= 4, several H for each, N <= 3, K <= 4: random weights, random functions of rank exactly K modulo a "
    "prime, sampled at more points than the rank found",
    expected=Verdict.HOLDS,
    note="True for all sizes: the layer is a sum of at most N dx^3 products of three entries (NEW.lemma2), fewer than "
    "the lemma counts.",
)


class Sizes(NamedTuple):
    """A layer, the number of tokens, and the rank of its input entries."""

    dx: int
    H: int
    N: int
    K: int

    @property
    def points(self) -> int:
        """More than the rank that was found in every case."""
        n = self.dx * self.K
        return (self.N - 1) * n * n * (n + 1) // 2 + n * (n + 1) * (n + 2) // 6 + SPARE


def cases(level: str) -> Iterable[Sizes]:
    """Sizes whose ranks stay below 200."""
    quick = [(1, 1, 1, 1), (1, 1, 1, 4), (1, 1, 2, 3), (2, 1, 2, 1), (2, 2, 2, 1), (2, 2, 1, 2), (3, 3, 2, 1)]
    more = [(1, 1, 3, 3), (2, 1, 2, 2), (2, 2, 2, 2), (2, 1, 3, 1), (3, 1, 2, 1), (4, 2, 2, 1), (4, 4, 1, 1)]
    return [Sizes(*sizes) for sizes in quick + (more if level == "full" else [])]


def library(case: Sizes) -> int:
    """Eq. 3 on all pairs of points and the elimination, by the library."""
    from seprank.attention.layer import forward_mod
    from seprank.field import rank as field_rank

    tokens = tokens_of_rank(case.N, case.dx, case.K, case.points, PRIME)
    output = forward_mod(random_weights(Architecture(1, case.dx, case.H), PRIME, 0), tokens, PRIME)
    return field_rank(output[:, :, 0, 0], PRIME)


def python_flint(case: Sizes) -> int:
    """Eq. 3 pair by pair, and the rank, in python-flint."""
    tokens = tokens_of_rank(case.N, case.dx, case.K, case.points, PRIME).tolist()
    layers = weight_matrices(random_weights(Architecture(1, case.dx, case.H), PRIME, 0), PRIME)
    return rank([[output_entry(layers, x, PRIME) for x in row] for row in tokens], PRIME)


def roads() -> Mapping[str, Road]:
    """The rank, twice."""
    return {"library": library, "python-flint": python_flint}


def holds(case: Sizes, result: int) -> bool:
    """The bound, without division."""
    return result * case.H <= case.N * case.dx**4 * case.K**3


def mutants() -> Mapping[str, Claim]:
    """Smaller bounds."""
    return {
        "K^2 in place of K^3": lambda case, result: result * case.H <= case.N * case.dx**4 * case.K**2,
        "dx^3 in place of dx^4": lambda case, result: result * case.H <= case.N * case.dx**3 * case.K**3,
        "without N": lambda case, result: result * case.H <= case.dx**4 * case.K**3,
    }
