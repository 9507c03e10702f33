"""How far softmax attention is from uniform: spread of the logits, distance from 1/n, leading corrections."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seprank.signal.gaussian import query_norm, value_norm
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens, residual, squared_norm, token_matrix

MOST_SPREAD = 0.25  # standard deviation of the logits
NARROWEST = 8  # width; below it the norms of single tokens spread too much
MOST_CORRECTION = 0.15  # of the value gradient, relative to eq. 17


@dataclass(frozen=True)
class Validity:
    """Whether predictions that replace softmax by uniform attention can be trusted, and by what measure.

    `logit_std` is the standard deviation of a logit (tau included). `correction` is the leading relative change of
    the expected squared value gradient by softmax, None where eq. 17 is 0. `narrow` is whether the width is below 8.
    `valid` asks for a logit_std of at most 0.25, a correction of at most 0.15 and no narrow width: there the predicted
    norms were within 20 % of those of softmax layers in every case tried (n from 2 to 64, d from 8 to 64, dk and dv
    from d/4 to d). It is an indicator, not a proved bound.
    """

    logit_std: float
    correction: float | None
    narrow: bool = False

    @property
    def valid(self) -> bool:
        """Whether all is within its limits."""
        small = self.correction is not None and self.correction <= MOST_CORRECTION
        return self.logit_std <= MOST_SPREAD and small and not self.narrow

    @property
    def reason(self) -> str:
        """One clause that says why."""
        if self.correction is None:
            return "no: the mean token is 0, so that eq. 17 is 0"
        spread = f"logit std {self.logit_std:.3g}"
        change = f"leading correction {self.correction:.2g}"
        if self.valid:
            return f"yes: {spread} is at most {MOST_SPREAD}, {change} is at most {MOST_CORRECTION}"
        if self.logit_std > MOST_SPREAD:
            return f"no: {spread} is above {MOST_SPREAD} ({change})"
        if self.narrow:
            return f"no: the width is below {NARROWEST} ({spread}, {change})"
        return f"no: {change} is above {MOST_CORRECTION} ({spread})"


def validity(tokens: GaussianTokens, sizes: LayerSizes) -> Validity:
    """The indicator for Gaussian tokens.

    Source: noci2022signal, assumption 3.1 and appendix A.5; the leading correction is derived in docs/signal.md.

    >>> validity(GaussianTokens(n=16, d=64, rho=0.2, sigma=0.125), LayerSizes(d=64)).reason
    'yes: logit std 0.0156 is at most 0.25, leading correction 4.6e-05 is at most 0.15'
    >>> validity(GaussianTokens(n=16, d=64), LayerSizes(d=64)).valid
    False
    """
    value = value_norm(tokens, sizes)
    return Validity(
        logit_std=logit_deviation(tokens, sizes),
        correction=value_excess(tokens, sizes) / value if value else None,
        narrow=sizes.d < NARROWEST,
    )


def logit_deviation(tokens: GaussianTokens, sizes: LayerSizes) -> float:
    """tau sigma_k^2 sigma^2 d: the standard deviation of a logit for tokens of squared norm sigma^2 d.

    Exact for two tokens of that norm; an estimate for random ones. Source: noci2022signal, appendix A.5.
    """
    return sizes.tau * sizes.sigma_k2 * tokens.sigma**2 * tokens.d


def value_excess(tokens: GaussianTokens, sizes: LayerSizes) -> float:
    """What softmax adds to eq. 17, to second order in the logits: the expected query norm times sigma_k^2/sigma_v^2
    (which is dv/dk for the usual variances).

    An estimate: next orders are left out. Source: docs/signal.md.

    >>> tokens = GaussianTokens(n=16, d=64, sigma=0.5)
    >>> round(value_excess(tokens, LayerSizes(d=64)) / value_norm(tokens, LayerSizes(d=64)), 4)
    0.0735
    """
    return query_norm(tokens, sizes) * sizes.sigma_k2 / sizes.sigma_v2


def attention_deviation(X: np.ndarray, sizes: LayerSizes) -> float:
    """E ||A - J/n||_F^2 at tokens `X` of shape (n, d): tau^2 sigma_k^4/n^2 ||X||^2 ||PX||^2, first order in the logits.

    With the variance 1/dk it falls like 1/dk^2. An estimate; source: noci2022signal, appendix A.5 (rate ours).

    >>> attention_deviation(np.array([[1.0, 0.0], [3.0, 2.0]]), LayerSizes(d=2, dk=1000)) * 1e6
    14.0
    """
    X = token_matrix(X)
    spread = float(squared_norm(X) * squared_norm(residual(X)))
    return (sizes.tau * sizes.sigma_k2 / X.shape[-2]) ** 2 * spread
