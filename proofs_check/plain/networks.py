"""Explicit networks of eq. 3 as arrays of whole numbers: powers of an inner product, products, diagonals, quadrics.

Every builder returns query, key, value of shape (L, H, da, dx) and output of shape (L, H, dx, da): data that each road
may read. Coordinates, heads and layers count from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Schedule = Callable[[int, int], tuple[int, int]]  # layer from 1, head from 0 -> the pair (a, b)


class Heads(NamedTuple):
    """The four matrices of every head of every layer."""

    query: Array
    key: Array
    value: Array
    output: Array

    def set(self, layer: int, head: int, row: int, *, query: int, key: int, value: int, output: int) -> None:
        """Row `row` of the head reads one coordinate each; its output writes to one."""
        self.query[layer, head, row, query] = self.key[layer, head, row, key] = 1
        self.value[layer, head, row, value] = self.output[layer, head, output, row] = 1


def no_heads(L: int, dx: int, H: int, da: int) -> Heads:
    """All matrices zero."""
    query, key, value = np.zeros((3, L, H, da, dx), np.int64)
    return Heads(query, key, value, np.zeros((L, H, dx, da), np.int64))


# --- powers of an inner product: a token of A is (v, 0, 1), one of B is (0, w, 1), further ones are (0, 0, 1) ---------


def inner_product_power(L: int, dx: int, H: int, da: int, pairs: int, with_one: bool, N: int, prime: int) -> Heads:
    """Entry 0 of the output is a multiple of ``(<v, w> + with_one) ** 3**(L-2)``, for L >= 2.

    `pairs` is the length of v and w; coordinates 0..pairs-1 hold v, the next ones w, then comes the constant. Needs
    ``2 pairs + 1 <= min(dx, H da)``.
    """
    heads, one = no_heads(L, dx, H, da), 2 * pairs
    _average(heads, [one], N, prime)
    products = [(r, pairs + r) for r in range(pairs)] + ([(one, one)] if with_one else [])
    for number, (a, b) in enumerate(products):
        head, row = divmod(number, da)
        heads.query[1, head, row, a] = heads.key[1, head, row, b] = 1
        heads.value[1, head, 0, one] = heads.output[1, head, 0, 0] = 1
    for layer in range(2, L):
        heads.set(layer, 0, 0, query=0, key=0, value=0, output=0)
    return heads


def own_constants(dx: int, H: int, N: int, prime: int) -> Heads:
    """B.2's first two layers: segment h is (a_h, b_h, 1), and head h writes <a_h, b_h> to its own constant."""
    da = dx // H
    heads, half = no_heads(2, dx, H, da), (da - 1) // 2
    _average(heads, [h * da + da - 1 for h in range(H)], N, prime)
    for h in range(H):
        for r in range(half):
            heads.query[1, h, r, h * da + r] = heads.key[1, h, r, h * da + half + r] = 1
        heads.value[1, h, 0, h * da + da - 1] = heads.output[1, h, h * da + da - 1, 0] = 1
    return heads


def _average(heads: Heads, constants: Sequence[int], N: int, prime: int) -> None:
    """Layer 0: every position becomes the sum of the tokens, up to the last constant; constants stay 1."""
    _, H, da, dx = heads.query.shape
    heads.query[0, :, 0, constants[0]] = heads.key[0, :, 0, constants[0]] = 1
    for coordinate in range(min(dx, H * da, max(constants) + 1)):
        head, row = divmod(coordinate, da)
        heads.value[0, head, row, coordinate] = pow(N, -1, prime) if coordinate in constants else 1
        heads.output[0, head, coordinate, row] = 1


# --- one coordinate a head ------------------------------------------------------------------------------------------


def product_network(values: Array, keys: Array) -> Heads:
    """``y_p = x_p prod_l (v_l^T G k_l) ** 3**(L-l)`` for `values` and `keys` of shape (L, d); H = d."""
    L, d = values.shape
    heads = no_heads(L, d, d, 1)
    for h in range(d):
        heads.value[:, h, 0], heads.key[:, h, 0] = values, keys
        heads.query[:, h, 0, h] = heads.output[:, h, h, 0] = 1
    return heads


def diagonal_network(L: int, d: int, H: int, schedule: Schedule) -> Heads:
    """Head h of layer l multiplies coordinate h by G[a, b] with (a, b) = schedule(l, h); H <= d heads of size 1."""
    heads = no_heads(L, d, H, 1)
    for layer in range(L):
        for h in range(H):
            a, b = schedule(layer + 1, h)
            heads.set(layer, h, 0, query=h, key=b, value=a, output=h)
    return heads


# --- the quadric ----------------------------------------------------------------------------------------------------


class Quadric(NamedTuple):
    """The quadric network: width, heads, m coordinates of U per head, J mixing layers, depth after it, involution."""

    d: int
    H: int
    m: int
    J: int
    extra: int  # layers after the scalar is read: its power is 3**extra
    swapped: bool = True  # whether the mixing layers exchange the coordinates of a pair

    @property
    def da(self) -> int:
        """Head size."""
        return self.d // self.H

    @property
    def shifts(self) -> int:
        """Layers that add up all pairs."""
        return (self.H * self.m // 2 - 1).bit_length()

    @property
    def L(self) -> int:
        """Depth."""
        return self.J + self.shifts + 1 + self.extra

    @property
    def U(self) -> list[int]:
        """Coordinates of U, head by head; neighbours 2i, 2i + 1 in this list are a pair."""
        return [h * self.da + i for h in range(self.H) for i in range(self.m)]

    @property
    def V(self) -> list[int]:
        """The other coordinates, head by head."""
        return [h * self.da + i for h in range(self.H) for i in range(self.m, self.da)]


def quadric_network(sizes: Quadric, read_key: int = 1) -> Heads:
    """The network that reads ``G[0, read_key]`` after mixing; coordinates 0 and 1 are a pair."""
    heads = no_heads(sizes.L, sizes.d, sizes.H, sizes.da)
    U, V, m, rest = sizes.U, sizes.V, sizes.m, sizes.da - sizes.m
    partner = {c: U[i ^ 1] if sizes.swapped else c for i, c in enumerate(U)} | {c: c for c in V}
    for layer in range(sizes.J):
        for h in range(sizes.H):
            other = (h + layer + 1) % sizes.H
            for row, c in enumerate(U[h * m : (h + 1) * m] + V[other * rest : (other + 1) * rest]):
                heads.set(layer, h, row, query=partner[c], key=c, value=c, output=c)
    for step in range(sizes.shifts):
        for i, c in enumerate(U):
            source = U[(i - 2 * 2**step) % len(U)]
            heads.set(sizes.J + step, i // m, i % m, query=source, key=c, value=c, output=c)
    read = sizes.J + sizes.shifts
    heads.set(read, 0, 0, query=0, key=read_key, value=0, output=0)
    for layer in range(read + 1, sizes.L):
        heads.set(layer, 0, 0, query=0, key=0, value=0, output=0)
    return heads


def gram_tokens(upper: Sequence[Sequence[int]], sizes: Quadric, iota: int) -> list[list[int]]:
    """Tokens whose Gram matrix has the entries ``upper[u][v]`` between U and V and no others; iota**2 = -1."""
    tokens = []
    for u, row in zip(sizes.U, upper, strict=True):
        if any(row):
            unit = [int(c == u) for c in range(sizes.d)]
            wide = [row[sizes.V.index(c)] if c in sizes.V else 0 for c in range(sizes.d)]
            tokens += [[a + b for a, b in zip(unit, wide, strict=True)]]
            tokens += [[iota * a for a in unit], [iota * b for b in wide]]
    return tokens
