"""What the figures of residual laws and of exits draw: networks beside the Fokker-Planck equation of the SDE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.shaped import finite
from seprank.shaped.figure_data import Progress, correlation, covariances, part
from seprank.shaped.setup import Setup, equicorrelated
from seprank.shaped.stability import hitting_probability
from seprank.shaped.two_tokens import correlation_law, distance_law

Array = NDArray[Any]

RHO0, LEVELS = 0.2, (0.05, 0.5, 0.95)
GAMMAS = (0.1, 0.3, 0.5, math.sqrt(0.5), 0.9, 1.0)
STARTS, WIDTHS, EXIT_GAMMAS = (100.0, 1.0), (200, 1000), (0.1, 0.3, 0.5, 0.7, 0.9)
EXIT_RADIUS, BEYOND = 1000.0, 1e30  # BEYOND stops a network long after D has left
MARKS = np.geomspace(1e-5, 1.0, 51)  # times of the SDE


@dataclass(frozen=True, eq=False)
class ResidualLaw:
    """The correlation of two tokens behind a residual network at T = depth / n: networks and Fokker-Planck.

    `sample` is sorted; `edges` and `masses` are the law of the SDE on a fine grid of rho; `quantiles` of the SDE and
    `intervals` (95 per cent, by order statistics) of the networks are given at 5, 50 and 95 per cent.
    `distance` is the Kolmogorov-Smirnov distance of the networks from the law of the SDE.
    """

    gamma: float
    sample: Array
    edges: Array
    masses: Array
    quantiles: tuple[float, ...]
    intervals: tuple[tuple[float, float, float], ...]
    distance: float


@dataclass(frozen=True, eq=False)
class Exits:
    """When networks from V_11 = `start` first have D = V_11 + V_22 - 2 V_12 above `radius`: `times` of every network,
    infinity for never by T = 1; `sde` is the probability of the SDE at `sde_times`, `ever` over unlimited time."""

    gamma: float
    n: int
    start: float
    radius: float
    times: Array
    sde_times: Array
    sde: Array
    ever: float

    @property
    def probability(self) -> float:
        """The share of networks that met the radius."""
        return float(np.isfinite(self.times).mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 per cent interval for the probability of a network."""
        N, z, share = len(self.times), 1.96, self.probability
        middle = (share + z**2 / (2 * N)) / (1 + z**2 / N)
        half = z / (1 + z**2 / N) * math.sqrt(share * (1 - share) / N + z**2 / (4 * N**2))
        return min(share, middle - half), max(share, middle + half)


def residual_laws(
    n: int = 100,
    networks: int = 8000,
    gammas: Sequence[float] = GAMMAS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[ResidualLaw]:
    """The correlation at T = 1 for several `gammas`, slopes (0, -1), start 0.2. Source: noci2023shaped, Fig. 3."""
    return [_residual_law(n, networks, g, seed, part(progress, i, len(gammas))) for i, g in enumerate(gammas)]


def _residual_law(n: int, networks: int, gamma: float, seed: int, progress: Progress | None) -> ResidualLaw:
    setup = Setup(2, n, n, gamma, 1.0, "residual", paths=networks, seed=seed)
    sample = np.sort(correlation(covariances(finite.simulate(setup, [n], progress))[:, -1]))
    density = correlation_law(RHO0, gamma, [1.0])[0]
    edges = np.sin(np.linspace(-math.pi / 2, math.pi / 2, 201))
    return ResidualLaw(
        gamma=gamma,
        sample=sample,
        edges=edges,
        masses=np.diff(density.cdf(_artanh(edges))),
        quantiles=tuple(math.tanh(density.quantile(level)) for level in LEVELS),
        intervals=tuple(quantile_interval(sample, level) for level in LEVELS),
        distance=_distance_from(sample, density.cdf(_artanh(sample))),
    )


def _artanh(rho: Array) -> Array:
    return np.arctanh(np.clip(rho, -1 + 1e-15, 1 - 1e-15))


def _distance_from(sample: Array, cdf: Array) -> float:
    ranks = np.arange(len(sample) + 1) / len(sample)
    return float(max(np.max(ranks[1:] - cdf), np.max(cdf - ranks[:-1])))


def quantile_interval(sample: Array, level: float) -> tuple[float, float, float]:
    """Low end, quantile, high end (95 per cent, order statistics) from a sorted sample.

    >>> quantile_interval(np.arange(101.0), 0.5)
    (40.0, 50.0, 60.0)
    """
    N = len(sample)
    half = 1.96 * math.sqrt(N * level * (1 - level))
    ends = np.clip([math.floor(N * level - half), math.ceil(N * level + half) - 1], 0, N - 1).astype(int)
    return float(sample[ends[0]]), float(np.quantile(sample, level)), float(sample[ends[1]])


def exits(
    networks: int = 300,
    starts: Sequence[float] = STARTS,
    widths: Sequence[int] = WIDTHS,
    gammas: Sequence[float] = EXIT_GAMMAS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Exits]:
    """Exit times of attention networks of depth n from small and large starts. Source: noci2023shaped, Fig. 5."""
    for n in widths:
        finite.refuse_if_large(Setup(2, n, n, gammas[0], 1.0, "attention", paths=networks), n + 1)
    cases = [(start, n, gamma) for start in starts for n in widths for gamma in gammas]
    sde = {(start, gamma): _sde_exits(start, gamma) for start in starts for gamma in gammas}
    return [
        _exit(networks, *case, seed, sde[case[0], case[2]], part(progress, index, len(cases)))
        for index, case in enumerate(cases)
    ]


def _sde_exits(start: float, gamma: float) -> tuple[Array, float]:
    D0 = 2 * start * (1 - RHO0)
    laws = distance_law(D0, gamma, 1.0, EXIT_RADIUS, MARKS, cells=3000, steps=600)
    return np.array([law.absorbed for law in laws]), hitting_probability(D0, EXIT_RADIUS, gamma, 1.0)


def _exit(
    networks: int, start: float, n: int, gamma: float, seed: int, sde: tuple[Array, float], progress: Progress | None
) -> Exits:
    V0 = start * equicorrelated(2, RHO0)
    setup = Setup(2, n, n, gamma, 1.0, "attention", V0=V0, radius=BEYOND, paths=networks, seed=seed)
    V = covariances(finite.simulate(setup, range(n + 1), progress))
    beyond = V[..., 0, 0] + V[..., 1, 1] - 2 * V[..., 0, 1] >= EXIT_RADIUS
    times = np.where(beyond.any(axis=1), beyond.argmax(axis=1) / n, math.inf)
    return Exits(gamma, n, start, EXIT_RADIUS, times, MARKS, *sde)
