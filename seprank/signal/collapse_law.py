"""Assumption-free bounds near rank collapse, and the cubic law of one layer of pure attention."""

from __future__ import annotations

import numpy as np

from seprank.signal.layer import LayerWeights, check_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import residual, squared_norm, token_matrix


def query_jacobian_bound(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> float:
    """An upper bound on ||dS/dWQ||_F^2 for every attention matrix:
    tau^2 ||WV||^2 ||WK||^2/dk ||X||_F^2 ||PX||_F^4, with operator norms of the weights.

    Proved, since the covariance of the tokens under any row of A has a norm of at most ||PX||_F^2. It is 0 at rank
    collapse: Theorem 3.1 without the assumption of uniform attention. `X` has shape (n, d). Raises `InvalidInput`.
    Source: noci2022signal, Theorem 3.1.

    >>> X = np.array([[1.0, 0.0], [3.0, 2.0]])
    >>> round(query_jacobian_bound(X, LayerWeights(np.zeros((2, 1)), np.ones((2, 1)), np.eye(2))), 6)
    448.0
    """
    X, weights = check_weights(X, weights)
    operators = np.linalg.norm(weights.value, 2) ** 2 * np.linalg.norm(weights.key, 2) ** 2
    spread = float(squared_norm(residual(X))) ** 2
    return float(tau**2 * operators / weights.query.shape[1] * squared_norm(X) * spread)


def next_residual(X: np.ndarray, sizes: LayerSizes) -> float:
    """E ||P X'||_F^2 after one layer X' = A X WV of pure attention, to leading order in the residual R = P X:
    tau^2 sigma_v^2 dv sigma_k^4/n^2 ||R||_F^2 ||R^T R||_F^2.

    The norm of the residual is cubic in that of the layer before, so its logarithm triples with every layer. An
    estimate for small R; measured within 1 % at entries of R below 0.05. `X` has shape (n, d).
    Source: derived in docs/signal.md; the doubly exponential rate is that of dong2021attention.

    >>> X = np.array([[1.0, 0.0], [3.0, 2.0]]) / 100
    >>> round(next_residual(X, LayerSizes(d=2)) / next_residual(X / 10, LayerSizes(d=2)))
    1000000
    """
    R = residual(token_matrix(X))
    weights = sizes.tau**2 * sizes.sigma_v2 * sizes.dv * sizes.sigma_k2**2
    return float(weights / R.shape[-2] ** 2 * squared_norm(R) * ((R.T @ R) ** 2).sum())


def residual_logarithms(log_residual: float, constant: float, L: int) -> list[float]:
    """log ||R_l|| for l = 0..L under the law log ||R_{l+1}|| = 3 log ||R_l|| + constant.

    >>> residual_logarithms(-1.0, -0.5, 3)
    [-1.0, -3.5, -11.0, -33.5]
    """
    found = [log_residual]
    for _ in range(L):
        found.append(3.0 * found[-1] + constant)
    return found
