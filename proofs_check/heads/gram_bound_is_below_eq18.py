"""The Gram bound never exceeds (dx + 1)^C, hence never eq. 18.   Source: docs/theory.md, Gram bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.gram-vs-18",
    title="The Gram bound is at most (dx + 1)^C, hence at most eq. 18",
    statement=r"$\sum_k\min(D_B(k),D_A(C-k))\le(d+1)^{C}\le(d+H)^{C}$ for every $L$, $H$ and $N$.",
    source="docs/theory.md, Gram bound",
    scope="long input, dx < 60, L <= 6",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md; the check is by exact integers.",
)


class Sizes(NamedTuple):
    """A depth and a width."""

    L: int
    dx: int


def cases(level: str) -> Iterable[Sizes]:
    """All widths below 60 at L <= 6; a few widths at the quick level."""
    widths = range(1, 60) if level == "full" else (1, 2, 3, 5, 8, 16, 59)
    return [Sizes(L, dx) for L in range(1, 7 if level == "full" else 6) for dx in widths]


def closed_sum(case: Sizes) -> int:
    """The library's closed sum of the long-input Gram bound."""
    from seprank.closed_forms.gram import long_gram_bound

    pair = long_gram_bound(case.dx, Architecture(case.L, case.dx).C).pair
    return -1 if pair is None else int(pair[0])


def term_by_term(case: Sizes) -> int:
    """The sum of the minima, from binomial coefficients."""
    s, C = case.dx * (case.dx + 1) // 2, (3**case.L - 1) // 2
    return sum(min(comb(s + k - 1, k), case.dx * comb(s + C - k - 1, C - k)) for k in range(C + 1))


def roads() -> Mapping[str, Road]:
    """Two ways to the Gram bound."""
    return {"closed sum at the switch": closed_sum, "term by term": term_by_term}


def holds(case: Sizes, result: int) -> bool:
    """The claim, in exact integers."""
    return result <= (case.dx + 1) ** ((3**case.L - 1) // 2)


def mutants() -> Mapping[str, Claim]:
    """Variants that are too strong."""

    def without_the_one(case: Sizes, result: int) -> bool:
        return result <= case.dx ** ((3**case.L - 1) // 2)

    def one_factor_less(case: Sizes, result: int) -> bool:
        return result <= (case.dx + 1) ** ((3**case.L - 1) // 2 - 1)

    return {"dx^C in place of (dx + 1)^C": without_the_one, "C - 1 factors": one_factor_less}
