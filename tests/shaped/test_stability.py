"""Explosion, hitting probabilities, blow-up times: golden values, second roads, Monte Carlo."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from seprank.errors import InvalidInput, OutOfScope
from seprank.shaped.coefficients import attention_drift
from seprank.shaped.hitting import hitting_estimate
from seprank.shaped.setup import Setup, causal_mask, equicorrelated
from seprank.shaped.stability import (
    blow_up_time,
    explodes,
    hitting_probability,
    scale_function,
    spread,
    temperature_for,
)
from seprank.shaped.stability_report import stability

GAMMAS = (0.1, 0.3, 0.5, 0.6, 0.7)


@pytest.mark.parametrize(
    ("ratio", "expected"), [(1.6, (0.220, 0.195, 0.134, 0.081, 0.006)), (160, (1.000, 1.000, 0.970, 0.776, 0.081))]
)
def test_golden_explosion_probabilities(ratio, expected):
    assert [hitting_probability(ratio, math.inf, g, 1.0) for g in GAMMAS] == pytest.approx(expected, abs=6e-4)
    assert [hitting_probability(3 * ratio, math.inf, g, 3.0) for g in GAMMAS] == pytest.approx(expected, abs=6e-4)


GOLDEN_HITS = [
    (0.5, 1.0, 20.0, 0.1728),
    (0.5, 1.0, 200.0, 0.1366),
    (0.3, 1.0, 20.0, 0.1994),
    (0.3, 1.0, 200.0, 0.1943),
    (0.8, 1.0, 20.0, 0.1438),
    (0.8, 1.0, 200.0, 0.0553),
    (0.9, 0.5, 20.0, 0.1782),
    (0.9, 0.5, 200.0, 0.0604),
]


@pytest.mark.parametrize(("gamma", "tau0", "radius", "expected"), GOLDEN_HITS)
def test_golden_hits_and_quadrature(gamma, tau0, radius, expected):
    assert hitting_probability(1.6, radius, gamma, tau0, 0.01) == pytest.approx(expected, abs=6e-5)
    s, b, k = gamma**2 * (2 - gamma**2), gamma**4 / (4 * tau0**2), 1 / (4 * gamma**2)
    parts = [quad(lambda u: (b * u * u + 2 * s) ** -k, 0.01, top, limit=200)[0] for top in (1.6, radius)]
    assert hitting_probability(1.6, radius, gamma, tau0, 0.01) == pytest.approx(parts[0] / parts[1], rel=1e-6)
    wrong = [quad(lambda u: (b * u * u + 2 * s) ** (-2 * k), 0.01, top, limit=200)[0] for top in (1.6, radius)]
    assert abs(wrong[0] / wrong[1] - expected) > 0.008


@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.7, math.sqrt(0.5), 0.8, 1.0])
def test_scale_function_and_the_beta_function_agree(gamma):
    start, top = (scale_function(x, gamma, 0.7) for x in (1.6, 30.0))
    assert hitting_probability(1.6, 30.0, gamma, 0.7) == pytest.approx(float(start / top), rel=1e-9)
    whole = scale_function(math.inf, gamma, 0.7)
    expected = float(start / whole) if gamma**2 < 0.5 else 0.0
    assert hitting_probability(1.6, math.inf, gamma, 0.7) == pytest.approx(expected, rel=1e-9)


def test_criterion():
    assert [explodes(g) for g in (0.5, 0.7, 0.71, 1.0)] == [True, True, False, False]
    assert explodes(1.0, heads=3)
    assert hitting_probability(1.6, math.inf, 1.0, 1.0, heads=3) > 0.01
    assert hitting_probability(1.6, math.inf, 1.0, 1.0, heads=2) == 0.0


def test_temperature_for_is_the_inverse():
    for gamma in (0.1, 0.5, 0.7):
        tau0 = temperature_for(0.01, 1.6, gamma)
        assert hitting_probability(1.6, math.inf, gamma, tau0) == pytest.approx(0.01, rel=1e-9)
    assert temperature_for(0.01, 1.6, 0.8) is None


@pytest.mark.parametrize(
    ("gamma", "tau0", "radius", "heads"), [(0.5, 1.0, 20.0, 1), (0.8, 1.0, 200.0, 1), (0.9, 1.0, 50.0, 2)]
)
def test_monte_carlo_meets_the_closed_form(gamma, tau0, radius, heads):
    setup = Setup(m=2, n=1, depth=1, gamma=gamma, tau0=tau0, block="attention", heads=heads, paths=2048)
    found = hitting_estimate(setup, radius)
    exact = hitting_probability(1.6, radius, gamma, tau0, 0.01, heads=heads)
    assert found.undecided == 0
    assert abs(found.probability - exact) < 5 * found.error + 0.008
    assert found.error == pytest.approx(math.sqrt(exact * (1 - exact) / 2048), rel=0.2)


def test_monte_carlo_does_not_depend_on_threads():
    setup = Setup(m=3, n=1, depth=1, gamma=0.7, tau0=1.0, paths=200)
    assert hitting_estimate(setup, 20.0, threads=1) == hitting_estimate(setup, 20.0, threads=3)


def test_spread():
    V = np.array([[1, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
    pairs = [V[a, a] + V[b, b] - 2 * V[a, b] for a in range(3) for b in range(a)]
    assert spread(V) == pytest.approx(np.mean(pairs), rel=1e-14)


def test_blow_up_in_closed_form():
    assert blow_up_time(equicorrelated(2, 0.2), 0.5, 2.0) == pytest.approx(8 * 4 / (0.25 * 1.6**2))
    whole = np.ones((2, 2), bool)
    assert blow_up_time(equicorrelated(2, 0.2), 0.5, 1.0, whole) == pytest.approx(12.5, rel=1e-5)
    for m in (3, 5):  # equal norms and correlations: v' = gamma^2 (m - 1) (1 - rho)^2 v^3 / (tau0 m)^2
        expected = m**2 / (2 * 0.25 * (m - 1) * 0.8**2)
        assert blow_up_time(equicorrelated(m, 0.2), 0.5, 1.0) == pytest.approx(expected, rel=1e-6)
    assert blow_up_time(np.ones((3, 3)), 0.5, 1.0) is None


def test_blow_up_by_the_equation_in_its_own_time():
    V0, mask = equicorrelated(3, 0.2), causal_mask(3)

    def far(t, state):
        return np.linalg.norm(state) - 1e4

    far.terminal = True
    run = solve_ivp(
        lambda t, y: attention_drift(y.reshape(3, 3), 0.5, 1.0, mask).ravel(),
        (0, 100),
        V0.ravel(),
        method="LSODA",
        rtol=1e-10,
        events=far,
    )
    assert blow_up_time(V0, 0.5, 1.0, mask) == pytest.approx(run.t[-1], rel=1e-4)


def test_report():
    base = {"n": 1, "depth": 1, "gamma": 0.5, "tau0": 1.0}
    exact = stability(Setup(m=2, block="attention", **base), 20.0)
    assert (exact.kind, exact.estimate) == ("exact", None)
    bound = stability(Setup(m=2, block="full", **base), 20.0)
    assert bound.kind == "upper bound"
    real = hitting_estimate(Setup(m=2, block="full", **base, paths=1024), 20.0)
    assert real.probability < bound.hitting_probability + 3 * real.error
    linear = stability(Setup(m=2, block="full", **base, c_minus=0.0), 20.0)
    assert linear.kind == "exact"
    real = hitting_estimate(Setup(m=2, block="full", **base, c_minus=0.0, paths=2048), 20.0, 0.01)
    assert abs(real.probability - linear.hitting_probability) < 5 * real.error + 0.008
    many = stability(Setup(m=3, block="attention", **base, paths=512), 20.0)
    assert (many.kind, many.explodes) == ("estimate", None)
    still = stability(Setup(m=2, block="residual", **base, paths=256))
    assert (still.explodes, still.blow_up_time) == (False, None)


def test_what_has_no_answer_is_refused():
    setup = Setup(m=2, n=1, depth=1, gamma=0.5, tau0=1.0, block="attention")
    with pytest.raises(InvalidInput, match=r"^radius must exceed the mean squared distance of the tokens, 1\.6, got 1"):
        stability(setup, 1.0)
    with pytest.raises(InvalidInput, match=r"^radius must exceed the mean squared distance"):
        hitting_estimate(setup, 1.0)
    with pytest.raises(OutOfScope, match=r"^stability needs tokens that differ"):
        stability(Setup(m=2, n=1, depth=1, gamma=0.5, tau0=1.0, V0=np.ones((2, 2))))
    with pytest.raises(InvalidInput, match=r"^epsilon, D0 and radius must rise from 0"):
        hitting_probability(1.6, 1.0, 0.5, 1.0)
