"""One softmax attention layer on explicit tokens and weights, in float64."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from seprank.errors import InvalidInput
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import token_matrix
from seprank.validate import whole_number


class LayerWeights(NamedTuple):
    """WQ and WK of shape (d, dk), WV of shape (d, dv)."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray


def gaussian_weights(sizes: LayerSizes, seed: int) -> LayerWeights:
    """Independent Gaussian weights with the variances of `sizes`, the same for the same seed."""
    draw = np.random.default_rng(whole_number("seed", seed, least=0))
    deviations = (sqrt(sizes.sigma_k2), sqrt(sizes.sigma_k2), sqrt(sizes.sigma_v2))
    widths = (sizes.dk, sizes.dk, sizes.dv)
    return LayerWeights(*(s * draw.standard_normal((sizes.d, b)) for s, b in zip(deviations, widths, strict=True)))


def check_weights(X: np.ndarray, weights: LayerWeights) -> tuple[np.ndarray, LayerWeights]:
    """Tokens (n, d) and weights as float64 arrays that fit together, or `InvalidInput`."""
    X = token_matrix(X)
    if X.ndim != 2:
        raise InvalidInput(f"X must have shape (n, d), got {X.shape}")
    query, key, value = (np.asarray(W, dtype=np.float64) for W in weights)
    d = X.shape[1]
    if any(W.ndim != 2 or W.shape[0] != d for W in (query, key, value)) or query.shape != key.shape:
        shapes = f"{query.shape}, {key.shape} and {value.shape}"
        raise InvalidInput(f"weights must have shapes (d, dk), (d, dk) and (d, dv) with d = {d}, got {shapes}")
    return X, LayerWeights(query, key, value)


def softmax_rows(M: np.ndarray) -> np.ndarray:
    """Softmax of every row (last axis), without overflow.

    >>> softmax_rows(np.zeros((1, 4))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    E = np.exp(M - M.max(axis=-1, keepdims=True))
    return np.asarray(E / E.sum(axis=-1, keepdims=True))


def attention(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """The attention matrix A, shape (n, n), rows that sum to 1.

    `X` has shape (n, d); `tau` is the inverse temperature. Raises `InvalidInput` where shapes do not fit.
    Source: noci2022signal, eq. 1 and appendix C.2.
    """
    X, weights = check_weights(X, weights)
    return softmax_rows(tau / sqrt(weights.query.shape[1]) * (X @ weights.query) @ (X @ weights.key).T)


def attention_layer(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """The output S = A X WV, shape (n, dv); see `attention`.

    >>> X = np.array([[1.0, 0.0], [3.0, 2.0]])
    >>> uniform = LayerWeights(np.zeros((2, 1)), np.zeros((2, 1)), np.eye(2))
    >>> attention_layer(X, uniform).tolist()
    [[2.0, 1.0], [2.0, 1.0]]
    """
    return np.asarray(attention(X, weights, tau) @ np.asarray(X) @ weights.value)
