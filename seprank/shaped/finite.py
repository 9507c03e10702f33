"""Finite networks at initialisation, exact in law, without their weights: cost m^3 a layer for any width."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seprank.errors import TooLarge
from seprank.field.kernels import run_tiles
from seprank.shaped.finite_kernels import run_path
from seprank.shaped.finite_start import NetworkShape, first_tokens, leaves_floats, network_shape, recorded_layers
from seprank.shaped.setup import Law, Setup

STREAM = 21  # ends the seeds of these draws
TILE = 64  # paths
MOST_BYTES = 2**31
MOST_SECONDS = 4 * 3600.0
Progress = Callable[[int, int], None]


class _Paths(NamedTuple):
    covariances: NDArray[Any]
    stopped: NDArray[Any]
    largest: float


def simulate(setup: Setup, layers: Sequence[int] | None = None, progress: Progress | None = None) -> Law:
    """The law of V in networks of width n with standard normal weights, stopped at the radius, at `layers`.

    `layers` default to eleven spread evenly. Every path is one network, drawn exactly: Gram matrices of Gaussian
    columns by noncentral Wishart draws, n x m draws where a head has fewer than 2m columns, and the hidden units of
    the shaped ReLU one by one. The exit is tested after every layer. Exact in law up to rounding; a path depends on
    (seed, path index) only. `progress` is called with paths done and in all.

    Raises `InvalidInput` where there is no such network (see `network_shape`) or V leaves the range of floats, and
    `TooLarge` above 2 GiB or four hours. The chain is ours: docs/shaped.md, Finite networks.

    >>> law = simulate(Setup(m=2, n=300, depth=30, gamma=0.5, tau0=1.0, paths=100, seed=1))
    >>> law.covariances.shape, bool(0.9 < law.covariances[:, -1, 0, 0].mean() < 1.2)
    ((100, 11, 2, 2), True)
    """
    shape = network_shape(setup)
    marks = recorded_layers(setup.depth, layers)
    refuse_if_large(setup, len(marks))
    start, done = starting_factors(setup), [0]

    def tile(first: int) -> _Paths:
        found = _run(setup, shape, start, marks, range(first, min(first + TILE, setup.paths)))
        done[0] += len(found.stopped)
        if progress is not None:
            progress(done[0], setup.paths)
        return found

    found = run_tiles(tile, range(0, setup.paths, TILE))
    return Law(
        times=marks / setup.n,
        covariances=np.concatenate([part.covariances for part in found]),
        stopped=np.concatenate([part.stopped for part in found]),
        clip_rate=0.0,
        validity=max(part.largest for part in found) / setup.validity_scale,
    )


def starting_factors(setup: Setup) -> NDArray[Any]:
    """Factors of the Gram matrices of the first tokens, head by head: (heads, m, m), or (heads, m, n / heads) where
    that is less than 2m columns. The sum of the products with their transposes is V0.

    >>> R = starting_factors(Setup(m=2, n=6, depth=1, gamma=0.5, tau0=1.0, heads=2))
    >>> R.shape, (R @ R.mT).sum(axis=0).round(12).tolist()
    ((2, 2, 3), [[1.0, 0.2], [0.2, 1.0]])
    """
    size = network_shape(setup).size
    blocks = first_tokens(setup).reshape(setup.m, setup.heads, size).swapaxes(0, 1) / math.sqrt(setup.n)
    if size < 2 * setup.m:
        return np.ascontiguousarray(blocks)
    return np.ascontiguousarray(np.swapaxes(np.linalg.qr(blocks.mT, mode="r"), -1, -2))


def path_draw(seed: int, path: int) -> np.random.Generator:
    """The source of all draws of one path."""
    return np.random.Generator(np.random.SFC64([seed, path, STREAM]))


def _run(setup: Setup, shape: NetworkShape, start: NDArray[Any], layers: NDArray[Any], paths: range) -> _Paths:
    out = np.empty((len(paths), len(layers), setup.m, setup.m))
    stopped, largest = np.zeros(len(paths), bool), 0.0
    tau, mask = setup.tau0 * math.sqrt(setup.n * float(setup.head_dim or 1)), setup.allowed
    for row, path in enumerate(paths):
        stop, norm, lost = run_path(
            start.copy(),
            setup.attends,
            setup.activates,
            mask,
            setup.head_dim,
            tau,
            *shape[1:],
            setup.gamma,
            shape.size,
            setup.depth,
            setup.stopping_radius,
            layers,
            out[row],
            path_draw(setup.seed, path),
        )
        if lost >= 0:
            raise leaves_floats(lost, path)
        stopped[row], largest = stop >= 0, max(largest, norm)
    return _Paths(out, stopped, largest)


def seconds(setup: Setup) -> float:
    """A rough estimate of the time that `simulate` takes on one core."""
    m, size = setup.m, setup.n // setup.heads
    columns = m if size >= 2 * m else size
    attention = setup.heads * (0.7 + 0.003 * m * m * (columns + m)) if setup.attends else 0.0
    hidden = setup.mlp_ratio * setup.n * (0.005 * m + 0.0003 * m * m) if setup.activates else 0.0
    return 1e-6 * setup.paths * (40.0 + setup.depth * (0.2 + attention + hidden))


def refuse_if_large(setup: Setup, layers: int) -> None:
    """Raise `TooLarge` for over 2 GiB of covariances at `layers` layers, or over four hours of one core."""
    needed = 8 * setup.paths * layers * setup.m**2
    if needed > MOST_BYTES:
        raise TooLarge(
            f"{setup.paths} paths of {setup.m} x {setup.m} covariances at {layers} layers would take "
            f"{needed / 2**30:.3g} GiB, above the limit of {MOST_BYTES / 2**30:g}; fewer paths or tokens make it fit"
        )
    if (time := seconds(setup)) > MOST_SECONDS:
        raise TooLarge(
            f"{setup.paths} paths of depth={setup.depth}, n={setup.n} would take about {time / 3600:.2g} hours, above "
            "the limit of four; fewer paths or layers, or for the shaped ReLU a smaller n, make it fit"
        )
