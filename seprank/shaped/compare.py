"""Is a finite network described by the SDE? The two laws of the stopped covariance, entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.shaped import finite
from seprank.shaped.integrate import integrate
from seprank.shaped.quantiles import entries
from seprank.shaped.setup import Law, Setup

ALPHA = 0.05
TRUSTED = 0.5  # of the norm of V over tau0 sqrt(n)
RHO_DIGITS = 10  # correlations that agree so far are one value
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class EntryDistance:
    """Kolmogorov-Smirnov distance of the two samples of an entry such as ``V11`` or ``rho12``, and its p-value."""

    entry: str
    ks: float
    p: float


@dataclass(frozen=True)
class Comparison:
    """Distances of all entries; `critical` holds for one entry at 5 %, `joint_critical` for all together (Bonferroni).

    `agree` says that no distance exceeds `joint_critical`: the samples do not tell the laws apart, which bounds their
    distance by about twice that value and proves no more. `warnings` are sentences.
    """

    setup: Setup
    distances: tuple[EntryDistance, ...]
    critical: float
    joint_critical: float
    sde: Law
    network: Law
    warnings: tuple[str, ...]

    @property
    def agree(self) -> bool:
        """Whether the largest distance stays within `joint_critical`."""
        return self.largest.ks <= self.joint_critical

    @property
    def largest(self) -> EntryDistance:
        """The entry that is furthest apart."""
        return max(self.distances, key=lambda distance: distance.ks)


def compare(
    setup: Setup, monitoring: str = "layers", finite_width: bool = False, progress: Progress | None = None
) -> Comparison:
    """The SDE of `setup` against networks of its width at T = depth / n, both stopped at the radius.

    `monitoring` is that of the SDE ("layers" tests the exit as a network does, "continuous" at every moment), and
    `finite_width` multiplies its ReLU drift by c_n. An estimate with fixed seeds; errors as in
    `finite.simulate` and `integrate`.
    Source: noci2023shaped, Theorems 3.2 and 4.2, Corollary 4.3.

    >>> found = compare(Setup(m=2, n=100, depth=50, gamma=0.5, tau0=1.0, seed=1, paths=2000))
    >>> found.agree, round(found.critical, 4), [distance.entry for distance in found.distances]
    (True, 0.0429, ['V11', 'V22', 'rho12'])
    """
    sde = integrate(setup, monitoring=monitoring, finite_width=finite_width, layers=(setup.depth,))
    network = finite.simulate(setup, layers=(setup.depth,), progress=progress)
    distances = law_distances(sde, network)
    return Comparison(
        setup,
        distances,
        critical_distance(setup.paths, setup.paths),
        critical_distance(setup.paths, setup.paths, ALPHA / len(distances)),
        sde,
        network,
        tuple(_warnings(setup, monitoring, sde, network)),
    )


def law_distances(first: Law, second: Law) -> tuple[EntryDistance, ...]:
    """Two-sample KS distance and asymptotic p-value of every variance and correlation at the last time of two laws.

    Raises `InvalidInput` where a law has no paths or the laws are of different numbers of tokens.
    """
    from scipy.stats import ks_2samp

    samples = [final_entries(law) for law in (first, second)]
    if samples[0].keys() != samples[1].keys():
        raise InvalidInput(f"laws must be of equally many tokens, got {len(samples[0])} and {len(samples[1])} entries")
    found = []
    for entry, sample in samples[0].items():
        test = ks_2samp(sample, samples[1][entry], method="asymp")
        found.append(EntryDistance(entry, float(test.statistic), float(test.pvalue)))
    return tuple(found)


def final_entries(law: Law) -> Mapping[str, NDArray[Any]]:
    """Samples of the variances ``V11``, ... and correlations ``rho12``, ... at the last time, by name."""
    if law.covariances is None:
        raise InvalidInput("law must hold paths, got quantiles alone")
    found = entries(law.covariances[:, -1])
    return {name: np.round(values, RHO_DIGITS) if name.startswith("rho") else values for name, values in found.items()}


def typical_norm(law: Law) -> float:
    """The 95th percentile over paths of the Frobenius norm of V at the last time."""
    if law.covariances is None:
        raise InvalidInput("law must hold paths, got quantiles alone")
    return float(np.quantile(np.linalg.norm(law.covariances[:, -1], axis=(1, 2)), 0.95))


def critical_distance(first: int, second: int, alpha: float = ALPHA) -> float:
    """The two-sample KS distance that equal laws exceed with probability `alpha`, for large samples.

    >>> round(critical_distance(16384, 16384), 4)
    0.015
    """
    from scipy.stats import kstwobign

    return float(kstwobign.isf(alpha)) * math.sqrt((first + second) / (first * second))


def _warnings(setup: Setup, monitoring: str, sde: Law, network: Law) -> list[str]:
    found = []
    if monitoring != "layers" and (sde.stopped_fraction or network.stopped_fraction):
        found.append(
            "Exit monitoring differs: the SDE is stopped at any moment and put on the radius, networks are tested "
            "behind each layer and overshoot; --monitoring layers tests both alike."
        )
    if abs(sde.stopped_fraction - network.stopped_fraction) > critical_distance(setup.paths, setup.paths):
        found.append(
            f"Different shares of paths stop: {sde.stopped_fraction:.3f} of the SDE, {network.stopped_fraction:.3f} "
            "of the networks."
        )
    typical = typical_norm(network) / setup.validity_scale
    if setup.attends and typical > TRUSTED:
        found.append(
            f"5 % of the networks end with a norm of V above {typical:.2g} tau0 sqrt(n): the limit describes networks "
            "where that is far below 1."
        )
    if sde.clip_rate > 1e-3:
        found.append(f"{100 * sde.clip_rate:.2g} % of the SDE's paths lost positivity and were clipped.")
    return found
