"""Finite shaped networks drawn plainly: logits from query and key columns, values and hidden units column by column.

One layer needs only V = X X^T / n: the tokens may be taken as sqrt(n) [R, 0] with R R^T = V, because Gaussian weights
do not see a rotation of the features (`full_step` keeps every weight and shows it).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def source(*seed: int) -> np.random.Generator:
    """A seeded source of normals."""
    return np.random.Generator(np.random.SFC64([*seed, 3]))


def root(V: Array) -> Array:
    """R with R R^T = V: lower triangular, or by eigenvectors where some V of the batch is singular to rounding."""
    try:
        return np.linalg.cholesky(V)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(V)
        return vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]


def logits(R: Array, nk: int, count: int, draw: np.random.Generator) -> Array:
    """(X W_Q / sqrt n)(X W_K / sqrt n)^T for `count` draws of nk columns each; R is (m, m) or (count, m, m)."""
    m = R.shape[-1]
    queries, keys = (R @ draw.standard_normal((count, m, nk)) for _ in range(2))
    return queries @ np.swapaxes(keys, -1, -2)


def softmax(Y: Array, mask: Array | None = None) -> Array:
    """Rows of exponentials over the allowed tokens, summing to one."""
    if mask is not None:
        Y = np.where(mask, Y, -np.inf)
    E = np.exp(Y - Y.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def shaped(Y: Array, tau: float, mask: Array | None = None) -> Array:
    """P = softmax(Y / tau) minus the uniform rows: the shaped attention matrix without its identity."""
    allowed = np.ones(Y.shape[-2:], bool) if mask is None else mask
    return softmax(Y / tau, mask) - allowed / allowed.sum(axis=-1, keepdims=True)


def added(V: Array, L: Array, gamma: float, skip: float, n: int, draw: np.random.Generator) -> Array:
    """V' = X' X'^T / n for X' = skip X + gamma G, G of n columns with law N(0, L L^T), drawn one by one."""
    m, count = V.shape[-1], L.shape[0]
    G = L @ draw.standard_normal((count, m, n))
    cross = root(V) @ np.swapaxes(G[..., :m], -1, -2)
    cross = cross + np.swapaxes(cross, -1, -2)
    return skip**2 * V + skip * gamma / math.sqrt(n) * cross + gamma**2 / n * (G @ np.swapaxes(G, -1, -2))


def attention_step(
    V: Array,
    gamma: float,
    tau0: float,
    n: int,
    nk: int,
    count: int,
    draw: np.random.Generator,
    mask: Array | None = None,
) -> Array:
    """V after one layer of shaped attention, for `count` networks; V is (m, m) or (count, m, m)."""
    R = root(V)
    A = np.eye(V.shape[-1]) + shaped(logits(R, nk, count, draw), tau0 * math.sqrt(n * nk), mask)
    return added(V, A @ R, gamma, math.sqrt(1 - gamma**2), n, draw)


def activation(G: Array, slopes: tuple[float, float]) -> Array:
    """s_plus max(x, 0) + s_minus min(x, 0)."""
    return slopes[0] * np.maximum(G, 0.0) + slopes[1] * np.minimum(G, 0.0)


def slopes(c_plus: float, c_minus: float, n: int) -> tuple[float, float]:
    """s_plus and s_minus at width n."""
    return 1 + c_plus / math.sqrt(n), 1 + c_minus / math.sqrt(n)


def kernel_matrix(R: Array, s: tuple[float, float], hidden: int, count: int, draw: np.random.Generator) -> Array:
    """K = c phi(G) phi(G)^T / hidden with `hidden` columns G of law N(0, R R^T)."""
    F = activation(R @ draw.standard_normal((count, R.shape[-1], hidden)), s)
    return 2 / (s[0] ** 2 + s[1] ** 2) / hidden * (F @ np.swapaxes(F, -1, -2))


def residual_step(
    V: Array, gamma: float, c: tuple[float, float], n: int, hidden: int, count: int, draw: np.random.Generator
) -> Array:
    """V after one residual block with shaped ReLU; slopes are defined by n."""
    K = kernel_matrix(root(V), slopes(*c, n), hidden, count, draw)
    return added(V, root(K), gamma, math.sqrt(1 - gamma**2), n, draw)


def mlp_step(V: Array, c: tuple[float, float], n: int, count: int, draw: np.random.Generator) -> Array:
    """V after one layer of the shaped MLP without skip connection."""
    return kernel_matrix(root(V), slopes(*c, n), n, count, draw)


def tokens(V: Array, n: int) -> Array:
    """X (m, n) with X X^T = n V whose features are all alike on average: a fixed random rotation of sqrt(n) [R, 0]."""
    Q, _ = np.linalg.qr(source(7).standard_normal((n, V.shape[-1])))
    return math.sqrt(n) * root(V) @ Q.T


def full_step(V: Array, gamma: float, tau0: float, n: int, nk: int, count: int, draw: np.random.Generator) -> Array:
    """Shaped attention with every weight matrix drawn: V' and the logits, (count, m, m) each."""
    X, m = tokens(V, n), V.shape[-1]
    out, Y = np.empty((count, m, m)), np.empty((count, m, m))
    for i in range(count):
        Q, K = draw.standard_normal((n, nk)), draw.standard_normal((n, nk))
        Y[i] = (X @ Q) @ (X @ K).T / n
        A = np.eye(m) + shaped(Y[i], tau0 * math.sqrt(n * nk))
        branch = A @ X @ draw.standard_normal((n, n)) / math.sqrt(n)
        after = math.sqrt(1 - gamma**2) * X + gamma * branch
        out[i] = after @ after.T / n
    return np.stack([out, Y])


def full_residual(
    V: Array, gamma: float, c: tuple[float, float], n: int, count: int, draw: np.random.Generator
) -> Array:
    """The residual block with both weight matrices drawn: V' (count, m, m)."""
    X, s, m = tokens(V, n), slopes(*c, n), V.shape[-1]
    scale = math.sqrt(2 / (s[0] ** 2 + s[1] ** 2) / n)
    out = np.empty((count, m, m))
    for i in range(count):
        hidden = activation(scale * X @ draw.standard_normal((n, n)), s)
        after = math.sqrt(1 - gamma**2) * X + gamma / math.sqrt(n) * hidden @ draw.standard_normal((n, n))
        out[i] = after @ after.T / n
    return out
