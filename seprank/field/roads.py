"""The floating-point numbers that exact arithmetic goes through: float64 for every prime, float32 for small ones.

Balanced residues modulo ``p`` are whole numbers of size at most ``h = (p - 1) / 2`` (1 for the prime 2). An inner
product of ``K`` pairs of them, and every partial sum of it in whatever order, is a whole number of size at most
``K * h**2``. Float64 holds every whole number up to ``2**53``, float32 up to ``2**24``, so while ``K * h**2`` stays
within that no rounding takes place. Float32 is worth while for primes below ``2**11``, where ``K`` is at least 16:
its products are formed at twice the speed, and its matrices take half the memory.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from seprank.errors import InvalidInput
from seprank.field.primes import check_prime

_DOUBLE: np.dtype[Any] = np.dtype(np.float64)
_SINGLE: np.dtype[Any] = np.dtype(np.float32)

EXACT = {_DOUBLE: 2**53, _SINGLE: 2**24}  # whole numbers up to this size are exact

# The largest prime that float32 serves at nearly its full speed (products of 64 terms), for matrices too large as
# float64. The largest one at all is 2039.
NARROW_PRIME = 1021

PANEL = 64  # columns eliminated at a time by compiled loops
TILE = 1024  # side of the square tiles in which products are formed

_NARROW_LIMIT = 2**11


def exact_dtypes(prime: int) -> tuple[np.dtype[Any], ...]:
    """The dtypes that give exact ranks modulo `prime`, the faster one first: float32 only below ``2**11``.

    `pivots` and `rank` take the first. Raises `InvalidInput` unless `prime` is a prime at most 2147483647.

    >>> [dtype.name for dtype in exact_dtypes(509)], [dtype.name for dtype in exact_dtypes(4194301)]
    (['float32', 'float64'], ['float64'])
    """
    return (_SINGLE, _DOUBLE) if check_prime(prime) < _NARROW_LIMIT else (_DOUBLE,)


def exact_depth(prime: int, dtype: DTypeLike = np.float64) -> int:
    """The longest inner product of balanced residues that `dtype` (float64 or float32) holds exactly.

    That is the largest ``K`` with ``K * h**2 <= 2**53`` (``2**24`` for float32), where ``h = (p - 1) / 2``, and
    ``h = 1`` for the prime 2. For primes above about ``2**27`` (``2**13``) it is 0: not even one product is sure to
    be exact. Raises `InvalidInput` unless `prime` is a prime at most 2147483647 and `dtype` one of the two.

    >>> exact_depth(4194301), exact_depth(2**31 - 1), exact_depth(509, "float32")
    (2048, 0, 260)
    """
    largest = check_prime(prime) // 2
    return EXACT[_road(dtype)] // largest**2


def elimination_bytes(rows: int, columns: int, dtype: DTypeLike = np.float64, threads: int = 1) -> int:
    """Bytes that `eliminate` needs for a matrix of this shape and dtype: the matrix itself and all temporaries.

    An upper bound, known before anything is allocated; whoever draws or evaluates the matrix needs his own room on
    top (`pivots` keeps its argument, too). Raises `InvalidInput` unless `dtype` is float64 or float32.

    >>> [round(elimination_bytes(8192, 8192, dtype) / 2**20) for dtype in ("float64", "float32")]
    [566, 268]
    """
    size = _road(dtype).itemsize
    panels = 3 * PANEL * rows  # one as it is, what is searched of it, and its pivot columns
    products = (1 if size == 4 else 5) * TILE**2 * threads  # float64 for large primes cuts them into halves
    lists = 100 * (rows + columns)
    return size * (rows * columns + panels + products) + lists


def _road(dtype: DTypeLike) -> np.dtype[Any]:
    found = np.dtype(dtype)
    if found not in EXACT:
        raise InvalidInput(f"dtype must be float64 or float32, got {found}")
    return found
