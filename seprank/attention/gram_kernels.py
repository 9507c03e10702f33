"""Compiled arithmetic of the Gram form modulo a prime, many entries at a time.

A matrix that differs from entry to entry is an array ``(rows, columns, T)``: the last axis runs over ``T``
entries of the grid matrix, so the innermost loops are contiguous. Constant matrices (weights) have two axes.
All values are residues in ``0..prime-1``; `field` is the tuple made by `field_constants`. Nothing is checked
here; `seprank.attention.gram` is the checked door. ``N`` stands for the transpose of ``M(G)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seprank.field.kernels import kernel

Array = Any
Field = tuple[int, float, int]


def field_constants(prime: int) -> Field:
    """`prime`, its inverse as a float, and the number of products that may be added to a residue in int64.

    That number is 2 at the largest prime. The second limit keeps the quotient in `reduce_row` below 2**50,
    so that its float estimate is off by at most one.
    """
    return prime, 1.0 / prime, min((2**63 - prime) // (prime - 1) ** 2, 2**50 // prime)


@kernel
def reduce_row(row: Array, field: Field) -> None:
    """Reduce non-negative sums in place; a float quotient vectorises where ``%`` does not."""
    prime, inverse, _ = field
    for e in range(row.size):
        rest = row[e] - np.int64(row[e] * inverse) * prime
        if rest < 0:
            rest += prime
        if rest >= prime:
            rest -= prime
        row[e] = rest


@kernel
def constant_left(constant: Array, y: Array, out: Array, field: Field) -> None:
    """``out = constant y``."""
    chunk = field[2]
    for i in range(constant.shape[0]):
        for j in range(y.shape[1]):
            row = out[i, j]
            row[:] = 0
            for k in range(constant.shape[1]):
                factor, column = constant[i, k], y[k, j]
                for e in range(row.size):
                    row[e] += factor * column[e]
                if (k + 1) % chunk == 0:
                    reduce_row(row, field)
            reduce_row(row, field)


@kernel
def constant_right(x: Array, constant: Array, out: Array, field: Field) -> None:
    """``out = x constant^T``."""
    chunk = field[2]
    for i in range(x.shape[0]):
        for j in range(constant.shape[0]):
            row = out[i, j]
            row[:] = 0
            for k in range(constant.shape[1]):
                factor, column = constant[j, k], x[i, k]
                for e in range(row.size):
                    row[e] += factor * column[e]
                if (k + 1) % chunk == 0:
                    reduce_row(row, field)
            reduce_row(row, field)


@kernel
def cross(x: Array, y: Array, out: Array, field: Field) -> None:
    """``out = x^T y``, entry by entry of the grid matrix."""
    chunk = field[2]
    for i in range(x.shape[1]):
        for j in range(y.shape[1]):
            row = out[i, j]
            row[:] = 0
            for k in range(x.shape[0]):
                left, right = x[k, i], y[k, j]
                for e in range(row.size):
                    row[e] += left[e] * right[e]
                if (k + 1) % chunk == 0:
                    reduce_row(row, field)
            reduce_row(row, field)


@kernel
def layer_map(gram: Array, layer: Array, wide: bool, out: Array, field: Field) -> None:
    """``out = M(gram)^T = sum_h Q_h^T (K_h gram V_h^T) O_h^T`` for symmetric `gram`.

    `layer` is ``(key, value, output, right)``. With `wide`, ``output`` holds the products ``O_h V_h`` and
    ``right`` the ``(K_h^T Q_h)^T`` side by side, which is cheaper when the head size is close to the width.
    """
    key, value, output, right = layer
    heads, size, entries = key.shape[0], key.shape[1], gram.shape[2]
    dx = gram.shape[0]
    inner = right.shape[1] // heads
    stack = np.empty((right.shape[1], dx, entries), np.int64)
    read = np.empty((size, dx, entries), np.int64)
    scores = np.empty((size, size, entries), np.int64)
    for h in range(heads):
        part = stack[h * inner : (h + 1) * inner]
        if wide:
            constant_right(gram, output[h], part, field)
        else:
            constant_left(key[h], gram, read, field)
            constant_right(read, value[h], scores, field)
            constant_right(scores, output[h], part, field)
    constant_left(right, stack, out, field)


@kernel
def add_identity(n: Array, field: Field) -> None:
    """Residual layers: ``n + I`` in place."""
    for i in range(n.shape[0]):
        for e in range(n.shape[2]):
            n[i, i, e] = (n[i, i, e] + 1) % field[0]


@kernel
def add_sides(constant: Array, y: Array, out: Array, field: Field) -> None:
    """``out = constant + y``: one row of the grid matrix against many columns."""
    prime = field[0]
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            summand, row, total = constant[i, j], y[i, j], out[i, j]
            for e in range(row.size):
                value = row[e] + summand
                total[e] = value - prime if value >= prime else value


@kernel
def score_sum(query: Array, key: Array, x: Array, z: Array, out: Array, field: Field) -> None:
    """Add ``sum_h <Q_h x, K_h z_h>`` to the residues in `out`, where ``z_h`` is column ``h`` of `z`."""
    heads, size, dx = query.shape
    asked = np.empty((size, 1, out.size), np.int64)
    held = np.empty((dx, 1, out.size), np.int64)
    found = np.empty((size, 1, out.size), np.int64)
    for h in range(heads):
        for i in range(dx):
            held[i, 0] = z[i, h]
        constant_left(query[h], x, asked, field)
        constant_left(key[h], held, found, field)
        for a in range(size):
            left, right = asked[a, 0], found[a, 0]
            for e in range(out.size):
                out[e] += left[e] * right[e]
            reduce_row(out, field)


@kernel
def last_layer(n: Array, gram: Array, x: Array, last: Array, residual: bool, out: Array, field: Field) -> None:
    """Row `out` of output entries from the state before the last layer, by vectors only.

    `n` and `gram` are ``M_l^T`` and ``G_l`` of the layer before the last, `x` the token after it. With
    ``v_h = e_p^T O_h V_h`` the entry is ``sum_h <Q_h x, K_h M_l G_l M_l^T v_h>``.
    """
    query, key, rows, entry = last
    heads, dx, entries = rows.shape[0], x.shape[0], out.size
    a = np.empty((dx, heads, entries), np.int64)
    b = np.empty((dx, heads, entries), np.int64)
    constant_right(n, rows, a, field)
    cross(gram, a, b, field)
    cross(n, b, a, field)
    if residual:
        out[:] = x[entry, 0]
    else:
        out[:] = 0
    score_sum(query, key, x, a, out, field)


@kernel
def grid_tile(
    side_a: Array, side_b: Array, middle: Array, last: Array, options: Array, field: Field, out: Array
) -> None:
    """Fill `out`, rows from `side_a` and columns from `side_b`.

    `side_a` is ``(x, G, N)`` of shapes ``(R, dx)``, ``(R, dx, dx)`` twice; `side_b` is ``(G, N)`` of shape
    ``(dx, dx, T)``. `middle` holds the weights of layers ``2..L-1`` stacked, `last` those of layer ``L`` and
    `options` is ``(L, wide, residual)``.
    """
    tokens, gram_a, n_a = side_a
    gram_b, n_b = side_b
    depth, wide, residual = options
    key, value, output, right = middle
    dx, entries = gram_b.shape[0], gram_b.shape[2]
    gram = np.empty((dx, dx, entries), np.int64)
    spare = np.empty((dx, dx, entries), np.int64)
    n = np.empty((dx, dx, entries), np.int64)
    x = np.empty((dx, 1, entries), np.int64)
    y = np.empty((dx, 1, entries), np.int64)
    for r in range(out.shape[0]):
        add_sides(gram_a[r], gram_b, gram, field)
        add_sides(n_a[r], n_b, n, field)
        for i in range(dx):
            y[i, 0, :] = tokens[r, i]
        cross(n, y, x, field)
        for l in range(depth - 2):
            cross(gram, n, spare, field)
            cross(n, spare, gram, field)
            layer_map(gram, (key[l], value[l], output[l], right[l]), wide, n, field)
            if residual:
                add_identity(n, field)
            y[:] = x
            cross(n, y, x, field)
        if depth == 1:
            out[r] = x[last[3], 0]
        else:
            last_layer(n, gram, x, last, residual, out[r], field)
