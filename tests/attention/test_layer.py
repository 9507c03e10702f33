import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_float, forward_integers, forward_mod
from seprank.attention.weights import Weights, random_weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues

PRIMES = [7, 509, 4194301, 2147483629, 2147483647]
SIZES = [
    Architecture(1, 3, 3),
    Architecture(2, 4, 2, residual=True),
    Architecture(3, 3, 2, da=2),
    Architecture(4, 2, 1, da=3, residual=True),
    Architecture(4, 2, 2),
]


def small_integers(architecture, seed):
    """Weights and three tokens with entries from -2 to 2."""
    drawn = random_weights(architecture, 5, seed)
    weights = Weights(architecture, *(array - 2 for array in drawn))
    return weights, residues(seed, "tokens", (3, architecture.dx), 5) - 2


def test_a_layer_worked_out_by_hand():
    weights = Weights.from_arrays([[[[1, 0]]]], [[[[0, 1]]]], [[[[1, 1]]]], [[[[1], [2]]]])
    tokens = [[1, 2], [3, 4]]
    # sum_j <W^K x^j> <W^V x^j> = 2 * 3 + 4 * 7 = 34, times W^Q x^i = 1 or 3, times W^O = (1, 2)
    by_hand = [[34, 68], [102, 204]]
    assert forward_integers(weights, tokens).tolist() == by_hand
    assert forward_float(weights, tokens).tolist() == by_hand
    assert forward_mod(weights, tokens, 509).tolist() == by_hand


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("architecture", SIZES)
def test_the_modular_road_is_the_integer_road_reduced(architecture, prime):
    weights = random_weights(architecture, prime, seed=3)
    tokens = residues(4, "tokens", (3, architecture.dx), prime)
    expected = forward_integers(weights, tokens) % prime
    assert forward_mod(weights, tokens, prime).tolist() == expected.tolist()


def test_the_largest_residues_do_not_overflow():
    prime = 2147483647
    full = [np.full((2, 1, 5, 5), prime - 1)] * 4
    tokens = np.full((4, 5), prime - 1)
    weights = Weights.from_arrays(*full)
    expected = forward_integers(weights, tokens) % prime
    assert forward_mod(weights, tokens, prime).tolist() == expected.tolist()


@pytest.mark.parametrize("architecture", SIZES)
def test_the_floating_road_agrees_on_small_integers(architecture):
    weights, tokens = small_integers(architecture, seed=1)
    exact = forward_integers(weights, tokens)
    np.testing.assert_allclose(forward_float(weights, tokens), exact.astype(float), rtol=1e-9)


@pytest.mark.parametrize("L", [1, 2, 3, 4])
def test_the_output_has_degree_three_to_the_depth(L):
    weights = random_weights(Architecture(L, 2, 2), 509, seed=1)
    tokens = residues(2, "tokens", (3, 2), 509)
    scaled = forward_integers(weights, 2 * tokens)
    assert (scaled == 2 ** (3**L) * forward_integers(weights, tokens)).all()
    assert forward_integers(weights, tokens).any()


def test_two_layers_are_one_layer_after_another_at_every_position():
    both = random_weights(Architecture(2, 4, 2, residual=True), 509, seed=2)
    tokens = residues(3, "tokens", (3, 4), 509)
    for layer in range(2):
        one = Weights.from_arrays(*(array[layer : layer + 1] for array in both), residual=True)
        tokens = forward_mod(one, tokens, 509)
    assert np.array_equal(tokens, forward_mod(both, residues(3, "tokens", (3, 4), 509), 509))


def test_a_residual_layer_adds_its_input():
    plain = random_weights(Architecture(1, 4, 2), 509, seed=2)
    residual = Weights(Architecture(1, 4, 2, residual=True), *plain)
    tokens = residues(3, "tokens", (3, 4), 509)
    assert (forward_integers(residual, tokens) == forward_integers(plain, tokens) + tokens).all()


def test_permuting_the_positions_permutes_the_output():
    weights = random_weights(Architecture(2, 3, 3), 509, seed=2)
    tokens, order = residues(3, "tokens", (4, 3), 509), [2, 0, 3, 1]
    assert np.array_equal(forward_mod(weights, tokens[order], 509), forward_mod(weights, tokens, 509)[order])


def test_a_batch_is_its_inputs_one_by_one():
    weights = random_weights(Architecture(2, 4, 2, residual=True), 2147483647, seed=2)
    batch = residues(3, "tokens", (2, 5, 3, 4), 2147483647)
    together = forward_mod(weights, batch, 2147483647)
    assert together.shape == batch.shape
    for index in np.ndindex(2, 5):
        assert np.array_equal(together[index], forward_mod(weights, batch[index], 2147483647))


def test_tokens_may_be_negative_or_of_any_size():
    weights = random_weights(Architecture(1, 2), 509, seed=2)
    tokens = np.array([[10**30, -1], [3, -(10**25)]], dtype=object)
    expected = forward_integers(weights, tokens) % 509
    assert forward_mod(weights, tokens, 509).tolist() == expected.tolist()


@pytest.mark.parametrize("road", [forward_float, forward_integers, lambda w, x: forward_mod(w, x, 509)])
@pytest.mark.parametrize("tokens", [[[1, 2, 3]], [1, 2], np.ones((0, 2), int)])
def test_tokens_of_another_shape_are_refused(road, tokens):
    weights = random_weights(Architecture(1, 2), 509, seed=2)
    with pytest.raises(InvalidInput, match=r"^tokens must have shape \(N, 2\) with N at least 1, got"):
        road(weights, tokens)


@pytest.mark.parametrize("road", [forward_integers, lambda w, x: forward_mod(w, x, 509)])
def test_the_exact_roads_refuse_floating_point_numbers(road):
    weights = random_weights(Architecture(1, 2), 509, seed=2)
    with pytest.raises(InvalidInput, match=r"^tokens must be whole numbers, got"):
        road(weights, [[1.0, 2.0]])
    with pytest.raises(InvalidInput, match=r"^weights must be whole numbers for exact arithmetic"):
        road(Weights(weights.architecture, *(array / 2 for array in weights)), [[1, 2]])


def test_a_composite_modulus_is_refused():
    with pytest.raises(InvalidInput, match=r"^prime must be a prime at most 2147483647, got 6$"):
        forward_mod(random_weights(Architecture(1, 2), 509, seed=2), [[1, 2]], 6)
