"""The compiled loops alone, at the ends of their ranges, against Python integers."""

import numpy as np
import pytest

from seprank.field.arithmetic import (
    add_halves,
    add_reduced,
    find_pivots,
    invert,
    is_zero,
    modulus,
    reciprocal,
    store_reduced,
    subtract_multiple,
)
from seprank.field.primes import is_prime

# The largest primes up to each power of two: every switch between ways of computing lies between two of them.
PRIMES = [2, 3, *(next(p for p in range(2**k, 1, -1) if is_prime(p)) for k in (*range(3, 32, 4), 22, 25, 26, 28, 30))]
SMALL = [2, 3, 5, 7, 101, 127, 251, 509, 1021, 2039]
ROADS = [*((prime, "float64", 53, 24) for prime in PRIMES), *((prime, "float32", 24, 22) for prime in SMALL)]

roads = pytest.mark.parametrize(("prime", "dtype", "bits", "few"), ROADS)


def lift(x: int, prime: int) -> int:
    """The balanced residue of `x`."""
    return (x + (prime - 1) // 2) % prime - (prime - 1) // 2


def extremes(prime: int) -> list[int]:
    half = prime // 2
    return sorted({lift(x, prime) for x in (0, 1, -1, 2, half, half + 1, half - 1, -half, half // 2, 32768, 16384)})


def boundaries(prime: int, largest: int) -> list[int]:
    """Numbers up to `largest` in size: small ones, random ones, and those next to multiples and half multiples."""
    rng = np.random.default_rng(0)
    multiples = [prime * int(k) for k in rng.integers(largest // (2 * prime), largest // prime - 1, 2000)]
    near = [m + d for m in multiples for d in (-(prime // 2), (prime - 1) // 2, prime // 2, prime // 2 + 1, 0, 1)]
    return [s * x for s in (1, -1) for x in (*near, *range(1000), largest)]


@roads
def test_remainders_next_to_every_kind_of_boundary(prime, dtype, bits, few):
    numbers = boundaries(prime, 2**few if prime < 5 else 2**bits - 2 * prime)
    array = np.array([numbers], dtype=dtype)
    assert [int(x) for x in array[0]] == numbers
    result = np.empty_like(array)
    store_reduced(result, 0, 0, array, modulus(prime, dtype))
    assert [int(x) for x in result[0]] == [lift(x, prime) for x in numbers]


@roads
def test_sums_next_to_every_kind_of_boundary(prime, dtype, bits, few):
    half = prime // 2
    numbers = boundaries(prime, 2**few - 1 if prime < 5 else 2**bits - 3 * prime)
    target = np.full((3, len(numbers) + 2), half, dtype=dtype)
    add_reduced(target, 1, 1, np.array([numbers], dtype=dtype), modulus(prime, dtype))
    assert [int(x) for x in target[1, 1:-1]] == [lift(half + x, prime) for x in numbers]
    target[1, 1:-1] = half
    assert np.all(target == half)


@roads
def test_multiples_of_extreme_entries(prime, dtype, bits, few):
    cases = extremes(prime)
    for factor in cases:
        other = np.array(cases * len(cases), dtype=dtype)
        row = np.repeat(np.array(cases, dtype=dtype), len(cases))
        expected = [lift(int(a) - factor * int(b), prime) for a, b in zip(row, other, strict=True)]
        subtract_multiple(row, row.dtype.type(factor), other, modulus(prime, dtype))
        assert row.tolist() == expected


@roads
def test_multiples_of_random_entries(prime, dtype, bits, few):
    rng = np.random.default_rng(1)
    low, high = -((prime - 1) // 2), prime // 2
    row, other = rng.integers(low, high + 1, (2, 2000))
    for factor in rng.integers(low, high + 1, 20).tolist():
        result = row.astype(dtype)
        subtract_multiple(result, result.dtype.type(factor), other.astype(dtype), modulus(prime, dtype))
        assert result.tolist() == [
            lift(a - factor * b, prime) for a, b in zip(row.tolist(), other.tolist(), strict=True)
        ]


@roads
def test_reciprocals(prime, dtype, bits, few):
    for x in [x for x in extremes(prime) if x]:
        assert reciprocal(np.dtype(dtype).type(x), modulus(prime, dtype)) == lift(pow(x, -1, prime), prime)


def test_halves_add_up_at_the_largest_prime():
    prime, half = 2**31 - 1, 2**30 - 1
    high, low = 255 * 2**15 * half, 255 * 2**14 * half
    for signs in ((1, 1, 1), (-1, -1, -1), (1, -1, 1)):
        target = np.full((1, 1), float(signs[0] * half))
        arguments = np.full((1, 1), float(signs[1] * high)), np.full((1, 1), float(signs[2] * low))
        add_halves(target, 0, 0, *arguments, modulus(prime, "float64"))
        assert int(target[0, 0]) == lift(signs[0] * half + 2**15 * signs[1] * high + signs[2] * low, prime)


@roads
def test_the_pivot_block_has_an_inverse(prime, dtype, bits, few):
    rng = np.random.default_rng(2)
    block = rng.integers(-((prime - 1) // 2), prime // 2 + 1, (30, 20)).astype(dtype)
    block[:, 7] = block[:, 3]
    block[4] = block[2]
    rows, columns = np.zeros((2, 20), dtype=np.int64)
    count = find_pivots(block.copy(), modulus(prime, dtype), rows, columns)
    assert count == 19 or (prime < 10 and 15 < count < 19)
    assert rows[:count].tolist() == sorted(set(rows[:count].tolist()) - {4})
    pivotal = block[np.ix_(rows[:count], columns[:count])]
    inverse = pivotal.copy()
    invert(inverse, modulus(prime, dtype))
    product = pivotal.astype(np.int64).astype(object) @ inverse.astype(np.int64).astype(object) % prime
    assert np.array_equal(product, np.eye(count, dtype=object))


def test_zeros_are_told_from_the_smallest_numbers():
    for dtype in ("float32", "float64"):
        matrix = np.ones((40, 70), dtype=dtype)
        matrix[5:, 3:67] = 0
        assert is_zero(matrix, 5, 3, 67)
        assert is_zero(matrix, 40, 0, 70)
        assert not is_zero(matrix, 4, 3, 67)
        assert not is_zero(matrix, 5, 2, 67)
        assert not is_zero(matrix, 5, 3, 68)
        matrix[39, 66] = -1
        assert not is_zero(matrix, 5, 3, 67)
