import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_mod
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.errors import InvalidInput
from seprank.separation.assignments import draw_assignments
from seprank.separation.network import network_function, network_values, side_tokens

PRIME = 4194301
A, B = draw_assignments(Partition(2, 1), dx=2, prime=PRIME, seed=0, count=(3, 4))


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("entry", [0, 1])
def test_the_network_is_the_output_at_the_first_position_of_side_a(residual, entry):
    weights = random_weights(Architecture(2, 2, residual=residual), PRIME, 1)
    network = network_function(weights, PRIME, entry)
    values = network(A, B)
    assert network.residual is residual
    for a, b in np.ndindex(3, 4):
        assert values[a, b] == forward_mod(weights, np.concatenate([A[a], B[b]]), PRIME)[0, entry]


def test_values_of_a_callable_are_read_modulo_the_prime():
    values = network_values(lambda A, B: np.full((3, 4), -1, np.int8), A, B, PRIME)
    assert values.dtype == np.int64
    assert (values == PRIME - 1).all()
    inside = network_values(lambda A, B: np.arange(12).reshape(3, 4), A, B, PRIME)
    assert inside.tolist() == np.arange(12).reshape(3, 4).tolist()
    outside = network_values(lambda A, B: np.full((3, 4), PRIME), A, B, PRIME)
    assert (outside == 0).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((4, 3), int), r"^network must return an array of shape \(3, 4\), got \(4, 3\)$"),
        (5, r"^network must return an array of shape \(3, 4\), got \(\)$"),
        (None, r"^network must return an array of shape \(3, 4\), got \(\)$"),
        (np.zeros((3, 4)), "^values of the network must be whole numbers, got dtype float64$"),
        (np.zeros((3, 4), bool), "^values of the network must be whole numbers, got dtype bool$"),
        (np.full((3, 4), None), "^values of the network must be whole numbers, got dtype object$"),
    ],
)
def test_what_a_callable_may_not_return(values, message):
    with pytest.raises(InvalidInput, match=message):
        network_values(lambda A, B: values, A, B, PRIME)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((A[0], B), r"^tokens_A must have shape \(R, N, dx\), all at least 1, got \(2, 2\)$"),
        ((A, B[:0]), r"^tokens_B must have shape \(R, N, dx\), all at least 1, got \(0, 1, 2\)$"),
        ((A, B[:, :, :1]), "^tokens_A and tokens_B must have the same dx, got 2 and 1$"),
        ((A, B / 2), "^tokens_B must be whole numbers, got dtype float64$"),
    ],
)
def test_tokens_that_do_not_fit_are_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        side_tokens(*given, PRIME)


def test_tokens_are_reduced():
    left, right = side_tokens([[[-1]]], [[[PRIME + 2]]], PRIME)
    assert (left.item(), right.item()) == (PRIME - 1, 2)
