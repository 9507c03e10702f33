"""The shaped ReLU, its normaliser and the drift nu that it gives to correlations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.validate import real_number, whole_number

SERIES_BELOW = 0.1


def slopes(n: int, c_plus: float, c_minus: float) -> tuple[float, float]:
    """The slopes 1 + c_plus / sqrt(n) and 1 + c_minus / sqrt(n) of the shaped ReLU (noci2023shaped, Section 2).

    >>> slopes(100, 0.0, -1.0)
    (1.0, 0.9)
    """
    root = math.sqrt(whole_number("n", n))
    return 1 + real_number("c_plus", c_plus) / root, 1 + real_number("c_minus", c_minus) / root


def shaped_relu(x: ArrayLike, n: int, c_plus: float, c_minus: float) -> NDArray[Any]:
    """The shaped ReLU of width `n`, elementwise: slope s_plus above 0 and s_minus below.

    >>> shaped_relu([-1.0, 2.0], 100, 0.0, -1.0).tolist()
    [-0.9, 2.0]
    """
    s_plus, s_minus = slopes(n, c_plus, c_minus)
    values = np.asarray(x, np.float64)
    return s_plus * np.maximum(values, 0.0) + s_minus * np.minimum(values, 0.0)


def normaliser(n: int, c_plus: float, c_minus: float) -> float:
    """c_n = 2 / (s_plus^2 + s_minus^2), which makes the mean square of the activation of a standard normal 1; exact.

    >>> round(normaliser(100, 0.0, -1.0), 12)
    1.104972375691
    """
    s_plus, s_minus = slopes(n, c_plus, c_minus)
    return 2.0 / (s_plus**2 + s_minus**2)


def nu(rho: ArrayLike, c_plus: float, c_minus: float) -> NDArray[Any]:
    """(c_plus - c_minus)^2 / (2 pi) times (sqrt(1 - rho^2) - rho arccos rho): the drift of a correlation, exact.

    `rho` in [-1, 1], any shape. The one-step drift of a network of width n is c_n nu / n at every n. As printed in
    noci2023shaped (Eq. 3), with (c_plus + c_minus)^2 and a plus sign, the formula is negative at rho = -0.9 and does
    not vanish for a linear activation.

    >>> float(nu(-1.0, 0.0, -1.0)), float(nu(1.0, 0.0, -1.0))
    (0.5, 0.0)
    """
    rate = (real_number("c_plus", c_plus) - real_number("c_minus", c_minus)) ** 2 / (2 * math.pi)
    theta = np.arccos(np.clip(np.asarray(rho, np.float64), -1.0, 1.0))
    small = np.minimum(theta, SERIES_BELOW)
    series = small**3 * (1 / 3 - small**2 * (1 / 30 - small**2 * (1 / 840 - small**2 / 45360)))
    return rate * np.where(theta < SERIES_BELOW, series, np.sin(theta) - theta * np.cos(theta))


def relu_drift(V: ArrayLike, c_plus: float, c_minus: float) -> NDArray[Any]:
    """b_ReLU of an m x m covariance: nu(rho) sqrt(V_aa V_bb) off the diagonal, 0 on it (noci2023shaped, Eq. 3).

    >>> relu_drift([[1.0, 0.0], [0.0, 1.0]], 0.0, -1.0).round(6).tolist()
    [[0.0, 0.159155], [0.159155, 0.0]]
    """
    V = np.asarray(V, np.float64)
    roots = np.sqrt(np.diagonal(V, axis1=-2, axis2=-1))
    size = roots[..., :, None] * roots[..., None, :]
    drift = nu(V / size, c_plus, c_minus) * size
    drift[..., np.arange(V.shape[-1]), np.arange(V.shape[-1])] = 0.0
    return drift
