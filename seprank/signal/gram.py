"""E [X_L X_L^T] through the depth under uniform attention: the recursion, and its closed form for linear branches."""

from __future__ import annotations

import numpy as np

from seprank.errors import InvalidInput
from seprank.signal.feed_forward import ACTIVATIONS
from seprank.signal.relu import relu_correlation
from seprank.validate import one_of, real_number, whole_number


def gram_recursion(
    G: np.ndarray, L: int, alpha1: float, alpha2: float, activation: str = "linear", gain: float = 1.0
) -> np.ndarray:
    """E [X_l X_l^T] for l = 0..L, shape (L + 1, n, n), from the Gram matrix `G` of the input, shape (n, n).

    A block is Z = X + alpha1 S(X), X' = Z + alpha2 FF(Z), with uniform attention and dv = d; `gain` is that of the
    feed-forward branch. Exact for linear branches at every width; for ReLU the limit of infinite width (in which the
    norm and the inner products stand for their means). Raises `InvalidInput`.
    Source: noci2022signal, appendix A.3; ReLU: docs/signal.md.

    >>> gram_recursion(np.eye(2), 1, alpha1=1.0, alpha2=1.0)[-1].tolist()
    [[3.0, 1.0], [1.0, 3.0]]
    """
    G = gram_matrix(G)
    squares = _square("alpha1", alpha1), _square("alpha2", alpha2) * real_number("gain", gain, least=0.0)
    one_of("activation", activation, ACTIVATIONS)
    found = [G]
    for _ in range(whole_number("L", L, least=0)):
        Z = found[-1] + squares[0] * found[-1].mean()
        found.append(Z + squares[1] * (Z if activation == "linear" else _relu_gram(Z)))
    return np.stack(found)


def gram_closed_form(G: np.ndarray, L: int, alpha1: float, alpha2: float, gain: float = 1.0) -> np.ndarray:
    """(1 + g alpha2^2)^L [G + ((1 + alpha1^2)^L - 1) ||mean token||^2 J]: `gram_recursion` for linear branches.

    Exact. `G` has shape (n, n). Raises `InvalidInput`. Source: noci2022signal, appendix A.3.

    >>> gram_closed_form(np.eye(2), 1, alpha1=1.0, alpha2=1.0).tolist()
    [[3.0, 1.0], [1.0, 3.0]]
    """
    G, L = gram_matrix(G), whole_number("L", L, least=0)
    growth = (1.0 + _square("alpha2", alpha2) * real_number("gain", gain, least=0.0)) ** L
    return np.asarray(growth * (G + ((1.0 + _square("alpha1", alpha1)) ** L - 1.0) * G.mean()))


def average_correlation(G: np.ndarray) -> float:
    """The mean over pairs of different tokens of G_kk'/sqrt(G_kk G_k'k'): a ratio of expectations.

    It is not the mean cosine of samples, which lies below it at finite width by an amount that grows with depth.
    Raises `InvalidInput` for a token of norm 0. Source: noci2022signal, Theorem 3.2.

    >>> average_correlation(np.array([[4.0, 1.0], [1.0, 1.0]]))
    0.5
    """
    G = gram_matrix(G)
    norms = np.sqrt(np.diag(G))
    if not norms.all():
        raise InvalidInput("G must have a positive diagonal, got a token of norm 0")
    n = len(G)
    return float(((G / np.outer(norms, norms)).sum() - n) / (n * (n - 1)))


def gram_matrix(G: object) -> np.ndarray:
    """`G` as a float64 array (n, n), n at least 2, symmetric, finite, with a diagonal from 0 on, or `InvalidInput`."""
    array = np.asarray(G, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 2:
        raise InvalidInput(f"G must have shape (n, n) with n >= 2, got {array.shape}")
    if not np.isfinite(array).all() or not np.allclose(array, array.T, rtol=1e-9) or (np.diag(array) < 0).any():
        raise InvalidInput("G must be a Gram matrix: finite, symmetric, with a diagonal from 0 on")
    return array


def _relu_gram(Z: np.ndarray) -> np.ndarray:
    norms = np.sqrt(np.diag(Z))
    products = np.outer(norms, norms)
    cosines = np.divide(Z, products, out=np.zeros_like(Z), where=products > 0)
    return np.asarray(products * relu_correlation(cosines))


def _square(name: str, alpha: float) -> float:
    return real_number(name, alpha, least=0.0, most=1e6) ** 2
