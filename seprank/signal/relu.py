"""ReLU: the correlation that two tokens have behind a random layer, and its flow in the limit of infinite depth."""

from __future__ import annotations

from math import acos, asin, cos, pi, sin, sqrt

import numpy as np

from seprank.signal.feed_forward import ACTIVATIONS
from seprank.signal.tokens import correlation
from seprank.validate import one_of, real_number, whole_number

STEPS = 1000  # of the Runge-Kutta method; the error of the correlation is then below 1e-9


def relu_correlation(rho: np.ndarray | float) -> np.ndarray:
    """kappa(rho) = (sqrt(1 - rho^2) + rho (pi - arccos rho))/pi, at least rho, equal to it at 1 only.

    The cosine of two tokens behind one random ReLU layer in the limit of infinite width: exact for the ratio of
    expectations with Gaussian weights. Values of `rho` outside [-1, 1] by rounding are moved to the ends.
    Source: docs/signal.md (arc-cosine kernel of degree one).

    >>> relu_correlation(np.array([-1.0, 1.0])).tolist(), round(float(relu_correlation(0.0)), 6)
    ([0.0, 1.0], 0.31831)
    """
    rho = np.clip(rho, -1.0, 1.0)
    return np.asarray((np.sqrt(1.0 - rho**2) + rho * (pi - np.arccos(rho))) / pi)


def relu_gap(x: float) -> float:
    """1 - kappa(1 - x) for x from 0 to 2, with all digits for small x: x - (sin t - t cos t)/pi with 1 - cos t = x.

    Exact up to rounding, with the same scope as `relu_correlation`. Source: docs/signal.md.

    >>> relu_gap(2.0), relu_gap(0.0), round(relu_gap(1e-20) / 1e-20, 9)
    (1.0, 0.0, 1.0)
    """
    t = 2.0 * asin(sqrt(min(1.0, max(0.0, x / 2.0))))
    series = t**3 / 3.0 - t**5 / 30.0 + t**7 / 840.0
    return x - (series if t < 0.05 else sin(t) - t * cos(t)) / pi


def relu_correlation_limit(rho: float, n: int, a1: float, a2: float, activation: str = "relu") -> float:
    """The correlation at infinite depth for branch scales alpha_i^2 = a_i/L: the flow
    d rho/dt = a1/n (1 - rho)(1 + (n - 1) rho) + a2 (kappa(rho) - rho) from t = 0 to 1.

    For uniform attention, equal norms and equal angles of the tokens, infinite width, gain 1. `rho` is the correlation
    of the input, `n` the number of tokens. With "linear" the a2 term is 0, and the closed form of Theorem 3.2 follows.
    The error of the integration is below 1e-9 for a1, a2 up to 10. Raises `InvalidInput`. Source: docs/signal.md.

    >>> round(relu_correlation_limit(0.0, n=8, a1=1.0, a2=1.0), 4), round(relu_correlation_limit(0.2, 4, 1.0, 1.0), 4)
    (0.4508, 0.6444)
    """
    one_of("activation", activation, ACTIVATIONS)
    n = whole_number("n", n, least=2)
    rho = correlation("rho", rho, n)
    a1, a2 = real_number("a1", a1, least=0.0, most=100.0), real_number("a2", a2, least=0.0, most=100.0)
    bend = a2 if activation == "relu" else 0.0

    def flow(r: float) -> float:
        r = min(1.0, max(-1.0, r))
        return a1 / n * (1.0 - r) * (1.0 + (n - 1) * r) + bend * (sqrt(1.0 - r * r) - r * acos(r)) / pi

    h = 1.0 / STEPS
    for _ in range(STEPS):
        k1 = flow(rho)
        k2 = flow(rho + h / 2 * k1)
        k3 = flow(rho + h / 2 * k2)
        rho += h / 6 * (k1 + 2 * k2 + 2 * k3 + flow(rho + h * k3))
    return min(1.0, rho)
