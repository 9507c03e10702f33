"""Weights and tokens for which the output is a power of an inner product: those of B.2, and real ones.

All arrays are as in eq. 3: query, key, value of shape (L, H, da, dx), output of shape (L, H, dx, da).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Arrays = tuple[Array, Array, Array, Array]


def square_root_of_minus_one(prime: int) -> int:
    """A residue whose square is -1, for a prime that is 1 modulo 4."""
    roots = (pow(a, (prime - 1) // 4, prime) for a in range(2, 100))
    return next(root for root in roots if root * root % prime == prime - 1)


def complex_weights(L: int, H: int, da: int, N: int, prime: int, own_constants: bool = False) -> Arrays:
    """The weights of B.2 modulo a prime, for odd `da`: segments of da - 1 free coordinates and a constant.

    Layer 1 adds the tokens up, layer 2 multiplies every segment by its squared norm, later layers by the square of
    the whole squared norm, which is the sum of the constants. In the last layer all heads write their constant
    to entry 0; with `own_constants` head h writes to entry h instead.
    """
    query, _, value, output = _zeros(L, H, da, H * da)
    constants = [h * da + da - 1 for h in range(H)]
    for h in range(H):
        segment = np.arange(h * da, (h + 1) * da)
        value[:, h, np.arange(da), segment] = output[:, h, segment, np.arange(da)] = 1
        output[0, h, constants[h], da - 1] = pow(N, -1, prime)
        query[0, h, 0, constants[0]] = 1
        if L > 1:
            query[1, h, np.arange(da - 1), segment[:-1]] = 1
        query[2:, h, 0, constants] = 1
        output[-1, h] = 0
        output[-1, h, h if own_constants else 0, da - 1] = 1
    return query, query.copy(), value, output


def complex_tokens(v: NDArray[np.int64], side: str, H: int, N: int, prime: int) -> NDArray[np.int64]:
    """One token (v, i v) in segments for side A, (v, -i v) for side B, and N/2 in all with empty ones.

    `v` has shape (R, H (da - 1) / 2); the result has shape (R, N / 2, dx); every token has its constants 1.
    """
    root = square_root_of_minus_one(prime) * (1 if side == "A" else -1)
    segments = v.reshape(len(v), H, -1)
    ones = np.ones((len(v), H, 1), np.int64)
    first = np.concatenate([segments, segments * root % prime, ones], axis=2).reshape(len(v), 1, -1)
    empty = np.concatenate([0 * segments, 0 * segments, ones], axis=2).reshape(len(v), 1, -1)
    return np.concatenate([first] + [empty] * (N // 2 - 1), axis=1)


def real_weights(L: int, dx: int, H: int, N: int, own_coordinates: bool = False) -> Arrays:
    """Whole-number weights that need one constant only: coordinates (a, b, 1), perhaps one idle.

    Layer 1 adds the tokens up; in layer 2 the queries read a and the constant, the keys b and the constant, and all
    heads write to entry 0 (with `own_coordinates` head h writes to entry h); later layers cube entry 0.
    """
    da, n = dx // H, (dx - 1) // 2
    query, key, value, output = _zeros(L, H, da, dx)
    for h in range(H):
        segment = np.arange(h * da, (h + 1) * da)
        query[0, h, 0, dx - 1] = key[0, h, 0, dx - 1] = 1
        value[0, h, np.arange(da), segment] = 1
        output[0, h, segment, np.arange(da)] = N
        value[1, h, 0, dx - 1] = 1
        output[1, h, h if own_coordinates else 0, 0] = 1
    output[0, H - 1, dx - 1, da - 1] = 1  # the constants are summed over N tokens, the others occur once
    for number, (a, b) in enumerate([*((k, n + k) for k in range(n)), (dx - 1, dx - 1)]):
        query[1, number % H, number // H, a] = key[1, number % H, number // H, b] = 1
    for array in (query, key, value, output):
        array[2:, 0, 0, 0] = 1
    return query, key, value, output


def real_tokens(v: NDArray[np.int64], side: str, dx: int, count: int) -> NDArray[np.int64]:
    """One token (v, 0, 1) for side A or (0, v, 1) for side B, and (0, 0, 1) up to `count`: (R, count, dx)."""
    n = (dx - 1) // 2
    tokens = np.zeros((len(v), count, dx), np.int64)
    tokens[:, :, dx - 1] = 1
    tokens[:, 0, slice(0, n) if side == "A" else slice(n, 2 * n)] = v
    return tokens


def _zeros(L: int, H: int, da: int, dx: int) -> Arrays:
    query, key, value = (np.zeros((L, H, da, dx), np.int64) for _ in range(3))
    return query, key, value, np.zeros((L, H, dx, da), np.int64)
