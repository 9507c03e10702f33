import flint
import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field import matmul, pivots, rank, thread_limit
from seprank.field.elimination import Pivots, eliminate
from seprank.field.entries import balanced
from seprank.field.reference import rank_by_flint, rank_by_integers

ROADS = [rank, rank_by_flint, rank_by_integers]
SIZES = [
    *[(n, n) for n in (1, 2, 47, 63, 64, 65, 127, 128, 129, 193)],
    *[(1, 7), (7, 1), (2, 130), (130, 2), (65, 200), (200, 65), (300, 500), (500, 300), (1100, 40)],
]


def planted(m: int, n: int, r: int, prime: int, seed: int) -> np.ndarray:
    """A random matrix of rank at most `r` (and, for large primes, of rank `r` almost surely)."""
    rng = np.random.default_rng(seed)
    return matmul(rng.integers(0, prime, (m, r)), rng.integers(0, prime, (r, n)), prime)


def as_flint(matrix: np.ndarray, prime: int) -> flint.nmod_mat:
    return flint.nmod_mat(*matrix.shape, [int(x) for x in matrix.ravel()], prime)


def confirm(matrix: np.ndarray, prime: int) -> Pivots:
    """The pivots of `matrix`, after FLINT has confirmed the rank and the minor."""
    found = pivots(matrix, prime)
    assert found.rank == rank_by_flint(matrix, prime)
    assert len(found.rows) == len(found.columns) == found.rank
    assert list(found.rows) == sorted(found.rows)
    assert list(found.columns) == sorted(found.columns)
    if found.rank:
        minor = matrix[np.ix_(found.rows, found.columns)]
        assert as_flint(minor, prime).det() != 0
    return found


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("prime", [3, 65537, 2147483629, 2147483647])
def test_ones_and_minus_ones_have_rank_one(road, prime):
    assert road([[1, prime - 1], [prime - 1, 1]], prime) == 1


@pytest.mark.parametrize("road", ROADS)
def test_the_rank_depends_on_the_prime(road):
    assert road([[2, 1], [1, 2]], 3) == 1
    assert road([[2, 1], [1, 2]], 5) == 2
    assert road([[1, 1], [1, 1]], 2) == 1
    assert road([[1, 1], [0, 1]], 2) == 2


@pytest.mark.parametrize("road", [*ROADS, pivots])
@pytest.mark.parametrize("modulus", [6, 1, 0, -7, 2**31 + 11, 4294967291, 7.0, True])
def test_a_modulus_that_is_not_an_allowed_prime_is_refused(road, modulus):
    with pytest.raises(InvalidInput, match=f"^prime must be a prime at most 2147483647, got {modulus}$"):
        road([[2, 1], [1, 2]], modulus)


@pytest.mark.parametrize("size", SIZES)
def test_random_matrices(size, prime):
    matrix = np.random.default_rng(size).integers(0, prime, size)
    found = confirm(matrix, prime)
    if prime > 10**6:
        assert found.rank == min(size)


@pytest.mark.parametrize("size", SIZES)
def test_planted_ranks(size, prime):
    for r in sorted({min(size) // 2, min(size) - 1} - {0}):
        found = confirm(planted(*size, r, prime, seed=r), prime)
        assert found.rank == r or prime < 1000


def test_pivots_scattered_over_rows_and_columns(prime):
    rng = np.random.default_rng(3)
    core = planted(70, 75, 66, prime, seed=4)
    matrix = np.zeros((400, 310), dtype=np.int64)
    rows, columns = np.sort(rng.permutation(400)[:70]), np.sort(rng.permutation(310)[:75])
    matrix[np.ix_(rows, columns)] = core
    found = confirm(matrix, prime)
    assert set(found.rows) <= set(rows.tolist())
    assert set(found.columns) <= set(columns.tolist())


def test_repeated_rows_and_columns(prime):
    core = np.random.default_rng(5).integers(0, prime, (10, 12))
    matrix = core[np.repeat(np.arange(10), 30)][:, np.repeat(np.arange(12), 20)]
    assert confirm(matrix, prime).rank == rank_by_integers(core, prime)


def test_pivots_that_come_late_in_the_rows(prime):
    # A new pivot in each of many row blocks of one panel, with dependent rows in between.
    rng = np.random.default_rng(6)
    matrix = np.zeros((130 * 12, 20), dtype=np.int64)
    for k in range(12):
        matrix[130 * k : 130 * (k + 1)] = rng.integers(0, 2, (130, 1)) * rng.integers(0, prime, 20)
    confirm(matrix, prime)


def test_far_more_rows_than_columns_and_the_reverse():
    for prime in (101, 2147483647):
        matrix = planted(20000, 100, 90, prime, seed=11)
        matrix[:9000] = 0
        assert rank(matrix, prime) == rank(matrix.T, prime) == 90


def test_reversed_identity_and_triangles(prime):
    identity = np.eye(150, dtype=np.int64)
    assert confirm(identity[::-1], prime).rank == confirm(identity[:, ::-1], prime).rank == 150
    ones = np.ones((150, 150), dtype=np.int64)
    assert confirm(np.triu(ones), prime).rank == 150
    assert confirm(np.triu(ones, 1)[::-1], prime).rank == 149


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1), (3, 200), (200, 3), (300, 300)])
def test_zero_and_empty_matrices_have_rank_zero(shape, prime):
    zero = np.zeros(shape, dtype=np.int64)
    assert pivots(zero, prime) == pivots(zero + prime, prime) == Pivots(0, (), ())
    assert rank_by_flint(zero, prime) == rank_by_integers(zero, prime) == 0


def test_products_longer_than_float64_can_hold_at_once():
    # Eliminating the left half from the right one sums 320 products: more than one chunk at these primes.
    for prime in (16777213, 2147483647):
        matrix = planted(650, 650, 630, prime, seed=7)
        assert confirm(matrix, prime).rank == 630


def test_extreme_residues(prime):
    half = prime // 2
    signs = np.random.default_rng(8).choice([-1, 1], (150, 150))
    confirm(signs * half, prime)
    confirm(np.where(signs > 0, half, 0), prime)


@pytest.mark.parametrize("prime", [2, 4194301, 2147483647])
def test_the_answer_does_not_depend_on_the_number_of_threads(prime):
    matrix = planted(600, 550, 500, prime, seed=9)
    with thread_limit(1):
        one = pivots(matrix, prime)
    with thread_limit(2):
        two = pivots(matrix, prime)
    assert one == two == pivots(matrix, prime)


def test_eliminate_works_in_the_array_that_it_is_given():
    matrix = planted(90, 80, 70, 101, seed=10)
    work = balanced(matrix, 101)
    found = eliminate(work, 101)
    assert found == pivots(matrix, 101)
    assert not np.array_equal(work, balanced(matrix, 101))
