"""Lemma 3.1 at given tokens against weights drawn, and its corrected input part."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.signal.expectations import (
    expected_input_norm,
    expected_key_norm,
    expected_query_norm,
    expected_value_norm,
    input_norm_bound,
)
from seprank.signal.jacobians import input_jacobian, squared_norms
from seprank.signal.layer import LayerWeights, attention, gaussian_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens


def drawn(X, sizes, count, zero):
    """Squared norms at exactly uniform attention: WQ = 0 or WK = 0."""
    found = []
    for seed in range(count):
        weights = gaussian_weights(sizes, seed)
        found.append(squared_norms(X, weights._replace(**{zero: 0 * weights.query}), sizes.tau))
    return found


@pytest.mark.parametrize(
    "sizes", [LayerSizes(6), LayerSizes(6, 3, 5, tau=1.5), LayerSizes(6, 4, sigma_k2=0.5, sigma_v2=2.0)]
)
def test_values_queries_and_keys_at_uniform_attention(sizes):
    X = GaussianTokens(4, 6, 0.5).sample(0)[0]
    at_query, at_key = drawn(X, sizes, 700, "query"), drawn(X, sizes, 700, "key")
    assert at_query[0].value == pytest.approx(expected_value_norm(X, sizes), rel=1e-12)
    for samples, expected in (
        ([f.query for f in at_query], expected_query_norm(X, sizes)),
        ([f.key for f in at_key], expected_key_norm(X, sizes)),
    ):
        assert abs(np.mean(samples) - expected) < 5 * np.std(samples) / 700**0.5


def test_input_at_uniform_attention():
    """A tiny WQ keeps attention uniform; the softmax path divided by its size is A1 + A2."""
    sizes, tiny = LayerSizes(6, 3, 5, tau=1.5), 1e-6
    X = GaussianTokens(4, 6, 0.5).sample(0)[0]
    pieces, samples = expected_input_norm(X, sizes), []
    for seed in range(700):
        Q, K, V = gaussian_weights(sizes, seed)
        weights = LayerWeights(tiny * Q, K, V)
        values = np.einsum("ip,av->ivpa", attention(X, weights, 1.5), V)
        samples.append((((input_jacobian(X, weights, 1.5) - values) / tiny) ** 2).sum())
    path = pieces.A1 + pieces.A2 + pieces.cross
    assert abs(np.mean(samples) - path) < 5 * np.std(samples) / 700**0.5
    assert pieces.A3 == pytest.approx(6.0)
    assert pieces.total == pytest.approx(path + 6.0)


@pytest.mark.parametrize(("rho", "sigma", "ratio"), [(0.9, 1.0, 3.0), (0.95, 4.0, 16.0), (0.99, 4.0, 80.0)])
def test_pieces_differ_without_bound_near_collapse(rho, sigma, ratio):
    pieces = expected_input_norm(GaussianTokens(8, 16, rho, sigma).sample(1)[0], LayerSizes(16))
    assert ratio / 2.5 < pieces.ratio < ratio * 2.5
    assert expected_input_norm(np.ones((3, 2)), LayerSizes(2)).ratio is None


def test_the_printed_bound_fails_and_the_mended_one_holds():
    sizes = LayerSizes(16)
    for rho in (0.0, 0.5, 0.95, 0.99):
        X = GaussianTokens(8, 16, rho, 4.0).sample(2)[0]
        pieces = expected_input_norm(X, sizes)
        assert pieces.total <= input_norm_bound(X, sizes) * (1 + 1e-12)
        assert (pieces.total <= 8 * pieces.A1 + 2 * pieces.A3) == (rho < 0.9)


def test_other_widths_are_refused():
    with pytest.raises(InvalidInput, match=r"X must have shape \(n, d\) with d = 3, got \(2, 2\)"):
        expected_value_norm(np.ones((2, 2)), LayerSizes(3))
