"""Formulas on signal propagation, written out term by term for the claims and their wrong variants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_draws import Layer


class Moments(NamedTuple):
    """Numbers of one token matrix: ||X||^2, n ||mean||^2, ||B||^2, tr B, ||X^T X||^2."""

    norm: float
    mean: float
    scatter: float
    trace: float
    uncentred: float


def moments(X: np.ndarray) -> Moments:
    """From X^T X and the sums of columns."""
    n = len(X)
    S = X.T @ X
    total = X.sum(axis=0)
    B = S - np.outer(total, total) / n
    return Moments(
        float(np.trace(S)), float(total @ total) / n, float((B**2).sum()), float(np.trace(B)), float((S**2).sum())
    )


def values_given(layer: Layer, m: Moments) -> float:
    """Lemma 3.1, values: dv n ||mean||^2."""
    return layer.dv * m.mean


def queries_given(layer: Layer, m: Moments) -> float:
    """Lemma 3.1, eq. 7: sigma_v^2 sigma_k^2 dv / n^2 ||X||^2 ||B||^2 with variances 1/dv, 1/dk."""
    return m.norm * m.scatter / (layer.dk * layer.n**2)


class Pieces(NamedTuple):
    """E ||A1||^2, E ||A2||^2, E ||A3||^2, 2 E <A1, A2>."""

    first: float
    second: float
    third: float
    cross: float


def input_given(layer: Layer, m: Moments) -> Pieces:
    """The pieces of Lemma 3.1's input part, mended, with variances 1/dv, 1/dk."""
    n, d, dk = layer.n, layer.d, layer.dk
    return Pieces(
        d * m.scatter / (n * dk**2),
        d * m.norm * m.trace / (n * dk) ** 2,
        float(d),
        2 * m.scatter / (n * dk) ** 2,
    )


def printed_input_bound(layer: Layer, m: Moments) -> float:
    """The bound that follows if A2 is as large as A1: 8 E ||A1||^2 + 2 E ||A3||^2."""
    pieces = input_given(layer, m)
    return 8 * pieces.first + 2 * pieces.third


def eq17(layer: Layer) -> float:
    """sigma^2 d dv (1 + rho (n - 1))."""
    return layer.sigma**2 * layer.d * layer.dv * (1 + layer.rho * (layer.n - 1))


def eq18(layer: Layer) -> float:
    """sigma^6 d^2 (1 - rho)^2 (n - 1)(n + d)/(n dk), variances 1/dv and 1/dk."""
    n, d = layer.n, layer.d
    return layer.sigma**6 * d**2 * (1 - layer.rho) ** 2 * (n - 1) * (n + d) / (n * layer.dk)


def eq18_exact(layer: Layer) -> float:
    """Eq. 18 without the independence of norm and scatter."""
    return eq18(layer) * (1 + 4 * (1 - layer.rho) / (layer.n * layer.d))
