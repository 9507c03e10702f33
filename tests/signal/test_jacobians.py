"""Jacobians in row form against differences of the layer, and their squared norms against the arrays."""

import numpy as np
import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.signal import jacobians
from seprank.signal.collapse_law import query_jacobian_bound
from seprank.signal.jacobians import squared_norms
from seprank.signal.layer import LayerWeights, attention, attention_layer, gaussian_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens

SHAPES = [(3, 4, 4, 4), (5, 3, 2, 4), (2, 6, 3, 5), (6, 4, 7, 2)]
H = 1e-6


def draw(shape, sigma=0.7, rho=0.0, seed=0):
    n, d, dk, dv = shape
    return GaussianTokens(n, d, rho, sigma).sample(seed)[0], gaussian_weights(LayerSizes(d, dk, dv), seed + 1)


def differences(X, weights, name, tau):
    """Central differences by every entry of one argument, same shape as the Jacobian."""
    place = {"query": 0, "key": 1, "value": 2}.get(name)
    argument = X if place is None else weights[place]
    columns = []
    for index in np.ndindex(argument.shape):
        moved = []
        for sign in (H, -H):
            changed = argument.copy()
            changed[index] += sign
            other = (
                weights
                if place is None
                else LayerWeights(*(changed if i == place else W for i, W in enumerate(weights)))
            )
            moved.append(attention_layer(changed if place is None else X, other, tau))
        columns.append((moved[0] - moved[1]) / (2 * H))
    return np.moveaxis(np.array(columns), 0, -1).reshape(*moved[0].shape, *argument.shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["value", "query", "key", "input"])
@pytest.mark.parametrize("tau", [1.0, 2.7])
def test_jacobians_against_differences(shape, name, tau):
    X, weights = draw(shape)
    exact = getattr(jacobians, f"{name}_jacobian")(X, weights, tau)
    np.testing.assert_allclose(exact, differences(X, weights, name, tau), atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_squared_norms_are_those_of_the_arrays(shape):
    X, weights = draw(shape, seed=5)
    found = squared_norms(X, weights, 1.7)
    for name, norm in found._asdict().items():
        array = getattr(jacobians, f"{name}_jacobian")(X, weights, 1.7)
        assert norm == pytest.approx((array**2).sum(), rel=1e-11)


def test_equal_tokens_have_no_query_and_key_gradient():
    X, weights = draw((4, 5, 3, 6), rho=1.0)
    X = np.broadcast_to(X[0], X.shape)
    found = squared_norms(X, weights)
    assert found.query < 1e-28
    assert found.key < 1e-28
    assert found.value == pytest.approx(6 * 4 * (X[0] @ X[0]))
    assert found.input == pytest.approx((weights.value**2).sum())


@pytest.mark.parametrize("seed", range(20))
def test_query_norm_stays_below_its_bound(seed):
    X, weights = draw(SHAPES[seed % 4], sigma=2.0 ** (seed % 5 - 2), rho=0.2, seed=seed)
    assert 0 < squared_norms(X, weights, 1.3).query <= query_jacobian_bound(X, weights, 1.3)


def test_attention_rows_sum_to_one_without_overflow():
    X, weights = draw((4, 5, 5, 5), sigma=1e3)
    A = attention(X, weights)
    assert np.isfinite(A).all()
    np.testing.assert_allclose(A.sum(axis=1), 1.0)


def test_shapes_that_do_not_fit_are_refused():
    X, weights = draw((3, 4, 2, 5))
    with pytest.raises(InvalidInput, match=r"weights must have shapes \(d, dk\), \(d, dk\) and \(d, dv\) with d = 4"):
        squared_norms(X, weights._replace(key=weights.key[:, :1]))
    with pytest.raises(InvalidInput, match=r"X must have shape \(n, d\), got \(1, 3, 4\)"):
        squared_norms(X[None], weights)


def test_arrays_above_the_limit_are_refused_before_they_are_made():
    X, weights = np.zeros((200, 200)), LayerWeights(*(np.zeros((200, 200)) for _ in range(3)))
    for name in ("value", "query", "key", "input"):
        with pytest.raises(TooLarge, match=r"dS/d\w+ has 1600000000 entries of 8 bytes, above the limit of 268435456"):
            getattr(jacobians, f"{name}_jacobian")(X, weights)
