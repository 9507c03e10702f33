"""Theorem 1's lower form lies below log3 of the multiset coefficient.   Source: levine2020depth, appendix B.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from proofs_check.plain.logs import floor_log3, interval_floor, intervals, real_floor
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.b2.log1",
    title="The lower form of Theorem 1 follows from B.2 at every L >= 2, with no loss at L = 2",
    statement=r"$3^{L-2}\bigl(\log_3(d_x-H)+a\bigr)\le\log_3\left(\!\binom{(d_x-H)/2}{3^{L-2}}\!\right)$ with "
    r"$a=-L+2-\log_32$, for every $L\ge2$ in either regime; equality at $L=2$. It reads $(n/k)^k\le\left(\!\binom "
    r"nk\!\right)$, "
    r"$n=(d_x-H)/2$, $k=3^{L-2}$.",
    source="levine2020depth, appendix B.2 (end) and Theorem 1",
    scope="L = 2..6, dx - H = 2, 4, ..., 40 and 100, 486, 2000, both regimes; slack rounded down to hundredths, its "
    "sign exact",
    expected=Verdict.HOLDS,
    note="Proved for all sizes: each factor (n + j)/(j + 1), j < k, is at least n/k.",
)


class Sizes(NamedTuple):
    """A depth and n = (dx - H)/2."""

    L: int
    n: int

    @property
    def k(self) -> int:
        """The exponent 3^(L-2)."""
        return 3 ** (self.L - 2)

    @property
    def multiset(self) -> int:
        """multiset(n, k)."""
        return comb(self.n + self.k - 1, self.k)


def cases(level: str) -> Iterable[Sizes]:
    """Bases below, at and above the exponent at each depth."""
    full = level == "full"
    bases = (*range(1, 21), 50, 243, 1000) if full else (1, 2, 3, 9, 10, 100)
    return [Sizes(L, n) for L in range(2, 7 if full else 6) for n in bases]


def exact_integers(case: Sizes) -> tuple[int, int]:
    """Sign of the slack and the slack in hundredths, from the ratio of both sides as a fraction."""
    ratio = case.multiset / Fraction(case.n, case.k) ** case.k
    return (ratio > 1) - (ratio < 1), floor_log3(ratio, 100)


def as_printed(case: Sizes) -> tuple[int, int] | None:
    """The printed formula at H = 1, in intervals; no answer where both sides agree."""
    ctx, L, d, H = intervals(), case.L, 2 * case.n + 1, 1
    log3 = ctx.log(3)
    a = -L + (2 - ctx.log(2) / log3)
    form = ctx.mpf(3) ** (L - 2) * (ctx.log(d - H) / log3 + a)
    slack = ctx.log(ctx.mpf(case.multiset)) / log3 - form
    rounded = interval_floor(100 * slack)
    return None if rounded is None else (1 if slack.a > 0 else -1, rounded)


def library(case: Sizes) -> tuple[int, int]:
    """The library's magnitudes, at H = 2; 50 digits, a slack below 1e-40 counts as none."""
    from seprank.attention.architecture import Architecture
    from seprank.closed_forms.paper import b2_base, multiset_power, theorem1_lower

    sizes = Architecture(case.L, 2 * case.n + 2, 2)
    bound, form = multiset_power(b2_base(sizes) or 0, case.L), theorem1_lower(sizes)
    slack = bound.log3 - form.log3
    rounded = 0 if abs(slack) < 1e-40 else real_floor(100 * slack)
    sign = bound.compare(form)
    return (2 if sign is None else sign), rounded


def roads() -> Mapping[str, Road]:
    """Three ways to the slack."""
    return {"exact integers": exact_integers, "printed formula in intervals": as_printed, "closed forms": library}


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """No loss at L = 2; at most a gain elsewhere."""
    return result == (0, 0) if case.L == 2 else result[0] >= 0 and result[1] >= 0


def mutants() -> Mapping[str, Claim]:
    """Another constant, and more slack than there is."""

    def constant_without_log(case: Sizes, result: tuple[int, int]) -> bool:
        return case.multiset >= Fraction(2 * case.n, case.k) ** case.k

    return {
        "a = -L + 2": constant_without_log,
        "strict at L = 2, too": lambda case, result: result[0] > 0,
        "no loss at any depth": lambda case, result: result[0] == 0,
    }
