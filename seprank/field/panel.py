"""The pivots of a narrow block of columns, found among all rows but computed almost wholly by BLAS."""

import numpy as np

from seprank.field.arithmetic import Floats, find_pivots, invert
from seprank.field.products import add_product

_FIRST = 128  # rows searched one by one before the others are reduced by the pivots found so far
_MOST = 4096  # rows searched at a time: the temporaries then stay below 8 MiB for panels of 64 columns


def panel_pivots(work: Floats, top: int, left: int, right: int, prime: int) -> tuple[list[int], list[int], Floats]:
    """Pivots of ``work[top:, left:right]``: their rows (increasing) and columns in `work`, and an inverse.

    The third result is the inverse of ``work[rows][:, columns]``, where both lists have the rank of the block
    as their length. `work` (balanced residues, C-contiguous) is not changed. Unchecked input.
    """
    rows: list[int] = []
    columns: list[int] = []
    inverse = np.zeros((0, 0))
    start, step = top, _FIRST
    while start < work.shape[0] and len(columns) < right - left:
        block = work[start : start + step, left:right].copy()
        if columns:
            # What the pivots so far leave of these rows: block - block[:, pivots] @ inverse @ pivot rows.
            basis = np.zeros((len(rows), right - left))
            add_product(basis, 0, 0, inverse, work[rows, left:right], prime)
            pivotal = block[:, np.array(columns) - left]
            add_product(block, 0, 0, -pivotal, basis, prime)
        found = _search(block, prime)
        if found:
            rows += [start + i for i, _ in found]
            columns += [left + j for _, j in found]
            inverse = work[np.ix_(rows, columns)]
            invert(inverse, float(prime))
        start += step
        step = _FIRST if found else min(2 * step, _MOST)
    return rows, columns, inverse


def _search(block: Floats, prime: int) -> list[tuple[int, int]]:
    rows = np.empty(min(block.shape), dtype=np.int64)
    columns = np.empty_like(rows)
    count = find_pivots(block, float(prime), rows, columns)
    return list(zip(rows[:count].tolist(), columns[:count].tolist(), strict=True))
