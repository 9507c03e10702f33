"""When shaped attention blows up: the criterion, hitting probabilities of two tokens, the deterministic time."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.shaped.activation import relu_drift
from seprank.shaped.coefficients import attention_drift, attention_rate
from seprank.shaped.setup import checked_covariance, checked_mask
from seprank.validate import real_number, whole_number

Array = NDArray[Any]
CHUNKS = 60


def spread(V: ArrayLike) -> float:
    """D, the mean over pairs of tokens of V_aa + V_bb - 2 V_ab; for two tokens their squared distance over n.

    >>> round(spread([[1.0, 0.2], [0.2, 1.0]]), 12)
    1.6
    """
    V = np.asarray(V, np.float64)
    m = V.shape[0]
    return 0.0 if m == 1 else float(2 * (np.trace(V) - V.sum() / m) / (m - 1))


def explodes(gamma: float, heads: int = 1) -> bool:
    """Whether two tokens under shaped attention explode in finite time with positive probability; proved, m = 2 only.

    True if and only if gamma^2 < heads / 2: by Feller's test 1 / D is, for large D, a Bessel process of dimension
    3 - heads / (2 gamma^2). Own result; noci2023shaped only shows that instability occurs.

    >>> explodes(0.7), explodes(0.8)
    (True, False)
    """
    return real_number("gamma", gamma, most=1.0, positive=True) ** 2 < whole_number("heads", heads) / 2


def scale_function(x: float, gamma: float, tau0: float, rate: float | None = None, heads: int = 1) -> Any:
    """p(x), the integral from 0 to x of (b u^2 + 2 s)^-k, an mpmath number to 15 digits.

    k = heads / (4 gamma^2), b = gamma^4 / (4 heads tau0^2), s = `rate`, by default gamma^2 (2 - gamma^2). p(D) is a
    local martingale for two tokens; `x` may be infinite where 2 k > 1.
    """
    k, b, s = _exponents(gamma, tau0, rate, heads)
    with mpmath.workdps(30):
        if math.isinf(x):
            if k <= 0.5:
                return mpmath.inf
            return mpmath.power(2 * s, 0.5 - k) / (2 * mpmath.sqrt(b)) * mpmath.beta(0.5, k - 0.5)
        w = mpmath.mpf(b) * x**2 / (2 * s)
        return x * mpmath.power(2 * s, -k) * mpmath.hyp2f1(0.5, k, 1.5, -w)


def hitting_probability(
    D0: float,
    radius: float,
    gamma: float,
    tau0: float,
    epsilon: float = 0.0,
    rate: float | None = None,
    heads: int = 1,
) -> float:
    """The probability that D of two tokens from `D0` meets `radius` before `epsilon`, over unlimited time; exact.

    (p(D0) - p(epsilon)) / (p(radius) - p(epsilon)) with p of `scale_function`; `radius` infinite: the probability of
    explosion, 0 unless gamma^2 < heads / 2. With a residual block as well (s = gamma^2 (4 - gamma^2) as `rate`) it is
    an upper bound for c_plus != c_minus, since the ReLU drift lowers D. Raises `InvalidInput` unless
    0 <= epsilon < D0 < radius.

    >>> round(hitting_probability(1.6, math.inf, 0.5, 1.0), 3)
    0.134
    >>> round(hitting_probability(1.6, 20.0, 0.5, 1.0, epsilon=0.01), 4)
    0.1728
    """
    if not 0 <= epsilon < D0 < radius:
        raise InvalidInput(
            f"epsilon, D0 and radius must rise from 0, got epsilon = {epsilon:g}, D0 = {D0:.6g}, radius = {radius:g}"
        )
    k, b, s = _exponents(gamma, tau0, rate, heads)
    if k > 0.5:
        from scipy.special import betainc

        start, low, top = (float(betainc(0.5, k - 0.5, _share(b, s, x))) for x in (D0, epsilon, radius))
    elif math.isinf(radius):
        return 0.0
    else:
        start, low, top = (scale_function(x, gamma, tau0, rate, heads) for x in (D0, epsilon, radius))
    return float((start - low) / (top - low))


def _share(b: float, s: float, x: float) -> float:
    return 1.0 if math.isinf(x) else b * x**2 / (2 * s + b * x**2)


def _exponents(gamma: float, tau0: float, rate: float | None, heads: int) -> tuple[float, float, float]:
    gamma = real_number("gamma", gamma, most=1.0, positive=True)
    tau0 = real_number("tau0", tau0, positive=True)
    s = attention_rate(gamma) if rate is None else real_number("rate", rate, positive=True)
    return whole_number("heads", heads) / (4 * gamma**2), gamma**4 / (4 * heads * tau0**2), s


def temperature_for(level: float, D0: float, gamma: float, heads: int = 1, rate: float | None = None) -> float | None:
    """The tau0 at which two tokens from squared distance `D0` explode with probability `level`; None without explosion.

    Exact: the probability depends on D0 / tau0 alone, and falls as tau0 grows.

    >>> round(temperature_for(0.01, 1.6, 0.5), 1)
    13.6
    """
    from scipy.special import betaincinv

    level = real_number("level", level, 0.0, 1.0, positive=True)
    k, b, s = _exponents(gamma, 1.0, rate, heads)
    if k <= 0.5:
        return None
    share = float(betaincinv(0.5, k - 0.5, level))
    return D0 * math.sqrt(b * (1 - share) / (2 * s * share))


def blow_up_time(
    V0: ArrayLike,
    gamma: float,
    tau0: float,
    mask: ArrayLike | None = None,
    relu: tuple[float, float] | None = None,
) -> float | None:
    """The time at which the drift alone, dV = b dt, blows up from `V0`; None where it does not.

    8 tau0^2 / (gamma^2 D^2) for two tokens; otherwise an ODE for V / ||V|| and log ||V|| whose clock is the integral
    of ||V||^2 dt, right to about 1e-6. `relu` = (c_plus, c_minus) adds the drift of a residual block. It is a time
    scale, not a bound: noise moves explosions to either side.

    >>> round(blow_up_time([[1.0, 0.2], [0.2, 1.0]], 0.5, 1.0), 6)
    12.5
    """
    V = checked_covariance(V0)
    allowed = None if mask is None else checked_mask(mask, V.shape[0])
    if relu is None and allowed is None and V.shape[0] == 2:
        D = spread(V)
        return 8 * tau0**2 / (gamma**2 * D**2) if D > 0 else None
    return _Growth(V.shape[0], gamma, tau0, allowed, relu).time(V)


class _Growth:
    """The drift of V / N, log N and t in the time integral of N^2 dt, N the Frobenius norm; b(V) is cubic in V."""

    def __init__(self, m: int, gamma: float, tau0: float, mask: Array | None, relu: tuple[float, float] | None) -> None:
        self.m, self.gamma, self.tau0, self.mask, self.relu = m, gamma, tau0, mask, relu

    def rates(self, W: Array, log_norm: float) -> tuple[Array, float]:
        """dW and d log N."""
        b = attention_drift(W, self.gamma, self.tau0, self.mask)
        if self.relu is not None:
            v = np.maximum(np.diag(W), 1e-300)
            safe = W + np.diag(v - np.diag(W))
            b = b + self.gamma**2 * math.exp(-2 * log_norm) * relu_drift(safe, *self.relu)
        growth = float(np.sum(W * b))
        return b - growth * W, growth

    def time(self, V: Array) -> float | None:
        from scipy.integrate import solve_ivp

        def field(_: float, state: Array) -> Array:
            dW, growth = self.rates(state[:-2].reshape(self.m, self.m), state[-2])
            return np.concatenate([dW.ravel(), [growth, math.exp(-2 * state[-2])]])

        norm = float(np.linalg.norm(V))
        state, span = np.concatenate([(V / norm).ravel(), [math.log(norm), 0.0]]), self.tau0**2 / self.gamma**2
        for _ in range(CHUNKS):
            state = solve_ivp(field, (0.0, span), state, method="LSODA", rtol=1e-9, atol=1e-12).y[:, -1]
            growth = self.rates(state[:-2].reshape(self.m, self.m), state[-2])[1]
            if growth * self.tau0**2 / self.gamma**2 < 1e-12:
                return None
            rest = math.exp(-2 * state[-2]) / (2 * growth)
            if rest < 1e-7 * state[-1]:
                return float(state[-1] + rest)
            span *= 1.5
        return None
