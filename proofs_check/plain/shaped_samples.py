"""One-step estimates that several checkers share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proofs_check.plain.shaped_moments import CHUNK, entries, mean_and_error
from proofs_check.plain.shaped_networks import logits, root, shaped, softmax, source

Array = Any


def attention_powers(V: Array, tau0: float, n: int, nk: int, count: int, seed: int) -> Array:
    """P = softmax(Y / tau) - 1/m for Y and -Y: (2, count, m, m)."""
    draw, R, tau = source(seed, 2), root(V), tau0 * math.sqrt(n * nk)
    Y = logits(R, nk, count, draw)
    return np.stack([shaped(Y, tau), shaped(-Y, tau)])


def probability_drift(V: Array, gamma: float, attention: Any, n: int, nk: int, count: int, seed: int) -> Any:
    """n gamma^2 E[A V A^T - V] for a function `attention` of the logits: mean and error over (count, M)."""
    draw, R, found = source(seed, 4), root(V), []
    for _ in range(0, count, CHUNK):
        A = attention(logits(R, nk, CHUNK, draw))
        found.append(entries(n * gamma**2 * (A @ V @ np.swapaxes(A, -1, -2) - V)))
    return mean_and_error(np.concatenate(found))


def mixture(Y: Array, eta0: float, tau0: float, n: int, nk: int) -> Array:
    """(1 - eta0/n) I + (eta0/n) softmax(Y / (tau0 sqrt nk))."""
    return (1 - eta0 / n) * np.eye(Y.shape[-1]) + eta0 / n * softmax(Y / (tau0 * math.sqrt(nk)))


def biased(Y: Array, kappa0: float, tau0: float, n: int, nk: int) -> Array:
    """softmax(Y / (tau0 sqrt nk) + log(n / kappa0) I)."""
    return softmax(Y / (tau0 * math.sqrt(nk)) + math.log(n / kappa0) * np.eye(Y.shape[-1]))
