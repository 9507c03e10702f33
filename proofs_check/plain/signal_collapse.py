"""Pure attention in mpmath: residuals layer by layer, written from the definition."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np


def residual_logarithms(
    X: np.ndarray, layers: list[tuple[np.ndarray, np.ndarray, np.ndarray]], digits: int
) -> list[float]:
    """log10 of the Frobenius norm of X less its mean token, for the input and behind every layer (WQ, WK, WV)."""
    ctx = mpmath.MPContext()
    ctx.dps = digits
    rows = _rows(ctx, X)
    found = [_log_residual(ctx, rows)]
    for query, key, value in layers:
        scale = 1 / ctx.sqrt(query.shape[1])
        q, k, v = (_product(rows, _rows(ctx, W)) for W in (query, key, value))
        new = []
        for left in q:
            weights = [ctx.exp(scale * ctx.fdot(left, right)) for right in k]
            total = sum(weights)
            new.append([sum(w * row[c] for w, row in zip(weights, v, strict=True)) / total for c in range(len(v[0]))])
        rows = new
        found.append(_log_residual(ctx, rows))
    return found


def _rows(ctx: Any, array: np.ndarray) -> list[list[Any]]:
    return [[ctx.mpf(float(x)) for x in row] for row in array]


def _product(left: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]


def _log_residual(ctx: Any, rows: list[list[Any]]) -> float:
    n = len(rows)
    total = ctx.mpf(0)
    for column in zip(*rows, strict=True):
        mean = sum(column) / n
        total += sum((x - mean) ** 2 for x in column)
    return float(ctx.log10(total) / 2)
