"""Theorem 2's lower form lies at least 3 below log3 of the multiset.   Source: levine2020depth, appendix B.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from proofs_check.plain.logs import floor_log3, interval_floor, intervals, real_floor
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.b2.log2",
    title="The lower form of Theorem 2 follows from B.2 at every L >= 2, with a slack of at least 3",
    statement=r"$\tfrac12d_xL+b_1+b_2+3\le\log_3\left(\!\binom{(d_x-H)/2}{3^{L-2}}\!\right)$ with $b_1=-L(\tfrac "
    r"H2+1)$, "
    r"$b_2=-d_x(1+\tfrac12\log_3\tfrac{d_x-H}2)$, for every $L\ge2$ in either regime; equality at $d_x=3$, $H=1$.",
    source="levine2020depth, appendix B.2 (end) and Theorem 2",
    scope="L = 2..6, H = 1, 2, 3, 7 and n = (dx - H)/2 up to 200, both regimes; slack rounded down to hundredths, "
    "its comparison with 3 exact",
    expected=Verdict.HOLDS,
    note="Proved for all sizes: with n = (dx - H)/2, k = 3^(L-2) the form is log3 (k/n)^(n-1) less "
    "H + 2 + (H/2 + 1) log3 n, and multiset(n, k) >= (k/n)^(n-1). Theorem 2 thus gives a factor 27 away.",
)


class Sizes(NamedTuple):
    """A depth, a number of heads and n = (dx - H)/2. H need not divide dx: the inequality does not ask for it."""

    L: int
    H: int
    n: int

    @property
    def dx(self) -> int:
        """The width."""
        return 2 * self.n + self.H

    @property
    def multiset(self) -> int:
        """multiset(n, 3^(L-2))."""
        return comb(self.n + 3 ** (self.L - 2) - 1, self.n - 1)


def cases(level: str) -> Iterable[Sizes]:
    """Bases below, at and above the exponent at each depth, several heads."""
    full = level == "full"
    bases = (*range(1, 14), 27, 28, 81, 200) if full else (1, 2, 3, 9, 10, 28)
    heads = (1, 2, 3, 7) if full else (1, 2, 7)
    return [Sizes(L, H, n) for L in range(2, 7 if full else 6) for H in heads for n in bases]


def exact_integers(case: Sizes) -> tuple[int, int]:
    """Sign of (slack - 3) and the slack in hundredths, from twice the slack as log3 of a fraction."""
    L, H, n = case
    power = case.dx * L - L * (H + 2) - 2 * case.dx
    twice = case.multiset**2 * Fraction(n) ** case.dx / Fraction(3) ** power
    return (twice > 729) - (twice < 729), floor_log3(twice, 50)


def as_printed(case: Sizes) -> tuple[int, int] | None:
    """The printed formula in intervals; no answer where the slack is 3, or whole hundredths."""
    ctx, (L, H, _), d = intervals(), case, case.dx
    log3, half = ctx.log(3), ctx.mpf(1) / 2
    b1 = -L * (H * half + 1)
    b2 = -d * (1 + half * ctx.log(ctx.mpf(d - H) / 2) / log3)
    slack = ctx.log(ctx.mpf(case.multiset)) / log3 - (half * d * L + b1 + b2)
    rounded = interval_floor(100 * slack)
    return None if rounded is None or 3 in slack else (1 if slack.a > 3 else -1, rounded)


def library(case: Sizes) -> tuple[int, int]:
    """The library's magnitudes, which read dx and H only; 50 digits, |slack - 3| below 1e-40 counts as equality."""
    from seprank.attention.architecture import Architecture
    from seprank.closed_forms.paper import b2_base, multiset_power, theorem2_lower

    sizes = Architecture(case.L, case.dx, case.H, da=1)
    slack = multiset_power(b2_base(sizes) or 0, case.L).log3 - theorem2_lower(sizes).log3
    if abs(slack - 3) < 1e-40:
        return 0, 300
    return (1 if slack > 3 else -1), real_floor(100 * slack)


def roads() -> Mapping[str, Road]:
    """Three ways to the slack."""
    return {"exact integers": exact_integers, "printed formula in intervals": as_printed, "closed forms": library}


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """Slack at least 3, and 3 exactly at (dx, H) = (3, 1)."""
    return result[0] == 0 if (case.dx, case.H) == (3, 1) else result[0] > 0


def mutants() -> Mapping[str, Claim]:
    """A correction left out, and more slack than there is. Half integers are kept whole by doubling."""

    def without_b1(case: Sizes, result: tuple[int, int]) -> bool:
        return result[1] + 1 > 50 * case.L * (case.H + 2)

    def without_log_in_b2(case: Sizes, result: tuple[int, int]) -> bool:
        return result[1] + 1 > 50 * case.dx * floor_log3(case.n)

    return {
        "b_1 = 0": without_b1,
        "b_2 = -dx": without_log_in_b2,
        "slack above 3 always": lambda case, result: result[0] > 0,
    }
