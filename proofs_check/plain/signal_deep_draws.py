"""Deep softmax networks for the checkers: sizes, weights drawn in numpy, what is measured."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np


class Deep(NamedTuple):
    """L blocks on n tokens of width d with entries of standard deviation sigma; norm is "none", "post" or "pre"."""

    L: int
    norm: str
    alpha: float
    n: int = 16
    d: int = 64
    sigma: float = 1.0
    relu: bool = True


class Block(NamedTuple):
    """Weights of one block for a batch of seeds: Q, K, V, W1, W2, each (seeds, d, d)."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    W1: np.ndarray
    W2: np.ndarray


class Measured(NamedTuple):
    """Per layer, (layers, seeds): mean pair cosine and entry variance of what enters attention, squared gradient norms
    of WV and WQ under the loss <G, X_L>; and the mean pair cosine of the output, (seeds,)."""

    cosine: np.ndarray
    variance: np.ndarray
    value: np.ndarray
    query: np.ndarray
    output: np.ndarray


def blocks(deep: Deep, seeds: int, seed: int) -> list[Block]:
    """Weights of variance 1/d, W1 doubled for ReLU."""
    draw = np.random.default_rng([seed, 9])
    gains = (1.0, 1.0, 1.0, sqrt(2.0) if deep.relu else 1.0, 1.0)
    return [
        Block(*(g * draw.standard_normal((seeds, deep.d, deep.d)) / sqrt(deep.d) for g in gains)) for _ in range(deep.L)
    ]


def input_and_loss(deep: Deep, seeds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """X_0 and G, each (seeds, n, d)."""
    draw = np.random.default_rng([seed, 10])
    shape = (seeds, deep.n, deep.d)
    return deep.sigma * draw.standard_normal(shape), draw.standard_normal(shape)


def pair_cosine(X: np.ndarray) -> np.ndarray:
    """Mean cosine of two different tokens: (seeds,)."""
    U = X / np.linalg.norm(X, axis=-1, keepdims=True)
    n = X.shape[1]
    return np.asarray(((U.sum(axis=1) ** 2).sum(axis=-1) - n) / (n * (n - 1)))
