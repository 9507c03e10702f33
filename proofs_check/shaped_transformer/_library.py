"""The library's road, under one name for each quantity that several checkers need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
ROAD = "library, compact form"
LAW_ROAD = "library, Fokker-Planck"
SDE_ROAD = "library, splitting scheme"


def normaliser(c_plus: float, c_minus: float, n: int) -> float:
    """c_n."""
    from seprank.shaped.activation import normaliser as c_n

    return c_n(n, c_plus, c_minus)


def nu(rho: float, c_plus: float, c_minus: float) -> float:
    """nu."""
    from seprank.shaped import activation

    return float(activation.nu(rho, c_plus, c_minus))


def relu_drift(V: Array, c_plus: float, c_minus: float) -> Array:
    """b_ReLU."""
    from seprank.shaped import activation

    return activation.relu_drift(V, c_plus, c_minus)


def linear_noise(V: Array) -> Array:
    """Sigma_lin, M x M."""
    from seprank.shaped.coefficients import packed, sigma_lin

    return packed(sigma_lin(V))


def attention_drift(V: Array, gamma: float, tau0: float, mask: Array | None = None) -> Array:
    """b of shaped attention."""
    from seprank.shaped import coefficients

    return coefficients.attention_drift(V, gamma, tau0, mask)


def attention_noise(
    V: Array, gamma: float, tau0: float, mask: Array | None = None, heads: int = 1, projection: bool = False
) -> Array:
    """Sigma of shaped attention, M x M."""
    from seprank.shaped.coefficients import attention_covariance, packed

    return packed(attention_covariance(V, gamma, tau0, mask, heads, projection))


def residual_noise(V: Array, gamma: float, ratio: float = 1.0) -> Array:
    """Sigma of a residual block, M x M."""
    from seprank.shaped.coefficients import packed, residual_rate, sigma_lin

    return residual_rate(gamma, ratio) * packed(sigma_lin(V))


def residual_law(square: float, T: float, rho0: float = 0.2, c: tuple[float, float] = (0.0, -1.0)) -> tuple[Any, Any]:
    """Points and distribution function of rho for two tokens in a residual network of weight gamma^2 = square."""
    from seprank.shaped.two_tokens import correlation_law

    density = correlation_law(rho0, math.sqrt(square), [T], *c)[0]
    return np.tanh(density.edges), np.concatenate([[0.0], np.cumsum(density.masses)])


def stopped_law(
    V0: Array,
    block: str,
    gamma: float,
    tau0: float,
    c: tuple[float, float],
    n: int,
    depth: int,
    radius: float,
    paths: int,
) -> Array:
    """V of paths of the SDE stopped at `radius`, monitored every 1/n, two steps between: (paths, m, m)."""
    from seprank.shaped.integrate import integrate
    from seprank.shaped.setup import Setup

    setup = Setup(
        len(V0), n, depth, gamma, tau0, block, V0=V0, radius=radius, paths=paths, seed=41, c_plus=c[0], c_minus=c[1]
    )
    return np.asarray(integrate(setup, substeps=2, layers=(depth,)).covariances)[:, -1]
