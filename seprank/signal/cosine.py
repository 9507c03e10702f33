"""The mean cosine of two random tokens beside their correlation: what a finite width changes."""

from __future__ import annotations

from seprank.signal.tokens import correlation
from seprank.validate import whole_number


def mean_cosine(rho: float, d: int) -> float:
    """E cos(X_1, X_2) = rho (1 - (1 - rho^2)/(2 d)) for two Gaussian tokens of width `d` with correlation `rho`.

    An estimate: the next order is 1/d^2. Raises `InvalidInput`. Source: docs/signal.md.

    >>> round(mean_cosine(0.5, 16), 4), round(mean_cosine(0.5, 64), 4)
    (0.4883, 0.4971)
    """
    rho = correlation("rho", rho, 2)
    return rho * (1.0 - (1.0 - rho**2) / (2.0 * whole_number("d", d)))
