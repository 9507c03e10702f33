"""The runs behind the figures of the paper at initialisation, with the sizes that reproduce their claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from seprank.signal.depth import DepthRun, depth_run, part, token_run
from seprank.signal.depth_rows import TokenRow
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.tokens import GaussianTokens

if TYPE_CHECKING:
    from seprank.signal.depth_measure import Progress
    from seprank.signal.layer_measure import LayerPoint

ROOT = "1/sqrt(L)"
CENTRE = GaussianTokens(n=16, d=32, rho=0.2)  # of the sweeps of Fig. 12
SIGMAS = (0.125, 0.5, 1.0)
GRID = {"rho": (0.0, 0.25, 0.5, 0.75), "sigma": (0.25, 0.5, 1.0, 1.5), "n": (4, 8, 16, 32), "d": (8, 16, 32, 64)}


@dataclass(frozen=True)
class NormSamples:
    """log10 of the squared norm of the output of many networks at one input scale and depth, with softmax and with
    uniform attention, and the Kolmogorov-Smirnov distance of the two samples."""

    sigma: float
    sizes: NetworkSizes
    softmax: np.ndarray
    uniform: np.ndarray

    @property
    def distance(self) -> float:
        """The largest difference of the two distribution functions."""
        both = np.concatenate([self.softmax, self.uniform])
        shares = [
            np.searchsorted(np.sort(each), both, side="right") / len(each) for each in (self.softmax, self.uniform)
        ]
        return float(np.abs(shares[0] - shares[1]).max())


def scaling_runs(L: int = 12, seeds: int = 20, progress: Progress | None = None) -> dict[str, DepthRun]:
    """POST-LN with branch scales 1, 0.5 and 1/sqrt(L), by scale. Source: noci2022signal, Fig. 3."""
    sizes = {alpha: _sizes(L, "post", alpha) for alpha in ("1", "0.5", ROOT)}
    return _runs(sizes, GaussianTokens(n=16, d=64), seeds, progress)


def layer_norm_runs(L: int = 48, seeds: int = 20, progress: Progress | None = None) -> dict[str, DepthRun]:
    """POST-LN, PRE-LN, and scaled branches with POST-LN and without layer norm. Source: noci2022signal, Fig. 4."""
    sizes = {
        "POST-LN": _sizes(L, "post", "1"),
        "PRE-LN": _sizes(L, "pre", "1"),
        f"POST-LN, {ROOT}": _sizes(L, "post", ROOT),
        f"no LN, {ROOT}": _sizes(L, "none", ROOT),
    }
    return _runs(sizes, GaussianTokens(n=16, d=64), seeds, progress)


def pre_norm_runs(L: int = 12, seeds: int = 20, progress: Progress | None = None) -> dict[str, DepthRun]:
    """PRE-LN beside POST-LN. Source: noci2022signal, Fig. 10."""
    sizes = {"PRE-LN": _sizes(L, "pre", "1"), "POST-LN": _sizes(L, "post", "1")}
    return _runs(sizes, GaussianTokens(n=16, d=64), seeds, progress)


def very_deep_runs(
    L: int = 200, seeds: int = 20, progress: Progress | None = None
) -> dict[tuple[str, str], list[TokenRow]]:
    """No layer norm, scales 1, 0.5 and 1/sqrt(L), linear and ReLU, by activation and scale: tokens layer by layer.

    Source: noci2022signal, Fig. 9.
    """
    kinds = [(activation, alpha) for activation in ("linear", "relu") for alpha in ("1", "0.5", ROOT)]
    tokens = GaussianTokens(n=8, d=32, sigma=1 / sqrt(32))
    found = {}
    for index, (activation, alpha) in enumerate(kinds):
        sizes = NetworkSizes(L=L, d=32, activation=activation, alpha1=alpha, alpha2=alpha)  # type: ignore[arg-type]
        found[activation, alpha], _ = token_run(sizes, tokens, seeds, part(progress, index, len(kinds)))
    return found


def norm_samples(networks: int = 500, progress: Progress | None = None) -> list[NormSamples]:
    """Norms behind 4, 16 and 32 linear blocks of branch scale 0.5, at input scales 1/sqrt(d), 1 and 2.

    Source: noci2022signal, Fig. 11.
    """
    cases = [(sigma, L) for sigma in (1 / sqrt(32), 1.0, 2.0) for L in (4, 16, 32)]
    found = []
    for index, (sigma, L) in enumerate(cases):
        tokens, logs = GaussianTokens(n=8, d=32, sigma=sigma), []
        for place, attention in enumerate(("softmax", "uniform")):
            sizes = NetworkSizes(L=L, d=32, activation="linear", attention=attention, alpha1=0.5, alpha2=0.5)
            _, norms = token_run(sizes, tokens, networks, part(progress, 2 * index + place, 2 * len(cases)))
            logs.append(np.log10(norms))
        found.append(NormSamples(sigma, sizes, *logs))
    return found


def sweep_tokens() -> dict[str, list[GaussianTokens]]:
    """The tokens of the sweeps over d, n and rho at three input scales, and over sigma (noci2022signal, Fig. 12)."""
    n, d, rho = CENTRE.n, CENTRE.d, CENTRE.rho
    return {
        "d": [GaussianTokens(n, each, rho, sigma) for sigma in SIGMAS for each in (8, 16, 32, 64, 128)],
        "n": [GaussianTokens(each, d, rho, sigma) for sigma in SIGMAS for each in (2, 4, 8, 16, 32, 64)],
        "rho": [GaussianTokens(n, d, each, sigma) for sigma in SIGMAS for each in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)],
        "sigma": [GaussianTokens(n, d, rho, each) for each in (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)],
    }


def sweeps(draws: int = 150, progress: Progress | None = None) -> dict[str, list[LayerPoint]]:
    """One layer along each of the sweeps of `sweep_tokens`."""
    from seprank.signal.layer_measure import measure_layers

    groups = sweep_tokens()
    points = iter(measure_layers([tokens for group in groups.values() for tokens in group], draws, progress))
    return {name: [next(points) for _ in group] for name, group in groups.items()}


def grid(draws: int = 60, progress: Progress | None = None) -> list[LayerPoint]:
    """One layer at every point of `GRID`, rho slowest, then sigma, n, d. Source: noci2022signal, Fig. 13 and 14."""
    from seprank.signal.layer_measure import measure_layers

    tokens = [
        GaussianTokens(n, d, rho, sigma)
        for rho in GRID["rho"]
        for sigma in GRID["sigma"]
        for n in map(int, GRID["n"])
        for d in map(int, GRID["d"])
    ]
    return measure_layers(tokens, draws, progress)


def _sizes(L: int, norm: str, alpha: str) -> NetworkSizes:
    return NetworkSizes(L=L, d=64, norm=norm, alpha1=alpha, alpha2=alpha)  # type: ignore[arg-type]


def _runs(
    kinds: Mapping[str, NetworkSizes], tokens: GaussianTokens, seeds: int | Sequence[int], progress: Progress | None
) -> dict[str, DepthRun]:
    return {
        name: depth_run(sizes, tokens, seeds, part(progress, index, len(kinds)))
        for index, (name, sizes) in enumerate(kinds.items())
    }
