"""Expected squared Jacobian norms for Gaussian tokens under uniform attention: eq. 17, eq. 18, and exact values."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.signal.expectations import InputPieces, input_pieces
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens


@dataclass(frozen=True)
class ExpectedNorms:
    """Expected squared Frobenius norms of the Jacobians of one layer with respect to WV, WQ, WK and the input.

    `query` is exact, `query_printed` is eq. 18, which takes the norm and the scatter of the tokens to be independent.
    """

    value: float
    query: float
    query_printed: float
    key: float
    input_pieces: InputPieces

    @property
    def input(self) -> float:
        """E ||dS/dX||_F^2, the sum of its pieces."""
        return self.input_pieces.total

    @property
    def query_over_value(self) -> float | None:
        """Squared gradient norm of the queries over that of the values; None where the latter is 0."""
        return self.query / self.value if self.value else None


def value_norm(tokens: GaussianTokens, sizes: LayerSizes) -> float:
    """Eq. 17: E ||dS/dWV||_F^2 = sigma^2 d dv (1 + (n - 1) rho), exact for uniform attention.

    Raises `InvalidInput` where the widths of the two differ. Source: noci2022signal, eq. 17.

    >>> value_norm(GaussianTokens(n=16, d=64, rho=0.2, sigma=0.125), LayerSizes(d=64))
    256.0
    """
    _check(tokens, sizes)
    return tokens.sigma**2 * tokens.d * sizes.dv * tokens.shared


def query_norm_printed(tokens: GaussianTokens, sizes: LayerSizes) -> float:
    """Eq. 18: sigma^6 sigma_v^2 sigma_k^2 dv d^2 (1 - rho)^2 (n - 1) (n + d)/n, with a factor tau^2.

    An estimate below the exact value by the factor ``1 + 4 (1 - rho)/(n d)``, since it takes the norm of the tokens and
    their scatter to be independent. Source: noci2022signal, eq. 18.

    >>> round(query_norm_printed(GaussianTokens(n=16, d=64, rho=0.2, sigma=0.125), LayerSizes(d=64)), 9)
    0.01171875
    """
    _check(tokens, sizes)
    weights = sizes.tau**2 * sizes.sigma_v2 * sizes.sigma_k2 * sizes.dv
    return weights / tokens.n**2 * tokens.squared_norm * tokens.scatter_squared_norm


def query_norm(tokens: GaussianTokens, sizes: LayerSizes) -> float:
    """E ||dS/dWQ||_F^2 (and E ||dS/dWK||_F^2): eq. 18 times ``1 + 4 (1 - rho)/(n d)``, exact for uniform attention.

    Source: noci2022signal, eq. 18, without the assumption that norm and scatter are independent.

    >>> tokens, sizes = GaussianTokens(n=2, d=2), LayerSizes(d=2)
    >>> query_norm(tokens, sizes) / query_norm_printed(tokens, sizes)
    2.0
    """
    return query_norm_printed(tokens, sizes) * dependence(tokens)


def dependence(tokens: GaussianTokens) -> float:
    """``1 + 4 (1 - rho)/(n d)``: what the independence of norm and scatter in eq. 18 leaves out, exact."""
    return 1.0 + 4.0 * (1.0 - tokens.rho) / (tokens.n * tokens.d)


def input_norm(tokens: GaussianTokens, sizes: LayerSizes) -> InputPieces:
    """The pieces of E ||dS/dX||_F^2, exact for uniform attention.

    E [||X||_F^2 tr B] = E [n ||mean token||^2] E [tr B] + E [(tr B)^2], and tr B is s times a chi-square of
    (n - 1) d degrees of freedom. Source: noci2022signal, Lemma 3.1 (input), corrected.

    >>> pieces = input_norm(GaussianTokens(n=4, d=2, rho=1.0), LayerSizes(d=2))
    >>> pieces.total, pieces.ratio is None
    (2.0, True)
    """
    _check(tokens, sizes)
    trace = tokens.scatter_trace
    squared_trace = trace * (trace + 2.0 * tokens.scatter_scale)
    norm_times_trace = tokens.n * tokens.mean_token_squared_norm * trace + squared_trace
    return input_pieces(tokens.n, sizes, tokens.scatter_squared_norm, norm_times_trace)


def expected_norms(tokens: GaussianTokens, sizes: LayerSizes) -> ExpectedNorms:
    """All expected squared norms at once, exact for uniform attention.

    `uniform.validity` says how far softmax is from that. Raises `InvalidInput` where the widths of the two differ.

    >>> found = expected_norms(GaussianTokens(n=16, d=64, rho=0.2, sigma=0.125), LayerSizes(d=64))
    >>> found.value, round(found.query / found.query_printed, 6), found.key == found.query
    (256.0, 1.003125, True)
    """
    query = query_norm(tokens, sizes)
    return ExpectedNorms(
        value=value_norm(tokens, sizes),
        query=query,
        query_printed=query_norm_printed(tokens, sizes),
        key=query,
        input_pieces=input_norm(tokens, sizes),
    )


def _check(tokens: GaussianTokens, sizes: LayerSizes) -> None:
    if tokens.d != sizes.d:
        raise InvalidInput(f"d must be the same for tokens and layer, got {tokens.d} and {sizes.d}")
