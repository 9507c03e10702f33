"""log3 of the separation rank is at most dx (dx+1)/2 L.   Source: docs/theory.md, Gram bound, corollaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.printed_bounds import gaps, long_gram
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition

STATEMENT = Statement(
    id="NEW.s-L",
    title="log3 of the separation rank is at most dx (dx + 1)/2 times L: depth stops helping double-exponentially",
    statement=r"Gram bound $\le\binom{s+C}{s}\le(1+C)^s\le3^{sL}$, $s=d(d+1)/2$, for every $L$, $H$ and $N$.",
    source="docs/theory.md, Gram bound, corollaries",
    scope="long input: dx <= 24, L <= 25; short input: dx = 2, 3, 4, L <= 3, all NA < dx, NB <= dx; exact integers",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md. The Gram bound is NEW.gram-bound, residual networks included.",
)


class Sizes(NamedTuple):
    """Depth, width, and tokens on the two sides (0: long input)."""

    L: int
    dx: int
    NA: int = 0
    NB: int = 0


def cases(level: str) -> Iterable[Sizes]:
    """Long input over a grid, then short input."""
    widths = range(1, 25) if level == "full" else (1, 2, 3, 4, 5, 8, 16)
    depths = range(1, 26) if level == "full" else (1, 2, 3, 4, 5, 8, 20)
    yield from (Sizes(L, dx) for dx in widths for L in depths)
    for dx in (2, 3, 4):
        for L in (1, 2, 3)[: 3 if level == "full" or dx < 4 else 2]:
            yield from (Sizes(L, dx, NA, NB) for NA in range(1, dx) for NB in range(1, dx + 1))


def library(case: Sizes) -> int:
    """The library's Gram bound."""
    from seprank.closed_forms.gram import gram_bound as sum_of_minima

    partition = Partition(case.NA, case.NB) if case.NA else None
    exact = sum_of_minima(Architecture(case.L, case.dx), partition).magnitude.exact
    return -1 if exact is None else int(exact()[0])


def plain(case: Sizes) -> int:
    """Two binomial coefficients at the switch; for short input term by term."""
    return gram_bound(*case) if case.NA else long_gram(case.dx, gaps(case.L))


def roads() -> Mapping[str, Road]:
    """The Gram bound, twice."""
    return {"library": library, "binomial coefficients": plain}


def holds(case: Sizes, result: int) -> bool:
    """The chain of inequalities, in integers."""
    s, C = case.dx * (case.dx + 1) // 2, gaps(case.L)
    return result <= comb(s + C, s) <= (1 + C) ** s <= 3 ** (s * case.L)


def mutants() -> Mapping[str, Claim]:
    """Slower growth."""

    def paper_rate(case: Sizes, result: int) -> bool:
        return result <= 3 ** (2 * case.dx * case.L)

    def one_less(case: Sizes, result: int) -> bool:
        return result <= 3 ** ((case.dx * (case.dx + 1) // 2 - 1) * case.L)

    return {
        "2 dx L, the rate of Theorem 2 (false for the Gram bound from dx = 4 on)": paper_rate,
        "(s - 1) L": one_less,
    }
