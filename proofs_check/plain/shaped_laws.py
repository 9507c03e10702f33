"""Laws at a horizon: stopped networks, Euler schemes, a Markov chain on a grid in one dimension, distances."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import expm_multiply

from proofs_check.plain.shaped_formulas import RIGHT, Variant, block, packed, pairs, relu_drift
from proofs_check.plain.shaped_networks import attention_step, residual_step, root, source

Array = Any


def correlation(V: Array) -> Array:
    """Correlations of (..., m, m)."""
    own = np.sqrt(np.einsum("...aa->...a", V))
    return V / (own[..., :, None] * own[..., None, :])


def statistics(V: Array) -> Array:
    """Variances and correlations of paths (paths, m, m): (M, paths)."""
    a, b = pairs(V.shape[-1])
    R = correlation(V)
    return np.array([V[:, i, i] if i == j else R[:, i, j] for i, j in zip(a, b, strict=True)])


def stopped_networks(
    V0: Array,
    kind: str,
    gamma: float,
    tau0: float,
    c: tuple[float, float],
    n: int,
    depth: int,
    radius: float,
    paths: int,
    seed: int,
) -> Array:
    """V of `paths` networks after `depth` blocks, frozen at the first block where its norm reaches `radius`."""
    draw, V = source(seed), np.broadcast_to(V0, (paths, *V0.shape)).copy()
    running = np.arange(paths)
    for _ in range(depth):
        now = V[running]
        if kind != "residual":
            now = attention_step(now, gamma, tau0, n, V.shape[-1], len(running), draw)
        if kind != "attention":
            now = residual_step(now, gamma, c, n, n, len(running), draw)
        V[running] = now
        running = running[np.linalg.norm(now, axis=(1, 2)) < radius]
    return V


def stopped_euler(
    V0: Array,
    kind: str,
    gamma: float,
    tau0: float,
    gap: float,
    steps: int,
    T: float,
    radius: float,
    paths: int,
    seed: int,
    variant: Variant = RIGHT,
    monitor: int = 1,
) -> Array:
    """The generic scheme: a root of the whole covariance of the entries, negative eigenvalues clipped.

    Exits are tested after every `monitor` steps.
    """
    m = V0.shape[-1]
    a, b = pairs(m)
    draw, V, dt = source(seed, 1), np.broadcast_to(V0, (paths, m, m)).copy(), T / steps
    running = np.arange(paths)
    for step in range(steps):
        now = V[running]
        drift, noise = block(now, gamma, tau0, gap, kind, variant)
        xi = draw.standard_normal((len(running), len(a), 1))
        now[:, a, b] += drift[:, a, b] * dt + math.sqrt(dt) * (root(packed(noise)) @ xi)[..., 0]
        now[:, b, a] = now[:, a, b]
        V[running] = now = clipped(now)
        limit = radius if (step + 1) % monitor == 0 else 100 * radius  # far beyond, a path may leave the floats
        running = running[np.linalg.norm(now, axis=(1, 2)) < limit]
    return V


def stopped_structured(
    V0: Array,
    kind: str,
    gamma: float,
    tau0: float,
    gap: float,
    steps: int,
    T: float,
    radius: float,
    paths: int,
    seed: int,
    variant: Variant = RIGHT,
    monitor: int = 1,
) -> Array:
    """The same with noise from two m x m normal matrices whose covariance is that of the block: (paths, m, m)."""
    m = V0.shape[-1]
    draw, V, dt = source(seed, 2), np.broadcast_to(V0, (paths, m, m)).copy(), T / steps
    attends, activates = kind != "residual", kind != "attention"
    linear = attends * gamma**2 * (2 - gamma**2) + activates * 2 * gamma**2
    linear = linear if variant.linear is None else variant.linear
    running = np.arange(paths)
    for step in range(steps):
        now = V[running]
        R = root(now)
        Z, E = draw.standard_normal((2, *now.shape))
        noise = math.sqrt(linear / 2) * (R @ (Z + np.swapaxes(Z, 1, 2)) @ np.swapaxes(R, 1, 2))
        drift = np.zeros_like(now)
        if activates:
            drift = variant.relu * gamma**2 * relu_drift(now, gap)
        if attends:
            drift = drift + compact_drift(now, gamma, tau0, variant)
            side = R @ E @ np.swapaxes(R, 1, 2) @ (now - now.mean(axis=1, keepdims=True))
            noise += math.sqrt(variant.noise) * gamma**2 / (tau0 * m) * (side + np.swapaxes(side, 1, 2))
        V[running] = now = clipped(now + dt * drift + math.sqrt(dt) * noise)
        limit = radius if (step + 1) % monitor == 0 else 100 * radius  # far beyond, a path may leave the floats
        running = running[np.linalg.norm(now, axis=(1, 2)) < limit]
    return V


def compact_drift(V: Array, gamma: float, tau0: float, variant: Variant) -> Array:
    """b of shaped attention with the switches of a variant, in products of matrices."""
    m = V.shape[-1]
    mean = V.mean(axis=-1)
    C = V - mean[:, :, None] - mean[:, None, :] + mean.mean(axis=-1)[:, None, None]
    own, spread = np.einsum("caa->ca", V), np.einsum("caa->ca", C)
    spread = spread - spread.mean(axis=-1, keepdims=True)
    cross = own[:, :, None] * np.einsum("can,cn->ca", V, spread)[:, None, :]
    first = (C**2).sum(axis=(1, 2))[:, None, None] / m**2 * V
    second = (cross + np.swapaxes(cross, 1, 2)) / (2 * m)
    return variant.drift * gamma**2 / tau0**2 * (variant.s1 * first + variant.s2 * second)


def clipped(V: Array) -> Array:
    """V with eigenvalues below 1e-9 of the trace lifted to that, where elimination meets a pivot below it."""
    floor = 1e-9 * np.abs(np.einsum("caa->c", V))
    left, bad = V.copy(), np.zeros(len(V), bool)
    for k in range(V.shape[-1]):
        pivot = left[:, k, k]
        bad |= pivot < floor
        safe = np.where(bad, 1.0, pivot)
        left = left - left[:, :, k, None] * left[:, None, k, :] / safe[:, None, None]
    if bad.any():
        values, vectors = np.linalg.eigh(V[bad])
        lifted = np.maximum(values, floor[bad][:, None])
        V[bad] = (vectors * lifted[:, None, :]) @ np.swapaxes(vectors, -1, -2)
    return V


def distance(first: Array, second: Array) -> float:
    """The two-sample Kolmogorov-Smirnov distance."""
    x, y = np.sort(first), np.sort(second)
    both = np.concatenate([x, y])
    below = np.searchsorted(x, both, "right") / len(x) - np.searchsorted(y, both, "right") / len(y)
    return float(np.abs(below).max())


def distance_to(samples: Array, points: Array, cdf: Array) -> float:
    """The distance of samples from a distribution function given at ascending points."""
    x = np.sort(samples)
    F = np.interp(x, points, cdf, left=0.0, right=1.0)
    rank = np.arange(len(x))
    return float(max(np.abs(F - rank / len(x)).max(), np.abs(F - (rank + 1) / len(x)).max()))


def grid_law(
    drift: Callable[[Array], Array],
    variance: Callable[[Array], Array],
    start: float,
    T: float,
    low: float,
    high: float,
    cells: int = 600,
    absorbing: bool = False,
) -> tuple[Array, Array, float]:
    """Points, distribution function and mass absorbed at `high` of dx = drift dt + sqrt(variance) dB at time T.

    A birth-death chain on a grid through `start` with rates that match drift and variance (second order in the
    spacing), by the exponential of its generator.
    """
    h = (high - low) / cells
    cells = int((high - start) / h) + int((start - low) / h) + 1
    first = start - int((start - low) / h) * h
    if absorbing:  # a grid point at the absorbing end
        h = (high - start) / int((high - start) / h)
        first = start - int((start - low) / h) * h
        cells = round((high - first) / h) + 1
    x = first + h * np.arange(cells)
    up = variance(x) / (2 * h * h) + drift(x) / (2 * h)
    down = variance(x) / (2 * h * h) - drift(x) / (2 * h)
    upwind = (up < 0) | (down < 0)
    up = np.where(upwind, variance(x) / (2 * h * h) + np.maximum(drift(x), 0) / h, up)
    down = np.where(upwind, variance(x) / (2 * h * h) + np.maximum(-drift(x), 0) / h, down)
    up[-1], down[0] = 0.0, 0.0
    if absorbing:
        down[-1] = 0.0
    begin = np.zeros(cells)
    begin[round((start - first) / h)] = 1.0
    forward = diags_array([up[:-1], -(up + down), down[1:]], offsets=[-1, 0, 1], format="csr")
    law = expm_multiply(T * forward, begin, traceA=float(-T * (up + down).sum()))
    mass = law[-1] if absorbing else 0.0
    return x + h / 2, np.cumsum(law), float(mass)


def residual_law(rho0: float, gamma: float, T: float, gap: float, **wrong: float) -> tuple[Array, Array]:
    """Distribution function of the correlation of two tokens in a residual network: u = artanh rho on a grid.

    Wrong variants: noise = another multiple of Sigma_lin, power = gamma to another power in the drift and the noise,
    sign = -1 for the printed sign, relu = a factor on the drift.
    """
    strength = gamma ** wrong.get("power", 2.0)
    s, sign = wrong.get("noise", 2.0) * strength, wrong.get("sign", 1.0)

    def drift(u: Array) -> Array:
        rho, angle = np.tanh(u), np.arctan2(1.0, np.sinh(u))  # arccos(rho) without loss near 1
        nu = gap / (2 * math.pi) * (1 / np.cosh(u) - sign * rho * angle)
        return wrong.get("relu", 1.0) * strength * nu * np.cosh(u) ** 2 + s / 2 * rho

    low = -3.2 if gap >= 1 else -6.5  # a strong drift keeps u above
    points, cdf, _ = grid_law(drift, lambda u: np.full_like(u, s), math.atanh(rho0), T, low, 6.5)
    return np.tanh(points), cdf


def quantiles(points: Array, cdf: Array, levels: tuple[float, ...] = (0.05, 0.5, 0.95)) -> Array:
    """Quantiles of a distribution function by interpolation."""
    keep = np.concatenate([[True], np.diff(cdf) > 1e-15])
    return np.interp(levels, cdf[keep], points[keep])
