import re

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME, check_prime, is_prime

STRONG_PSEUDOPRIMES = (2047, 1373653, 25326001, 3215031751, 3474749660383, 341550071728321)


def test_small_numbers_against_a_sieve():
    sieve = np.ones(20000, dtype=bool)
    sieve[:2] = False
    for n in range(2, 142):
        sieve[n * n :: n] = False
    assert [n for n in range(-3, 20000) if is_prime(n)] == np.flatnonzero(sieve).tolist()


@pytest.mark.parametrize("n", STRONG_PSEUDOPRIMES)
def test_strong_pseudoprimes_are_composite(n):
    assert not is_prime(n)


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (2**31 - 1, True),
        (2147483629, True),
        (2147483629 * 2147483647, False),
        (2**61 - 1, True),
        (2**64 - 59, True),  # the largest prime below 2**64
        (2**64 - 1, False),
        (np.int64(65537), True),
    ],
)
def test_large_numbers(n, expected):
    assert is_prime(n) is expected


@pytest.mark.parametrize("n", [2**64, 7.0, True, "7", None])
def test_numbers_that_cannot_be_decided_are_refused(n):
    with pytest.raises(InvalidInput, match=re.escape(f"n must be a whole number below 2**64, got {n!r}")):
        is_prime(n)


@pytest.mark.parametrize("value", [2, 3, 65537, DEFAULT_PRIME, MAX_PRIME, np.uint32(7)])
def test_allowed_primes_come_back_as_int(value):
    assert check_prime(value) == value
    assert type(check_prime(value)) is int


@pytest.mark.parametrize("value", [6, 1, 0, -7, 2**31 + 11, 2**61 - 1, 2**64, 7.0, True, "7", None])
def test_everything_else_is_refused_in_one_line(value):
    message = f"^prime must be a prime at most 2147483647, got {re.escape(repr(value))}$"
    with pytest.raises(InvalidInput, match=message):
        check_prime(value)


def test_the_message_names_the_argument():
    with pytest.raises(InvalidInput, match=r"^second_prime must be a prime at most 2147483647, got 6$"):
        check_prime(6, "second_prime")
