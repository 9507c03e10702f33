"""Random tokens and weights for the checkers on signal propagation, and means with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np


class Layer(NamedTuple):
    """Sizes of one attention layer and its tokens."""

    n: int
    d: int
    dk: int
    dv: int
    rho: float = 0.0
    sigma: float = 1.0
    tau: float = 1.0

    def __repr__(self) -> str:
        widths = f"dk={self.dk}, dv={self.dv}, " if (self.dk, self.dv) != (self.d, self.d) else ""
        tau = "" if self.tau == 1 else f", tau={self.tau:g}"
        return f"[n={self.n}, d={self.d}, {widths}rho={self.rho:g}, sigma={self.sigma:g}{tau}]"


Arrays = tuple[Any, Any, Any, Any]  # X, WQ, WK, WV


def tokens(layer: Layer, count: int, seed: int) -> np.ndarray:
    """Gaussian tokens (count, n, d) through the symmetric root of the covariance, for every legal rho."""
    n, rho = layer.n, layer.rho
    covariance = layer.sigma**2 * ((1 - rho) * np.eye(n) + rho * np.ones((n, n)))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(values, 0.0, None)) @ vectors.T
    return np.einsum("ij,cjd->cid", root, np.random.default_rng([seed, 1]).standard_normal((count, n, layer.d)))


def weights(layer: Layer, count: int, seed: int, uniform: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """WQ, WK (count, d, dk) of variance 1/dk and WV (count, d, dv) of variance 1/dv, Gaussian or uniform."""
    draw = np.random.default_rng([seed, 2])

    def matrix(width: int) -> np.ndarray:
        shape = (count, layer.d, width)
        if uniform:
            return draw.uniform(-sqrt(3 / width), sqrt(3 / width), shape)
        return draw.standard_normal(shape) / sqrt(width)

    return matrix(layer.dk), matrix(layer.dk), matrix(layer.dv)


def mean_and_error(samples: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """The mean of independent samples and its standard error."""
    values = np.asarray(samples, dtype=float)
    return float(values.mean()), float(values.std(ddof=1) / sqrt(len(values)))


def log_slope(x: Any, y: Any) -> float:
    """The slope of log y against log x by least squares."""
    u, v = np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float))
    u = u - u.mean()
    return float((u * v).sum() / (u * u).sum())


def ratio_and_error(top: np.ndarray, bottom: np.ndarray) -> tuple[float, float]:
    """The ratio of the means of two paired samples, and its standard error to first order."""
    ratio = float(top.mean() / bottom.mean())
    return ratio, float((top - ratio * bottom).std(ddof=1) / sqrt(len(top)) / abs(bottom.mean()))
