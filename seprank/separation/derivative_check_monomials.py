"""Monomials in the entries of a symmetric matrix as packed whole numbers, their numbering, and their classes."""

from __future__ import annotations

from bisect import bisect_right
from math import comb


class Monomials:
    """Monomials of degree at most C in the variables G_ij, i <= j, row by row.

    The exponent of variable v stands in bits ``v * bits, ..., (v + 1) * bits - 1``, so a product is a sum. `keys` gives
    a number to every coordinate; G_ij has ``keys[i] + keys[j]`` and a monomial the sum of those of its factors, or
    the exclusive or for signs. Number n of the monomials of degree c has running sums ``b_v`` of its exponents with
    ``n = sum_v binom(v + b_v, v + 1)``, v from 0 to s - 2.

    >>> monomials = Monomials(2, 4, (1, -1), signs=False)
    >>> [monomials.exponents(monomials.numbered(n, 2)[0]) for n in range(6)]
    [[0, 0, 2], [0, 1, 1], [1, 0, 1], [0, 2, 0], [1, 1, 0], [2, 0, 0]]
    >>> [monomials.numbered(n, 2)[1] for n in range(6)]
    [-4, -2, 0, 0, 2, 4]
    """

    def __init__(self, d: int, C: int, keys: tuple[int, ...], signs: bool) -> None:
        self.bits, self.signs, self.keys = C.bit_length(), signs, keys
        pairs = [(i, j) for i in range(d) for j in range(i, d)]
        self.count = len(pairs)
        self.place = {pair: v for v, pair in enumerate(pairs)} | {(j, i): v for v, (i, j) in enumerate(pairs)}
        self._weights = [self.product(keys[i], keys[j]) for i, j in pairs]
        self._steps = [[comb(v + b, v + 1) for b in range(C + 1)] for v in range(len(pairs) - 1)]

    def product(self, a: int, b: int) -> int:
        """The class of a product."""
        return a ^ b if self.signs else a + b

    def component(self, q: int) -> int:
        """The class of all monomials of f_q: ``keys[0] - keys[q]``."""
        return self.product(self.keys[0], self.keys[q] if self.signs else -self.keys[q])

    def numbered(self, number: int, degree: int) -> tuple[int, int]:
        """The monomial of that number among those of the degree, and its class."""
        packed, weight, above = 0, 0, degree
        for v in range(self.count - 1, -1, -1):
            below = 0
            if v:
                below = bisect_right(self._steps[v - 1], number) - 1
                number -= self._steps[v - 1][below]
            exponent, above = above - below, below
            if exponent:
                packed |= exponent << v * self.bits
                if not self.signs:
                    weight += exponent * self._weights[v]
                elif exponent & 1:
                    weight ^= self._weights[v]
        return packed, weight

    def exponents(self, packed: int) -> list[int]:
        """The exponents of a packed monomial."""
        mask = (1 << self.bits) - 1
        return [packed >> v * self.bits & mask for v in range(self.count)]
