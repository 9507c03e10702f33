"""Compiled loops on balanced residues held as float64 or float32.

The balanced residue of a number modulo an odd prime ``p`` is its remainder from ``-(p-1)/2`` to ``(p-1)/2``;
modulo 2 it is 0 or 1. Every loop takes the prime as `modulus` makes it, and returns or leaves balanced residues
when it is given them.

Why the remainder is exact. Let ``E`` be ``2**53`` (float64) or ``2**24`` (float32). For ``|x| <= E - 2p`` the quotient
``x * (1/p)`` is off by less than ``2/p``, so for ``p >= 5`` rounding it misses the nearest multiple of ``p`` by one at
most, that multiple and ``x`` minus it are whole numbers below ``E``, and one correction by ``p`` lands in the balanced
range. The callers keep ``x`` that small; for 2 and 3 they keep it below ``2**24`` (``2**22`` in float32), where the
quotient is off by less than 1/4.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from seprank.field.kernels import kernel

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]
Modulus = tuple[Any, Any, Any, Any]

# Large residues are cut into high * HALF + low with |high| <= 2**15 and |low| <= 2**14.
HALF = 32768.0


def modulus(prime: int, dtype: DTypeLike) -> Modulus:
    """The prime, its reciprocal, and the least and the largest balanced residue, as numbers of `dtype`.

    The loops compute in the type of these four: one number of another type in an expression would widen it.
    """
    number: Any = np.dtype(dtype).type
    return number(prime), number(1) / number(prime), number(-((prime - 1) // 2)), number(prime // 2)


@kernel
def remainder(x: Any, modulus: Modulus) -> Any:
    """The balanced residue of `x`."""
    prime, inverse, low, high = modulus
    x = x - prime * np.rint(x * inverse)
    x = x - prime if x > high else x
    return x + prime if x < low else x


@kernel
def store_reduced(target: Floats, top: int, left: int, terms: Floats, modulus: Modulus) -> None:
    """``target[top:, left:] = terms`` on the shape of `terms`, reduced."""
    for i in range(terms.shape[0]):
        row = target[top + i, left : left + terms.shape[1]]
        term = terms[i]
        for j in range(term.size):
            row[j] = remainder(term[j], modulus)


@kernel
def add_reduced(target: Floats, top: int, left: int, terms: Floats, modulus: Modulus) -> None:
    """``target[top:, left:] += terms`` on the shape of `terms`, reduced."""
    for i in range(terms.shape[0]):
        row = target[top + i, left : left + terms.shape[1]]
        term = terms[i]
        for j in range(term.size):
            row[j] = remainder(row[j] + term[j], modulus)


@kernel
def add_halves(target: Floats, top: int, left: int, high: Floats, low: Floats, modulus: Modulus) -> None:
    """``target[top:, left:] += HALF * high + low`` on the shape of `high`, reduced."""
    for i in range(high.shape[0]):
        row = target[top + i, left : left + high.shape[1]]
        upper, lower = high[i], low[i]
        for j in range(upper.size):
            term = HALF * remainder(upper[j], modulus) + lower[j]
            row[j] = remainder(row[j] + term, modulus)


@kernel
def subtract_multiple(row: Floats, factor: Any, other: Floats, modulus: Modulus) -> None:
    """``row -= factor * other``, reduced; `row` may be `other`."""
    if modulus[0] < 67108864.0:  # 2**26: the product stays below 2**50 (in float32, below 2**21)
        for j in range(row.size):
            row[j] = remainder(row[j] - factor * other[j], modulus)
    else:
        high = np.rint(factor / HALF)
        low = factor - HALF * high
        for j in range(row.size):
            term = HALF * remainder(high * other[j], modulus) + low * other[j]
            row[j] = remainder(row[j] - term, modulus)


@kernel
def reciprocal(x: Any, modulus: Modulus) -> int:
    """The balanced residue, as a whole number, whose product with `x` (not zero) is 1: Euclid's algorithm."""
    prime = int(modulus[0])
    a, b = int(x) % prime, prime
    s, t = 1, 0
    while b != 0:
        q = a // b
        a, b = b, a - q * b
        s, t = t, s - q * t
    s %= prime
    return s - prime if s > prime // 2 else s


@kernel
def is_zero(matrix: Floats, top: int, left: int, right: int) -> bool:
    """Whether columns `left` to `right` - 1 hold zeros only, from row `top` on."""
    for i in range(top, matrix.shape[0]):
        row = matrix[i, left:right]
        found = 0
        for j in range(row.size):
            found |= row[j] != 0.0
        if found:
            return False
    return True


@kernel
def find_pivots(block: Floats, modulus: Modulus, rows: Integers, columns: Integers) -> int:
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
                subtract_multiple(row, row[columns[t]], block[rows[t]], modulus)
        for j in range(row.size):
            if row[j] != 0.0:
                _divide(row, row[j], modulus)
                rows[count], columns[count] = i, j
                count += 1
                break
    return count


@kernel
def invert(matrix: Floats, modulus: Modulus) -> None:
    """Replace a square matrix whose leading minors are all nonzero by its inverse (Gauss and Jordan)."""
    for t in range(matrix.shape[0]):
        pivot = matrix[t, t]
        matrix[t, t] = 1.0
        _divide(matrix[t], pivot, modulus)
        for i in range(matrix.shape[0]):
            if i != t and matrix[i, t] != 0.0:
                factor = matrix[i, t]
                matrix[i, t] = 0.0
                subtract_multiple(matrix[i], factor, matrix[t], modulus)


@kernel
def _divide(row: Floats, divisor: Any, modulus: Modulus) -> None:
    """``row /= divisor``, as ``row -= (1 - 1 / divisor) * row``."""
    rest = 1 - reciprocal(divisor, modulus)
    if rest > modulus[3]:
        rest -= int(modulus[0])
    subtract_multiple(row, row.dtype.type(rest), row, modulus)


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
