"""The helpers of the checkers on the structure of the network, against sympy and known cases."""

import numpy as np
import pytest
import sympy

from proofs_check.heads._causal import attention_blocks, prefix_blocks
from proofs_check.plain.graded import derivative_rank, monomials
from proofs_check.plain.lower_bound_weights import square_root_of_minus_one
from proofs_check.plain.sparse import (
    Polynomial,
    degree_in,
    exponents,
    mask,
    parts_by_degree,
    rational_separation_rank,
    separation_rank,
    variable,
)
from proofs_check.plain.special_weights import KINDS, structured
from proofs_check.plain.words import Links, gram_factors, network_words, transposed

PRIME = 10007


def as_sympy(polynomial, symbols):
    terms = ((exponents(key, len(symbols)), value) for key, value in polynomial.terms.items())
    return sum(value * sympy.prod(s**e for s, e in zip(symbols, powers, strict=True)) for powers, value in terms)


def test_polynomials_multiply_as_in_sympy():
    symbols = sympy.symbols("x y z")
    x, y, z = (variable(k, PRIME) for k in range(3))
    ours = (x * 3 + y * y + z) * (x + y * 5000 + z * z * 7) * (x + z)
    X, Y, Z = symbols
    theirs = (3 * X + Y**2 + Z) * (X + 5000 * Y + 7 * Z**2) * (X + Z)
    assert sympy.Poly(as_sympy(ours, symbols) - theirs, *symbols, modulus=PRIME).is_zero


def test_a_sum_that_cancels_has_no_terms():
    x = variable(0, PRIME)
    assert (x + x * (PRIME - 1)).terms == {}
    assert separation_rank(Polynomial({}, PRIME), mask([0])) == 0


@pytest.mark.parametrize("power", [1, 2, 3, 5])
def test_separation_rank_of_a_power_of_a_sum(power):
    """(x + y)^n has rank n + 1, (x y)^n rank 1."""
    x, y = variable(0, PRIME), variable(1, PRIME)
    total, product = x + y, x * y
    for _ in range(power - 1):
        total, product = total * (x + y), product * (x * y)
    assert separation_rank(total, mask([0])) == rational_separation_rank(total, mask([0])) == power + 1
    assert separation_rank(product, mask([0])) == 1
    assert list(parts_by_degree(total, mask([1]))) == list(range(power + 1))
    assert {degree_in(key, mask([0, 1])) for key in total.terms} == {power}


def test_rank_over_the_rationals_can_exceed_the_rank_modulo_the_prime():
    x, y, u, v = (variable(k, 7) for k in range(4))
    form = x * u + x * v * 2 + y * u * 2 + y * v * 4
    assert separation_rank(form, mask([0, 1])) == 1
    lifted = x * u * 2 + x * v * 3 + y * u * 3 + y * v  # determinant -7 after lifting to -3..3
    assert separation_rank(lifted, mask([0, 1])) == 1
    assert rational_separation_rank(lifted, mask([0, 1])) == 2


def test_derivatives_of_a_power_of_a_linear_form_have_rank_one():
    """Coefficients in their place have a larger rank."""
    line = variable(0, PRIME) + variable(1, PRIME) * 2 + variable(2, PRIME) * 3
    cube, zero = line * line * line, Polynomial({}, PRIME)
    assert [derivative_rank([cube, zero], k, 3) for k in range(4)] == [1, 1, 1, 1]
    assert derivative_rank([cube, zero], 1, 3, factorials=False) > 1
    assert len(monomials(3, 4)) == 15


@pytest.mark.parametrize(("L", "H", "residual", "count"), [(1, 3, False, 3), (2, 2, False, 16), (2, 2, True, 57)])
def test_number_of_words(L, H, residual, count):
    words = network_words(L, H, residual)
    assert len(words) == count
    assert max(map(gram_factors, words)) == (3**L - 1) // 2


def test_transposing_a_word_transposes_its_links():
    word = network_words(2, 1)[0]
    assert transposed(transposed(word)) == word
    links = Links(array for array in structured("random", 2, 2, 1, 101))
    turned = [np.transpose(links.matrix(link)).tolist() for link in reversed(word)]
    assert [links.matrix(link) for link in transposed(word)] == turned


@pytest.mark.parametrize("kind", KINDS)
def test_structured_weights_are_reproducible_and_of_the_right_shape(kind):
    first, second = (structured(kind, 2, 4, 2, PRIME, seed=3) for _ in range(2))
    assert first.query.shape == (2, 2, 2, 4)
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="no such kind of weights: dense"):
        structured("dense", 1, 2, 1, PRIME)


def test_square_root_of_minus_one():
    assert square_root_of_minus_one(13) in (5, 8)


def test_masked_ranks_do_not_depend_on_the_names_of_the_sides():
    assert prefix_blocks(2, 2, 1, "ABAB", 20) == prefix_blocks(2, 2, 1, "BABA", 20) == (1, 6, 18, 10, 2)
    assert attention_blocks(2, 2, 1, "BABA", 20) == (1, 6, 18, 10, 2)
