"""The line log dx = a + b L along which deepening and widening are worth the same, and the sizes on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from seprank.errors import InvalidInput, OutOfScope
from seprank.validate import whole_number

_RANGES = (
    ("a", -100, 100),
    ("b", -100, 100),
    ("error_a", 0, 1e100),
    ("error_b", 0, 1e100),
    ("covariance", -1e200, 1e200),
)
LARGEST = 1e30
"""Most parameters that a plan takes: far beyond any use of the fit, where its error passes 100 %."""


@dataclass(frozen=True)
class TransitionFit:
    """The fit ``log dx = a + b L`` (natural logarithm) with the standard errors of `a` and `b` and their covariance.

    At depth `L` the fit puts the transition at width ``exp(a + b L)`` and size ``12 L exp(2 a + 2 b L)`` parameters
    without embeddings. Errors are estimates: one standard deviation, to first order. `shallowest` and `deepest` are
    the depths that were measured; `heads` and `vocabulary` belong to the measured networks (None where not known).

    Raises `InvalidInput` when `a` or `b` is not between -100 and 100, an error is negative or infinite, the covariance
    exceeds the product of the errors, or the depths are not in order.

    Source: levine2020depth, section 5, eq. 10 and 11.

    >>> fit = TransitionFit(5.0, 0.05, 0.03, 0.001, 0.0, 6, 48)
    >>> round(fit.width(10)), round(fit.size(10)), round(fit.relative_error(10), 3)
    (245, 7184897, 0.063)
    """

    a: float
    b: float
    error_a: float
    error_b: float
    covariance: float
    shallowest: int
    deepest: int
    heads: int | None = None
    vocabulary: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise InvalidInput(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
        if abs(self.covariance) > self.error_a * self.error_b * (1 + 1e-9):
            raise InvalidInput(
                f"covariance must be at most error_a error_b = {self.error_a * self.error_b:.3g} in size, "
                f"got {self.covariance!r}"
            )
        whole_number("shallowest", self.shallowest)
        whole_number("deepest", self.deepest, least=self.shallowest)

    def log_width(self, L: float) -> float:
        """The natural logarithm of the transition width at depth `L`."""
        return self.a + self.b * L

    def log_size(self, L: float) -> float:
        """The natural logarithm of the transition size at depth `L`."""
        return math.log(12 * L) + 2 * self.log_width(L)

    def width(self, L: float) -> float:
        """The transition width at depth `L`, an estimate; infinite beyond the range of floats."""
        return _exp(self.log_width(_depth(L)))

    def size(self, L: float) -> float:
        """The transition size ``12 L dx^2`` at depth `L`, in parameters without embeddings: an estimate, as `width`."""
        return _exp(self.log_size(_depth(L)))

    def relative_error(self, L: float) -> float:
        """The standard error of the transition size over the size, which is also that of its logarithm."""
        variance = self.error_a**2 + (L * self.error_b) ** 2 + 2 * L * self.covariance
        return 2 * math.sqrt(max(variance, 0.0))

    def covers(self, L: float) -> bool:
        """Whether depth `L` lies within the measured depths."""
        return self.shallowest <= L <= self.deepest

    def depth(self, size: float, sigmas: float = 0.0) -> float:
        """The real number L at which the transition size, moved by `sigmas` standard errors, is `size`.

        With `sigmas` = 1 the least depth, with -1 the greatest depth that the fit allows within its error. The size
        is moved in its logarithm. Raises `OutOfScope` unless `b` exceeds its error by `sigmas`: the size then need
        not grow with depth, and there is no one depth for a size.
        """
        if self.b <= abs(sigmas) * self.error_b or self.b <= 0:
            raise OutOfScope(
                f"b must be positive and above its standard error for a depth to follow from a size, "
                f"got b={self.b:.4g}, error_b={self.error_b:.4g}"
            )
        goal, high = math.log(size), 1.0
        while self._moved(high, sigmas) < goal:
            high *= 2
        low = high / 2
        while self._moved(low, sigmas) > goal:
            low /= 2
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if self._moved(middle, sigmas) < goal else (low, middle)
        return (low + high) / 2

    def _moved(self, L: float, sigmas: float) -> float:
        # It grows with L, as `depth` checks: the standard deviation of a + b L has a slope of at most error_b.
        return self.log_size(L) + sigmas * self.relative_error(L)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709 else math.inf


def _depth(L: float) -> float:
    if isinstance(L, bool) or not isinstance(L, int | float) or not (math.isfinite(L) and L > 0):
        raise InvalidInput(f"L must be a positive number, got {L!r}")
    return L


PAPER_FIT = TransitionFit(
    a=5.039,
    b=0.05551,
    error_a=0.030,
    error_b=0.0013,
    covariance=-3.7e-5,
    shallowest=6,
    deepest=48,
    heads=2,
    vocabulary=2000,
    source="levine2020depth, section 5",
)
"""The fit of levine2020depth: a = 5.039 +- 0.030, b = (5.55 +- 0.13) 10^-2, as recalled.

Two digits are this project's, chosen to give the numbers of the paper's text: b = 0.05551 (0.0555 as printed gives
N(96) = 1.16e12 and depth 81 for 175e9 parameters; the text has 1.17e12 and 80), and the covariance, without which the
error at L = 100 is 0.27 and not the 0.20 of the text. docs/planning.md has the admissible ranges.
"""
