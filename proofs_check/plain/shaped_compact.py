"""Coefficients of the covariance SDEs in compact form: matrix products only, any mask, heads, hidden width."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import solve_banded

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


def compact_drift(V: Array, gamma: float, tau0: float) -> Array:
    """b without a mask: ||C||^2 V / m^2 and two rank-one parts."""
    m = len(V)
    H = np.eye(m) - 1 / m
    C = H @ V @ H
    g = V @ (np.diag(C) - np.trace(C) / m)
    cross = np.outer(np.diag(V), g)
    return gamma**2 / tau0**2 * ((C * C).sum() / m**2 * V + (cross + cross.T) / (2 * m))


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


def residual_noise(V: Array, gamma: float, ratio: float = 1.0) -> Array:
    """Sigma_res with hidden width ratio * n."""
    return gamma**2 * (2 - gamma**2 + gamma**2 / ratio) * linear(V)


def relu_drift(V: Array, gap: float) -> Array:
    """b_ReLU by the angle theta between tokens: sin(theta) - theta cos(theta)."""
    scale = np.sqrt(np.outer(np.diag(V), np.diag(V)))
    theta = np.arccos(np.clip(V / scale, -1, 1))
    np.fill_diagonal(theta, 0.0)
    return gap / (2 * math.pi) * (np.sin(theta) - theta * np.cos(theta)) * scale


def s2_matrix(V: Array) -> Array:
    """S2 = diag(V) (diag(C) - tr C / m)^T."""
    H = np.eye(len(V)) - 1 / len(V)
    own = np.diag(H @ V @ H)
    return np.outer(np.diag(V), own - own.mean())


def s1_tensor(V: Array) -> Array:
    """S1^{ad,bw} = V^{ab} C^{dw} with indices a, d, b, w."""
    m = len(V)
    H = np.eye(m) - 1 / m
    return np.kron(V, H @ V @ H).reshape(m, m, m, m)


def normaliser(c_plus: float, c_minus: float, n: int) -> float:
    """c_n = 1 / (a^2 + b^2) with phi(x) = a x + b |x|."""
    a = 1 + (c_plus + c_minus) / (2 * math.sqrt(n))
    b = (c_plus - c_minus) / (2 * math.sqrt(n))
    return 1 / (a * a + b * b)


def nu_by_series(rho: float, gap: float) -> float:
    """nu = (gap / 4)(E |g g'| - rho) with |x| expanded in Hermite polynomials."""
    total, term = 1.0, 1.0
    for k in range(1, 3000):
        odd = 2 * k - 3 if k > 1 else 1
        term *= odd * odd * rho * rho / ((2 * k - 1) * (2 * k))
        total += term
    return gap / 4 * (2 / math.pi * total - rho)


def correlation_law(rho0: float, square: float, T: float, gap: float, cells: int = 3000, steps: int = 400) -> Any:
    """Distribution function of rho: Fokker-Planck by centred finite volumes in artanh(rho), BDF2 after small steps."""
    ends = np.linspace(-3.4, 7.0, cells + 1)
    h = ends[1] - ends[0]
    middle = (ends[1:] + ends[:-1]) / 2
    rho, theta = np.tanh(ends), np.arccos(np.tanh(ends))
    theta[-cells // 8 :] = 2 * np.arctan(np.exp(-ends[-cells // 8 :]))
    nu = gap / (2 * math.pi) * (np.sin(theta) - theta * np.cos(theta))
    near = theta < 1e-3
    nu[near] = gap / (2 * math.pi) * theta[near] ** 3 / 3
    v = square * nu * np.cosh(ends) ** 2 + square * rho
    left = v / 2 + square / h  # flux through an end = left p_below - right p_above
    right = -v / 2 + square / h
    left[[0, -1]] = right[[0, -1]] = 0.0
    bands = np.zeros((3, cells))
    bands[0, 1:] = right[1:-1] / h
    bands[1] = -(left[1:] + right[:-1]) / h
    bands[2, :-1] = left[1:-1] / h
    place = (math.atanh(rho0) - middle[0]) / h
    p = np.zeros(cells)
    p[int(place)], p[int(place) + 1] = 1 - place % 1, place % 1
    dt = T / steps
    unit = np.zeros((3, cells))
    unit[1] = 1.0
    older = p
    for _ in range(8):
        p = solve_banded((1, 1), unit - dt / 8 * bands, p)
    for _ in range(steps - 1):
        p, older = solve_banded((1, 1), unit - 2 / 3 * dt * bands, (4 * p - older) / 3), p
    return np.tanh(ends[1:]), np.cumsum(p)


def splitting(
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
) -> Array:
    """Stopped paths at time T by three positive parts a step: ReLU map, attention noise, linear noise (paths, m, m)."""
    m, dt = len(V0), T / steps
    draw = np.random.default_rng([seed, 9])
    H = np.eye(m) - 1 / m
    s = {"residual": 2 * gamma**2, "attention": gamma**2 * (2 - gamma**2)}.get(kind, gamma**2 * (4 - gamma**2))
    V, running = np.repeat(V0[None], paths, axis=0), np.arange(paths)
    for _ in range(steps):
        now = V[running]
        if kind != "attention":
            now = now + dt * gamma**2 * relu_drift_batch(now, gap)
        R = np.linalg.cholesky(now + 1e-14 * now.trace(axis1=1, axis2=2)[:, None, None] * np.eye(m))
        if kind != "residual":
            C = H @ now @ H
            own = np.diagonal(C, axis1=1, axis2=2)
            spread = own - own.mean(axis=1, keepdims=True)
            S2 = np.diagonal(now, axis1=1, axis2=2)[:, :, None] * spread[:, None, :]
            E = draw.standard_normal((len(now), m, m))
            Q = gamma**2 * math.sqrt(dt) / (tau0 * m) * (R @ E @ R.transpose(0, 2, 1) @ H)
            Q += gamma**2 * dt / (2 * m * tau0**2) * S2
            theta = dt * gamma**2 * (1 - gamma**2) / (2 * m * m * tau0**2) * (C * C).sum(axis=(1, 2))
            R = np.exp(theta)[:, None, None] * (R + Q @ R)
        Z = draw.standard_normal((len(now), m, m))
        R = R @ (math.sqrt(1 - m * s * dt / 2) * np.eye(m) + math.sqrt(s * dt / 2) * Z)
        V[running] = now = R @ R.transpose(0, 2, 1)
        running = running[np.linalg.norm(now, axis=(1, 2)) < radius]
    return V


def relu_drift_batch(V: Array, gap: float) -> Array:
    """b_ReLU for (paths, m, m)."""
    own = np.sqrt(np.diagonal(V, axis1=1, axis2=2))
    scale = own[:, :, None] * own[:, None, :]
    theta = np.arccos(np.clip(V / scale, -1, 1))
    theta[:, np.arange(V.shape[1]), np.arange(V.shape[1])] = 0.0
    return gap / (2 * math.pi) * (np.sin(theta) - theta * np.cos(theta)) * scale


def statistics(V: Array) -> Array:
    """Variances and correlations of (paths, m, m): (M, paths)."""
    own = np.sqrt(np.diagonal(V, axis1=1, axis2=2))
    R = V / (own[:, :, None] * own[:, None, :])
    return np.array([V[:, a, a] if a == b else R[:, a, b] for a in range(V.shape[1]) for b in range(a, V.shape[1])])
