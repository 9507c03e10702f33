"""Past L = 2H + 5 log2 d the logarithm of the rank is between d^2 L/16 and d(d+1)L/2.   Source: docs/theory.md, "
"Saturated growth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.bounds import doubling, quadric, quadric_sizes
from proofs_check.plain.logs import floor_log3
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.main",
    title="For L >= 2H + 5 log2 d the logarithm of the rank is between d^2 L/16 and d(d+1)L/2",
    statement=r"$\tfrac1{16}d^2L\le\log_3\mathrm{sep}$ for $L\ge2H+5\log_2d$ and "
    r"$\log_3\mathrm{sep}\le\tfrac{d(d+1)}2L$ for all "
    r"$L$; $H\mid d$, $N_A,N_B\ge d$, almost all weights.",
    source="docs/theory.md, Saturated growth",
    scope="the closed bounds (quadric for da >= 3, diagonal networks for da <= 2; Gram bound) for every d <= 64, "
    "every H "
    "dividing d, at the least depth L0 = ceil(2H + 5 log2 d), for d <= 16 also at L0 + 1 and 2 L0; and at L = ceil(2 "
    "log3 d) for d >= "
    "16, where "
    "the lower side does not follow",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md from the quadric and the diagonal networks, which have checkers of "
    "their "
    "own. Whether L = O(log d) is enough when H grows with d is open.",
)


class Sizes(NamedTuple):
    """Width, heads, depth, and whether the depth is in the range of the lower side."""

    d: int
    H: int
    L: int
    deep: bool


def cases(level: str) -> Iterable[Sizes]:
    """All widths and heads, from the least depth on; then depths near the paper's threshold."""
    full = level == "full"
    for d in range(1, 65) if full else (1, 2, 3, 6, 16, 24):
        for H in (h for h in range(1, d + 1) if d % h == 0):
            least = next(L for L in range(2 * H, 2 * H + 40) if 2 ** (L - 2 * H) >= d**5 and L >= 1)
            yield from (Sizes(d, H, L, True) for L in ((least, least + 1, 2 * least) if full and d < 17 else (least,)))
    for d in (16, 24, 27, 32, 48, 64) if full else (24, 64):
        shallow = next(L for L in range(1, 20) if 3**L >= d * d)
        yield from (Sizes(d, H, shallow, False) for H in range(1, d + 1) if d % H == 0)


def lower(case: Sizes) -> int:
    """The lower bound: with the choices of the proof where the depth allows it, else the best choice."""
    d, H, L, deep = case
    da = d // H
    best = 1
    if da >= 3:
        near_half = max(2, 2 * ((da + 2) // 4))
        choices = [(near_half, H)] if deep else [(m, J) for m in range(2, da, 2) for J in range(1, H + 1)]
        found = filter(None, (quadric_sizes(H, da, m, J, L) for m, J in choices))
        best = max((quadric(r, K) for r, K in found), default=1)
    if da <= 2 or not deep:
        half = (H + 1) // 2
        best = max(best, *(doubling(H, J, L) for J in ([half] if deep else range(1, half + 1))))
    return best


def whole_numbers(case: Sizes) -> tuple[bool, bool]:
    """Both sides in whole numbers; the upper one by binom(s + C, s)."""
    d, _, L, _ = case
    s, C = d * (d + 1) // 2, (3**L - 1) // 2
    return 16 * floor_log3(lower(case)) >= d * d * L, comb(s + C, s) <= 3 ** (s * L)


def closed_forms(case: Sizes) -> tuple[bool, bool]:
    """The library's bounds: the better of quadric and diagonal network, and the Gram bound, in logarithms."""
    from seprank.closed_forms.explicit import diagonal_closed_form, quadric_bound, thin_heads
    from seprank.closed_forms.gram import gram_bound

    arch = Architecture(case.L, case.d, case.H)
    wide = quadric_bound(arch, None)
    found = max(diagonal_closed_form(arch.L, thin_heads(arch)).log3, 0 if wide is None else wide.log3)
    upper = gram_bound(arch, None).magnitude.log3
    return bool(16 * found > arch.dx**2 * arch.L * (1 + 1e-30)), bool(upper <= arch.s * arch.L * (1 + 1e-30))


def roads() -> Mapping[str, Road]:
    """Whether the bounds give the lower and the upper side."""
    return {"whole numbers": whole_numbers, "closed forms, logarithms": closed_forms}


def holds(case: Sizes, result: tuple[bool, bool]) -> bool:
    """Both sides in the range of the theorem, the upper side everywhere; not the lower one near the threshold."""
    return result == (case.deep, True)


def mutants() -> Mapping[str, Claim]:
    """Growth linear in the width; the lower side at once; a sharper constant."""

    def linear_in_the_width(case: Sizes, result: tuple[bool, bool]) -> bool:
        return not case.deep or floor_log3(lower(case)) <= 2 * case.d * case.L

    def quarter(case: Sizes, result: tuple[bool, bool]) -> bool:
        return not case.deep or 4 * floor_log3(lower(case)) >= case.d**2 * case.L

    return {
        "Theta(d L): log3 of the rank at most 2 d L": linear_in_the_width,
        "the lower side from L = 2 log3 d on, for every H, by these bounds": lambda case, result: result[0],
        "lower constant 1/4 by these bounds": quarter,
    }
