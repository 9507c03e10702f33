"""Compiled loops over rows of forms that are homogeneous in two groups of variables.

A row is an array of shape (components, monomials of the first group, monomials of the second); each group has its
monomials numbered as in `seprank.separation.derivative_kernels`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seprank.field.kernels import kernel

Form = NDArray[np.int32]
Numbers = NDArray[np.int64]


@kernel
def list_products(degree: int, places: Numbers, out: Numbers) -> None:
    """Fill `out`, of shape (variables, monomials of this degree), with the numbers of variable times monomial.

    `places` is `seprank.separation.derivative_kernels.steps` up to degree + 1.
    """
    s = out.shape[0]
    sums = np.zeros(s, np.int64)
    sums[s - 1] = degree
    for m in range(out.shape[1]):
        place = m
        for v in range(s - 1, -1, -1):
            if v < s - 1:
                place += places[v, sums[v] + 1] - places[v, sums[v]]
            out[v, m] = place
        v = 0
        while v < s - 1 and sums[v] == sums[v + 1]:
            sums[v] = 0
            v += 1
        if v < s - 1:
            sums[v] += 1


@kernel
def times_diagonal(row: Form, products: Numbers, out: Form) -> None:
    """Write to `out`, which is zero, component h of the row times variable h of the first group, for every h."""
    for h in range(row.shape[0]):
        for a in range(row.shape[1]):
            for b in range(row.shape[2]):
                out[h, products[h, a], b] = row[h, a, b]


@kernel
def times_symmetric(row: Form, products: Numbers, entries: Numbers, prime: int, out: Form) -> None:
    """Add to `out` the row times the symmetric matrix with variable v of the second group at ``entries[v]``."""
    for v in range(entries.shape[0]):
        i, j = entries[v, 0], entries[v, 1]
        for a in range(row.shape[1]):
            for b in range(row.shape[2]):
                place = products[v, b]
                total = np.int64(out[j, a, place]) + row[i, a, b]
                out[j, a, place] = total - prime if total >= prime else total
                if i != j:
                    total = np.int64(out[i, a, place]) + row[j, a, b]
                    out[i, a, place] = total - prime if total >= prime else total


@kernel
def add_times_matrix(row: Form, matrix: Numbers, prime: int, out: Form) -> None:
    """Add to `out` the row times a constant matrix of residues."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            factor = matrix[i, j]
            if factor:
                for a in range(row.shape[1]):
                    for b in range(row.shape[2]):
                        out[j, a, b] = (out[j, a, b] + factor * row[i, a, b]) % prime
