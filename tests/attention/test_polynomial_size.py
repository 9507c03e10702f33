"""Monomials are counted in closed form, and hopeless sizes are refused at once."""

from itertools import combinations_with_replacement
from math import comb

import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.poly_size import (
    expanded_terms,
    most_terms,
    refuse_if_endless,
    short_count,
    token_monomials,
)
from seprank.attention.polynomial import network_polynomial
from seprank.attention.weights import random_weights
from seprank.errors import TooLarge

PRIME = 2147483647
CASES = [
    (Architecture(1, 1), 1),
    (Architecture(1, 2), 1),
    (Architecture(1, 4, 4), 4),
    (Architecture(1, 3, 2, da=1), 5),
    (Architecture(2, 2), 3),
    (Architecture(2, 2, 2, residual=True), 3),
    (Architecture(2, 3, 3), 2),
    (Architecture(2, 1), 4),
    (Architecture(3, 2, 2), 2),
    (Architecture(3, 2, residual=True), 2),
    (Architecture(4, 1), 3),
]


def counted(d, N, degrees):
    """Monomials of odd degree in the first token and even degree in the others, one by one."""
    found = 0
    for degree in degrees:
        for monomial in combinations_with_replacement(range(N * d), degree):
            parts = [sum(variable // d == j for variable in monomial) for j in range(N)]
            found += parts[0] % 2 == 1 and all(part % 2 == 0 for part in parts[1:])
    return found


@pytest.mark.parametrize(("d", "N"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (2, 3), (4, 1)])
def test_the_closed_form_counts_them(d, N):
    for L in (1, 2) if d * N <= 4 else (1,):
        assert token_monomials(Architecture(L, d), N) == counted(d, N, [3**L])
        assert token_monomials(Architecture(L, d, residual=True), N) == 1 + counted(d, N, range(3, 3**L + 1, 2))


@pytest.mark.parametrize(("sizes", "N"), CASES)
def test_generic_weights_reach_the_count(sizes, N):
    y = network_polynomial(random_weights(sizes, PRIME, 1), N, domain=PRIME)
    assert y.monomials == token_monomials(sizes, N) == most_terms(sizes, N, False, True)


@pytest.mark.parametrize(
    "sizes", [Architecture(1, 2), Architecture(1, 3, 2, da=1), Architecture(1, 2, 2, residual=True)]
)
def test_one_layer_has_all_terms_of_eq_3(sizes):
    assert len(network_polynomial(sizes, 3).value) == expanded_terms(sizes, 3) == most_terms(sizes, 3, True, True)


@pytest.mark.parametrize(
    "sizes",
    [Architecture(2, 1, 2, da=1), Architecture(2, 2, 1, da=1), Architecture(3, 1), Architecture(2, 1, residual=True)],
)
def test_deeper_ones_have_no_more(sizes):
    assert len(network_polynomial(sizes, 2).value) <= most_terms(sizes, 2, True, True) <= expanded_terms(sizes, 2)
    tokens = [[2] * sizes.dx, [3] * sizes.dx]
    assert len(network_polynomial(sizes, tokens=tokens).value) <= most_terms(sizes, 2, True, False)


@pytest.mark.parametrize(("L", "d", "N"), [(3, 4, 5), (5, 1, 7), (4, 6, 1), (5, 5, 3)])
def test_the_closed_form_is_a_sum_over_the_degrees_of_the_tokens(L, d, N):
    C = (3**L - 1) // 2
    even, total = ([comb(d + 2 * k + odd - 1, d - 1) for k in range(C + 1)] for odd in (0, 1))
    for _ in range(N - 1):
        total = [sum(total[j] * even[k - j] for j in range(k + 1)) for k in range(C + 1)]
    assert token_monomials(Architecture(L, d), N) == total[C]


def test_long_counts_are_shortened():
    assert [short_count(10**9 - 1), short_count(10**9), short_count(999 * 10**20)] == ["999999999", "1.0e9", "9.9e22"]


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(
    ("sizes", "N"),
    [
        (Architecture(3, 4), 4),
        (Architecture(4, 2), 2),
        (Architecture(96, 12288, 96), 2048),
        (Architecture(10**6, 10**6), 10**9),
        (Architecture(10**4, 1), 1),
        (Architecture(1, 1), 10**6),
        (Architecture(1, 1, da=10**9), 1),
        (Architecture(22, 1500), 1),
    ],
)
def test_hopeless_sizes_are_refused(sizes, N, symbolic):
    with pytest.raises(TooLarge, match=r"^the polynomial would have (up to|more than) \S+ monomials and take"):
        refuse_if_endless(sizes, N, symbolic, True)


def test_the_message_holds_the_count():
    with pytest.raises(TooLarge, match=r"would have up to 687208 monomials and .*: take a smaller L, dx, H or N$"):
        network_polynomial(random_weights(Architecture(3, 2), PRIME, 0), 4)
    with pytest.raises(TooLarge, match="would have up to 16777216 monomials"):
        network_polynomial(Architecture(2, 2), 2)
    with pytest.raises(TooLarge, match=r"up to 10 monomials and take up to 2328 steps; at most 9 monomials"):
        network_polynomial(random_weights(Architecture(1, 2), PRIME, 0), 2, limit=9)


@pytest.mark.parametrize("N", [2, 3, 4])
def test_the_sizes_that_must_work_pass(N):
    for sizes in [Architecture(1, dx, H) for dx in (1, 2, 3, 4) for H in (1, dx)] + [
        Architecture(2, 2),
        Architecture(2, 3),
    ]:
        refuse_if_endless(sizes, N, False, True)
        if sizes.L == 1:
            refuse_if_endless(sizes, N, True, True)
