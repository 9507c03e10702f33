"""Kronecker forms of the Jacobians as printed (row-wise vectorisation), for small sizes."""

from __future__ import annotations

from math import sqrt

import numpy as np


def commutation(a: int, b: int) -> np.ndarray:
    """K with K vec_r(Y) = vec_r(Y^T) for Y of shape (a, b)."""
    return np.eye(a * b)[np.arange(a * b).reshape(a, b).T.reshape(-1)]


def centring(n: int) -> np.ndarray:
    """P = I - J/n."""
    return np.eye(n) - np.ones((n, n)) / n


def attention(X: np.ndarray, Q: np.ndarray, K: np.ndarray, tau: float = 1.0) -> np.ndarray:
    """softmax(tau X Q K^T X^T / sqrt(dk)), row by row with Python's exponentials."""
    E = np.exp(tau * X @ Q @ K.T @ X.T / sqrt(Q.shape[1]))
    return np.asarray(E / E.sum(axis=1, keepdims=True))


def softmax_derivative(A: np.ndarray) -> np.ndarray:
    """Eq. 23: the block diagonal of diag(A_i) - A_i A_i^T."""
    n, m = A.shape
    found = np.zeros((n * m, n * m))
    for i, row in enumerate(A):
        found[i * m : (i + 1) * m, i * m : (i + 1) * m] = np.diag(row) - np.outer(row, row)
    return found


def value_form(X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0) -> np.ndarray:
    """Lemma A.2: A X (x) I."""
    return np.kron(attention(X, Q, K, tau) @ X, np.eye(V.shape[1]))


def query_form(
    X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0, dA: np.ndarray | None = None
) -> np.ndarray:
    """Lemma A.2: tau/sqrt(dk) (I (x) V^T X^T) dA/dM (X (x) X K); `dA` in place of eq. 23 where given."""
    n = len(X)
    middle = softmax_derivative(attention(X, Q, K, tau)) if dA is None else dA
    return tau / sqrt(Q.shape[1]) * np.kron(np.eye(n), V.T @ X.T) @ middle @ np.kron(X, X @ K)


def key_form(
    X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0, commuted: bool = True
) -> np.ndarray:
    """tau/sqrt(dk) (I (x) V^T X^T) dA/dM (X Q (x) X) K_{d,dk}; without the last factor where not `commuted`."""
    n, (d, dk) = len(X), Q.shape
    found = tau / sqrt(dk) * np.kron(np.eye(n), V.T @ X.T)
    found = found @ softmax_derivative(attention(X, Q, K, tau)) @ np.kron(X @ Q, X)
    return found @ commutation(d, dk) if commuted else found


def input_form(
    X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0, commuted: bool = True
) -> np.ndarray:
    """Lemma A.3, eq. 25; without K_{n,n} where not `commuted`."""
    n = len(X)
    A = attention(X, Q, K, tau)
    second = np.kron(np.eye(n), X @ Q @ K.T)
    inner = np.kron(np.eye(n), X @ K @ Q.T) + (commutation(n, n) @ second if commuted else second)
    outer = tau / sqrt(Q.shape[1]) * np.kron(np.eye(n), V.T @ X.T)
    return outer @ softmax_derivative(A) @ inner + np.kron(A, V.T)


def input_pieces(X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, ...]:
    """A_1, A_2, A_3 of the input Jacobian under uniform attention, as matrices."""
    n = len(X)
    outer = np.kron(np.eye(n), V.T @ X.T @ centring(n)) / (n * sqrt(Q.shape[1]))
    first = outer @ np.kron(np.eye(n), X @ K @ Q.T)
    second = outer @ commutation(n, n) @ np.kron(np.eye(n), X @ Q @ K.T)
    return first, second, np.kron(np.ones((n, n)) / n, V.T)
