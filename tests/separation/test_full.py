import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights, random_weights
from seprank.errors import InvalidInput, TooLarge
from seprank.field.elimination import rank
from seprank.separation.assignments import draw_assignments
from seprank.separation.full import full_matrix, full_rank
from seprank.separation.network import network_function

PRIME = 4194301


def cubed_inner_product(A, B):
    """Three factors ``<x, z>``, with a reduction after each so that int64 suffices."""
    inner = np.einsum("aik,bik->ab", A, B) % PRIME
    return inner * inner % PRIME * inner


def test_a_callable_of_a_user_is_measured():
    A, B = draw_assignments(Partition(1, 1), 3, PRIME, 1, count=20)
    assert full_rank(cubed_inner_product, A, B, PRIME).rank == 10  # cubics in three variables


def test_strips_do_not_change_the_matrix(monkeypatch):
    network = network_function(random_weights(Architecture(2, 2), PRIME, 1), PRIME)
    A, B = draw_assignments(Partition(2, 2), 2, PRIME, 1, count=(13, 7))
    whole, seen = full_matrix(network, A, B, PRIME), []
    monkeypatch.setattr("seprank.separation.full._STRIP", 30)
    strips = full_matrix(network, A, B, PRIME, progress=lambda *step: seen.append(step))
    assert np.array_equal(whole, strips)
    assert np.array_equal(whole, network(A, B))
    assert seen == [(28, 91), (56, 91), (84, 91), (91, 91)]


def test_the_pivots_name_a_minor_that_is_not_zero():
    network = network_function(random_weights(Architecture(2, 2), PRIME, 1), PRIME)
    A, B = draw_assignments(Partition(2, 2), 2, PRIME, 1, count=22)
    found = full_rank(network, A, B, PRIME)
    assert found.rank == len(set(found.rows)) == len(set(found.columns)) == 18
    assert rank(full_matrix(network, A, B, PRIME)[np.ix_(found.rows, found.columns)], PRIME) == 18


SPECIAL = {
    "random": lambda weights: weights,
    "zero first layer": lambda weights: changed(weights, 0, 0),
    "identity layers": lambda weights: identity(weights),
    "zero last layer": lambda weights: changed(weights, -1, 0),
}


def changed(weights, layer, query):
    arrays = [array.copy() for array in weights]
    arrays[0][layer] = query
    return Weights(weights.architecture, *arrays)


def identity(weights):
    eye = np.broadcast_to(np.eye(weights.architecture.dx, dtype=int), weights.query.shape)
    return Weights(weights.architecture, eye, eye, eye, eye)


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.parametrize("sides", [(1, 1), (1, 2), (2, 1), (2, 2)])
@pytest.mark.parametrize(("L", "dx"), [(1, 2), (2, 2), (2, 3), (3, 2)])
def test_skip_connections_never_lower_the_rank(L, dx, sides, special):
    ranks = []
    for residual in (False, True):
        drawn = random_weights(Architecture(L, dx, residual=residual), PRIME, 1)
        A, B = draw_assignments(Partition(*sides), dx, PRIME, 1, count=260 if L == 3 else 60)
        ranks.append(full_rank(network_function(SPECIAL[special](drawn), PRIME), A, B, PRIME).rank)
    assert ranks[0] <= ranks[1]
    if special == "random":
        assert ranks[0] == ranks[1] > 2
    if special == "zero last layer":
        assert ranks[0] == 0 < ranks[1]
    if special == "zero last layer" and L == 2:
        assert ranks[1] == dx + 1  # what is left of the residual network is its first layer


def test_a_matrix_beyond_the_memory_is_refused_with_its_size():
    A, B = draw_assignments(Partition(1, 1), 3, PRIME, 1, count=20)
    with pytest.raises(TooLarge, match=r"^the full matrix of shape \(20, 20\) needs 3200 bytes, above .* 3199"):
        full_matrix(cubed_inner_product, A, B, PRIME, memory=3199)
    assert full_matrix(cubed_inner_product, A, B, PRIME, memory=3200).shape == (20, 20)


def test_an_interrupt_gets_through():
    def stop(done, total):
        raise KeyboardInterrupt

    A, B = draw_assignments(Partition(1, 1), 3, PRIME, 1, count=5)
    with pytest.raises(KeyboardInterrupt):
        full_matrix(cubed_inner_product, A, B, PRIME, progress=stop)


def test_bad_arguments_are_refused():
    A, B = draw_assignments(Partition(1, 1), 3, PRIME, 1, count=5)
    with pytest.raises(InvalidInput, match=r"^prime must be a prime at most 2147483647, got 10$"):
        full_matrix(cubed_inner_product, A, B, 10)
    with pytest.raises(InvalidInput, match=r"^network must return an array of shape \(5, 5\), got \(5, 1, 3\)$"):
        full_rank(lambda A, B: A, A, B, PRIME)
    with pytest.raises(InvalidInput, match=r"^tokens_A must have shape"):
        full_rank(cubed_inner_product, A[0], B, PRIME)
