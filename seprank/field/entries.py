"""From what a caller calls an integer matrix to balanced residues in float64."""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from seprank.errors import InvalidInput
from seprank.field.arithmetic import Floats, modulus, store_reduced
from seprank.field.kernels import run_tiles, threads

_BLOCK = 1 << 17  # entries converted at a time, so that the temporaries stay in the cache
_WORTH = 1 << 23  # entries that are worth several threads


def integer_matrix(name: str, matrix: ArrayLike) -> NDArray:
    """`matrix` as a two-dimensional array of an integer dtype, or of dtype object holding Python ints.

    Takes arrays of any integer dtype (not copied), and nested sequences of whole numbers of any size. Raises
    `InvalidInput` for other shapes, and for floats, Booleans and everything else that is not a whole number.
    """
    rule = f"{name} must be a two-dimensional array of integers"
    array = np.asarray(matrix if hasattr(matrix, "__array__") else _nested(matrix, rule))
    if array.ndim != 2:
        raise InvalidInput(f"{rule}, got shape {array.shape}")
    if array.dtype == object:
        kind = next((type(x).__name__ for x in array.flat if not _is_whole(x)), None)
        if kind is not None:
            raise InvalidInput(f"{rule}, got an entry of type {kind}")
    elif array.dtype.kind not in "iu":
        raise InvalidInput(f"{rule}, got dtype {array.dtype}")
    return array


def balanced(array: NDArray, prime: int, dtype: DTypeLike = np.float64) -> Floats:
    """The balanced residues of an integer matrix, as a new C-contiguous float64 or float32 array.

    Each is from ``-(p-1)/2`` to ``(p-1)/2`` for an odd prime ``p``, and 0 or 1 for the prime 2. Entries may
    be any whole numbers (`array` as `integer_matrix` returns it); `prime` is not checked here, and float32 must hold
    its residues.

    >>> balanced(np.array([[0, 1, 3], [4, 6, -1]]), 7).tolist()
    [[0.0, 1.0, 3.0], [-3.0, -1.0, -1.0]]
    """
    result = np.empty(array.shape, dtype)
    step = max(1, _BLOCK // max(1, array.shape[1]))
    numbers = modulus(prime, np.float64)

    def convert(top: int) -> None:
        block = array[top : top + step]
        if array.dtype == object:
            block = np.frompyfunc(int, 1, 1)(block)  # a small numpy integer in it could not hold the prime
        small = block if _is_small(block, prime) else block % prime
        store_reduced(result, top, 0, small.astype(np.float64, order="C"), numbers)

    count = 1 if array.size < _WORTH or array.dtype == object else threads()
    run_tiles(convert, range(0, array.shape[0], step), count)
    return result


def _nested(matrix: ArrayLike, rule: str) -> NDArray:
    # Without a dtype numpy would turn some lists of large whole numbers into floats.
    try:
        return np.array(matrix, dtype=object)
    except ValueError:
        raise InvalidInput(f"{rule}, got rows of different lengths") from None


def _is_whole(entry: object) -> bool:
    return isinstance(entry, (int, np.integer)) and not isinstance(entry, bool)


def _is_small(block: NDArray, prime: int) -> bool:
    """Whether every entry is exact in float64 and small enough for `store_reduced`."""
    if block.dtype == object or block.size == 0:
        return False
    if block.dtype.itemsize <= 2:
        return True
    limit = 2**24 if prime < 5 else 2**51
    return -limit <= int(block.min()) and int(block.max()) <= limit
