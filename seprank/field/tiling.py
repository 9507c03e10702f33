"""How a large product is cut into tiles, how many threads they are shared out among, and the memory that they use."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from seprank.field.arithmetic import Floats
from seprank.field.kernels import threads
from seprank.field.roads import TILE

Tile = tuple[slice, slice]

_WORTH = 1e8  # operations, which take several times as long as the start of a thread
_SMALLEST = TILE**2 // 16  # entries of a tile, below which products are slower


class Room:
    """Memory for the products of one computation, used again and again by the threads that work on it."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._dtype = dtype
        self._free: list[Floats] = []

    @contextmanager
    def borrow(self, height: int, width: int) -> Iterator[Floats]:
        """An array of this shape, for the duration of the block; it may hold anything."""
        size = height * width
        flat = self._free.pop() if self._free else np.empty(0, self._dtype)
        if flat.size < size:
            flat = np.empty(size, self._dtype)
        yield flat[:size].reshape(height, width)
        self._free.append(flat)


def workers(m: int, k: int, n: int) -> int:
    """How many threads are worth their start for a product of shapes ``(m, k)`` and ``(k, n)``."""
    return max(1, min(threads(), int(2.0 * m * k * n / _WORTH)))


def tiles(height: int, width: int, inner: int = TILE, parts: int = 1, side: int = TILE) -> list[Tile]:
    """The row and column slices that cut a product of shape ``height x width`` into tiles, column by column.

    A tile has at most ``side**2`` entries, and so have its rows of the left factor, `inner` columns at a time, or it
    has `side` rows. For several threads there are about four times as many tiles as threads, while they are not too
    small.

    >>> tiles(2000, 1500)
    [(slice(0, 1000, None), slice(0, 750, None)), (slice(1000, 2000, None), slice(0, 750, None)), \
(slice(0, 1000, None), slice(750, 1500, None)), (slice(1000, 2000, None), slice(750, 1500, None))]
    """
    if height == 0 or width == 0:
        return []
    across = _pieces(width, side)
    down = _pieces(height, max(side, side**2 // max(min(width, side), inner)))  # few calls for narrow products
    while parts > 1 and across * down < 4 * parts and height * width // (2 * across * down) >= _SMALLEST:
        if height * across >= width * down:
            down *= 2
        else:
            across *= 2
    return [(rows, columns) for columns in _cut(width, across) for rows in _cut(height, down)]


def _pieces(length: int, most: int) -> int:
    return -(-length // most)


def _cut(length: int, pieces: int) -> list[slice]:
    """Slices of nearly equal lengths."""
    ends = [length * i // pieces for i in range(pieces + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]
