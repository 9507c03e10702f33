"""Coefficient matrices and their exact rank, over the rationals and modulo primes."""

from fractions import Fraction
from itertools import combinations
from random import Random

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.poly_weights import small_weights
from seprank.attention.polynomial import network_polynomial
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput
from seprank.field.reference import rank_by_integers
from seprank.separation.coefficients import coefficient_matrix, coefficient_rank
from seprank.separation.rational_rank import rational_rank


def polynomial(sizes=None, N=3, seed=1, domain="ZZ", **options):
    return network_polynomial(small_weights(sizes or Architecture(2, 2), seed), N, domain=domain, **options)


def value(monomial, tokens):
    return int(np.prod([int(x) ** e for x, e in zip(tokens, monomial, strict=True)], dtype=object))


def test_one_layer_worked_out_by_hand():
    one = [[[[1, 0], [0, 1]]]]
    y = network_polynomial(Weights.from_arrays(one, one, one, one), 2)
    # x1_1 (x1_1^2 + x2_1^2) + x1_2 (x1_1 x1_2 + x2_1 x2_2)
    matrix = coefficient_matrix(y, [0])
    assert matrix.rows == ((0, 1), (1, 0), (1, 2), (3, 0))
    assert matrix.columns == ((0, 0), (1, 1), (2, 0))
    assert matrix.dense() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]]
    assert (matrix.shape, matrix.rank) == ((4, 3), 3)
    assert matrix.blocks() == [[[1]], [[1]], [[1], [1]]]


@pytest.mark.parametrize("A", [[0], [1], [2], [0, 2], [2, 1]])
@pytest.mark.parametrize("domain", ["ZZ", 101])
def test_the_matrix_gives_back_the_polynomial(A, domain):
    y = polynomial(domain=domain)
    matrix, rest = coefficient_matrix(y, A), [j for j in range(3) if j not in A]
    tokens = np.array([[1, -2], [3, 1], [-1, 2]])
    left = [value(row, tokens[sorted(A)].ravel()) for row in matrix.rows]
    right = [value(column, tokens[rest].ravel()) for column in matrix.columns]
    total = sum(
        a * sum(c * b for c, b in zip(row, right, strict=True)) for a, row in zip(left, matrix.dense(), strict=True)
    )
    assert (total - y.substitute(tokens)) % (101 if domain == 101 else 10**60) == 0


@pytest.mark.parametrize("sizes", [Architecture(2, 2), Architecture(2, 2, 2, residual=True), Architecture(1, 3, 3)])
@pytest.mark.parametrize("domain", ["ZZ", 5, 4194301])
def test_the_rank_of_the_blocks_is_that_of_the_whole(sizes, domain):
    matrix = coefficient_matrix(polynomial(sizes, domain=domain), [0, 1])
    if domain == "ZZ":
        assert matrix.rank == flint.fmpz_mat(matrix.dense()).rank()
    else:
        assert matrix.rank == rank_by_integers(matrix.dense(), domain)
    assert sum(len(block) for block in matrix.blocks()) == matrix.shape[0]
    assert sum(len(block[0]) for block in matrix.blocks()) == matrix.shape[1]


def test_bidegrees_are_in_different_blocks():
    y = polynomial()
    assert len(coefficient_matrix(y, [0]).blocks()) == len(y.bidegree_parts([0])) == 5
    ranks = [coefficient_rank(part, [0]) for part in y.bidegree_parts([0]).values()]
    assert sum(ranks) == coefficient_rank(y, [0]) == 16


@pytest.mark.parametrize(("N", "NA"), [(2, 1), (3, 1), (3, 2), (4, 2)])
@pytest.mark.parametrize("sizes", [Architecture(1, 2, 2), Architecture(2, 2), Architecture(2, 2, 2, residual=True)])
def test_the_rank_depends_on_the_sizes_of_the_sides_only(sizes, N, NA):
    y = polynomial(sizes, N, position=N - 1)
    others = range(N - 1)
    ranks = {coefficient_rank(y, [N - 1, *chosen]) for chosen in combinations(others, NA - 1)}
    assert ranks == {coefficient_rank(polynomial(sizes, N), range(NA))}


@pytest.fixture(scope="module")
def four_tokens():
    return polynomial(N=4)


@given(A=st.sets(st.integers(0, 3), min_size=1, max_size=3))
def test_the_two_sides_may_be_exchanged(four_tokens, A):
    y = four_tokens
    rest = set(range(4)) - A
    assert coefficient_rank(y, A) == coefficient_rank(y, rest)
    known = {1: 16, 2: 18, 3: 17}  # positions on the side of the output
    assert coefficient_rank(y, A) == known[len(A if 0 in A else rest)]


@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5, 7, 11]))
def test_a_rank_modulo_a_prime_is_no_larger(seed, prime):
    weights = small_weights(Architecture(2, 2), seed)
    y = network_polynomial(weights, 2)
    assert coefficient_rank(y.modulo(prime), [0]) <= coefficient_rank(y, [0]) <= 15


def test_fractions():
    arrays = [np.array([[[[0.5, 0.25], [1.0, -0.125]]]]) * scale for scale in (1, 3, 0.1, 7)]
    y = network_polynomial(Weights.from_arrays(*arrays), 2, domain="QQ")
    matrix = coefficient_matrix(y, [0])
    assert matrix.rank == 3
    assert all(isinstance(entry, Fraction) for entry in matrix.entries.values())


def test_the_zero_polynomial_has_rank_0():
    sizes = Architecture(1, 2)
    zero = Weights(sizes, *(0 * array for array in small_weights(sizes, 0)))
    for domain in ("ZZ", "QQ", 7):
        matrix = coefficient_matrix(network_polynomial(zero, 2, domain=domain), [0])
        assert (matrix.shape, matrix.rank, matrix.dense(), matrix.blocks()) == ((0, 0), 0, [], [])


def test_what_is_refused():
    for network, options in ((Architecture(1, 2), {"N": 2}), (Architecture(1, 2), {"tokens": [[1, 2], [3, 4]]})):
        with pytest.raises(InvalidInput, match=r"^polynomial must have symbolic tokens and weights that are numbers"):
            coefficient_matrix(network_polynomial(network, **options), [0])
    for A in ([], [0, 1, 2], [0, 0]):
        with pytest.raises(InvalidInput, match=r"^A must hold distinct positions, at least one and not all of 3"):
            coefficient_rank(polynomial(), A)


@pytest.mark.parametrize(
    ("rows", "columns", "rank", "bits"), [(5, 7, 3, 4), (12, 9, 9, 90), (20, 20, 7, 200), (6, 6, 0, 1)]
)
def test_the_rational_rank_of_a_product(rows, columns, rank, bits):
    random = Random(rows * columns)

    def matrix(m, n):
        return np.array(
            [[random.getrandbits(bits) - 2 ** (bits - 1) for _ in range(n)] for _ in range(m)], dtype=object
        )

    product = (matrix(rows, rank) @ matrix(rank, columns)).tolist() if rank else [[0] * columns] * rows
    assert rational_rank(product) == flint.fmpz_mat(product).rank() == rank


def test_an_unlucky_first_prime_does_not_lower_the_rational_rank():
    first, second = 2**63 - 25, 2**63 - 165
    assert rational_rank([[first]]) == rational_rank([[first, 0], [0, 0]]) == 1
    assert rational_rank([[first, 0], [0, second]]) == 2
    assert rational_rank([[first * second, 0], [0, 1], [0, 2]]) == 2
    assert flint.nmod_mat(flint.fmpz_mat([[first * second, 0], [0, 1]]), first).rank() == 1


@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_rational_rank_of_small_matrices(matrix):
    assert rational_rank(matrix) == flint.fmpz_mat(matrix).rank()


def test_the_rational_rank_of_nothing():
    assert rational_rank([]) == rational_rank([[], []]) == rational_rank([[0, 0]]) == 0
