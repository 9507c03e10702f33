"""Paths of the covariance SDE, in parallel, with the stopping radius always carried."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge
from seprank.field.kernels import run_tiles
from seprank.machine import memory_available
from seprank.shaped.activation import normaliser
from seprank.shaped.coefficients import linear_rate
from seprank.shaped.kernels import (
    ATTENDS,
    EULER,
    GAMMA,
    HEADS,
    LANES,
    LINEAR,
    MASKED,
    RELU,
    TAU0,
    run_paths,
)
from seprank.shaped.setup import Law, Setup
from seprank.validate import whole_number

Array = NDArray[Any]
Progress = Callable[[int, int], None]

SCHEMES = ("splitting", "euler")
MONITORING = ("layers", "continuous")
LONGEST_STEP = 1 / 400
RECORDS = 11
MOST_SECONDS = 4 * 3600.0
_NS_PER_STEP = 45.0, 2.2  # a path-step takes about 45 m + 2.2 m^3 nanoseconds of one core


@dataclass(frozen=True)
class Grid:
    """Steps of length `dt`, `substeps` of them a layer; V is recorded behind the layers `layers`."""

    dt: float
    substeps: int
    layers: tuple[int, ...]


def integrate(
    setup: Setup,
    scheme: str = "splitting",
    monitoring: str = "layers",
    substeps: int | None = None,
    layers: tuple[int, ...] | None = None,
    finite_width: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Law:
    """Paths of the SDE of `setup` up to T = depth / n: a `Law` with `covariances` (paths, k, m, m).

    `scheme` is "splitting", which keeps V positive semidefinite, or "euler" (structured Euler-Maruyama with negative
    eigenvalues clipped); both have weak order 1. A path stops when the Frobenius norm of V reaches the radius: tested
    behind every layer like a network ("layers"), or at every moment through the crossing probability of a Brownian
    bridge in log ||V|| ("continuous"), where V is then put on the radius. `substeps` of a layer default to steps of
    at most 1/400. `layers` names the layers recorded, by default eleven evenly spaced ones. `finite_width` multiplies
    the ReLU drift by c_n, its value at width n. Quantiles from the paths are estimates: order statistics give their
    intervals. A path depends on the seed and its index alone, not on threads or on the number of paths.

    Raises `InvalidInput` for other names, and `TooLarge` where memory or four hours would not do.

    >>> law = integrate(Setup(m=2, n=50, depth=25, gamma=0.5, tau0=1.0, paths=100))
    >>> law.covariances.shape, law.stopped_fraction, law.clip_rate
    ((100, 11, 2, 2), 0.0, 0.0)
    """
    if scheme not in SCHEMES:
        raise InvalidInput(f"scheme must be one of {', '.join(SCHEMES)}, got {scheme!r}")
    if monitoring not in MONITORING:
        raise InvalidInput(f"monitoring must be one of {', '.join(MONITORING)}, got {monitoring!r}")
    if monitoring == "continuous" and math.isinf(setup.stopping_radius):
        raise InvalidInput("monitoring must be layers without a radius, got continuous")
    grid = step_grid(setup, substeps, layers)
    refuse_if_large(setup, grid)
    p = parameters(setup, scheme, finite_width)
    paths = _Paths(setup, grid, p, monitoring == "continuous", progress)
    run_tiles(paths.run, range(paths.tiles), threads)
    return paths.law()


def step_grid(setup: Setup, substeps: int | None = None, layers: tuple[int, ...] | None = None) -> Grid:
    """The steps of `integrate`; `InvalidInput` for substeps too few for the scheme or layers outside 0 to depth."""
    fast = linear_rate(setup) * (setup.m - 0.5)
    relu = setup.gamma**2 * (setup.c_plus - setup.c_minus) ** 2 if setup.activates else 0.0
    longest = min(LONGEST_STEP, 0.25 / fast, 1.0 / relu if relu else math.inf)
    needed = math.ceil(1.0 / (setup.n * longest) - 1e-9)
    count = max(1, needed) if substeps is None else whole_number("substeps", substeps)
    dt = 1.0 / (setup.n * count)
    if fast * dt >= 1.0 or relu * dt > 4.0:
        least = math.floor(max(fast, relu / 4.0) / setup.n) + 1
        raise InvalidInput(f"substeps must be at least {least} for these sizes, got {count}")
    if layers is None:
        marks = np.unique(np.linspace(0, setup.depth, RECORDS).round().astype(int))
    else:
        marks = np.unique([whole_number("layers", layer, 0, setup.depth) for layer in layers])
    return Grid(dt, count, tuple(int(mark) for mark in marks))


def seconds(setup: Setup, grid: Grid) -> float:
    """A rough estimate of the seconds that one core takes."""
    linear, cubic = _NS_PER_STEP
    return 1e-9 * setup.paths * grid.layers[-1] * grid.substeps * (linear * setup.m + cubic * setup.m**3)


def refuse_if_large(setup: Setup, grid: Grid) -> None:
    """Raise `TooLarge` where the paths do not fit into memory or take over four hours of one core."""
    sizes = f"m={setup.m}, depth={setup.depth}, paths={setup.paths}"
    needed, free = 8 * setup.paths * len(grid.layers) * setup.m**2, memory_available()
    if free is not None and needed > free / 2:
        raise TooLarge(f"{sizes} would take {needed / 2**30:.3g} GiB, above half of what is free; fewer paths fit")
    if (time := seconds(setup, grid)) > MOST_SECONDS:
        raise TooLarge(f"{sizes} would take about {time / 3600:.2g} hours, above the limit of four; fewer paths fit")


def parameters(setup: Setup, scheme: str = "splitting", finite_width: bool = False) -> Array:
    """The numbers that the kernels read, at the places that `seprank.shaped.kernels` names."""
    p = np.zeros(8)
    p[GAMMA], p[TAU0], p[HEADS], p[LINEAR] = setup.gamma, setup.tau0, setup.heads, linear_rate(setup)
    if setup.activates:
        p[RELU] = setup.gamma**2 * (setup.c_plus - setup.c_minus) ** 2 / (2 * math.pi)
        p[RELU] *= normaliser(setup.n, setup.c_plus, setup.c_minus) if finite_width else 1.0
    p[ATTENDS], p[EULER] = setup.attends, scheme == "euler"
    p[MASKED] = setup.mask is not None and not bool(setup.mask.all())
    return p


class _Paths:
    """All paths of one call, worked on in tiles of `LANES` paths."""

    def __init__(self, setup: Setup, grid: Grid, p: Array, bridge: bool, progress: Progress | None) -> None:
        self.setup, self.grid, self.p, self.bridge, self.progress = setup, grid, p, bridge, progress
        self.tiles = -(-setup.paths // LANES)
        self.done = 0
        self.covariances = np.empty((setup.paths, len(grid.layers), setup.m, setup.m))
        self.stopped, self.clipped = np.zeros((2, self.tiles * LANES), bool)
        self.largest = np.full(self.tiles * LANES, setup.start_norm**2)

    def run(self, tile: int) -> None:
        setup, grid, first = self.setup, self.grid, tile * LANES
        lanes = slice(first, first + LANES)
        records = np.empty((len(grid.layers), setup.m, setup.m, LANES))
        run_paths(
            setup.start,
            self.p,
            setup.allowed.astype(np.float64),
            grid.dt,
            grid.substeps,
            self.bridge,
            setup.stopping_radius,
            np.uint64(setup.seed),
            first,
            np.array(grid.layers) * grid.substeps,
            records,
            self.stopped[lanes],
            self.clipped[lanes],
            self.largest[lanes],
        )
        kept = self.covariances[lanes]
        kept[:] = np.moveaxis(records, 3, 0)[: len(kept)]
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.tiles)

    def law(self) -> Law:
        count = self.setup.paths
        return Law(
            times=np.array(self.grid.layers) / self.setup.n,
            covariances=self.covariances,
            stopped=self.stopped[:count],
            clip_rate=float(np.mean(self.clipped[:count])),
            validity=math.sqrt(float(self.largest[:count].max())) / self.setup.validity_scale,
        )
