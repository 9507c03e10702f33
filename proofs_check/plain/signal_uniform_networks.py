"""Random networks with uniform attention, linear or ReLU feed-forward, drawn literally: mean Gram matrices."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np


class Network(NamedTuple):
    """Depth, branch scales, width, hidden width, variances of the two feed-forward matrices, activation."""

    L: int
    alpha1: float
    alpha2: float
    d: int
    dF: int
    first: float
    second: float
    relu: bool = False


def plain(L: int, alpha1: float, alpha2: float, d: int, relu: bool = False) -> Network:
    """Hidden width d and variances 1/d, doubled in the first matrix for ReLU."""
    return Network(L, alpha1, alpha2, d, d, (2.0 if relu else 1.0) / d, 1.0 / d, relu)


def outputs(network: Network, X0: np.ndarray, count: int, seed: int, chunk: int = 2000) -> np.ndarray:
    """X_L of `count` networks for one input (n, d): (count, n, d)."""
    d, dF = network.d, network.dF
    draw = np.random.default_rng([seed, 7])
    parts = []
    for start in range(0, count, chunk):
        size = min(chunk, count - start)
        X = np.broadcast_to(X0, (size, *X0.shape)).copy()
        for _ in range(network.L):
            V = draw.standard_normal((size, d, d)) / sqrt(d)
            Z = X + network.alpha1 * (X.mean(axis=1, keepdims=True) @ V)
            H = Z @ (draw.standard_normal((size, d, dF)) * sqrt(network.first))
            if network.relu:
                H = np.maximum(H, 0.0)
            X = Z + network.alpha2 * (H @ (draw.standard_normal((size, dF, d)) * sqrt(network.second)))
        parts.append(X)
    return np.concatenate(parts)


def grams(X: np.ndarray) -> np.ndarray:
    """X X^T of every network: (count, n, n)."""
    return X @ X.transpose(0, 2, 1)


def tokens_with_correlation(n: int, d: int, rho: float, seed: int) -> np.ndarray:
    """n tokens of norm 1 whose inner products are all rho, exactly, in d >= n dimensions."""
    basis, _ = np.linalg.qr(np.random.default_rng([seed, 8]).standard_normal((d, n)))
    values, vectors = np.linalg.eigh((1 - rho) * np.eye(n) + rho * np.ones((n, n)))
    root = vectors * np.sqrt(np.clip(values, 0.0, None)) @ vectors.T
    return np.asarray(root @ basis.T)


def ratio_of_expectations(G: np.ndarray) -> tuple[float, float]:
    """Average pair correlation of the mean Gram matrix of networks (count, n, n), with its standard error (jackknife
    over 20 groups)."""

    def correlation(mean: np.ndarray) -> float:
        norms = np.sqrt(np.diag(mean))
        n = len(mean)
        return float(((mean / np.outer(norms, norms)).sum() - n) / (n * (n - 1)))

    groups = np.stack([part.mean(axis=0) for part in np.array_split(G, 20)])
    total = groups.sum(axis=0)
    left_out = np.array([correlation((total - group) / 19) for group in groups])
    return correlation(G.mean(axis=0)), float(sqrt(19 / 20 * ((left_out - left_out.mean()) ** 2).sum()))
