"""Coefficients of the covariance SDEs in index form, as literal sums; keyword switches make the wrong variants.

V is (..., m, m); a covariance of entries is (..., m, m, m, m) with indices alpha, beta, delta, omega.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

Array = Any


class Variant(NamedTuple):
    """Factors that wrong variants change; all as derived by default."""

    s1: float = 1.0  # on the part of the drift from S1
    s2: float = 1.0  # on the part of the drift from S2
    bars: float = 2.0  # copies of V^{xbar xbar} in S2
    drift: float = 1.0  # on the whole attention drift
    noise: float = 1.0  # on the fourth-order noise A
    linear: float | None = None  # coefficient of Sigma_lin instead of the right one
    relu: float = 1.0  # on the drift of the shaped ReLU


RIGHT = Variant()


def s1(V: Array) -> Array:
    """S1^{ad,bw} as a tensor with indices a, d, b, w."""
    mean, total = V.mean(axis=-1), V.mean(axis=(-1, -2))
    token = V - mean[..., :, None] - mean[..., None, :] + total[..., None, None]
    return np.einsum("...ab,...dw->...adbw", V, token)


def s2(V: Array, bars: float = 2.0) -> Array:
    """S2^{ad} as a matrix."""
    own, mean = np.einsum("...aa->...a", V), V.mean(axis=-1)
    total, trace = V.mean(axis=(-1, -2)), own.mean(axis=-1)
    return own[..., :, None] * (own - 2 * mean + (bars * total - trace)[..., None])[..., None, :]


def attention_drift(V: Array, gamma: float, tau0: float, variant: Variant = RIGHT) -> Array:
    """b^{ab} of shaped attention."""
    m = V.shape[-1]
    first = np.einsum("...nk,...anbk->...ab", V, s1(V), optimize=True) / m**2
    second = np.einsum("...bn,...an->...ab", V, s2(V, variant.bars)) / (2 * m)
    second = second + np.swapaxes(second, -1, -2)
    return gamma**2 / tau0**2 * variant.drift * (variant.s1 * first + variant.s2 * second)


def linear_noise(V: Array) -> Array:
    """Sigma_lin."""
    return np.einsum("...ad,...bw->...abdw", V, V) + np.einsum("...aw,...bd->...abdw", V, V)


def attention_noise(V: Array) -> Array:
    """A^{ab,dw}, the four sums over S1."""
    m, S = V.shape[-1], s1(V)
    half = np.einsum("...ak,...dn,...bkwn->...abdw", V, V, S, optimize=True)
    swapped = np.einsum("...abdw->...abwd", half)
    both = half + swapped
    return (both + np.einsum("...abdw->...badw", both)) / m**2


def nu(rho: Array, gap: float) -> Array:
    """nu for (c_plus - c_minus)^2 = gap."""
    rho = np.clip(rho, -1.0, 1.0)
    return gap / (2 * math.pi) * (np.sqrt(1 - rho**2) - rho * np.arccos(rho))


def nu_printed(rho: Array, total: float) -> Array:
    """nu as printed, with (c_plus + c_minus)^2 = total and the sign +."""
    rho = np.asarray(rho)
    return total / (2 * math.pi) * (np.sqrt(1 - rho**2) + rho * np.arccos(rho))


def relu_drift(V: Array, gap: float) -> Array:
    """b_ReLU."""
    own = np.einsum("...aa->...a", V)
    scale = np.sqrt(own[..., :, None] * own[..., None, :])
    return nu(V / scale, gap) * scale


def normaliser(c_plus: float, c_minus: float, n: int) -> float:
    """c_n of the shaped ReLU."""
    return 2 / ((1 + c_plus / math.sqrt(n)) ** 2 + (1 + c_minus / math.sqrt(n)) ** 2)


def block(V: Array, gamma: float, tau0: float, gap: float, kind: str, variant: Variant = RIGHT) -> tuple[Array, Array]:
    """Drift and noise of a block: kind "residual", "attention" or "full"."""
    drift, linear = np.zeros_like(V), 0.0
    noise = np.zeros((*V.shape, *V.shape[-2:]))
    if kind != "residual":
        drift = drift + attention_drift(V, gamma, tau0, variant)
        noise = noise + variant.noise * gamma**4 / tau0**2 * attention_noise(V)
        linear += gamma**2 * (2 - gamma**2)
    if kind != "attention":
        drift = drift + variant.relu * gamma**2 * relu_drift(V, gap)
        linear += 2 * gamma**2
    return drift, noise + (linear if variant.linear is None else variant.linear) * linear_noise(V)


def pairs(m: int) -> tuple[Array, Array]:
    """Row and column of every entry a <= b."""
    return np.triu_indices(m)


def packed(noise: Array) -> Array:
    """A covariance of entries as an M x M matrix over the entries a <= b."""
    a, b = pairs(noise.shape[-1])
    return noise[..., a[:, None], b[:, None], a[None, :], b[None, :]]
