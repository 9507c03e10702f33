"""What the limit says about a real model's sizes: T, noise or not, and which gamma keeps tokens apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge
from seprank.shaped.coefficients import linear_rate
from seprank.shaped.integrate import MOST_SECONDS, integrate, step_grid
from seprank.shaped.integrate import refuse_if_large as refuse_paths
from seprank.shaped.integrate import seconds as path_seconds
from seprank.shaped.setup import Law, Setup, equicorrelated
from seprank.validate import real_number, whole_number

ODE_NOISE = 0.1  # standard deviation of artanh(rho) below which the noise may be left out
SAFE_VALIDITY = 0.3
SAFE_STOPPED = 1e-3
LEAST_GAMMA = 0.01
GAMMA_STEPS = 7  # halvings of the interval of gamma
TAU0S = (0.5, 1.0, 2.0, 4.0)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Choice:
    """One tau0, and the largest `gamma` (None: none from 0.01 on) whose 95 % correlation stays at or below the level.

    `correlation` is the 95th percentile over paths and pairs of |rho| at that gamma (an estimate, between `low` and
    `high` with 95 % probability), `noise` the standard deviation of artanh(rho) that the linear noise alone gives,
    `stopped` the share of stopped paths (they count as |rho| = 1), `validity` the 95th percentile of the norm of V at
    T over tau0 sqrt(n), infinity where more than 5 % stop. All at that gamma, or at 0.01 without one.
    """

    tau0: float
    gamma: float | None
    correlation: float
    low: float
    high: float
    noise: float
    stopped: float
    validity: float

    @property
    def valid(self) -> bool:
        """Whether some gamma does, V stays below 0.3 tau0 sqrt(n), and at most one path in 1000 stops."""
        return self.gamma is not None and self.validity <= SAFE_VALIDITY and self.stopped <= SAFE_STOPPED


@dataclass(frozen=True)
class ShapedAdvice:
    """`base` holds the sizes (with gamma 1 and tau0 1), `choices` one entry for each tau0.

    `ode_gamma` is the gamma up to which the noise is so small that an ODE describes the correlations (1: always).
    """

    base: Setup
    rho0: float
    level: float
    ode_gamma: float
    choices: tuple[Choice, ...]

    @property
    def chosen(self) -> Choice | None:
        """The valid choice with the smallest tau0; None without one."""
        return next((choice for choice in self.choices if choice.valid), None)


def shaped_advice(
    base: Setup,
    rho0: float = 0.2,
    level: float = 0.9,
    tau0s: tuple[float, ...] = TAU0S,
    progress: Progress | None = None,
) -> ShapedAdvice:
    """For each tau0 the largest gamma whose 95th percentile of |rho| at T = depth / n stays below `level`.

    `base` gives sizes, block, mask, slopes, seed and paths; its gamma, tau0 and start are replaced (unit variances,
    correlation `rho0`). Estimates from paths of the SDE at the same seed, gamma by bisection to 0.01. It concerns
    initialisation only. Raises `InvalidInput` where |rho0| is not below `level` in (0, 1), or there are fewer than
    two tokens, and as `integrate`. Source: noci2023shaped; the rule for the noise is ours (docs/shaped.md).

    >>> found = shaped_advice(Setup(m=2, n=64, depth=64, gamma=1.0, tau0=1.0, paths=500), tau0s=(2.0,))
    >>> found.choices[0].gamma < 0.7, found.ode_gamma < 0.1
    (True, True)
    """
    whole_number("tokens", base.m, least=2)
    level, rho0 = real_number("level", level, positive=True), real_number("rho0", rho0)
    if not abs(rho0) < level < 1:
        raise InvalidInput(f"level must lie between |rho0| = {abs(rho0):g} and 1, got {level:g}")
    base, done = replace(base, V0=equicorrelated(base.m, rho0), gamma=1.0), [0]

    def law(gamma: float, tau0: float) -> Law:
        found = integrate(replace(base, gamma=gamma, tau0=tau0), layers=(base.depth,))
        done[0] += 1
        if progress is not None:
            progress(min(done[0], _runs(len(tau0s))), _runs(len(tau0s)))
        return found

    choices = tuple(_choice(base, tau0, level, law) for tau0 in sorted(tau0s))
    if progress is not None:
        progress(_runs(len(tau0s)), _runs(len(tau0s)))
    return ShapedAdvice(base, rho0, level, ode_gamma(base), choices)


def ode_gamma(base: Setup) -> float:
    """The largest gamma up to 1 with sqrt(rate T) <= 0.1, where rate is the weight of the linear noise at that gamma.

    >>> round(ode_gamma(Setup(m=2, n=768, depth=12, gamma=1.0, tau0=1.0, block="residual")), 3)
    0.566
    """
    low, high = 0.0, 1.0
    if linear_noise(base, 1.0) <= ODE_NOISE:
        return 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if linear_noise(base, middle) <= ODE_NOISE else (low, middle)
    return low


def linear_noise(base: Setup, gamma: float) -> float:
    """The standard deviation that the linear noise gives artanh(rho) of two tokens up to T at this `gamma`."""
    return math.sqrt(linear_rate(replace(base, gamma=gamma)) * base.T)


def seconds(base: Setup, tau0s: int = len(TAU0S)) -> float:
    """A rough estimate of the time that `shaped_advice` takes on one core."""
    return _runs(tau0s) * path_seconds(base, step_grid(base, layers=(base.depth,)))


def refuse_if_large(base: Setup, tau0s: int = len(TAU0S)) -> None:
    """Raise `TooLarge` where `shaped_advice` would take over four hours of one core, or too much memory."""
    refuse_paths(base, step_grid(base, layers=(base.depth,)))
    if (time := seconds(base, tau0s)) > MOST_SECONDS:
        raise TooLarge(
            f"laws at m={base.m}, depth={base.depth}, paths={base.paths} would take about {time / 3600:.2g} hours, "
            "above the limit of four; fewer paths or tokens fit"
        )


def quantile_95(law: Law) -> tuple[float, float, float]:
    """The 95th percentile of |rho| over paths and pairs at the last time, with order statistics below and above it.

    Stopped paths count as |rho| = 1. Pairs of one path are not independent; the interval takes each path as one
    observation, which is wide enough.
    """
    V, stopped = _final(law)
    rows, columns = np.triu_indices(V.shape[-1], 1)
    found = np.ones((len(V), len(rows)))
    roots = np.sqrt(V[~stopped].diagonal(axis1=1, axis2=2))
    found[~stopped] = np.abs(V[~stopped][:, rows, columns]) / (roots[:, rows] * roots[:, columns])
    error = 1.96 * math.sqrt(0.95 * 0.05 / len(V))
    levels = [0.95, 0.95 - error, min(1.0, 0.95 + error)]
    middle, low, high = np.quantile(np.minimum(found, 1.0), levels).tolist()
    return middle, low, high


def norm_95(law: Law) -> float:
    """The 95th percentile over paths of the norm of V at the last time; infinity where more than 5 % stop."""
    V, stopped = _final(law)
    norms = np.full(len(V), np.inf)
    norms[~stopped] = np.linalg.norm(V[~stopped], axis=(1, 2))
    return float(np.sort(norms)[math.ceil(0.95 * len(norms)) - 1])


def _final(law: Law) -> tuple[NDArray[Any], NDArray[Any]]:
    if law.covariances is None or law.stopped is None:
        raise InvalidInput("law must hold paths, got quantiles alone")
    return law.covariances[:, -1], law.stopped


def _choice(base: Setup, tau0: float, level: float, law: Callable[[float, float], Law]) -> Choice:
    gamma, found = 1.0, law(1.0, tau0)
    if quantile_95(found)[0] > level:
        gamma, found = LEAST_GAMMA, law(LEAST_GAMMA, tau0)
        if quantile_95(found)[0] > level:
            return _described(base, tau0, None, found)
        high = 1.0
        for _ in range(GAMMA_STEPS):
            middle = (gamma + high) / 2
            tried = law(middle, tau0)
            if quantile_95(tried)[0] > level:
                high = middle
            else:
                gamma, found = middle, tried
    return _described(base, tau0, gamma, found)


def _described(base: Setup, tau0: float, gamma: float | None, law: Law) -> Choice:
    noise = linear_noise(base, LEAST_GAMMA if gamma is None else gamma)
    validity = norm_95(law) / (tau0 * math.sqrt(base.n))
    return Choice(tau0, gamma, *quantile_95(law), noise, law.stopped_fraction, validity)


def _runs(tau0s: int) -> int:
    return tau0s * (GAMMA_STEPS + 2)
