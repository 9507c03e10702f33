"""Tokens whose entries are random functions of two sides, each of separation rank K, and a layer over them."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.field.draw import residues


def tokens_of_rank(N: int, dx: int, K: int, points: int, prime: int) -> NDArray[np.int64]:
    """Entries sum_r g_r(a) g'_r(b) with random values of g and g': shape (points, points, N, dx)."""
    left, right = (residues(0, name, (N, dx, K, points), prime) for name in ("g", "h"))
    total = np.zeros((N, dx, points, points), np.int64)
    for r in range(K):
        total = (total + left[:, :, r, :, None] * right[:, :, r, None, :]) % prime
    return np.moveaxis(total, (2, 3), (0, 1)).copy()


def products_in_order(N: int, dx: int) -> set[tuple[Any, ...]]:
    """The products u^1_a u^j_b u^j_c of a layer at position 1, with b from the key and c from the value."""
    return {(a, j, b, c) for j in range(N) for a, b, c in product(range(dx), repeat=3)}


def separable_products(N: int, dx: int, K: int) -> int:
    """How many products of three functions g the layer can contain, factors in any order.

    Every entry u^j_b is a sum of K products g g'; the three functions g are one of position 1 and two of a
    position j, the same as those of the functions g' beside them.
    """
    own = [(0, number) for number in range(dx * K)]
    found = set()
    for j in range(N):
        pairs = combinations_with_replacement([(j, number) for number in range(dx * K)], 2)
        found |= {tuple(sorted((one, *two))) for one, two in product(own, list(pairs))}
    return len(found)
