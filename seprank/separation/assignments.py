"""Random assignments of token values to the two sides of a partition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seprank.attention.partition import Partition
from seprank.field.draw import residues
from seprank.validate import whole_number

Residues = NDArray[np.int64]


def draw_assignments(
    partition: Partition, dx: int, prime: int, seed: int, count: int | tuple[int, int]
) -> tuple[Residues, Residues]:
    """Tokens of side A, shape ``(count, NA, dx)``, and of side B, ``(count, NB, dx)``, uniform in ``0..prime-1``.

    `count` is the number of assignments per side, or a pair for the two sides. They are the streams ``"A"``
    and ``"B"`` of `seprank.field.draw.residues`, so more assignments under one `seed` begin with the same ones.
    Raises `InvalidInput` when `dx`, `count` or `prime` breaks its rule.

    >>> A, B = draw_assignments(Partition(1, 2), dx=3, prime=4194301, seed=0, count=5)
    >>> A.shape, B.shape
    ((5, 1, 3), (5, 2, 3))
    """
    dx = whole_number("dx", dx)
    rows, columns = count if isinstance(count, tuple) else (count, count)
    rows, columns = whole_number("count", rows), whole_number("count", columns)
    tokens_A = residues(seed, "A", (rows, partition.NA, dx), prime)
    tokens_B = residues(seed, "B", (columns, partition.NB, dx), prime)
    return tokens_A, tokens_B
