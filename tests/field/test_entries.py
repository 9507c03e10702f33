import re

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field import pivots, rank
from seprank.field.entries import balanced, integer_matrix
from seprank.field.reference import rank_by_flint, rank_by_integers

INTEGER_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def test_balanced_residues_of_every_number_near_zero(prime):
    numbers = np.arange(-50, 50).reshape(4, 25)
    result = balanced(numbers, prime)
    low, high = -((prime - 1) // 2), prime // 2
    assert result.dtype == np.float64
    assert result.min() >= low
    assert result.max() <= high
    assert np.array_equal(result.astype(np.int64) % prime, numbers % prime)


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_the_extremes_of_every_integer_type(dtype, prime):
    info = np.iinfo(dtype)
    numbers = [[int(info.min), int(info.max)], [int(info.max) - 1, 1]]
    result = balanced(integer_matrix("matrix", np.array(numbers, dtype=dtype)), prime)
    assert [[int(x) % prime for x in row] for row in result] == [[x % prime for x in row] for row in numbers]


@pytest.mark.parametrize("big", [2**63 - 1, 2**63, 2**64, -(2**63), -(2**200) + 1, 10**300])
def test_whole_numbers_of_any_size_in_lists(big, prime):
    # Numpy alone would turn some of these lists into floats.
    result = balanced(integer_matrix("matrix", [[big, -1], [1, 0]]), prime)
    assert [[int(x) % prime for x in row] for row in result] == [[big % prime, prime - 1], [1, 0]]


def test_small_numpy_integers_inside_lists():
    assert balanced(integer_matrix("matrix", [[np.int8(-5), np.uint64(2**63)]]), 4194301).tolist() == [
        [-5.0, float((2**63 + 2097150) % 4194301 - 2097150)]
    ]


@pytest.mark.parametrize("road", [rank, rank_by_flint, rank_by_integers])
def test_the_argument_is_left_alone(road):
    matrix = np.random.default_rng(0).integers(0, 10**6, (70, 66))
    matrix.setflags(write=False)
    copy = matrix.copy()
    assert road(matrix, 4194301) == 66
    assert np.array_equal(matrix, copy)
    rows = [[1, 2], [3, 4]]
    assert road(rows, 5) == 2
    assert rows == [[1, 2], [3, 4]]


def test_memory_layout_does_not_matter():
    matrix = np.random.default_rng(1).integers(0, 5, (90, 80))
    expected = pivots(matrix, 5)
    assert pivots(np.asfortranarray(matrix), 5) == expected
    assert pivots(np.repeat(matrix, 2, axis=1)[:, ::2], 5) == expected
    assert pivots(matrix[::-1].copy()[::-1], 5) == expected
    assert pivots(matrix.astype(object), 5) == expected
    assert pivots(matrix.tolist(), 5) == expected


@pytest.mark.parametrize(
    ("matrix", "found"),
    [
        (np.ones((2, 2)), "got dtype float64"),
        (np.ones((2, 2), dtype=bool), "got dtype bool"),
        (np.ones((2, 2), dtype=complex), "got dtype complex128"),
        (np.ones(3, dtype=int), "got shape (3,)"),
        (np.ones((1, 1, 1), dtype=int), "got shape (1, 1, 1)"),
        (5, "got shape ()"),
        ([], "got shape (0,)"),
        ("text", "got shape ()"),
        ([[1, 2.0]], "got an entry of type float"),
        ([[1, True]], "got an entry of type bool"),
        ([[1, np.True_]], "got an entry of type bool"),
        ([[1, None]], "got an entry of type NoneType"),
        ([["1", "2"]], "got an entry of type str"),
    ],
)
def test_other_arguments_are_refused(matrix, found):
    message = f"^matrix must be a two-dimensional array of integers, {re.escape(found)}"
    with pytest.raises(InvalidInput, match=message):
        rank(matrix, 7)


@pytest.mark.parametrize("road", [rank, rank_by_flint, rank_by_integers])
def test_ragged_rows_and_floats_are_refused_by_every_road(road):
    for matrix in ([[1, 2], [3]], [[1.0, 2.0]], [[True]], "text", 5):
        with pytest.raises(InvalidInput, match=r"^matrix must "):
            road(matrix, 7)
