"""Eq. 3 on explicit tokens for every pair of assignments at once, in numpy, and the rank of the matrix by flint."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs_check.plain.ranks import rank

Residues = NDArray[np.int64]
PAIRS_AT_ONCE = 20_000


def values_at_pairs(arrays: Any, side_A: Any, side_B: Any, prime: int, residual: bool = False) -> Residues:
    """Entry 0 at the first token of A, modulo a prime below 2**31, for all pairs: shape (RA, RB).

    `arrays` are query, key, value of shape (L, H, da, dx) and output (L, H, dx, da); `side_A` has shape
    (RA, NA, dx), `side_B` (RB, NB, dx).
    """
    layers = [np.asarray(array, np.int64) % prime for array in arrays]
    A, B = (np.asarray(side, np.int64) % prime for side in (side_A, side_B))
    values = np.empty((len(A), len(B)), np.int64)
    step = max(1, PAIRS_AT_ONCE // len(B))
    for start in range(0, len(A), step):
        rows = A[start : start + step]
        left = np.repeat(rows[:, None], len(B), axis=1)
        right = np.repeat(B[None], len(rows), axis=0)
        values[start : start + step] = _first_outputs(layers, np.concatenate([left, right], axis=2), prime, residual)
    return values


def _first_outputs(layers: list[Residues], x: Residues, prime: int, residual: bool) -> Residues:
    """Entry 0 at position 0, for tokens x of shape (..., N, dx)."""
    depth = len(layers[0])
    for number, (Q, K, V, O) in enumerate(zip(*layers, strict=True)):
        asking = x if number < depth - 1 else x[..., :1, :]  # only position 0 is read at the end
        y = asking if residual else np.zeros_like(asking)
        for query, key, value, output in zip(Q, K, V, O, strict=True):
            keys = np.swapaxes(_times(x, key.T, prime), -1, -2)
            scores = _times(_times(asking, query.T, prime), keys, prime)
            mixed = _times(scores, _times(x, value.T, prime), prime)
            y = (y + _times(mixed, output.T, prime)) % prime
        x = y
    return x[..., 0, 0]


def _times(a: Residues, b: Residues, prime: int) -> Residues:
    """Matrix product; residues below 2**31, reduced after every step."""
    total = a[..., :, 0, None] * b[..., None, 0, :] % prime
    for k in range(1, a.shape[-1]):
        total = (total + a[..., :, k, None] * b[..., None, k, :]) % prime
    return total


def rank_at_pairs(arrays: Any, side_A: Any, side_B: Any, prime: int, residual: bool = False) -> int:
    """Rank of the matrix of values at all pairs: a lower bound on the separation rank of these weights."""
    return rank(values_at_pairs(arrays, side_A, side_B, prime, residual).tolist(), prime)
