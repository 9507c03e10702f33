"""Variances and correlations of paths, and their quantiles with intervals from order statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.shaped.setup import LEVELS, Law

Array = NDArray[Any]
NORMAL_95 = 1.959963984540054


def entry_names(m: int) -> list[str]:
    """The entries of an m x m covariance that are compared: variances, then correlations.

    >>> entry_names(2), entry_names(10)[-1]
    (['V11', 'V22', 'rho12'], 'rho9_10')
    """
    gap = "" if m < 10 else "_"
    pairs = [f"rho{a + 1}{gap}{b + 1}" for a in range(m) for b in range(a + 1, m)]
    return [f"V{a + 1}{gap}{a + 1}" for a in range(m)] + pairs


def entries(covariances: Array) -> dict[str, Array]:
    """Variances and correlations of covariances (..., m, m), each an array (...).

    Raises `InvalidInput` where a number is not finite or a variance is 0, so that a correlation is not defined.
    """
    m = covariances.shape[-1]
    v = np.diagonal(covariances, axis1=-2, axis2=-1)
    if not np.isfinite(covariances).all():
        raise InvalidInput("covariances must be finite, got paths that left the range of floats: set a radius")
    if not (v > 0).all():
        raise InvalidInput("covariances must have positive variances, got 0: correlations are not defined there")
    found = {name: v[..., a] for a, name in enumerate(entry_names(m)[:m])}
    roots, names = np.sqrt(v), iter(entry_names(m)[m:])
    for a in range(m):
        for b in range(a + 1, m):
            found[next(names)] = np.clip(covariances[..., a, b] / (roots[..., a] * roots[..., b]), -1.0, 1.0)
    return found


def quantiles(law: Law) -> dict[str, Array]:
    """For every entry its (k, 5) quantiles at 5, 25, 50, 75, 95 per cent: estimates where the law comes from paths."""
    if law.covariances is None:
        return dict(law.quantiles)
    found = entries(law.covariances)
    return {name: np.quantile(values, np.array(LEVELS) / 100, axis=0).T for name, values in found.items()}


def intervals(law: Law) -> dict[str, Array]:
    """For every entry (k, 5, 2): 95 % intervals of the quantiles, the order statistics N p -+ 1.96 sqrt(N p (1 - p)).

    Empty where the law comes from a density, which has no sampling error.
    """
    if law.covariances is None:
        return {}
    found = {}
    for name, values in entries(law.covariances).items():
        ordered = np.sort(values, axis=0)
        found[name] = np.stack([ordered[list(_ranks(len(ordered), level / 100))].T for level in LEVELS], axis=1)
    return found


def _ranks(N: int, p: float) -> tuple[int, int]:
    """Places (from 0) of the order statistics that enclose the p-quantile with 95 %."""
    spread = NORMAL_95 * math.sqrt(N * p * (1 - p))
    return max(0, math.floor(N * p - spread)), min(N - 1, math.ceil(N * p + spread))
