import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seprank.field import exact_dtypes, matmul, pivots, rank, thread_limit
from seprank.field.elimination import eliminate
from seprank.field.entries import balanced
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME
from seprank.field.reference import rank_by_flint, rank_by_integers

primes = st.sampled_from([2, 3, 5, 7, 101, 65537, DEFAULT_PRIME, MAX_PRIME])
fixed = settings(max_examples=80, deadline=None, derandomize=True, database=None)


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None) -> np.ndarray:
    """Small matrices with many zeros, repeats and extreme entries, where ranks fall short in all manners."""
    m = draw(st.integers(0, 9)) if rows is None else rows
    n = draw(st.integers(0, 9))
    entries = st.one_of(st.integers(-2, 2), st.integers(-(2**63), 2**63 - 1))
    flat = draw(st.lists(entries, min_size=m * n, max_size=m * n))
    return np.array(flat, dtype=np.int64).reshape(m, n)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    A = draw(matrices())
    return A, draw(matrices(rows=A.shape[1]))


@fixed
@given(matrices(), primes)
def test_three_roads_agree(matrix, prime):
    assert rank(matrix, prime) == rank_by_flint(matrix, prime) == rank_by_integers(matrix, prime)


@fixed
@given(matrices(), primes)
def test_the_minor_on_the_pivots_is_invertible(matrix, prime):
    found = pivots(matrix, prime)
    minor = matrix[np.ix_(found.rows, found.columns)]
    assert rank_by_integers(minor, prime) == found.rank


@fixed
@given(matrices(), primes, st.randoms(use_true_random=False))
def test_transposing_and_permuting_keep_the_rank(matrix, prime, random):
    rows, columns = list(range(matrix.shape[0])), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    assert rank(matrix.T, prime) == rank(matrix, prime) == rank(matrix[rows][:, columns], prime)


@fixed
@given(pairs(), primes)
def test_products_against_integers_and_their_rank(pair, prime):
    A, B = pair
    product = matmul(A, B, prime)
    expected = [[sum(int(a) * int(b) for a, b in zip(row, column, strict=True)) % prime for column in B.T] for row in A]
    assert product.tolist() == expected
    # Sylvester's inequality on one side, the factors on the other.
    low, high = rank(A, prime) + rank(B, prime) - A.shape[1], min(rank(A, prime), rank(B, prime))
    assert low <= rank(product, prime) <= high


@fixed
@given(matrices(), matrices(), primes)
def test_ranks_of_a_block_diagonal_add_up(A, B, prime):
    block = np.zeros((A.shape[0] + B.shape[0], A.shape[1] + B.shape[1]), dtype=np.int64)
    block[: A.shape[0], : A.shape[1]] = A
    block[A.shape[0] :, A.shape[1] :] = B
    assert rank(block, prime) == rank(A, prime) + rank(B, prime)


@st.composite
def profiles(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Matrices of up to 200 rows and columns with a planted rank, scattered zero lines and repeated ones, in blocks."""
    prime = draw(st.sampled_from([2, 3, 5, 101, 251, 509, 1021, 2039, 2053, 65537, DEFAULT_PRIME, MAX_PRIME]))
    m, n = draw(st.integers(1, 200)), draw(st.integers(1, 200))
    r = draw(st.integers(0, min(m, n)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    left, right = rng.integers(0, prime, (m, r)), rng.integers(0, prime, (r, n))
    left[rng.random(m) < draw(st.sampled_from([0, 0.3, 0.9]))] = 0
    right[:, rng.random(n) < draw(st.sampled_from([0, 0.3, 0.9]))] = 0
    staircase = draw(st.booleans())
    if staircase:  # pivots come late, one step after the other
        left[np.arange(r)[None, :] > np.sort(rng.integers(0, r + 1, m))[:, None]] = 0
    extreme = draw(st.booleans())
    if extreme:
        right = np.where(right % 2 == 0, prime // 2, -((prime - 1) // 2))
    order = rng.integers(0, m, m) if draw(st.booleans()) else rng.permutation(m)
    return matmul(left, right, prime)[order], prime


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(profiles(), st.sampled_from([1, 2]))
def test_ranks_and_minors_of_many_profiles_against_flint(profile, threads):
    matrix, prime = profile
    with thread_limit(threads):
        found = pivots(matrix, prime)
    assert found.rank == rank_by_flint(matrix, prime)
    assert rank_by_flint(matrix[np.ix_(found.rows, found.columns)], prime) == found.rank
    for dtype in exact_dtypes(prime):
        assert eliminate(balanced(matrix, prime, dtype), prime) == found
