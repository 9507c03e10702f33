"""Slow and plain roads to the rank modulo a prime, which share no code with the fast one.

They are for checking small cases: `rank_by_flint` goes through the library FLINT, `rank_by_integers` is Gauss
elimination as a textbook has it, on Python's own whole numbers.
"""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from seprank.errors import InvalidInput
from seprank.field.primes import check_prime


def rank_by_flint(matrix: ArrayLike, prime: int) -> int:
    """The rank of an integer matrix modulo a prime, computed by FLINT (package python-flint).

    `matrix` is an integer array or nested list of shape ``(m, n)``. Raises `InvalidInput` for a composite
    modulus (on which FLINT would end the process) and for what is not a matrix of whole numbers.

    >>> rank_by_flint([[2, 1], [1, 2]], 3)
    1
    """
    import flint

    modulus = check_prime(prime)
    rows = _rows(matrix, modulus)
    width = len(rows[0]) if rows else 0
    if not width:
        return 0
    entries = [entry for row in rows for entry in row]
    return int(flint.nmod_mat(len(rows), width, entries, modulus).rank())


def rank_by_integers(matrix: ArrayLike, prime: int) -> int:
    """The rank of an integer matrix modulo a prime, by Gauss elimination on Python integers.

    Arguments and errors as for `rank_by_flint`. A hundred rows and columns take about a tenth of a second.

    >>> rank_by_integers([[2, 1], [1, 2]], 3)
    1
    """
    modulus = check_prime(prime)
    rows = [row for row in _rows(matrix, modulus) if any(row)]
    rank = 0
    while rows:
        pivot_row = rows.pop()
        column = next(j for j, entry in enumerate(pivot_row) if entry)
        inverse = pow(pivot_row[column], -1, modulus)
        rank += 1
        reduced = []
        for row in rows:
            factor = row[column] * inverse
            reduced.append([(a - factor * b) % modulus for a, b in zip(row, pivot_row, strict=True)])
        rows = [row for row in reduced if any(row)]
    return rank


def _rows(matrix: Any, modulus: int) -> list[list[int]]:
    """The rows of `matrix` as Python integers from 0 to `modulus` - 1."""
    nested = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    if not _is_sequence(nested) or not all(_is_sequence(row) for row in nested):
        raise InvalidInput(f"matrix must be rows of whole numbers, got a {type(matrix).__name__}")
    if len({len(row) for row in nested}) > 1:
        raise InvalidInput("matrix must have rows of one length, got rows of different lengths")
    for row in nested:
        for entry in row:
            if isinstance(entry, bool) or not hasattr(entry, "__index__"):
                raise InvalidInput(f"matrix must hold whole numbers, got {entry!r}")
    return [[int(entry) % modulus for entry in row] for row in nested]


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
