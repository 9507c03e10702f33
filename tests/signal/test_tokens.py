"""Gaussian tokens, and the numbers of a token matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.signal import tokens
from seprank.signal.tokens import GaussianTokens


def test_scatter_and_mean_token_are_parts_of_the_norm():
    X = np.random.default_rng(0).standard_normal((5, 3))
    mean = X.mean(axis=0)
    np.testing.assert_allclose(tokens.scatter(X), X.T @ X - 5 * np.outer(mean, mean), atol=1e-12)
    assert tokens.squared_norm(X) == pytest.approx(5 * mean @ mean + np.trace(tokens.scatter(X)))
    assert tokens.total_inner_product(X) == pytest.approx((X @ X.T).sum())
    assert tokens.mean_token_squared_norm(X) == pytest.approx(mean @ mean)


def test_batches_are_the_same_as_one_by_one():
    X = np.random.default_rng(1).standard_normal((4, 3, 2))
    for function in (tokens.scatter, tokens.residual, tokens.squared_norm, tokens.total_inner_product):
        np.testing.assert_allclose(function(X), np.stack([function(x) for x in X]))


@pytest.mark.parametrize(("n", "rho"), [(2, -1.0), (3, -0.5), (4, 0.0), (5, 0.7), (3, 1.0)])
def test_sampled_tokens_have_the_stated_covariance(n, rho):
    X = GaussianTokens(n, 4, rho, 1.5).sample(seed=3, count=20000)
    found = np.einsum("cik,cjk->ij", X, X) / (20000 * 4)
    expected = 1.5**2 * ((1 - rho) * np.eye(n) + rho)
    np.testing.assert_allclose(found, expected, atol=0.07)  # 5 standard errors of 80000 products


def test_samples_are_reproducible_and_collapse_at_one():
    same = GaussianTokens(4, 3, 1.0)
    assert (same.sample(7, 2) == same.sample(7, 2)).all()
    assert (same.sample(7) != same.sample(8)).any()
    np.testing.assert_allclose(tokens.residual(same.sample(7)), 0.0, atol=1e-15)


@given(n=st.integers(2, 9), d=st.integers(1, 9), t=st.floats(0.0, 1.0), sigma=st.floats(0.1, 3.0))
def test_moments_add_up(n, d, t, sigma):
    """E ||X||^2 = n E ||mean||^2 + E tr B, and ||B||^2 >= (tr B)^2 / min(n - 1, d) in the mean."""
    model = GaussianTokens(n, d, -1 / (n - 1) + t * n / (n - 1) if t < 1 else 1.0, sigma)
    whole = n * model.mean_token_squared_norm + model.scatter_trace
    assert whole == pytest.approx(model.squared_norm, rel=1e-9)
    assert model.scatter_squared_norm >= model.scatter_trace**2 / min(n - 1, d) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1, "d": 2}, "n must be a whole number from 2 to 1000000000, got 1"),
        ({"n": 2, "d": 0}, "d must be a whole number from 1 to 1000000000, got 0"),
        ({"n": 5, "d": 2, "rho": -0.26}, "rho must be a number from -1/(n - 1) = -0.25 to 1, got -0.26"),
        ({"n": 5, "d": 2, "rho": 1.01}, "rho must be a number from -1/(n - 1) = -0.25 to 1, got 1.01"),
        ({"n": 5, "d": 2, "rho": "x"}, "rho must be a number, got 'x'"),
        ({"n": 5, "d": 2, "sigma": 0.0}, "sigma must be a positive number, got 0.0"),
        ({"n": 5, "d": 2, "sigma": float("nan")}, "sigma must be a positive number, got nan"),
        ({"n": 5, "d": 2, "sigma": 1e21}, "sigma must be a number from 1e-20 to 1e+20, got 1e+21"),
    ],
)
def test_bad_tokens_are_refused(arguments, message):
    with pytest.raises(InvalidInput) as caught:
        GaussianTokens(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0]], "X must have shape (..., n, d) with n >= 2 and d >= 1, got (1, 2)"),
        ([[1.0], [float("nan")]], "X must hold finite numbers only, got NaN or an infinity"),
        ([["a"], ["b"]], "X must be an array of real numbers, got list"),
    ],
)
def test_bad_token_matrices_are_refused(X, message):
    with pytest.raises(InvalidInput) as caught:
        tokens.squared_norm(X)
    assert str(caught.value) == message
