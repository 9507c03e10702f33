"""Which (L, dx) the isotropic rule affects.   Source: docs/theory.md, Isotropic directions"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from proofs_check.plain import isotropic
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.isotropic-affected",
    title="The isotropic rule bites for 4 <= dx <= 12 at L = 3, 5 <= dx <= 8 at L = 4, and never for dx = 2, 3 "
    "or L = 2",
    statement=r"With $m$ the last $k$ for which $S_s(k)\le dS_s(C-k)$, some block that the Gram bound leaves full "
    r"on side $B$ loses isotropic powers iff $\min_T\tau_T<m$ over sets $T$ with $X_T\ne\emptyset$ (at "
    r"most $d-1$ conditions). This happens for $4\le d\le12$ at $L=3$, $5\le d\le8$ at $L=4$, $4\le "
    r"d\le30$ at $L=5,6$, and $d=4$ at $L=3$ and $5\le L\le10$; not at $L=2$, not for $d=2,3$, not at "
    "$(4,4)$.",
    source="docs/theory.md, Isotropic directions",
    scope="all sets T: widths up to 40 at L = 2, 3, 4; 2 <= dx <= 30 at L = 5, 6; dx = 2, 3, 4 at L = 7, ..., 10",
    expected=Verdict.HOLDS,
    note="Exact integers, exhaustive over the sets T. The loss is small beside the bound; where the rule does not "
    "bite it is silent on whether the Gram bound is reached. The doubled tables alone give the same at L = 11.",
)


class Sizes(NamedTuple):
    """A depth and a width."""

    L: int
    dx: int


def cases(level: str) -> Iterable[Sizes]:
    """Widths up to 40; the ends of the ranges at the quick level."""
    if level != "full":
        ends = [
            (2, 2),
            (2, 3),
            (2, 12),
            (3, 3),
            (3, 4),
            (3, 5),
            (3, 12),
            (3, 13),
            (4, 4),
            (4, 5),
            (4, 8),
            (4, 9),
            (5, 4),
        ]
        return [Sizes(*end) for end in ends]
    found = [Sizes(L, d) for L in (2, 3, 4) for d in range(2, 41)]
    found += [Sizes(L, d) for L in (5, 6) for d in range(2, 31)]
    return found + [Sizes(L, d) for L in (7, 8, 9, 10) for d in (2, 3, 4)]


def _least(case: Sizes, degree: Callable[[int, frozenset[int], bool], int]) -> int:
    """Least tau_T over the sets T with at most d - 1 conditions, one of them a link at least."""
    return min(
        degree(case.L, frozenset(chosen), row)
        for row in (False, True)
        for size in range(1, min(case.L, case.dx - 1 - row) + 1)
        for chosen in combinations(range(1, case.L + 1), size)
    )


def walk(case: Sizes) -> Result:
    """The library's two-state walk along the word, and its placing of the switch m by the closed sum."""
    from seprank.closed_forms.combinatorics import multiset
    from seprank.closed_forms.gram import _switch
    from seprank.closed_forms.isotropic import degree_in_isotropic_direction

    s, d, C = case.dx * (case.dx + 1) // 2, case.dx, (3**case.L - 1) // 2
    m = _switch(C, lambda k: multiset(s, k) <= d * multiset(s, C - k))
    return _least(case, degree_in_isotropic_direction), m


def doubling(case: Sizes) -> Result:
    """Tables of first and last position, doubled layer by layer; m by stepping up or down from C/2."""
    s, d, C = case.dx * (case.dx + 1) // 2, case.dx, (3**case.L - 1) // 2
    m, side_B, side_A = 0, 1, d * isotropic.multiset(s, C)
    while m < C:
        side_B, side_A = side_B * (s + m) // (m + 1), side_A * (C - m) // (s + C - m - 1)
        if side_B > side_A:
            break
        m += 1
    return _least(case, isotropic.degree_by_doubling), m


def roads() -> Mapping[str, Road]:
    """Least degree and switch, twice."""
    return {"walk along the word": walk, "tables doubled by layer": doubling}


def holds(case: Sizes, result: Result) -> bool:
    """The ranges of the statement."""
    return (result[0] < result[1]) == _affected(case, 12)


def _affected(case: Sizes, last: int) -> bool:
    if case.L in (3, 4):
        return case.dx in (range(4, last + 1) if case.L == 3 else range(5, 9))
    return case.L >= 5 and case.dx >= 4


def mutants() -> Mapping[str, Claim]:
    """Ranges one too long or too short."""
    return {
        "up to dx = 13 at L = 3": lambda case, result: (result[0] < result[1]) == _affected(case, 13),
        "every dx >= 4 at every L >= 3": lambda case, result: (result[0] < result[1]) == (case.L >= 3 and case.dx >= 4),
    }
