"""The polynomial form: against eq. 3 on explicit tokens, over every ring, and its parts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_float, forward_integers, forward_mod
from seprank.attention.poly_weights import small_weights
from seprank.attention.polynomial import network_polynomial
from seprank.attention.weights import Weights, random_weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues

SIZES = [
    (Architecture(1, 1), 1),
    (Architecture(1, 2), 2),
    (Architecture(1, 3, 3, residual=True), 3),
    (Architecture(1, 4, 2, da=3), 4),
    (Architecture(2, 2), 3),
    (Architecture(2, 2, 2, residual=True), 2),
    (Architecture(2, 3, 2, da=1), 2),
    (Architecture(2, 1, 3, da=2), 3),
    (Architecture(3, 2, 2), 2),
    (Architecture(3, 1, residual=True), 2),
]
SMALL = [case for case in SIZES if case[0].L < 3]
DOMAINS = ["ZZ", "QQ", 2, 5, 2147483647]


def integer_tokens(N, dx, seed=1):
    return residues(seed, "tokens", (N, dx), 19) - 9


def terms_of(polynomial):
    return dict(polynomial.terms())


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("sizes", "N"), SIZES)
def test_values_are_those_of_eq_3_at_every_position_and_entry(sizes, N, seed):
    weights, tokens = small_weights(sizes, seed), integer_tokens(N, sizes.dx, seed)
    expected = forward_integers(weights, tokens)
    for position in range(N):
        for entry in range(sizes.dx):
            y = network_polynomial(weights, N, position=position, entry=entry)
            assert y.substitute(tokens) == expected[position, entry]


@pytest.mark.parametrize(
    "sizes", [Architecture(1, 2, 2, residual=True), Architecture(2, 1, 2, da=1), Architecture(1, 3)]
)
def test_the_three_kinds_agree(sizes):
    weights, tokens = small_weights(sizes, 3), integer_tokens(3, sizes.dx)
    both = network_polynomial(sizes, N=3, position=2)
    in_tokens = network_polynomial(weights, N=3, position=2)
    in_weights = network_polynomial(sizes, tokens=tokens, position=2)
    assert (both.symbolic_tokens, in_tokens.symbolic_weights, in_weights.symbolic_tokens) == (True, False, False)
    assert both.substitute(weights=weights).value == in_tokens.value
    assert both.substitute(tokens).value == in_weights.value
    assert both.substitute(tokens).substitute(weights=weights) == forward_integers(weights, tokens)[2, 0]
    assert both.substitute(tokens, weights) == in_weights.substitute(weights=weights) == in_tokens.substitute(tokens)


@pytest.mark.parametrize("prime", [2, 3, 7, 4194301, 2147483647])
@pytest.mark.parametrize(("sizes", "N"), SMALL)
def test_the_image_modulo_a_prime_is_the_polynomial_modulo_it(sizes, N, prime):
    weights = small_weights(sizes, 5)
    whole, modular = network_polynomial(weights, N), network_polynomial(weights, N, domain=prime)
    assert whole.modulo(prime).value == modular.value
    assert terms_of(modular) == {key: value % prime for key, value in terms_of(whole).items() if value % prime}
    tokens = integer_tokens(N, sizes.dx)
    assert modular.substitute(tokens) == forward_mod(weights, tokens, prime)[0, 0]


def test_the_symbolic_polynomial_modulo_a_prime():
    sizes = Architecture(1, 2, 2)
    assert network_polynomial(sizes, 2).modulo(3).value == network_polynomial(sizes, 2, domain=3).value


@given(st.data(), st.sampled_from(DOMAINS))
def test_random_networks_over_every_ring(data, domain):
    sizes = Architecture(
        data.draw(st.integers(1, 2)),
        data.draw(st.integers(1, 2)),
        data.draw(st.integers(1, 2)),
        data.draw(st.integers(1, 2)),
        data.draw(st.booleans()),
    )
    N = data.draw(st.integers(1, 3))
    numbers = st.integers(-3, 3)
    arrays = [np.array(data.draw(st.lists(numbers, min_size=a.size, max_size=a.size))) for a in small_weights(sizes, 0)]
    weights = Weights(sizes, *(a.reshape(b.shape) for a, b in zip(arrays, small_weights(sizes, 0), strict=True)))
    tokens = np.array(data.draw(st.lists(numbers, min_size=N * sizes.dx, max_size=N * sizes.dx))).reshape(N, sizes.dx)
    y = network_polynomial(weights, N, domain=domain)
    expected = forward_integers(weights, tokens)[0, 0]
    assert y.substitute(tokens) == (expected if isinstance(domain, str) else expected % domain)


def test_fractions_and_floats_are_exact_over_the_rationals():
    arrays = [np.full((1, 1, 1, 1), value) for value in (0.5, 0.25, 3.0, -0.1)]
    weights = Weights.from_arrays(*arrays)
    y = network_polynomial(weights, 2, domain="QQ")
    c = Fraction(3, 8) * Fraction(-0.1)
    assert terms_of(y) == {(3, 0): c, (1, 2): c}
    assert y.substitute([[Fraction(1, 3)], [2]]) == c * (Fraction(1, 27) + Fraction(4, 3))
    assert float(y.substitute([[1.5], [2.0]])) == pytest.approx(forward_float(weights, [[1.5], [2.0]])[0, 0])


@pytest.mark.parametrize(("sizes", "N"), SIZES)
def test_the_degree_is_three_to_the_depth(sizes, N):
    y = network_polynomial(small_weights(sizes, 1), N)
    assert y.degree == 3**sizes.L
    if not sizes.residual:
        assert list(y.homogeneous_parts()) == [3**sizes.L]
        assert y.substitute(2 * integer_tokens(N, sizes.dx)) == 2**y.degree * y.substitute(integer_tokens(N, sizes.dx))


def test_the_degrees_of_a_residual_network_are_odd():
    assert list(network_polynomial(small_weights(Architecture(2, 2, residual=True), 1), 2).homogeneous_parts()) == [
        1,
        3,
        5,
        7,
        9,
    ]


def test_the_top_part_of_a_residual_network_is_the_plain_one():
    plain = small_weights(Architecture(2, 2, 2), 1)
    residual = Weights(Architecture(2, 2, 2, residual=True), *plain)
    top = network_polynomial(residual, 2).homogeneous_parts()[9]
    assert top.value == network_polynomial(plain, 2).value


@pytest.mark.parametrize(("sizes", "N"), [case for case in SIZES if case[1] > 1])
def test_parts_sum_to_the_polynomial(sizes, N):
    y = network_polynomial(small_weights(sizes, 2), N)
    for parts in (y.homogeneous_parts(), y.bidegree_parts([0]), y.bidegree_parts(range(1, N))):
        assert sum((part.value for part in parts.values()), y.ring.zero) == y.value
        assert all(part.value for part in parts.values())
    for (a, b), part in y.bidegree_parts([0]).items():
        assert a % 2 == 1
        assert b % 2 == 0
        assert list(part.homogeneous_parts()) == [a + b]


@given(st.sets(st.integers(0, 2), min_size=1, max_size=2), st.integers(2, 5))
def test_bidegree_parts_scale_with_each_side(A, t):
    y = network_polynomial(small_weights(Architecture(2, 2), 2), 3)
    tokens = integer_tokens(3, 2)
    scaled = tokens.copy()
    scaled[sorted(A)] *= t
    parts = y.bidegree_parts(A)
    assert y.substitute(scaled) == sum(t**a * part.substitute(tokens) for (a, _), part in parts.items())


def test_parts_in_symbolic_weights():
    y = network_polynomial(Architecture(1, 2), 2)
    assert (y.degree, y.monomials, len(y.value)) == (3, 10, 64)
    parts = y.bidegree_parts([1])
    assert {degrees: part.monomials for degrees, part in parts.items()} == {(0, 3): 4, (2, 1): 6}
    assert sum((part.value for part in parts.values()), y.ring.zero) == y.value


def test_exchanging_positions_of_the_others_changes_nothing():
    y = network_polynomial(small_weights(Architecture(2, 2, 2), 1), 3)
    swapped = {(*e[:2], *e[4:], *e[2:4]): value for e, value in terms_of(y).items()}
    assert swapped == terms_of(y)


def test_the_zero_polynomial():
    sizes = Architecture(1, 2)
    zero = Weights(sizes, *(np.zeros_like(array) for array in small_weights(sizes, 0)))
    y = network_polynomial(zero, 2)
    assert (y.degree, y.monomials, y.homogeneous_parts(), str(y)) == (None, 0, {}, "0")
    assert y.substitute([[1, 2], [3, 4]]) == 0


def test_small_weights_are_small_and_not_zero():
    for array in small_weights(Architecture(3, 8, 4), 7):
        assert set(np.unique(array)) == set(range(-9, 10)) - {0}


def test_weights_beyond_int64_products_are_exact():
    one = np.full((2, 1, 1, 1), 10**15)
    y = network_polynomial(Weights.from_arrays(one, one, one, one), 1)
    assert terms_of(y) == {(9,): 10 ** (15 * 16)}


SIZE = Architecture(1, 2)
FLOATS = Weights.from_arrays(*[[[[[0.5]]]]] * 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: network_polynomial(SIZE), r"^N must be a whole number at least 1, got None"),
        (lambda: network_polynomial(SIZE, 0), r"^N must be a whole number at least 1, got 0"),
        (lambda: network_polynomial(SIZE, 2, entry=2), r"^entry must be a whole number from 0 to 1, got 2"),
        (lambda: network_polynomial(SIZE, 2, position=2), r"^position must be a whole number from 0 to 1, got 2"),
        (lambda: network_polynomial(SIZE, 2, domain=6), r"^domain must be a prime at most 2147483647, got 6"),
        (lambda: network_polynomial(SIZE, 2, domain="RR"), r"^domain must be ZZ, QQ or a prime, got 'RR'"),
        (lambda: network_polynomial(SIZE, 2, limit=0), r"^limit must be a whole number at least 1, got 0"),
        (lambda: network_polynomial(SIZE, 3, tokens=[[1, 2]]), r"^N must be the number of tokens, got N=3 with 1"),
        (lambda: network_polynomial(SIZE, tokens=[[1]]), r"^tokens must have shape \(N, 2\) with N at least 1, got"),
        (lambda: network_polynomial(SIZE, tokens=[[1, 0.5]]), r"^tokens must be whole numbers over ZZ, got 0.5"),
        (lambda: network_polynomial(SIZE, tokens=[[1, True]]), r"^tokens must be whole numbers over ZZ, got True"),
        (lambda: network_polynomial(SIZE, tokens=[[1, "x"]], domain="QQ"), r"^tokens must be numbers, got 'x'"),
        (lambda: network_polynomial(SIZE, tokens=[[1, np.inf]], domain="QQ"), r"^tokens must be numbers, got inf"),
        (lambda: network_polynomial(small_weights(SIZE, 0), tokens=[[1, 2]]), r"^tokens must be left out when the"),
        (lambda: network_polynomial(FLOATS, 2), r"^weights must be whole numbers over ZZ, got 0.5"),
        (lambda: network_polynomial(FLOATS, 2, domain=7), r"^weights must be whole numbers over GF\(7\), got 0.5"),
        (lambda: network_polynomial(SIZE, 2).bidegree_parts([0, 1]), r"^A must hold distinct positions, at least one"),
        (lambda: network_polynomial(SIZE, 2).bidegree_parts([]), r"^A must hold distinct positions, at least one"),
        (lambda: network_polynomial(SIZE, 2).side([2]), r"^A must be a whole number from 0 to 1, got 2"),
        (lambda: network_polynomial(SIZE, tokens=[[1, 2]]).degree, r"^polynomial must have symbolic tokens"),
        (lambda: network_polynomial(SIZE, tokens=[[1, 2]]).monomials, r"^polynomial must have symbolic tokens"),
        (
            lambda: network_polynomial(SIZE, 2, domain=7).modulo(5),
            r"^domain must be ZZ to reduce modulo a prime, got 7",
        ),
        (lambda: network_polynomial(SIZE, 2).modulo(9), r"^domain must be a prime at most 2147483647, got 9"),
        (lambda: network_polynomial(SIZE, 2).substitute([[1, 2]]), r"^tokens must be 2 tokens, got 1"),
        (
            lambda: network_polynomial(SIZE, 2).substitute(weights=FLOATS),
            r"^weights must be of Architecture\(L=1, dx=2",
        ),
        (
            lambda: network_polynomial(small_weights(SIZE, 0), 2).substitute(weights=small_weights(SIZE, 0)),
            r"^weights must be left out: they are numbers",
        ),
        (
            lambda: network_polynomial(SIZE, tokens=[[1, 2]]).substitute(tokens=[[1, 2]]),
            r"^tokens must be left out: they are numbers",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_symbolic_random_weights_are_no_architecture():
    weights = random_weights(SIZE, 7, 0)
    assert network_polynomial(weights, 2, domain=7).prime == 7
    assert network_polynomial(weights, 2).prime is None
