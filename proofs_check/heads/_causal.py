"""Ranks under a causal mask for a partition written as a pattern such as "AABB", by two roads that share no code.

The output is read at the last position. Block k is the part of degree 2k in the tokens of the side that does not
hold the last position; one road gets it from explicit tokens, the other from prefix Gram matrices.
"""

from __future__ import annotations

from typing import Any

import flint
import numpy as np

from proofs_check.plain.masked import masked_network
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights, random_weights
from seprank.separation.assignments import Residues, draw_assignments

PRIME = 2147483629


def network_weights(L: int, dx: int, H: int) -> Weights:
    """Random whole numbers below 1009."""
    return random_weights(Architecture(L, dx, H), 1009, 0)


def points(pattern: str, dx: int, seed: int, count: int) -> tuple[Residues, Residues]:
    """Random tokens of the side of the last position, and of the other side."""
    own = pattern.count(pattern[-1])
    return draw_assignments(Partition(own, len(pattern) - own), dx, PRIME, seed, count)


def prefix_blocks(L: int, dx: int, H: int, pattern: str, count: int) -> tuple[int, ...]:
    """Block ranks from prefix Gram matrices, with the library's interpolation and elimination."""
    from seprank.separation.blocks import block_ranks

    network = masked_network(tuple(network_weights(L, dx, H)), pattern, PRIME)
    found = block_ranks(network, *points(pattern, dx, 0, count), [count] * ((3**L + 1) // 2), PRIME)
    return tuple(block.rank for block in found if block)


def attention_blocks(L: int, dx: int, H: int, pattern: str, count: int) -> tuple[int, ...]:
    """Block ranks from eq. 3 with masked scores at other points; interpolation and rank by python-flint."""
    own, other = points(pattern, dx, 1, count)
    arrays = tuple(network_weights(L, dx, H))
    C = (3**L - 1) // 2
    values = [_masked_attention(arrays, pattern, own, other * t % PRIME) for t in range(C + 1)]
    nodes = flint.nmod_mat([[pow(t, 2 * k, PRIME) for k in range(C + 1)] for t in range(C + 1)], PRIME)
    found = []
    for row in nodes.inv().tolist():
        block = np.zeros((count, count), np.int64)
        for factor, matrix in zip(row, values, strict=True):
            block = (block + int(factor) * matrix) % PRIME
        found.append(int(flint.nmod_mat(count, count, block.ravel().tolist(), PRIME).rank()))
    return tuple(found)


def _masked_attention(arrays: Any, pattern: str, own: Residues, other: Residues) -> Residues:
    """Entry 0 at the last position for all pairs: scores of all pairs of positions, those of later ones dropped."""
    sides = {pattern[-1]: iter(np.moveaxis(own[:, None], 2, 0))}
    sides |= {name: iter(np.moveaxis(other[None], 2, 0)) for name in pattern if name != pattern[-1]}
    shape = (len(own), len(other), own.shape[2])
    x = np.stack([np.broadcast_to(next(sides[name]), shape) for name in pattern], axis=2)
    seen = np.tril(np.ones((len(pattern), len(pattern)), np.int64))
    for layer in zip(*arrays, strict=True):
        y: Any = 0
        for query, key, value, output in zip(*layer, strict=True):
            scores = _product(_product(x, query.T), np.swapaxes(_product(x, key.T), -1, -2)) * seen
            y = (y + _product(_product(scores, _product(x, value.T)), output.T)) % PRIME
        x = y
    return x[:, :, -1, 0]


def _product(a: Residues, b: Residues) -> Residues:
    """Matrix products over the last two axes; residues below 2**31, reduced after every step."""
    total = a[..., :, 0, None] * b[..., None, 0, :] % PRIME
    for k in range(1, a.shape[-1]):
        total = (total + a[..., :, k, None] * b[..., None, k, :]) % PRIME
    return total
