"""The first depths at which networks exceed Theorem 2.   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.explicit_networks import monomial, monomial_rank, product_rank, shifts
from proofs_check.plain.printed_bounds import E_HIGH, E_LOW, gaps, long_gram, theorem2
from proofs_check.plain.schur import side_A, side_B
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

MOST = 70
TABLE = {
    "shift schedule": dict(zip(range(4, 17), (32, 13, 10, *[9] * 10), strict=True)),
    "product network": dict(zip(range(4, 17), (58, 31, 29, 31, 35, 39, 43, 47, 51, 55, 59, 63, 66), strict=True)),
}

STATEMENT = Statement(
    id="NEW.thm2-false",
    title="First depths past Theorem 2 for H = dx: none for dx <= 3, L = 32 at dx = 4 with four tokens a side, then "
    "9 to 13",
    statement=r"First $L>\log_3d$ with a rank above $3^{(2d+1)L}d(8e)^dd^{-2d}$ for $d=H=4..16$: "
    r"shift schedule 32, 13, 10, 9, ..., 9; product network 58, 31, 29, 31, ..., 66. For $d\le3$, and for $d=4$ with "
    "three tokens on a side, the Gram bound is below it at every depth.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="every entry of the table, exact integers with e between two rationals that differ by less than 10^-47, all "
    "smaller depths excluded; d <= 3: Gram bound up to L = 70; d = 4 with 3 tokens: the two sums up to degree 12, "
    "their closed bounds up to L = 70",
    expected=Verdict.HOLDS,
    note="A result is the first depth, 0 for none up to L = 70. Proved in docs/theory.md: at d <= 3 the Gram bound "
    "is at most 3^(sL), s <= 2d, and d (8e)^d / d^(2d) > 1; at d = 4 with 3 tokens the growth is 9 L, as that of the "
    "printed bound.",
)


class Entry(NamedTuple):
    """A row and a width; "Gram bound" for d <= 3; "three tokens, A" and "B" with a degree for d = 4."""

    row: str
    d: int
    degree: int = 0


def cases(level: str) -> Iterable[Entry]:
    """The whole table; its narrow columns at the quick level."""
    yield from (Entry("Gram bound", d) for d in (1, 2, 3))
    yield from (Entry(f"three tokens, {side}", 4, k) for side in "AB" for k in range(13 if level == "full" else 7))
    yield from (Entry(row, d) for row, columns in TABLE.items() for d in columns if level == "full" or d < 7)


def library(case: Entry) -> int:
    """The library's bounds and logarithms (50 digits); its dimensions for three tokens."""
    from seprank.closed_forms import explicit, gram, paper

    if case.degree or case.row.startswith("three"):
        dimension = gram.side_A_dimension if case.row[-1] == "A" else gram.side_B_dimension
        return sum(dimension(4, 3, k) for k in range(case.degree + 1))
    for L in range(1, MOST + 1):
        if 3**L <= case.d:
            continue
        arch = Architecture(L, case.d, case.d)
        if case.row == "Gram bound":
            value = gram.long_gram_bound(case.d, arch.C)
        elif case.row == "product network":
            value = explicit.product_bound(arch, None)
        else:
            value = explicit.diagonal_rank(explicit.diagonal_exponents(L, case.d, explicit.shift_schedule(case.d)))
        order = value.compare(paper.theorem2_upper(arch))
        if order is None:
            raise ArithmeticError("too close to tell")
        if order > 0:
            return L
    return 0


def plain(case: Entry) -> int:
    """Integers, and e between two rationals; hook lengths for three tokens."""
    if case.row.startswith("three"):
        dimension = side_A if case.row[-1] == "A" else side_B
        return sum(dimension(4, 3, k) for k in range(case.degree + 1))
    ranks = {
        "shift schedule": lambda L: monomial_rank(monomial(L, case.d, shifts(case.d))),
        "product network": lambda L: product_rank(L, case.d * (case.d + 1) // 2),
        "Gram bound": lambda L: long_gram(case.d, gaps(L)),
    }
    for L in range(1, MOST + 1):
        rank = ranks[case.row](L)
        above, below = (rank > theorem2(case.d, L, e) for e in (E_HIGH, E_LOW))
        if above != below:
            raise ArithmeticError("too close to tell")
        if above and 3**L > case.d:
            return L
    return 0


def roads() -> Mapping[str, Road]:
    """The first depth, twice; 0: not up to L = 70."""
    return {"library": library, "forward recursion, rationals around e": plain}


def holds(case: Entry, result: int) -> bool:
    """The table, no depth for d <= 3; for three tokens the bounds by 9 and 8 more factors, below Theorem 2."""
    if not case.row.startswith("three"):
        return result == TABLE.get(case.row, {}).get(case.d, 0)
    k = case.degree
    small = 16 * comb(9 + k, 9) if case.row[-1] == "A" else 4 * comb(9 + k, 9)
    low = all(1 + 16 * comb(9 + gaps(L), 9) <= theorem2(4, L, E_LOW) for L in range(2, MOST + 1))
    return result <= small and low


def mutants() -> Mapping[str, Claim]:
    """No violation at small widths; earlier ones."""

    def none_below_five(case: Entry, result: int) -> bool:
        return case.d > 4 or case.row.startswith("three") or result == 0

    def with_eq19(case: Entry, result: int) -> bool:
        return case.row != "shift schedule" or result <= 8

    return {"none for d <= 4": none_below_five, "as early as eq. 19 (L <= 8)": with_eq19}
