"""Query against value gradients inside a deep network, from the tokens that enter a layer."""

from __future__ import annotations

from math import inf, sqrt

from seprank.errors import InvalidInput
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import LARGEST
from seprank.signal.uniform import NARROWEST, Validity
from seprank.validate import real_number, whole_number


def gradient_ratio(n: int, gap: float, sigma2: float, sizes: LayerSizes) -> float | None:
    """Squared gradient norm of WQ over that of WV in a layer whose input has the correlation ``1 - gap`` and the entry
    variance `sigma2`: the exact form of eq. 18 over eq. 17; None where the mean token is 0.

    `gap` lies in (0, n/(n - 1)], or is 0 at collapse. An estimate for a loss: downstream gradients are taken as equally
    spread over tokens, which the first layers of a network are not. Raises `InvalidInput`.
    Source: noci2022signal, eq. 17 and 18; docs/signal.md.

    >>> round(gradient_ratio(16, 0.5, 1.0, LayerSizes(d=64)), 4)
    0.0345
    """
    n = whole_number("n", n, least=2, most=LARGEST)
    gap = real_number("gap", gap, least=0.0, most=n / (n - 1) * (1 + 1e-12))
    sigma2 = real_number("sigma2", sigma2, positive=True)
    shared = max(0.0, n - (n - 1) * gap)
    if not shared:
        return None
    weights = sizes.tau**2 * sizes.sigma_v2 * sizes.sigma_k2
    tokens = sigma2**2 * sizes.d * gap**2 * (n - 1) * (n + sizes.d) / n
    return weights * tokens * (1.0 + 4.0 * gap / (n * sizes.d)) / shared


def restoring_temperature(ratio: float | None) -> float | None:
    """The further factor on the inverse temperature that brings the ratio to 1, 1/sqrt(ratio); None where none does.

    >>> restoring_temperature(0.25), restoring_temperature(0.0)
    (2.0, None)
    """
    if ratio is None:
        return None
    real_number("ratio", ratio, least=0.0)
    return 1.0 / sqrt(ratio) if ratio else None


def layer_validity(n: int, gap: float, sigma2: float, sizes: LayerSizes) -> Validity:
    """The validity indicator for a layer of a deep network; arguments as in `gradient_ratio`."""
    ratio = gradient_ratio(n, gap, sigma2, sizes)
    spread = sizes.tau * sizes.sigma_k2 * sigma2 * sizes.d
    if not spread < inf:
        raise InvalidInput(f"sigma2 must leave logits in the range of floats, got {sigma2!r}")
    correction = None if ratio is None else ratio * sizes.sigma_k2 / sizes.sigma_v2
    return Validity(spread, correction, sizes.d < NARROWEST)
