"""The network over any commutative ring, by its Gram form.

A layer maps the token ``x^i`` to ``M(G) x^i`` with the Gram matrix ``G = sum_j x^j x^jT`` and
``M(G) = sum_h W^O W^V G W^KT W^Q``, and ``G`` to ``M(G) G M(G)^T``; skip connections add the identity to ``M``.
So only one position has to be followed. Derived from levine2020depth, eq. 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seprank.attention.poly_symbols import Head, Layers, Matrix

Vector = list[Any]


def network_entry(layers: Layers, tokens: Matrix, position: int, entry: int, residual: bool, zero: Any) -> Any:
    """Entry `entry` of the output at `position` (both from 0), in the ring of the entries.

    `tokens` has shape ``(N, dx)``, `layers` is as `seprank.attention.poly_symbols` fills it, and `zero` is the
    zero of the ring. Sums and products of entries are all that is used.

    >>> head = {name: [[1]] for name in "QKVO"}
    >>> network_entry([[head]], [[2], [1]], position=0, entry=0, residual=False, zero=0)
    10
    """
    gram = gram_matrix(tokens, zero)
    x: Vector = tokens[position]
    for heads in layers[:-1]:
        M = _layer_matrix(heads, gram, residual, zero)
        x = _apply(M, x, zero)
        gram = product(product(M, gram, zero), transpose(M), zero)
    y = x[entry] if residual else zero
    for head in layers[-1]:
        scored = _apply(transpose(head["K"]), _apply(head["Q"], x, zero), zero)
        mixed = _apply(head["V"], _apply(gram, scored, zero), zero)
        y = y + _inner(head["O"][entry], mixed, zero)
    return y


def gram_matrix(tokens: Matrix, zero: Any) -> Matrix:
    """``sum_j x^j x^jT`` of tokens ``(N, dx)``."""
    return product(transpose(tokens), tokens, zero)


def product(a: Matrix, b: Matrix, zero: Any) -> Matrix:
    """The matrix product over the ring with that `zero`."""
    columns = transpose(b)
    return [[_inner(row, column, zero) for column in columns] for row in a]


def transpose(matrix: Matrix) -> Matrix:
    """The transposed matrix; it has at least one row."""
    return [list(column) for column in zip(*matrix, strict=True)]


def _layer_matrix(heads: Sequence[Head], gram: Matrix, residual: bool, zero: Any) -> Matrix:
    dx = len(gram)
    total = [[zero + int(residual and a == b) for b in range(dx)] for a in range(dx)]
    for head in heads:
        write = product(head["O"], head["V"], zero)
        read = product(transpose(head["K"]), head["Q"], zero)
        part = product(product(write, gram, zero), read, zero)
        total = [[p + q for p, q in zip(*rows, strict=True)] for rows in zip(total, part, strict=True)]
    return total


def _apply(matrix: Matrix, vector: Vector, zero: Any) -> Vector:
    return [_inner(row, vector, zero) for row in matrix]


def _inner(a: Vector, b: Vector, zero: Any) -> Any:
    total = zero
    for p, q in zip(a, b, strict=True):
        total = total + p * q
    return total
