"""A network of depth L/delta needs a width factor double-exponential in L.   Source: levine2020depth, Corollary 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.plain.logs import intervals
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.cor1",
    title="Below the threshold, a network shallower by a factor needs a width factor double-exponential in the depth",
    statement=r"If depth $L/\delta$ and width $w\,d_x$ realise almost every network of depth $L$ and width $d_x>3^L$, "
    r"then "
    r"$\frac{3^{L/\delta}-1}2\log_3(w d_x+H)\ge3^{L-2}(\log_3(d_x-H)+a)$. The least $w$ obeys "
    r"$w d_x+H\ge\bigl(\tfrac94\bigr)^{(2/9)\,3^{L-L/\delta}}$ for $H\le d_x/2$.",
    source="levine2020depth, Corollary 1",
    scope="least whole w for L = 2, 4, ..., 12 at delta = 2 and L = 3, 6, 9 at delta = 3; dx = 3^L + 1, and 2 3^L, 10 "
    "3^L "
    "for L < 12; H = 1, 2 and dx/2",
    expected=Verdict.HOLDS,
    note="The displayed inequality of the paper was not at hand; this form is derived from Theorem 1. It uses the "
    "upper bound "
    "of eq. 18, which is true; with the Gram bound w dx + 1 would stand for w dx + H. For dx = 3^L + 1, H = 1, delta "
    "= 2 "
    "the least w is 1, 1, 17, 1.2 10^8, 4.4 10^30, 1.7 10^100 at L = 2, 4, 6, 8, 10, 12.",
)


class Pair(NamedTuple):
    """Depth and width of the deep network, heads, and how many times shallower the other one is."""

    L: int
    dx: int
    H: int
    delta: int

    @property
    def C(self) -> int:
        """Gram factors of the shallow network."""
        return (3 ** (self.L // self.delta) - 1) // 2


def cases(level: str) -> Iterable[Pair]:
    """Depths that delta divides, widths from the least on; even widths for H = 2 and dx/2."""
    full = level == "full"
    depths = [(L, 2) for L in range(2, 13 if full else 9, 2)] + [(L, 3) for L in range(3, 10 if full else 7, 3)]
    for L, delta in depths:
        widths = (3**L + 1, 2 * 3**L, 10 * 3**L) if full and L < 12 else (3**L + 1,)
        yield from (Pair(L, dx, H, delta) for dx in widths for H in (1, 2, dx // 2) if dx % H == 0)


def whole_numbers(case: Pair) -> int:
    """Least w by bisection on (w dx + H)^C >= ((dx - H)/2k)^k, k = 3^(L-2), in whole numbers."""
    k = 3 ** max(case.L - 2, 0)
    target = Fraction(case.dx - case.H, 2 * k) ** k
    least = -(-target.numerator // target.denominator)  # (w dx + H)^C is whole
    low, high = 0, 1
    while (high * case.dx + case.H) ** case.C < least:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if (middle * case.dx + case.H) ** case.C >= least else (middle, high)
    return high


def solved(case: Pair) -> int | None:
    """w = (3^E - H)/dx with E = 3^(L-2) (log3(dx - H) + a)/C, rounded up, in intervals of 500 digits."""
    from proofs_check.plain.logs import interval_floor

    ctx, (L, dx, H, _) = intervals(500), case
    log3 = ctx.log(3)
    bracket = ctx.log(dx - H) / log3 + (-L + 2 - ctx.log(2) / log3)
    width = ctx.exp(log3 * ctx.mpf(3) ** (L - 2) * bracket / case.C)
    below = interval_floor((width - H) / dx)
    return None if below is None else max(1, below + 1)


def closed_forms(case: Pair) -> int | None:
    """Bisection on the library's two sides of Theorem 1, for w below 10^30: its logarithms have 50 digits."""
    from seprank.attention.architecture import Architecture
    from seprank.closed_forms.paper import theorem1_lower, theorem1_upper

    deep = theorem1_lower(Architecture(case.L, case.dx, case.H)).log3

    def enough(w: int) -> bool:
        shallow = Architecture(case.L // case.delta, w * case.dx, case.H)
        return bool(theorem1_upper(shallow).log3 >= deep)

    high = 1
    while not enough(high):
        high *= 2
        if high > 10**30:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def roads() -> Mapping[str, Road]:
    """Three ways to the least width factor."""
    return {"whole numbers": whole_numbers, "inequality solved for w": solved, "closed forms": closed_forms}


def holds(case: Pair, result: int) -> bool:
    """Double-exponential in L - L/delta, in whole numbers: raised to the power 9 3^(L/delta)."""
    width = result * case.dx + case.H
    return width ** (9 * 3 ** (case.L // case.delta)) * 4 ** (2 * 3**case.L) >= 9 ** (2 * 3**case.L)


def mutants() -> Mapping[str, Claim]:
    """Slower growth."""
    return {
        "w at most 3^L, single-exponential": lambda case, result: result <= 3**case.L,
        "w at most dx^2, polynomial": lambda case, result: result <= case.dx**2,
        "any width factor will do": lambda case, result: result == 1,
    }
