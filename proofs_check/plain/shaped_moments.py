"""Drift and noise of one layer by Monte Carlo: n E[V' - V] and n Cov(V'), with standard errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proofs_check.plain.shaped_formulas import pairs
from proofs_check.plain.shaped_networks import logits, root, shaped, source

Array = Any
CHUNK = 20000


def mean_and_error(samples: Array) -> tuple[Array, Array]:
    """Mean over the first axis and its standard error."""
    return samples.mean(axis=0), samples.std(axis=0, ddof=1) / math.sqrt(len(samples))


def covariance_and_error(samples: Array, scale: float) -> tuple[Array, Array]:
    """scale * Cov of the columns of `samples` (count, M) and its standard errors from the products themselves."""
    centred = samples - samples.mean(axis=0)
    products = np.einsum("ci,cj->cij", centred, centred).reshape(len(samples), -1)
    mean, error = mean_and_error(products)
    M = samples.shape[1]
    return scale * mean.reshape(M, M), scale * error.reshape(M, M)


def entries(V: Array) -> Array:
    """The entries a <= b of (..., m, m)."""
    a, b = pairs(V.shape[-1])
    return V[..., a, b]


def attention_drift_samples(
    V: Array, gamma: float, tau0: float, n: int, nk: int, count: int, seed: int, mask: Array | None = None
) -> Array:
    """n gamma^2 (P V + V P^T + P V P^T) averaged over logits Y and -Y: (count, M); its mean is the drift exactly."""
    draw, R, found = source(seed), root(V), []
    for _ in range(0, count, CHUNK):
        Y = logits(R, nk, CHUNK, draw)
        both = 0.0
        for sign in (1, -1):
            P = shaped(sign * Y, tau0 * math.sqrt(n * nk), mask)
            side = P @ V
            both = both + side + np.swapaxes(side, -1, -2) + side @ np.swapaxes(P, -1, -2)
        found.append(entries(n * gamma**2 * both / 2))
    return np.concatenate(found)


def in_chunks(step: Any, count: int) -> Array:
    """Entries a <= b of `count` draws of V', made by step(count) a few thousand at a time: (count, M)."""
    size = 2500
    return np.concatenate([entries(step(size)) for _ in range(0, count, size)])
