"""The two laws entry by entry: right ones agree, wrong ones differ, and exits tested differently are said so."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ks_2samp

from seprank.errors import InvalidInput
from seprank.shaped import finite
from seprank.shaped.compare import compare, critical_distance, final_entries, law_distances, typical_norm
from seprank.shaped.setup import Law, Setup

V0 = np.array([[1.0, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
ATTENTION = Setup(m=3, n=200, depth=60, gamma=0.6, tau0=0.8, V0=V0, block="attention", radius=8.0, paths=3000)


@pytest.mark.parametrize(
    "setup",
    [
        ATTENTION,
        Setup(m=2, n=100, depth=60, gamma=0.7, tau0=1.0, block="residual", c_plus=1.0, paths=3000),
        Setup(m=2, n=120, depth=60, gamma=0.5, tau0=1.0, heads=4, mlp_ratio=2.0, paths=2000),
    ],
)
def test_networks_have_the_law_of_the_limit(setup):
    found = compare(setup, finite_width=True)
    assert found.largest.ks < 2 * found.critical  # far above what a right limit gives at n = 100
    assert found.largest.ks == max(distance.ks for distance in found.distances)
    assert found.agree == (found.largest.ks <= found.joint_critical)
    assert len(found.distances) == setup.m * (setup.m + 1) // 2


def test_wrong_limits_are_told_apart():
    network = finite.simulate(ATTENTION, layers=[60])
    for wrong in ({"gamma": 0.5}, {"tau0": 0.5}, {"depth": 40}):
        other = finite.simulate(replace(ATTENTION, seed=1, **wrong))
        assert max(d.ks for d in law_distances(network, other)) > 1.3 * critical_distance(3000, 3000), wrong


def test_distances_are_those_of_the_definition():
    draw = np.random.default_rng(0)
    roots = draw.standard_normal((2, 300, 2, 4))
    laws = [Law(np.zeros(1), (R @ R.swapaxes(1, 2))[:, None], np.zeros(300, bool), 0.0, 0.0) for R in roots]
    values = [law.covariances[:, 0, 0, 0] for law in laws]
    grid = np.concatenate(values)
    by_hand = max(abs((values[0] <= x).mean() - (values[1] <= x).mean()) for x in grid)
    found = law_distances(*laws)
    assert [distance.entry for distance in found] == ["V11", "V22", "rho12"]
    assert found[0].ks == pytest.approx(by_hand)
    assert found[0].p == pytest.approx(ks_2samp(*values, method="exact").pvalue, abs=0.03)


def test_critical_values():
    assert critical_distance(16384, 16384) == pytest.approx(1.358 * math.sqrt(2 / 16384), rel=1e-3)
    assert critical_distance(100, 10**9, 0.01) == pytest.approx(0.1628, rel=1e-3)


def test_equal_tokens_are_one_value_in_both_laws():
    setup = Setup(m=2, n=40, depth=20, gamma=0.5, tau0=1.0, V0=np.ones((2, 2)), paths=500)
    assert law_distances(finite.simulate(setup), finite.simulate(replace(setup, seed=1)))[2].ks == 0.0


def test_exits_tested_at_other_moments_are_said_so():
    hot = Setup(m=2, n=120, depth=60, gamma=0.8, tau0=0.5, block="attention", radius=6.0, paths=1000)
    assert any("Exit monitoring differs" in warning for warning in compare(hot, "continuous").warnings)
    assert not any("Exit monitoring" in warning for warning in compare(hot).warnings)
    assert any("far below 1" in warning for warning in compare(hot).warnings)
    mild = Setup(m=2, n=400, depth=40, gamma=0.2, tau0=2.0, paths=500)
    assert compare(mild, "continuous").warnings == ()


def test_a_limit_that_blows_up_within_a_layer_is_compared_all_the_same():
    found = compare(Setup(m=4, n=20, depth=20, gamma=0.5, tau0=0.5, radius=1e3, paths=500))
    assert 0.1 < found.sde.stopped_fraction < 0.4
    assert all(0 <= distance.ks <= 1 and 0 <= distance.p <= 1 for distance in found.distances)


def test_laws_without_paths_are_refused():
    law = Law(np.zeros(1), None, None, 0.0, 0.0)
    for function in (final_entries, typical_norm):
        with pytest.raises(InvalidInput, match=r"^law must hold paths, got quantiles alone$"):
            function(law)
    one, two = (finite.simulate(Setup(m=m, n=20, depth=2, gamma=0.5, tau0=1.0, paths=3)) for m in (1, 2))
    with pytest.raises(InvalidInput, match=r"^laws must be of equally many tokens, got 1 and 3 entries$"):
        law_distances(one, two)
