"""The paper's upper bounds and what replaces them, as exact integers and fractions, from binomial coefficients."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

E_LOW = sum((Fraction(1, factorial(j)) for j in range(40)), start=Fraction(0))
E_HIGH = E_LOW + Fraction(1, 39 * factorial(39))  # the rest of the series is smaller


def gaps(L: int) -> int:
    """C(L), by its recursion."""
    C = 0
    for _ in range(L):
        C = 3 * C + 1
    return C


def choices(n: int, k: int) -> int:
    """The multiset coefficient for n >= 1."""
    return comb(n + k - 1, k) if k >= 0 else 0


def eq19(d: int, C: int) -> Fraction:
    """d ((d, 2C)) (2C/d + 1)^d."""
    return d * choices(d, 2 * C) * (Fraction(2 * C, d) + 1) ** d


def theorem2(d: int, L: int, e: Fraction = E_LOW) -> Fraction:
    """3 to the upper side of Theorem 2, 3^((2d+1)L) d (8e)^d / d^(2d), with a rational number for e."""
    return 3 ** ((2 * d + 1) * L) * d * (8 * e) ** d / d ** (2 * d)


def long_gram(d: int, C: int) -> int:
    """The Gram bound of long input, as two binomial coefficients at the switch found by halving."""
    s = d * (d + 1) // 2
    low, high = 0, C
    while low < high:
        m = (low + high + 1) // 2
        if choices(s, m) <= d * choices(s, C - m):
            low = m
        else:
            high = m - 1
    return comb(s + low, low) + d * (comb(s + C - low - 1, s) if low < C else 0)
