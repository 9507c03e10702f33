"""Exact products of matrices modulo a prime, through the floating-point products of BLAS.

Why they are exact is said in `seprank.field.roads`. Longer sums are cut into pieces with a reduction after each.
Large primes leave float64 no room for this, so the left factor is cut into a high and a low half.

Products are formed tile by tile. The tiles of a large one are shared out among threads, each of which multiplies and
reduces its own; BLAS then runs on one thread for each, and small products are not worth a thread at all.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from seprank.errors import InvalidInput
from seprank.field.arithmetic import HALF, Floats, add_halves, add_reduced, modulus, store_reduced
from seprank.field.entries import balanced, integer_matrix
from seprank.field.kernels import run_tiles
from seprank.field.primes import check_prime
from seprank.field.roads import EXACT, TILE, exact_depth, exact_dtypes
from seprank.field.tiling import Room, Tile, tiles, workers

__all__ = ["add_product", "balanced", "exact_depth", "matmul"]

_HALF = int(HALF)
_LONGEST = 2**20  # keeps sums below 2**24, or 2**22 in float32, for the primes 2 and 3, as `arithmetic` asks
_DEEP = 256  # below this depth tiles are reduced so often that they had better fit the cache
_SHALLOW = 64  # below this depth two products of halves cost less in float64 than the many reductions


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
    number = check_prime(prime)
    left, right = integer_matrix("A", A), integer_matrix("B", B)
    if left.shape[1] != right.shape[0]:
        raise InvalidInput(f"A and B must fit together, got shapes {left.shape} and {right.shape}")
    dtype = exact_dtypes(number)[0]
    total = np.zeros((left.shape[0], right.shape[1]), dtype)
    add_product(total, 0, 0, balanced(left, number, dtype), balanced(right, number, dtype), number, Room(dtype))
    result = total.astype(np.int64)
    result[result < 0] += number
    return result


def add_product(
    target: Floats, top: int, left: int, A: Floats, B: Floats, prime: int, room: Room, *, fresh: bool = False
) -> None:
    """``target[top:, left:] += A @ B`` modulo the prime, on the shape of the product; all residues balanced.

    With `fresh` the product takes the place of what is there. `target` is C-contiguous float64 or float32; `A` (m, k)
    and `B` (k, n), ``k >= 1``, have its dtype and may be blocks of it which the product does not overwrite. Unchecked
    input, except that a sum which the dtype might round raises `ArithmeticError`. `room` grows to at most ``2**20``
    entries a thread (for primes above about ``2**24`` temporaries take five times that).
    """
    count = workers(A.shape[0], A.shape[1], B.shape[1])
    depth, halved = _plan(prime, target.dtype)
    numbers = modulus(prime, target.dtype)

    def form(tile: Tile) -> None:
        rows, columns = tile
        place = (target, top + rows.start, left + columns.start)
        if halved and fresh:
            target[top + rows.start : top + rows.stop, left + columns.start : left + columns.stop] = 0
        for start in range(0, A.shape[1], depth):
            a, b = A[rows, start : start + depth], B[start : start + depth, columns]
            if halved:
                _add_in_halves(*place, a, b, prime)
                continue
            with room.borrow(a.shape[0], b.shape[1]) as terms:
                _exact_product(a, b, prime // 2, prime, terms)
                (store_reduced if fresh and start == 0 else add_reduced)(*place, terms, numbers)

    side = TILE if depth >= _DEEP else TILE // 2
    run_tiles(form, tiles(A.shape[0], B.shape[1], A.shape[1], count, side), count)


def _plan(prime: int, dtype: DTypeLike) -> tuple[int, bool]:
    """How many terms to sum before reducing, and whether to cut the left factor into halves."""
    largest = prime // 2
    room = EXACT[np.dtype(dtype)] - 2 * prime
    direct = room // largest**2
    if direct >= _SHALLOW or np.dtype(dtype) == np.float32:
        return max(1, min(direct, _LONGEST)), False
    return min(room // (_HALF * largest), TILE), True


def _add_in_halves(target: Floats, top: int, left: int, A: Floats, B: Floats, prime: int) -> None:
    upper = np.rint(A / HALF)
    high = _exact_product(upper, B, _HALF, prime)
    low = _exact_product(A - HALF * upper, B, _HALF // 2, prime)
    # The reduced high part times HALF adds less than 2**46, which the shorter sum of the low part leaves
    # free.
    add_halves(target, top, left, high, low, modulus(prime, target.dtype))


def _exact_product(A: Floats, B: Floats, largest: int, prime: int, out: Floats | None = None) -> Floats:
    """``A @ B`` for entries of `A` up to `largest` and of `B` balanced, with room left to add and reduce."""
    bound = A.shape[1] * largest * (prime // 2)
    if bound + 2 * prime > EXACT[A.dtype]:
        raise ArithmeticError(
            f"a sum of {A.shape[1]} products modulo {prime} may reach {bound}, too much for exact {A.dtype}"
        )
    return np.matmul(A, B, out=out)
