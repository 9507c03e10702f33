"""The network under a causal mask by prefix Gram matrices: position i sees the positions up to i only.

Layer by layer, ``x^i -> M(G_i) x^i`` with ``G_i = sum_{j <= i} x^j x^jT``. The output is read at the last position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Residues = NDArray[np.int64]


def masked_network(arrays: Any, pattern: str, prime: int) -> Callable[[Residues, Residues], Residues]:
    """Entry 0 at the last position, as a function of the tokens of the two sides, for all pairs.

    `pattern` writes the side of every position, such as "AABB"; the first argument of the result holds the
    tokens of the side of the last position, shape (R, number of them, dx), in their order. `prime` < 2**31.
    """
    own = [i for i, side in enumerate(pattern) if side == pattern[-1]]
    other = [i for i, side in enumerate(pattern) if side != pattern[-1]]
    layers = list(zip(*(array % prime for array in arrays), strict=True))

    def values(tokens_own: Residues, tokens_other: Residues) -> Residues:
        x = np.empty((len(tokens_own), len(tokens_other), len(pattern), tokens_own.shape[2]), np.int64)
        x[:, :, own] = tokens_own[:, None]
        x[:, :, other] = tokens_other[None]
        for layer in layers:
            x = _layer(layer, x, prime)
        return x[:, :, -1, 0]

    return values


def _layer(layer: Any, x: Residues, prime: int) -> Residues:
    squares = x[..., :, None] * x[..., None, :] % prime
    prefix: Residues = np.cumsum(squares, axis=2) % prime
    y = np.zeros_like(x)
    for query, key, value, output in zip(*layer, strict=True):
        vector = _times(key.T, _times(query, x, prime), prime)
        mixed = np.zeros_like(x)
        for a in range(x.shape[-1]):
            mixed = (mixed + prefix[..., :, a] * vector[..., a, None]) % prime
        y = (y + _times(output, _times(value, mixed, prime), prime)) % prime
    return y


def _times(matrix: Residues, x: Residues, prime: int) -> Residues:
    """The matrix applied to every vector of `x`."""
    total = np.zeros((*x.shape[:-1], matrix.shape[0]), np.int64)
    for a in range(matrix.shape[1]):
        total = (total + x[..., a, None] * matrix[:, a]) % prime
    return total
