"""The primes that the toolkit computes with: which ones are allowed, and a proof that a number is prime."""

import operator

from seprank.errors import InvalidInput

# A product of two residues stays below 2**62, so the sum of two of them still fits a signed 64-bit number.
MAX_PRIME = 2**31 - 1

# The largest prime whose inner products of length 2048 are exact in float64 (see `products.exact_depth`).
DEFAULT_PRIME = 4194301

# These bases decide every number below 3.3 * 10**24 (Sorenson and Webster 2015), hence all below 2**64.
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def is_prime(n: int) -> bool:
    """Whether the whole number `n` is prime: a proof, not a guess, for every ``n < 2**64``.

    Deterministic Miller-Rabin. Numbers below 2 are not prime. Raises `InvalidInput` for ``n >= 2**64``,
    where the fixed bases prove nothing, and for anything that is not a whole number.

    >>> is_prime(4194301), is_prime(2**31 - 1), is_prime(1), is_prime(3215031751)
    (True, True, False, False)
    """
    number = _whole(n)
    if number is None or number >= 2**64:
        raise InvalidInput(f"n must be a whole number below 2**64, got {n!r}")
    if number < 2:
        return False
    for base in _BASES:
        if number % base == 0:
            return number == base
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, base, odd, twos) for base in _BASES)


def check_prime(value: object, name: str = "prime") -> int:
    """`value` as an int, once it is known to be a prime from 2 to `MAX_PRIME`.

    Raises `InvalidInput`, naming `name`, the rule and the value, for composite and out-of-range numbers,
    floats, Booleans and strings.

    >>> check_prime(65537)
    65537
    """
    number = _whole(value)
    if number is None or not 2 <= number <= MAX_PRIME or not is_prime(number):
        raise InvalidInput(f"{name} must be a prime at most {MAX_PRIME}, got {value!r}")
    return number


def _whole(value: object) -> int | None:
    """`value` as an int, or None for what is not a whole number."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    """Whether `number` = 1 + odd * 2**twos looks prime to `base`."""
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
