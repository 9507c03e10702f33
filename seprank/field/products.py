"""Exact products of matrices modulo a prime, through the floating-point products of BLAS.

An inner product of ``K`` pairs of balanced residues is a whole number of size at most ``K * h**2``, where
``h = (p - 1) / 2``, and so is every partial sum in whatever order BLAS takes them. Below ``2**53`` float64
holds such numbers exactly, hence no rounding takes place. Longer sums are cut into pieces with a reduction
after each. Large primes leave no room for this, so the left factor is cut into a high and a low half.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.field.arithmetic import HALF, Floats, add_halves, add_reduced
from seprank.field.entries import balanced, integer_matrix
from seprank.field.primes import check_prime

__all__ = ["add_product", "balanced", "exact_depth", "matmul", "tiles"]

_EXACT = 2**53
_HALF = int(HALF)
_TILE = 1024  # side of the square tiles in which products are formed: a temporary takes 8 MiB
_LONGEST = 2**20  # keeps sums below 2**24 for the primes 2 and 3, as `arithmetic` asks
_SHALLOW = 64  # below this depth two products of halves cost less than the many reductions


def exact_depth(prime: int) -> int:
    """The longest inner product of balanced residues that float64 holds exactly.

    That is the largest ``K`` with ``K * h**2 <= 2**53`` where ``h = (p - 1) / 2`` (and ``h = 1`` for the
    prime 2). For primes above about ``2**27`` it is 0: not even one product is sure to be exact. Raises
    `InvalidInput` unless `prime` is a prime at most 2147483647.

    >>> exact_depth(4194301), exact_depth(2**31 - 1)
    (2048, 0)
    """
    return _EXACT // (check_prime(prime) // 2) ** 2


def matmul(A: ArrayLike, B: ArrayLike, prime: int) -> NDArray[np.int64]:
    """The product of two integer matrices modulo a prime, exact for every prime.

    The result is an int64 array of residues from 0 to ``prime - 1``.

    Parameters
    ----------
    A, B : integer arrays or nested lists of shapes ``(m, k)`` and ``(k, n)``; entries of any size and sign.
    prime : a prime at most 2147483647.

    Raises `InvalidInput` for a composite modulus, entries that are not whole numbers, and shapes that do not
    fit.

    >>> matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]], 11).tolist()
    [[8, 0], [10, 6]]
    """
    modulus = check_prime(prime)
    left, right = integer_matrix("A", A), integer_matrix("B", B)
    if left.shape[1] != right.shape[0]:
        raise InvalidInput(f"A and B must fit together, got shapes {left.shape} and {right.shape}")
    total = np.zeros((left.shape[0], right.shape[1]))
    add_product(total, 0, 0, balanced(left, modulus), balanced(right, modulus), modulus)
    result = total.astype(np.int64)
    result[result < 0] += modulus
    return result


def add_product(target: Floats, top: int, left: int, A: Floats, B: Floats, prime: int) -> None:
    """``target[top:, left:] += A @ B`` modulo the prime, on the shape of the product; all residues balanced.

    `target` is C-contiguous float64; `A` (m, k) and `B` (k, n) are float64 and may be blocks of `target`
    which the product does not overwrite. Unchecked input, except that a sum which float64 might round raises
    `ArithmeticError`. Temporaries take at most 40 MiB.
    """
    depth, halved = _plan(prime)
    for rows, columns in tiles(A.shape[0], B.shape[1], A.shape[1]):
        place = (target, top + rows.start, left + columns.start)
        for start in range(0, A.shape[1], depth):
            inner = slice(start, start + depth)
            a, b = A[rows, inner], B[inner, columns]
            if halved:
                _add_in_halves(*place, a, b, prime)
            else:
                add_reduced(*place, _exact_product(a, b, prime // 2, prime), float(prime))


def tiles(height: int, width: int, inner: int = _TILE) -> Iterator[tuple[slice, slice]]:
    """The row and column slices that cut a product of shape ``height x width`` into tiles, column by column.

    A tile has at most ``2**20`` entries, and so have its rows of the left factor, `inner` columns at a time.
    """
    step = max(_TILE, _TILE**2 // max(1, width, inner))  # few calls of BLAS for narrow products
    for j in range(0, width, _TILE):
        for i in range(0, height, step):
            yield slice(i, min(i + step, height)), slice(j, min(j + _TILE, width))


def _plan(prime: int) -> tuple[int, bool]:
    """How many terms to sum before reducing, and whether to cut the left factor into halves."""
    largest = prime // 2
    room = _EXACT - 2 * prime
    direct = room // largest**2
    if direct >= _SHALLOW:
        return min(direct, _LONGEST), False
    return min(room // (_HALF * largest), _TILE), True


def _add_in_halves(target: Floats, top: int, left: int, A: Floats, B: Floats, prime: int) -> None:
    upper = np.rint(A / HALF)
    high = _exact_product(upper, B, _HALF, prime)
    low = _exact_product(A - HALF * upper, B, _HALF // 2, prime)
    # The reduced high part times HALF adds less than 2**46, which the shorter sum of the low part leaves
    # free.
    add_halves(target, top, left, high, low, float(prime))


def _exact_product(A: Floats, B: Floats, largest: int, prime: int) -> Floats:
    """``A @ B`` for entries of `A` up to `largest` and of `B` balanced, with room left to add and reduce."""
    bound = A.shape[1] * largest * (prime // 2)
    if bound + 2 * prime > _EXACT:
        raise ArithmeticError(
            f"a sum of {A.shape[1]} products modulo {prime} may reach {bound}, too much for exact float64"
        )
    return A @ B
