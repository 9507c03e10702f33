"""Two tokens on a side bound the rank by ((d, C))((d+1, C)).   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.printed_bounds import choices, gaps, long_gram
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition

STATEMENT = Statement(
    id="NEW.two-tokens",
    title="With at most two tokens on one side the separation rank is at most ((d, C))((d+1, C))",
    statement=r"$\mathrm{sep}\le\nu_C\sum_{k\le C}\nu_k=\left(\!\binom dC\!\right)\left(\!\binom{d+1}C\!\right)$, "
    r"$\nu_k=\left(\!\binom dk\!\right)$, for all weights and $H$ if $\min(N_A,N_B)\le2$.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="the Gram bound in exact integers: L <= 3 for dx <= 4, L <= 2 for dx <= 6, L = 4 for dx <= 2; one side "
    "with one or two tokens, the other with one, two, three or dx",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md; residual networks included, since the Gram bound covers them.",
)


class Sizes(NamedTuple):
    """Depth, width, tokens."""

    L: int
    dx: int
    NA: int
    NB: int


def cases(level: str) -> Iterable[Sizes]:
    """Short sides A, short sides B, both; and one case of three tokens, where only a mutant makes a claim."""
    yield Sizes(8, 3, 3, 3)
    depths = {1: 4, 2: 4, 3: 3, 4: 3, 5: 2, 6: 2} if level == "full" else {1: 3, 2: 3, 3: 3, 4: 2, 5: 2}
    for dx, deepest in depths.items():
        sides = {(a, b) for short in (1, 2) for other in (1, 2, 3, dx) for a, b in ((short, other), (other, short))}
        for L in range(1, deepest + 1):
            yield from (Sizes(L, dx, NA, NB) for NA, NB in sorted(sides))


def library(case: Sizes) -> int:
    """The library's Gram bound for these tokens."""
    from seprank.closed_forms.gram import gram_bound as sum_of_minima

    pair = sum_of_minima(Architecture(case.L, case.dx), Partition(case.NA, case.NB)).magnitude.pair
    return -1 if pair is None else int(pair[0])


def plain(case: Sizes) -> int:
    """Term by term, hook lengths; two binomial coefficients for long input."""
    long = min(case.NA, case.NB) >= case.dx
    return long_gram(case.dx, gaps(case.L)) if long else gram_bound(*case)


def roads() -> Mapping[str, Road]:
    """The Gram bound, twice."""
    return {"library": library, "hook lengths": plain}


def holds(case: Sizes, result: int) -> bool:
    """The product, and its form as a sum; nothing is claimed for three tokens on both sides."""
    d, C = case.dx, gaps(case.L)
    product = choices(d, C) * choices(d + 1, C)
    return product == choices(d, C) * sum(choices(d, k) for k in range(C + 1)) and (
        result <= product or min(case.NA, case.NB) > 2
    )


def mutants() -> Mapping[str, Claim]:
    """Stronger variants."""

    def three_tokens(case: Sizes, result: int) -> bool:
        return result <= choices(case.dx, gaps(case.L)) * choices(case.dx + 1, gaps(case.L))

    def smaller_factor(case: Sizes, result: int) -> bool:
        return min(case.NA, case.NB) > 2 or result <= choices(case.dx, gaps(case.L)) ** 2

    return {"three tokens allowed": three_tokens, "((d, C)) squared": smaller_factor}
