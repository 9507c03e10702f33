"""Counting functions against enumeration and against numbers known from elsewhere."""

from itertools import combinations_with_replacement, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.closed_forms.combinatorics import (
    long_partitions,
    multiset,
    multiset_run,
    partition_count,
    partitions,
    schur_dimension,
    shapes_with_one_odd_part,
)

# Numbers of partitions of 0, 1, 2, ... (OEIS A000041).
PARTITION_NUMBERS = [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77, 101, 135, 176, 231, 297, 385, 490, 627]


def enumerated_partitions(total):
    """All partitions of `total`, by listing the multiplicities of every part."""
    found = set()

    def extend(left, part, chosen):
        if left == 0:
            found.add(tuple(chosen))
        elif part:
            for copies in range(left // part + 1):
                extend(left - copies * part, part - 1, chosen + [part] * copies)

    extend(total, total, [])
    return found


def semistandard_tableaux(shape, d):
    """Number of fillings with 1..d, rows weakly rising, columns strictly rising, by trying all."""
    cells = [(i, j) for i, part in enumerate(shape) for j in range(part)]
    count = 0
    for filling in product(range(d), repeat=len(cells)):
        table = dict(zip(cells, filling, strict=True))
        rows_rise = all(table[i, j - 1] <= table[i, j] for i, j in cells if j)
        count += rows_rise and all(table[i - 1, j] < table[i, j] for i, j in cells if i)
    return count


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("k", range(6))
def test_multiset_counts_multisets(n, k):
    assert multiset(n, k) == len(list(combinations_with_replacement(range(n), k)))


def test_multiset_of_negative_size_is_zero():
    assert multiset(5, -1) == multiset(0, -1) == 0


@given(st.integers(0, 40), st.integers(0, 40))
def test_multiset_run_is_the_list_of_multisets(n, most):
    assert multiset_run(n, most) == [comb(n + k - 1, k) if n + k else 1 for k in range(most + 1)]


@pytest.mark.parametrize("total", range(13))
def test_partitions_are_all_those_with_few_parts_once_each_largest_first(total):
    every = enumerated_partitions(total)
    for parts in range(total + 2):
        listed = list(partitions(total, parts))
        assert listed == sorted((shape for shape in every if len(shape) <= parts), reverse=True)


@pytest.mark.parametrize("total", range(13))
def test_long_partitions_are_the_complement(total):
    every = enumerated_partitions(total)
    for parts in range(total + 2):
        listed = list(long_partitions(total, parts))
        assert len(listed) == len(set(listed))
        assert set(listed) == {shape for shape in every if len(shape) > parts}


def test_partition_count_gives_the_partition_numbers():
    assert [partition_count(total, total) for total in range(21)] == PARTITION_NUMBERS
    assert partition_count(100, 100) == 190_569_292
    assert partition_count(-1, 3) == 0


@given(st.integers(0, 18), st.integers(0, 20))
def test_partition_count_counts_what_is_listed(total, parts):
    assert partition_count(total, parts) == sum(1 for _ in partitions(total, parts))


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 1), (2, 1), (2, 2), (3, 1), (1, 1, 1), (2, 1, 1), (3, 2)])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_schur_dimension_counts_semistandard_tableaux(shape, d):
    assert schur_dimension(shape, d) == semistandard_tableaux(shape, d)


@pytest.mark.parametrize(("shape", "d"), [((7, 4, 4, 1), 6), ((12, 8, 2), 5), ((5,) * 4, 9), ((9, 1), 30)])
def test_schur_dimension_is_the_hook_content_formula(shape, d):
    columns = [sum(part > j for part in shape) for j in range(shape[0])]
    contents = hooks = 1
    for i, part in enumerate(shape):
        for j in range(part):
            contents *= d + j - i
            hooks *= part - j + columns[j] - i - 1
    assert schur_dimension(shape, d) == contents // hooks


@pytest.mark.parametrize("c", range(7))
def test_one_more_box_on_a_doubled_shape_gives_each_shape_with_one_odd_part_once(c):
    grown = [shape for half in partitions(c, c) for shape in shapes_with_one_odd_part(half)]
    wanted = {shape for shape in enumerated_partitions(2 * c + 1) if sum(part % 2 for part in shape) == 1}
    assert len(grown) == len(set(grown))
    assert set(grown) == wanted
