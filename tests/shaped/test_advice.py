"""Advice for a model's sizes: regimes by formula, gamma against the deterministic law of two tokens."""

import math
from dataclasses import replace

import numpy as np
import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.shaped.advice import linear_noise, norm_95, ode_gamma, quantile_95, refuse_if_large, shaped_advice
from seprank.shaped.setup import Law, Setup

RESIDUAL = Setup(m=2, n=50, depth=50, gamma=1.0, tau0=1.0, block="residual", paths=4000)


@pytest.mark.parametrize(("block", "rate"), [("residual", 2.0), ("attention", 1.75), ("full", 3.75)])
def test_the_noise_of_the_linear_part(block, rate):
    base = replace(RESIDUAL, block=block)
    assert linear_noise(base, 0.5) == pytest.approx(math.sqrt(rate * 0.25), rel=1e-12)
    edge = ode_gamma(base)
    assert linear_noise(base, edge) == pytest.approx(0.1, rel=1e-9)
    assert ode_gamma(replace(base, depth=1, n=1000)) == 1.0


def test_gamma_is_that_of_the_deterministic_law_of_two_tokens():
    found = shaped_advice(RESIDUAL, level=0.74609, tau0s=(1.0,)).choices[0]  # its 95 % point of |rho| at gamma 0.3
    assert found.gamma == pytest.approx(0.3, abs=0.02)
    assert found.low < found.correlation < found.high
    assert found.correlation <= 0.74609
    lower = shaped_advice(RESIDUAL, level=0.41318, tau0s=(1.0,)).choices[0]
    assert lower.gamma == pytest.approx(0.1, abs=0.02)


def test_a_deep_narrow_network_has_no_gamma_and_a_shallow_one_any():
    deep = shaped_advice(replace(RESIDUAL, n=50, depth=50 * 100, paths=50), level=0.21, tau0s=(1.0,))
    assert deep.choices[0].gamma is None
    assert deep.chosen is None
    shallow = shaped_advice(replace(RESIDUAL, n=1000, depth=2, paths=200), tau0s=(4.0, 2.0))
    assert [choice.tau0 for choice in shallow.choices] == [2.0, 4.0]
    assert shallow.chosen == shallow.choices[0]
    assert shallow.chosen.gamma == 1.0


def law_of(V, stopped):
    return Law(np.zeros(1), np.array(V)[:, None], np.array(stopped), 0.0, 0.0)


def test_stopped_paths_count_as_aligned():
    V = np.tile(np.array([[1.0, -0.5], [-0.5, 1.0]]), (100, 1, 1))
    stopped = np.zeros(100, bool)
    assert quantile_95(law_of(V, stopped)) == pytest.approx((0.5, 0.5, 0.5))
    assert norm_95(law_of(V, stopped)) == pytest.approx(math.sqrt(2.5))
    V[:10], stopped[:10] = np.nan, True
    assert quantile_95(law_of(V, stopped))[0] == 1.0
    assert norm_95(law_of(V, stopped)) == math.inf


def test_bad_levels_are_refused():
    with pytest.raises(InvalidInput, match=r"^level must lie between \|rho0\| = 0.2 and 1, got 0.1$"):
        shaped_advice(RESIDUAL, level=0.1)
    with pytest.raises(InvalidInput, match=r"^level must lie between \|rho0\| = 0.2 and 1, got 1$"):
        shaped_advice(RESIDUAL, level=1.0)
    with pytest.raises(InvalidInput, match=r"^tokens must be a whole number at least 2, got 1$"):
        shaped_advice(replace(RESIDUAL, m=1, V0=None))
    with pytest.raises(TooLarge, match="hours"):
        refuse_if_large(replace(RESIDUAL, depth=10**6, paths=20000))
