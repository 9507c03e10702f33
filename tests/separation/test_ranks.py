"""Ranks of whole networks, by both methods."""

from math import comb

import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_ranks
from seprank.separation.full import full_rank
from seprank.separation.network import network_function

SMALL_PRIME, LARGE_PRIME = 4194301, 2147483629

SMALL = {
    (1, 2, 1, 1): 3,
    (1, 4, 2, 1): 5,
    (2, 2, 1, 1): 15,
    (2, 2, 1, 2): 18,
    (2, 2, 2, 3): 17,
    (2, 3, 1, 3): 49,
    (2, 3, 3, 3): 43,
    (2, 4, 1, 5): 110,
    (2, 4, 2, 5): 107,
    (2, 4, 4, 5): 85,
    (2, 6, 1, 6): 385,
    (2, 6, 2, 2): 379,
    (2, 6, 3, 2): 340,
    (2, 6, 6, 2): 231,
    (2, 8, 1, 8): 999,
    (3, 2, 1, 1): 105,
    (3, 2, 1, 3): 232,
    (3, 2, 2, 3): 215,
}
LARGE = {
    (3, 3, 1, 2): 2640,
    (3, 3, 1, 3): 3102,
    (3, 3, 3, 3): 2441,
    (4, 2, 1, 3): 4538,
    (4, 2, 2, 2): 4263,
}
UNBALANCED = {
    (2, 2, 1, 2): 16,
    (2, 2, 2, 1): 17,
    (2, 3, 1, 2): 39,
    (2, 3, 1, 3): 39,
    (2, 4, 1, 2): 80,
    (2, 4, 1, 4): 80,
    (3, 2, 2, 1): 137,
}


def sizes(architecture):
    """A little more than the largest rank that each block can have: the smaller of two numbers of monomials."""
    s, d, C = architecture.s, architecture.dx, architecture.C
    counts = [(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) for k in range(C + 1)]
    return [min(pair) + 3 for pair in counts]


def both_ranks(architecture, sides, prime, full_too=True):
    network = network_function(random_weights(architecture, prime, 1), prime)
    counts = sizes(architecture)
    A, B = draw_assignments(Partition(*sides), architecture.dx, prime, 1, max(counts))
    by_blocks = sum(found.rank for found in block_ranks(network, A, B, counts, prime))
    if not full_too:
        return by_blocks
    A, B = draw_assignments(Partition(*sides), architecture.dx, prime, 1, sum(counts))
    return by_blocks, full_rank(network, A, B, prime).rank


@pytest.mark.parametrize("prime", [SMALL_PRIME, LARGE_PRIME])
@pytest.mark.parametrize(("case", "expected"), SMALL.items())
def test_small_networks(case, expected, prime):
    L, dx, H, N = case
    assert both_ranks(Architecture(L, dx, H), (N, N), prime) == (expected, expected)


@pytest.mark.parametrize("prime", [SMALL_PRIME, LARGE_PRIME])
@pytest.mark.parametrize(("case", "expected"), LARGE.items())
def test_large_networks_by_blocks(case, expected, prime):
    L, dx, H, N = case
    assert both_ranks(Architecture(L, dx, H), (N, N), prime, full_too=False) == expected


def test_a_large_network_by_both_methods():
    assert both_ranks(Architecture(3, 3, 3), (3, 3), SMALL_PRIME) == (2441, 2441)


@pytest.mark.parametrize(("case", "expected"), UNBALANCED.items())
def test_the_side_of_the_output_position_matters(case, expected):
    L, dx, NA, NB = case
    assert both_ranks(Architecture(L, dx), (NA, NB), SMALL_PRIME) == (expected, expected)


def test_more_positions_than_the_width_change_nothing():
    ranks = {both_ranks(Architecture(2, 2, 2), (N, N), SMALL_PRIME) for N in (2, 3, 7)}
    assert ranks == {(17, 17)}


def test_the_head_size_is_free():
    architecture = Architecture(2, 3, H=1, da=1)
    by_blocks, full = both_ranks(architecture, (3, 3), SMALL_PRIME)
    assert by_blocks == full < 49
    assert both_ranks(Architecture(2, 3, H=2, da=3), (3, 3), SMALL_PRIME) == (49, 49)


@pytest.mark.parametrize("entry", [0, 1])
def test_every_output_entry_has_the_same_rank(entry):
    network = network_function(random_weights(Architecture(2, 2), SMALL_PRIME, 1), SMALL_PRIME, entry)
    A, B = draw_assignments(Partition(2, 2), 2, SMALL_PRIME, 1, 25)
    assert full_rank(network, A, B, SMALL_PRIME).rank == 18
