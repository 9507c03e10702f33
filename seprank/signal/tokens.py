"""Gaussian tokens with one correlation between every two, and the numbers of a token matrix that the theory needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from seprank.errors import InvalidInput
from seprank.validate import real_number, whole_number

LARGEST = 10**9  # tokens and widths; their products stay far inside the range of a float
LEAST_SCALE, MOST_SCALE = 1e-20, 1e20  # sixth powers stay inside the range of a float


@dataclass(frozen=True)
class GaussianTokens:
    """The model of `n` Gaussian tokens of width `d`: entries of mean 0 and standard deviation `sigma`, and correlation
    `rho` between the same coordinate of any two tokens; different coordinates are independent.

    `n` from 2, `d` from 1, `rho` from ``-1/(n - 1)`` to 1. Raises `InvalidInput`.

    Source: noci2022signal, appendix A.2.

    >>> tokens = GaussianTokens(n=16, d=64, rho=0.2, sigma=0.125)
    >>> tokens.squared_norm, round(tokens.mean_token_squared_norm, 6)
    (16.0, 0.25)
    """

    n: int
    d: int
    rho: float = 0.0
    sigma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("n", self.n, least=2, most=LARGEST))
        object.__setattr__(self, "d", whole_number("d", self.d, most=LARGEST))
        object.__setattr__(self, "rho", correlation("rho", self.rho, self.n))
        object.__setattr__(self, "sigma", scale("sigma", self.sigma))

    @property
    def shared(self) -> float:
        """``1 + (n - 1) rho``, at least 0: the variance of a sum of tokens over that of independent ones."""
        return max(0.0, 1.0 + (self.n - 1) * self.rho)

    @property
    def squared_norm(self) -> float:
        """E ||X||_F^2, exact."""
        return self.n * self.d * self.sigma**2

    @property
    def mean_token_squared_norm(self) -> float:
        """E ||mean token||^2, exact."""
        return self.d * self.sigma**2 * self.shared / self.n

    @property
    def scatter_scale(self) -> float:
        """s = sigma^2 (1 - rho): the scatter B is Wishart with n - 1 degrees of freedom and this scale."""
        return self.sigma**2 * (1.0 - self.rho)

    @property
    def scatter_trace(self) -> float:
        """E tr B, exact."""
        return self.scatter_scale * (self.n - 1) * self.d

    @property
    def scatter_squared_norm(self) -> float:
        """E ||B||_F^2, exact."""
        return self.scatter_scale**2 * self.d * (self.n - 1) * (self.n + self.d)

    def sample(self, seed: int, count: int = 1) -> np.ndarray:
        """`count` draws of the token matrix, shape (count, n, d), for any legal `rho`; the same for the same seed."""
        draw = np.random.default_rng(whole_number("seed", seed, least=0))
        V = draw.standard_normal((whole_number("count", count), self.n, self.d))
        mean = V.mean(axis=1, keepdims=True)
        # The covariance has the eigenvalues 1 + (n - 1) rho (the mean token) and 1 - rho (the rest).
        return self.sigma * (sqrt(self.shared) * mean + sqrt(1.0 - self.rho) * (V - mean))


def correlation(name: str, value: object, n: int) -> float:
    """`value` as a correlation that `n` tokens can have with one another, or `InvalidInput`."""
    number = real_number(name, value)
    if not -1.0 / (n - 1) - 1e-15 <= number <= 1.0:
        raise InvalidInput(f"{name} must be a number from -1/(n - 1) = {-1 / (n - 1):.6g} to 1, got {value!r}")
    return number


def scale(name: str, value: object) -> float:
    """`value` as a positive standard deviation or temperature, or `InvalidInput`."""
    number = real_number(name, value, positive=True)
    if not LEAST_SCALE <= number <= MOST_SCALE:
        raise InvalidInput(f"{name} must be a number from {LEAST_SCALE:g} to {MOST_SCALE:g}, got {value!r}")
    return number


def token_matrix(X: object, name: str = "X") -> np.ndarray:
    """`X` as a float64 array (..., n, d) of finite numbers with n at least 2, or `InvalidInput`."""
    try:
        array = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be an array of real numbers, got {type(X).__name__}") from None
    if array.ndim < 2 or array.shape[-2] < 2 or array.shape[-1] < 1:
        raise InvalidInput(f"{name} must have shape (..., n, d) with n >= 2 and d >= 1, got {array.shape}")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must hold finite numbers only, got NaN or an infinity")
    return array


def scatter(X: np.ndarray) -> np.ndarray:
    """B = X^T P X, shape (..., d, d): the scatter of the tokens about their mean; 0 is rank collapse.

    >>> scatter(np.array([[1.0, 2.0], [3.0, 2.0]])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    R = residual(X)
    return np.swapaxes(R, -1, -2) @ R


def residual(X: np.ndarray) -> np.ndarray:
    """R = P X: the tokens less their mean token, shape (..., n, d)."""
    X = token_matrix(X)
    return X - X.mean(axis=-2, keepdims=True)


def squared_norm(X: np.ndarray) -> np.ndarray:
    """N(X) = ||X||_F^2, shape (...)."""
    return np.asarray((token_matrix(X) ** 2).sum(axis=(-2, -1)))


def mean_token_squared_norm(X: np.ndarray) -> np.ndarray:
    """||mean token||^2, shape (...)."""
    return np.asarray((token_matrix(X).mean(axis=-2) ** 2).sum(axis=-1))


def total_inner_product(X: np.ndarray) -> np.ndarray:
    """C(X): the sum of all inner products of two tokens, each token with itself included, shape (...).

    >>> total_inner_product(np.array([[1.0, 2.0], [3.0, 2.0]])).item()
    32.0
    """
    return np.asarray((token_matrix(X).sum(axis=-2) ** 2).sum(axis=-1))
