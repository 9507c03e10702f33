"""The pivots of a narrow block of columns, found among all rows but computed almost wholly by BLAS."""

import numpy as np

from seprank.field.arithmetic import Floats, find_pivots, invert, modulus
from seprank.field.products import add_product
from seprank.field.tiling import Room

_FIRST = 128  # rows searched one by one before the others are reduced by the pivots found so far
_MOST = 4096  # rows searched at a time


def panel_pivots(panel: Floats, prime: int, room: Room) -> tuple[list[int], list[int], Floats]:
    """Pivots of a matrix of few columns: their rows (increasing) and columns, and an inverse.

    The third result is the inverse of ``panel[rows][:, columns]``, where both lists have the rank of the panel
    as their length. `panel` (balanced residues, C-contiguous) is not changed. Unchecked input.
    """
    rows: list[int] = []
    columns: list[int] = []
    inverse = np.zeros((0, 0), panel.dtype)
    start, step = 0, _FIRST
    while start < panel.shape[0] and len(columns) < panel.shape[1]:
        block = panel[start : start + step].copy()
        if columns:
            # What the pivots so far leave of these rows: block - block[:, pivots] @ inverse @ pivot rows.
            basis = np.empty((len(rows), panel.shape[1]), panel.dtype)
            add_product(basis, 0, 0, -inverse, panel[rows], prime, room, fresh=True)
            add_product(block, 0, 0, block[:, columns], basis, prime, room)
        found = _search(block, prime)
        if found:
            rows += [start + i for i, _ in found]
            columns += [j for _, j in found]
            inverse = panel[np.ix_(rows, columns)]
            invert(inverse, modulus(prime, panel.dtype))
        start += step
        step = _FIRST if found else min(2 * step, _MOST)
    return rows, columns, inverse


def _search(block: Floats, prime: int) -> list[tuple[int, int]]:
    rows = np.empty(min(block.shape), dtype=np.int64)
    columns = np.empty_like(rows)
    count = find_pivots(block, modulus(prime, block.dtype), rows, columns)
    return list(zip(rows[:count].tolist(), columns[:count].tolist(), strict=True))
