"""The rank of an integer matrix over the rationals: exact, by enough primes.

A rank modulo a prime never exceeds the rational rank. If it is ``r`` for several primes and the rational rank were
larger, some minor of size ``r + 1`` would not be zero and yet be divisible by all of them, so at least as large as
their product. Once the product passes Hadamard's bound on such minors, ``r`` is the rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from seprank.field.primes import is_prime

_LARGEST = 2**63


def rational_rank(matrix: Sequence[Sequence[int]]) -> int:
    """The rank over the rationals of a matrix of Python ints, rows of one length: exact and proved.

    A matrix of full rank takes one elimination; others take about ``r b / 63`` of them for rank ``r`` and entries of
    ``b`` bits. Arithmetic is FLINT's (package python-flint), on one thread.

    >>> rational_rank([[2, 1], [4, 2]]), rational_rank([[2, 1], [4, 3]]), rational_rank([])
    (1, 2, 0)
    """
    import flint

    rows = [list(row) for row in matrix]
    if not rows or not rows[0]:
        return 0
    exact = flint.fmpz_mat(rows)
    found, product, limit = -1, 1, 0
    for prime in _primes():
        rank = int(flint.nmod_mat(exact, prime).rank())
        if rank > found:
            found, product, limit = rank, 1, _largest_minor_squared(rows, rank + 1)
        if rank == found:
            product *= prime
        if found == min(len(rows), len(rows[0])) or product**2 > limit:
            return found
    raise ArithmeticError("there are more primes than this")


def _largest_minor_squared(rows: list[list[int]], size: int) -> int:
    """Hadamard's bound on the square of every minor of that size: the product of the largest squared norms."""
    bounds = []
    for lines in (rows, list(zip(*rows, strict=True))):
        norms = sorted((sum(entry**2 for entry in line) for line in lines), reverse=True)
        bounds.append(prod(norms[:size]))
    return min(bounds)


def _primes() -> Iterator[int]:
    """The primes below 2**63, largest first."""
    return (number for number in range(_LARGEST - 1, 2, -2) if is_prime(number))
