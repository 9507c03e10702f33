"""Rounded logarithms to base 3 that are certain: by exact integers, or by interval arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

DIGITS = 80  # working digits of the interval context


def floor_log3(number: int | Fraction, times: int = 1) -> int:
    """The whole part of ``times * log3(number)``, for a positive rational number, by exact integers."""
    value = Fraction(number) ** times
    top, bottom = value.numerator, value.denominator
    power = int((top.bit_length() - bottom.bit_length()) * log(2) / log(3))
    while not _reaches(top, bottom, power):
        power -= 1
    while _reaches(top, bottom, power + 1):
        power += 1
    return power


def _reaches(top: int, bottom: int, power: int) -> bool:
    """Whether ``top / bottom >= 3**power``."""
    return top >= bottom * 3**power if power >= 0 else top * 3**-power >= bottom


def intervals(digits: int = DIGITS) -> Any:
    """A context of interval arithmetic of its own, so that no other code can change its precision."""
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.dps = digits
    return context


def interval_floor(value: Any) -> int | None:
    """The whole part of an interval, or None when its ends do not decide it."""
    from mpmath.libmp import round_floor, to_int

    low, high = (int(to_int(end, round_floor)) for end in value._mpi_)  # mpf() would round the ends to 53 bits
    return low if low == high else None


def real_floor(value: Any, margin: float = 1e-30) -> int:
    """The whole part of an mpmath number of any precision; within `margin` below an integer, that integer."""
    from mpmath.libmp import round_floor, to_int

    return int(to_int((value + margin)._mpf_, round_floor))
