"""The blocks as coefficients in t, against interpolation of the Gram form that shares no code with them."""

import numpy as np
import pytest

from seprank import Architecture, Partition
from seprank.attention.gram import GramNetwork
from seprank.attention.gram_blocks import by_coefficients, gram_blocks, work_bytes
from seprank.attention.gram_exact import longest_exact, reduced
from seprank.attention.gram_float_kernels import balance_flat
from seprank.attention.weights import Weights, random_weights
from seprank.field.kernels import thread_limit
from seprank.separation.assignments import draw_assignments
from seprank.separation.interpolation import interpolation_matrix

PRIME = 4194301
SIZES = [
    (2, 1),
    (2, 2),
    (2, 3, 3),
    (2, 4, 2),
    (2, 6, 2),
    (2, 3, 2, 2),
    (2, 5, 1, 2),
    (2, 2, 1, 5),
    (3, 1),
    (3, 2),
    (3, 2, 2),
    (3, 3, 1, 2),
    (3, 3, 2, 3),
    (3, 4),
    (3, 4, 4),
    (3, 5),
]


def case(sizes, prime=PRIME, count=(5, 7), weights=None):
    arch = Architecture(*sizes)
    network = GramNetwork(weights or random_weights(arch, prime, 3), prime, entry=arch.dx - 1)
    return network, *draw_assignments(Partition(2, 3), arch.dx, prime, 3, count)


def interpolated(network, A, B):
    """All blocks, in Python integers."""
    prime, C = network.prime, network.weights.architecture.C
    nodes = list(range(C + 1))
    values = network.evaluate_nodes(network.side_A(A), network.side_B(B), nodes).astype(object)
    return [sum(c * v for c, v in zip(row, values, strict=True)) % prime for row in interpolation_matrix(nodes, prime)]


def filled(network, A, B, shapes):
    targets = {k: np.full(shape, np.nan) for k, shape in shapes.items()}
    gram_blocks(network, A, B).fill(targets)
    return targets


@pytest.mark.parametrize("prime", [29, 1021, PRIME])
@pytest.mark.parametrize("sizes", SIZES)
def test_coefficients_are_what_interpolation_gives(sizes, prime):
    network, A, B = case(sizes, prime)
    expected = interpolated(network, A, B)
    found = filled(network, A, B, dict.fromkeys(range(len(expected)), (5, 7)))
    for k, block in enumerate(expected):
        assert (found[k] % prime).tolist() == block.tolist()
        assert np.abs(found[k]).max() <= prime // 2


@pytest.mark.parametrize("sizes", [(2, 3), (3, 2)])
def test_every_block_may_be_asked_for_alone(sizes):
    network, A, B = case(sizes)
    for k, block in enumerate(interpolated(network, A, B)):
        alone = filled(network, A, B, {k: (5, 7)})
        assert list(alone) == [k]
        assert (alone[k] % PRIME).tolist() == block.tolist()


@pytest.mark.parametrize("sizes", [(2, 4, 2), (3, 4)])
def test_shapes_tiles_and_threads_change_nothing(sizes):
    network, A, B = case(sizes, count=(75, 300))
    middle = network.weights.architecture.C // 2
    whole = filled(network, A, B, {middle: (75, 300), middle + 1: (75, 300)})
    parts = filled(network, A, B, {middle: (75, 65), middle + 1: (33, 300)})
    with thread_limit(1):
        once = filled(network, A, B, {middle: (75, 300)})
    assert np.array_equal(parts[middle], whole[middle][:, :65])
    assert np.array_equal(parts[middle + 1], whole[middle + 1][:33])
    assert np.array_equal(once[middle], whole[middle])


def test_targets_may_be_short_integers_and_progress_counts_their_entries():
    network, A, B = case((2, 3), count=(40, 50))
    targets, seen = {2: np.zeros((40, 50)), 1: np.zeros((9, 20), np.int32)}, []
    blocks = gram_blocks(network, A, B)
    blocks.fill(targets, seen.append)
    assert sum(seen) == blocks.entries({1: (9, 20), 2: (40, 50)}) == 2180
    assert np.array_equal(targets[1], filled(network, A, B, {1: (9, 20)})[1])


@pytest.mark.parametrize("sizes", [(2, 8, 1), (2, 8, 8), (3, 4, 2), (3, 4)])
def test_the_largest_residues_do_not_overflow(sizes):
    half = PRIME // 2
    arch = Architecture(*sizes)
    extreme = Weights(arch, *(np.full_like(array, half) for array in random_weights(arch, PRIME, 0)))
    network, A, B = case(sizes, count=(2, 3), weights=extreme)
    A, B = np.full_like(A, half + 1), np.full_like(B, half)
    expected = interpolated(network, A, B)
    found = filled(network, A, B, dict.fromkeys(range(len(expected)), (2, 3)))
    assert all((found[k] % PRIME).tolist() == block.tolist() for k, block in enumerate(expected))


def test_the_longest_sum_is_exact_and_a_longer_one_would_not_be():
    for prime in (5, 1021, PRIME, 2**26 - 5):
        largest, most = prime // 2 + 2, longest_exact(prime)
        assert most * largest**2 <= 2**53 - 2 * prime < (most + 1) * largest**2
        ends = [most * largest**2, most * largest**2 - 1, -most * largest**2, 0, prime * (2**53 // prime - 2)]
        near = reduced(np.array(ends, np.float64), prime)
        assert [int(x) % prime for x in near] == [x % prime for x in ends]
        assert np.abs(near).max() <= largest
        balance_flat(near, float(prime))
        assert np.abs(near).max() <= prime // 2
        assert [int(x) % prime for x in near] == [x % prime for x in ends]


def test_where_only_interpolation_gives_blocks():
    for arch in [
        Architecture(1, 4),
        Architecture(4, 2),
        Architecture(2, 4, residual=True),
        Architecture(3, 9),
        Architecture(2, 400),
    ]:
        assert not by_coefficients(arch, PRIME)
        assert work_bytes(arch, 2) == 0
    assert not by_coefficients(Architecture(2, 4), 2**31 - 1)
    assert gram_blocks(*case((2, 4), 2**31 - 1)) is None
    assert work_bytes(Architecture(2, 4), 2) > work_bytes(Architecture(2, 4), 1) > 0
