"""Networks in torch against the same layers written out in numpy and against the closed Jacobians."""

import numpy as np
import pytest
import torch

from seprank.errors import InvalidInput
from seprank.signal.jacobians import key_jacobian, query_jacobian, value_jacobian
from seprank.signal.layer import LayerWeights, attention_layer, softmax_rows
from seprank.signal.network import Network, drawn
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.network_threads import one_thread
from seprank.signal.tokens import GaussianTokens


def tokens(n, d, seed=5):
    return np.random.default_rng(seed).standard_normal((n, d))


def as_input(X):
    return torch.from_numpy(X)[None, None]


def normalised(X):
    centred = X - X.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True))


def by_hand(sizes, X, seed):
    """The forward pass in numpy, head by head."""
    for layer in range(sizes.L):
        W = {name: matrix[0].numpy() for name, matrix in drawn(sizes, [seed], layer).items()}
        entering = normalised(X) if sizes.norm == "pre" else X
        heads = []
        for head in range(sizes.H):
            q, v = slice(head * sizes.dk, (head + 1) * sizes.dk), slice(head * sizes.dv, (head + 1) * sizes.dv)
            M = sizes.tau * (entering @ W["query"][:, q]) @ (entering @ W["key"][:, q]).T / np.sqrt(sizes.dk)
            M = 0 * M if sizes.attention == "uniform" else M
            M = np.where(np.tri(len(X), dtype=bool), M, -np.inf) if sizes.causal else M
            heads.append(softmax_rows(M) @ entering @ W["value"][:, v])
        Z = X + sizes.alpha1 * np.concatenate(heads, axis=1)
        Z = normalised(Z) if sizes.norm == "post" else Z
        H = (normalised(Z) if sizes.norm == "pre" else Z) @ W["first"]
        H = np.maximum(H, 0) if sizes.activation == "relu" else H
        X = Z + sizes.alpha2 * H @ W["second"]
        X = normalised(X) if sizes.norm == "post" else X
    return X


KINDS = [
    {},
    {"norm": "post", "alpha1": "1/sqrt(L)", "alpha2": 0.3},
    {"norm": "pre", "activation": "linear", "dF": 5},
    {"H": 3, "norm": "post", "tau": 2.5},
    {"H": 2, "dk": 4, "causal": True},
    {"attention": "uniform", "norm": "pre"},
    {"attention": "uniform", "causal": True, "H": 6, "activation": "linear"},
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())) or "plain")
def test_the_forward_pass_is_that_of_numpy(kind):
    sizes = NetworkSizes(L=3, d=6, **kind)
    X = tokens(5, 6)
    with torch.no_grad():
        found = Network(sizes, [4])(as_input(X))[0, 0].numpy()
    np.testing.assert_allclose(found, by_hand(sizes, X, 4), rtol=1e-12, atol=1e-12)
    for other in KINDS:
        if other != kind:
            assert not np.allclose(found, by_hand(NetworkSizes(L=3, d=6, **other), X, 4), rtol=1e-3)


def gradients(sizes, X, G, seed=4):
    """Of <G, S> for the attention of the first block."""
    block = Network(sizes, [seed]).blocks[0]
    loss = (block.attend(as_input(X)) * torch.from_numpy(G)).sum()
    found = torch.autograd.grad(loss, (block.query, block.key, block.value))
    return [g[0].numpy() for g in found], LayerWeights(*(block.get_parameter(w)[0].detach().numpy() for w in NAMES))


NAMES = ("query", "key", "value")
JACOBIANS = (query_jacobian, key_jacobian, value_jacobian)


@pytest.mark.parametrize("tau", [1.0, 2.7])
def test_gradients_of_softmax_are_those_of_the_closed_jacobians(tau):
    X, G = tokens(5, 6), tokens(5, 6, 8)
    found, weights = gradients(NetworkSizes(L=1, d=6, dk=4, tau=tau), X, G)
    for gradient, jacobian in zip(found, JACOBIANS, strict=True):
        np.testing.assert_allclose(gradient, np.einsum("iv,ivak->ak", G, jacobian(X, weights, tau)), rtol=1e-10)


def test_query_gradients_keep_their_digits_near_collapse():
    X, G = np.ones((5, 1)) @ tokens(1, 6) + 1e-9 * tokens(5, 6, 7), tokens(5, 6, 8)
    found, weights = gradients(NetworkSizes(L=1, d=6), X, G)
    for gradient, jacobian in zip(found[:2], JACOBIANS, strict=False):
        wanted = np.einsum("iv,ivak->ak", G, jacobian(X, weights))
        np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-5 * abs(wanted).max())
        assert np.linalg.norm(wanted) < 1e-14 * np.linalg.norm(found[2])  # far below the rounding of plain products


def test_uniform_attention_has_the_derivative_of_softmax_at_zero_logits():
    X, G = tokens(5, 6), tokens(5, 6, 8)
    sizes = NetworkSizes(L=1, d=6, attention="uniform")
    found, weights = gradients(sizes, X, G)
    tiny = 1e-12
    for gradient, jacobian, scale in zip(found, JACOBIANS, (tiny, tiny, 1.0), strict=True):
        wanted = np.einsum("iv,ivak->ak", G, jacobian(X, weights, tiny)) / scale
        np.testing.assert_allclose(gradient, wanted, rtol=1e-8)
    S = Network(sizes, [4]).blocks[0].attend(as_input(X))[0, 0].detach().numpy()
    np.testing.assert_allclose(S, np.tile(X.mean(axis=0) @ weights.value, (5, 1)), rtol=1e-12)
    assert not np.allclose(S, attention_layer(X, weights), rtol=0.1)


def test_uniform_attention_sends_gradients_to_tokens_through_the_values_alone():
    X, G = as_input(tokens(5, 6)).requires_grad_(), tokens(5, 6, 8)
    block = Network(NetworkSizes(L=1, d=6, attention="uniform"), [4]).blocks[0]
    (found,) = torch.autograd.grad((block.attend(X) * torch.from_numpy(G)).sum(), X)
    wanted = np.tile(G.mean(axis=0) @ block.value[0].detach().numpy().T, (5, 1))
    np.testing.assert_allclose(found[0, 0].numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("attention", ["softmax", "uniform"])
def test_a_mask_hides_later_tokens(attention):
    network = Network(NetworkSizes(L=2, d=6, H=2, causal=True, attention=attention), [1])
    X, other = tokens(5, 6), tokens(5, 6)
    other[3:] = tokens(2, 6, 9)
    with torch.no_grad():
        first, second = network(as_input(X)), network(as_input(other))
    np.testing.assert_allclose(first[0, 0, :3], second[0, 0, :3], rtol=1e-12)
    assert not np.allclose(first[0, 0, 3:], second[0, 0, 3:])


def test_a_seed_does_not_depend_on_those_beside_it():
    sizes = NetworkSizes(L=2, d=8, norm="post")
    X = torch.from_numpy(GaussianTokens(4, 8).sample(3, count=6).reshape(3, 2, 4, 8))
    with torch.no_grad():
        together = Network(sizes, [7, 3, 11])(X)
        alone = Network(sizes, [3])(X[1:2])
    np.testing.assert_allclose(together[1:2], alone, rtol=1e-12)


def test_no_two_draws_are_the_same():
    sizes = NetworkSizes(L=2, d=8)
    matrices = [m for layer in (0, 1) for m in drawn(sizes, [0, 1, 2], layer).values()]
    draws = [(m / m.std())[seed, 0, 0].item() for m in matrices for seed in range(3)]
    draws += [GaussianTokens(4, 8).sample(seed)[0, 0, 0] for seed in range(3)]
    assert len({round(draw, 9) for draw in draws}) == len(draws)
    # numpy gives [5, 0] and 5 the same stream: weights of layer 0 must not be the tokens' numbers.
    raw = np.random.default_rng(5).standard_normal(64)
    assert abs(np.corrcoef(raw, drawn(sizes, [5], 0)["query"][0].flatten())[0, 1]) < 0.5


def test_variances_are_those_of_the_theory():
    sizes = NetworkSizes(L=1, d=96, H=2, dk=24, dF=192)
    wanted = {"query": 1 / 48, "key": 1 / 48, "value": 1 / 96, "first": 2 / 192, "second": 1 / 96}
    for name, matrices in drawn(sizes, [0, 1], 0).items():
        assert matrices.var().item() == pytest.approx(wanted[name], rel=6 * (2 / matrices.numel()) ** 0.5)
    assert sizes.layer.sigma_k2 == 1 / 48
    assert sizes.entries == 2 * 96 * 48 + 96**2 + 2 * 96 * 192


def test_trainable_scales_are_parameters_and_own_scales_are_used():
    trainable = Network(NetworkSizes(L=3, d=4, alpha1="1/sqrt(L)", trainable=True), [0, 1])
    assert [p.shape for name, p in trainable.named_parameters() if "alpha" in name] == [(2, 1, 1, 1)] * 6
    fixed = Network(NetworkSizes(L=3, d=4), [0, 0], scales=[1.0, 0.5])
    assert not [name for name, _ in fixed.named_parameters() if "alpha" in name]
    X = torch.from_numpy(tokens(3, 4))[None, None].expand(2, 1, 3, 4)
    with torch.no_grad():
        found = fixed(X)[:, 0]
    for scale, each in zip((1.0, 0.5), found, strict=True):
        sizes = NetworkSizes(L=3, d=4, alpha1=scale, alpha2=scale)
        np.testing.assert_allclose(each, by_hand(sizes, tokens(3, 4), 0), rtol=1e-12)


def test_the_temperature_warms_up():
    network = Network(NetworkSizes(L=1, d=4, tau=8.5, tau_steps=1000), [0])
    assert [network.temperature(step) for step in (0, 500, 1000, None)] == [1.0, 4.75, 8.5, 8.5]
    X = as_input(tokens(3, 4))
    with torch.no_grad():
        cold, warm = network(X, step=0), network(X)
    plain = by_hand(NetworkSizes(L=1, d=4), tokens(3, 4), 0)
    np.testing.assert_allclose(cold[0, 0], plain, rtol=1e-12)
    assert not np.allclose(warm, cold)


def test_threads_are_restored():
    before = torch.get_num_threads()
    with pytest.raises(InvalidInput), one_thread():
        Network(NetworkSizes(L=torch.get_num_threads() - 1, d=2), [0])
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dv": 4}, "dv must be d/H = 6/1 where a block adds its input, got 4"),
        ({"H": 4}, "H must divide d where dk is not given, got H=4 with d=6"),
        ({"alpha1": "half"}, "alpha1 must be a number from 0 to 1e6 or a rule such as '1/sqrt\\(L\\)', got 'half'"),
        ({"alpha2": -1.0}, "alpha2 must be a number"),
        ({"norm": "both"}, "norm must be one of none, post, pre, got 'both'"),
        ({"attention": "linear"}, "attention must be one of softmax, uniform, got 'linear'"),
        ({"activation": "gelu"}, "activation must be one of linear, relu, got 'gelu'"),
        ({"tau": 0.0}, "tau must be a positive number"),
        ({"dF": 0}, "dF must be a whole number from 1"),
        ({"d": 1, "norm": "pre"}, "d must be at least 2 with layer norm, got 1"),
    ],
)
def test_bad_sizes(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        NetworkSizes(**{"L": 2, "d": 6} | wrong)


def test_bad_seeds_and_scales():
    with pytest.raises(InvalidInput, match="seed must be a whole number at least 0, got -1"):
        Network(NetworkSizes(L=1, d=2), [-1])
    with pytest.raises(InvalidInput, match="scales must hold one number for each of 2 seeds, got 1"):
        Network(NetworkSizes(L=1, d=2), [0, 1], scales=[1.0])
