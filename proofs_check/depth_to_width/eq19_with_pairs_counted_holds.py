"""Eq. 19 with pairs of coordinates counted is above the Gram bound.   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.plain.printed_bounds import choices, eq19, gaps, long_gram
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.eq19-mended",
    title="Grouping by pairs of coordinates mends eq. 19: ((s, C)) and s in place of ((dx, 2C)) and dx",
    statement=r"$\mathrm{sep}\le d\left(\!\binom sC\!\right)\bigl(\frac Cs+1\bigr)^s$, $s=d(d+1)/2$, for all sizes.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="above the Gram bound, exact fractions: dx <= 24, L <= 25",
    expected=Verdict.HOLDS,
    note="Proved in docs/theory.md with Lemma 3 (n = 2); it is weaker than the Gram bound, which is the case's result.",
)


class Sizes(NamedTuple):
    """Depth and width."""

    L: int
    dx: int


def cases(level: str) -> Iterable[Sizes]:
    """A grid."""
    widths = range(1, 25) if level == "full" else (1, 2, 3, 5, 8, 12)
    depths = range(1, 26) if level == "full" else (1, 2, 3, 5, 8, 12)
    return [Sizes(L, dx) for dx in widths for L in depths]


def library(case: Sizes) -> int:
    """The library's Gram bound."""
    from seprank.closed_forms.gram import long_gram_bound

    exact = long_gram_bound(case.dx, Architecture(case.L, case.dx).C).exact
    return -1 if exact is None else int(exact()[0])


def plain(case: Sizes) -> int:
    """Two binomial coefficients."""
    return long_gram(case.dx, gaps(case.L))


def roads() -> Mapping[str, Road]:
    """The Gram bound, twice."""
    return {"library": library, "binomial coefficients": plain}


def holds(case: Sizes, result: int) -> bool:
    """The Gram bound is at most the mended form."""
    s, C = case.dx * (case.dx + 1) // 2, gaps(case.L)
    return result <= case.dx * choices(s, C) * (Fraction(C, s) + 1) ** s


def mutants() -> Mapping[str, Claim]:
    """What is too small."""

    def no_split(case: Sizes, result: int) -> bool:
        return result <= case.dx * choices(case.dx * (case.dx + 1) // 2, gaps(case.L))

    def half_degree(case: Sizes, result: int) -> bool:
        C = gaps(case.L)
        return result <= case.dx * choices(case.dx, C) * (Fraction(C, case.dx) + 1) ** case.dx

    return {
        "eq. 19 itself": lambda case, result: result <= eq19(case.dx, gaps(case.L)),
        "without the factor (C/s + 1)^s": no_split,
        "C in place of 2C in eq. 19": half_degree,
    }
