"""Monomial numbers, coefficients, gradings and block ranks by derivatives."""

from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
import pytest

from seprank import Architecture, separation_rank
from seprank.attention.weights import random_weights
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation import derivative_coefficients
from seprank.separation.derivative_blocks import block_pivots
from seprank.separation.derivative_coefficients import coefficients, scaled_coefficients, variable_pairs
from seprank.separation.derivative_gradings import grading, sides
from seprank.separation.derivative_kernels import list_monomials, steps, times_factorials

P = DEFAULT_PRIME


def running_sums(s, degree):
    table = np.empty((comb(s + degree - 1, degree), s - 1), np.int16)
    list_monomials(degree, table)
    return table


@pytest.mark.parametrize(("s", "degree"), [(1, 3), (3, 0), (3, 5), (6, 4), (10, 3)])
def test_monomials_are_numbered_in_order(s, degree):
    table, places = running_sums(s, degree).astype(int), steps(s, degree)
    numbers = [sum(places[v, b] for v, b in enumerate(row)) for row in table]
    assert numbers == list(range(len(table)))
    exponents = np.diff(table, axis=1, prepend=0, append=degree)
    expected = {tuple(chosen.count(v) for v in range(s)) for chosen in combinations_with_replacement(range(s), degree)}
    assert set(map(tuple, exponents.tolist())) == expected


def test_factorials_of_the_exponents():
    table = running_sums(3, 6).astype(int)
    forms = np.ones((2, len(table)), np.int32)
    times_factorials(forms, 6, 3, P)
    exponents = np.diff(table, axis=1, prepend=0, append=6).tolist()
    assert forms[1].tolist() == [prod(map(factorial, row)) for row in exponents]


def test_one_layer_by_hand():
    weights = random_weights(Architecture(1, 2), 101, 4)
    Q, K, V, O = (array[0, 0] for array in weights)
    left, right = O @ V % 101, K.T @ Q % 101
    expected = np.zeros((2, 3), int)
    table = running_sums(3, 1).tolist()
    number = {(0, 0): table.index([1, 1]), (0, 1): table.index([0, 1]), (1, 1): table.index([0, 0])}
    for q in range(2):
        for i in range(2):
            for j in range(2):
                expected[q, number[min(i, j), max(i, j)]] += left[0, i] * right[j, q]
    assert coefficients(weights, 101).tolist() == (expected % 101).tolist()


def test_wrong_coefficients_are_noticed(monkeypatch):
    weights = random_weights(Architecture(2, 2), P, 0)

    def wrong(weights, prime):
        forms = coefficients(weights, prime)
        forms[1, 3] = (forms[1, 3] + 1) % prime
        return forms

    monkeypatch.setattr(derivative_coefficients, "coefficients", wrong)
    with pytest.raises(ArithmeticError, match=r"the coefficients give .* at a random input, the network"):
        scaled_coefficients(weights, P)


def ranks(forms, by, C):
    return [block_pivots(forms, sides(by, C, k), P).rank for k in range(C + 1)]


@pytest.mark.parametrize("name", ["torus", "signs", "pairs"])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3)])
def test_classes_add_up_to_the_whole_block_at_the_same_weights(sizes, name):
    arch = Architecture(*sizes)
    by = grading(name, arch.dx, arch.C)
    if by is None:
        assert (name, arch.dx) == ("pairs", 2)
        return
    forms = scaled_coefficients(by.links(arch, P, 2), P)
    assert ranks(forms, by, arch.C) == ranks(forms, grading("none", arch.dx, arch.C), arch.C)


@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 4, 2), (2, 4, 4), (3, 2, 2)])
def test_without_factorials_the_ranks_are_wrong(sizes):
    arch = Architecture(*sizes)
    expected = [piece.rank for piece in separation_rank(arch, method="blocks").pieces]
    weights, by = random_weights(arch, P, 0), grading("none", arch.dx, arch.C)
    assert ranks(scaled_coefficients(weights, P), by, arch.C) == expected
    assert ranks(coefficients(weights, P), by, arch.C) != expected


@pytest.mark.parametrize("name", ["torus", "signs", "pairs", "none"])
def test_every_pair_of_equal_weight_is_in_one_class(name):
    by = grading(name, 4, 4)
    both = sides(by, 4, 2)
    for side, ends, count in ((both.rows, both.row_ends, 55), (both.columns, both.column_ends, 4 * 55)):
        assert len(set(side.tolist())) == len(side) == ends[-1] <= count
    assert both.shapes().tolist() == [[len(rows), len(columns)] for rows, columns in both.classes()]
    if name == "none":
        assert both.shapes().tolist() == [[55, 220]]


def test_a_sample_that_falls_short_is_completed_unless_the_bound_is_met():
    arch = Architecture(3, 3)
    by = grading("none", 3, arch.C)
    forms = np.zeros((3, comb(18, 5)), np.int32)
    forms[2, -1] = 1  # a single entry, which a sample of the columns misses
    both = sides(by, arch.C, 3)
    assert block_pivots(forms, both, P, seed=1).rank == 1
    assert block_pivots(forms, both, P, seed=1, bound=0).rank == 0
    assert block_pivots(forms, both, P, seed=1, memory=1000).rank == 0


def test_gradings_that_do_not_apply():
    assert grading("torus", 1, 4) is grading("signs", 1, 4) is grading("pairs", 2, 4) is None
    assert grading("torus", 40, 4) is None
    assert len(variable_pairs(4)) == 10
