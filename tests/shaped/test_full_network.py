"""Networks with their weights: every kind of attention does what the leading order predicts."""

import numpy as np
import pytest

from seprank import field
from seprank.errors import InvalidInput
from seprank.shaped import full_network
from seprank.shaped.full_variants import VARIANTS, variant
from seprank.shaped.setup import Setup


def run(name, depth, paths=12, n=60, **changes):
    """V (paths, depth + 1, m, m), and 1 - rho of the first two tokens."""
    setup = Setup(**{"m": 2, "gamma": 0.5, "tau0": 1.0, "block": "attention"} | changes, n=n, depth=depth, paths=paths)
    V = full_network.simulate(setup, layers=range(depth + 1), variant=variant(name)).covariances
    return V, 1 - V[..., 0, 1] / np.sqrt(V[..., 0, 0] * V[..., 1, 1])


def test_without_centring_the_mean_token_grows_exponentially():
    V, gap = run("no-centring", 60)
    growth = np.median(np.log(V[:, 60, 0, 0] / V[:, 20, 0, 0])) / 40
    assert growth == pytest.approx(np.log(1 + 3 * 0.25), rel=0.1)
    assert np.median(gap[:, 60]) < 1e-12


def test_without_the_identity_tokens_vanish_and_correlations_freeze():
    V, gap = run("no-identity", 60)
    assert np.median(np.log(V[:, 60, 0, 0])) == pytest.approx(60 * np.log(0.75), abs=0.1)
    assert np.abs(gap[:, 60] - 0.8).max() < 0.05


def test_plain_softmax_collapses_exponentially_whatever_the_width():
    for n in (60, 120):
        _, gap = run("plain", 25, n=n, paths=30)
        assert np.median(gap[:, 25]) == pytest.approx(0.8 * 0.75**25 / 0.6, rel=1.0)  # V11 falls to 0.6
    V, _ = run("plain-unit", 40)
    assert np.median(np.log2(V[:, 40, 0, 0])) == pytest.approx(40, abs=2.0)


def test_pre_layer_norm_collapses_like_one_over_depth():
    _, gap = run("pre-ln", 60, n=120)
    assert np.median(gap[:, 60]) == pytest.approx(1.6 / 120, rel=0.35)


def test_shaped_attention_does_not_collapse():
    _, gap = run("shaped", 60)
    assert np.median(gap[:, 60]) > 0.4


def test_a_standard_temperature_moves_tokens_at_once():
    hot, _ = run("no-temperature", 1, paths=60, n=400)
    shaped, _ = run("shaped", 1, paths=60, n=400)
    assert hot[:, 1, 0, 0].std() > 1.5 * shaped[:, 1, 0, 0].std()


def test_layer_norm_makes_branches_blind_to_scale():
    V, _ = run("pre-ln", 3, paths=2)
    W, _ = run("pre-ln", 3, paths=2, V0=np.array([[100.0, 20.0], [20.0, 100.0]]))

    assert np.median(W[:, 3, 0, 0] / 100) < np.median(V[:, 3, 0, 0])


def test_overflow_names_the_layer_and_nothing_stops_other_kinds():
    with pytest.raises(InvalidInput, match=r"leaves the range of floats at layer [5-6]\d\d \(path 0\)"):
        run("plain-unit", 700, paths=1, n=40)
    V, _ = run("plain-unit", 30, paths=1, n=4)
    assert V[0, 30, 0, 0] > 1e3  # far outside the radius of shaped attention


def test_paths_do_not_depend_on_the_batch():
    sizes = {"m": 3, "n": 20, "depth": 4, "gamma": 0.5, "tau0": 1.0, "heads": 2}
    with field.thread_limit(1):
        many = full_network.simulate(Setup(**sizes, paths=9)).covariances
    assert np.allclose(many[:2], full_network.simulate(Setup(**sizes, paths=2)).covariances, rtol=1e-12)


def test_progress_counts_paths():
    seen = []
    full_network.simulate(
        Setup(m=2, n=8, depth=1, gamma=0.5, tau0=1.0, paths=5), progress=lambda *counts: seen.append(counts)
    )
    assert seen[-1] == (5, 5)


def test_other_names_are_refused():
    with pytest.raises(InvalidInput, match=r"^variant must be one of shaped, no-centring"):
        variant("shapely")
    assert len(set(VARIANTS.values())) == len(VARIANTS)
