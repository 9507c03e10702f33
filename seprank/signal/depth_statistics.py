"""Means over seeds, their errors, and the correlation as a ratio of expectations: rows from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, frexp, fsum, inf, isfinite, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from seprank.signal.depth_rows import Gradient, LayerRow, Mean, Prediction, TokenRow, ratio_at
from seprank.signal.network_sizes import NetworkSizes

if TYPE_CHECKING:
    from seprank.signal.depth_measure import Measured, Tokens


def token_row(n: int, found: Sequence[Measured], place: int, expected: Prediction) -> TokenRow:
    """What enters attention in layer `place` + 1, over the seeds of all batches."""
    parts = [measured.tokens[place] for measured in found]
    gap, sigma2, norm = (np.concatenate([getattr(part, name) for part in parts]) for name in ("gap", "sigma2", "norm"))
    count = len(gap)
    squares = np.sum([part.squares for part in parts], axis=0) / count
    centred = np.sum([part.centred_gram for part in parts], axis=0) / count
    rho_gap = gap_of_expectations(squares, centred)
    return TokenRow(
        layer=place + 1,
        cosine=mean(1.0 - gap),
        gap=float(gap.mean()),
        rho=1.0 - rho_gap,
        rho_gap=rho_gap,
        norm=mean(norm),
        sigma2=float(sigma2.mean()),
        predicted=expected,
    )


def layer_row(sizes: NetworkSizes, n: int, found: Sequence[Measured], place: int, expected: Prediction) -> LayerRow:
    """Layer `place` + 1 with its attention and gradients, over the seeds of all batches."""
    tokens = token_row(n, found, place, expected)
    logit_std, spread, peak = (
        np.concatenate(column) for column in zip(*(measured.attention[place] for measured in found), strict=True)
    )
    logs = np.concatenate([measured.gradients[:, place] for measured in found], axis=1)
    with np.errstate(invalid="ignore"):
        ratio = float((logs[0] - logs[2]).mean())
    return LayerRow(
        **vars(tokens),
        logit_std=root_mean_square(logit_std),
        logit_spread=root_mean_square(spread),
        peak=float(peak.mean()),
        query=_gradient(logs[0]),
        key=_gradient(logs[1]),
        value=_gradient(logs[2]),
        ratio=10.0**ratio if -inf < ratio < 300.0 else None,
        ratio_at_tokens=_ratio_at_tokens(sizes, n, [measured.tokens[place] for measured in found]),
    )


def _ratio_at_tokens(sizes: NetworkSizes, n: int, parts: Sequence[Tokens]) -> float | None:
    """Geometric mean over the seeds of eq. 18 over eq. 17, each at its own tokens."""
    pairs = ((float(gap), float(sigma2)) for part in parts for gap, sigma2 in zip(part.gap, part.sigma2, strict=True))
    ratios = [ratio_at(sizes, n, gap, sigma2) for gap, sigma2 in pairs]
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios):
        return None
    return exp(fsum(log(ratio) for ratio in known) / len(known)) if all(known) else 0.0


def gap_of_expectations(squares: np.ndarray, centred: np.ndarray) -> float:
    """1 - rho for the ratio of expectations, averaged over pairs, from the mean squared norms of the tokens (n,) and
    the mean Gram matrix of the centred tokens (n, n); near collapse no digits are lost.

    >>> gap_of_expectations(np.array([1.0, 1.0]), np.array([[0.5, -0.5], [-0.5, 0.5]]))
    1.0
    """
    diagonal = np.diag(centred)
    distances = diagonal[:, None] + diagonal[None, :] - 2.0 * centred
    lengths = np.sqrt(squares)
    products = np.outer(lengths, lengths)
    gaps = (distances - (lengths[:, None] - lengths[None, :]) ** 2) / (2.0 * products)
    n = len(squares)
    return float((gaps.sum() - np.trace(gaps)) / (n * (n - 1)))


def _gradient(logs: np.ndarray) -> Gradient:
    log10 = float(logs.mean())
    with np.errstate(over="ignore", under="ignore"):
        squares = 10.0**logs
    return Gradient(mean(squares), log10 if isfinite(log10) else None)


def mean(values: np.ndarray) -> Mean:
    """Mean and standard error of `values` (None for one value); both infinite where a value is.

    >>> mean(np.array([1.0, 3.0]))
    Mean(mean=2.0, error=1.0)
    """
    count, largest = len(values), float(np.abs(values).max())
    if not 0.0 < largest < inf:
        return Mean(largest, largest if count > 1 else None)
    unit = 2.0 ** (frexp(largest)[1] - 1)  # exact to divide by; the squares then stay in the range of floats
    error = unit * float((values / unit).std(ddof=1)) / sqrt(count) if count > 1 else None
    return Mean(unit * float((values / unit).mean()), error)


def root_mean_square(values: np.ndarray) -> float:
    """The root of the mean square, large values scaled first.

    >>> round(root_mean_square(np.array([3e200, 4e200])) / 1e200, 6)
    3.535534
    """
    largest = float(values.max())
    return largest * sqrt(((values / largest) ** 2).mean()) if largest else 0.0
