"""Expected squared Jacobian norms at given tokens, under uniform attention (Lemma 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from seprank.errors import InvalidInput
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import mean_token_squared_norm, scatter, squared_norm, token_matrix


@dataclass(frozen=True)
class InputPieces:
    """Expected squared norms of the three pieces of dS/dX, and twice the expected inner product of the first two.

    `A1` is the softmax path through the query side, `A2` that through the key side, `A3` the path through the values;
    `cross` is 2 E<A1, A2>. The other inner products have mean 0. The printed lemma takes A2 to be as large as A1; the
    ratio is `ratio`, which has no bound near rank collapse.
    """

    A1: float
    A2: float
    A3: float
    cross: float

    @property
    def total(self) -> float:
        """E ||dS/dX||_F^2."""
        return self.A1 + self.A2 + self.A3 + self.cross

    @property
    def ratio(self) -> float | None:
        """E ||A2||^2 / E ||A1||^2; None at rank collapse, where both are 0."""
        return self.A2 / self.A1 if self.A1 else None


def expected_value_norm(X: np.ndarray, sizes: LayerSizes) -> float:
    """E ||dS/dWV||_F^2 = dv n ||mean token||^2 at tokens `X` of shape (n, d).

    Exact for uniform attention. Raises `InvalidInput`. Source: noci2022signal, Lemma 3.1 (values).

    >>> expected_value_norm(np.array([[1.0, 0.0], [3.0, 2.0]]), LayerSizes(d=2))
    20.0
    """
    X = _tokens(X, sizes)
    return float(sizes.dv * X.shape[0] * mean_token_squared_norm(X))


def expected_query_norm(X: np.ndarray, sizes: LayerSizes) -> float:
    """E ||dS/dWQ||_F^2 = tau^2 sigma_v^2 sigma_k^2 dv/n^2 ||X||_F^2 ||B||_F^2 at tokens `X` of shape (n, d); dS/dWK
    has the same.

    Exact for uniform attention and independent weights of mean 0. Raises `InvalidInput`.
    Source: noci2022signal, Lemma 3.1 (queries), eq. 7.

    >>> expected_query_norm(np.array([[1.0, 0.0], [3.0, 2.0]]), LayerSizes(d=2, dk=1))
    56.0
    """
    X = _tokens(X, sizes)
    weights = sizes.tau**2 * sizes.sigma_v2 * sizes.sigma_k2 * sizes.dv
    return float(weights / X.shape[0] ** 2 * squared_norm(X) * (scatter(X) ** 2).sum())


def expected_key_norm(X: np.ndarray, sizes: LayerSizes) -> float:
    """E ||dS/dWK||_F^2: the same value as `expected_query_norm`, with the same scope.

    Source: noci2022signal, Lemma 3.1 (keys).
    """
    return expected_query_norm(X, sizes)


def expected_input_norm(X: np.ndarray, sizes: LayerSizes) -> InputPieces:
    """The pieces of E ||dS/dX||_F^2 at tokens `X` of shape (n, d).

    Exact for uniform attention and independent weights of mean 0. The printed lemma bounds the norm with A2 as large
    as A1, which is false; these are the mended values. Raises `InvalidInput`.
    Source: noci2022signal, Lemma 3.1 (input), corrected.

    >>> pieces = expected_input_norm(np.array([[1.0, 0.0], [3.0, 2.0]]), LayerSizes(d=2, dk=1))
    >>> pieces, pieces.total
    (InputPieces(A1=16.0, A2=28.0, A3=2.0, cross=8.0), 54.0)
    """
    X = _tokens(X, sizes)
    B = scatter(X)
    return input_pieces(len(X), sizes, float((B**2).sum()), float(squared_norm(X) * np.trace(B)))


def input_pieces(n: int, sizes: LayerSizes, scatter_squared: float, norm_times_trace: float) -> InputPieces:
    """The pieces from ||B||_F^2 and ||X||_F^2 tr B, or from their expectations."""
    values = sizes.dv * sizes.sigma_v2
    softmax = values * (sizes.tau * sizes.sigma_k2) ** 2
    return InputPieces(
        A1=sizes.d * softmax / n * scatter_squared,
        A2=sizes.d * softmax / n**2 * norm_times_trace,
        A3=sizes.d * values,
        cross=2 * softmax / n**2 * scatter_squared,
    )


def input_norm_bound(X: np.ndarray, sizes: LayerSizes) -> float:
    """An upper bound on E ||dS/dX||_F^2 in ||X||_F and ||B||_F alone, from tr B <= sqrt(min(n - 1, d)) ||B||_F.

    Proved for uniform attention; it takes the place of the bound in the printed lemma, which fails near rank
    collapse. Source: noci2022signal, Lemma 3.1 (input), corrected.

    >>> input_norm_bound(np.array([[1.0, 0.0], [3.0, 2.0]]), LayerSizes(d=2, dk=1))
    54.0
    """
    X = _tokens(X, sizes)
    n, d = X.shape
    B = sqrt(float((scatter(X) ** 2).sum()))
    return input_pieces(n, sizes, B**2, float(squared_norm(X)) * sqrt(min(n - 1, d)) * B).total


def _tokens(X: np.ndarray, sizes: LayerSizes) -> np.ndarray:
    X = token_matrix(X)
    if X.ndim != 2 or X.shape[1] != sizes.d:
        raise InvalidInput(f"X must have shape (n, d) with d = {sizes.d}, got {X.shape}")
    return X
