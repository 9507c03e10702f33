"""Both roads at the limits of their exactness, and the memory that is promised."""

import tracemalloc

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field import NARROW_PRIME, elimination_bytes, exact_dtypes, matmul, pivots, products, thread_limit
from seprank.field.elimination import eliminate
from seprank.field.entries import balanced
from seprank.field.primes import is_prime
from seprank.field.products import add_product
from seprank.field.reference import rank_by_flint
from seprank.field.roads import exact_depth
from seprank.field.tiling import Room, tiles

# Depths from more than a million down to 16, and one long inner product of float64.
LIMITS = [(p, "float32") for p in (2, 3, 5, 7, 101, 251, 509, 1021, 2039)] + [
    (4194301, "float64"),
    (16777213, "float64"),
]


def largest_sum(depth: int, half: int, signs: tuple[int, int], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    return np.full((2, depth), signs[0] * half, dtype=dtype), np.full((depth, 3), signs[1] * half, dtype=dtype)


def test_float32_is_offered_below_two_to_the_eleven():
    primes = [p for p in range(2**11 - 200, 2**11 + 200) if is_prime(p)]
    assert [exact_dtypes(p)[0].name for p in primes] == ["float32" if p < 2**11 else "float64" for p in primes]
    assert [dtype.name for dtype in exact_dtypes(NARROW_PRIME)] == ["float32", "float64"]
    with pytest.raises(InvalidInput, match="prime must be a prime at most 2147483647, got 4"):
        exact_dtypes(4)


@pytest.mark.parametrize(("prime", "dtype"), LIMITS)
def test_the_longest_exact_inner_product(prime, dtype):
    largest, limit = prime // 2, 2**24 if dtype == "float32" else 2**53
    assert exact_depth(prime, dtype) * largest**2 <= limit < (exact_depth(prime, dtype) + 1) * largest**2
    with pytest.raises(InvalidInput, match="dtype must be float64 or float32, got float16"):
        exact_depth(prime, np.float16)


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize(("prime", "dtype"), LIMITS)
def test_extreme_residues_at_the_largest_depth(prime, dtype, signs):
    half = prime // 2
    depth, halved = products._plan(prime, dtype)
    assert not halved
    for length in (depth - 1, depth, depth + 1):
        A, B = largest_sum(length, half, signs, dtype)
        target = balanced(np.full((4, 5), half), prime, dtype)
        add_product(target, 1, 1, A, B, prime, Room(dtype))
        expected = (half + length * signs[0] * signs[1] * half**2) % prime
        assert (target[1:3, 1:4].astype(np.int64) % prime == expected).all()
        assert (target[3:] == half).all()


@pytest.mark.parametrize(("prime", "dtype"), LIMITS)
def test_one_term_more_than_the_dtype_holds_is_caught(monkeypatch, prime, dtype):
    depth = exact_depth(prime, dtype)
    if depth > 10**6:
        depth = 2**24  # only for the primes 2 and 3, whose sums never come near
    monkeypatch.setattr(products, "_plan", lambda prime, dtype: (depth + 1, False))
    A, B = np.zeros((1, depth + 1), dtype), np.zeros((depth + 1, 1), dtype)
    with pytest.raises(ArithmeticError, match=f"a sum of {depth + 1} products modulo {prime} may reach .* {dtype}$"):
        add_product(np.zeros((1, 1), dtype), 0, 0, A, B, prime, Room(dtype))


def test_why_the_assertion_is_needed():
    # One more than the limit, and float32 rounds: the sum of K + 1 products is wrong.
    half, depth = 251, exact_depth(503, "float32")
    A = np.full((1, 2 * depth + 1), half, dtype=np.float32)
    assert int((A @ A.T)[0, 0]) != (2 * depth + 1) * half**2
    assert int((A[:, :depth] @ A.T[:depth])[0, 0]) == depth * half**2


@pytest.mark.parametrize("prime", [2053, 4194301])
def test_a_matrix_of_the_wrong_dtype_is_caught(prime):
    with pytest.raises(ArithmeticError, match=f"float32 cannot hold products modulo {prime} exactly"):
        eliminate(np.zeros((3, 3), dtype=np.float32), prime)


@pytest.mark.parametrize("prime", [2, 3, 5, 101, 251, 509, 1021, 2039])
@pytest.mark.parametrize("threads", [1, 2])
def test_both_roads_find_the_same_pivots(prime, threads):
    rng = np.random.default_rng(prime)
    for shape, r in (((150, 130), 130), ((200, 330), 177), ((700, 650), 600)):
        matrix = matmul(rng.integers(0, prime, (shape[0], r)), rng.integers(0, prime, (r, shape[1])), prime)
        with thread_limit(threads):
            found = [eliminate(balanced(matrix, prime, dtype), prime) for dtype in exact_dtypes(prime)]
        assert found[0] == found[1] == pivots(matrix, prime)
        assert found[0].rank == rank_by_flint(matrix, prime)


@pytest.mark.parametrize("prime", [509, 2039])
def test_extreme_residues_through_every_stage(prime):
    signs = np.random.default_rng(prime).choice([-1, 1], (400, 400))
    for matrix in (signs * (prime // 2), np.where(signs > 0, prime // 2, 0)):
        assert pivots(matrix, prime).rank == rank_by_flint(matrix, prime)


@pytest.mark.parametrize("prime", [509, 4194301, 2147483647])
def test_shared_out_products_are_the_same(monkeypatch, prime):
    monkeypatch.setattr("seprank.field.tiling._WORTH", 1e5)  # threads even for small products
    rng = np.random.default_rng(4)
    matrix = matmul(rng.integers(0, prime, (420, 333)), rng.integers(0, prime, (333, 450)), prime)
    found = []
    for threads in (1, 2, 3):
        with thread_limit(threads):
            found.append((pivots(matrix, prime), matmul(matrix, matrix.T, prime).tolist()))
    assert found[0] == found[1] == found[2]
    assert found[0][0].rank == 333


@pytest.mark.parametrize("height", [0, 1, 700, 5000])
@pytest.mark.parametrize("width", [0, 1, 64, 1500])
@pytest.mark.parametrize("parts", [1, 2, 16])
def test_tiles_cover_every_entry_once(height, width, parts):
    covered = np.zeros((height, width), dtype=np.int8)
    for rows, columns in tiles(height, width, 300, parts):
        assert covered[rows, columns].size <= 2**20
        covered[rows, columns] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize(
    ("prime", "shape"), [(4194301, (600, 700)), (2147483647, (1200, 300)), (509, (300, 1300)), (509, (20000, 70))]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_elimination_keeps_its_promise_of_memory(prime, shape, threads):
    dtype = exact_dtypes(prime)[0]
    work = balanced(np.random.default_rng(0).integers(0, prime, shape), prime, dtype)
    eliminate(work[:70, :70].copy(), prime)  # compiled before the measurement
    with thread_limit(threads):
        tracemalloc.start()
        eliminate(work, prime)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert work.nbytes + peak <= elimination_bytes(*shape, dtype, threads)
    # and does not promise much more than the matrix where that is large
    assert elimination_bytes(20000, 20000, dtype, threads) <= 1.1 * 20000**2 * dtype.itemsize


def test_the_bytes_of_other_types_are_not_known():
    with pytest.raises(InvalidInput, match="dtype must be float64 or float32, got int64"):
        elimination_bytes(3, 3, np.int64)
