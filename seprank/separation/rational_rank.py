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
    columns = [list(column) for column in zip(*rows, strict=True)]
    full = min(len(rows), len(columns))
    norms = [sorted((sum(entry**2 for entry in line) for line in lines), reverse=True) for lines in (rows, columns)]
    exact = flint.fmpz_mat(rows)
    found, product = 0, 1
    for prime in _primes():
        rank = int(flint.nmod_mat(exact, prime).rank())
        if rank > found:
            found, product = rank, 1
        if rank == found:
            product *= prime
        if found == full or product**2 > min(prod(squares[: found + 1]) for squares in norms):
            return found
    raise ArithmeticError("there are more primes than this")


def _primes() -> Iterator[int]:
    """The primes below 2**63, largest first."""
    return (number for number in range(_LARGEST - 1, 2, -2) if is_prime(number))
