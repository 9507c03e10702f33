"""Counting: multiset coefficients, partitions, dimensions of Schur functors. Exact integers throughout."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache


def multiset(n: int, k: int) -> int:
    """Number of multisets of size `k` from `n` kinds, ``binom(n + k - 1, k)``; 0 for negative `k`.

    It is the number of monomials of degree `k` in `n` variables.

    >>> multiset(3, 2)
    6
    >>> multiset(0, 0), multiset(0, 1)
    (1, 0)
    """
    if k < 0:
        return 0
    if n == 0:
        return int(k == 0)
    return math.comb(n + k - 1, k)


def multiset_run(n: int, most: int) -> list[int]:
    """``[multiset(n, 0), ..., multiset(n, most)]``, each from the one before it."""
    run = [1]
    for k in range(most):
        run.append(run[-1] * (n + k) // (k + 1))
    return run


def partitions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Partitions of `total` into at most `parts` positive parts, each falling, largest first.

    >>> list(partitions(3, 2))
    [(3,), (2, 1)]
    """
    yield from _partitions(total, parts, total)


def _partitions(total: int, parts: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
        return
    if parts == 0:
        return
    for first in range(min(total, largest), 0, -1):
        if first * parts < total:
            return
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def long_partitions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Partitions of `total` into MORE than `parts` positive parts (few when `parts` is near `total`)."""
    for length in range(parts + 1, total + 1):
        for shape in partitions(total - length, length):
            yield tuple(part + 1 for part in shape) + (1,) * (length - len(shape))


@cache
def partition_count(total: int, parts: int) -> int:
    """Number of partitions of `total` into at most `parts` parts; 0 for negative `total`."""
    if total < 0:
        return 0
    counts = [1] + [0] * total
    for part in range(1, min(parts, total) + 1):
        for value in range(part, total + 1):
            counts[value] += counts[value - part]
    return counts[total]


def schur_dimension(shape: tuple[int, ...], d: int) -> int:
    """Dimension of the Schur functor of `shape` on a `d`-dimensional space (Weyl); 0 with more than `d` rows.

    >>> schur_dimension((2,), 3), schur_dimension((1, 1), 3), schur_dimension((2, 1), 3)
    (6, 3, 8)
    """
    rows = len(shape)
    if rows > d:
        return 0
    top = bottom = 1
    for i, part in enumerate(shape):
        for j in range(i + 1, rows):
            top *= part - shape[j] + j - i
            bottom *= j - i
        # The factors against the d - rows empty rows make one binomial coefficient.
        top *= math.comb(part + d - 1 - i, d - rows)
        bottom *= math.comb(d - 1 - i, d - rows)
    return top // bottom


def shapes_with_one_odd_part(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The partitions got from ``2 * shape`` by one more box: exactly those have a single odd part.

    >>> list(shapes_with_one_odd_part((2, 2)))
    [(5, 4), (4, 4, 1)]
    """
    doubled = tuple(2 * part for part in shape)
    for row in range(len(doubled)):
        if row == 0 or doubled[row - 1] > doubled[row]:
            yield (*doubled[:row], doubled[row] + 1, *doubled[row + 1 :])
    yield (*doubled, 1)
