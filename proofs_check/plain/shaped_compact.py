"""Coefficients of the covariance SDEs in compact form: matrix products only, any mask, heads, hidden width."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def centring(mask: Array) -> list[Array]:
    """H of every row: centring over its allowed tokens."""
    return [np.diag(row.astype(float)) - np.outer(row, row) / row.sum() for row in np.asarray(mask, bool)]


def full_mask(m: int) -> Array:
    """Every token allowed."""
    return np.ones((m, m), bool)


def drift(V: Array, gamma: float, tau0: float, mask: Array | None = None) -> Array:
    """b of shaped attention under a mask, entry by entry."""
    m = len(V)
    mask = full_mask(m) if mask is None else mask
    H, size = centring(mask), mask.sum(axis=1)
    spread = []
    for a in range(m):
        own = np.diag(H[a] @ V @ H[a])
        spread.append(V[a, a] * mask[a] * (own - own.sum() / size[a]))
    out = np.empty((m, m))
    for a in range(m):
        for b in range(m):
            quartic = V[a, b] * np.trace(V @ H[a] @ V @ H[b]) / (size[a] * size[b])
            cubic = spread[a] @ V[:, b] / size[a] + spread[b] @ V[:, a] / size[b]
            out[a, b] = gamma**2 / tau0**2 * (quartic + cubic / 2)
    return out


def fourth_order(V: Array, mask: Array | None = None) -> Array:
    """A^{ab,dw} = N^{ad}_{bw} + N^{aw}_{bd} + N^{bd}_{aw} + N^{bw}_{ad}, N^{ij} = V^{ij} V H_i V H_j V / (m_i m_j)."""
    m = len(V)
    mask = full_mask(m) if mask is None else mask
    H, size = centring(mask), mask.sum(axis=1)
    N = np.array([[V[i, j] * (V @ H[i] @ V @ H[j] @ V) / (size[i] * size[j]) for j in range(m)] for i in range(m)])
    out = np.empty((m, m, m, m))
    for a, b, d, w in np.ndindex(m, m, m, m):
        out[a, b, d, w] = N[a, d, b, w] + N[a, w, b, d] + N[b, d, a, w] + N[b, w, a, d]
    return out


def linear(V: Array) -> Array:
    """Sigma_lin from Kronecker products."""
    m = len(V)
    both = np.kron(V, V).reshape(m, m, m, m)  # V^{ad} V^{bw} with indices a, b, d, w
    return both + both.transpose(0, 1, 3, 2)


def noise(
    V: Array, gamma: float, tau0: float, mask: Array | None = None, heads: int = 1, projected: bool = False
) -> Array:
    """Sigma of shaped attention; `projected` with an output matrix behind the heads."""
    weight = 2 * gamma**2 if projected else gamma**2 * (2 - gamma**2)
    return weight * linear(V) + gamma**4 / (heads * tau0**2) * fourth_order(V, mask)
