"""Depth runs: against a loop over seeds and layers, against measured values of the theory page, and their words."""

import numpy as np
import pytest
import torch

from seprank.errors import InvalidInput, TooLarge
from seprank.signal import depth, depth_run
from seprank.signal.correlation import correlation_at_depth
from seprank.signal.depth_measure import LOSS_STREAM, log10_squared_norm
from seprank.signal.depth_rows import Mean
from seprank.signal.depth_statistics import gap_of_expectations, mean
from seprank.signal.gram import average_correlation
from seprank.signal.network import Network
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.tokens import GaussianTokens

SCALED = {"alpha1": "1/sqrt(L)", "alpha2": "1/sqrt(L)"}


def mean_cosine(X):
    n = len(X)
    pairs = [(X[i] @ X[j]) / np.sqrt((X[i] @ X[i]) * (X[j] @ X[j])) for i in range(n) for j in range(n) if i != j]
    return np.mean(pairs)


def one_by_one(sizes, tokens, seeds):
    """Cosines of what enters attention and squared gradient norms, each seed and each layer on its own."""
    cosines, norms = [], []
    for seed in seeds:
        network = Network(sizes, [seed])
        X = torch.from_numpy(tokens.sample(seed))[None]
        G = torch.from_numpy(np.random.default_rng([seed, 0, LOSS_STREAM]).standard_normal((1, tokens.n, tokens.d)))
        cosines.append([])
        for block in network.blocks:
            cosines[-1].append(mean_cosine(block.entering(X)[0, 0].detach().numpy()))
            X = block(X)
        loss = (X[:, 0] * G).sum()
        found = []
        for block in network.blocks:
            parts = torch.autograd.grad(loss, (block.query, block.key, block.value), retain_graph=True)
            found.append([g.square().sum().item() for g in parts])
        norms.append(found)
    return np.array(cosines), np.array(norms)


@pytest.mark.parametrize("kind", [{"norm": "post"}, {"norm": "pre", "H": 2}, {"attention": "uniform", **SCALED}])
def test_all_seeds_at_once_are_the_seeds_one_by_one(kind, monkeypatch):
    sizes, tokens = NetworkSizes(L=3, d=8, **kind), GaussianTokens(n=4, d=8, rho=0.2)
    cosines, norms = one_by_one(sizes, tokens, range(5))
    whole = depth_run(sizes, tokens, 5)
    monkeypatch.setattr(depth, "BATCH_BYTES", 1)
    for run in (whole, depth_run(sizes, tokens, 5)):
        for layer, row in enumerate(run.layers):
            assert row.cosine.mean == pytest.approx(cosines[:, layer].mean(), abs=1e-12)
            assert row.cosine.error == pytest.approx(cosines[:, layer].std(ddof=1) / 5**0.5, rel=1e-8)
            for column, name in enumerate(("query", "key", "value")):
                found = getattr(row, name)
                assert found.squared.mean == pytest.approx(norms[:, layer, column].mean(), rel=1e-9)
                assert found.squared.error == pytest.approx(norms[:, layer, column].std(ddof=1) / 5**0.5, rel=1e-8)
                assert found.log10 == pytest.approx(np.log10(norms[:, layer, column]).mean(), abs=1e-9)
            assert row.ratio == pytest.approx(np.exp(np.log(norms[:, layer, 0] / norms[:, layer, 2]).mean()))


@pytest.fixture(scope="module")
def post():
    return depth_run(NetworkSizes(L=12, d=64, norm="post"), GaussianTokens(n=16, d=64))


@pytest.fixture(scope="module")
def pre():
    return depth_run(NetworkSizes(L=12, d=64, norm="pre"), GaussianTokens(n=16, d=64))


def test_post_norm_collapses_and_its_query_gradients_vanish(post):
    assert [round(post.layers[layer].cosine.mean, 2) for layer in (1, 3, 6)] == pytest.approx(
        [0.2, 0.64, 0.94], abs=0.05
    )
    assert post.end.cosine.mean > 0.997
    assert post.diagnosis.kind == "collapses"
    assert 8 <= post.diagnosis.layer <= 12
    assert post.layers[-1].ratio < 1e-5 < 0.05 < post.layers[0].ratio
    values = [row.value.log10 for row in post.layers]
    assert values[0] < values[3] < values[-1]
    assert not post.layers[0].predicted.valid
    assert "Tokens collapse at layer" in post.diagnosis.sentence


def test_pre_norm_is_milder_and_its_value_gradients_fall(pre, post):
    assert post.end.cosine.mean - pre.end.cosine.mean > 0.15
    values = [row.value.log10 for row in pre.layers]
    assert values[0] > values[6] > values[-1]
    assert pre.diagnosis.kind == "healthy"
    assert "at most" in pre.diagnosis.sentence


def within(run, factor_early, factor_late, power=2.0):
    """Whether every layer's ratio is eq. 18 over eq. 17 up to the factors, with (1 - rho) to a power."""
    answers = []
    for row in run.layers:
        predicted = row.ratio_at_tokens * row.gap ** (power - 2.0)
        most = factor_early if row.layer <= 3 else factor_late
        answers.append(1 / most < row.ratio / predicted < most)
    return all(answers)


def test_every_layer_has_the_ratio_of_its_tokens(post, pre):
    assert within(post, 8.0, 2.0)
    assert within(pre, 8.0, 2.0)
    assert not within(post, 8.0, 2.0, power=1.0)
    assert not within(post, 8.0, 2.0, power=3.0)


def test_very_deep_collapse_is_followed_beyond_the_rounding_of_plain_gradients():
    run = depth_run(NetworkSizes(L=80, d=32, norm="post"), GaussianTokens(n=8, d=32), 4)
    assert run.end.gap < 1e-15
    assert within(run, 50.0, 50.0)  # plain products would be off by powers of ten


def test_scaled_branches_keep_tokens_apart_as_predicted():
    for activation, L in (("linear", 12), ("relu", 12), ("relu", 48)):
        sizes = NetworkSizes(L=L, d=64, activation=activation, **SCALED)
        run = depth_run(sizes, GaussianTokens(n=16, d=64, sigma=1 / 8), 20)
        assert run.end.rho == pytest.approx(run.end.predicted.state.rho, abs=0.06)
        assert run.end.norm.mean == pytest.approx(run.end.predicted.norm, rel=0.1)
        assert run.diagnosis.kind == "healthy"
        assert all(row.predicted.valid for row in run.layers)


def test_uniform_attention_follows_theorem_3_2():
    tokens = GaussianTokens(n=4, d=32, rho=0.1)
    run = depth_run(
        NetworkSizes(L=8, d=32, alpha1=0.5, alpha2=0.3, activation="linear", attention="uniform"), tokens, 400
    )
    wanted = correlation_at_depth(0.1, n=4, L=8, alpha1=0.5)
    assert run.end.rho == pytest.approx(wanted, abs=0.03)
    assert run.end.predicted.state.rho == pytest.approx(wanted, abs=1e-12)
    assert abs(correlation_at_depth(0.1, n=4, L=8, alpha1=(0.25 + 0.09) ** 0.5) - wanted) > 0.1
    assert run.layers[0].predicted.reason == "yes: attention is uniform"


def test_without_norm_softmax_saturates_instead():
    run = depth_run(NetworkSizes(L=12, d=32, activation="linear"), GaussianTokens(n=8, d=32), 10)
    assert run.diagnosis.kind == "saturates"
    assert run.layers[-1].logit_spread > 1e3
    assert run.end.cosine.mean < 0.9
    assert run.layers[-1].ratio is None or run.layers[-1].ratio < 1e-50
    uniform = NetworkSizes(L=24, d=32, activation="linear", attention="uniform")
    assert depth_run(uniform, GaussianTokens(n=8, d=32), 5).diagnosis.kind == "collapses"


def test_equal_tokens_have_no_query_gradient():
    run = depth_run(NetworkSizes(L=3, d=8, norm="post"), GaussianTokens(n=4, d=8, rho=1.0), 3)
    assert run.diagnosis.layer == 1
    for row in run.layers:
        assert row.query.squared.mean < 1e-25 * row.value.squared.mean
        assert row.ratio_at_tokens == 0.0 or row.ratio_at_tokens < 1e-25


def test_one_seed_has_no_error_and_given_seeds_are_taken():
    sizes, tokens = NetworkSizes(L=1, d=4), GaussianTokens(n=3, d=4)
    run = depth_run(sizes, tokens, [5])
    assert (run.seeds, run.layers[0].cosine.error, run.end.norm.error) == ((5,), None, None)
    assert depth_run(sizes, tokens, [5]) == run
    assert depth_run(sizes, tokens, [6]).layers[0].cosine != run.layers[0].cosine


def test_progress_counts_layers_forward_and_back(monkeypatch):
    seen = []
    monkeypatch.setattr(depth, "BATCH_BYTES", 1)
    depth_run(NetworkSizes(L=2, d=4), GaussianTokens(n=3, d=4), 3, lambda done, total: seen.append((done, total)))
    assert seen == [(done, 12) for done in range(1, 13)]


def test_ratio_of_expectations():
    G = np.array([[2.0, 1.0, 0.2], [1.0, 3.0, -0.4], [0.2, -0.4, 1.0]])
    P = np.eye(3) - 1 / 3
    assert gap_of_expectations(np.diag(G), P @ G @ P) == pytest.approx(1 - average_correlation(G), rel=1e-12)
    tiny = np.array([[1e-20, 0], [0, 1e-20]])
    P = np.eye(2) - 1 / 2
    assert gap_of_expectations(np.ones(2), P @ tiny @ P) == pytest.approx(1e-20, rel=1e-9)


def test_means_of_numbers_far_apart():
    assert mean(np.array([1e200, 1e-200])) == Mean(5e199, pytest.approx(5e199))
    assert mean(np.array([0.0, 0.0])) == Mean(0.0, 0.0)
    assert mean(np.array([np.inf, 1.0])) == Mean(np.inf, np.inf)


def test_squares_below_the_range_of_floats_are_not_zero():
    g = torch.tensor([[3e-200, 4e-200], [0.0, 0.0], [3e200, 4e200]], dtype=torch.float64)
    assert log10_squared_norm(g).tolist() == pytest.approx([2 * np.log10(5e-200), -np.inf, 2 * np.log10(5e200)])


def test_numbers_beyond_floats_are_named_by_layer_and_seed():
    with pytest.raises(InvalidInput, match=r"must be finite numbers, got NaN or an infinity in layer \d+, seed 3"):
        depth_run(NetworkSizes(L=600, d=4), GaussianTokens(n=3, d=4), [3])


def test_too_large_is_refused_before_anything_is_computed():
    with pytest.raises(TooLarge, match="one network with L=100, d=10000 on 4 tokens would take 376 GiB"):
        depth_run(NetworkSizes(L=100, d=10000), GaussianTokens(n=4, d=10000))


@pytest.mark.parametrize(
    ("seeds", "message"), [(0, "seeds must be"), ([], "seeds must hold one seed"), ([-1], "seed must be")]
)
def test_bad_seeds(seeds, message):
    with pytest.raises(InvalidInput, match=message):
        depth_run(NetworkSizes(L=1, d=4), GaussianTokens(n=3, d=4), seeds)


def test_widths_must_agree():
    with pytest.raises(InvalidInput, match="d must be the same for tokens and network, got 8 and 4"):
        depth_run(NetworkSizes(L=1, d=4), GaussianTokens(n=3, d=8))
