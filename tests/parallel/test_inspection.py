"""Where attention looks: on made-up weights, on constructions whose targets are known, on a trained model."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.parallel.attention_maps import attention_maps, construction_maps, furthest, trained_maps
from seprank.parallel.constructions import hop_construction
from seprank.parallel.hop import find
from seprank.parallel.inspection import inspect_run, inspect_weights, target_positions, trained_weights
from seprank.parallel.strings import string_without_repeats, uniform_string


@pytest.fixture
def X():
    return np.stack([string_without_repeats(40, 4, seed) for seed in range(5)])


def hard(targets, before=0):
    """Weights that put everything on the target, or on the first token where there is none."""
    rows, N = targets.shape
    A = np.zeros((rows, N + before, N + before))
    places = np.where(targets > 0, targets - 1 + before, 0)
    np.put_along_axis(A[:, before:], places[..., None], 1.0, axis=2)
    return A


def test_targets_are_those_of_the_definition():
    X = np.stack([uniform_string(30, 3, seed) for seed in range(4)])
    found = target_positions(X, 5)
    for row, word in enumerate(X):
        for j in range(1, 6):
            assert np.array_equal(found[f"find^{j}"][row], find(word, j))
        assert found["previous"][row].tolist() == list(range(30))
        assert found["self"][row].tolist() == list(range(1, 31))


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("name", ["previous", "self", "find^1", "find^2", "find^4"])
def test_a_head_with_one_target(X, name, before):
    A = hard(target_positions(X, 5)[name], before)
    (look,) = inspect_weights([[A]], X, 5)
    assert (look.layer, look.head, look.looks_at, look.share) == (1, 1, name, 1.0)
    assert all(share < 0.6 for other, share in look.shares.items() if other != name)
    assert look.cosines[name] > 0.9


def test_shifted_indices_are_noticed(X):
    """Without the task token taken off, the targets are one place wrong."""
    A = hard(target_positions(X, 3)["find^2"], before=1)
    (wrong,) = inspect_weights([[A[:, :-1, :-1]]], X, 3)
    assert wrong.shares["find^2"] < 0.3


def test_equal_weights_are_spread(X):
    A = np.tril(np.ones((40, 40)))
    A = np.broadcast_to(A / A.sum(1, keepdims=True), (5, 40, 40))
    (look,) = inspect_weights([[A]], X, 2)
    assert look.looks_at == "spread"
    assert look.shares["previous"] == pytest.approx(look.uniform)
    assert look.uniform == pytest.approx(np.mean([1 / i for i in range(9, 41)]))


@pytest.mark.parametrize(
    ("name", "k", "targets"),
    [
        ("C1", 8, ["previous", "find^1", "find^1", "find^2", "find^4"]),
        ("C1", 7, ["previous", "find^1", "find^1", "find^2", "find^3"]),
        ("C2", 4, ["spread", "find^1", "find^1", "find^2"]),
        ("C2", 7, ["spread", "find^1", "find^2", "find^4"]),
        ("C3", 7, ["previous", "find^1", "find^2", "find^4"]),
        ("C3", 5, ["previous", "find^1", "find^1", "find^3"]),
    ],
)
def test_the_doubling_of_constructions(X, name, k, targets):
    """C1 follows pointers, so that it looks at half of k; C2 and C3 search one hop further from a stored position."""
    for word in X[:2]:
        best = furthest(construction_maps(hop_construction(name, k, 40, 4), word))
        assert [each.look.looks_at for each in best] == targets
        assert all(each.look.share > 0.98 for each in best if each.look.looks_at != "spread")


def test_the_furthest_head_of_a_layer(X):
    """find^2 goes before find^1 and the previous token, whatever their shares; a spread head comes last."""
    targets = target_positions(X[:1], 3)
    even = np.tril(np.ones((1, 40, 40))) / np.arange(1, 41)[:, None]
    weights = [
        [hard(targets["find^1"]), 0.5 * hard(targets["find^2"]) + 0.5 * even, hard(targets["previous"])],
        [even, 0.6 * hard(targets["previous"]) + 0.4 * even],
    ]
    assert [each.look.looks_at for each in furthest(attention_maps(weights, X[0], 2))] == ["find^2", "previous"]


def test_maps_hold_the_weights_and_the_targets(X):
    maps = construction_maps(hop_construction("C3", 4, 40, 4), X[0])
    assert [(each.look.layer, each.look.head) for each in maps] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1)]
    assert all(each.weights.shape == (40, 40) for each in maps)
    assert np.array_equal(maps[-1].targets, find(X[0], 2))
    assert not maps[1].targets.any()
    there = np.flatnonzero(maps[-1].targets)
    assert (maps[-1].weights.argmax(1)[there] + 1 == maps[-1].targets[there]).all()


def test_targets_that_no_string_has_are_left_out():
    (look,) = inspect_weights([[np.eye(4)[None]]], [[0, 1, 2, 3]], 2)
    assert set(look.shares) == {"previous", "self"}


@pytest.mark.parametrize("shape", [(5, 39, 39), (4, 40, 40), (5, 41, 40)])
def test_weights_of_another_shape(X, shape):
    with pytest.raises(InvalidInput, match=r"weights must have shape \(5, tokens, tokens\)"):
        inspect_weights([[np.zeros(shape)]], X, 2)


def test_a_trained_model():
    pytest.importorskip("torch")
    from seprank.parallel.training import HopTraining
    from seprank.parallel.training_task import HopTask

    run = HopTraining.start(HopTask(k=2, N=20, depth=2, alphabet=3, dx=16, H=2))
    looks = inspect_run(run, 2, strings=4)
    assert [(look.layer, look.head) for look in looks] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    word = string_without_repeats(20, 3, 0)
    weights = trained_weights(run, word, 2)
    for layer in weights:
        for head in layer:
            np.testing.assert_allclose(head.sum(-1), 1, atol=1e-6)
            assert not np.triu(head[0], 1).any()
    for one, other in zip(trained_maps(run, word, 2), attention_maps(weights, word, 2), strict=True):
        assert np.array_equal(one.weights, other.weights)
    with pytest.raises(InvalidInput, match="X must be 20 symbols from 0 to 2 for this model"):
        trained_weights(run, [[0, 1, 2]], 2)
    with pytest.raises(InvalidInput, match="k must be a whole number from 0 to 2, got 3"):
        inspect_run(run, 3)
