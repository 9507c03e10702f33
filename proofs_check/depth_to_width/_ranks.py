"""Ranks of whole value matrices by two roads, at the same weights and at points drawn apart."""

from __future__ import annotations

import numpy as np

from proofs_check.plain.all_pairs import rank_at_pairs
from proofs_check.plain.explicit_networks import diagonal_weights, product_weights, shifts
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629
SPARE = 6  # points beyond the upper bound
KINDS = ("zero", "sparse", "tied", "product", "shift", "random")


def weights_of_kind(kind: str, arch: Architecture, seed: int = 0) -> Weights:
    """Random or special weights; "shift" and "product" need heads of size 1, one for each coordinate."""
    L, d = arch.L, arch.dx
    if kind == "shift":
        return Weights(arch, *diagonal_weights(L, d, shifts(d)))
    if kind == "product":
        return Weights(arch, *product_weights(*(residues(seed, name, (L, d), PRIME) for name in ("v", "k"))))
    drawn = random_weights(arch, PRIME, seed)
    if kind == "tied":  # every layer and head the same
        return Weights(arch, *(np.broadcast_to(array[:1, :1], array.shape) for array in drawn))
    if kind == "sparse":
        return Weights(arch, *(np.where(array % 3 == 0, 0, array) for array in drawn))
    if kind == "zero":
        return Weights(arch, *(0 * array for array in drawn))
    return drawn


def library_rank(weights: Weights, NA: int, NB: int, size: int) -> int:
    """Gram form, and the library's elimination, at `size` points of each side."""
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    points = draw_assignments(Partition(NA, NB), weights.architecture.dx, PRIME, 0, size)
    return full_rank(network_function(weights, PRIME), *points, PRIME).rank


def attention_rank(weights: Weights, NA: int, NB: int, size: int) -> int:
    """Eq. 3 on explicit tokens in numpy, and python-flint's rank, at `size` other points of each side."""
    points = draw_assignments(Partition(NA, NB), weights.architecture.dx, PRIME, 1, size)
    return rank_at_pairs(tuple(weights), *points, PRIME, weights.architecture.residual)
