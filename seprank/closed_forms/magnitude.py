"""Numbers too large to write out: an exact form where it is affordable, and log3 with many right digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import mpmath

PRINTED_DIGITS = 60  # integers are printed up to this many digits
EXACT_DIGITS = 4000  # and compared as integers up to this many
HUGE = 10**40  # beyond, log-gamma is its Stirling series
GUARD_DIGITS = 50  # digits kept beyond the size of the largest number that enters a logarithm

Real = Any  # an mpmath number; mpmath has no type annotations


def context(largest: int = 1, digits: int = GUARD_DIGITS) -> Any:
    """An mpmath context (not the global one, so threads cannot disturb it) for arguments up to `largest`.

    A difference of log-gamma values cancels about as many digits as its argument has; `digits` remain.
    """
    ctx = mpmath.MPContext()
    ctx.dps = digits + int(largest.bit_length() * math.log10(2)) + 1
    return ctx


def log3(ctx: Any, number: Any) -> Real:
    """log to base 3 of a positive integer, fraction or mpmath number."""
    if isinstance(number, Fraction):
        return (ctx.log(number.numerator) - ctx.log(number.denominator)) / ctx.log(3)
    return ctx.log(number) / ctx.log(3)


def log3_multiset(n: int, k: int, digits: int = GUARD_DIGITS) -> Real:
    """log3 of ``binom(n + k - 1, k)`` for whole `n` >= 1, `k` >= 0 of any size."""
    small, large = sorted((n - 1, k))
    if large < HUGE or small > HUGE:
        # The terms cancel about as many digits as their arguments have.
        ctx = context(n + k, digits)
        value = ctx.loggamma(n + k) - ctx.loggamma(k + 1) - ctx.loggamma(n)
        return value / ctx.log(3)
    # Stirling's series for log-gamma(large + small + 1) - log-gamma(large + 1); its 1/z terms are below 1e-40.
    ctx = context(1, digits)
    ratio = ctx.log1p(ctx.mpf(small) / (large + 1))
    growth = small * ctx.log(large + 1) + (large + small + ctx.mpf(1) / 2) * ratio - small
    return (growth - ctx.loggamma(small + 1)) / ctx.log(3)


def log3_powers_plus_one(low: int, high: int) -> Real:
    """Sum of log3(3**j + 1) for j = `low`..`high` (0 <= low), without forming long powers."""
    ctx = context(high)
    whole = ctx.mpf((low + high) * (high - low + 1)) / 2
    near = range(low, min(high, 200) + 1)  # 3**-200 is below the precision
    return whole + ctx.fsum(ctx.log1p(ctx.mpf(3) ** -j) for j in near) / ctx.log(3)


def log3_sum(ctx: Any, logs: list[Real]) -> Real:
    """log3 of a sum, from the log3 of its terms."""
    top = max(logs)
    return top + log3(ctx, ctx.fsum(ctx.power(3, value - top) for value in logs))


@dataclass(frozen=True)
class Magnitude:
    """A positive real number x given by log3(x) and, where affordable, exactly.

    `log3` has at least 30 right significant digits. `exact` returns a pair (base, root) with
    ``x = base ** (1 / root)``, base a `Fraction`; None for a transcendental number or where the fraction
    would be too long, and then `precise` returns log3(x) with a wanted number of digits.
    """

    log3: Real
    exact: Callable[[], tuple[Fraction, int]] | None = field(default=None, compare=False)
    precise: Callable[[int], Real] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, number: int | Fraction) -> Magnitude:
        """An integer or a fraction that is at hand."""
        value = Fraction(number)
        largest = max(value.numerator, value.denominator)
        ctx = context(largest.bit_length())
        return cls(log3(ctx, value), exact=lambda: (value, 1))

    @cached_property
    def digits(self) -> Real:
        """Number of decimal digits of the whole part, roughly."""
        return self.log3 * math.log10(3)

    @cached_property
    def pair(self) -> tuple[Fraction, int] | None:
        """(base, root) when exact and not too long, else None."""
        if self.exact is None or abs(self.digits) > EXACT_DIGITS:
            return None
        return self.exact()

    def whole(self, kind: str) -> int | None:
        """The integer that a bound of this `kind` implies: rounded up for "lower", down for "upper".

        None when it has more than `PRINTED_DIGITS` digits or when its rounding cannot be decided.
        """
        if self.digits > PRINTED_DIGITS + 1:
            return None
        if self.digits < -1:
            return 1 if kind == "lower" else 0
        number = self._rounded(kind)
        return number if number is not None and number < 10**PRINTED_DIGITS else None

    def _rounded(self, kind: str) -> int | None:
        if self.pair is None:
            return self._rounded_by_logarithm(kind)
        base, root = self.pair
        floor = integer_root(base.numerator // base.denominator, root)
        if kind == "upper":
            return floor
        return floor if Fraction(floor) ** root == base else floor + 1

    def _rounded_by_logarithm(self, kind: str) -> int | None:
        if self.precise is None:
            return None
        ctx = mpmath.MPContext()
        ctx.dps = PRINTED_DIGITS + 60
        value = ctx.power(3, self.precise(ctx.dps))
        floor = int(ctx.floor(value))
        if min(value - floor, floor + 1 - value) < ctx.mpf(10) ** -40:
            return None  # perhaps a whole number: the logarithm cannot tell
        return floor if kind == "upper" else floor + 1

    def compare(self, other: Magnitude) -> int | None:
        """-1, 0 or 1 as self is less than, equal to or greater than `other`; None when too close to tell."""
        gap = self.log3 - other.log3
        margin = (abs(self.log3) + abs(other.log3) + 1) * 1e-30
        if abs(gap) > margin:
            return -1 if gap < 0 else 1
        mine, theirs = self.pair, other.pair
        if mine is None or theirs is None:
            return None
        root = math.lcm(mine[1], theirs[1])
        left, right = mine[0] ** (root // mine[1]), theirs[0] ** (root // theirs[1])
        return (left > right) - (left < right)


def integer_root(number: int, root: int) -> int:
    """Largest integer r with ``r ** root <= number``, for `number` >= 0.

    >>> integer_root(80, 4), integer_root(81, 4)
    (2, 3)
    """
    if root == 1 or number < 2:
        return number
    low, high = 1, 1 << (number.bit_length() // root + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**root <= number:
            low = middle
        else:
            high = middle - 1
    return low
