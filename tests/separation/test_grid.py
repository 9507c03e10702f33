from itertools import combinations

import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_mod
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.errors import InvalidInput, TooLarge
from seprank.field.draw import residues
from seprank.field.elimination import rank
from seprank.separation.assignments import draw_assignments
from seprank.separation.full import full_rank
from seprank.separation.grid import grid_rank, grid_tensor, matricization
from seprank.separation.network import network_function

PRIME = 4194301
WEIGHTS = random_weights(Architecture(2, 2), PRIME, seed=1)


def templates(count, dx=2):
    return residues(3, "templates", (count, dx), PRIME)


def test_an_entry_is_the_network_at_its_templates():
    v = templates(3)
    tensor = grid_tensor(WEIGHTS, v, 3, PRIME, position=1, entry=1)
    assert tensor.shape == (3, 3, 3)
    for index in np.ndindex(3, 3, 3):
        assert tensor[index] == forward_mod(WEIGHTS, v[list(index)], PRIME)[1, 1]


def test_a_callable_fills_the_grid_in_batches(monkeypatch):
    monkeypatch.setattr("seprank.separation.grid._BATCH", 5)
    tensor = grid_tensor(lambda x: x[:, 0, 0] * 100 + x[:, 1, 0] * 10 - x[:, 2, 0], [[1], [2], [3]], 3, 1009)
    expected = [[[100 * a + 10 * b - c for c in (1, 2, 3)] for b in (1, 2, 3)] for a in (1, 2, 3)]
    assert tensor.tolist() == expected


def test_matricization_puts_the_positions_of_a_in_the_rows():
    tensor = np.arange(24).reshape(2, 3, 4)
    assert np.array_equal(matricization(tensor, [0]), tensor.reshape(2, 12))
    assert np.array_equal(matricization(tensor, [0, 1]), tensor.reshape(6, 4))
    flipped = matricization(tensor, (2, 0))
    assert flipped.shape == (8, 3)
    assert flipped[2 * 3 + 1].tolist() == tensor[1, :, 3].tolist()


@pytest.mark.parametrize(
    ("A", "message"),
    [
        ([], r"at least one and not all of 3, got \[\]$"),
        ([0, 1, 2], r"at least one and not all of 3, got \[0, 1, 2\]$"),
        ([1, 1], r"^A must hold distinct positions, .* got \[1, 1\]$"),
        ([3], "^A must be a whole number from 0 to 2, got 3$"),
        ([-1], "^A must be a whole number from 0 to 2, got -1$"),
        ([True], "^A must be a whole number from 0 to 2, got True$"),
    ],
)
def test_what_is_not_a_side_is_refused(A, message):
    with pytest.raises(InvalidInput, match=message):
        matricization(np.zeros((2, 2, 2)), A)


def test_the_rank_is_the_same_for_every_balanced_partition_and_every_output_position():
    v = templates(6)
    for position in range(4):
        tensor = grid_tensor(WEIGHTS, v, 4, PRIME, position=position)
        ranks = {A: rank(matricization(tensor, A), PRIME) for A in combinations(range(4), 2)}
        assert set(ranks.values()) == {18}
        assert len(ranks) == 6


def test_the_side_of_the_output_position_matters_when_the_sides_differ():
    v = templates(20)
    for position in range(3):
        tensor = grid_tensor(WEIGHTS, v, 3, PRIME, position=position)
        for alone in range(3):
            pair = [other for other in range(3) if other != alone]
            expected = 16 if alone == position else 17
            assert rank(matricization(tensor, [alone]), PRIME) == expected
            assert rank(matricization(tensor, pair), PRIME) == expected


@pytest.mark.parametrize("residual", [False, True])
def test_the_grid_rank_reaches_the_sampled_rank_from_below(residual):
    weights = random_weights(Architecture(2, 2, 2, residual=residual), PRIME, seed=1)
    network = network_function(weights, PRIME)
    sampled = full_rank(network, *draw_assignments(Partition(2, 2), 2, PRIME, 4, count=40), PRIME).rank
    found = [grid_rank(weights, templates(M), 4, [0, 1], PRIME).rank for M in (1, 2, 3, 6)]
    assert found == sorted(found)
    assert found[0] == 1
    assert found[2] < sampled
    assert found[3] == sampled == 17


def test_the_pivots_of_a_grid_name_a_minor_that_is_not_zero():
    v = templates(6)
    found = grid_rank(WEIGHTS, v, 4, [1, 3], PRIME, position=1)
    matrix = matricization(grid_tensor(WEIGHTS, v, 4, PRIME, position=1), [1, 3])
    assert found.rank == 18
    assert rank(matrix[np.ix_(found.rows, found.columns)], PRIME) == 18


def test_a_grid_above_the_limit_is_refused_with_its_size():
    with pytest.raises(TooLarge, match=r"M\*\*N = 10\*\*7 = 10000000 entries, above the limit of 1000000$"):
        grid_tensor(WEIGHTS, templates(10), 7, PRIME)
    with pytest.raises(TooLarge, match=r"above the limit of 8$"):
        grid_rank(WEIGHTS, templates(3), 2, [0], PRIME, limit=8)
    assert grid_tensor(WEIGHTS, templates(3), 2, PRIME, limit=9).shape == (3, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"templates": [1, 2]}, r"^templates must have shape \(M, dx\) .* got \(2,\)$"),
        ({"templates": [[0.5, 1.0]]}, "^templates must be whole numbers, got dtype float64$"),
        ({"templates": [[1, 2, 3]]}, r"^tokens must have shape \(N, 2\)"),
        ({"N": 0}, "^N must be a whole number at least 1, got 0$"),
        ({"prime": 4}, "^prime must be a prime"),
        ({"position": 2}, "^position must be a whole number from 0 to 1, got 2$"),
        ({"entry": 2}, "^entry must be a whole number from 0 to 1, got 2$"),
        ({"network": lambda x: x[:, 0]}, r"^network must return an array of shape \(1,\), got \(1, 2\)$"),
        ({"network": lambda x: x[:, 0, 0] / 2}, "^values of the network must be whole numbers"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    arguments = {"network": WEIGHTS, "templates": [[1, 2]], "N": 2, "prime": 7}
    with pytest.raises(InvalidInput, match=message):
        grid_tensor(**(arguments | change))
