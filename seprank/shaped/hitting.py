"""How often the SDE meets a radius before it collapses, by Monte Carlo with adaptive steps: any m, block and mask."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from seprank.errors import InvalidInput
from seprank.field.kernels import run_tiles
from seprank.shaped.coefficients import linear_rate
from seprank.shaped.integrate import Progress, parameters
from seprank.shaped.kernels import LANES, run_to_hit
from seprank.shaped.setup import Setup
from seprank.shaped.stability import spread
from seprank.validate import real_number

STEP = 0.005  # of the time scale 1 / s of the linear noise
LONGEST = 400.0  # the same scale, after which a path counts as undecided


@dataclass(frozen=True)
class Hitting:
    """The share of `paths` whose spread D met `radius` before `epsilon`, with its standard error: an estimate.

    `undecided` is the share that had met neither when the clock ran out. `median_time` of the paths that met the
    radius, in units of depth / n; None without any. Exits are seen at steps only, which lowers the share by up to
    about 0.01 of itself per step length; see docs/shaped.md.
    """

    probability: float
    error: float
    undecided: float
    median_time: float | None
    radius: float
    epsilon: float
    paths: int


def hitting_estimate(
    setup: Setup, radius: float, epsilon: float = 0.01, threads: int | None = None, progress: Progress | None = None
) -> Hitting:
    """The probability that the mean squared distance D of two tokens meets `radius` before `epsilon`: an estimate.

    Uses block, mask, heads, `gamma`, `tau0`, `V0`, `seed` and `paths` of `setup`; time is unlimited, up to 400 / s.
    Steps shrink as tau0^2 / (gamma^4 D^2). Raises `InvalidInput` unless 0 < epsilon < D < radius for the start.

    >>> start = Setup(m=2, n=1, depth=1, gamma=0.5, tau0=1.0, block="attention", paths=256)
    >>> 0.05 < hitting_estimate(start, 20.0).probability < 0.3
    True
    """
    D0 = spread(setup.start)
    radius, epsilon = real_number("radius", radius, positive=True), real_number("epsilon", epsilon, positive=True)
    if not epsilon < D0 < radius:
        raise InvalidInput(
            f"radius must exceed the mean squared distance of two tokens, {D0:.6g}, and epsilon lie below it, got "
            f"radius {radius:g} and epsilon {epsilon:g}"
        )
    tiles = -(-setup.paths // LANES)
    outcome, times = np.zeros(tiles * LANES, np.int64), np.zeros(tiles * LANES)
    rate, done = linear_rate(setup), [0]
    dt = STEP / (rate * max(1.0, setup.m / 4))
    p, allowed = parameters(setup), setup.allowed.astype(np.float64)

    def run(tile: int) -> None:
        lanes = slice(tile * LANES, (tile + 1) * LANES)
        seed, first = np.uint64(setup.seed), tile * LANES
        run_to_hit(
            setup.start, p, allowed, dt, radius, epsilon, LONGEST / rate, seed, first, outcome[lanes], times[lanes]
        )
        done[0] += 1
        if progress is not None:
            progress(done[0], tiles)

    run_tiles(run, range(tiles), threads)
    outcome, times = outcome[: setup.paths], times[: setup.paths]
    share = float(np.mean(outcome == 1))
    hits = times[outcome == 1]
    return Hitting(
        probability=share,
        error=math.sqrt(max(share * (1 - share), 1 / setup.paths) / setup.paths),
        undecided=float(np.mean(outcome == 0)),
        median_time=float(np.median(hits)) if hits.size else None,
        radius=radius,
        epsilon=epsilon,
        paths=setup.paths,
    )
