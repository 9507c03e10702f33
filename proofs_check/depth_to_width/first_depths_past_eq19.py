"""The first depths at which networks exceed eq. 19.   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.explicit_networks import monomial, monomial_rank, product_rank, shifts, some_rows
from proofs_check.plain.printed_bounds import eq19, gaps, long_gram
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

MOST = 70

TABLE = {
    "Gram bound": dict(zip(range(3, 17), (10, 7, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), strict=True)),
    "three rows of G": {3: 14, 4: 11, 5: 11, 6: 11, 8: 11, 12: 11},
    "product network": dict(zip(range(3, 17), (18, 17, 19, 22, 26, 30, 34, 38, 42, 46, 50, 54, 57, 61), strict=True)),
    "shift schedule": dict(zip(range(3, 17), (12, 8, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8), strict=True)),
}

STATEMENT = Statement(
    id="NEW.eq19-false",
    title="First depths past eq. 19 for H = dx: L = 12 at dx = 3, 8 at dx = 4, then 7 or 8 up to dx = 16",
    statement=r"First $L$ with $\prod(e_{ab}+1)$, resp. $\prod_l(3^{L-l}+1)$, above $d\left(\!\binom "
    r"d{2C}\!\right)(\frac{2C}d+1)^d$ for $d=H=3..16$: shift schedule 12, 8, 7, 7, 7, 7, 7, 8, ..., 8; three rows of "
    "$G$ (three tokens a side suffice) 14, 11, 11, 11, 11, 11 for $d=3,4,5,6,8,12$; product network 18, 17, 19, ..., "
    "61. No network can before the Gram bound does: 10, 7, 6, 6, 5, ..., 5; for $d=2$ it stays below.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="every entry of the table, exact integers, all smaller depths excluded; d = 2 up to L = 70",
    expected=Verdict.HOLDS,
    note="A result is the first depth, 0 for none up to L = 70. The ranks of the networks are proved in "
    "docs/theory.md. The depths are those of the networks named: the true first depths lie between the row of the "
    "Gram bound and the least of the others.",
)


class Entry(NamedTuple):
    """A row of the table and a width."""

    row: str
    d: int


def cases(level: str) -> Iterable[Entry]:
    """The whole table, and d = 2; its narrow columns at the quick level."""
    yield Entry("Gram bound", 2)
    yield from (Entry(row, d) for row, columns in TABLE.items() for d in columns if level == "full" or d < 8)


def library(case: Entry) -> int:
    """The library's bounds, compared as it compares them."""
    from seprank.closed_forms import explicit, gram, paper

    for L in range(1, MOST + 1):
        arch = Architecture(L, case.d, case.d)
        if case.row == "Gram bound":
            value = gram.long_gram_bound(case.d, arch.C)
        elif case.row == "product network":
            value = explicit.product_bound(arch, None)
        else:
            shift = case.row == "shift schedule"
            schedule = explicit.shift_schedule(case.d) if shift else explicit.row_schedule(case.d, 3)
            value = explicit.diagonal_rank(explicit.diagonal_exponents(L, case.d, schedule))
        order = value.compare(paper.eq19(case.d, arch.C))
        if order is None:
            raise ArithmeticError("too close to tell")
        if order > 0:
            return L
    return 0


def plain(case: Entry) -> int:
    """Exponents carried forward, and exact fractions."""
    ranks = {
        "shift schedule": lambda L: monomial_rank(monomial(L, case.d, shifts(case.d))),
        "three rows of G": lambda L: monomial_rank(monomial(L, case.d, some_rows(case.d, 3))),
        "product network": lambda L: product_rank(L, case.d * (case.d + 1) // 2),
        "Gram bound": lambda L: long_gram(case.d, gaps(L)),
    }
    return next((L for L in range(1, MOST + 1) if ranks[case.row](L) > eq19(case.d, gaps(L))), 0)


def roads() -> Mapping[str, Road]:
    """The first depth, twice; 0: not up to L = 70."""
    return {"library": library, "forward recursion, exact fractions": plain}


def holds(case: Entry, result: int) -> bool:
    """The table."""
    return result == TABLE[case.row].get(case.d, 0)


def mutants() -> Mapping[str, Claim]:
    """Too late, never, too early."""

    def late(case: Entry, result: int) -> bool:
        return case.d != 4 or case.row == "Gram bound" or result >= 17

    def never_at_three(case: Entry, result: int) -> bool:
        return case.d != 3 or case.row == "Gram bound" or result == 0

    def at_the_gram_bound(case: Entry, result: int) -> bool:
        return case.row != "shift schedule" or result == TABLE["Gram bound"][case.d]

    return {
        "first at L = 17 for d = 4 by any network": late,
        "d = 3 never": never_at_three,
        "as soon as the Gram bound allows": at_the_gram_bound,
    }
