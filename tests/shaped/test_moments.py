"""Softmax to second order, moments of scores and of attention against samples, attention of other kinds."""

import math

import numpy as np
import pytest
from scipy.special import softmax

from seprank.errors import InvalidInput, OutOfScope
from seprank.shaped.coefficients import packed
from seprank.shaped.moments import (
    S1,
    S2,
    attention_mean,
    attention_product_covariance,
    attention_second_moment,
    logit_moment,
    softmax_expansion,
)
from seprank.shaped.probability_attention import (
    expected_softmax,
    logit_bias_drift,
    logit_bias_weights,
    mixture_drift,
    probability_covariance,
)
from seprank.shaped.unshaped import factors, leading_law, pre_ln_gap

GOLDEN = np.array([[1, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])


def test_the_expansion_is_of_third_order():
    y = np.random.default_rng(2).normal(size=5)
    errors = [np.abs(softmax(y / tau) - softmax_expansion(y, tau)).max() * tau**3 for tau in (16, 64, 256)]
    assert errors == pytest.approx([errors[-1]] * 3, rel=0.1)
    first = [np.abs(softmax(y / tau) - 0.2 - (y - y.mean()) / (5 * tau)).max() * tau**2 for tau in (64, 256)]
    assert first[0] == pytest.approx(first[1], rel=0.1)


@pytest.fixture(scope="module")
def scores():
    """Logits over sqrt(n_k) of 200 000 heads with 16 columns, exactly distributed, and their mirror images."""
    rng, R = np.random.default_rng(3), np.linalg.cholesky(GOLDEN)
    Q, K = rng.normal(size=(2, 200_000, 3, 16))
    Y = R @ (Q @ K.transpose(0, 2, 1)) @ R.T / 4
    return np.concatenate([Y, -Y])


def test_moments_of_scores(scores):
    found = np.einsum("pad,pbw->adbw", scores, scores, optimize=True) / len(scores)
    assert found == pytest.approx(logit_moment(GOLDEN), abs=0.03)
    swapped = np.einsum("ad,bw->adbw", GOLDEN, GOLDEN)
    assert np.abs(found - swapped).max() > 0.3
    centred = scores - scores.mean(axis=2, keepdims=True)
    found = np.einsum("pad,pbw->adbw", centred, centred, optimize=True) / len(scores)
    assert found == pytest.approx(S1(GOLDEN), abs=0.02)
    squares = (centred**2).mean(axis=0)
    assert squares - squares.mean(axis=1, keepdims=True) == pytest.approx(S2(GOLDEN), abs=0.02)
    assert S1(GOLDEN).sum(axis=1) == pytest.approx(0, abs=1e-14)
    assert S2(GOLDEN).sum(axis=1) == pytest.approx(0, abs=1e-14)
    assert S2(GOLDEN[:2, :2]) == pytest.approx(0, abs=1e-14)


def test_moments_of_attention(scores):
    n, tau0 = 1000, 0.7
    A = np.eye(3) + softmax(scores / (tau0 * math.sqrt(n)), axis=2) - 1 / 3
    assert n * (A.mean(axis=0) - np.eye(3)) == pytest.approx(n * attention_mean(GOLDEN, n, tau0), abs=0.01)
    second = np.einsum("pad,pbw->adbw", A, A, optimize=True) / len(A)
    eye = np.einsum("ad,bw->adbw", np.eye(3), np.eye(3))
    expected = n * (attention_second_moment(GOLDEN, n, tau0) - eye)
    assert n * (second - eye) == pytest.approx(expected, abs=0.03 * np.abs(expected).max())
    products = np.einsum("pad,pbw->padbw", A[:60_000], A[:60_000]).reshape(-1, 81)
    found = n * np.cov(products.T, bias=True).reshape((3,) * 8)
    expected = n * attention_product_covariance(GOLDEN, n, tau0)
    assert np.abs(found - expected).max() < 0.04 * np.abs(expected).max()


def test_expected_softmax():
    found = expected_softmax(GOLDEN, 0.8)
    draws = np.random.default_rng(4).multivariate_normal(np.zeros(3), GOLDEN, size=200_000)
    for a in range(3):
        sample = softmax(math.sqrt(GOLDEN[a, a]) / 0.8 * draws, axis=1)
        error = sample.std(axis=0) / math.sqrt(len(sample))
        assert (np.abs(found.value[a] - sample.mean(axis=0)) < 5 * error).all()
    assert found.error.max() < 2e-4
    far = expected_softmax(GOLDEN, 20.0).value - 1 / 3
    assert far == pytest.approx(S2(GOLDEN) / (6 * 400), abs=2e-5)


def test_averaging_drifts():
    n, gamma, eta0, S = 10**6, 0.8, 1.3, expected_softmax(GOLDEN, 0.7).value
    A = (1 - eta0 / n) * np.eye(3) + eta0 / n * S  # the mean attention; its fluctuations are of higher order
    step = (1 - gamma**2) * GOLDEN + gamma**2 * A @ GOLDEN @ A.T - GOLDEN
    assert n * step == pytest.approx(mixture_drift(GOLDEN, gamma, eta0, S), abs=1e-5)
    w = logit_bias_weights(GOLDEN, 2.0)
    A = np.eye(3) + (w - np.diag(w.sum(axis=1))) / n
    step = (1 - gamma**2) * GOLDEN + gamma**2 * A @ GOLDEN @ A.T - GOLDEN
    assert n * step == pytest.approx(logit_bias_drift(GOLDEN, gamma, 1.0, 2.0), abs=1e-5)
    assert np.abs(mixture_drift(np.ones((3, 3)), 0.8, 1.0, S)).max() < 1e-14


def test_weights_of_a_logit_bias():
    rng, R, tau0, columns = np.random.default_rng(5), np.linalg.cholesky(GOLDEN), 2.0, 8
    Q, K = rng.normal(size=(2, 400_000, 3, columns))
    Y = R @ (Q @ K.transpose(0, 2, 1)) @ R.T / (tau0 * math.sqrt(columns))
    ratios = np.exp(Y - np.diagonal(Y, axis1=1, axis2=2)[:, :, None])
    error = ratios.std(axis=0) / math.sqrt(len(ratios)) + 1e-12
    assert (np.abs(ratios.mean(axis=0) - logit_bias_weights(GOLDEN, tau0, columns)) < 5 * error).all()
    assert logit_bias_weights(GOLDEN, tau0, 10**7) == pytest.approx(logit_bias_weights(GOLDEN, tau0), rel=1e-5)
    with pytest.raises(OutOfScope, match=r"^head_dim must exceed V_aa D / tau0\^2"):
        logit_bias_weights(GOLDEN, 0.5, 1)


def test_probability_vectors_add_no_noise():
    diagonal = packed(probability_covariance(np.eye(2), 0.8)).diagonal()
    assert diagonal == pytest.approx(0.64 * 1.36 * np.array([2, 1, 2]))


@pytest.mark.parametrize("variant", ["plain", "no-centring", "no-identity"])
def test_leading_laws_are_the_iterated_map(variant):
    eye, J = np.eye(3), np.full((3, 3), 1 / 3)
    A = {"plain": J, "no-centring": eye + J, "no-identity": 0 * eye}[variant]
    V = GOLDEN
    for _ in range(5):
        V = 0.64 * V + 0.36 * A @ V @ A.T
    found, scale = leading_law(GOLDEN, variant, 0.6, 5)
    assert found * math.exp(scale) == pytest.approx(V, rel=1e-12)


def test_golden_ablations():
    V0 = np.array([[1, 0.2], [0.2, 1]])
    V, scale = leading_law(V0, "no-centring", 0.5, 200)
    assert math.log10(V[0, 0]) + scale / math.log(10) == pytest.approx(48.4, abs=0.05)
    for layers, gap in ((25, 0.0010), (50, 7.5e-7)):
        V, _ = leading_law(V0, "plain", 0.5, layers)
        assert 1 - V[0, 1] / V[0, 0] == pytest.approx(gap, rel=0.06)
    V, scale = leading_law(V0, "plain", 1.0, 10, lambda_squared=1.0)
    assert 1 - V[0, 1] / V[0, 0] == pytest.approx(0.0013, rel=0.05)
    _, scale = leading_law(V0, "plain", 1.0, 199, lambda_squared=1.0)
    assert scale / math.log(10) == pytest.approx(59.9, abs=0.1)
    assert pre_ln_gap(1.6, 50) == pytest.approx(0.016)
    assert factors("no-centring", 0.5)[2] == 1.75
    with pytest.raises(InvalidInput, match=r"^variant must be one of plain, no-centring, no-identity"):
        factors("no-temperature", 0.5)
