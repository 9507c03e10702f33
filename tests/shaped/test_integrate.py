"""Paths: laws against densities and a generic scheme, weak order, stopping, and the same path on any machine."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.shaped import integrate as module
from seprank.shaped.integrate import integrate, step_grid
from seprank.shaped.quantiles import entries
from seprank.shaped.setup import Setup, causal_mask
from seprank.shaped.two_tokens import correlation_law, distance_law

GOLDEN = np.array([[1, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
HALF = math.sqrt(0.5)


def residual(n, paths, **changes):
    return Setup(m=2, n=n, depth=n, gamma=HALF, tau0=1.0, block="residual", paths=paths, **changes)


def gaps_to_the_density(law):
    """F_N - F at the sorted correlations of the last time."""
    rho = np.clip(entries(law.covariances[:, -1])["rho12"], -1 + 1e-15, 1 - 1e-15)
    u = np.arctanh(np.sort(rho))
    return (np.arange(len(u)) + 0.5) / len(u) - correlation_law(0.2, HALF, [1.0])[0].cdf(u)


def two_sample(a, b):
    both = np.sort(np.concatenate([a, b]))
    ranks = [np.searchsorted(np.sort(x), both, side="right") / len(x) for x in (a, b)]
    return float(np.abs(ranks[0] - ranks[1]).max())


@pytest.mark.parametrize("scheme", ["splitting", "euler"])
def test_residual_law_is_that_of_the_density(scheme):
    law = integrate(residual(400, 20000), scheme)
    assert np.abs(gaps_to_the_density(law)).max() < 0.018  # five-sigma bound of the statistic is 0.0155, plus bias
    assert law.clip_rate < 0.001


def test_wrong_diffusion_is_far_from_the_density():
    law = integrate(residual(400, 20000, mlp_ratio=1e9))
    assert np.abs(gaps_to_the_density(law)).max() > 0.03


def test_weak_order_of_the_splitting_is_one():
    errors = []
    for n in (8, 16, 32):
        gaps = gaps_to_the_density(integrate(residual(n, 200_000), substeps=1, layers=(n,)))
        errors.append(np.abs(gaps).max())
    slopes = np.diff(-np.log2(errors))
    assert errors[0] > 0.03
    assert slopes == pytest.approx([1.0, 1.0], abs=0.3)


def test_one_token_is_geometric_brownian_motion():
    for block, s in (("residual", 2 * 0.36), ("attention", 0.36 * (2 - 0.36))):
        law = integrate(Setup(m=1, n=200, depth=200, gamma=0.6, tau0=1.0, block=block, paths=20000, V0=[[2.0]]))
        logs = np.log(law.covariances[:, -1, 0, 0] / 2)
        assert abs(logs.mean() + s) < 5 * math.sqrt(2 * s / 20000) + 0.005
        assert abs(logs.var() / (2 * s) - 1) < 5 * math.sqrt(2 / 20000) + 0.01


def generic_paths(paths, steps, dt, radius, second_moment_weight=1.0, seed=3):
    """Attention at gamma = 0.6, tau0 = 0.3 by Euler-Maruyama with the Cholesky root of the full diffusion matrix."""
    g2, tau2, m = 0.36, 0.09, 3
    rng, V = np.random.default_rng(seed), np.repeat(GOLDEN[None], paths, axis=0)
    pairs = np.triu_indices(m)
    H = np.eye(m) - 1 / m
    for _ in range(steps):
        alive = np.linalg.norm(V, axis=(1, 2)) < radius
        W = V[alive]
        C = H @ W @ H
        spread = np.diagonal(C, axis1=1, axis2=2) - np.trace(C, axis1=1, axis2=2)[:, None] / m
        S2 = np.diagonal(W, axis1=1, axis2=2)[:, :, None] * spread[:, None, :]
        b = np.einsum("pkl,pab,pkl->pab", W, W, C) / m**2
        half = np.einsum("pak,pkb->pab", S2, W) / (2 * m)
        b = g2 / tau2 * (b + half + half.transpose(0, 2, 1))
        M = W @ C @ W / m**2
        one = np.einsum("pad,pbw->pabdw", W, M)
        A = one + one.transpose(0, 1, 2, 4, 3) + one.transpose(0, 2, 1, 3, 4) + one.transpose(0, 2, 1, 4, 3)
        lin = np.einsum("pad,pbw->pabdw", W, W) + np.einsum("paw,pbd->pabdw", W, W)
        Sigma = g2 * (2 - g2) * lin + second_moment_weight * g2**2 / tau2 * A
        root = np.linalg.cholesky(Sigma[:, pairs[0], pairs[1]][:, :, pairs[0], pairs[1]] + 1e-12 * np.eye(6))
        noise = np.einsum("pij,pj->pi", root, rng.normal(size=(len(W), 6)))
        W[:, pairs[0], pairs[1]] += b[:, pairs[0], pairs[1]] * dt + math.sqrt(dt) * noise
        W[:, pairs[1], pairs[0]] = W[:, pairs[0], pairs[1]]
        values, vectors = np.linalg.eigh(W)
        V[alive] = np.einsum("pij,pj,pkj->pik", vectors, np.maximum(values, 1e-9), vectors)
    return V


def test_attention_law_is_that_of_a_generic_scheme():
    paths, steps = 5000, 50
    base = {"m": 3, "gamma": 0.6, "tau0": 0.3, "block": "attention", "V0": GOLDEN, "radius": 6.0, "paths": paths}
    law = integrate(Setup(n=200, depth=steps, **base), substeps=1, layers=(steps,))
    assert 0.1 < law.stopped_fraction < 0.4
    found = entries(law.covariances[:, 0])
    distances = {}
    for weight in (1.0, 0.0):
        other = entries(generic_paths(paths, steps, 1 / 200, 6.0, weight))
        distances[weight] = max(two_sample(found[name], other[name]) for name in found)
    assert distances[1.0] < 0.045  # 0.0272 is the 95 % critical value of one entry
    assert distances[0.0] > 0.070


def test_attention_law_is_that_of_the_density():
    setup = Setup(m=2, n=400, depth=200, gamma=0.5, tau0=1.0, block="attention", radius=1e4, paths=20000)
    V = integrate(setup, layers=(200,)).covariances[:, 0]
    D = np.sort(V[:, 0, 0] + V[:, 1, 1] - 2 * V[:, 0, 1])
    density = distance_law(1.6, 0.5, 1.0, 1e4, [0.5], cells=4000, steps=800)[0]
    gaps = (np.arange(len(D)) + 0.5) / len(D) - density.cdf(np.log(D))
    assert np.abs(gaps).max() < 0.018


def test_the_fast_scheme_and_euler_agree_with_mask_and_heads():
    setup = Setup(m=3, n=400, depth=200, gamma=0.6, tau0=0.8, V0=GOLDEN, radius=10.0, paths=8000, mask=causal_mask(3))
    found = [entries(integrate(setup, scheme, layers=(200,)).covariances[:, 0]) for scheme in ("splitting", "euler")]
    assert max(two_sample(found[0][name], found[1][name]) for name in found[0]) < 0.033
    prefix = Setup(m=2, n=400, depth=200, gamma=0.6, tau0=0.8, V0=GOLDEN[:2, :2], radius=1e6, paths=8000)
    whole = Setup(m=3, n=400, depth=200, gamma=0.6, tau0=0.8, V0=GOLDEN, radius=1e6, paths=8000, mask=causal_mask(3))
    rho = [
        entries(integrate(setup, layers=(200,)).covariances[:, 0])["rho12"]
        for setup in (whole, Setup(**{**vars(prefix), "mask": causal_mask(2), "seed": 1}))
    ]
    assert two_sample(*rho) < 0.033


def test_stopped_paths_stay_and_continuous_exits_are_more():
    setup = Setup(m=2, n=25, depth=25, gamma=0.6, tau0=0.8, block="attention", radius=3.0, paths=4000)
    seen = integrate(setup)
    stopped = seen.covariances[seen.stopped]
    norms = np.linalg.norm(stopped, axis=(2, 3))
    first = (norms >= 3.0).argmax(axis=1)
    assert (norms.max(axis=1) >= 3.0).all()
    assert all(np.array_equal(path[k], path[-1]) for path, k in zip(stopped, first, strict=True))
    assert np.linalg.norm(seen.covariances[~seen.stopped], axis=(2, 3)).max() < 3.0
    fine = integrate(setup, substeps=60).stopped_fraction
    every = integrate(setup, monitoring="continuous")
    assert np.linalg.norm(every.covariances[every.stopped][:, -1], axis=(1, 2)) == pytest.approx(3.0, rel=1e-12)
    assert every.stopped_fraction > max(seen.stopped_fraction, fine) + 0.02


def test_explosions_within_a_layer_leave_finite_numbers():
    setup = Setup(m=2, n=20, depth=20, gamma=0.5, tau0=0.2, block="attention", paths=4000)
    for scheme in ("splitting", "euler"):
        law = integrate(setup, scheme)
        norms = np.linalg.norm(law.covariances[law.stopped][:, -1], axis=(1, 2))
        assert law.stopped_fraction > 0.2
        assert np.isfinite(law.covariances).all()
        assert norms.min() > setup.stopping_radius * (1 - 1e-12)
        assert norms.max() < 100 * setup.stopping_radius


def test_the_bridge_corrects_coarse_steps():
    base = {"m": 2, "gamma": 0.6, "tau0": 0.8, "block": "attention", "radius": 3.0, "paths": 16000}
    coarse = integrate(Setup(n=50, depth=50, **base), monitoring="continuous", substeps=2).stopped_fraction
    finest = integrate(Setup(n=800, depth=800, **base, seed=1), layers=(800,)).stopped_fraction
    plain = integrate(Setup(n=50, depth=50, **base), substeps=2).stopped_fraction
    assert abs(coarse - finest) < 0.02
    assert finest - plain > 0.03


def test_a_path_depends_on_seed_and_index_alone():
    base = {"m": 3, "n": 50, "depth": 20, "gamma": 0.6, "tau0": 0.8, "seed": 2**63 + 5}
    one, two = (integrate(Setup(**base, paths=200), threads=threads).covariances for threads in (1, 3))
    assert np.array_equal(one, two)
    assert np.array_equal(integrate(Setup(**base, paths=70)).covariances, one[:70])
    other = integrate(Setup(**{**base, "seed": 6}, paths=70)).covariances
    assert not np.allclose(other[:, -1], one[:70, -1])


def test_finite_width_drift():
    setup = Setup(m=2, n=4, depth=4, gamma=HALF, tau0=1.0, block="residual", c_minus=-1.0, paths=2000)
    plain, wide = (integrate(setup, finite_width=flag).covariances[:, -1, 0, 1] for flag in (False, True))
    assert (wide > plain).mean() > 0.9  # c_4 = 1.6, and the same normals


def test_steps():
    assert step_grid(Setup(m=2, n=300, depth=150, gamma=0.5, tau0=1.0)).substeps == 2
    assert step_grid(Setup(m=2, n=400, depth=150, gamma=0.5, tau0=1.0)).substeps == 1
    assert step_grid(Setup(m=2, n=300, depth=5, gamma=0.5, tau0=1.0)).layers == (0, 1, 2, 3, 4, 5)
    wide = step_grid(Setup(m=64, n=10, depth=5, gamma=1.0, tau0=1.0))
    assert wide.dt * 3 * 63.5 <= 0.25


def test_what_cannot_be_done_is_refused():
    setup = Setup(m=2, n=10, depth=5, gamma=1.0, tau0=1.0)
    for arguments, line in (
        ({"scheme": "milstein"}, "scheme must be one of splitting, euler, got 'milstein'"),
        ({"monitoring": "never"}, "monitoring must be one of layers, continuous"),
        ({"layers": (6,)}, "layers must be a whole number from 0 to 5, got 6"),
        ({"substeps": 0}, "substeps must be a whole number at least 1"),
    ):
        with pytest.raises(InvalidInput, match=line):
            integrate(setup, **arguments)
    with pytest.raises(InvalidInput, match="substeps must be at least 5 for these sizes, got 1"):
        integrate(Setup(m=2, n=1, depth=5, gamma=1.0, tau0=1.0), substeps=1)
    with pytest.raises(InvalidInput, match="monitoring must be layers without a radius"):
        integrate(residual(10, 10), monitoring="continuous")


def test_too_much_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr(module, "memory_available", lambda: None)
    with pytest.raises(TooLarge, match="hours, above the limit of four"):
        integrate(Setup(m=64, n=1000, depth=100_000, gamma=0.5, tau0=1.0))
    monkeypatch.setattr(module, "memory_available", lambda: 10**6)
    with pytest.raises(TooLarge, match="GiB, above half of what is free"):
        integrate(Setup(m=4, n=100, depth=100, gamma=0.5, tau0=1.0))
