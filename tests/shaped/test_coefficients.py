"""Drift and diffusion: golden values, the slow road, exact identities, wrong variants."""

import numpy as np
import pytest

from seprank.shaped.activation import relu_drift
from seprank.shaped.coefficients import (
    attention_covariance,
    attention_drift,
    attention_rate,
    covariance,
    drift,
    linear_rate,
    packed,
    residual_drift,
    residual_rate,
    score_covariance,
    sigma_lin,
)
from seprank.shaped.index_form import index_drift, index_score_covariance
from seprank.shaped.moments import S1, S2, centred
from seprank.shaped.setup import Setup, causal_mask

GOLDEN = np.array([[1, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])


def random_covariance(m, seed):
    factor = np.random.default_rng(seed).normal(size=(m, m + 1))
    return factor @ factor.T / m


def random_mask(m, seed):
    return (np.random.default_rng(seed).random((m, m)) < 0.6) | np.eye(m, dtype=bool)


def test_golden_moments():
    C = centred(GOLDEN)
    assert np.diag(C) == pytest.approx([0.7444444, 0.5777778, 0.5444444], abs=1e-7)
    assert np.sum(C**2) == pytest.approx(1.8111111, abs=1e-7)
    assert S1(GOLDEN)[0, 1, 2, 0] == pytest.approx(0.03888889, abs=1e-8)
    rows = [
        [0.12222222, -0.04444444, -0.07777778],
        [0.18333333, -0.06666667, -0.11666667],
        [0.09777778, -0.03555556, -0.06222222],
    ]
    assert S2(GOLDEN) == pytest.approx(np.array(rows), abs=1e-8)


def test_golden_drift_and_diffusion():
    expected = [0.31556563, 0.07615016, -0.02526783, 0.34636432, 0.06225044, 0.17814865]
    assert packed(attention_drift(GOLDEN, 0.8, 0.7)) == pytest.approx(expected, abs=1e-8)
    A = score_covariance(GOLDEN)
    found = [A[0, 0, 0, 0], A[0, 0, 0, 1], A[0, 0, 1, 1], A[0, 1, 0, 1], A[0, 2, 1, 2], A[2, 2, 2, 2]]
    expected = [0.30938272, -0.06246914, -0.03736296, 0.19733704, -0.05429259, 0.14771358]
    assert found == pytest.approx(expected, abs=1e-8)
    expected = [1.99941869, 1.50537365, 0.80518353, 4.41835102, 1.32585941, 1.23758849]
    assert packed(attention_covariance(GOLDEN, 0.8, 0.7)).diagonal() == pytest.approx(expected, abs=1e-8)


def test_golden_relu_drift():
    b = relu_drift(GOLDEN, 0.0, -1.0)
    assert packed(b) == pytest.approx([0, 0.14752901, 0.16824314, 0, 0.08610318, 0], abs=1e-8)


def test_golden_causal():
    mask = causal_mask(3)
    expected = [0, 0, 0.02109146, 0.54, 0.08504308, 0.17814865]
    assert packed(attention_drift(GOLDEN, 0.8, 0.7, mask)) == pytest.approx(expected, abs=1e-8)
    A = score_covariance(GOLDEN, mask)
    assert A[1, 1, 1, 1] == pytest.approx(1.330875, abs=1e-9)
    assert A[1, 2, 1, 2] == pytest.approx(0.17221875, abs=1e-9)
    assert A[0, 1, 2, 2] == pytest.approx(-0.03377778, abs=1e-8)


@pytest.mark.parametrize("m", [2, 3, 4, 6])
def test_fast_road_is_the_slow_road(m):
    V = random_covariance(m, m)
    for mask in (None, causal_mask(m), random_mask(m, m)):
        slow = index_drift(V, 0.8, 0.7, mask)
        assert attention_drift(V, 0.8, 0.7, mask) == pytest.approx(slow, rel=1e-12, abs=1e-12 * abs(slow).max())
        slow = index_score_covariance(V, mask)
        assert score_covariance(V, mask) == pytest.approx(slow, rel=1e-12, abs=1e-12 * abs(slow).max())


def test_wrong_variants_are_far_from_the_slow_road():
    V, m = random_covariance(3, 0), 3
    slow = index_drift(V, 0.8, 0.7)
    scale, C = 0.8**2 / 0.7**2, centred(V)
    first = scale * np.sum(C**2) / m**2 * V
    half = S2(V) @ V
    second = scale * (half + half.T) / (2 * m)
    for wrong in (first, first + 2 * second, first - second, m * first + second, 0.7 * slow, 0.8 * slow):
        assert abs(wrong - slow).max() > 0.01 * abs(slow).max()


def test_full_mask_is_no_mask():
    V, full = random_covariance(4, 1), np.ones((4, 4), bool)
    assert attention_drift(V, 0.8, 0.7, full) == pytest.approx(attention_drift(V, 0.8, 0.7), abs=1e-13)
    assert score_covariance(V, full) == pytest.approx(score_covariance(V), abs=1e-13)


def test_first_tokens_of_a_causal_mask_form_a_system_of_their_own():
    V, mask = random_covariance(4, 2), causal_mask(4)
    b, A = attention_drift(V, 0.8, 0.7, mask), score_covariance(V, mask)
    assert b[:2, :2] == pytest.approx(attention_drift(V[:2, :2], 0.8, 0.7, causal_mask(2)), abs=1e-14)
    assert A[:2, :2, :2, :2] == pytest.approx(score_covariance(V[:2, :2], causal_mask(2)), abs=1e-14)


def test_collapse_is_absorbing():
    V = np.full((3, 3), 1.7)
    assert abs(attention_drift(V, 0.8, 0.7)).max() < 1e-15
    assert abs(score_covariance(V)).max() < 1e-15
    assert abs(residual_drift(V, 0.8, 0.0, -1.0)).max() == 0


def test_homogeneity():
    V = random_covariance(3, 3)
    assert attention_drift(2 * V, 0.8, 0.7) == pytest.approx(8 * attention_drift(V, 0.8, 0.7), rel=1e-12)
    assert score_covariance(2 * V) == pytest.approx(16 * score_covariance(V), rel=1e-12)
    assert sigma_lin(2 * V) == pytest.approx(4 * sigma_lin(V), rel=1e-12)


def test_duplicated_tokens_stay_duplicated():
    index = [0, 1, 1]
    V = random_covariance(2, 4)[np.ix_(index, index)]
    b, A = attention_drift(V, 0.8, 0.7), score_covariance(V)
    w = np.zeros((3, 3))
    w[1, 1], w[2, 2], w[1, 2], w[2, 1] = 1, 1, -1, -1
    assert abs(np.sum(w * b)) < 1e-14
    assert abs(np.einsum("ab,abdw,dw", w, A, w)) < 1e-14


def test_two_tokens_in_closed_form():
    V = random_covariance(2, 5)
    D = V[0, 0] + V[1, 1] - 2 * V[0, 1]
    assert attention_drift(V, 0.5, 0.7) == pytest.approx(0.25 * V * D**2 / (16 * 0.49), rel=1e-12)


def test_rates():
    assert residual_rate(0.8) == pytest.approx(2 * 0.64)
    assert residual_rate(0.8, 4.0) == pytest.approx(0.64 * (2 - 0.64 + 0.16))
    assert (attention_rate(0.8), attention_rate(0.8, projection=True)) == pytest.approx((0.64 * 1.36, 1.28))
    assert linear_rate(Setup(m=2, n=10, depth=5, gamma=0.8, tau0=1.0)) == pytest.approx(0.64 * (4 - 0.64))


@pytest.mark.parametrize("block", ["residual", "attention", "full"])
def test_blocks_add_up(block):
    setup = Setup(m=3, n=100, depth=50, gamma=0.6, tau0=0.7, block=block, V0=GOLDEN, heads=2, mlp_ratio=3.0)
    b = np.zeros((3, 3))
    S = np.zeros((3,) * 4)
    if block != "residual":
        b, S = b + index_drift(GOLDEN, 0.6, 0.7), S + attention_covariance(GOLDEN, 0.6, 0.7, heads=2)
    if block != "attention":
        b = b + 0.36 * relu_drift(GOLDEN, 0.0, -1.0)
        S = S + 0.36 * (2 - 0.36 + 0.12) * sigma_lin(GOLDEN)
    assert drift(setup, GOLDEN) == pytest.approx(b, abs=1e-13)
    assert covariance(setup, GOLDEN) == pytest.approx(S, abs=1e-13)
