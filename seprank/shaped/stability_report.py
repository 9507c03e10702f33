"""All that is known about the stability of one block and start, exact where a closed form exists."""

from __future__ import annotations

import math
from dataclasses import dataclass

from seprank.errors import InvalidInput, OutOfScope
from seprank.shaped.coefficients import linear_rate
from seprank.shaped.hitting import Hitting, hitting_estimate
from seprank.shaped.integrate import Progress
from seprank.shaped.setup import Setup
from seprank.shaped.stability import blow_up_time, explodes, hitting_probability, spread, temperature_for
from seprank.validate import real_number

RARE = 0.01


@dataclass(frozen=True)
class Stability:
    """`explodes` and `explosion_probability` (None where no criterion is known); `hitting_probability` of `radius`.

    `kind` of the two probabilities is "exact", "upper bound" or "estimate" (then `estimate` holds it with its error).
    `blow_up_time` is that of the drift alone, None where it does not blow up; `rare_tau0` the temperature constant at
    which explosion has probability 0.01, None where it is not known or there is no explosion.
    """

    D0: float
    radius: float
    kind: str
    explodes: bool | None
    explosion_probability: float | None
    hitting_probability: float
    estimate: Hitting | None
    blow_up_time: float | None
    rare_tau0: float | None


def stability(setup: Setup, radius: float | None = None, progress: Progress | None = None) -> Stability:
    """The stability of the block and start of `setup`; `radius` is one of D, the mean squared distance of tokens.

    Two tokens under attention without a mask: closed forms, exact. The same in the full block: upper bounds, since the
    ReLU drift lowers D (exact for a linear activation). Everything else: Monte Carlo, an estimate. Raises
    `InvalidInput` for a radius that does not exceed D, and `OutOfScope` for tokens that do not differ.

    >>> found = stability(Setup(m=2, n=1, depth=1, gamma=0.5, tau0=1.0, block="attention"))
    >>> found.kind, found.explodes, round(found.explosion_probability, 3), found.radius
    ('exact', True, 0.134, 100.0)
    """
    D0 = spread(setup.start)
    if D0 <= 1e-12 * setup.start_norm:
        raise OutOfScope(f"stability needs tokens that differ, got a mean squared distance of {D0:.3g}")
    radius = max(100 * setup.tau0, 20 * D0) if radius is None else real_number("radius", radius, positive=True)
    if radius <= D0:
        raise InvalidInput(f"radius must exceed the mean squared distance of the tokens, {D0:.6g}, got {radius:g}")
    unmasked = setup.mask is None or bool(setup.mask.all())
    closed = setup.m == 2 and setup.attends and unmasked
    slopes = (setup.c_plus, setup.c_minus) if setup.activates else None
    time = blow_up_time(setup.start, setup.gamma, setup.tau0, setup.mask, slopes) if setup.attends else None
    if closed:
        return _closed(setup, D0, radius, time)
    estimate = hitting_estimate(setup, radius, min(0.01, D0 / 100), progress=progress)
    never = None if setup.attends else False
    exploding = None if setup.attends else 0.0
    return Stability(D0, radius, "estimate", never, exploding, estimate.probability, estimate, time, None)


def _closed(setup: Setup, D0: float, radius: float, time: float | None) -> Stability:
    gamma, tau0, heads, rate = setup.gamma, setup.tau0, setup.heads, linear_rate(setup)
    bound = setup.activates and setup.c_plus != setup.c_minus
    return Stability(
        D0=D0,
        radius=radius,
        kind="upper bound" if bound else "exact",
        explodes=explodes(gamma, heads),
        explosion_probability=hitting_probability(D0, math.inf, gamma, tau0, rate=rate, heads=heads),
        hitting_probability=hitting_probability(D0, radius, gamma, tau0, rate=rate, heads=heads),
        estimate=None,
        blow_up_time=time,
        rare_tau0=temperature_for(RARE, D0, gamma, heads, rate),
    )
