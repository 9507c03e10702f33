"""Correlation between tokens through the depth, for linear branches: Theorem 3.2 in closed form."""

from __future__ import annotations

from math import exp, expm1, inf, log1p

from seprank.signal.tokens import correlation
from seprank.validate import real_number, whole_number


def correlation_at_depth(rho: float, n: int, L: int, alpha1: float) -> float:
    """rho_L = (rho + c h)/(1 + c h) with c = (1 + alpha1^2)^L - 1 and h = (1 + (n - 1) rho)/n.

    `rho` is the average correlation of the `n` input tokens, which must have equal norms. Exact for uniform attention,
    linear branches and dv = d, as a ratio of expectations; the mean cosine of samples lies below it at finite width.
    The feed-forward branch plays no role. Raises `InvalidInput`. Source: noci2022signal, Theorem 3.2.

    >>> [round(correlation_at_depth(0.1, n=4, L=L, alpha1=1.0), 4) for L in (0, 6, 60)]
    [0.1, 0.9581, 1.0]
    """
    return 1.0 - (1.0 - rho) / (1.0 + _weight(rho, n, L, alpha1))


def correlation_limit(rho: float, n: int, a1: float) -> float:
    """The limit of `correlation_at_depth` for alpha1^2 = a1/L: (rho + c h)/(1 + c h) with c = e^a1 - 1.

    Bounded away from 1 by the depth-independent a1, but not equal to `rho`. Exact under the same conditions.
    Raises `InvalidInput`. Source: noci2022signal, Theorem 3.2.

    >>> round(correlation_limit(0.5, n=16, a1=1.0), 4)
    0.7386
    """
    h = _shared(rho, n)
    return 1.0 - (1.0 - rho) / (1.0 + expm1(real_number("a1", a1, least=0.0, most=300.0)) * h)


def finite_depth_error(rho: float, n: int, L: int, a1: float) -> float:
    """rho_L less its limit for alpha1^2 = a1/L, to leading order in 1/L.

    An estimate; the next order is 1/L^2. Source: docs/signal.md.

    >>> round(1000 * finite_depth_error(0.0, n=4, L=1000, a1=1.0), 4)
    -0.1663
    """
    h = _shared(rho, n)
    a1 = real_number("a1", a1, least=0.0, most=300.0)
    denominator = (1.0 + expm1(a1) * h) ** 2
    return -(a1**2) / (2.0 * whole_number("L", L)) * exp(a1) * h * (1.0 - rho) / denominator


def collapse_depth(rho: float, n: int, alpha1: float, target: float) -> int | None:
    """The least depth at which `correlation_at_depth` is at least `target`; None where no depth reaches it.

    Exact up to rounding, under the same conditions. Raises `InvalidInput`. Source: noci2022signal, Theorem 3.2.

    >>> collapse_depth(0.1, n=4, alpha1=1.0, target=0.95), collapse_depth(0.1, 4, 0.0, 0.95)
    (6, None)
    """
    n = whole_number("n", n, least=2)
    target = correlation("target", target, n)
    h, alpha1 = _shared(rho, n), real_number("alpha1", alpha1, least=0.0, most=1e6)
    if target <= rho:
        return 0
    if target >= 1.0 or not h or not alpha1:
        return None
    needed = log1p(((1.0 - rho) / (1.0 - target) - 1.0) / h) / log1p(alpha1**2)
    L = max(0, int(needed) - 1)
    while correlation_at_depth(rho, n, L, alpha1) < target:
        L += 1
    return L


def _weight(rho: float, n: int, L: int, alpha1: float) -> float:
    """c h, infinite where it leaves the range of floats, 0 where the mean token is 0."""
    h = _shared(rho, n)
    exponent = whole_number("L", L, least=0) * log1p(real_number("alpha1", alpha1, least=0.0, most=1e6) ** 2)
    return h * (expm1(exponent) if exponent < 700.0 else inf) if h else 0.0


def _shared(rho: float, n: int) -> float:
    n = whole_number("n", n, least=2)
    return max(0.0, 1.0 + (n - 1) * correlation("rho", rho, n)) / n
