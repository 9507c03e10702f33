"""One step of each scheme has the drift and diffusion of the slow road: expectations over signs, without sampling.

The new V is at most quadratic in every normal number, so that its mean over all combinations of signs is its mean; the
covariance agrees to first order in dt.
"""

import numpy as np
import pytest

from seprank.shaped.activation import relu_drift
from seprank.shaped.coefficients import attention_rate, packed, residual_rate, sigma_lin
from seprank.shaped.index_form import index_drift, index_score_covariance
from seprank.shaped.integrate import parameters
from seprank.shaped.kernels import LANES, WORK, euler_step, log_norm_rate, normals_needed, splitting_step
from seprank.shaped.setup import Setup, causal_mask

GOLDEN = np.array([[1, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
BAND = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
DT = 1e-6

SETUPS = [
    {"block": "residual", "mlp_ratio": 4.0},
    {"block": "attention"},
    {"block": "full", "heads": 3},
    {"block": "attention", "mask": causal_mask(3), "heads": 2},
    {"block": "full", "mask": BAND},
]


def lanes(V):
    return np.repeat(np.asarray(V, float)[:, :, None], LANES, axis=2)


def after_a_step(setup, scheme):
    """V behind one step for every combination of signs, (combinations, m, m)."""
    p, m, step = parameters(setup, scheme), setup.m, {"splitting": splitting_step, "euler": euler_step}[scheme]
    count = normals_needed(m, p)
    codes = np.arange(2**count).reshape(-1, LANES)
    bits = np.arange(count)[:, None]
    work, scratch, dt, allowed = np.empty((WORK, m, m, LANES)), np.empty(LANES), np.full(LANES, DT), setup.allowed * 1.0
    found = np.empty((len(codes), m, m, LANES))
    for tile, code in enumerate(codes):
        found[tile] = lanes(setup.start)
        step(found[tile], dt, 2.0 * (code >> bits & 1) - 1.0, p, allowed, work, scratch)
    return found.transpose(0, 3, 1, 2).reshape(-1, m, m)


def slow_coefficients(setup):
    m, g, V = setup.m, setup.gamma, setup.start
    b, S = np.zeros((m, m)), np.zeros((m,) * 4)
    if setup.block != "residual":
        b += index_drift(V, g, setup.tau0, setup.mask)
        S += attention_rate(g) * sigma_lin(V)
        S += g**4 / (setup.heads * setup.tau0**2) * index_score_covariance(V, setup.mask)
    if setup.block != "attention":
        b += g**2 * relu_drift(V, setup.c_plus, setup.c_minus)
        S += residual_rate(g, setup.mlp_ratio) * sigma_lin(V)
    return packed(b), packed(S)


@pytest.mark.parametrize("scheme", ["splitting", "euler"])
@pytest.mark.parametrize("changes", SETUPS)
def test_drift_and_diffusion(scheme, changes):
    setup = Setup(m=3, n=100, depth=50, gamma=0.8, tau0=0.7, V0=GOLDEN, **changes)
    after = after_a_step(setup, scheme)
    rows = np.triu_indices(3)
    change = (after - GOLDEN)[:, rows[0], rows[1]]
    b, S = slow_coefficients(setup)
    assert change.mean(axis=0) / DT == pytest.approx(b, abs=2e-4)
    assert np.cov(change.T, bias=True) / DT == pytest.approx(S, abs=2e-4)


@pytest.mark.parametrize("changes", SETUPS)
def test_variation_of_the_norm(changes):
    setup = Setup(m=3, n=100, depth=50, gamma=0.8, tau0=0.7, V0=GOLDEN, **changes)
    out, work = np.empty(LANES), np.empty((WORK, 3, 3, LANES))
    log_norm_rate(lanes(GOLDEN), parameters(setup), setup.allowed * 1.0, work, out)
    _, S = slow_coefficients(setup)
    weights = packed(GOLDEN) * packed(2 - np.eye(3))
    assert out[0] == pytest.approx(weights @ S @ weights / np.sum(GOLDEN**2) ** 2, rel=1e-12)


@pytest.mark.parametrize("block", ["residual", "attention", "full"])
def test_the_splitting_keeps_v_positive_at_any_size(block):
    rng = np.random.default_rng(1)
    setup = Setup(m=3, n=1, depth=1, gamma=0.9, tau0=0.5, block=block)
    p, work, scratch = parameters(setup), np.empty((WORK, 3, 3, LANES)), np.empty(LANES)
    dt = np.full(LANES, 0.05)
    V = lanes(GOLDEN)
    for _ in range(30):
        splitting_step(V, dt, rng.normal(size=(normals_needed(3, p), LANES)), p, setup.allowed * 1.0, work, scratch)
        values = np.linalg.eigvalsh(V.transpose(2, 0, 1))
        assert (values[:, 0] >= -1e-13 * values[:, -1]).all()
        V /= np.maximum(1, np.linalg.norm(V, axis=(0, 1)))


def test_collapsed_tokens_stay_collapsed():
    setup = Setup(m=3, n=100, depth=50, gamma=0.8, tau0=0.7, V0=np.full((3, 3), 1.3))
    for scheme in ("splitting", "euler"):
        after = after_a_step(setup, scheme)
        assert np.abs(after - after[:, :1, :1]).max() < 1e-9
