"""Attention whose rows stay probability vectors: two constructions, whose limits average tokens without noise of A.

The diffusion of both is gamma^2 (2 - gamma^2) Sigma_lin. Own constructions; noci2023shaped has none.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import OutOfScope
from seprank.shaped.coefficients import attention_rate, sigma_lin
from seprank.validate import real_number, whole_number

Array = NDArray[Any]


class Averaged(NamedTuple):
    """An estimate, entry by entry, and its standard errors."""

    value: Array
    error: Array


def expected_softmax(V: ArrayLike, tau0: float, log2_points: int = 12, repeats: int = 8, seed: int = 0) -> Averaged:
    """E softmax of the rows of Gaussian logits with covariance V_ab V_dw / tau0^2 (many columns per head), m x m.

    Quasi-Monte Carlo: `repeats` scrambled Sobol sets of 2^log2_points points; an estimate with its standard error.

    >>> found = expected_softmax([[1.0, 0.2], [0.2, 1.0]], 1.0)
    >>> bool(abs(found.value.sum(axis=1) - 1).max() < 1e-12)
    True
    """
    from scipy.special import ndtri, softmax
    from scipy.stats import qmc

    V, tau0 = np.asarray(V, np.float64), real_number("tau0", tau0, positive=True)
    values, vectors = np.linalg.eigh(V)
    root = vectors * np.sqrt(np.maximum(values, 0))
    scale, found = np.sqrt(np.diag(V)) / tau0, []
    for repeat in range(whole_number("repeats", repeats, 2)):
        draws = qmc.Sobol(V.shape[0], rng=np.random.default_rng([seed, repeat])).random_base2(log2_points)
        logits = ndtri(np.clip(draws, 1e-15, 1 - 1e-15)) @ root.T
        found.append([softmax(size * logits, axis=1).mean(axis=0) for size in scale])
    return Averaged(np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(repeats))


def mixture_drift(V: ArrayLike, gamma: float, eta0: float, softmax_mean: ArrayLike) -> Array:
    """Drift for A = (1 - eta0 / n) I + (eta0 / n) softmax: gamma^2 eta0 (S V + V S^T - 2 V), S = E softmax; exact in S.

    `softmax_mean` is S, for example the value of `expected_softmax`.
    """
    V, S = np.asarray(V, np.float64), np.asarray(softmax_mean, np.float64)
    drift: Array = gamma**2 * eta0 * (S @ V + V @ S.T - 2 * V)
    return drift


def logit_bias_weights(V: ArrayLike, tau0: float, head_dim: int | None = None) -> Array:
    """Mean weight of token k for token a over kappa0 / n, for logits with the bias log(n / kappa0) on the diagonal.

    exp(V_aa D_ak / (2 tau0^2)), D the squared distances, for many columns per head; with `head_dim` columns
    (1 - V_aa D_ak / (tau0^2 head_dim))^(-head_dim / 2). Exact limit; networks approach it slowly where weights are
    large. Raises `OutOfScope` where the mean is infinite.
    """
    V = np.asarray(V, np.float64)
    v = np.diag(V)
    x = v[:, None] * (v[:, None] + v[None, :] - 2 * V) / tau0**2
    if head_dim is None:
        return np.exp(x / 2)
    size = whole_number("head_dim", head_dim)
    if (x >= size).any():
        raise OutOfScope(f"head_dim must exceed V_aa D / tau0^2 = {x.max():.6g} for a finite mean weight, got {size}")
    return (1 - x / size) ** (-size / 2)


def logit_bias_drift(V: ArrayLike, gamma: float, kappa0: float, tau0: float, head_dim: int | None = None) -> Array:
    """Drift for logits with the bias log(n / kappa0) on the diagonal: weights w pull tokens towards one another.

    gamma^2 kappa0 sum_k (w_ak (V_kb - V_ab) + w_bk (V_ka - V_ab)), m x m.

    >>> logit_bias_drift([[1.0, 1.0], [1.0, 1.0]], 0.5, 1.0, 1.0).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    V = np.asarray(V, np.float64)
    w = logit_bias_weights(V, tau0, head_dim)
    pull = w @ V - w.sum(axis=1)[:, None] * V
    return gamma**2 * kappa0 * (pull + pull.T)


def probability_covariance(V: ArrayLike, gamma: float) -> Array:
    """The diffusion of both constructions, gamma^2 (2 - gamma^2) Sigma_lin: the attention adds no noise."""
    return attention_rate(gamma) * sigma_lin(V)
