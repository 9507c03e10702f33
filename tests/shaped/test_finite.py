"""The low-dimensional simulation of finite networks: exact laws, the switch to explicit columns, bad input."""

import math

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstest

from seprank import field
from seprank.errors import InvalidInput, TooLarge
from seprank.shaped import finite, finite_kernels, full_network
from seprank.shaped.finite_start import covariance_root, first_tokens, recorded_layers
from seprank.shaped.setup import Setup, causal_mask, equicorrelated

V0 = np.array([[1.0, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
LEAST_P = 1e-5  # of about 100 comparisons with fixed seeds


def final(law):
    return law.covariances[:, -1]


def p_values(first, second):
    rows, columns = np.tril_indices(first.shape[-1])
    return [ks_2samp(first[:, i, j], second[:, i, j]).pvalue for i, j in zip(rows, columns, strict=True)]


@pytest.mark.parametrize(
    "changes",
    [
        {"block": "attention", "n": 24},
        {"block": "attention", "n": 24, "head_dim": 1, "mask": causal_mask(3)},
        {"block": "residual", "n": 20, "mlp_ratio": 2.0, "c_plus": 1.0},
        {"block": "full", "n": 24, "heads": 4, "mask": np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]])},
        {"block": "full", "n": 6, "head_dim": 2},
        {"block": "full", "n": 5, "head_dim": 2},
        {"block": "full", "n": 3, "head_dim": 7},
        {"block": "attention", "n": 18, "heads": 3, "head_dim": 3},
        {"block": "attention", "n": 15, "heads": 3, "head_dim": 3},
    ],
)
def test_the_law_is_that_of_networks_with_weights(changes):
    setup = Setup(m=3, depth=3, gamma=0.8, tau0=0.7, V0=V0, radius=8.0, paths=2000, seed=5, **changes)
    small, full = finite.simulate(setup), full_network.simulate(setup)
    assert min(p_values(final(small), final(full))) > LEAST_P
    assert abs(small.stopped_fraction - full.stopped_fraction) < 0.04


def test_wrong_laws_are_told_apart():
    setup = Setup(m=3, n=24, depth=6, gamma=0.8, tau0=0.3, V0=V0, radius=1e9, paths=3000, block="attention")
    network = final(full_network.simulate(setup))
    for wrong in ({"gamma": 0.6}, {"tau0": 0.6}, {"mask": causal_mask(3)}, {"n": 12}, {"block": "residual"}):
        values = {name: getattr(setup, name) for name in ("m", "n", "depth", "gamma", "tau0", "V0", "radius", "paths")}
        other = finite.simulate(Setup(**values | {"block": "attention", "seed": 9, **wrong}))
        assert min(p_values(final(other), network)) < LEAST_P, wrong


def columns_by(R, size, draws):
    """V after columns of law N(0, L L^T) are added to a block with factor R."""
    L, found = np.array([[1.0, 0.0], [0.5, 0.3]]), []
    draw = np.random.default_rng(2)
    for _ in range(draws):
        block = R.copy()
        finite_kernels.add_columns(block, 0.6, 0.8 / math.sqrt(size), L, size, draw)
        found.append(block @ block.T)
    return np.array(found)


@pytest.mark.parametrize("size", [4, 7])
def test_wishart_draws_and_explicit_columns_have_one_law(size):
    root = covariance_root(np.array([[1.0, -0.3], [-0.3, 2.0]]))
    low = columns_by(root, size, 8000)
    explicit = columns_by(root @ np.eye(2, size), size, 8000)
    assert min(p_values(low, explicit)) > LEAST_P
    no_cross_term = 0.36 * root @ root.T + columns_by(np.zeros((2, 2)), size, 8000)
    assert min(p_values(no_cross_term, explicit)) < LEAST_P


@pytest.mark.parametrize(("block", "sigma2"), [("residual", 4 * 0.36), ("attention", 2 * 0.36 * 1.64)])
def test_one_token_is_a_geometric_brownian_motion(block, sigma2):
    setup = Setup(m=1, n=200, depth=200, gamma=0.6, tau0=1.0, block=block, paths=2500, radius=1e9)
    found = np.log(final(finite.simulate(setup))[:, 0, 0])
    assert kstest(found, "norm", (-sigma2 / 2, math.sqrt(sigma2))).statistic < 0.05
    assert kstest(found, "norm", (-sigma2 / 4, math.sqrt(sigma2 / 2))).statistic > 0.05


def test_two_tokens_of_a_residual_network_have_the_quantiles_of_the_limit():
    setup = Setup(m=2, n=100, depth=100, gamma=0.5**0.5, tau0=1.0, block="residual", paths=4000)
    V = final(finite.simulate(setup))
    rho = V[:, 0, 1] / np.sqrt(V[:, 0, 0] * V[:, 1, 1])
    for quantile, expected in ((0.05, -0.85498), (0.5, 0.37430), (0.95, 0.97699)):
        assert abs(float((rho <= expected).mean()) - quantile) < 0.04


def test_attention_of_two_tokens_leaves_a_ball_as_often_as_the_limit():
    setup = Setup(m=2, n=400, depth=200, gamma=0.8, tau0=0.5, block="attention", radius=1e6, paths=3000)
    V = finite.simulate(setup, layers=range(201)).covariances
    D = V[..., 0, 0] + V[..., 1, 1] - 2 * V[..., 0, 1]
    gap = np.log(6.0 / np.minimum(D, 6.0))
    sigma2 = 2 * 0.64 * 1.36 + 0.8**4 / (4 * 0.25) * D[:, :-1] ** 2
    between = np.exp(-2 * gap[:, :-1] * gap[:, 1:] / (sigma2 / 400))  # of a bridge, over one layer
    assert abs(float(1 - np.prod(1 - between, axis=1).mean()) - 0.20709) < 0.03


def test_one_layer_has_the_covariance_of_the_limit():
    setup = Setup(m=3, n=2000, depth=1, gamma=0.8, tau0=0.7, V0=V0, block="attention", paths=20000)
    V = final(finite.simulate(setup))
    rows, columns = np.tril_indices(3)
    found = 2000 * V[:, rows, columns].var(axis=0)
    golden = {(0, 0): 1.99941869, (1, 0): 1.50537365, (2, 0): 0.80518353, (1, 1): 4.41835102, (2, 1): 1.32585941}
    golden[2, 2] = 1.23758849
    expected = np.array([golden[pair] for pair in zip(rows, columns, strict=True)])
    assert np.abs(found / expected - 1).max() < 0.05  # 5 standard errors


def test_a_path_depends_on_seed_and_index_only():
    sizes = {"m": 2, "n": 30, "depth": 10, "gamma": 0.5, "tau0": 1.0, "seed": 2**63}
    with field.thread_limit(1):
        many = finite.simulate(Setup(**sizes, paths=150)).covariances
    with field.thread_limit(2):
        few = finite.simulate(Setup(**sizes, paths=70)).covariances
    assert np.array_equal(many[:70], few)
    assert not np.array_equal(many[0], many[1])
    assert not np.array_equal(many[0], finite.simulate(Setup(**sizes | {"seed": 0}, paths=1)).covariances[0])


def test_paths_are_held_from_the_layer_on_at_which_they_stop():
    setup = Setup(m=2, n=40, depth=40, gamma=0.9, tau0=0.3, radius=4.0, paths=200)
    law = finite.simulate(setup, layers=range(41))
    norms = np.linalg.norm(law.covariances, axis=(2, 3))
    assert 0.1 < law.stopped_fraction < 0.9
    assert np.array_equal(law.stopped, norms.max(axis=1) >= 4.0)
    for path in np.flatnonzero(law.stopped):
        first = int(np.argmax(norms[path] >= 4.0))
        assert (law.covariances[path, first:] == law.covariances[path, first]).all()
    assert law.validity == pytest.approx(norms.max() / (0.3 * math.sqrt(40)), rel=1e-12)


def test_equal_tokens_stay_equal():
    setup = Setup(m=3, n=50, depth=50, gamma=0.7, tau0=1.0, V0=equicorrelated(3, 1.0), paths=20)
    V = final(finite.simulate(setup))
    assert np.allclose(V, V[:, :1, :1], rtol=1e-12)


def test_first_tokens_have_the_gram_matrix_asked_for_in_every_head():
    setup = Setup(m=3, n=24, depth=1, gamma=0.5, tau0=1.0, heads=4, V0=V0)
    X = first_tokens(setup)
    assert np.allclose(X @ X.T / 24, V0)
    factors = finite.starting_factors(setup)
    assert factors.shape == (4, 3, 3)
    assert np.allclose(factors @ factors.swapaxes(1, 2), V0 / 4)


def test_recorded_layers_hold_both_ends():
    assert recorded_layers(1).tolist() == [0, 1]
    assert recorded_layers(1000).tolist() == list(range(0, 1001, 100))
    assert recorded_layers(9, [9, 3]).tolist() == [3, 9]
    with pytest.raises(InvalidInput, match=r"^layers must be a whole number from 0 to 9, got 10$"):
        recorded_layers(9, [10])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 3}, "heads must divide n in a finite network, got heads=3, n=10"),
        ({"n": 1}, "n must be at least m in a finite network, got n=1, m=2"),
        ({"mlp_ratio": 0.25}, "mlp_ratio times n must be a whole number in a finite network, got 2.5"),
        (
            {"n": 4, "c_plus": -2.0, "c_minus": -2.0},
            "c_plus and c_minus must leave a slope that is not 0, got -2 twice",
        ),
    ],
)
@pytest.mark.parametrize("engine", [finite, full_network])
def test_sizes_without_a_network_are_refused(engine, changes, message):
    setup = Setup(**{"m": 2, "n": 10, "depth": 2, "gamma": 0.5, "tau0": 1.0, "paths": 1} | changes)
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        engine.simulate(setup)


@pytest.mark.parametrize("engine", [finite, full_network])
@pytest.mark.parametrize(("scale", "paths"), [(9e153, 20), (1e-300, 3)])
def test_leaving_the_range_of_floats_names_the_layer(engine, scale, paths):
    wild = {"block": "residual", "gamma": 1.0, "c_minus": 0.0, "paths": paths}
    setup = Setup(m=1, n=1, depth=700, tau0=1.0, V0=np.array([[scale]]), **wild)
    with pytest.raises(InvalidInput, match=r"^the covariance leaves the range of floats at layer \d+ \(path \d+\); "):
        engine.simulate(setup)


@pytest.mark.parametrize("engine", [finite, full_network])
def test_results_that_do_not_fit_are_refused_at_once(engine):
    with pytest.raises(TooLarge, match="GiB"):
        engine.simulate(Setup(m=64, n=64, depth=1000, gamma=0.5, tau0=1.0, paths=10**6))


def test_the_estimate_of_time_grows_with_paths_and_depth():
    small = Setup(m=2, n=100, depth=10, gamma=0.5, tau0=1.0, paths=1000)
    large = Setup(m=2, n=100, depth=1000, gamma=0.5, tau0=1.0, paths=2000)
    for engine in (finite, full_network):
        assert 0 < 20 * engine.seconds(small) < engine.seconds(large)
