"""Ranks of value matrices by python-flint: the whole matrix, or block by block in the degree of side B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint

Tokens = Sequence[Sequence[int]]
Function = Callable[[list[Any]], int]  # tokens of A followed by tokens of B -> value modulo the prime


def rank(rows: Sequence[Sequence[int]], prime: int) -> int:
    """Rank over F_p of a matrix of whole numbers; 0 when it is empty."""
    if not rows or not rows[0]:
        return 0
    flat = [int(x) % prime for row in rows for x in row]
    return int(flint.nmod_mat(len(rows), len(rows[0]), flat, prime).rank())


def value_rank(function: Function, side_A: Sequence[Tokens], side_B: Sequence[Tokens], prime: int) -> int:
    """Rank of the matrix of values at all pairs of an assignment of A and one of B."""
    return rank([[function([*a, *b]) for b in side_B] for a in side_A], prime)


def block_ranks(
    function: Function, side_A: Sequence[Tokens], side_B: Sequence[Tokens], C: int, prime: int, sizes: Sequence[int]
) -> list[int]:
    """Ranks of the parts of degree 0, 2, ..., 2 C in the B tokens, on the first `sizes[k]` assignments.

    The B tokens are multiplied by t = 0..C and the coefficients of t**(2k) interpolated; needs prime > 2 C.
    """
    weights = [_coefficient_weights(C, k, prime) for k in range(C + 1)]
    most = max(sizes)
    scaled = [[[[t * x % prime for x in token] for token in b] for b in side_B[:most]] for t in range(C + 1)]
    values = [
        [[function([*a, *scaled[t][j]]) for t in range(C + 1)] for j in range(len(scaled[0]))] for a in side_A[:most]
    ]
    found = []
    for k in range(C + 1):
        some = [row[: sizes[k]] for row in values[: sizes[k]]]
        found.append(rank([[sum(map(int.__mul__, weights[k], cell)) for cell in row] for row in some], prime))
    return found


def _coefficient_weights(C: int, k: int, prime: int) -> list[int]:
    """w_t with: coefficient k of a polynomial P of degree C is sum_t w_t P(t^2)."""
    whole = flint.nmod_poly([1], prime)
    for t in range(C + 1):
        whole *= flint.nmod_poly([-t * t % prime, 1], prime)
    found = []
    for t in range(C + 1):
        basis = whole // flint.nmod_poly([-t * t % prime, 1], prime)
        found.append(int(basis[k] / basis(t * t)))
    return found
