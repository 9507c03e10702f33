"""Layer-by-layer recursion, advice for real sizes, the cubic law, and collapse in extended precision."""

from itertools import pairwise

import numpy as np
import pytest

from seprank import Architecture
from seprank.errors import InvalidInput, TooLarge
from seprank.signal.advice import advise
from seprank.signal.collapse_law import next_residual, residual_logarithms
from seprank.signal.extended import collapse
from seprank.signal.gram import average_correlation, gram_recursion
from seprank.signal.imbalance import gradient_ratio
from seprank.signal.layer import attention_layer, gaussian_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.stream import Stream
from seprank.signal.tokens import GaussianTokens, residual, squared_norm


@pytest.mark.parametrize("activation", ["linear", "relu"])
@pytest.mark.parametrize(
    ("n", "rho", "alpha1", "alpha2"), [(4, 0.1, 1.0, 1.0), (16, -0.05, 0.3, 0.7), (3, 0.9, 0.0, 1.0)]
)
def test_stream_is_the_gram_recursion_for_equal_angles(activation, n, rho, alpha1, alpha2):
    states = Stream(n, 9, alpha1, alpha2, "none", activation).states(rho, 1.5)
    grams = gram_recursion(1.5**2 * ((1 - rho) * np.eye(n) + rho), 9, alpha1, alpha2, activation)
    assert len(states) == 10
    for state, G in zip(states, grams, strict=True):
        assert state.sigma2 == pytest.approx(G[0, 0], rel=1e-10)
        assert state.rho == pytest.approx(average_correlation(G), abs=1e-10)


def wide_network(norm, L, alpha, n, d, seed):
    """Cosine and entry variance behind L blocks of one wide network with uniform attention and ReLU."""

    def standard(X):
        return (X - X.mean(axis=-1, keepdims=True)) / X.std(axis=-1, keepdims=True)

    draw = np.random.default_rng(seed)
    X = draw.standard_normal((n, d))
    for _ in range(L):
        V, W1, W2 = (draw.standard_normal((d, d)) / d**0.5 for _ in range(3))
        inner = standard(X) if norm == "pre" else X
        Z = X + alpha * (inner.mean(axis=0) @ V)
        Z = standard(Z) if norm == "post" else Z
        X = Z + alpha * np.maximum((standard(Z) if norm == "pre" else Z) @ (2**0.5 * W1), 0) @ W2
        X = standard(X) if norm == "post" else X
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return ((U @ U.T).sum() - n) / (n * (n - 1)), (X**2).mean()


@pytest.mark.parametrize("norm", ["none", "post", "pre"])
@pytest.mark.parametrize(("L", "alpha"), [(4, 1.0), (6, 0.4)])
def test_stream_against_wide_networks(norm, L, alpha):
    found = np.array([wide_network(norm, L, alpha, 8, 200, seed) for seed in range(5)])
    end = Stream(8, L, alpha, alpha, norm, "relu").states(0.0, 1.0)[-1]
    errors = found.std(axis=0, ddof=1) / 5**0.5
    assert abs(found[:, 0].mean() - end.rho) < 0.025 + 5 * errors[0]
    assert found[:, 1].mean() == pytest.approx(end.stream, rel=0.05 + 5 * errors[1] / end.stream)


def test_the_gap_keeps_its_digits():
    gaps = [state.gap for state in Stream(16, 200, 1.0, 1.0, "post", "relu").states(0.0, 1.0)]
    assert 0 < gaps[-1] < 1e-50
    assert all(later < earlier for earlier, later in pairwise(gaps))


def test_norms_that_explode_stop_growing():
    state = Stream(16, 400, 1.0, 1.0, "none", "relu").states(0.0, 1.0)[-1]
    assert state.sigma2 == 1e60
    assert 0 < state.gap < 1e-100


def test_bad_streams_are_refused():
    with pytest.raises(InvalidInput, match="norm must be one of none, post, pre, got 'layer'"):
        Stream(4, 2, norm="layer")
    with pytest.raises(InvalidInput, match="L must be a whole number from 1 to 1000000, got 0"):
        Stream(4, 0)


def test_advice_for_gpt2_sizes():
    advice = advise(Architecture(L=12, dx=768, H=12), n=1024)
    assert [(p.norm, p.branches) for p in advice.predictions] == [
        (norm, branches) for norm in ("none", "post", "pre") for branches in ("1", "1/sqrt(L)")
    ]
    post, scaled = advice.predictions[2:4]
    assert post.collapse_layer == 10
    assert scaled.collapse_layer is None
    assert post.ratio_last < 1e-7 < 1e-3 < scaled.ratio_last
    for p in advice.predictions:
        assert p.ratio_last == gradient_ratio(1024, p.last.gap, p.last.sigma2, advice.sizes)
        assert p.temperature == pytest.approx(p.ratio_last**-0.5)
        assert p.restored.correction == pytest.approx(1.0)
        assert not p.restored.valid


def test_balancing_scale_balances():
    advice = advise(Architecture(L=6, dx=512, H=8), n=64, activation="linear")
    alpha = advice.balancing_scale["post"]
    assert 0 < alpha < 1
    for factor, balanced in ((0.99, True), (1.01, False)):
        last = Stream(64, 6, factor * alpha, factor * alpha, "post", "linear").states(0.0, 1.0)[-2]
        assert (gradient_ratio(64, last.gap, 1.0, advice.sizes) >= 1) == balanced
    assert advise(Architecture(L=6, dx=512, H=8), n=64, sigma=0.01).balancing_scale["none"] is None
    assert advise(Architecture(L=1, dx=512, H=8), n=64, sigma=4.0).balancing_scale["none"] == 1.0


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_one_layer_of_pure_attention_is_cubic(mean):
    sizes = LayerSizes(16, 8, 12, tau=1.3)
    X = 0.02 * residual(GaussianTokens(8, 16).sample(8)[0]) + mean
    found = [squared_norm(residual(attention_layer(X, gaussian_weights(sizes, i), 1.3))) for i in range(800)]
    expected = next_residual(X, sizes)
    assert abs(np.mean(found) - expected) < 0.03 * expected + 5 * np.std(found) / 800**0.5


def test_logarithms_triple():
    logs = residual_logarithms(-2.0, -0.3, 4)
    assert logs == pytest.approx([-2.0, -6.3, -19.2, -57.9, -174.0])


@pytest.mark.parametrize("seed", range(3))
def test_collapse_is_doubly_exponential(seed):
    found = collapse(6, 8, 6, 400, seed=seed)
    assert found.resolved
    assert found.digits_needed is None
    assert 2.9 < found.layers[-1].ratio < 3.2
    assert found.layers[-1].log10_residual < -150
    assert all(-0.5 < layer.log10_norm < 1.0 for layer in found.layers)


def test_collapse_begins_as_in_floats():
    sizes, tokens = LayerSizes(8, 5, tau=1.4), GaussianTokens(6, 8, 0.3, 0.8)
    found = collapse(6, 8, 2, 100, dk=5, sigma=0.8, rho=0.3, tau=1.4, seed=9)
    X = tokens.sample(9)[0]
    for layer in range(3):
        if layer:
            weights = gaussian_weights(sizes, 9 + 2**32 * layer)
            X = attention_layer(X, weights, 1.4)
        assert found.layers[layer].log10_residual == pytest.approx(np.log10(squared_norm(residual(X))) / 2, abs=1e-9)
        assert found.layers[layer].log10_norm == pytest.approx(np.log10(squared_norm(X)) / 2, abs=1e-12)


def test_digits_do_not_change_the_answer_and_too_few_are_said():
    few, many = collapse(6, 8, 6, 100), collapse(6, 8, 6, 500)
    assert not few.resolved
    assert len(few.layers) == 6
    for short, long in zip(few.layers, many.layers, strict=False):
        assert short.log10_residual == pytest.approx(long.log10_residual, abs=1e-7)
    assert 100 < few.digits_needed < 2000
    assert collapse(6, 8, 6, few.digits_needed).resolved


def test_collapsed_tokens_have_no_logarithm():
    found = collapse(4, 3, 2, 50, rho=1.0)
    assert not found.resolved
    assert len(found.layers) <= 1


def test_collapse_reports_its_progress():
    steps = []
    collapse(4, 4, 3, 200, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_endless_collapse_is_refused_at_once():
    with pytest.raises(TooLarge, match=r"collapse with n=5000, d=5000, L=3, digits=10000 would take about .* hours"):
        collapse(5000, 5000, 3, 10000)
    with pytest.raises(InvalidInput, match="digits must be a whole number from 20 to 1000000, got 10"):
        collapse(4, 4, 3, 10)
