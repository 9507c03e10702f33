"""Networks of every kind of attention without weights: the law of real weights, and the leading predictions."""

import math
from functools import cache

import numpy as np
import pytest

from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.shaped import Setup, causal_mask, equicorrelated, finite, finite_variants, full_network
from seprank.shaped.figure_data import correlation, ks_distance
from seprank.shaped.finite_variants import TILE, factors, gaps
from seprank.shaped.full_variants import VARIANTS

CHANCE = 2.7  # a distance of two samples above 2.7 sqrt(1/N1 + 1/N2) has probability 1e-6
SMALL = {"m": 3, "n": 12, "depth": 4, "paths": 3000, "gamma": 0.7, "tau0": 0.8, "head_dim": 2}


def setup(**other):
    given = {"m": 2, "n": 200, "depth": 50, "gamma": 0.5, "tau0": 1.0, "block": "attention", "paths": 512, "seed": 3}
    return Setup(**given | other)


def median_gap(case, name, layers):
    return np.median(gaps(factors(case, VARIANTS[name], layers)), axis=0)


@pytest.mark.parametrize("block", ["attention", "full"])
@pytest.mark.parametrize("name", list(VARIANTS))
def test_law_of_networks_with_weights(name, block):
    R, V = both_roads(name, block)
    assert largest_distance(R, V) < CHANCE * math.sqrt(2 / 3000)


@cache
def both_roads(name, block="attention"):
    case = setup(**SMALL, block=block)
    R = factors(case, VARIANTS[name], [case.depth])[:, 0]
    return R, full_network.simulate(case, [case.depth], variant=VARIANTS[name]).covariances[:, 0]


def largest_distance(R, V):
    mine = R @ R.mT
    entries = [ks_distance(mine[:, i, j], V[:, i, j]) for i in range(3) for j in range(i + 1)]
    return max(*entries, ks_distance(gaps(R), 1 - correlation(V)))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda normal, count, m, degrees, draw: normal(count, m, degrees + m, draw),
        lambda normal, count, m, degrees, draw: normal(count, m, max(m, degrees - m), draw),
    ],
)
def test_wrong_degrees_of_the_wishart_draws_are_seen(monkeypatch, wrong):
    _, V = both_roads("shaped")
    normal = finite_variants._bartlett
    monkeypatch.setattr(finite_variants, "_bartlett", lambda *given: wrong(normal, *given))
    R = factors(setup(**SMALL), VARIANTS["shaped"], [4])[:, 0]
    assert largest_distance(R, V) > CHANCE * math.sqrt(2 / 3000)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "shaped"])
def test_kinds_are_told_apart(name):
    shaped, _ = both_roads("shaped")
    _, V = both_roads(name)
    assert largest_distance(shaped, V) > CHANCE * math.sqrt(2 / 3000)


def test_shaped_kind_has_the_law_of_the_compiled_chain():
    case = setup(depth=20, n=50, paths=4000)
    V = finite.simulate(case, [20]).covariances[:, 0]
    gap = gaps(factors(case, VARIANTS["shaped"], [20]))[:, 0]
    assert ks_distance(gap, 1 - correlation(V)) < CHANCE * math.sqrt(2 / 4000)


def test_leading_predictions():
    assert median_gap(setup(), "plain", [25, 50]) == pytest.approx([0.0010, 8.4e-7], rel=0.12)
    assert median_gap(setup(), "plain-unit", [10]) == pytest.approx([0.0017], rel=0.12)
    assert 2 * np.array([10, 50]) * median_gap(setup(), "pre-ln", [10, 50]) == pytest.approx([1.8, 1.8], rel=0.1)
    logs = {
        name: np.median(2 * np.log10(np.linalg.norm(factors(setup(), VARIANTS[name], [50])[:, 0, 0], axis=-1)))
        for name in ("no-centring", "no-identity", "plain-unit")
    }
    assert logs["no-centring"] == pytest.approx(50 * math.log10(1.75) + math.log10(0.6), abs=0.25)
    assert logs["no-identity"] == pytest.approx(50 * math.log10(0.75), abs=0.02)
    assert logs["plain-unit"] == pytest.approx(50 * math.log10(2) + math.log10(0.6), abs=0.25)


def test_gaps_keep_their_digits_where_covariances_lose_them():
    R = factors(setup(depth=100, paths=64), VARIANTS["plain"], [100])[:, 0]
    V = R @ R.mT
    assert np.median(gaps(R)) == pytest.approx(0.8 * 0.75**100, rel=1.0)
    assert np.all(np.abs(1 - correlation(V)) < 1e-10)
    assert np.median(gaps(R)) < 1e-11


def test_a_path_depends_on_seed_and_index_alone():
    few, many = (factors(setup(depth=3, paths=paths), VARIANTS["plain"]) for paths in (5, TILE + 7))
    assert np.array_equal(few, many[:5])
    other = factors(setup(depth=3, paths=5, seed=4), VARIANTS["plain"])
    assert not np.array_equal(few[:, 1:], other[:, 1:])


def test_start_and_progress():
    seen = []
    V0 = np.array([[1.0, 0.3], [0.3, 2.0]])
    R = factors(setup(V0=V0, depth=2, paths=TILE + 1), VARIANTS["shaped"], [0, 2], lambda *state: seen.append(state))
    assert R[0, 0] @ R[0, 0].T == pytest.approx(V0)
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        ({"heads": 2}, OutOfScope, "^kinds of attention are simulated with one head and without a mask only"),
        ({"mask": causal_mask(2)}, OutOfScope, "without a mask only"),
        ({"n": 3}, InvalidInput, "^n must be at least 2m = 4 for the Wishart draws, got 3"),
        ({"paths": 10**8}, TooLarge, "would take .* GiB, above 2"),
        ({"paths": 10**6, "depth": 10**5}, TooLarge, "hours, above four"),
    ],
)
def test_refusals(other, error, message):
    with pytest.raises(error, match=message):
        factors(setup(**other), VARIANTS["plain"])


def test_overflow_names_layer_and_a_path_that_was_asked_for():
    case = setup(depth=3000, paths=2, V0=1e3 * equicorrelated(2, 0.2))
    with pytest.raises(InvalidInput, match=r"leaves the range of floats at layer 1[12]\d\d \(path [01]\)"):
        factors(case, VARIANTS["no-centring"])
