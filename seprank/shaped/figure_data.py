"""What the figures along depth draw: quantiles of the SDE, of networks of several kinds, and of gradients.

Networks and SDE are estimates from paths; everything is fixed by the seed and the numbers of paths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.shaped import finite
from seprank.shaped.compare import critical_distance
from seprank.shaped.finite_variants import check, factors, gaps
from seprank.shaped.full_variants import VARIANTS
from seprank.shaped.integrate import integrate
from seprank.shaped.setup import Law, Setup
from seprank.shaped.unshaped import VARIANTS as LED
from seprank.shaped.unshaped import leading_law

Array = NDArray[Any]
Progress = Callable[[int, int], None]
LAYERS_SHOWN = 41


@dataclass(frozen=True, eq=False)
class Band:
    """Quantiles 5, 50 and 95 per cent of a quantity over the paths, against `layers`."""

    layers: Array
    low: Array
    middle: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Pair:
    """One quantity in networks and in the SDE that should have its law.

    `distance` is the two-sample Kolmogorov-Smirnov distance at the last layer, `critical` its 95 per cent value;
    `stopped` the shares that met the radius (networks, SDE); `validity` the largest norm of V in a network over
    tau0 sqrt(n).
    """

    network: Band
    sde: Band
    distance: float
    critical: float
    stopped: tuple[float, float]
    validity: float


@dataclass(frozen=True, eq=False)
class Depth:
    """Figures along depth: `pairs` (1 - rho of shaped kinds, networks and SDE), `tails` (|rho| of the same), and of
    networks of other kinds 1 - rho (`gaps`), log10 of V_11 (`scales`) and its leading law (`predictions`); by name."""

    setup: Setup
    sde_paths: int
    pairs: Mapping[str, Pair]
    tails: Mapping[str, Pair]
    gaps: Mapping[str, Band]
    scales: Mapping[str, Band]
    predictions: Mapping[str, Array]


def band(layers: ArrayLike, values: ArrayLike) -> Band:
    """Quantiles over the first axis of `values` (paths, layers).

    >>> band([0, 1], [[1.0, 2.0], [3.0, 6.0]]).middle.tolist()
    [2.0, 4.0]
    """
    low, middle, high = np.quantile(np.asarray(values, np.float64), [0.05, 0.5, 0.95], axis=0)
    return Band(np.asarray(layers), low, middle, high)


def correlation(V: Array) -> Array:
    """rho of the first two tokens of covariances (..., m, m)."""
    return V[..., 0, 1] / np.sqrt(V[..., 0, 0] * V[..., 1, 1])


def conditioning(
    n: int = 200,
    depth: int = 200,
    gamma: float = 0.5,
    networks: int = 1000,
    paths: int = 8192,
    seed: int = 0,
    progress: Progress | None = None,
) -> Depth:
    """Shaped attention and the shaped block beside plain softmax and Pre-LN, two tokens.

    Source: noci2023shaped, Fig. 1.
    """
    setup = Setup(2, n, depth, gamma, 1.0, "attention", paths=networks, seed=seed)
    shaped = {"shaped attention": setup, "shaped transformer": replace(setup, block="full")}
    kinds = {
        "plain softmax": ("plain", setup),
        "plain softmax, weights 1": ("plain-unit", setup),
        "Pre-LN attention": ("pre-ln", setup),
        "Pre-LN attention and ReLU": ("pre-ln", replace(setup, block="full", paths=max(1, networks // 2))),
    }
    return _along_depth(setup, paths, shaped, kinds, progress)


def ablations(
    n: int = 200,
    depth: int = 200,
    gamma: float = 0.5,
    networks: int = 1000,
    paths: int = 8192,
    seed: int = 0,
    progress: Progress | None = None,
) -> Depth:
    """Shaped attention and what is left without one of its ingredients, two tokens.

    Source: noci2023shaped, Fig. 4.
    """
    setup = Setup(2, n, depth, gamma, 1.0, "attention", paths=networks, seed=seed)
    kinds = {
        "no centring": ("no-centring", setup),
        "no identity": ("no-identity", setup),
        "no temperature": ("no-temperature", setup),
    }
    return _along_depth(setup, paths, {"shaped attention": setup}, kinds, progress)


def _along_depth(
    setup: Setup,
    paths: int,
    shaped: Mapping[str, Setup],
    kinds: Mapping[str, tuple[str, Setup]],
    progress: Progress | None,
) -> Depth:
    layers = shown_layers(setup.depth)
    for _, each in kinds.values():
        check(each, layers)
    parts, pairs, tails, found, scales = 2 * len(shaped) + len(kinds), {}, {}, {}, {}
    for index, (name, each) in enumerate(shaped.items()):
        network = finite.simulate(each, layers, progress=part(progress, 2 * index, parts))
        sde = integrate(replace(each, paths=paths), layers=layers, progress=part(progress, 2 * index + 1, parts))
        pairs[name] = _pair(layers, network, sde, lambda rho: 1 - rho)
        tails[name] = _pair(layers, network, sde, np.abs)
        scales[name] = band(layers, np.log10(covariances(network)[..., 0, 0]))
    for index, (name, (kind, each)) in enumerate(kinds.items()):
        R = factors(each, VARIANTS[kind], layers, part(progress, 2 * len(shaped) + index, parts))
        found[name] = band(layers, gaps(R))
        scales[name] = band(layers, 2 * np.log10(np.linalg.norm(R[..., 0, :], axis=-1)))
    known = {name: kind for name, (kind, _) in kinds.items() if kind in LED}
    predictions = {name: _leading_scales(kind, setup, layers) for name, kind in known.items()}
    return Depth(setup, paths, pairs, tails, found, scales, predictions)


def _leading_scales(kind: str, setup: Setup, layers: Sequence[int]) -> Array:
    """log10 of V_11 in the leading law."""
    laws = [leading_law(setup.start, kind, setup.gamma, layer) for layer in layers]
    with np.errstate(divide="ignore"):
        return np.array([np.log10(V[0, 0]) + scale / math.log(10) for V, scale in laws])


def covariances(law: Law) -> Array:
    """Those of a law from paths, as an array."""
    return np.asarray(law.covariances)


def _pair(layers: Sequence[int], network: Law, sde: Law, of: Callable[[Array], Array]) -> Pair:
    values = [of(correlation(covariances(law))) for law in (network, sde)]
    return Pair(
        band(layers, values[0]),
        band(layers, values[1]),
        ks_distance(values[0][:, -1], values[1][:, -1]),
        critical_distance(len(values[0]), len(values[1])),
        (network.stopped_fraction, sde.stopped_fraction),
        network.validity,
    )


def shown_layers(depth: int) -> tuple[int, ...]:
    """At most 41 layers: the first ones, then further and further apart, up to `depth`.

    >>> shown_layers(3)
    (0, 1, 2, 3)
    """
    return tuple(int(x) for x in np.unique(np.r_[0, np.geomspace(1, depth, LAYERS_SHOWN - 1).round()]))


def ks_distance(first: ArrayLike, second: ArrayLike) -> float:
    """The largest difference of two empirical distribution functions.

    >>> ks_distance([1.0, 2.0], [1.5, 3.0, 4.0, 5.0])
    0.75
    """
    from scipy.stats import ks_2samp

    return float(ks_2samp(np.asarray(first), np.asarray(second), method="asymp").statistic)


def gradient_bands(setup: Setup, progress: Progress | None = None) -> dict[str, Band]:
    """Squared gradients by layer of shaped attention, plain softmax and Pre-LN; needs torch.

    Source: noci2023shaped, Fig. 2.
    """
    from seprank.shaped.full_gradients import gradients

    kinds = {"shaped attention": "shaped", "plain softmax": "plain", "Pre-LN attention": "pre-ln"}
    found = {}
    for index, (name, kind) in enumerate(kinds.items()):
        found[name] = band(np.arange(setup.depth + 1), gradients(setup, VARIANTS[kind]).squares)
        if progress is not None:
            progress(index + 1, len(kinds))
    return found


def part(progress: Progress | None, index: int, parts: int) -> Progress | None:
    """The progress of one of several parts of the work."""
    if progress is None:
        return None
    return lambda done, total: progress(index * total + done, parts * total)
