"""Results that are known up to an error: how they are shown, and when two of them agree."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A number with one standard error; an error of 0 stands for a number that is exact up to rounding.

    >>> print(Estimate(0.99812, 0.0042), Estimate(2.0, 0.0))
    0.9981 ± 0.0042 2
    """

    value: float
    error: float = 0.0

    def __str__(self) -> str:
        if not self.error:
            return f"{self.value:.6g}"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"

    def agrees(self, other: Estimate, sigmas: float = 5.0, relative: float = 0.0) -> bool:
        """Whether the two differ by at most `sigmas` joint standard errors plus a `relative` part of the larger one.

        `relative` is for a stated error of the theory (a leading order, a finite width), or for rounding.
        """
        allowed = sigmas * math.hypot(self.error, other.error) + relative * max(abs(self.value), abs(other.value))
        return math.isfinite(self.value) and math.isfinite(other.value) and abs(self.value - other.value) <= allowed
