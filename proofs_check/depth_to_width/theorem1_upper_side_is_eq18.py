"""Theorem 1's upper side is the logarithm of eq. 18.   Source: levine2020depth, Theorem 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.depth_to_width._ranks import SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.printed_bounds import gaps, long_gram
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="D2W.thm1.upper",
    title="Theorem 1, upper bound: log3 sep is at most (3^L - 1)/2 log3(dx + H), as eq. 18 says",
    statement=r"For $L<\log_3d_x$ and all weights $\log_3\mathrm{sep}(y^i_p)\le\frac{3^L-1}2\log_3(d_x+H)$, the "
    r"logarithm of $(H(d_a+1))^{C(L)}$ at $H d_a=d_x$.",
    source="levine2020depth, Theorem 1 (upper side)",
    scope="equal to eq. 18 and not below the Gram bound: L <= 4, every H dividing dx, dx from 3^L + 1 to 3^L + 12 and "
    "4 3^L; ranks measured at L = 1, dx <= 9, and L = 2, dx = 10, one token a side",
    expected=Verdict.HOLDS,
    note="True for every L, since eq. 18 is. The condition L < log3 dx only says where the paper uses it.",
)


class Sizes(NamedTuple):
    """Sizes; `rank` says whether the rank is measured or the bound computed."""

    L: int
    dx: int
    H: int
    rank: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """Bounds past the threshold, then ranks."""
    for L in (1, 2, 3, 4) if level == "full" else (1, 2):
        for dx in (*range(3**L + 1, 3**L + 13), 4 * 3**L):
            yield from (Sizes(L, dx, H) for H in range(1, dx + 1) if dx % H == 0)
    for dx in range(4, 10):
        yield from (Sizes(1, dx, H, True) for H in range(1, dx + 1) if dx % H == 0)
    if level == "full":
        yield from (Sizes(2, 10, H, True) for H in (1, 10))


def library(case: Sizes) -> int:
    """The library's Theorem 1, or rank."""
    from seprank.closed_forms.paper import theorem1_upper

    arch = Architecture(case.L, case.dx, case.H)
    if case.rank:
        return library_rank(weights_of_kind("random", arch), 1, 1, gram_bound(case.L, case.dx, 1, 1) + SPARE)
    exact = theorem1_upper(arch).exact
    return -1 if exact is None else int(exact()[0])


def plain(case: Sizes) -> int:
    """Eq. 18 in integers, or the rank by eq. 3."""
    if case.rank:
        weights = weights_of_kind("random", Architecture(case.L, case.dx, case.H))
        return attention_rank(weights, 1, 1, gram_bound(case.L, case.dx, 1, 1) + SPARE)
    return int((case.H * (case.dx // case.H + 1)) ** gaps(case.L))


def roads() -> Mapping[str, Road]:
    """Bounds and ranks, twice."""
    return {"library": library, "eq. 18 in integers, or eq. 3 and flint": plain}


def holds(case: Sizes, result: int) -> bool:
    """The power itself, above the Gram bound; ranks below."""
    power = (case.dx + case.H) ** ((3**case.L - 1) // 2)
    return result <= power if case.rank else result == power >= long_gram(case.dx, gaps(case.L))


def mutants() -> Mapping[str, Claim]:
    """Other bases and exponents."""

    def without_heads(case: Sizes, result: int) -> bool:
        return result <= case.dx ** gaps(case.L)

    def lower_exponent(case: Sizes, result: int) -> bool:
        return result <= (case.dx + case.H) ** 3 ** max(case.L - 2, 0) or (case.rank and case.L == 1)

    return {"dx in place of dx + H": without_heads, "exponent 3^(L-2), as in the lower side": lower_exponent}
