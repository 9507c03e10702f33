"""D_A and D_B against the rank, modulo a prime, of all monomials evaluated at random tokens."""

import os
from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest
from flint import nmod_mat

from seprank.closed_forms import gram
from seprank.closed_forms.combinatorics import multiset, partitions, schur_dimension
from seprank.closed_forms.gram import side_A_dimension, side_B_dimension

PRIME = 2**31 - 19
MOST_COLUMNS = 3000 if os.environ.get("SEPRANK_LONG") else 900
SIZES = [(d, n, k) for d in range(1, 5) for n in range(1, 5) for k in range(5)]


def monomials_in_gram_entries(d, n, k, points, seed):
    """One row a draw of n tokens: all monomials of degree k in the entries of G; and the first token of each."""
    tokens = np.random.default_rng(seed).integers(0, PRIME, size=(points, n, d))
    upper = [(a, b) for a in range(d) for b in range(a, d)]
    entries = np.zeros((points, len(upper)), dtype=np.int64)
    for column, (a, b) in enumerate(upper):
        for j in range(n):
            entries[:, column] = (entries[:, column] + tokens[:, j, a] * tokens[:, j, b]) % PRIME
    columns = []
    for chosen in combinations_with_replacement(range(len(upper)), k):
        value = np.ones(points, dtype=np.int64)
        for variable in chosen:
            value = value * entries[:, variable] % PRIME
        columns.append(value)
    return np.array(columns).T, tokens[:, 0, :]


def rank(matrix):
    return nmod_mat(*matrix.shape, [int(x) for x in matrix.ravel()], PRIME).rank()


@cache
def measured_B(d, n, k):
    points = min(multiset(d * (d + 1) // 2, k), comb(n * d + 2 * k - 1, 2 * k)) + 5
    return rank(monomials_in_gram_entries(d, n, k, points, seed=d + 10 * n + 100 * k)[0])


@cache
def measured_A(d, n, c):
    points = min(d * multiset(d * (d + 1) // 2, c), comb(n * d + 2 * c, 2 * c + 1)) + 5
    values, token = monomials_in_gram_entries(d, n, c, points, seed=7 + d + 10 * n + 100 * c)
    return rank(np.hstack([values * token[:, q : q + 1] % PRIME for q in range(d)]))


def small(d, k):
    return multiset(d * (d + 1) // 2, k) <= MOST_COLUMNS


SMALL_B = [case for case in SIZES if small(case[0], case[2])]
SMALL_A = [case for case in SIZES if case[0] * multiset(case[0] * (case[0] + 1) // 2, case[2]) <= MOST_COLUMNS]


@pytest.mark.long
@pytest.mark.parametrize(("d", "n", "k"), SMALL_B)
def test_side_B_dimension_is_the_measured_rank(d, n, k):
    assert side_B_dimension(d, n, k) == measured_B(d, n, k)


@pytest.mark.long
@pytest.mark.parametrize(("d", "n", "c"), SMALL_A)
def test_side_A_dimension_is_the_measured_rank(d, n, c):
    assert side_A_dimension(d, n, c) == measured_A(d, n, c)


@pytest.mark.parametrize("d", range(1, 9))
@pytest.mark.parametrize("k", range(7))
def test_one_token_has_the_symmetric_powers(d, k):
    assert side_B_dimension(d, 1, k) == comb(d + 2 * k - 1, 2 * k)
    assert side_A_dimension(d, 1, k) == comb(d + 2 * k, 2 * k + 1)


@pytest.mark.parametrize("d", range(1, 7))
@pytest.mark.parametrize("k", range(1, 9))
def test_two_tokens_give_a_symmetric_square(d, k):
    power = comb(d + k - 1, k)
    assert side_B_dimension(d, 2, k) == power * (power + 1) // 2
    assert side_A_dimension(d, 2, k) == power * comb(d + k, k + 1)


@pytest.mark.parametrize("limit", [0, 10**6])
def test_short_and_complement_enumeration_agree(limit, monkeypatch):
    """MOST_LONG = 0 forbids the listing of long partitions; the numbers must not depend on it."""
    cases = [(d, n, k) for d in (3, 5, 8) for n in range(1, 8) for k in range(12)]
    usual = [(side_A_dimension(*case), side_B_dimension(*case)) for case in cases]
    monkeypatch.setattr(gram, "MOST_LONG", limit)
    plain_A, plain_B = side_A_dimension.__wrapped__, side_B_dimension.__wrapped__
    assert [(plain_A(*case), plain_B(*case)) for case in cases] == usual


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_dimensions_rise_with_the_tokens_up_to_the_width(d, k):
    on_B = [side_B_dimension(d, n, k) for n in range(1, d + 3)]
    on_A = [side_A_dimension(d, n, k) for n in range(1, d + 3)]
    assert on_B == sorted(on_B)
    assert on_A == sorted(on_A)
    assert on_B[d - 1 :] == [multiset(d * (d + 1) // 2, k)] * 3
    assert on_A[d - 1 :] == [d * multiset(d * (d + 1) // 2, k)] * 3
    assert on_A[0] < on_A[-1]


def undoubled(d, n, k):
    """Mutant: S_lambda in place of S_{2 lambda}."""
    return sum(schur_dimension(shape, d) for shape in partitions(k, min(n, d)))


def one_row_more(d, n, k):
    """Mutant: one row more than there are tokens."""
    return sum(schur_dimension(tuple(2 * part for part in shape), d) for shape in partitions(k, min(n + 1, d)))


def all_odd(d, n, c):
    """Mutant: all parts odd in place of exactly one."""
    shapes = partitions(2 * c + 1, min(n, d))
    return sum(schur_dimension(shape, d) for shape in shapes if all(part % 2 for part in shape))


@pytest.mark.parametrize("mutant", [undoubled, one_row_more])
def test_wrong_forms_of_D_B_disagree_with_the_measured_rank(mutant):
    assert mutant(3, 2, 3) != measured_B(3, 2, 3)


def test_all_parts_odd_disagrees_with_the_measured_rank():
    assert all_odd(3, 2, 2) != measured_A(3, 2, 2)
    assert all_odd(3, 3, 1) != measured_A(3, 3, 1)
