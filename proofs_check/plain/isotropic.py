"""The isotropic correction from its definition: words, subsets of positions, points on quadrics, powers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from proofs_check.plain.field_rank import array_rank

Link = tuple[int, bool]  # number of the link, and whether it is transposed


def multiset(n: int, k: int) -> int:
    """Monomials of degree k in n >= 1 variables."""
    return comb(n + k - 1, k) if k >= 0 else 0


def word(L: int) -> list[Link]:
    """The links of P_L = P_{L-1} B_1 G B_1^T P_{L-1}^T B_L P_{L-1}, in order, with P_1 = G."""
    found: list[Link] = []
    for l in range(2, L + 1):
        mirrored = [(link, not transposed) for link, transposed in reversed(found)]
        found = [*found, (1, False), (1, True), *mirrored, (l, False), *found]
    return found


def degree_by_subsets(L: int, links: frozenset[int], row: bool) -> int:
    """Largest set of positions without neighbours joined by a link of the set (and without the first, if `row`)."""
    joined = [link in links for link, _ in word(L)]
    C, best = len(joined) + 1, 0
    for chosen in range(2**C):
        if row and chosen & 1:
            continue
        if any(joined[i] and chosen >> i & 3 == 3 for i in range(C - 1)):
            continue
        best = max(best, chosen.bit_count())
    return best


@cache
def degree_by_doubling(L: int, links: frozenset[int], row: bool) -> int:
    """The same for any depth: 2 x 2 tables (first position used, last position used) -> most positions."""
    table: dict[tuple[int, int], int] = {(0, 0): 0, (1, 1): 1}
    single = dict(table)

    def joined(left: Any, link: int, right: Any) -> Any:
        found: dict[tuple[int, int], int] = {}
        for (a, b), m in left.items():
            for (c, e), n in right.items():
                if not (b and c and link in links):
                    found[a, e] = max(found.get((a, e), -1), m + n)
        return found

    for l in range(2, L + 1):
        mirrored = {(b, a): m for (a, b), m in table.items()}
        gamma = joined(joined(joined(table, 1, single), 1, mirrored), l, table)
        table = gamma
    return max(m for (a, _), m in table.items() if not (row and a))


def complete_intersection(coordinates: int, quadrics: int, degree: int) -> int:
    """Coefficient of z^degree in (1 - z^2)^quadrics / (1 - z)^coordinates, by multiplying out."""
    series = [int(k == 0) for k in range(degree + 1)]
    for _ in range(coordinates):
        for k in range(1, degree + 1):
            series[k] += series[k - 1]
    for _ in range(quadrics):
        series = [value - (series[k - 2] if k >= 2 else 0) for k, value in enumerate(series)]
    return series[degree]


def power_rank(coordinates: int, quadrics: int, degree: int, prime: int = 65537, seed: int = 0) -> int:
    """Dimension of the span of u^degree at points u of random diagonal quadrics with rational points, over F_p.

    Squares of coordinates lie in a linear space; where all of them are squares, all signs give points.
    """
    points = isotropic_points(coordinates, quadrics, comb(coordinates - 1 + degree, degree) + 20, prime, seed)
    exponents = np.array([[part.count(i) for i in range(coordinates)] for part in _sorted_lists(coordinates, degree)])
    powers = np.ones((degree + 1, *points.shape), np.int64)
    for e in range(1, degree + 1):
        powers[e] = powers[e - 1] * points % prime
    values = np.ones((len(points), len(exponents)), np.int64)
    for i in range(coordinates):
        values = values * powers[exponents[:, i], :, i].T % prime
    return array_rank(values, prime)


def _sorted_lists(n: int, degree: int) -> Iterator[tuple[int, ...]]:
    for gaps in combinations(range(n + degree - 1), degree):
        yield tuple(place - t for t, place in enumerate(gaps))


def isotropic_points(coordinates: int, quadrics: int, count: int, prime: int, seed: int) -> Any:
    """At least `count` points as rows, all signs of each up to scale; fewer where there are only finitely many."""
    draw = np.random.default_rng(seed)
    root = {x * x % prime: x for x in range(1, prime // 2 + 1)}
    free = coordinates - quadrics
    basis = draw.integers(1, prime, (free, coordinates)) ** 2 % prime
    found: list[Any] = []
    signs = np.array(
        [[1, *((1 if n >> i & 1 else -1) for i in range(coordinates - 1))] for n in range(2 ** (coordinates - 1))]
    )
    while len(found) < count:
        squares = (draw.integers(0, prime, free) @ basis % prime).tolist() if free > 1 else basis[0].tolist()
        if all(square in root for square in squares):
            found.extend(signs * np.array([root[square] for square in squares]) % prime)
        if free == 1:
            break
    return np.array(found)


def loss(L: int, d: int, k: int) -> int:
    """Most independent k-th powers of u u^T that block k is proved to kill."""
    best = 0
    for size in range(1, min(L, d - 1) + 1):
        for chosen in combinations(range(1, L + 1), size):
            for row in (False, True):
                if size <= d - row - 1 and k > degree_by_doubling(L, frozenset(chosen), row):
                    best = max(best, complete_intersection(d - row, size, 2 * k))
    return best


def block_bounds(L: int, d: int) -> list[int]:
    """Gram bound of every block, less the isotropic loss."""
    s, C = d * (d + 1) // 2, (3**L - 1) // 2
    return [min(multiset(s, k) - loss(L, d, k), d * multiset(s, C - k)) for k in range(C + 1)]
