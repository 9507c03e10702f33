"""Lemmas 3.2 and 3.3, the Gram recursion, Theorem 3.2, ReLU: against each other and against networks."""

from math import acos, e, exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.signal import correlation, forward, gram, relu
from seprank.signal.cosine import mean_cosine
from seprank.signal.feed_forward import gain, variances
from seprank.signal.scaling import branch_scale
from seprank.signal.tokens import GaussianTokens

X0 = GaussianTokens(5, 7, 0.3).sample(4)[0]


@given(L=st.integers(0, 12), alpha1=st.floats(0.0, 1.5), alpha2=st.floats(0.0, 1.5))
def test_lemmas_are_parts_of_the_gram_matrix(L, alpha1, alpha2):
    G = gram.gram_recursion(X0 @ X0.T, L, alpha1, alpha2)
    assert G.shape == (L + 1, 5, 5)
    np.testing.assert_allclose(G[-1], gram.gram_closed_form(X0 @ X0.T, L, alpha1, alpha2), rtol=1e-10)
    assert forward.expected_total_inner_product(X0, L, alpha1, alpha2) == pytest.approx(G[-1].sum(), rel=1e-10)
    assert forward.expected_squared_norm(X0, L, alpha1, alpha2) == pytest.approx(np.trace(G[-1]), rel=1e-10)


def test_limits_of_the_lemmas():
    L = 10**6
    scale = L**-0.5
    C, N = forward.limit_total_inner_product(X0, 1.0, 1.0), forward.limit_squared_norm(X0, 1.0, 1.0)
    assert forward.expected_total_inner_product(X0, L, scale, scale) == pytest.approx(C, rel=2e-6)
    assert forward.expected_squared_norm(X0, L, scale, scale) == pytest.approx(N, rel=2e-6)
    assert pytest.approx(e**2 * (X0 @ X0.T).sum()) == C


def test_one_network_step_has_the_mean_of_the_recursion():
    """Exact mean over the weights by summing over unit matrices."""
    d, G = 7, X0 @ X0.T
    uniform = np.broadcast_to(X0.mean(axis=0), X0.shape)
    step = [(uniform[:, [i]] * np.eye(d)[j]) for i in range(d) for j in range(d)]
    mean = G + 0.6**2 * sum(S @ S.T for S in step) / d
    np.testing.assert_allclose(gram.gram_recursion(G, 1, 0.6, 0.0)[-1], mean, rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "L", "alpha1", "rho", "value"),
    [(4, 6, 1.0, 0.1, 0.9581), (4, 16, 0.25, 0.1, 0.4127), (4, 8, 0.25, 0.1, 0.2518), (8, 16, 0.25, 0.0, 0.1699)],
)
def test_correlation_at_depth(n, L, alpha1, rho, value):
    found = correlation.correlation_at_depth(rho, n, L, alpha1)
    assert found == pytest.approx(value, abs=5e-5)
    G = gram.gram_recursion((1 - rho) * np.eye(n) + rho, L, alpha1, 0.9)[-1]
    assert gram.average_correlation(G) == pytest.approx(found, rel=1e-12)


def test_correlation_without_a_mean_token_stays():
    for L in (0, 16, 10**6):
        assert correlation.correlation_at_depth(-1 / 7, 8, L, 1.0) == pytest.approx(-1 / 7, rel=1e-12)
    assert correlation.correlation_at_depth(0.1, 8, 10**6, 1.0) == 1.0
    assert correlation.collapse_depth(-1 / 7, 8, 1.0, 0.5) is None


@pytest.mark.parametrize(
    ("rho", "n", "alpha1", "target"), [(0.1, 4, 1.0, 0.95), (0.0, 64, 0.1, 0.5), (0.5, 2, 2.0, 0.999999)]
)
def test_collapse_depth_is_the_first(rho, n, alpha1, target):
    L = correlation.collapse_depth(rho, n, alpha1, target)
    assert correlation.correlation_at_depth(rho, n, L, alpha1) >= target
    assert correlation.correlation_at_depth(rho, n, L - 1, alpha1) < target
    assert correlation.collapse_depth(rho, n, alpha1, rho) == 0
    assert correlation.collapse_depth(rho, n, alpha1, 1.0) is None


@pytest.mark.parametrize(
    ("n", "rho", "a1", "value"), [(16, 0.5, 1.0, 0.7386), (4, 0.2, 1.0, 0.5259), (8, 0.0, 1.0, 0.1768)]
)
def test_limit_of_the_correlation(n, rho, a1, value):
    limit = correlation.correlation_limit(rho, n, a1)
    assert limit == pytest.approx(value, abs=1e-4)
    C, N = n * (1 + (n - 1) * rho), n
    second = n * exp(a1) * C / ((n - 1) * ((exp(a1) - 1) * C + n * N)) - 1 / (n - 1)
    assert limit == pytest.approx(second, rel=1e-12)
    gap = correlation.correlation_at_depth(rho, n, 1000, sqrt(a1 / 1000)) - limit
    assert gap == pytest.approx(correlation.finite_depth_error(rho, n, 1000, a1), rel=0.01)
    assert relu.relu_correlation_limit(rho, n, a1, 1.0, "linear") == pytest.approx(limit, abs=1e-12)


def test_relu_kernel_against_draws():
    draw = np.random.default_rng(5).standard_normal((2, 400000))
    for rho in (-0.5, 0.0, 0.5, 0.9):
        u, v = draw[0], rho * draw[0] + sqrt(1 - rho**2) * draw[1]
        products = 2 * np.maximum(u, 0) * np.maximum(v, 0)
        error = products.std() / 400000**0.5
        assert abs(products.mean() - float(relu.relu_correlation(rho))) < 5 * error
        assert float(relu.relu_correlation(rho)) >= rho


@pytest.mark.parametrize("x", [2.0, 1.0, 0.1, 1e-2, 1.3e-3, 1.2e-3, 1e-4])
def test_gap_behind_relu(x):
    import mpmath

    with mpmath.workdps(40):
        r = 1 - mpmath.mpf(x)
        exact = 1 - (mpmath.sqrt(1 - r**2) + r * (mpmath.pi - mpmath.acos(r))) / mpmath.pi
        assert relu.relu_gap(x) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(("n", "rho", "value"), [(8, 0.0, 0.451), (4, 0.2, 0.644), (16, 0.9, None), (3, -0.5, None)])
def test_relu_limit_against_scipy_and_the_recursion(n, rho, value):
    from scipy.integrate import solve_ivp

    def flow(t, y):
        r = min(y[0], 1.0)
        return [(1 - r) * (1 + (n - 1) * r) / n + (sqrt(1 - r * r) - r * acos(r)) / np.pi]

    limit = relu.relu_correlation_limit(rho, n, 1.0, 1.0)
    assert limit == pytest.approx(solve_ivp(flow, (0, 1), [rho], rtol=1e-11, atol=1e-13).y[0, -1], abs=1e-9)
    G = gram.gram_recursion((1 - rho) * np.eye(n) + rho, 2000, 2000**-0.5, 2000**-0.5, "relu")[-1]
    assert gram.average_correlation(G) == pytest.approx(limit, abs=5e-4)
    assert value is None or limit == pytest.approx(value, abs=5e-4)


def test_feed_forward_gain_and_rules():
    found = {rule: gain(16, 64, *variances(16, 64, rule)) for rule in ("fan-out", "fan-in", "glorot", "1/d")}
    assert found == pytest.approx({"fan-out": 1.0, "fan-in": 1.0, "glorot": 0.64, "1/d": 4.0})
    assert gain(16, 64, *variances(16, 64, "fan-in", "relu"), "relu") == 1.0
    with pytest.raises(InvalidInput, match="rule must be one of fan-out, fan-in, glorot, 1/d, got 'he'"):
        variances(16, 64, "he")
    with pytest.raises(InvalidInput, match="activation must be one of linear, relu, got 'gelu'"):
        gain(16, 64, 1.0, 1.0, "gelu")


def test_mean_cosine_of_two_tokens():
    for rho, d in ((0.5, 16), (-0.3, 32)):
        X = GaussianTokens(2, d, rho).sample(6, 40000)
        U = X / np.linalg.norm(X, axis=-1, keepdims=True)
        cosine = (U[:, 0] * U[:, 1]).sum(axis=-1)
        assert abs(cosine.mean() - mean_cosine(rho, d)) < 5 * cosine.std() / 40000**0.5 + 1 / d**2


@pytest.mark.parametrize(
    ("alpha", "value"),
    [
        (1, 1.0),
        (0.5, 0.5),
        ("0.25", 0.25),
        ("1/sqrt(L)", 0.25),
        ("0.5/sqrt(L)", 0.125),
        ("2/L", 0.125),
        (" 1 / sqrt(L) ", 0.25),
    ],
)
def test_branch_scales(alpha, value):
    assert branch_scale("alpha", alpha, 16) == value


@pytest.mark.parametrize(
    "alpha", ["sqrt(L)", "1/sqrt(N)", "", "x/L", "nan", -1, None, True, "1/sqrt(L)/2", float("inf")]
)
def test_bad_branch_scales_are_refused(alpha):
    with pytest.raises(InvalidInput) as caught:
        branch_scale("alpha1", alpha, 16)
    assert str(caught.value) == f"alpha1 must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got {alpha!r}"


@pytest.mark.parametrize(
    ("G", "message"),
    [
        (np.ones((2, 3)), r"G must have shape \(n, n\) with n >= 2, got \(2, 3\)"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), "G must be a Gram matrix: finite, symmetric"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "G must be a Gram matrix: finite, symmetric"),
    ],
)
def test_bad_gram_matrices_are_refused(G, message):
    with pytest.raises(InvalidInput, match=message):
        gram.gram_recursion(G, 1, 1.0, 1.0)


def test_a_token_of_norm_zero():
    with pytest.raises(InvalidInput, match="G must have a positive diagonal, got a token of norm 0"):
        gram.average_correlation(np.diag([1.0, 0.0]))
    assert np.isfinite(gram.gram_recursion(np.diag([1.0, 0.0]), 3, 0.0, 1.0, "relu")).all()
