"""Norms and inner products through the depth under uniform attention: Lemmas 3.2 and 3.3 and their limits."""

from __future__ import annotations

from math import exp

import numpy as np

from seprank.signal.tokens import mean_token_squared_norm, squared_norm, token_matrix, total_inner_product
from seprank.validate import real_number, whole_number


def expected_total_inner_product(X: np.ndarray, L: int, alpha1: float, alpha2: float) -> float:
    """Lemma 3.2: E C(X_L) = (1 + alpha1^2)^L (1 + alpha2^2)^L C(X_0), C the sum of all inner products of tokens.

    Exact for uniform attention, linear branches of gain 1, dv = d; a lower bound for ReLU with He weights. `X` has
    shape (n, d). Raises `InvalidInput`. Source: noci2022signal, Lemma 3.2.

    >>> expected_total_inner_product(np.eye(2), 2, 1.0, 1.0)
    32.0
    """
    first, second = _growth(L, alpha1), _growth(L, alpha2)
    return float(first * second * total_inner_product(X))


def expected_squared_norm(X: np.ndarray, L: int, alpha1: float, alpha2: float) -> float:
    """Lemma 3.3: E ||X_L||_F^2 = n (1 + alpha1^2)^L (1 + alpha2^2)^L ||mean||^2 + (1 + alpha2^2)^L (||X_0||_F^2 - n
    ||mean||^2): the mean token grows by both branches, the deviation from it by the feed-forward branch alone.

    Exact for uniform attention, linear branches of gain 1, dv = d; a lower bound for ReLU with He weights. `X` has
    shape (n, d). Raises `InvalidInput`. Source: noci2022signal, Lemma 3.3.

    >>> expected_squared_norm(np.eye(2), 2, 1.0, 1.0)
    20.0
    """
    return _norm(X, _growth(L, alpha1), _growth(L, alpha2))


def limit_total_inner_product(X: np.ndarray, a1: float, a2: float) -> float:
    """The limit L -> infinity of Lemma 3.2 with alpha_i^2 = a_i/L: e^(a1 + a2) C(X_0); see
    `expected_total_inner_product`.

    >>> round(limit_total_inner_product(np.eye(2), 1.0, 1.0), 6)
    14.778112
    """
    return _limit(a1) * _limit(a2) * float(total_inner_product(X))


def limit_squared_norm(X: np.ndarray, a1: float, a2: float) -> float:
    """The limit L -> infinity of Lemma 3.3 with alpha_i^2 = a_i/L; see `expected_squared_norm`.

    "Preserved" means a factor that does not depend on the depth, up to e^(a1 + a2), not a factor of 1.

    >>> round(limit_squared_norm(np.eye(2), 1.0, 1.0), 6)
    10.107338
    """
    return _norm(X, _limit(a1), _limit(a2))


def _norm(X: np.ndarray, attention: float, feed_forward: float) -> float:
    X = token_matrix(X)
    mean = float(X.shape[-2] * mean_token_squared_norm(X))
    return feed_forward * (attention * mean + float(squared_norm(X)) - mean)


def _growth(L: int, alpha: float) -> float:
    return float(np.float64(1.0 + real_number("alpha", alpha, least=0.0, most=1e6) ** 2) ** whole_number("L", L, 0))


def _limit(a: float) -> float:
    return exp(real_number("a", a, least=0.0, most=300.0))
