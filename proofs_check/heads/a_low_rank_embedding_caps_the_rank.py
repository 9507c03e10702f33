"""Behind an embedding of rank r the separation rank is at most that of width r, whatever the width inside.

Source: derived for this project: docs/variants.md, Low-rank embedding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain import variants as plain
from proofs_check.plain.ranks import value_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation.assignments import draw_assignments

PRIME = DEFAULT_PRIME
VALUES = {(1, 3, 1, 2): 3, (2, 3, 1, 1): 5, (2, 3, 1, 2): 18, (2, 3, 3, 2): 18, (2, 4, 2, 2): 18, (2, 4, 4, 2): 18}
VALUES |= {(2, 4, 4, 1): 5, (2, 4, 4, 3): 46, (2, 4, 2, 3): 49}

STATEMENT = Statement(
    id="NEW.embedding",
    title="Behind an input embedding of rank r the separation rank is at most the Gram bound at width r, whatever dx",
    statement=r"Let tokens be $x=Eu$ with $u\in\mathbb R^r$. As a function of the $u$, long input, the network has "
    r"at most the rank that the Gram "
    r"bound gives to width $r$; with $H$ heads of size $d_a$ also the staircase bound with $\min(r(r+1)/2,Hd_a^2)$ "
    r"seen forms.",
    source="docs/variants.md, Low-rank embedding",
    scope="all weights (proved there); (L, dx, H, r) of the scope: "
    + ", ".join(map(str, VALUES))
    + ": reached, certified",
    expected=Verdict.HOLDS,
    note="The vocabulary bottleneck of wies2021vocabulary as an exact statement: width beyond the rank of the "
    "embedding is not seen.",
)


class Bottleneck(NamedTuple):
    """A network and the rank of its embedding."""

    L: int
    dx: int
    H: int
    rank: int


def cases(level: str) -> Iterable[Bottleneck]:
    """Those of the table."""
    chosen = VALUES if level == "full" else [sizes for sizes in VALUES if sizes[3] < 3]
    return [Bottleneck(*sizes) for sizes in chosen]


def by_library(case: Bottleneck) -> int:
    """Values by the Gram form, block by block."""
    from seprank.variants.embedding import embedding
    from seprank.variants.measure import variant_rank

    return variant_rank(embedding(Architecture(case.L, case.dx, case.H), case.rank), prime=PRIME).rank


def by_tokens(case: Bottleneck) -> int:
    """Eq. 3 on explicit tokens in whole numbers; one matrix, at other weights."""
    heads = plain.heads_of(random_weights(Architecture(case.L, case.dx, case.H), PRIME, 1))
    matrix = residues(1, "E", (case.dx, case.rank), PRIME).tolist()
    points = VALUES[case[:]] + 3
    sides = draw_assignments(Partition(case.rank, case.rank), case.rank, PRIME, 1, points)

    def value(tokens: list[list[int]]) -> int:
        return plain.attention_output(heads, plain.embedded(matrix, tokens), 0, prime=PRIME)[0]

    return value_rank(value, sides[0].tolist(), sides[1].tolist(), PRIME)


def roads() -> Mapping[str, Road]:
    """Ranks, twice."""
    return {"Gram form, by blocks": by_library, "explicit tokens, one matrix": by_tokens}


def gram(L: int, d: int) -> int:
    """The Gram bound of long input."""
    C, s = (3**L - 1) // 2, d * (d + 1) // 2
    return sum(min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) for k in range(C + 1))


def holds(case: Bottleneck, result: int) -> bool:
    """The table, at most the Gram bound of width r."""
    return result == VALUES[case[:]] <= gram(case.L, case.rank)


def mutants() -> Mapping[str, Claim]:
    """Readings in which the width inside matters, or more heads always cost."""
    return {
        "the rank of width dx": lambda case, result: result == gram(case.L, case.dx),
        "in proportion to r": lambda case, result: result == case.rank * gram(case.L, 1),
        "the width of a head": lambda case, result: result == gram(case.L, min(case.rank, case.dx // case.H)),
    }
