"""The plain roads of the checkers on heads, against enumeration and other libraries."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from proofs_check.plain import isotropic, staircase
from proofs_check.plain.derivatives import Monomials, block_rank, chain_rows, monomials_up_to, scaled, word_rows
from proofs_check.plain.weight_classes import graded_block_rank, random_links, sign_weights, torus_weights

PRIME = 4194301


@pytest.mark.parametrize("d", [1, 2, 3])
def test_monomials_are_numbered_without_gaps(d):
    """Every degree lists every multiset of variables once, and `times` finds the product's place."""
    monomials = Monomials(d, 4)
    for c in range(5):
        rows = [tuple(row) for row in monomials.of[c].tolist()]
        assert sorted(rows) == list(combinations_with_replacement(range(monomials.s), c))
        if c < 4:
            place = {tuple(row): number for number, row in enumerate(monomials.of[c + 1].tolist())}
            for v in range(monomials.s):
                assert monomials.times[c][v].tolist() == [place[tuple(sorted((*row, v)))] for row in rows]


def test_factorials_of_exponents():
    monomials = Monomials(2, 4)
    found = dict(zip(map(tuple, monomials.of[4].tolist()), monomials.factorials(4, PRIME).tolist(), strict=True))
    assert (found[0, 0, 0, 0], found[0, 0, 1, 1], found[0, 1, 2, 2], found[1, 1, 1, 2]) == (24, 4, 2, 6)


@pytest.mark.parametrize(("L", "d", "H", "k"), [(2, 3, 3, 2), (2, 4, 2, 2), (2, 4, 4, 3), (3, 2, 2, 7), (3, 2, 1, 6)])
def test_largest_matching(L, d, H, k):
    """The greedy matching of whole classes against a matching of single lines."""
    rows, columns, Z = pattern = staircase.pattern(L, staircase.forms(d, H, d // H), k)
    j, i = (np.repeat(np.arange(len(sizes)), sizes) for sizes in (rows, columns))
    matched = maximum_bipartite_matching(csr_matrix(j[:, None] + i[None] <= Z))
    assert staircase.largest_matching(pattern) == np.count_nonzero(matched >= 0) == staircase.least_cover(pattern)


@pytest.mark.parametrize("grading", [sign_weights([[0], [1], [2]]), sign_weights([[0, 2], [1]]), torus_weights(3)])
def test_classes_of_a_block_add_up(grading):
    """The ranks class by class against the rank of the whole matrix, with links that the grading allows."""
    monomials = monomials_up_to(3, 4)
    rows = scaled(word_rows([1, 0, 0], random_links(2, grading, PRIME, 3), monomials, PRIME), 4, monomials, PRIME)
    for k in range(5):
        whole = block_rank(rows, 4, k, monomials, PRIME)
        assert graded_block_rank(rows, 4, k, monomials, PRIME, grading) == whole


def test_words_of_a_network_and_chains():
    """L = 2 is the chain with the links B_1, B_1^T, B_2."""
    draw, monomials = np.random.default_rng(0), monomials_up_to(3, 4)
    first, second = draw.integers(0, PRIME, (2, 3, 3))
    chain = chain_rows([1, 2, 3], [first, first.T, second], monomials, PRIME)
    assert (word_rows([1, 2, 3], [first, second], monomials, PRIME) == chain).all()
    assert isotropic.word(2) == [(1, False), (1, True), (2, False)]
    assert [link for link, _ in isotropic.word(3)] == [1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2]


def test_isotropic_points_lie_on_quadrics():
    points = isotropic.isotropic_points(4, 2, 30, 65537, seed=1)
    squares = points.astype(object) ** 2 % 65537
    assert len(points) >= 30
    assert isotropic.array_rank(squares, 65537) == 2
