"""Drift and diffusion of the covariance SDEs in compact form, O(m^3) for drifts: the fast road.

Tensors of covariances are indexed [a, b, d, w] for d<V_ab, V_dw>; `packed` keeps the entries a <= b. The limits
describe networks whose covariance stays far below tau0 sqrt(n) in norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.shaped.activation import relu_drift
from seprank.shaped.moments import centred
from seprank.shaped.setup import Setup

Array = NDArray[Any]


def packed(tensor: ArrayLike) -> Array:
    """An m x m matrix as its m (m + 1) / 2 entries a <= b, or a covariance tensor as the matrix over such pairs.

    >>> packed([[1, 2], [2, 3]]).tolist()
    [1, 2, 3]
    """
    tensor = np.asarray(tensor)
    rows = np.triu_indices(tensor.shape[0])
    return tensor[rows] if tensor.ndim == 2 else tensor[rows][:, rows[0], rows[1]]


def sigma_lin(V: ArrayLike) -> Array:
    """Sigma_lin = V_ad V_bw + V_aw V_bd, the diffusion of Gaussian weights; exact.

    >>> packed(sigma_lin([[1.0, 0.0], [0.0, 1.0]])).diagonal().tolist()
    [2.0, 1.0, 2.0]
    """
    V = np.asarray(V, np.float64)
    return np.einsum("ad,bw->abdw", V, V) + np.einsum("aw,bd->abdw", V, V)


def residual_drift(V: ArrayLike, gamma: float, c_plus: float, c_minus: float) -> Array:
    """gamma^2 b_ReLU: drift of a residual block (noci2023shaped, Theorem 3.2); holds for any MLP ratio."""
    return gamma**2 * relu_drift(V, c_plus, c_minus)


def residual_rate(gamma: float, mlp_ratio: float = 1.0) -> float:
    """The factor of Sigma_lin of a residual block: gamma^2 (2 - gamma^2 + gamma^2 / r), 2 gamma^2 at ratio r = 1."""
    return gamma**2 * (2 - gamma**2 + gamma**2 / mlp_ratio)


def attention_rate(gamma: float, projection: bool = False) -> float:
    """The factor of Sigma_lin of an attention block: gamma^2 (2 - gamma^2), with an output projection 2 gamma^2."""
    return 2 * gamma**2 if projection else gamma**2 * (2 - gamma**2)


def attention_drift(V: ArrayLike, gamma: float, tau0: float, mask: ArrayLike | None = None) -> Array:
    """Drift b of shaped attention (noci2023shaped, Theorem 4.2), m x m, in O(m^3); cubic in V, 0 at collapse.

    With a Boolean `mask` (row: token that looks) every row is centred over its allowed tokens. Head count and head
    size do not enter.

    >>> attention_drift([[1.0, 0.0], [0.0, 1.0]], 0.5, 1.0).tolist()
    [[0.0625, 0.0], [0.0, 0.0625]]
    """
    V = np.asarray(V, np.float64)
    scale = gamma**2 / tau0**2
    if mask is not None:
        half = masked_S2(V, mask) / np.asarray(mask, np.float64).sum(axis=1)[:, None] @ V
        return scale * (V * score_gram(V, mask) + (half + half.T) / 2)
    C, m = centred(V), V.shape[0]
    spread, v = np.diag(C) - np.trace(C) / m, np.diag(V)
    cross = np.outer(v, V @ spread)
    drift: Array = scale * (np.sum(C**2) / m**2 * V + (cross + cross.T) / (2 * m))
    return drift


def masked_S2(V: ArrayLike, mask: ArrayLike) -> Array:
    """S_2 of masked logits: V_aa ((H_a V H_a)_kk - tr(H_a V H_a) / m_a) on the allowed tokens, 0 elsewhere."""
    V, allowed = np.asarray(V, np.float64), np.asarray(mask, np.float64)
    sizes = allowed.sum(axis=1, keepdims=True)
    means = allowed @ V / sizes
    spread = np.diag(V)[None, :] - 2 * means  # the constant of every row cancels
    return np.diag(V)[:, None] * allowed * (spread - np.sum(allowed * spread, axis=1, keepdims=True) / sizes)


def score_gram(V: ArrayLike, mask: ArrayLike) -> Array:
    """tr(V H_a V H_b) / (m_a m_b), m x m, H_a the centring over the tokens that a may look at; O(m^3)."""
    V, allowed = np.asarray(V, np.float64), np.asarray(mask, np.float64)
    sizes = allowed.sum(axis=1)
    U = V @ allowed.T
    left = allowed @ U**2 / sizes[None, :]
    found = allowed @ V**2 @ allowed.T - left - left.T + (allowed @ U) ** 2 / np.outer(sizes, sizes)
    return found / np.outer(sizes, sizes)


def score_covariance(V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """The tensor A of Theorem 4.2: what random attention scores add to the diffusion; quartic in V, 0 at collapse."""
    V = np.asarray(V, np.float64)
    if mask is None:
        M = V @ centred(V) @ V / V.shape[0] ** 2
        one = np.einsum("ad,bw->abdw", V, M)
    else:
        allowed = np.asarray(mask, np.float64)
        rows = allowed[:, :, None] * V[None] - allowed[:, :, None] * (allowed @ V / allowed.sum(1)[:, None])[:, None]
        rows = rows / allowed.sum(axis=1)[:, None, None]  # rows[a] = H_a V / m_a
        one = np.einsum("ad,akb,kl,dlw->abdw", V, rows, V, rows, optimize=True)
    pair = one + one.transpose(0, 1, 3, 2)
    return pair + pair.transpose(1, 0, 2, 3)


def attention_covariance(
    V: ArrayLike,
    gamma: float,
    tau0: float,
    mask: ArrayLike | None = None,
    heads: int = 1,
    projection: bool = False,
) -> Array:
    """Sigma of shaped attention: gamma^2 (2 - gamma^2) Sigma_lin + gamma^4 / (heads tau0^2) A (Theorem 4.2).

    Heads are concatenated, each with n / heads value columns; with an output `projection` Sigma_lin has 2 gamma^2.
    """
    noise = gamma**4 / (heads * tau0**2) * score_covariance(V, mask)
    return attention_rate(gamma, projection) * sigma_lin(V) + noise


def linear_rate(setup: Setup) -> float:
    """The factor of Sigma_lin of the whole block; gamma^2 (4 - gamma^2) for the full one (Corollary 4.3).

    >>> linear_rate(Setup(m=2, n=10, depth=10, gamma=1.0, tau0=1.0))
    3.0
    """
    residual = residual_rate(setup.gamma, setup.mlp_ratio) if setup.activates else 0.0
    return residual + (attention_rate(setup.gamma) if setup.attends else 0.0)


def drift(setup: Setup, V: ArrayLike) -> Array:
    """The drift of V for the block of `setup`, m x m (noci2023shaped, Theorems 3.2 and 4.2, Corollary 4.3)."""
    found = np.zeros((setup.m, setup.m))
    if setup.attends:
        found += attention_drift(V, setup.gamma, setup.tau0, setup.mask)
    if setup.activates:
        found += residual_drift(V, setup.gamma, setup.c_plus, setup.c_minus)
    return found


def covariance(setup: Setup, V: ArrayLike) -> Array:
    """The diffusion tensor of V for the block of `setup`, [a, b, d, w]."""
    found: Array = linear_rate(setup) * sigma_lin(V)
    if setup.attends:
        found = found + setup.gamma**4 / (setup.heads * setup.tau0**2) * score_covariance(V, setup.mask)
    return found
