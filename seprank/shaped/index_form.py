"""Drift and diffusion of attention written out index by index from the moments of the scores: the slow road.

It shares no code with `coefficients`; m up to about 8.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def centring(allowed: ArrayLike) -> Array:
    """H_a: subtracts the mean over the allowed tokens of one row of a mask, and drops the others."""
    e = np.asarray(allowed, np.float64)
    return np.diag(e) - np.outer(e, e) / e.sum()


def score_moments(V: ArrayLike, mask: ArrayLike) -> tuple[Array, Array]:
    """n tau0^2 times E[P_ak P_bl] and 2 n tau0^2 times E[P_ak] of P = A - I, for scores over allowed tokens only."""
    V, mask = np.asarray(V, np.float64), np.asarray(mask, bool)
    m = V.shape[0]
    H, size = [centring(row) for row in mask], mask.sum(axis=1)
    second, mean = np.zeros((m, m, m, m)), np.zeros((m, m))
    for a, b in product(range(m), repeat=2):
        second[a, :, b, :] = V[a, b] * (H[a] @ V @ H[b]) / (size[a] * size[b])
    for a in range(m):
        spread = np.diag(H[a] @ V @ H[a])
        mean[a] = mask[a] * V[a, a] * (spread - spread.sum() / size[a]) / size[a]
    return second, mean


def index_drift(V: ArrayLike, gamma: float, tau0: float, mask: ArrayLike | None = None) -> Array:
    """The drift of Theorem 4.2 (noci2023shaped) as printed, summed index by index; m x m."""
    V = np.asarray(V, np.float64)
    m = V.shape[0]
    second, mean = score_moments(V, np.ones((m, m)) if mask is None else mask)
    b = np.zeros((m, m))
    for i, j in product(range(m), repeat=2):
        b[i, j] += sum(V[k, l] * second[i, k, j, l] for k, l in product(range(m), repeat=2))
        b[i, j] += sum(V[j, k] * mean[i, k] + V[i, k] * mean[j, k] for k in range(m)) / 2
    return gamma**2 / tau0**2 * b


def index_score_covariance(V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """The tensor A of Theorem 4.2 (noci2023shaped), summed index by index; [a, b, d, w]."""
    V = np.asarray(V, np.float64)
    m = V.shape[0]
    second, _ = score_moments(V, np.ones((m, m)) if mask is None else mask)
    A = np.zeros((m, m, m, m))
    for a, b, d, w in product(range(m), repeat=4):
        for k, l in product(range(m), repeat=2):
            A[a, b, d, w] += V[a, k] * V[d, l] * second[b, k, w, l] + V[a, k] * V[w, l] * second[b, k, d, l]
            A[a, b, d, w] += V[b, l] * V[d, k] * second[a, l, w, k] + V[b, l] * V[w, k] * second[a, l, d, k]
    return A
