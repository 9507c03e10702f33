import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field import matmul, products
from seprank.field.entries import balanced
from seprank.field.primes import is_prime
from seprank.field.products import add_product, exact_depth
from seprank.field.tiling import Room


def largest_prime_at_most(n: int) -> int:
    return next(p for p in range(n, 1, -1) if is_prime(p))


# Depths 8192, 2048, 128, then both sides of the switch to halves, then one product at most, then none.
DEEP = [largest_prime_at_most(n) for n in (2**21, 2**22, 2**24, 23726566, 23726650, 2**26, 2**27, 2**28)]
PRIMES = [2, 3, 5, 101, 65537, *DEEP, 2147483629, 2147483647]


def by_integers(A: np.ndarray, B: np.ndarray, prime: int) -> list[list[int]]:
    return (A.astype(object) @ B.astype(object) % prime).tolist()


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 300, 2), (2, 5000, 3), (0, 4, 3), (2, 0, 3), (2, 3, 0)])
def test_random_products_against_integers(prime, shape):
    m, k, n = shape
    rng = np.random.default_rng(0)
    A, B = rng.integers(0, prime, (m, k)), rng.integers(0, prime, (k, n))
    product = matmul(A, B, prime)
    assert product.dtype == np.int64
    assert product.shape == (m, n)
    assert product.tolist() == (by_integers(A, B, prime) if k else [[0] * n] * m)


@pytest.mark.parametrize("prime", [*DEEP, 2147483629, 2147483647])
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, -1)])
def test_extreme_entries_at_every_chunk_boundary(prime, signs):
    half = (prime - 1) // 2
    depth, _ = products._plan(prime, np.float64)
    lengths = {depth + d for d in (-1, 0, 1)} | {2 * depth + 1} | {max(1, exact_depth(prime) + d) for d in (0, 1)}
    for length in lengths:
        A = np.full((2, length), signs[0] * half)
        B = np.full((length, 3), signs[1] * half)
        assert matmul(A, B, prime).tolist() == [[length * signs[0] * signs[1] * half**2 % prime] * 3] * 2


def test_tiles_meet_without_a_seam():
    rng = np.random.default_rng(1)
    A, B = rng.integers(0, 101, (1025, 3)), rng.integers(0, 101, (3, 2050))
    assert np.array_equal(matmul(A, B, 101), A @ B % 101)
    A, B = rng.integers(0, 101, (40000, 30)), rng.integers(0, 101, (30, 65))
    assert np.array_equal(matmul(A, B, 101), A @ B % 101)


@pytest.mark.parametrize("prime", PRIMES)
def test_sums_stay_balanced(prime):
    rng = np.random.default_rng(2)
    A, B = (balanced(rng.integers(0, prime, shape), prime) for shape in ((6, 40), (40, 7)))
    target = balanced(rng.integers(0, prime, (8, 9)), prime)
    before = target.copy()
    add_product(target, 1, 2, A, B, prime, Room(target.dtype))
    expected = before.astype(np.int64).astype(object)
    expected[1:7, 2:9] += A.astype(np.int64).astype(object) @ B.astype(np.int64).astype(object)
    assert (target.astype(np.int64) % prime).tolist() == (expected % prime).tolist()
    assert target.max() <= prime // 2
    assert target.min() >= -((prime - 1) // 2)


def test_the_longest_exact_inner_product():
    assert exact_depth(4194301) == 2048
    for prime in PRIMES:
        largest = max(1, (prime - 1) // 2)
        assert exact_depth(prime) * largest**2 <= 2**53 < (exact_depth(prime) + 1) * largest**2
    with pytest.raises(InvalidInput, match="prime must be a prime at most 2147483647, got 9"):
        exact_depth(9)


def test_a_sum_that_is_one_term_too_long_is_caught():
    prime, half = 4194301, 2097150
    exact = products._exact_product(np.full((1, 2048), 1.0 * half), np.full((2048, 1), 1.0 * half), half, prime)
    assert int(exact[0, 0]) == 2048 * half**2
    with pytest.raises(ArithmeticError, match="a sum of 2049 products modulo 4194301 may reach"):
        products._exact_product(np.zeros((1, 2049)), np.zeros((2049, 1)), half, prime)


@pytest.mark.parametrize(("prime", "plan"), [(4194301, (2049, False)), (2**31 - 1, (256, True))])
def test_a_wrong_plan_is_caught(monkeypatch, prime, plan):
    monkeypatch.setattr(products, "_plan", lambda prime, dtype: plan)
    A = np.full((1, plan[0]), prime // 2)
    with pytest.raises(ArithmeticError, match="too much for exact float64"):
        matmul(A, A.T, prime)


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidInput, match=r"A and B must fit together, got shapes \(1, 2\) and \(1, 2\)"):
        matmul([[1, 2]], [[1, 2]], 7)
    with pytest.raises(InvalidInput, match="B must be a two-dimensional array of integers, got dtype float64"):
        matmul([[1, 2]], np.ones((2, 2)), 7)
    with pytest.raises(InvalidInput, match="prime must be a prime at most 2147483647, got 1"):
        matmul([[1, 2]], [[1], [2]], 1)
