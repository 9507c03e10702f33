"""Gradients through full networks: against the recursion written out by hand, and through the depth."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput, TooLarge
from seprank.shaped.finite_start import first_tokens
from seprank.shaped.full_gradients import gradients, loss_direction
from seprank.shaped.full_network import path_draws
from seprank.shaped.full_variants import VARIANTS
from seprank.shaped.setup import Setup


def by_hand(setup, path):
    """The squared norms of dL/dX_l of shaped attention with one head, layer by layer from the end."""
    [draw] = path_draws(setup.seed, [path])
    n, nk, gamma, skip = setup.n, setup.head_dim, setup.gamma, math.sqrt(1 - setup.gamma**2)
    tau, X, kept = setup.tau0 * math.sqrt(n * nk), first_tokens(setup), []
    for _ in range(setup.depth):
        WQ, WK, WV = draw.standard_normal((n, nk)), draw.standard_normal((n, nk)), draw.standard_normal((n, n))
        Y = X @ WQ @ WK.T @ X.T / n / tau
        p = np.exp(Y) / np.exp(Y).sum(axis=1, keepdims=True)
        A = np.eye(setup.m) + p - 1 / setup.m
        kept.append((X, WQ, WK, WV, p, A))
        X = skip * X + gamma / math.sqrt(n) * A @ X @ WV
    delta = loss_direction(setup, path)
    squares = [(delta**2).sum()]
    for X, WQ, WK, WV, p, A in reversed(kept):
        dA = gamma / math.sqrt(n) * delta @ (X @ WV).T
        dY = p * (dA - (dA * p).sum(axis=1, keepdims=True)) / tau
        logits = (dY @ X @ WK @ WQ.T + dY.T @ X @ WQ @ WK.T) / n
        delta = skip * delta + gamma / math.sqrt(n) * A.T @ delta @ WV.T + logits
        squares.append((delta**2).sum())
    return np.array(squares[::-1]), delta


def test_gradients_are_those_of_the_recursion():
    setup = Setup(m=3, n=12, depth=6, gamma=0.7, tau0=0.3, block="attention", head_dim=5, paths=2)
    found = gradients(setup)
    for path in range(2):
        squares, first = by_hand(setup, path)
        assert np.allclose(found.squares[path], squares, rtol=1e-10)
        assert np.allclose(found.gradients[path], first, rtol=1e-8, atol=1e-12)


def test_shaped_gradients_keep_their_size_and_others_do_not():
    setup = Setup(m=4, n=50, depth=50, gamma=0.5, tau0=1.0, block="attention", paths=8)
    medians = {
        name: np.median(gradients(setup, VARIANTS[name]).squares, axis=0) for name in ("shaped", "plain", "pre-ln")
    }
    assert 0.6 < medians["shaped"].min()
    assert medians["shaped"].max() < 1.6
    assert medians["plain"][0] < 0.4
    assert medians["pre-ln"][0] > 5.0


def test_gradients_pass_the_shaped_relu():
    setup = Setup(m=2, n=20, depth=10, gamma=0.5, tau0=1.0, heads=2, paths=4)
    found = gradients(setup)
    assert found.gradients.shape == (4, 2, 20)
    assert np.allclose((found.gradients**2).sum(axis=(1, 2)), found.squares[:, 0])


def test_bad_sizes_are_refused():
    with pytest.raises(TooLarge, match="graph of one network would take"):
        gradients(Setup(m=2, n=2000, depth=1000, gamma=0.5, tau0=1.0, paths=1))
    with pytest.raises(InvalidInput, match=r"^tokens leave the range of floats at layer 10"):
        gradients(Setup(m=2, n=20, depth=2400, gamma=0.5, tau0=1.0, block="attention", paths=1), VARIANTS["plain-unit"])
