"""Compiled loops of the block forms: balanced residues in float64, many pairs of assignments at a time.

Arrays of pairs end with an axis that runs over assignments of side B, so the innermost loops are contiguous. Half
a step short of balanced residues is enough in between: a sum of products of numbers up to ``prime // 2 + 2`` is exact
below ``2**53 - 2 * prime``, and the callers see to it that it stays there (see `gram_exact`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seprank.field.kernels import kernel

Array = Any
CHUNK = 64  # pairs in one row of a `poly` buffer: a compile-time constant, so that products run in vector registers
STEP, TWO, THREE, FOUR = (np.uint64(n * CHUNK) for n in (1, 2, 3, 4))


@kernel
def near_remainder(x: float, prime: float, inverse: float) -> float:
    """A residue of `x` of size at most ``prime // 2 + 2``, for whole numbers ``|x| <= 2**53 - 2 * prime``.

    The quotient is off by less than ``2 / prime``, and all numbers stay whole and below ``2**53``.
    """
    return x - prime * np.rint(x * inverse)


@kernel
def reduce_flat(row: Array, prime: float) -> None:
    """Residues of size at most ``prime // 2 + 2`` in place of the numbers in `row`."""
    inverse = 1.0 / prime
    for e in range(row.size):
        row[e] = near_remainder(row[e], prime, inverse)


@kernel
def balance_flat(row: Array, prime: float) -> None:
    """Balanced residues in place of what `reduce_flat` leaves."""
    least, largest = -np.floor(0.5 * (prime - 1.0)), np.floor(0.5 * prime)
    for e in range(row.size):
        x = row[e]
        x = x - prime if x > largest else x
        row[e] = x + prime if x < least else x


@kernel
def add_reduced_flat(row: Array, other: Array, prime: float) -> None:
    """``row += other`` for sums not yet reduced, then as `reduce_flat`."""
    inverse = 1.0 / prime
    for e in range(row.size):
        row[e] = near_remainder(row[e] + other[e], prime, inverse)


@kernel
def add_products(out: Array, x: Array, y: Array, prime: float) -> None:
    """``out[r, e] += sum_i x[i, r, e] y[i, r, e]``, reduced: two vectors of every pair."""
    inverse = 1.0 / prime
    for r in range(out.shape[0]):
        row = out[r]
        for i in range(x.shape[0]):
            left, right = x[i, r], y[i, r]
            for e in range(row.size):
                row[e] += left[e] * right[e]
        for e in range(row.size):
            row[e] = near_remainder(row[e], prime, inverse)


@kernel
def add_row_products(out: Array, x: Array, y: Array, prime: float) -> None:
    """``out[r, e] += sum_i x[r, i] y[i, r, e]``, reduced: a vector of side A and one of every pair."""
    inverse = 1.0 / prime
    for r in range(out.shape[0]):
        row = out[r]
        for i in range(y.shape[0]):
            factor, right = x[r, i], y[i, r]
            for e in range(row.size):
                row[e] += factor * right[e]
        for e in range(row.size):
            row[e] = near_remainder(row[e], prime, inverse)


@kernel
def add_column_products(out: Array, x: Array, y: Array, prime: float) -> None:
    """``out[r, e] += sum_i x[i, r, e] y[i, e]``, reduced: a vector of every pair and one of side B."""
    inverse = 1.0 / prime
    for r in range(out.shape[0]):
        row = out[r]
        for i in range(x.shape[0]):
            left, right = x[i, r], y[i]
            for e in range(row.size):
                row[e] += left[e] * right[e]
        for e in range(row.size):
            row[e] = near_remainder(row[e], prime, inverse)


@kernel
def add_square(mats: Array, a: np.uint64, vectors: Array, v: np.uint64, out: Array, o: np.uint64) -> None:
    """`add_matvec` for a matrix of four rows and columns; places, not rows, are given.

    Unsigned places are known not to count from the end, and only then do these loops run in vector registers.
    """
    for e in range(STEP):
        y0, y1, y2, y3 = vectors[v + e], vectors[v + STEP + e], vectors[v + TWO + e], vectors[v + THREE + e]
        for i in range(4):
            w, m = o + np.uint64(i) * STEP + e, a + np.uint64(i) * FOUR + e
            out[w] += mats[m] * y0 + mats[m + STEP] * y1 + mats[m + TWO] * y2 + mats[m + THREE] * y3


@kernel
def add_matvec(mats: Array, a: int, vectors: Array, v: int, out: Array, o: int, rows: int, dx: int) -> None:
    """``out[o:] += M y`` for every pair of a chunk; a row of `CHUNK` numbers for each entry, all in flat buffers.

    The matrix has `rows` rows of `dx` entries from row `a` of `mats` on, the vector starts at row `v` of `vectors`.
    """
    if rows == 4 and dx == 4:
        add_square(mats, np.uint64(a * CHUNK), vectors, np.uint64(v * CHUNK), out, np.uint64(o * CHUNK))
        return
    for i in range(rows):
        w, k = np.uint64((o + i) * CHUNK), 0
        while k + 4 <= dx:
            m, y = np.uint64((a + i * dx + k) * CHUNK), np.uint64((v + k) * CHUNK)
            for e in range(STEP):
                out[w + e] += (
                    mats[m + e] * vectors[y + e]
                    + mats[m + STEP + e] * vectors[y + STEP + e]
                    + mats[m + TWO + e] * vectors[y + TWO + e]
                    + mats[m + THREE + e] * vectors[y + THREE + e]
                )
            k += 4
        while k < dx:
            m, y = np.uint64((a + i * dx + k) * CHUNK), np.uint64((v + k) * CHUNK)
            for e in range(STEP):
                out[w + e] += mats[m + e] * vectors[y + e]
            k += 1


@kernel
def load_orders(low: Array, raw: Array, high: Array, source: Array, state: Array, where: Array, prime: float) -> None:
    """The four orders of every entry of the state of one chunk of pairs, one after the other in `state`.

    `low` (R, n) holds the numbers of side A, `high` (n, T) those of side B and `raw` (2, n, R, T) those of every pair,
    not yet reduced. Entry ``i`` of the state comes from ``source[i]``; `where` is ``(row, first column)``.
    """
    inverse = 1.0 / prime
    r, column = where
    start = np.uint64(column)
    size = source.size
    for i in range(size):
        s = source[i]
        number, first, second, third = low[r, s], raw[0, s, r], raw[1, s, r], high[s]
        n, n1 = np.uint64(i * CHUNK), np.uint64((size + i) * CHUNK)
        n2, n3 = np.uint64((2 * size + i) * CHUNK), np.uint64((3 * size + i) * CHUNK)
        for e in range(STEP):
            state[n + e] = number
        for e in range(STEP):
            state[n1 + e] = near_remainder(first[start + e], prime, inverse)
        for e in range(STEP):
            state[n2 + e] = near_remainder(second[start + e], prime, inverse)
        for e in range(STEP):
            state[n3 + e] = third[start + e]


@kernel
def multiply_orders(
    state: Array, a: int, size: int, vectors: Array, v: int, step: int, last: int, out: Array, shape: Array, p: float
) -> None:
    """Product of a matrix and a vector that are polynomials in t: order ``n`` of the result fills its own rows.

    The matrix (orders 0..3) starts at row `a` of each `size` rows of `state`, the vector (orders 0..`last`) at row
    `v` of each `step` rows of `vectors`. `shape` is ``(rows, dx)``.
    """
    rows, dx = shape
    out[:] = 0
    for n in range(4 + last):
        for j in range(max(0, n - last), min(3, n) + 1):
            add_matvec(state, j * size + a, vectors, (n - j) * step + v, out, n * rows, rows, dx)
    reduce_flat(out, p)


@kernel
def sum_heads(
    state: Array, size: int, asked: Array, scores: Array, out: Array, orders: Array, sizes: Array, p: float
) -> None:
    """Add ``<c_h^T a, T_h>`` of one head to every order in `orders`; all factors are polynomials in t.

    `asked` holds the vector a (orders 0..6), the rows of ``c_h^T`` (orders 0..3) start at row `first` of the state and
    ``T_h`` (orders 0..4, `m` rows each) at row `place` of `scores`; `sizes` is ``(first, place, da, m, dx)``.
    """
    first, place, da, m, dx = sizes
    inner = np.empty(da * CHUNK)
    for n in range(max(0, orders.min() - 4), min(9, orders.max()) + 1):
        inner[:] = 0
        for j in range(max(0, n - 6), min(3, n) + 1):
            add_matvec(state, j * size + first, asked, (n - j) * dx, inner, 0, da, dx)
        reduce_flat(inner, p)
        for index in range(orders.size):
            other = orders[index] - n
            if 0 <= other <= 4:
                add_matvec(inner, 0, scores, other * m + place, out, index, 1, da)
    reduce_flat(out, p)


@kernel
def three_layer_tile(
    low: Array, raw: Array, high: Array, z: Array, plan: Array, sizes: Array, out: Array, p: float
) -> None:
    """Orders of the output entry for every pair of a tile, `out` of shape ``(orders, R, T)``, for three layers.

    ``T`` is a multiple of `CHUNK`; `low`, `raw` and `high` are as in `load_orders`, `z` is ``(z_0, z_1)`` of shapes
    ``(R, dx)`` and ``(dx, R, T)``, `plan` is ``(source, orders)`` and `sizes` ``(H, da, dx)``.
    """
    z_low, z_high = z
    source, orders = plan
    H, da, dx = sizes
    m, size = H * da, source.size
    at_u, at_c, at_q = dx * dx, dx * dx + H * dx, dx * dx + H * dx + m * dx
    state = np.empty(4 * size * CHUNK)
    token = np.empty(2 * dx * CHUNK)
    scores = np.empty(5 * m * CHUNK)
    asked = np.empty(7 * dx * CHUNK)
    found = np.empty(orders.size * CHUNK)
    for r in range(low.shape[0]):
        for start in range(0, high.shape[1], CHUNK):
            load_orders(low, raw, high, source, state, (r, start), p)
            for i in range(dx):
                token[i * CHUNK : (i + 1) * CHUNK] = z_low[r, i]
                token[(dx + i) * CHUNK : (dx + i + 1) * CHUNK] = z_high[i, r, start : start + CHUNK]
            multiply_orders(state, at_q, size, token, 0, dx, 1, scores, (m, dx), p)
            found[:] = 0
            for h in range(H):
                multiply_orders(state, 0, size, state, at_u + h * dx, size, 3, asked, (dx, dx), p)
                sum_heads(state, size, asked, scores, found, orders, (at_c + h * da * dx, h * da, da, m, dx), p)
            for index in range(orders.size):
                out[index, r, start : start + CHUNK] = found[index * CHUNK : (index + 1) * CHUNK]
