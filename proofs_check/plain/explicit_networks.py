"""Weights of the diagonal and product networks, and the monomial a diagonal network computes, layer by layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod

import numpy as np

Schedule = Callable[[int, int], tuple[int, int]]  # layer from 1, head from 0 -> the entry of G it reads
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Exponents = Counter[tuple[int, int]]


def shifts(m: int) -> Schedule:
    """Head h of layer l reads (h, h + l - 1)."""
    return lambda layer, head: (head, (head + layer - 1) % m)


def some_rows(m: int, rows: int) -> Schedule:
    """Head h of layer l reads (l - 1, h + l - 1), of the first rows only."""
    return lambda layer, head: ((layer - 1) % rows, (head + layer - 1) % m)


def monomial(L: int, m: int, schedule: Schedule) -> Exponents:
    """The exponents of G_ab in y / x_0, carried forward from the first layer to the last.

    After some layers G is D G D with a diagonal matrix D of monomials; layer l multiplies entry h of D by the
    entry of D G D that head h reads.
    """
    scale: list[Exponents] = [Counter() for _ in range(m)]
    for layer in range(1, L + 1):
        grown = []
        for head in range(m):
            a, b = schedule(layer, head)
            factor = scale[head] + scale[a] + scale[b]
            factor[min(a, b), max(a, b)] += 1
            grown.append(factor)
        scale = grown
    return scale[0]


def monomial_rank(exponents: Exponents) -> int:
    """Separation rank of a monomial in entries that are free on both sides."""
    return prod(exponent + 1 for exponent in exponents.values())


def product_rank(L: int, forms: int) -> int:
    """Separation rank of the product network with t = min(L, forms) independent forms, the last one repeated."""
    exponents = [3 ** (L - layer) for layer in range(1, L + 1)]
    t = min(L, forms)
    return prod(e + 1 for e in [*exponents[: t - 1], sum(exponents[t - 1 :])])


def diagonal_weights(L: int, d: int, schedule: Schedule, heads: int | None = None) -> Arrays:
    """Query, key, value, output of the diagonal network on the first `heads` coordinates, heads of size 1."""
    m = d if heads is None else heads
    query = np.zeros((L, m, 1, d), np.int64)
    key, value, output = query.copy(), query.copy(), np.zeros((L, m, d, 1), np.int64)
    for layer in range(L):
        for head in range(m):
            a, b = schedule(layer + 1, head)
            query[layer, head, 0, head] = output[layer, head, head, 0] = 1
            value[layer, head, 0, a] = key[layer, head, 0, b] = 1
    return query, key, value, output


def product_weights(values: np.ndarray, keys: np.ndarray) -> Arrays:
    """Query, key, value, output of the product network whose forms are v_l^T G k_l; both arrays are (L, d)."""
    L, d = values.shape
    query = np.broadcast_to(np.eye(d, dtype=np.int64)[None, :, None, :], (L, d, 1, d)).copy()
    output = np.swapaxes(query, 2, 3).copy()
    key = np.broadcast_to(keys[:, None, None, :], (L, d, 1, d)).copy()
    value = np.broadcast_to(values[:, None, None, :], (L, d, 1, d)).copy()
    return query, key, value, output
