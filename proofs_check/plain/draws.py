"""Small exact weights and tokens, and the architectures that cases run over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proofs_check.plain.attention import Layers, layers_modulo
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

Vectors = list[list[int]]


def head_counts(dx: int) -> list[int]:
    """The numbers of heads that divide `dx`."""
    return [H for H in range(1, dx + 1) if dx % H == 0]


def small_weights(arch: Architecture, seed: int) -> Weights:
    """Whole numbers from -2 to 2."""
    drawn = random_weights(arch, 5, seed)
    return Weights(arch, *(array - 2 for array in drawn))


def small_tokens(N: int, dx: int, seed: int) -> Vectors:
    """`N` tokens with entries from -3 to 3."""
    return [[int(x) - 3 for x in token] for token in residues(seed, "tokens", (N, dx), 7)]


def weight_matrices(arrays: Iterable[Any], prime: int) -> Layers:
    """Query, key, value and output as `proofs_check.plain.attention` takes them."""
    query, key, value, output = arrays
    return layers_modulo(query, key, value, output, prime)
