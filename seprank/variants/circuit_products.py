"""Vectors of functions on pairs of assignments, modulo a prime: what arithmetic circuits are evaluated with.

A vector that depends on side A alone has shape ``(w, RA, 1)``, on side B alone ``(w, 1, RB)``, on both ``(w, RA, RB)``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seprank.field.products import matmul

Residues = NDArray[np.int64]
_ENTRIES = 2**20  # of the vectors on a strip of pairs: a few of them are held at once


def inputs(order: str, tokens_A: Residues, tokens_B: Residues) -> list[Residues]:
    """The token of every letter of `order`, from tokens ``(RA, NA, dx)`` and ``(RB, NB, dx)`` in their order."""
    side_A = iter(np.moveaxis(tokens_A, 0, -1)[..., :, None])
    side_B = iter(np.moveaxis(tokens_B, 0, -1)[..., None, :])
    return [next(side_A if side == "A" else side_B) for side in order]


def combined(matrix: Residues, vector: Residues, prime: int) -> Residues:
    """``matrix vector`` for a constant matrix."""
    flat = matmul(matrix, vector.reshape(len(vector), -1), prime)
    return flat.reshape(len(matrix), *vector.shape[1:])


def multiplied(left: Residues, right: Residues, prime: int) -> Residues:
    """The product entry by entry."""
    return left * right % prime


def row_by_row(
    values: Callable[[Residues, Residues], Residues], tokens_A: Residues, tokens_B: Residues, width: int
) -> Residues:
    """``values(tokens_A, tokens_B)``, some rows at a time, so that vectors of `width` entries stay small."""
    step = max(1, _ENTRIES // (len(tokens_B) * width))
    strips = [values(tokens_A[start : start + step], tokens_B) for start in range(0, len(tokens_A), step)]
    return np.concatenate(strips)
