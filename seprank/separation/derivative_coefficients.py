"""The coefficients of the output: ``y = sum_q x_q f_q(G)`` with f_q homogeneous in the entries of the Gram matrix.

The row ``e_p^T`` is multiplied from the left to the right by ``M_L(G_L) ... M_1(G_1)``, where
``M_l(G) = sum_h W^O W^V G (W^K)^T W^Q`` and ``G_{l+1} = M_l G_l M_l^T``.
Source: docs/theory.md, Derivative certificates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seprank.attention.weights import Weights
from seprank.field.draw import residues
from seprank.field.primes import check_prime
from seprank.separation.derivative_kernels import (
    Coefficients,
    Numbers,
    add_times_matrix,
    steps,
    times_factorials,
    times_gram,
    value_at,
)
from seprank.separation.network import network_function


def variable_pairs(dx: int) -> Numbers:
    """The pair (i, j), i <= j, of every variable ``G_ij``, of shape (dx (dx + 1) / 2, 2)."""
    return np.array([(i, j) for i in range(dx) for j in range(i, dx)], np.int64)


def scaled_coefficients(weights: Weights, prime: int) -> Coefficients:
    """``m! [m] f_q`` for every component q and monomial m of degree C, residues of shape (dx, monomials).

    m! is the product of the factorials of the exponents of m; the order of the monomials is that of
    `seprank.separation.derivative_kernels`. The coefficients are compared with the network at a random input first,
    and an `ArithmeticError` is raised if they differ, a fault of the program. Needs plain (not residual) whole-number
    weights; for a prime above C no factorial vanishes.

    >>> one = [[[[1]]]]
    >>> scaled_coefficients(Weights.from_arrays([one[0]] * 2, [one[0]] * 2, [one[0]] * 2, [one[0]] * 2), 101).tolist()
    [[24]]
    """
    prime = check_prime(prime)
    forms = coefficients(weights, prime)
    _compare_with_network(forms, weights, prime)
    arch = weights.architecture
    times_factorials(forms, arch.C, arch.dx * (arch.dx + 1) // 2, prime)
    return forms


def coefficients(weights: Weights, prime: int) -> Coefficients:
    """The coefficients of f_1, ..., f_dx for entry 1 of the output, residues of shape (dx, monomials of degree C)."""
    arch = weights.architecture
    row = np.zeros((arch.dx, 1), np.int32)
    row[0] = 1
    return _Road(weights, prime).through_network(row)


class _Road:
    """Products of a row vector of forms with the matrices of the network, layer by layer."""

    def __init__(self, weights: Weights, prime: int) -> None:
        self.prime, self.arch = prime, weights.architecture
        query, key, value, output = weights.as_residues(prime)
        self.left = _products(output, value, prime)
        self.right = _products(np.swapaxes(key, 2, 3), query, prime)
        self.pairs = variable_pairs(self.arch.dx)
        self.places = steps(len(self.pairs), self.arch.C + 1)

    def through_network(self, row: Coefficients) -> Coefficients:
        degree = 0
        for layer in reversed(range(self.arch.L)):
            row, degree = self.through_layer(row, degree, layer, False)
        return row

    def through_layer(self, row: Coefficients, degree: int, layer: int, transposed: bool) -> tuple[Coefficients, int]:
        total: Any = None
        end = degree
        for before, after in zip(self.left[layer], self.right[layer], strict=True):
            first, last = (after.T, before.T) if transposed else (before, after)
            part, end = self.through_gram(self.times_matrix(row, first), degree, layer)
            if self.arch.H == 1:
                return self.times_matrix(part, last), end
            total = np.zeros_like(part) if total is None else total
            add_times_matrix(part, np.ascontiguousarray(last), self.prime, total)
        return total, end

    def through_gram(self, row: Coefficients, degree: int, layer: int) -> tuple[Coefficients, int]:
        if layer == 0:
            return self.times_gram(row, degree), degree + 1
        row, degree = self.through_layer(row, degree, layer - 1, False)
        row, degree = self.through_gram(row, degree, layer - 1)
        return self.through_layer(row, degree, layer - 1, True)

    def times_gram(self, row: Coefficients, degree: int) -> Coefficients:
        s = len(self.pairs)
        grown = row.shape[1] * (s + degree) // (degree + 1)
        out = np.zeros((row.shape[0], grown), np.int32)
        times_gram(row, degree, self.pairs, self.places, self.prime, out)
        return out

    def times_matrix(self, row: Coefficients, matrix: Numbers) -> Coefficients:
        if np.array_equal(matrix, np.eye(len(matrix), dtype=np.int64)):
            return row
        out = np.zeros_like(row)
        add_times_matrix(row, np.ascontiguousarray(matrix), self.prime, out)
        return out


def _products(a: Numbers, b: Numbers, prime: int) -> Numbers:
    total = np.zeros((*a.shape[:-1], b.shape[-1]), np.int64)
    for n in range(a.shape[-1]):
        total = (total + a[..., n, None] * b[..., None, n, :]) % prime
    return total


def _compare_with_network(forms: Coefficients, weights: Weights, prime: int) -> None:
    """The polynomial and the network at one random input of 2 dx tokens."""
    arch = weights.architecture
    tokens = residues(0, "derivative check", (2, 1, arch.dx, arch.dx), prime)
    expected = int(network_function(weights, prime)(tokens[0], tokens[1])[0, 0])
    every = tokens.reshape(-1, arch.dx)
    gram = (every[:, :, None] * every[:, None, :] % prime).sum(axis=0) % prime
    variables = np.array([gram[i, j] for i, j in variable_pairs(arch.dx)], np.int64)
    found = value_at(forms, every[0], variables, arch.C, prime)
    if found != expected:
        raise ArithmeticError(f"the coefficients give {found} at a random input, the network {expected}")
