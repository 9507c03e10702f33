"""Two tokens without Monte Carlo noise: the correlation of residual networks, the distance under attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput, OutOfScope
from seprank.shaped.activation import nu
from seprank.shaped.coefficients import attention_rate, linear_rate
from seprank.shaped.fokker_planck import Density, solve
from seprank.shaped.integrate import step_grid
from seprank.shaped.setup import LEVELS, RADIUS_FACTOR, Law, Setup
from seprank.validate import real_number

Array = NDArray[Any]


def correlation_law(
    rho0: float,
    gamma: float,
    times: ArrayLike,
    c_plus: float = 0.0,
    c_minus: float = -1.0,
    rate: float | None = None,
    cells: int = 4000,
    steps: int = 800,
) -> list[Density]:
    """The law of u = artanh rho of two tokens in a residual network at each of `times`.

    du = (gamma^2 nu(rho) / (1 - rho^2) + s rho / 2) dt + sqrt(s) dB with s = `rate`, by default 2 gamma^2 (ratio 1 of
    the hidden width; s = 1 and gamma = 1 is a plain MLP). Deterministic, right to about 1e-5 in the distribution
    function. Source: noci2023shaped, Theorem 3.2, by Ito's formula. Raises `InvalidInput` unless -1 < rho0 < 1.

    >>> law = correlation_law(0.2, 0.5, [1.0])[0]
    >>> round(math.tanh(law.quantile(0.5)), 4)
    0.2817
    """
    s = 2 * gamma**2 if rate is None else rate
    if not abs(real_number("rho0", rho0, -1.0, 1.0)) < 1:
        raise InvalidInput(f"rho0 must lie strictly between -1 and 1 for a density, got {rho0!r}")
    u0, T = math.atanh(rho0), float(np.max(np.asarray(times, np.float64)))
    reach = max(10.0, abs(u0) + 0.5 * s * T + gamma**2 * (c_plus - c_minus) ** 2 * T + 8 * math.sqrt(s * T))

    def drift(u: Array) -> Array:
        rho = np.tanh(u)
        return gamma**2 * nu(rho, c_plus, c_minus) * np.cosh(np.clip(u, -300, 300)) ** 2 + s / 2 * rho

    return solve(drift, lambda u: np.full_like(u, s), u0, -reach, reach, times, cells=cells, steps=steps)


def distance_law(
    D0: float,
    gamma: float,
    tau0: float,
    radius: float,
    times: ArrayLike,
    rate: float | None = None,
    heads: int = 1,
    cells: int = 6000,
    steps: int = 2000,
) -> list[Density]:
    """The law of log D, D = V_11 + V_22 - 2 V_12, of two tokens under shaped attention, stopped at D = `radius`.

    dD = a D^3 dt + sqrt(2 s D^2 + b D^4) dB with a = gamma^2 / (16 tau0^2), b = gamma^4 / (4 heads tau0^2) and
    s = gamma^2 (2 - gamma^2) by default; `absorbed` is the probability of having met the radius at any moment.
    Deterministic, right to about 1e-5. Source: noci2023shaped, Theorem 4.2, for m = 2. Raises `InvalidInput`.

    >>> law = distance_law(1.6, 0.5, 1.0, 8.0, [1.0])[0]
    >>> round(law.absorbed, 5), round(math.exp(law.quantile(0.5)), 4)
    (0.06457, 1.0361)
    """
    D0, radius = real_number("D0", D0, positive=True), real_number("radius", radius, positive=True)
    if radius <= D0:
        raise InvalidInput(f"radius must exceed the squared distance {D0:.6g} of the tokens, got {radius:g}")
    s = attention_rate(gamma) if rate is None else rate
    a, b = gamma**2 / (16 * tau0**2), gamma**4 / (4 * heads * tau0**2)
    T = float(np.max(np.asarray(times, np.float64)))
    low = math.log(D0) - max(2.0, s * T + 9 * math.sqrt(2 * s * T + b * D0**2 * T))

    def drift(x: Array) -> Array:
        return a * np.exp(2 * x) - s - b / 2 * np.exp(2 * x)

    def variance(x: Array) -> Array:
        return 2 * s + b * np.exp(2 * x)

    start, high = math.log(D0), math.log(radius)
    return solve(drift, variance, start, low, high, times, absorbing=True, cells=cells, steps=steps)


def fokker_planck(setup: Setup) -> Law:
    """The `Law` of `setup` for two tokens as quantiles, deterministic: no paths, no clipping.

    A residual block gives ``rho12`` and the lognormal ``V11`` and ``V22``, never stopped; attention without a mask
    gives ``D12``, stopped when the squared distance D reaches the radius (by default 20 times its start). Raises
    `OutOfScope` for other m, the full block or a mask, whose laws have no equation in one variable.
    """
    if setup.m != 2 or setup.block == "full":
        raise OutOfScope(
            "fokker-planck needs m = 2 and the block residual or attention, where one variable is autonomous, got "
            f"m = {setup.m} and {setup.block}"
        )
    return _residual(setup) if setup.block == "residual" else _attention(setup)


def _residual(setup: Setup) -> Law:
    if setup.radius is not None:
        raise OutOfScope(f"fokker-planck follows residual networks without stopping, got radius {setup.radius:g}")
    times = _times(setup)
    V, s = setup.start, linear_rate(setup)
    rho0 = V[0, 1] / math.sqrt(V[0, 0] * V[1, 1])
    laws = correlation_law(rho0, setup.gamma, times, setup.c_plus, setup.c_minus, s)
    rho = [[math.tanh(law.quantile(level / 100)) for level in LEVELS] for law in laws]
    rho[0] = [rho0] * len(LEVELS)
    found = {f"V{i + 1}{i + 1}": V[i, i] * lognormal_quantiles(s, times) for i in range(2)}
    found["rho12"] = np.array(rho)
    norms = np.linalg.norm([found["V11"][:, -1], found["V22"][:, -1]], axis=0)
    return Law(times, None, None, 0.0, float(norms.max()) / setup.validity_scale, found, 0.0)


def lognormal_quantiles(s: float, times: ArrayLike) -> Array:
    """(k, 5) quantiles at `LEVELS` of a variance of start 1: log V is normal with mean -s t and variance 2 s t."""
    from scipy.stats import norm

    t = np.asarray(times, np.float64)[:, None]
    return np.exp(-s * t + np.sqrt(2 * s * t) * norm.ppf(np.array(LEVELS) / 100))


def _attention(setup: Setup) -> Law:
    if setup.mask is not None and not setup.mask.all():
        raise OutOfScope("fokker-planck needs attention without a mask, got one")
    V, times = setup.start, _times(setup)
    D0 = V[0, 0] + V[1, 1] - 2 * V[0, 1]
    if D0 <= 1e-12 * np.trace(V):
        raise OutOfScope(f"fokker-planck needs tokens that differ, got a squared distance of {D0:.3g}")
    radius = RADIUS_FACTOR * D0 if setup.radius is None else setup.radius
    laws = distance_law(D0, setup.gamma, setup.tau0, radius, times, heads=setup.heads)
    D = np.array([[math.exp(law.quantile(level / 100)) for level in LEVELS] for law in laws])
    D[0] = D0
    absorbed = laws[-1].absorbed
    largest = radius if absorbed > 1e-6 else float(D.max())
    return Law(times, None, None, 0.0, largest / setup.validity_scale, {"D12": D}, absorbed)


def _times(setup: Setup) -> Array:
    return np.array(step_grid(setup).layers) / setup.n
