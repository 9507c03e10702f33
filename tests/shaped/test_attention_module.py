"""Shaped attention and the shaped block as torch modules: initialisation, masks, schedules, bad input."""

import math
import os

import numpy as np
import pytest
import torch
from scipy.stats import ks_2samp

from seprank.errors import InvalidInput
from seprank.shaped import ShapedAttention, ShapedBlock, at_step, causal_mask
from seprank.shaped.block_module import ShapedReLU
from seprank.shaped.finite_start import first_tokens
from seprank.shaped.integrate import integrate
from seprank.shaped.setup import Setup
from seprank.shaped.toy_task import KINDS, ToyTask, train

WHOLE = bool(os.environ.get("SEPRANK_LONG"))
V0 = np.array([[1.0, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])


@pytest.fixture(autouse=True)
def seeded():
    """The same draws of weights in every test, and torch's generator as it was behind it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def tokens(n, V=V0):
    """Tokens with Gram matrix n V."""
    return torch.from_numpy(first_tokens(Setup(m=len(V), n=n, depth=1, gamma=0.5, tau0=1.0, V0=V)))


def test_logits_have_the_variance_of_the_theory():
    n, X = 192, tokens(192)
    module = ShapedAttention(n, head_dim=48, tau0=0.7).double()
    found = []
    for _ in range(800):
        module.reset_parameters()
        found.append(float(module.logits(X)[0, 0, 1].detach()))
    expected = 1.0 * 1.5 / (0.49 * n)  # V11 V22 / (tau0^2 n)
    assert np.var(found) == pytest.approx(expected, rel=0.2)  # 4 standard errors
    assert not 0.2 < np.var(found) / (expected / n) < 5  # a factor 1/n in the variance of the weights would be wrong


def test_values_have_the_variance_of_the_theory():
    X, module = tokens(96), ShapedAttention(96, out_projection=True).double()
    found = []
    for _ in range(300):
        module.reset_parameters()
        found.append(float(module(X).detach().square().mean(dim=-1)[0]))
    assert np.mean(found) == pytest.approx(1.0, rel=0.1)


def final_covariances(setup, blocks, networks):
    """The stopped V behind `setup.depth` layers of `blocks` (one module drawn anew for each), for some networks."""
    found = []
    with torch.no_grad():
        for _ in range(networks):
            X = torch.from_numpy(first_tokens(setup))
            for _ in range(setup.depth):
                blocks.reset_parameters()
                X = blocks(X)
                V = X @ X.T / setup.n
                if V.norm() >= setup.stopping_radius:
                    break
            found.append(V.numpy())
    return np.array(found)


@pytest.mark.long
def test_networks_of_blocks_have_the_law_of_the_limit():
    setup = Setup(
        m=3, n=24, depth=12, gamma=0.5, tau0=1.0, heads=2, V0=V0, radius=8.0, paths=20000, mask=causal_mask(3)
    )
    block = ShapedBlock(24, gamma=0.5, heads=2, causal=True, mode="fixed").double()
    found = final_covariances(setup, block, 2000 if WHOLE else 200)
    limit = integrate(setup, finite_width=True).covariances[:, -1]
    wrong = integrate(Setup(m=3, n=24, depth=3, gamma=0.5, tau0=1.0, V0=V0, radius=8.0, paths=20000)).covariances[:, -1]
    rows, columns = np.tril_indices(3)
    p = {name: [] for name in ("limit", "wrong")}
    for i, j in zip(rows, columns, strict=True):
        for name, other in (("limit", limit), ("wrong", wrong)):
            p[name].append(ks_2samp(found[:, i, j], other[:, i, j]).pvalue)
    assert min(p["limit"]) > 1e-4
    assert min(p["wrong"]) < 1e-4


def by_hand(module, X, allowed, gamma_1=1.0, gamma_2=1.0):
    """The branch of a module written out head by head and row by row."""
    X, m = X.numpy(), len(X)
    query, key, value = (p.detach().numpy() for p in (module.query, module.key, module.value))
    parts = []
    for h in range(module.heads):
        columns = slice(h * module.head_dim, (h + 1) * module.head_dim)
        Y = X @ query[:, columns] @ (X @ key[:, columns]).T / (module.tau0 * math.sqrt(module.head_dim))
        A = np.zeros((m, m))
        for i in range(m):
            weights = np.where(allowed[i], np.exp(Y[i]), 0.0)
            A[i] = weights / weights.sum() - gamma_2 * allowed[i] / allowed[i].sum()
            A[i, i] += gamma_1
        size = module.n // module.heads
        parts.append(A @ X @ value[:, h * size : (h + 1) * size])
    return np.concatenate(parts, axis=1)


@pytest.mark.parametrize("causal", [False, True])
def test_the_branch_is_that_of_the_formula(causal):
    module = ShapedAttention(8, heads=2, head_dim=3, tau0=0.5, causal=causal, gamma_1=0.5, gamma_2=0.75).double()
    X = tokens(8)
    mask = np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]], bool)
    allowed = mask & causal_mask(3) if causal else mask
    found = module(X, torch.from_numpy(mask)).detach().numpy()
    assert np.allclose(found, by_hand(module, X, allowed, 0.5, 0.75), rtol=1e-12)
    assert not np.allclose(found, by_hand(module, X, allowed, 0.75, 0.5), rtol=1e-3)
    batch = module(X.expand(4, 5, 3, 8), torch.from_numpy(mask).expand(5, 3, 3))
    assert np.allclose(batch[2, 3].detach().numpy(), found, rtol=1e-12)


def test_recovered_attention_is_plain_softmax():
    module = ShapedAttention(8, heads=2, mode="recover", steps=10).double()
    X = tokens(8)
    at_step(module, 4)
    assert [float(module.gamma_1()), float(module.gamma_2())] == pytest.approx([0.6, 0.6])
    assert np.allclose(module(X).detach().numpy(), by_hand(module, X, np.ones((3, 3), bool), 0.6, 0.6))
    at_step(module, 25)
    plain = module.probabilities(X) @ (X @ module.value).unflatten(-1, (2, 4)).transpose(0, 1)
    assert torch.allclose(module(X), plain.transpose(0, 1).flatten(1))
    assert not module.gamma_1.value.requires_grad


def test_learnt_weights_are_trained_and_fixed_ones_are_not():
    for mode, count in (("fixed", 0), ("learn", 2), ("recover", 0)):
        module = ShapedAttention(8, mode=mode)
        names = [name for name, _ in module.named_parameters() if "gamma" in name]
        assert len(names) == count
        module(torch.randn(3, 8)).square().sum().backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters())


def test_weights_travel_with_the_state():
    module, other = ShapedAttention(4, mode="recover", steps=4), ShapedAttention(4, mode="recover", steps=4)
    at_step(module, 1)
    other.load_state_dict(module.state_dict())
    X = torch.randn(3, 4)
    assert float(other.gamma_1()) == 0.75
    assert torch.equal(module(X), other(X))


def test_the_activation_recovers_relu_and_keeps_second_moments():
    G, relu = torch.randn(200000, dtype=torch.float64), ShapedReLU(16, c_minus=-2.0, mode="recover", steps=2).double()
    for step in (0, 1, 2):
        at_step(relu, step)
        assert float(relu(G).square().mean()) == pytest.approx(1.0, abs=0.02)
    assert torch.allclose(relu(G), math.sqrt(2.0) * G.relu())


def test_skip_weights_are_trained_unless_told_otherwise():
    trained = {name for name, _ in ShapedBlock(8).named_parameters() if _.requires_grad}
    kept = {name for name, _ in ShapedBlock(8, train_skips=False).named_parameters() if _.requires_grad}
    assert trained - kept == {"skips"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 10, "heads": 3}, "heads must divide n, got heads=3, n=10"),
        ({"n": 0}, "n must be a whole number at least 1, got 0"),
        ({"n": 8, "tau0": 0}, "tau0 must be a positive number, got 0"),
        ({"n": 8, "mode": "forget"}, "mode must be one of fixed, learn, recover, got 'forget'"),
        ({"n": 8, "gamma_1": math.nan}, "gamma_1 must be a number, got nan"),
    ],
)
def test_bad_sizes_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        ShapedAttention(**arguments)


def test_bad_tokens_and_masks_are_refused():
    module = ShapedAttention(8)
    with pytest.raises(InvalidInput, match=r"^X must have shape \(..., m, 8\), got \(3, 7\)$"):
        module(torch.ones(3, 7))
    with pytest.raises(InvalidInput, match=r"^mask must be Boolean of shape \(..., 3, 3\), got torch.bool \(2, 3\)$"):
        module(torch.ones(3, 8), torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(InvalidInput, match=r"^mask must be Boolean"):
        module(torch.ones(3, 8), torch.ones(3, 3))
    empty = torch.tensor([[True, True, True], [False, False, False], [True, True, True]])
    with pytest.raises(InvalidInput, match=r"^mask must allow at least one token in every row, got an empty row 2$"):
        module(torch.ones(3, 8), empty)
    with pytest.raises(InvalidInput, match=r"^gamma must be a positive number at most 1, got 1.5$"):
        ShapedBlock(8, gamma=1.5)


@pytest.mark.long
def test_shaped_blocks_learn_a_toy_task_beside_pre_layer_norm():
    task = ToyTask() if WHOLE else ToyTask(depth=2, n=24, length=4, steps=150, batch=32, rate=5e-3)
    for kind in KINDS:
        result = train(task, kind)
        assert result.losses[0] > 2.0, kind  # log 10 for guessing
        assert result.losses[-1] < 0.2, kind
        assert result.accuracy > 0.95, kind
    assert train(ToyTask(depth=1, steps=3), "learn", 1) == train(ToyTask(depth=1, steps=3), "learn", 1)
    with pytest.raises(InvalidInput, match=r"^kind must be one of recover, learn, fixed, pre-ln, got 'post-ln'$"):
        train(task, "post-ln")
    with pytest.raises(InvalidInput, match=r"^the loss leaves the range of floats at step \d+"):
        train(ToyTask(depth=2, steps=40, batch=4, rate=1e160), "learn")
