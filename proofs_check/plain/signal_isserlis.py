"""Moments of Gaussian tokens by Isserlis' theorem, every pairing written out, in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

Entry = tuple[int, int]  # token, coordinate


@cache
def pairings(k: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All ways to pair 0..k-1."""

    def walk(left: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        if not left:
            yield ()
            return
        first, *others = left
        for other in others:
            rest = tuple(x for x in others if x != other)
            yield from (((first, other), *tail) for tail in walk(rest))

    return tuple(walk(tuple(range(k))))


def moment(entries: tuple[Entry, ...], rho: Fraction) -> Fraction:
    """E of the product of these entries of X, sigma = 1."""

    def covariance(a: Entry, b: Entry) -> Fraction:
        if a[1] != b[1]:
            return Fraction(0)
        return Fraction(1) if a[0] == b[0] else rho

    total = Fraction(0)
    for pairing in pairings(len(entries)):
        term = Fraction(1)
        for a, b in pairing:
            term *= covariance(entries[a], entries[b])
            if not term:
                break
        total += term
    return total


def scatter_moments(n: int, d: int, rho: Fraction) -> tuple[Fraction, Fraction]:
    """E ||B||_F^2 and E [||X||_F^2 ||B||_F^2] for sigma = 1, B_ij = sum_ab P_ab X_ai X_bj with P = I - J/n."""
    P = [[(a == b) - Fraction(1, n) for b in range(n)] for a in range(n)]
    tokens, columns = range(n), range(d)
    fourth = sixth = Fraction(0)
    for a, b, c, e in product(tokens, repeat=4):
        factor = P[a][b] * P[c][e]
        if not factor:
            continue
        for i, j in product(columns, repeat=2):
            four = ((a, i), (b, j), (c, i), (e, j))
            fourth += factor * moment(four, rho)
            sixth += factor * sum(moment((*four, (k, m), (k, m)), rho) for k, m in product(tokens, columns))
    return fourth, sixth
