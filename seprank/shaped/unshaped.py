"""Leading laws without shaping: plain softmax, one ingredient removed, Pre-LN. All collapse or grow layer by layer.

Deterministic predictions of leading order for large width, up to O(n^-1/2) a layer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.shaped.moments import centred
from seprank.validate import real_number, whole_number

Array = NDArray[Any]

PLAIN, NO_CENTRING, NO_IDENTITY = "plain", "no-centring", "no-identity"
VARIANTS = (PLAIN, NO_CENTRING, NO_IDENTITY)
_OUTER_INNER = {PLAIN: (0.0, 1.0), NO_CENTRING: (1.0, 2.0), NO_IDENTITY: (0.0, 0.0)}


def factors(variant: str, gamma: float, lambda_squared: float | None = None) -> tuple[float, float, float]:
    """What one layer multiplies C = HVH, the cross part and the mean part JVJ by.

    "plain" is softmax attention, "no-centring" identity plus softmax, "no-identity" softmax less its mean, each with A
    replaced by its leading part; `lambda_squared` defaults to 1 - gamma^2. Raises `InvalidInput` for another variant:
    without the temperature a layer is a change of order 1 at random, with no leading law.

    >>> factors("plain", 0.5)
    (0.75, 0.75, 1.0)
    """
    if variant not in VARIANTS:
        raise InvalidInput(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}")
    g2 = real_number("gamma", gamma, positive=True) ** 2
    l2 = 1 - g2 if lambda_squared is None else real_number("lambda_squared", lambda_squared, 0.0)
    outer, inner = _OUTER_INNER[variant]  # how A acts on mean-removed tokens and on their mean
    return l2 + g2 * outer**2, l2 + g2 * outer * inner, l2 + g2 * inner**2


def leading_law(
    V0: ArrayLike, variant: str, gamma: float, layers: int, lambda_squared: float | None = None
) -> tuple[Array, float]:
    """V behind `layers` layers as a matrix and the natural logarithm of a scale: V = matrix e^scale; no overflow.

    >>> V, scale = leading_law([[1.0, 0.2], [0.2, 1.0]], "no-identity", 0.5, 200)
    >>> V.round(12).tolist(), round(scale / math.log(10), 2)
    ([[1.0, 0.2], [0.2, 1.0]], -24.99)
    """
    V, count = np.asarray(V0, np.float64), whole_number("layers", layers, 0)
    C, J = centred(V), np.full(V.shape, V.mean())
    rates = factors(variant, gamma, lambda_squared)
    if count == 0 or (largest := max(rates)) == 0.0:
        return (V, 0.0) if count == 0 else (np.zeros_like(V), 0.0)
    powers = [(rate / largest) ** count for rate in rates]
    return powers[0] * C + powers[1] * (V - C - J) + powers[2] * J, count * math.log(largest)


def pre_ln_gap(D0: float, layers: int) -> float:
    """1 - rho of two tokens behind `layers` of Pre-LN attention with skip weights 1: D0 / (2 l), asymptotic in l.

    Polynomial where plain softmax collapses exponentially; measured values are right to about 15 % from layer 50.

    >>> pre_ln_gap(1.6, 200)
    0.004
    """
    return real_number("D0", D0, 0.0) / (2 * whole_number("layers", layers))
