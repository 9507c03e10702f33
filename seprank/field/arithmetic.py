"""Compiled loops on balanced residues held as float64.

The balanced residue of a number modulo an odd prime ``p`` is its remainder from ``-(p-1)/2`` to ``(p-1)/2``;
modulo 2 it is 0 or 1. Every loop takes the prime as a float, and returns or leaves balanced residues when it
is given them.

Why the remainder is exact. For ``|x| <= 2**53 - 2p`` the quotient ``x * (1/p)`` is off by less than ``2/p``,
so rounding it misses the nearest multiple of ``p`` by one at most, that multiple and ``x`` minus it are whole
numbers below ``2**53``, and one correction by ``p`` lands in the balanced range. The callers keep ``x`` that
small, except for 2 and 3, where they keep it below ``2**24``.
"""

import numpy as np
from numpy.typing import NDArray

from seprank.field.kernels import kernel

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Large residues are cut into high * HALF + low with |high| <= 2**15 and |low| <= 2**14.
HALF = 32768.0


@kernel
def remainder(x: float, prime: float, inverse: float) -> float:
    """The balanced residue of `x`, given ``inverse = 1 / prime``."""
    x -= prime * np.rint(x * inverse)
    x -= prime if x > np.floor(0.5 * prime) else 0.0
    x += prime if x < -np.floor(0.5 * (prime - 1.0)) else 0.0
    return x


@kernel
def reduce_all(array: Floats, prime: float) -> None:
    """Replace every entry of a C-contiguous matrix by its balanced residue."""
    inverse = 1.0 / prime
    for i in range(array.shape[0]):
        row = array[i]
        for j in range(row.size):
            row[j] = remainder(row[j], prime, inverse)


@kernel
def add_reduced(target: Floats, top: int, left: int, terms: Floats, prime: float) -> None:
    """``target[top:, left:] += terms`` on the shape of `terms`, reduced."""
    inverse = 1.0 / prime
    for i in range(terms.shape[0]):
        row = target[top + i, left : left + terms.shape[1]]
        term = terms[i]
        for j in range(term.size):
            row[j] = remainder(row[j] + term[j], prime, inverse)


@kernel
def add_halves(target: Floats, top: int, left: int, high: Floats, low: Floats, prime: float) -> None:
    """``target[top:, left:] += HALF * high + low`` on the shape of `high`, reduced."""
    inverse = 1.0 / prime
    for i in range(high.shape[0]):
        row = target[top + i, left : left + high.shape[1]]
        upper, lower = high[i], low[i]
        for j in range(upper.size):
            term = HALF * remainder(upper[j], prime, inverse) + lower[j]
            row[j] = remainder(row[j] + term, prime, inverse)


@kernel
def subtract_multiple(row: Floats, factor: float, other: Floats, prime: float) -> None:
    """``row -= factor * other``, reduced; `row` may be `other`."""
    inverse = 1.0 / prime
    if prime < 67108864.0:  # 2**26: the product stays below 2**50
        for j in range(row.size):
            row[j] = remainder(row[j] - factor * other[j], prime, inverse)
    else:
        high = np.rint(factor / HALF)
        low = factor - HALF * high
        for j in range(row.size):
            term = HALF * remainder(high * other[j], prime, inverse) + low * other[j]
            row[j] = remainder(row[j] - term, prime, inverse)


@kernel
def reciprocal(x: float, prime: float) -> float:
    """The balanced residue whose product with `x` (not zero) is 1: Euclid's algorithm."""
    modulus = int(prime)
    a, b = int(x) % modulus, modulus
    s, t = 1, 0
    while b != 0:
        q = a // b
        a, b = b, a - q * b
        s, t = t, s - q * t
    return remainder(float(s), prime, 1.0 / prime)


@kernel
def find_pivots(block: Floats, prime: float, rows: Integers, columns: Integers) -> int:
    """Eliminate the rows of `block` from the top, each pivot being the first nonzero entry of its row.

    Destroys `block`, writes the pivot positions to `rows` (increasing) and `columns`, and returns their
    number. Stops when every column has a pivot. The leading minors of ``block[rows][:, columns]`` are all
    nonzero.
    """
    count = 0
    for i in range(block.shape[0]):
        if count == block.shape[1]:
            break
        row = block[i]
        for t in range(count):
            if row[columns[t]] != 0.0:
                subtract_multiple(row, row[columns[t]], block[rows[t]], prime)
        for j in range(row.size):
            if row[j] != 0.0:
                _scale(row, reciprocal(row[j], prime), prime)
                rows[count], columns[count] = i, j
                count += 1
                break
    return count


@kernel
def invert(matrix: Floats, prime: float) -> None:
    """Replace a square matrix whose leading minors are all nonzero by its inverse (Gauss and Jordan)."""
    for t in range(matrix.shape[0]):
        scale = reciprocal(matrix[t, t], prime)
        matrix[t, t] = 1.0
        _scale(matrix[t], scale, prime)
        for i in range(matrix.shape[0]):
            if i != t and matrix[i, t] != 0.0:
                factor = matrix[i, t]
                matrix[i, t] = 0.0
                subtract_multiple(matrix[i], factor, matrix[t], prime)


@kernel
def _scale(row: Floats, factor: float, prime: float) -> None:
    subtract_multiple(row, remainder(1.0 - factor, prime, 1.0 / prime), row, prime)


@kernel
def swap_to_top(matrix: Floats, labels: Integers, top: int, rows: Integers) -> None:
    """Exchange row ``top + t`` and its label with row ``rows[t]``, for t = 0, 1, ... (`rows` increase)."""
    for t in range(rows.size):
        source, target = rows[t], top + t
        if source == target:
            continue
        labels[source], labels[target] = labels[target], labels[source]
        for j in range(matrix.shape[1]):
            matrix[source, j], matrix[target, j] = matrix[target, j], matrix[source, j]
