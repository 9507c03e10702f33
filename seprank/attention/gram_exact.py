"""Small exact products of balanced residues in float64, for the block forms of the Gram form."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.attention.gram_float_kernels import reduce_flat

Floats = NDArray[np.float64]
Residues = NDArray[np.int64]


def longest_exact(prime: int) -> int:
    """How many products of residues up to ``prime // 2 + 2`` float64 adds exactly, with room left to reduce the sum.

    >>> longest_exact(4194301), longest_exact(2**31 - 1)
    (2047, 0)
    """
    return (2**53 - 2 * prime) // (prime // 2 + 2) ** 2


def centred(residues: Residues, prime: int) -> Floats:
    """Balanced residues in float64 of residues in ``0..prime-1``."""
    return np.where(residues > prime // 2, residues - prime, residues).astype(np.float64)


def reduced(array: Floats, prime: int) -> Floats:
    """`array` with residues up to ``prime // 2 + 2`` in place of its numbers; in place where it is C-contiguous."""
    whole = np.ascontiguousarray(array)
    reduce_flat(whole.reshape(-1), float(prime))
    return whole


def product(a: Any, b: Any, prime: int, out: Floats | None = None) -> Floats:
    """``a @ b`` for stacks of matrices, reduced; the caller has checked the length of the sums."""
    return reduced(np.matmul(a, b, out=out), prime)


class Scratch:
    """Arrays that a thread uses again for the next tile: fresh ones of this size cost more than what fills them."""

    def __init__(self) -> None:
        self._held: dict[str, Floats] = {}

    def array(self, name: str, *shape: int) -> Floats:
        """An uninitialised array, which shares its memory with the one that had this name before.

        >>> scratch = Scratch()
        >>> np.shares_memory(scratch.array("scores", 2, 3), scratch.array("scores", 4))
        True
        """
        held = self._held.get(name)
        if held is None or held.size < prod(shape):
            held = self._held[name] = np.empty(prod(shape))
        return held[: prod(shape)].reshape(shape)
