"""The bounds as the paper prints them, and what its proofs give in other letters.

Source: levine2020depth (labels of the appendix for eq. 18, eq. 19, B.2 and the skip-connection theorems).
Whether a printed bound holds for the case at hand is decided in `report`, not here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from seprank.attention.architecture import Architecture
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.magnitude import Magnitude, Real, context, log3, log3_multiset

MOST_PART_DIGITS = 40_000  # digits of the numerators that an exact form may need


def eq18(arch: Architecture) -> Magnitude:
    """``(H (da + 1))**C``, that is ``(dx + H)**C`` when ``H da = dx`` (eq. 18)."""
    base, C = arch.H * (arch.da + 1), arch.C
    ctx = context()
    return Magnitude(C * log3(ctx, base), exact=lambda: (Fraction(base**C), 1))


def eq19(d: int, C: int, times: int = 1) -> Magnitude:
    """`times` times ``dx multiset(dx, 2C) (2C/dx + 1)**dx`` (eq. 19)."""

    def logarithm(ctx: mpmath.MPContext) -> Real:
        power = d * (log3(ctx, 2 * C + d) - log3(ctx, d))
        return log3(ctx, times * d) + log3_multiset(d, 2 * C, ctx.dps) + power

    def exact() -> tuple[Fraction, int]:
        return Fraction(times * d * multiset(d, 2 * C) * (2 * C + d) ** d, d**d), 1

    return _magnitude(logarithm, d, exact if d * len(str(d)) < MOST_PART_DIGITS else None)


def theorem1_lower(arch: Architecture) -> Magnitude:
    """log3 is ``3**(L-2) (log3(dx - H) - L + 2 - log3 2)``; needs H < dx."""
    gap, L = arch.dx - arch.H, arch.L

    def logarithm(ctx: mpmath.MPContext) -> Real:
        bracket = log3(ctx, gap) - L + 2 - log3(ctx, 2)
        return ctx.mpf(3) ** (L - 2) * bracket

    def exact() -> tuple[Fraction, int]:
        if L == 1:
            return Fraction(3 * gap, 2), 3
        return Fraction(gap, 2 * 3 ** (L - 2)) ** (3 ** (L - 2)), 1

    short = 3 ** max(L - 2, 0) * (L + len(str(gap))) < MOST_PART_DIGITS
    return _magnitude(logarithm, arch.dx, exact if short else None)


def theorem1_upper(arch: Architecture) -> Magnitude:
    """``(dx + H)**C``."""
    base, C = arch.dx + arch.H, arch.C
    ctx = context()
    return Magnitude(C * log3(ctx, base), exact=lambda: (Fraction(base**C), 1))


def theorem2_lower(arch: Architecture) -> Magnitude:
    """log3 is ``dx L/2 - L (H/2 + 1) - dx (1 + log3((dx - H)/2) / 2)``; needs H < dx."""
    d, H, L = arch.dx, arch.H, arch.L
    power = d * L - L * (H + 2) - 2 * d  # twice the exponent of 3

    def logarithm(ctx: mpmath.MPContext) -> Real:
        return (ctx.mpf(power) - d * log3(ctx, Fraction(d - H, 2))) / 2

    def exact() -> tuple[Fraction, int]:
        return Fraction(3) ** power * Fraction(2, d - H) ** d, 2

    short = max(abs(power), d * len(str(d))) < MOST_PART_DIGITS
    return _magnitude(logarithm, d * L, exact if short else None)


def theorem2_upper(arch: Architecture) -> Magnitude:
    """log3 is ``2 dx L + L - 2 dx log3(dx / (2 sqrt(2e))) + log3 dx``."""
    d, L = arch.dx, arch.L

    def logarithm(ctx: mpmath.MPContext) -> Real:
        c2 = -2 * d * log3(ctx, d / (2 * ctx.sqrt(2 * ctx.e))) + log3(ctx, d)
        return 2 * d * L + L + c2

    return _magnitude(logarithm, d * L, None)


def b2_base(arch: Architecture) -> int | None:
    """``(dx - H) / 2`` where it is a positive whole number, else None."""
    gap = arch.dx - arch.H
    return gap // 2 if gap > 0 and gap % 2 == 0 else None


def all_heads_base(arch: Architecture) -> int:
    """``floor((dx + 1) / 2)``; with a narrow inner width, H da in place of dx."""
    return (min(arch.dx, arch.H * arch.da) + 1) // 2


def multiset_power(base: int, L: int) -> Magnitude:
    """``multiset(base, 3**(L-2))`` for L >= 2 (B.2)."""
    k = 3 ** (L - 2)
    return Magnitude(log3_multiset(base, k), exact=lambda: (Fraction(multiset(base, k)), 1))


def theorem5(arch: Architecture, N: int) -> Magnitude:
    """``L l_L``, ``l_L = (N dx**4 / H)**C prod_{l=2..L} l**(3**(L-l+1))`` (skip connections)."""
    base, L, C = Fraction(N * arch.dx**4, arch.H), arch.L, arch.C
    ctx = context()
    size = log3(ctx, L) + C * log3(ctx, base)
    size += ctx.fsum(3 ** (L - layer + 1) * log3(ctx, layer) for layer in range(2, L + 1))

    def exact() -> tuple[Fraction, int]:
        value = L * base**C
        for layer in range(2, L + 1):
            value *= layer**3 ** (L - layer + 1)
        return value, 1

    return Magnitude(size, exact=exact)


def theorem6(arch: Architecture) -> Magnitude:
    """``(C + 1)`` times eq. 19 (skip connections)."""
    return eq19(arch.dx, arch.C, times=arch.C + 1)


def _magnitude(
    logarithm: Callable[[mpmath.MPContext], Real],
    largest: int,
    exact: Callable[[], tuple[Fraction, int]] | None,
) -> Magnitude:
    """A magnitude from its logarithm in a given context; numbers up to `largest` enter it."""

    def precise(digits: int) -> Real:
        return logarithm(context(largest, digits))

    return Magnitude(logarithm(context(largest)), exact=exact, precise=precise)
