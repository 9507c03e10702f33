"""Weighted least squares for log dx = a + b L, with the measures of its fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.planning.transition_fit import TransitionFit
from seprank.validate import whole_number


@dataclass(frozen=True)
class TransitionPoint:
    """A measured transition: at `depth` layers (a whole number) it lies at width `width` +- `error`, both positive.

    Its logarithm has the error ``error / width``, which must be from 1e-9 to 1e9. Raises `InvalidInput` when a number
    breaks its rule.
    """

    depth: int
    width: float
    error: float

    def __post_init__(self) -> None:
        whole_number("depth", self.depth)
        for name in ("width", "error"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InvalidInput(f"{name} must be a positive number, got {value!r}")
        if not 1e-9 <= self.error / self.width <= 1e9:
            raise InvalidInput(f"error must be from 1e-9 to 1e9 times the width, got {self.error!r} for {self.width!r}")


@dataclass(frozen=True)
class LineFit:
    """A fitted line, and how well it fits.

    `chi2` is the sum of ``(residual / error)^2`` with `df` = points - 2 degrees of freedom. `r2` is the weighted
    coefficient of determination, None where all the widths are equal and it is not defined.
    """

    fit: TransitionFit
    points: tuple[TransitionPoint, ...]
    chi2: float
    r2: float | None

    @property
    def df(self) -> int:
        """Degrees of freedom."""
        return len(self.points) - 2

    @property
    def chi2_reduced(self) -> float:
        """`chi2` per degree of freedom, about 1 for a line and errors that are right."""
        return self.chi2 / self.df

    @property
    def correlation(self) -> float:
        """The correlation of a and b, from -1 to 1."""
        return self.fit.covariance / (self.fit.error_a * self.fit.error_b)


def fit_points(points: Sequence[TransitionPoint], source: str = "") -> LineFit:
    """Fit ``log dx = a + b L`` to three or more points at two or more depths, weights ``1 / error^2`` of log dx.

    The errors of `a` and `b` follow from those of the points as they are stated; they are not rescaled to make
    chi-square 1. R^2 compares with the weighted mean ``sum(w y) / sum(w)`` (the paper's appendix prints weights that
    are not normalised, which is no mean). Raises `InvalidInput` for fewer points, one depth, or errors so far apart
    that the sums lose all digits.

    Source: levine2020depth, appendix D.

    >>> found = fit_points([TransitionPoint(6, 216, 8), TransitionPoint(12, 300, 10), TransitionPoint(24, 600, 20)])
    >>> round(found.fit.b, 4), found.df, round(found.chi2_reduced, 2), round(found.r2, 4)
    (0.057, 1, 0.08, 0.9998)
    """
    if len(points) < 3:
        raise InvalidInput(f"points must be at least 3 for a line and its chi-square, got {len(points)}")
    x = [float(point.depth) for point in points]
    y = [math.log(point.width) for point in points]
    w = [(point.width / point.error) ** 2 for point in points]
    mean_x, mean_y = _weighted_mean(w, x), _weighted_mean(w, y)
    dx, dy = [value - mean_x for value in x], [value - mean_y for value in y]
    spread = _weighted_sum(w, dx, dx)
    if len(set(x)) < 2 or not 0 < spread < math.inf:
        found = ", ".join(map(str, sorted({point.depth for point in points})[:5]))
        raise InvalidInput(f"points must lie at two depths or more, with comparable errors, got depths {found}")
    b = _weighted_sum(w, dx, dy) / spread
    fit = TransitionFit(
        a=mean_y - b * mean_x,
        b=b,
        error_a=math.sqrt(1 / math.fsum(w) + mean_x**2 / spread),
        error_b=math.sqrt(1 / spread),
        covariance=-mean_x / spread,
        shallowest=min(point.depth for point in points),
        deepest=max(point.depth for point in points),
        source=source,
    )
    residuals = [v - b * u for u, v in zip(dx, dy, strict=True)]
    chi2 = _weighted_sum(w, residuals, residuals)
    r2 = None if len(set(y)) == 1 else 1 - chi2 / _weighted_sum(w, dy, dy)
    return LineFit(fit, tuple(points), chi2, r2)


def _weighted_mean(weights: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(w * value for w, value in zip(weights, values, strict=True)) / math.fsum(weights)


def _weighted_sum(weights: Sequence[float], left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(w * u * v for w, u, v in zip(weights, left, right, strict=True))
