"""The plain roads of the upper-bound checkers, against numbers worked out by hand."""

from fractions import Fraction
from math import e

import numpy as np
import pytest

from proofs_check.depth_to_width._ranks import KINDS, PRIME, attention_rank, library_rank, weights_of_kind
from proofs_check.depth_to_width.each_gap_is_crossed_or_not import Sizes, separable_terms
from proofs_check.plain.all_pairs import values_at_pairs
from proofs_check.plain.explicit_networks import monomial, monomial_rank, product_rank, shifts, some_rows
from proofs_check.plain.printed_bounds import E_HIGH, E_LOW, choices, eq19, gaps, long_gram, theorem2
from proofs_check.plain.schur import functor_dimension, gram_bound, shapes, side_A, side_B
from seprank.attention.architecture import Architecture


def test_values_at_pairs_are_eq_3() -> None:
    one = np.ones((1, 1, 1, 1), np.int64)
    # x (x^2 + z^2) for tokens x and z of width 1
    values = values_at_pairs((one, one, one, one), [[[2]], [[3]]], [[[1]], [[5]]], 101)
    assert values.tolist() == [[10, 58], [30, 102 % 101]]
    assert values_at_pairs((one,) * 4, [[[2]]], [[[1]]], 101, residual=True).tolist() == [[12]]


def test_shapes_and_functor_dimensions() -> None:
    assert list(shapes(4, 2)) == [(4,), (3, 1), (2, 2)]
    assert [functor_dimension(shape, 3) for shape in [(), (2,), (1, 1), (2, 1), (1, 1, 1, 1)]] == [1, 6, 3, 8, 0]


def test_dimensions_of_one_token_are_powers_of_it() -> None:
    assert [side_B(3, 1, k) for k in range(3)] == [1, 6, 15]
    assert [side_A(3, 1, c) for c in range(3)] == [3, 10, 21]


def test_gram_bounds_of_the_theory_page() -> None:
    assert [gram_bound(2, 3, *sides) for sides in [(1, 1), (1, 2), (3, 3)]] == [35, 41, 49]
    assert [long_gram(d, gaps(L)) for L, d in [(1, 4), (2, 8), (3, 4)]] == [5, 999, 31460]


def test_printed_bounds_by_hand() -> None:
    assert [gaps(L) for L in range(5)] == [0, 1, 4, 13, 40]
    assert [choices(3, 2), choices(1, 9), choices(2, -1)] == [6, 1, 0]
    assert eq19(2, 1) == 2 * 3 * 2**2
    assert theorem2(1, 1, Fraction(1)) == 3**3 * 8


def test_e_lies_between_the_rationals() -> None:
    assert float(E_LOW) == e == float(E_HIGH)
    assert 0 < E_HIGH - E_LOW < Fraction(1, 10**47)


def test_monomials_of_small_networks() -> None:
    # Layer 1 scales by D = diag(G_00, G_11); in layer 2 head 0 reads (D G D)_01 = G_00 G_11 G_01.
    assert monomial(1, 2, shifts(2)) == {(0, 0): 1}
    assert monomial(2, 2, shifts(2)) == {(0, 0): 2, (1, 1): 1, (0, 1): 1}
    assert monomial_rank(monomial(2, 2, shifts(2))) == 12
    assert sum(monomial(5, 4, some_rows(4, 3)).values()) == gaps(5)
    assert [product_rank(L, 3) for L in (2, 3, 4)] == [8, 80, 1400]


def test_there_is_a_separable_term_for_every_word_and_crossing() -> None:
    assert len(separable_terms(Sizes(L=1, dx=3, H=3, da=1, NA=1, NB=1))) == 6
    assert len(separable_terms(Sizes(L=2, dx=2, H=1, da=2, NA=1, NB=1))) == 3**4


@pytest.mark.parametrize("kind", KINDS)
def test_both_roads_give_the_rank_of_every_kind_of_weights(kind: str) -> None:
    weights = weights_of_kind(kind, Architecture(2, 2, 2))
    ranks = {"zero": 0, "tied": 8, "product": 8, "shift": 12, "random": 17}
    assert max(int(array.max()) for array in weights) < PRIME
    found = library_rank(weights, 2, 2, 20)
    assert attention_rank(weights, 2, 2, 20) == found == ranks.get(kind, found)
