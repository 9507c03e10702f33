"""Laws of two tokens by densities: golden values, closed forms, grids that agree, wrong variants."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from seprank.errors import InvalidInput, OutOfScope
from seprank.shaped.fokker_planck import solve
from seprank.shaped.setup import Setup, causal_mask
from seprank.shaped.stability import hitting_probability
from seprank.shaped.two_tokens import correlation_law, distance_law, fokker_planck

GOLDEN = [
    (0.1, 0.20305, -0.02761, 0.41317),
    (0.3, 0.22812, -0.45169, 0.74056),
    (0.5, 0.28175, -0.73258, 0.91152),
    (math.sqrt(0.5), 0.37430, -0.85498, 0.97699),
    (0.9, 0.49964, -0.88888, 0.99450),
    (1.0, 0.57779, -0.89510, 0.99754),
]


@pytest.mark.parametrize(("gamma", "median", "low", "high"), GOLDEN)
def test_golden_correlations(gamma, median, low, high):
    law = correlation_law(0.2, gamma, [1.0])[0]
    found = [math.tanh(law.quantile(level)) for level in (0.5, 0.05, 0.95)]
    assert found == pytest.approx([median, low, high], abs=2e-5)


@pytest.mark.parametrize(("difference", "median"), [(0.0, 0.30249), (1.0, 0.37430), (2.0, 0.53203), (4.0, 0.79426)])
def test_golden_slopes(difference, median):
    law = correlation_law(0.2, math.sqrt(0.5), [1.0], difference, 0.0)[0]
    assert math.tanh(law.quantile(0.5)) == pytest.approx(median, abs=2e-5)


def test_gamma_changes_the_clock_of_residual_networks_only():
    u = np.linspace(-3, 3, 61)
    first, second = correlation_law(0.2, math.sqrt(0.5), [1.0])[0], correlation_law(0.2, 1.0, [0.5])[0]
    assert first.cdf(u) == pytest.approx(second.cdf(u), abs=1e-5)
    x = np.linspace(-1, 1, 41)
    first, second = (distance_law(1.6, g, 1.0, 50.0, [t])[0].cdf(x) for g, t in ((math.sqrt(0.5), 1.0), (1.0, 0.5)))
    assert np.abs(first - second).max() > 0.01


def test_wrong_variants_are_far():
    u, gamma = np.linspace(-4, 4, 401), math.sqrt(0.5)
    right = correlation_law(0.2, gamma, [1.0])[0].cdf(u)
    no_two = correlation_law(0.2, gamma, [1.0], rate=0.5)[0].cdf(u)
    no_drift = correlation_law(0.2, gamma, [1.0], 0.0, 0.0)[0].cdf(u)
    doubled = correlation_law(0.2, gamma, [1.0], math.sqrt(2), 0.0)[0].cdf(u)
    root = correlation_law(0.2, math.sqrt(gamma), [1.0])[0].cdf(u)
    distances = [np.abs(right - wrong).max() for wrong in (no_two, no_drift, doubled, root)]
    assert distances == pytest.approx([0.121, 0.049, 0.039, 0.073], abs=0.001)


@pytest.mark.parametrize(
    ("gamma", "tau0", "radius", "T", "met", "median"),
    [(0.5, 1.0, 8.0, 1.0, 0.06457, 1.03607), (0.8, 0.5, 6.0, 0.5, 0.20709, 0.88591)],
)
def test_golden_distances(gamma, tau0, radius, T, met, median):
    law = distance_law(1.6, gamma, tau0, radius, [T])[0]
    assert law.absorbed == pytest.approx(met, abs=1e-5)
    assert math.exp(law.quantile(0.5)) == pytest.approx(median, abs=2e-5)


def test_long_times_reach_the_hitting_probability():
    law = distance_law(1.6, 0.8, 1.0, 8.0, [40.0], cells=3000, steps=1000)[0]
    assert law.absorbed == pytest.approx(hitting_probability(1.6, 8.0, 0.8, 1.0), abs=1e-4)


def test_brownian_motion_in_closed_form():
    free, killed = (
        solve(lambda x: 0.3 + 0 * x, lambda x: 1 + 0 * x, 0.0, -9.0, high, [0.5, 1.0], absorbing=high < 5)[1]
        for high in (9.0, 1.0)
    )
    assert free.cdf([0.0, 1.0]) == pytest.approx(norm.cdf([-0.3, 0.7]), abs=1e-6)
    met = norm.cdf(0.3 - 1.0) + math.exp(2 * 0.3 * 1.0) * norm.cdf(-1.0 - 0.3)  # first passage through 1
    assert killed.absorbed == pytest.approx(met, abs=1e-5)


def test_law_of_a_setup():
    base = {"m": 2, "n": 100, "depth": 100, "gamma": 0.5, "tau0": 1.0}
    law = fokker_planck(Setup(**base, block="residual"))
    assert law.covariances is None
    assert law.stopped_fraction == 0.0
    assert law.quantiles["rho12"][0].tolist() == [0.2] * 5
    assert law.quantiles["V11"][-1] == pytest.approx(np.exp(-0.5 + norm.ppf([0.05, 0.25, 0.5, 0.75, 0.95])))
    law = fokker_planck(Setup(**base, block="attention", radius=8.0))
    assert law.stopped_fraction == pytest.approx(0.06457, abs=1e-5)
    assert law.quantiles["D12"][-1, 2] == pytest.approx(1.03607, abs=3e-5)
    assert law.quantiles["D12"][-1, 4] == pytest.approx(8.0)


def test_laws_without_an_equation_are_refused():
    base = {"n": 100, "depth": 100, "gamma": 0.5, "tau0": 1.0}
    for setup in (
        Setup(m=3, **base, block="residual"),
        Setup(m=2, **base),
        Setup(m=2, **base, block="attention", mask=causal_mask(2)),
        Setup(m=2, **base, block="residual", radius=8.0),
        Setup(m=2, **base, block="attention", V0=np.ones((2, 2))),
    ):
        with pytest.raises(OutOfScope, match="fokker-planck"):
            fokker_planck(setup)
    with pytest.raises(InvalidInput, match=r"^rho0 must lie strictly between -1 and 1"):
        correlation_law(1.0, 0.5, [1.0])
    with pytest.raises(InvalidInput, match=r"^radius must exceed the squared distance"):
        distance_law(1.6, 0.5, 1.0, 1.0, [1.0])
