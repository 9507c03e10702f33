"""Ranks of a user's own functions, by `separation_rank` on a callable."""

import numpy as np
import pytest

from seprank import Architecture, Partition, separation_rank
from seprank.attention.weights import random_weights
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation.network import network_function


def product_network(tokens_A, tokens_B):
    """x_1 times the cube of one linear form of G and another one, at p = 101: rank 4 times 2."""
    grams = [np.einsum("rni,rnj->rij", tokens % 101, tokens % 101) % 101 for tokens in (tokens_A, tokens_B)]
    first, second = (grams[0][:, None, i, j] + grams[1][None, :, i, j] for i, j in ((0, 0), (0, 1)))
    return tokens_A[:, 0, :1] * (first % 101) ** 3 % 101 * second % 101


def test_a_product_network_in_full_and_by_blocks():
    for kind in ({}, {"method": "blocks", "C": 4}):
        found = separation_rank(product_network, Partition(2, 2), dx=2, points=20, prime=101, **kind)
        assert found.rank == 8
        assert not found.sampled_out
    assert len(found.pieces) == 5


def test_the_built_in_network_is_one_such_function():
    arch = Architecture(2, 3, 3)
    network = network_function(random_weights(arch, DEFAULT_PRIME, 0), DEFAULT_PRIME)
    whole = separation_rank(arch, Partition(3, 3))
    found = separation_rank(network, Partition(3, 3), dx=3, points=35, C=arch.C)
    assert found.method == "blocks"
    assert (found.rank, [piece.rank for piece in found.pieces]) == (whole.rank, [piece.rank for piece in whole.pieces])
    assert separation_rank(network, dx=3, points=50).rank == whole.rank == 43


def test_too_few_points_are_said():
    found = separation_rank(product_network, Partition(2, 2), dx=2, points=5, prime=101)
    assert (found.rank, found.sampled_out) == (5, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "dx and points must be given for a function, got dx=None, points=None"),
        ({"dx": 2, "points": 3, "method": "grid"}, "method must be full or blocks for a function, got 'grid'"),
        ({"dx": 2, "points": 3, "method": "blocks"}, "C must be given for method blocks and only there"),
        ({"dx": 2, "points": 3, "C": 1, "method": "full"}, "C must be given for method blocks and only there"),
        ({"dx": 0, "points": 3}, "dx must be a whole number at least 1, got 0"),
        ({"dx": 2, "points": 3, "prime": 6}, "prime must be a prime at most 2147483647, got 6"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        separation_rank(product_network, Partition(1, 1), **arguments)


def test_bad_answers_and_sizes():
    with pytest.raises(InvalidInput, match=r"network must return an array of shape \(3, 3\), got \(3,\)"):
        separation_rank(lambda A, B: A[:, 0, 0], Partition(1, 1), dx=2, points=3)
    with pytest.raises(OutOfScope, match="blocks need a network of degree 3"):
        separation_rank(lambda A, B: A[:, 0, :1] + B[None, :, 0, 0], Partition(1, 1), dx=2, points=3, C=1)
    with pytest.raises(TooLarge, match=r"points = 10000000 needs about .* would fit"):
        separation_rank(product_network, Partition(1, 1), dx=2, points=10**7)
    with pytest.raises(InvalidInput, match="dx and C go with a function, not with an Architecture"):
        separation_rank(Architecture(1, 2), dx=2)
