"""Compiled arithmetic on many pairs of assignments at once, for networks evaluated token by token.

A vector that differs from pair to pair is an array ``(entries, T)``, a symmetric matrix ``(d, d, T)``; the last axis
runs over T pairs. Values are residues in ``0..prime-1``; `field` is made by `field_constants` in
`seprank.attention.gram_kernels`, and its third number says how many products fit in int64. Nothing is checked here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seprank.field.kernels import kernel

Array = Any
Field = tuple[int, float, int]


@kernel
def reduce_row(row: Array, field: Field) -> None:
    """Reduce non-negative sums in place."""
    prime, inverse, _ = field
    for e in range(row.size):
        rest = row[e] - np.int64(row[e] * inverse) * prime
        if rest < 0:
            rest += prime
        if rest >= prime:
            rest -= prime
        row[e] = rest


@kernel
def mapped(matrix: Array, x: Array, out: Array, field: Field) -> None:
    """``out = matrix x`` for a constant matrix."""
    for i in range(matrix.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(matrix.shape[1]):
            factor, column = matrix[i, k], x[k]
            for e in range(row.size):
                row[e] += factor * column[e]
            if (k + 1) % field[2] == 0:
                reduce_row(row, field)
        reduce_row(row, field)


@kernel
def add_square(x: Array, gram: Array, field: Field) -> None:
    """``gram += x x^T``."""
    for i in range(x.shape[0]):
        for j in range(i + 1):
            row, left, right = gram[i, j], x[i], x[j]
            for e in range(row.size):
                row[e] += left[e] * right[e]
            reduce_row(row, field)
            if j < i:
                gram[j, i] = row


@kernel
def applied(gram: Array, x: Array, out: Array, field: Field) -> None:
    """``out = gram x``."""
    for i in range(gram.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(gram.shape[1]):
            left, right = gram[i, k], x[k]
            for e in range(row.size):
                row[e] += left[e] * right[e]
            if (k + 1) % field[2] == 0:
                reduce_row(row, field)
        reduce_row(row, field)


@kernel
def power(x: Array, exponent: int, field: Field) -> None:
    """Replace every entry by its power, `exponent` at least 1: square and multiply, from the top bit."""
    bits = 0
    while exponent >> (bits + 1):
        bits += 1
    for i in range(x.shape[0]):
        row, base = x[i], x[i].copy()
        for bit in range(bits - 1, -1, -1):
            for e in range(row.size):
                row[e] *= row[e]
            reduce_row(row, field)
            if (exponent >> bit) & 1:
                for e in range(row.size):
                    row[e] *= base[e]
                reduce_row(row, field)
