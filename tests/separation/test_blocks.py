import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.elimination import rank
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_matrices, block_ranks
from seprank.separation.full import full_matrix, full_rank
from seprank.separation.interpolation import interpolation_matrix
from seprank.separation.network import network_function

PRIME = 4194301


def case(L, dx, H=1, sides=(2, 2), count=20, prime=PRIME, residual=False):
    network = network_function(random_weights(Architecture(L, dx, H, residual=residual), prime, 1), prime)
    return network, *draw_assignments(Partition(*sides), dx, prime, 1, count)


def diagonal(A, B):
    """``x_0 G_00^2 G_01^2``: a network of degree 9 whose blocks have ranks 1, 2, 3, 2, 1."""
    entries = []
    for j in (0, 1):
        left = (A[:, :, 0] * A[:, :, j] % PRIME).sum(axis=1)
        right = (B[:, :, 0] * B[:, :, j] % PRIME).sum(axis=1)
        entries.append((left[:, None] + right[None, :]) % PRIME)
    product = entries[0] * entries[1] % PRIME
    return product * product % PRIME * A[:, 0, :1] % PRIME


@pytest.mark.parametrize("prime", [1009, PRIME, 2147483629, 2147483647])
@pytest.mark.parametrize(("L", "H"), [(1, 1), (2, 2), (3, 1)])
def test_the_blocks_add_up_to_the_network_at_every_scale(L, H, prime):
    network, A, B = case(L, 2, H, count=4, prime=prime)
    C = (3**L - 1) // 2
    blocks = dict(block_matrices(network, A, B, [4] * (C + 1), prime))
    assert list(blocks) == list(range(C + 1))
    for t in (1, 2, C + 5, prime - 1):
        total = sum(matrix.astype(object) * pow(t, 2 * k, prime) for k, matrix in blocks.items()) % prime
        assert total.tolist() == network(A, B * t % prime).tolist()


def test_the_block_ranks_of_a_known_network():
    network, A, B = case(2, 4, sides=(4, 4), count=60)
    found = block_ranks(network, A, B, [5, 14, 60, 44, 8], PRIME)
    assert [block.rank for block in found] == [1, 10, 55, 40, 4]
    assert sum(block.rank for block in found) == full_rank(*case(2, 4, sides=(4, 4), count=115), PRIME).rank


def test_interpolating_in_t_instead_of_its_square_gives_something_else():
    network, A, B = case(2, 4, sides=(4, 4), count=60)
    weights = interpolation_matrix(range(5), PRIME)
    values = [network(A, B * t % PRIME).astype(object) for t in range(5)]
    wrong = [sum(c * v for c, v in zip(row, values, strict=True)) % PRIME for row in weights]
    assert [rank(matrix, PRIME) for matrix in wrong] != [1, 10, 55, 40, 4]


def test_the_parts_of_a_residual_network_do_not_add_up():
    network, A, B = case(2, 2, count=30, residual=True)
    weights = interpolation_matrix([t * t for t in range(5)], PRIME)
    values = [network(A, B * t % PRIME).astype(object) for t in range(5)]
    parts = [sum(c * v for c, v in zip(row, values, strict=True)) % PRIME for row in weights]
    assert sum(rank(part, PRIME) for part in parts) > full_rank(network, A, B, PRIME).rank == 18


def test_residual_networks_are_refused():
    network, A, B = case(2, 2, residual=True)
    with pytest.raises(OutOfScope, match=r"residual layers are not homogeneous: use the full rank$"):
        block_ranks(network, A, B, [3] * 5, PRIME)
    with pytest.raises(OutOfScope, match=r"^blocks need a network of degree 9 .* for 5 blocks; this one is not$"):
        block_ranks(lambda A, B: network(A, B), A, B, [3] * 5, PRIME)


def test_a_wrong_number_of_blocks_is_refused():
    network, A, B = case(2, 2)
    with pytest.raises(OutOfScope, match=r"^blocks need a network of degree 7 in all tokens"):
        block_ranks(network, A, B, [3] * 4, PRIME)


def test_a_network_with_odd_powers_of_side_b_is_refused():
    _, A, B = case(1, 2)
    with pytest.raises(OutOfScope, match=r"even in those of side B"):
        block_ranks(lambda A, B: A[:, 0, 0, None] ** 2 % PRIME * B[:, 0, 0] % PRIME, A, B, [3, 3], PRIME)


def test_a_callable_of_a_user_is_measured():
    _, A, B = case(1, 2, count=8)
    found = block_ranks(diagonal, A, B, [8] * 5, PRIME)
    assert [block.rank for block in found] == [1, 2, 3, 2, 1]
    assert full_rank(diagonal, *case(1, 2, count=15)[1:], PRIME).rank == 9


def test_the_degree_of_a_user_need_not_be_a_power_of_three():
    _, A, B = case(1, 2, sides=(1, 1))

    def quintic(A, B):
        inner = np.einsum("aik,bik->ab", A, B) % PRIME
        return inner * inner % PRIME * A[:, 0, :1] % PRIME

    assert [block.rank for block in block_ranks(quintic, A, B, [6, 6, 6], PRIME)] == [0, 3, 0]


def test_the_pivots_of_a_block_name_a_minor_that_is_not_zero():
    network, A, B = case(2, 3, sides=(3, 3), count=25)
    found = block_ranks(network, A, B, [25] * 5, PRIME)
    for k, matrix in block_matrices(network, A, B, [25] * 5, PRIME):
        assert rank(matrix[np.ix_(found[k].rows, found[k].columns)], PRIME) == found[k].rank > 0


def test_sizes_may_be_pairs_and_blocks_may_be_left_out():
    network, A, B = case(2, 2)
    whole = dict(block_matrices(network, A, B, [20] * 5, PRIME))
    some = dict(block_matrices(network, A, B, [None, (3, 7), None, (20, 2), 1], PRIME))
    assert {k: matrix.shape for k, matrix in some.items()} == {1: (3, 7), 3: (20, 2), 4: (1, 1)}
    for k, matrix in some.items():
        assert np.array_equal(matrix, whole[k][: matrix.shape[0], : matrix.shape[1]])
    ranks = block_ranks(network, A, B, [None, 5, None, None, 5], PRIME)
    assert [found if found is None else found.rank for found in ranks] == [None, 3, None, None, 2]


@pytest.mark.parametrize("memory", [8 * 400, 8 * 500, 8 * 10**6])
def test_neither_memory_nor_strips_change_the_blocks(monkeypatch, memory):
    network, A, B = case(2, 2)
    sizes = [1, 4, (20, 20), (8, 19), (3, 2)]
    expected = {k: matrix.tolist() for k, matrix in block_matrices(network, A, B, sizes, PRIME)}
    monkeypatch.setattr("seprank.separation.full._STRIP", 50)
    seen = []
    blocks = block_matrices(network, A, B, sizes, PRIME, memory=memory, progress=lambda *step: seen.append(step))
    assert {k: matrix.tolist() for k, matrix in blocks} == expected
    done, totals = zip(*seen, strict=True)
    assert list(done) == sorted(set(done))
    assert set(totals) == {done[-1]}


def test_only_what_the_blocks_need_is_evaluated():
    network, A, B = case(2, 2)
    shapes = []

    def watched(A, B):
        shapes.append((len(A), len(B)))
        return network(A, B)

    list(block_matrices(watched, A, B, [None, 4, (9, 2), None, None], PRIME))
    assert shapes == [(2, 2)] * 3 + [(9, 4)] * 5


def test_blocks_share_evaluations_as_far_as_the_memory_goes():
    network, A, B = case(1, 2)
    for memory, calls in ((8 * 100 + 4 * 25, [(10, 10)] * 2), (8 * 100 + 4 * 25 - 1, [(10, 10)] * 2 + [(5, 5)] * 2)):
        shapes = []

        def watched(A, B, shapes=shapes):
            shapes.append((len(A), len(B)))
            return network(A, B)

        list(block_matrices(watched, A, B, [5, 10], PRIME, memory=memory))
        assert shapes[3:] == calls


def test_a_block_beyond_the_memory_is_refused_with_its_size():
    network, A, B = case(2, 2)
    with pytest.raises(TooLarge, match=r"^block 2 of shape \(20, 10\) needs 1600 bytes, above the limit of 1599"):
        block_matrices(network, A, B, [1, 2, (20, 10), 2, 1], PRIME, memory=1599)


def test_a_prime_that_is_too_small_is_refused():
    network, A, B = case(3, 2, prime=23)
    with pytest.raises(InvalidInput, match=r"^prime must exceed 3\*\*L = 27 for the block method, got 23$"):
        block_matrices(network, A, B, [1] * 14, 23)
    network, A, B = case(3, 2, prime=29)
    assert len(block_ranks(network, A, B, [2] * 14, 29)) == 14
    with pytest.raises(InvalidInput, match=r"^prime must exceed 2\*C \+ 1 = 7 for the block method, got 7$"):
        block_matrices(network, A, B, [1] * 4, 7)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], "^sizes must have an entry for every block"),
        ([1, 21], r"^sizes\[1\] must be a whole number from 1 to 20, got 21$"),
        ([(1, 0), 1], r"^sizes\[0\] must be a whole number from 1 to 20, got 0$"),
        ([1.5, 1], r"^sizes\[0\] must be a whole number from 1 to 20, got 1.5$"),
    ],
)
def test_bad_sizes_are_refused(sizes, message):
    network, A, B = case(1, 2)
    with pytest.raises(InvalidInput, match=message):
        block_matrices(network, A, B, sizes, PRIME)


def test_an_interrupt_gets_through():
    def stop(done, total):
        raise KeyboardInterrupt

    network, A, B = case(1, 2)
    with pytest.raises(KeyboardInterrupt):
        block_ranks(network, A, B, [3, 3], PRIME, progress=stop)


def test_scaling_side_b_to_nothing_leaves_the_first_block():
    network, A, B = case(2, 2)
    first = dict(block_matrices(network, A, B, [5, None, None, None, None], PRIME))[0]
    assert (full_matrix(network, A[:5], 0 * B[:5], PRIME) == first).all()
    assert first.any()
