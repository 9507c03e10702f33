"""Optimal depth and width for a number of parameters, and where a given model stands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from seprank.errors import InvalidInput
from seprank.planning.transition_fit import LARGEST, PAPER_FIT, TransitionFit
from seprank.validate import whole_number

DEEPEST = 100_000
Verdict = Literal["too shallow", "near-optimal", "too deep"]


@dataclass(frozen=True)
class Plan:
    """What a fit advises for `params` parameters without embeddings, and the model it was asked for, if any.

    `depth` is the whole number nearest to `curve_depth`, where the fit's curve has this size, and `width` the whole
    number nearest to ``sqrt(params / (12 depth))``, which spends the budget at that depth. `depth_range` are the whole
    depths nearest to the ends of the fit's error band (one standard error each way). All are estimates of the fit
    `fit`. `L` and `dx` are the sizes of the model, or None.
    """

    params: int | float
    fit: TransitionFit
    curve_depth: float
    depth_range: tuple[int, int]
    L: int | None = None
    dx: int | None = None

    @property
    def depth(self) -> int:
        """The optimal depth, a whole number."""
        return round(self.curve_depth)

    @property
    def width(self) -> int:
        """The width that spends the budget at that depth."""
        return max(1, round(math.sqrt(self.params / (12 * self.depth))))

    @property
    def curve_width(self) -> float:
        """The width on the fit's curve, at the real depth `curve_depth`."""
        return self.fit.width(self.curve_depth)

    @property
    def layers_off(self) -> int | None:
        """How many layers the model has beyond the optimal depth (negative: too few); None without a model."""
        return None if self.L is None else self.L - self.depth

    @property
    def verdict(self) -> Verdict | None:
        """Where the model stands: near-optimal for a depth in `depth_range`. None without a model."""
        if self.L is None:
            return None
        if self.depth_range[0] <= self.L <= self.depth_range[1]:
            return "near-optimal"
        return "too shallow" if self.L < self.depth_range[0] else "too deep"

    @property
    def extrapolated(self) -> bool:
        """Whether the optimal depth or the model's depth lies outside the depths that the fit was measured on."""
        return not all(self.fit.covers(L) for L in (self.depth, self.L) if L is not None)

    @property
    def transition_size(self) -> float | None:
        """The size at which the fit calls the model's depth optimal; None without a model."""
        return None if self.L is None else self.fit.size(self.L)


def plan(params: int | float, fit: TransitionFit = PAPER_FIT) -> Plan:
    """Optimal depth and width for `params` parameters without embeddings (``12 L dx^2``), up to 1e30.

    Estimates of an empirical fit: no theorem fixes these numbers. Raises `InvalidInput` where `params` is no such
    number or too small for one layer, `OutOfScope` where the fit's slope is not above its error.

    Source: levine2020depth, section 5.

    >>> found = plan(1e12)
    >>> found.depth, found.width, found.depth_range, found.extrapolated
    (95, 29617, (93, 96), True)
    >>> plan(PAPER_FIT.size(24)).depth
    24
    """
    return _planned(params, fit, None, None)


def plan_model(L: int, dx: int, fit: TransitionFit = PAPER_FIT) -> Plan:
    """The plan for the ``12 L dx^2`` parameters of a model of depth `L` and width `dx`, with its verdict.

    Raises as `plan` does, and `InvalidInput` where `L` (up to 100,000) or `dx` is no whole number of at least 1.

    >>> found = plan_model(L=96, dx=12288)
    >>> found.verdict, found.layers_off
    ('too deep', 16)
    """
    L, dx = whole_number("L", L, most=DEEPEST), whole_number("dx", dx)
    return _planned(12 * L * dx * dx, fit, L, dx)


def _planned(params: int | float, fit: TransitionFit, L: int | None, dx: int | None) -> Plan:
    _check_params(params, "" if L is None else " (12 L dx^2)")
    depth = fit.depth(params)
    if depth < 0.5:
        raise InvalidInput(
            f"params must be at least {fit.size(0.5):.3g}, or the fit has no network of one layer, got {_shown(params)}"
        )
    low, high = (max(1, round(fit.depth(params, sigmas))) for sigmas in (1.0, -1.0))
    return Plan(params, fit, depth, (low, high), L, dx)


def _check_params(params: int | float, how: str) -> None:
    sound = isinstance(params, int | float) and not isinstance(params, bool) and 1 <= params <= LARGEST
    if not sound:
        raise InvalidInput(f"params must be a number from 1 to {LARGEST:g}, got {_shown(params)}{how}")


def _shown(params: object) -> str:
    """A number as an error message shows it: long ones with their first digits and power of ten."""
    text = repr(params) if not isinstance(params, int) or abs(params) < 10**1000 else "a number of over 1000 digits"
    return f"about {text[0]}.{text[1:4]}e{len(text) - 1}" if text.isdigit() and len(text) > 15 else text[:60]
