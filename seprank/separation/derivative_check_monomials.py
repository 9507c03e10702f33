"""Monomials as packed whole numbers, their numbering, and the classes that they fall into."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import comb


class Monomials:
    """Monomials of degree at most C in some variables, each with a key; those of f_q have the key ``components[q]``.

    The exponent of variable v stands in bits ``v * bits, ..., (v + 1) * bits - 1``, so a product is a sum. Keys add up
    over products, by exclusive or for signs. Number n of the monomials of degree c has running sums ``b_v`` of its
    exponents with ``n = sum_v binom(v + b_v, v + 1)``, v from 0 to the last variable but one.

    >>> monomials = Monomials(4, keys=[2, 0, -2], components=[0, 2])
    >>> [monomials.exponents(monomials.numbered(n, 2)[0]) for n in range(6)]
    [[0, 0, 2], [0, 1, 1], [1, 0, 1], [0, 2, 0], [1, 1, 0], [2, 0, 0]]
    >>> [monomials.numbered(n, 2)[1] for n in range(6)]
    [-4, -2, 0, 0, 2, 4]
    """

    def __init__(self, C: int, keys: Sequence[int], components: Sequence[int], signs: bool = False) -> None:
        self.bits, self.signs, self.keys, self.components = C.bit_length(), signs, keys, components
        self._steps = [[comb(v + b, v + 1) for b in range(C + 1)] for v in range(len(keys) - 1)]

    def numbered(self, number: int, degree: int) -> tuple[int, int]:
        """The monomial of that number among those of the degree, and its key."""
        packed, key, above = 0, 0, degree
        for v in range(len(self.keys) - 1, -1, -1):
            below = 0
            if v:
                below = bisect_right(self._steps[v - 1], number) - 1
                number -= self._steps[v - 1][below]
            exponent, above = above - below, below
            if exponent:
                packed |= exponent << v * self.bits
                if not self.signs:
                    key += exponent * self.keys[v]
                elif exponent & 1:
                    key ^= self.keys[v]
        return packed, key

    def partner(self, q: int, key: int) -> int:
        """The key of the operators with which a monomial of this key makes one of f_q."""
        return self.components[q] ^ key if self.signs else self.components[q] - key

    def exponents(self, packed: int) -> list[int]:
        """The exponents of a packed monomial."""
        mask = (1 << self.bits) - 1
        return [packed >> v * self.bits & mask for v in range(len(self.keys))]
