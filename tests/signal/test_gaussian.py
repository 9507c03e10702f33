"""Eq. 17, eq. 18 and exact values for Gaussian tokens, against moments in fractions and averages of Lemma 3.1."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.signal.expectations import expected_input_norm, expected_query_norm, expected_value_norm
from seprank.signal.gaussian import dependence, expected_norms, query_norm, query_norm_printed, value_norm
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens


def pairings(items):
    if not items:
        yield []
        return
    first, *rest = items
    for k, other in enumerate(rest):
        yield from ([(first, other), *tail] for tail in pairings(rest[:k] + rest[k + 1 :]))


def moment(entries, rho):
    """E of a product of entries of X, sigma = 1, over all pairings."""
    total = Fraction(0)
    for pairing in pairings(entries):
        term = Fraction(1)
        for a, b in pairing:
            term *= 0 if a[1] != b[1] else 1 if a[0] == b[0] else rho
        total += term
    return total


@pytest.mark.parametrize(("n", "d", "rho"), [(2, 2, Fraction(1, 4)), (2, 2, Fraction(-1, 2)), (2, 1, Fraction(3, 8))])
def test_query_norm_is_the_sixth_moment(n, d, rho):
    P = [[(a == b) - Fraction(1, n) for b in range(n)] for a in range(n)]
    sixth = sum(
        P[a][b] * P[c][e] * moment([(a, i), (b, j), (c, i), (e, j), (k, m), (k, m)], rho)
        for a, b, c, e, k in product(range(n), repeat=5)
        for i, j, m in product(range(d), repeat=3)
    )
    found = query_norm(GaussianTokens(n, d, float(rho)), LayerSizes(d))
    assert found == pytest.approx(float(sixth) / (d * n**2), rel=1e-12)


@pytest.mark.parametrize(
    "model", [GaussianTokens(4, 6, 0.5), GaussianTokens(8, 3, -0.1, 0.5), GaussianTokens(3, 5, 0.9, 2.0)]
)
def test_expectations_are_averages_of_lemma_3_1(model):
    sizes = LayerSizes(model.d, 4, 3, tau=1.2)
    X = model.sample(0, 4000)
    found = expected_norms(model, sizes)
    pieces = [expected_input_norm(x, sizes) for x in X]
    for expected, samples in (
        (found.value, [expected_value_norm(x, sizes) for x in X]),
        (found.query, [expected_query_norm(x, sizes) for x in X]),
        (found.input, [p.total for p in pieces]),
        (found.input_pieces.A1, [p.A1 for p in pieces]),
        (found.input_pieces.A2, [p.A2 for p in pieces]),
        (found.input_pieces.cross, [p.cross for p in pieces]),
    ):
        assert abs(np.mean(samples) - expected) < 5 * np.std(samples) / 4000**0.5
    assert found.key == found.query
    assert found.query_over_value == pytest.approx(found.query / found.value)


@pytest.mark.parametrize(
    ("n", "d", "rho", "factor"),
    [(2, 2, 0.0, 2.0), (2, 2, -0.9, 2.9), (4, 4, 0.0, 1.25), (4, 4, 0.7, 1.075), (16, 64, 0.3, 1.002734375)],
)
def test_what_independence_leaves_out(n, d, rho, factor):
    model, sizes = GaussianTokens(n, d, rho), LayerSizes(d)
    assert dependence(model) == pytest.approx(factor)
    assert query_norm(model, sizes) / query_norm_printed(model, sizes) == pytest.approx(factor)


def test_xavier_form_and_powers():
    """Eq. 18 with dk = dv = d is sigma^6 d (1 - rho)^2 (n - 1)(n + d)/n; values grow like sigma^2."""
    model = GaussianTokens(16, 64, 0.2, 0.125)
    assert query_norm_printed(model, LayerSizes(64)) == pytest.approx(0.125**6 * 64 * 0.8**2 * 15 * 80 / 16)
    assert query_norm_printed(model, LayerSizes(64, dk=32)) == pytest.approx(
        2 * query_norm_printed(model, LayerSizes(64))
    )
    twice = GaussianTokens(16, 64, 0.2, 0.25)
    assert query_norm(twice, LayerSizes(64)) / query_norm(model, LayerSizes(64)) == pytest.approx(64)
    assert value_norm(twice, LayerSizes(64)) / value_norm(model, LayerSizes(64)) == pytest.approx(4)


def test_ends_of_the_correlation():
    collapsed = expected_norms(GaussianTokens(5, 4, 1.0), LayerSizes(4))
    assert (collapsed.query, collapsed.input, collapsed.input_pieces.ratio) == (0.0, 4.0, None)
    centred = expected_norms(GaussianTokens(5, 4, -0.25), LayerSizes(4))
    assert centred.value == 0.0
    assert centred.query_over_value is None


def test_unlike_widths_are_refused():
    with pytest.raises(InvalidInput, match="d must be the same for tokens and layer, got 4 and 5"):
        expected_norms(GaussianTokens(3, 4), LayerSizes(5))
