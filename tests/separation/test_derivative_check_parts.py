"""The parts of the slow road for derivatives: bounds, monomials, coefficients, and how the certificate is written."""

from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
import pytest

from proofs_check.plain.graded import output_forms
from proofs_check.plain.sparse import exponents
from seprank import Architecture
from seprank.attention.weights import random_weights
from seprank.closed_forms.blocks import block_bounds
from seprank.closed_forms.isotropic import isotropic_blocks
from seprank.closed_forms.staircase import staircase_blocks
from seprank.errors import CheckFailed
from seprank.separation.derivative_check import _multiplications
from seprank.separation.derivative_check_bounds import block_bound, monomials
from seprank.separation.derivative_check_forms import scaled_forms
from seprank.separation.derivative_check_monomials import Monomials
from seprank.separation.derivative_check_weights import monomials_of, refuse_unfit
from seprank.separation.derivative_gradings import grading

P = 4194301


def named(arrays, keys, signs=False):
    """Weights as in a certificate."""
    matrices = {kind: np.array(array).tolist() for kind, array in zip("QKVO", arrays, strict=True)}
    return {"name": "some", "keys": list(keys), "signs": signs, "unseen": None, **matrices}


@pytest.mark.parametrize("L", [1, 2, 3, 4, 5])
def test_bounds_agree_with_the_closed_forms(L):
    for d in range(1, 9):
        arch = Architecture(L, d)
        assert [block_bound("isotropic", L, d, 1, k) for k in range(arch.C + 1)] == isotropic_blocks(arch)
        for H in (H for H in range(1, d + 1) if d % H == 0):
            arch = Architecture(L, d, H)
            for bound in block_bounds(arch):
                assert block_bound(bound.id, L, d, H, bound.k) == bound.value
            if H > 1:
                assert [block_bound("staircase", L, d, H, k) for k in range(arch.C + 1)] == staircase_blocks(arch)


def test_bounds_of_other_numbers_of_heads_do_not_apply():
    assert block_bound("staircase", 3, 4, 1, 7) is None
    assert block_bound("isotropic", 3, 4, 2, 7) is None


@pytest.mark.parametrize(("d", "degree"), [(1, 4), (2, 5), (3, 3), (4, 2)])
def test_monomials_have_the_numbers_of_the_documentation(d, degree):
    s = d * (d + 1) // 2
    of = Monomials(7, [0] * s, [0])
    seen = set()
    for number in range(monomials(s, degree)):
        powers = of.exponents(of.numbered(number, degree)[0])
        assert (sum(powers), len(powers)) == (degree, s)
        assert number == sum(comb(v + sum(powers[: v + 1]), v + 1) for v in range(s - 1))
        seen.add(tuple(powers))
    assert len(seen) == len(list(combinations_with_replacement(range(s), degree)))


@pytest.mark.parametrize(("keys", "signs"), [((1, 57, -57, -1), False), ((1, 2, 2, 4), True)])
def test_classes_of_monomials_are_those_of_their_factors(keys, signs):
    of = monomials_of({"keys": keys, "signs": signs, "unseen": None}, 5)
    ends = [(i, j) for i in range(4) for j in range(i, 4)]
    for number in range(0, monomials(10, 5), 17):
        packed, found = of.numbered(number, 5)
        factors = [key for end, e in zip(ends, of.exponents(packed), strict=True) for i in end for key in [keys[i]] * e]
        expected = 0
        for key in factors:
            expected = expected ^ key if signs else expected + key
        assert found == expected


@pytest.mark.parametrize("sizes", [(1, 3, 3), (2, 2, 1), (2, 3, 3), (2, 4, 2), (3, 2, 2)])
def test_coefficients_agree_with_products_of_sparse_polynomials(sizes):
    arch = Architecture(*sizes)
    arrays = list(random_weights(arch, P, 8))
    weights = named(arrays, [0] * arch.dx)
    of = monomials_of(weights, arch.C)
    for form, expected in zip(scaled_forms(weights, of, P), output_forms(arrays, P), strict=True):
        by_exponents = {exponents(m, arch.s): value for m, value in expected.terms.items() if value}
        scaled = {e: value * prod(map(factorial, e)) % P for e, value in by_exponents.items()}
        assert {tuple(of.exponents(m)): value for m, value in form.items()} == scaled


@pytest.mark.parametrize("name", ["torus", "signs", "pairs"])
def test_special_weights_have_their_grading_and_generic_ones_do_not(name):
    arch = Architecture(2, 4)
    by = grading(name, arch.dx, arch.C)
    refuse_unfit(named(by.links(arch, P, 1), by.keys, by.signs), P)
    with pytest.raises(CheckFailed, match="the weights some are not left as they are by their keys"):
        refuse_unfit(named(random_weights(arch, P, 1), by.keys, by.signs), P)


@pytest.mark.parametrize(("L", "H"), [(1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)])
def test_multiplications_by_the_gram_matrix_are_counted(L, H):
    found = _multiplications(L, H)
    assert len(found) == (3**L - 1) // 2
    assert sum(found) == sum(H * (2 * H + 1) ** layer for layer in range(L))
