"""Jacobians of one attention layer in row form: exact for every attention matrix, no Kronecker product."""

from __future__ import annotations

from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from seprank.errors import TooLarge
from seprank.signal.layer import LayerWeights, attention, check_weights

MOST_ENTRIES = 2**28  # of one Jacobian: 2 GiB


class JacobianNorms(NamedTuple):
    """Squared Frobenius norms of dS/dWV, dS/dWQ, dS/dWK and dS/dX."""

    value: float
    query: float
    key: float
    input: float


def squared_norms(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> JacobianNorms:
    """Squared Frobenius norms of the four Jacobians of S = softmax(tau X WQ WK^T X^T / sqrt(dk)) X WV.

    `X` has shape (n, d). Exact up to rounding, in O(n^2 d dv) operations and the memory of the tokens and weights.
    Raises `InvalidInput` where shapes do not fit. Source: noci2022signal, Lemmas A.2 and A.3, in row form.

    >>> X = np.array([[1.0, 0.0], [3.0, 2.0]])
    >>> W = LayerWeights(np.zeros((2, 1)), np.ones((2, 1)), np.eye(2))
    >>> squared_norms(X, W)
    JacobianNorms(value=20.0, query=112.0, key=0.0, input=2.0)
    """
    X, weights = check_weights(X, weights)
    A = attention(X, weights, tau)
    dk, dv = weights.query.shape[1], weights.value.shape[1]
    query = key = inputs = 0.0
    for i in range(len(X)):
        C = _value_covariance(X, A[i], weights)
        query += (X[i] @ X[i]) * _squared(C @ weights.key)
        q = X[i] @ weights.query
        key += (q @ q) * _squared(C)
        inputs += _input_row_squared(X, A[i], i, C, weights, tau)
    factor = tau**2 / dk
    return JacobianNorms(dv * _squared(A @ X), float(factor * query), float(factor * key), float(inputs))


def value_jacobian(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """dS/dWV, shape (n, dv, d, dv): entry ``[i, v, a, b]`` is the derivative of S[i, v] by WV[a, b].

    Exact. Raises `TooLarge` above 2 GiB. Source: noci2022signal, Lemma A.2.
    """
    X, weights = check_weights(X, weights)
    n, d, dv = *X.shape, weights.value.shape[1]
    _refuse_if_large("dS/dWV", (n, dv, d, dv))
    return np.einsum("ia,vb->ivab", attention(X, weights, tau) @ X, np.eye(dv))


def query_jacobian(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """dS/dWQ, shape (n, dv, d, dk): row i is ``tau/sqrt(dk) X_i^T (x) WV^T Gamma_i WK``, Gamma_i the covariance of
    the tokens under row i of the attention matrix.

    Exact. Raises `TooLarge` above 2 GiB. Source: noci2022signal, Lemma A.2.
    """
    X, weights = check_weights(X, weights)
    (n, d), (dk, dv) = X.shape, (weights.query.shape[1], weights.value.shape[1])
    _refuse_if_large("dS/dWQ", (n, dv, d, dk))
    A = attention(X, weights, tau)
    covariances = np.stack([_value_covariance(X, row, weights) @ weights.key for row in A])
    return np.einsum("ia,ivk->ivak", X, covariances) * (tau / sqrt(dk))


def key_jacobian(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """dS/dWK, shape (n, dv, d, dk): row i is ``tau/sqrt(dk) WV^T Gamma_i (x) (WQ^T X_i)^T``.

    Exact. Raises `TooLarge` above 2 GiB. Source: noci2022signal, Lemma A.2 (omitted there).
    """
    X, weights = check_weights(X, weights)
    (n, d), (dk, dv) = X.shape, (weights.query.shape[1], weights.value.shape[1])
    _refuse_if_large("dS/dWK", (n, dv, d, dk))
    A = attention(X, weights, tau)
    covariances = np.stack([_value_covariance(X, row, weights) for row in A])
    return np.einsum("iva,ik->ivak", covariances, X @ weights.query) * (tau / sqrt(dk))


def input_jacobian(X: np.ndarray, weights: LayerWeights, tau: float = 1.0) -> np.ndarray:
    """dS/dX, shape (n, dv, n, d): entry ``[i, v, p, a]`` is the derivative of S[i, v] by X[p, a].

    Exact. Raises `TooLarge` above 2 GiB. Source: noci2022signal, Lemma A.3 (eq. 25), in blocks.
    """
    X, weights = check_weights(X, weights)
    n, d, dv = *X.shape, weights.value.shape[1]
    _refuse_if_large("dS/dX", (n, dv, n, d))
    A = attention(X, weights, tau)
    return np.stack([_input_row(X, A[i], i, _value_covariance(X, A[i], weights), weights, tau) for i in range(n)])


def _value_covariance(X: np.ndarray, row: np.ndarray, weights: LayerWeights) -> np.ndarray:
    """WV^T Gamma_i, shape (dv, d), for row i of the attention matrix."""
    centred = X - row @ X
    return np.asarray((centred @ weights.value).T @ (row[:, None] * centred))


def _input_row(X: np.ndarray, row: np.ndarray, i: int, C: np.ndarray, weights: LayerWeights, tau: float) -> np.ndarray:
    """dS_i/dX, shape (dv, n, d), given C = WV^T Gamma_i."""
    factor = tau / sqrt(weights.query.shape[1])
    centred = (X - row @ X) @ weights.value
    toward_keys = factor * (X[i] @ weights.query) @ weights.key.T
    block = np.einsum("p,pv,a->vpa", row, centred, toward_keys) + np.einsum("p,av->vpa", row, weights.value)
    block[:, i, :] += factor * (C @ weights.key) @ weights.query.T
    return np.asarray(block)


def _input_row_squared(
    X: np.ndarray, row: np.ndarray, i: int, C: np.ndarray, weights: LayerWeights, tau: float
) -> float:
    """||dS_i/dX||^2 without the array: blocks are A_ip (WV^T + c_p t^T), and one more matrix D where p = i."""
    factor = tau / sqrt(weights.query.shape[1])
    c = (X - row @ X) @ weights.value
    t = factor * (X[i] @ weights.query) @ weights.key.T
    D = factor * (C @ weights.key) @ weights.query.T
    crossed = weights.value.T @ t
    blocks = row**2 @ ((c**2).sum(axis=1) * (t @ t) + 2.0 * (c @ crossed)) + (row @ row) * _squared(weights.value)
    return float(blocks + 2.0 * row[i] * (c[i] @ D @ t + (weights.value.T * D).sum()) + _squared(D))


def _squared(array: np.ndarray) -> float:
    return float((array**2).sum())


def _refuse_if_large(name: str, shape: tuple[int, ...]) -> None:
    if prod(shape) > MOST_ENTRIES:
        raise TooLarge(
            f"{name} has {prod(shape)} entries of 8 bytes, above the limit of {MOST_ENTRIES}; its squared norm "
            "needs no such array (squared_norms)"
        )
