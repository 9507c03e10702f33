"""One coordinate a head: the part of the output of highest degree in the entries of G that layer 1 does not see.

With ``H = dx`` and layer 1 reading the entries ``m_h = G_{h,h+1}`` (indices modulo dx) through generic output and query
vectors, every f_q has degree at most Z = C(L - 1) in the other entries z. Multiplying z by 1/e and letting e go to 0
leaves the part of degree Z, so its block ranks are lower bounds; being homogeneous in m and in z alike it splits
block k by the number i of derivatives along z. Source: docs/theory.md, Derivative certificates.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import comb, factorial
from typing import Any

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.closed_forms.combinatorics import multiset
from seprank.field.draw import residues
from seprank.field.products import matmul
from seprank.separation.derivative_coefficients import variable_pairs
from seprank.separation.derivative_kernels import Coefficients, Numbers, Sums, steps
from seprank.separation.derivative_sides import Sides, monomials
from seprank.separation.derivative_unseen_kernels import (
    Form,
    add_times_matrix,
    list_products,
    times_diagonal,
    times_symmetric,
)

Degrees = tuple[int, int]  # in the entries seen, and in the others


def unseen_degree(C: int) -> int:
    """Z = C(L - 1), the degree of the output in the entries of G that layer 1 does not see.

    >>> unseen_degree(13)
    4
    """
    return (C - 1) // 3


def unseen_weights(arch: Architecture, prime: int, seed: int) -> Weights:
    """Generic weights but for the values and keys of layer 1, which read the entries ``G_{h,h+1}``; for ``H = dx``."""
    weights = random_weights(arch, prime, seed)
    key, value = np.array(weights.key), np.array(weights.value)
    one = np.eye(arch.dx, dtype=np.int64)
    value[0], key[0] = one[:, None], np.roll(one, 1, axis=1)[:, None]
    return replace(weights, key=key, value=value)


def seen_variables(dx: int) -> Numbers:
    """The variable ``G_{h,h+1}`` of every head, counted as in `variable_pairs`; for dx >= 3 they are distinct.

    >>> seen_variables(3).tolist()
    [1, 4, 2]
    """
    number = {(i, j): v for v, (i, j) in enumerate(variable_pairs(dx).tolist())}
    return np.array([number[min(h, (h + 1) % dx), max(h, (h + 1) % dx)] for h in range(dx)], np.int64)


def unseen_variables(dx: int) -> Numbers:
    """All other variables, in order."""
    return np.setdiff1d(np.arange(dx * (dx + 1) // 2), seen_variables(dx))


def unseen_sides(dx: int, C: int, k: int) -> Sides:
    """The monomials on both sides of block k in the part of degree Z, in classes by the degree i of the operators in z.

    >>> unseen_sides(3, 4, 2).shapes().tolist()
    [[6, 27], [9, 18]]
    """
    Z = unseen_degree(C)
    degrees = [(k - i, i) for i in range(min(k, Z) + 1) if k - i <= C - Z]
    others = [(C - Z - a, Z - b) for a, b in degrees]
    operators, left = ([_products(dx, pair) for pair in side] for side in (degrees, others))
    numbers = [
        np.concatenate([_numbers(dx, table, pair) for table, pair in zip(tables, side, strict=True)])
        for tables, side in ((operators, degrees), (left, others))
    ]
    row_ends, left_ends = (np.cumsum([0, *map(len, side)]) for side in (operators, left))
    first = np.arange(dx)[:, None] * left_ends[-1]
    columns = [(first + np.arange(*ends)).ravel() for ends in pairwise(left_ends)]
    return Sides(
        places=_places(dx, C),
        operators=np.concatenate(operators),
        left=np.concatenate(left),
        rows=np.arange(row_ends[-1]),
        columns=np.concatenate(columns),
        row_ends=row_ends,
        column_ends=dx * left_ends,
        operator_numbers=numbers[0],
        left_numbers=numbers[1],
        left_count=multiset(dx * (dx + 1) // 2, C - k),
    )


def scaled_unseen_part(weights: Weights, prime: int) -> Coefficients:
    """``m! [m] f_q`` for the monomials of degree Z in z, residues of shape (dx, monomials), at `unseen_weights`.

    Monomial number ``a * multiset(zeta, Z) + b`` has number a in the entries seen and b in the zeta others. The
    coefficients are compared with the network at a random input first, and an `ArithmeticError` is raised if they
    differ, a fault of the program.
    """
    arch = weights.architecture
    part = _Road(weights, prime).through_network()
    _compare_with_network(part, weights, prime)
    Z = unseen_degree(arch.C)
    seen = _factorials(arch.dx, arch.C - Z, prime)
    unseen = _factorials(arch.s - arch.dx, Z, prime)
    for form in part:
        form[:] = form * (seen[:, None] * unseen % prime) % prime
    return part.reshape(arch.dx, -1)


class _Road:
    """Products of a row of such parts with the matrices of the network, layer by layer."""

    def __init__(self, weights: Weights, prime: int) -> None:
        self.prime, self.arch = prime, weights.architecture
        self.layers = [list(zip(*heads, strict=True)) for heads in zip(*weights.as_residues(prime), strict=True)]
        self.output = np.concatenate([head[3] for head in self.layers[0]], axis=1)
        self.query = np.concatenate([head[0] for head in self.layers[0]])
        self.entries = variable_pairs(self.arch.dx)[unseen_variables(self.arch.dx)]

    def through_network(self) -> Form:
        row, degrees = np.zeros((self.arch.dx, 1, 1), np.int32), (0, 0)
        row[0] = 1
        for layer in reversed(range(self.arch.L)):
            row, degrees = self.through_layer(row, degrees, layer, False)
        return row

    def through_layer(self, row: Form, degrees: Degrees, layer: int, transposed: bool) -> tuple[Form, Degrees]:
        """The row times ``M_l(G_l)``, or its transpose; layers count from 0."""
        if layer == 0:
            return self.through_first(row, degrees, transposed)
        total: Any = None
        end = degrees
        for query, key, value, output in self.layers[layer]:
            way = (query.T, key, value.T, output.T) if transposed else (output, value, key.T, query)
            part, end = self.through_gram(self.times(self.times(row, way[0]), way[1]), degrees, layer)
            part = self.times(part, way[2])
            total = np.zeros((self.arch.dx, *part.shape[1:]), np.int32) if total is None else total
            add_times_matrix(part, np.ascontiguousarray(way[3]), self.prime, total)
        return total, end

    def through_gram(self, row: Form, degrees: Degrees, layer: int) -> tuple[Form, Degrees]:
        if layer == 0:
            return self.times_unseen(row, degrees)
        row, degrees = self.through_layer(row, degrees, layer - 1, False)
        row, degrees = self.through_gram(row, degrees, layer - 1)
        return self.through_layer(row, degrees, layer - 1, True)

    def through_first(self, row: Form, degrees: Degrees, transposed: bool) -> tuple[Form, Degrees]:
        """The row times ``M_1 = O diag(m) Q``, or its transpose."""
        first, last = (self.query.T, self.output.T) if transposed else (self.output, self.query)
        row = self.times(row, first)
        products = _list_products(self.arch.dx, degrees[0])
        out = np.zeros((row.shape[0], multiset(self.arch.dx, degrees[0] + 1), row.shape[2]), np.int32)
        times_diagonal(row, products, out)
        return self.times(out, last), (degrees[0] + 1, degrees[1])

    def times_unseen(self, row: Form, degrees: Degrees) -> tuple[Form, Degrees]:
        """The row times G without the entries seen."""
        zeta = len(self.entries)
        out = np.zeros((*row.shape[:2], multiset(zeta, degrees[1] + 1)), np.int32)
        times_symmetric(row, _list_products(zeta, degrees[1]), self.entries, self.prime, out)
        return out, (degrees[0], degrees[1] + 1)

    def times(self, row: Form, matrix: Numbers) -> Form:
        out = np.zeros((matrix.shape[1], *row.shape[1:]), np.int32)
        add_times_matrix(row, np.ascontiguousarray(matrix), self.prime, out)
        return out


def _list_products(variables: int, degree: int) -> Numbers:
    table = np.empty((variables, multiset(variables, degree)), np.int64)
    list_products(degree, steps(variables, degree + 1), table)
    return table


def _products(dx: int, degrees: Degrees) -> Sums:
    """Running sums, each group by itself, of the monomials of these degrees."""
    seen, unseen = monomials(dx, degrees[0]), monomials(dx * (dx - 1) // 2, degrees[1])
    return np.concatenate([np.repeat(seen, len(unseen), axis=0), np.tile(unseen, (len(seen), 1))], axis=1)


def _places(dx: int, C: int) -> Numbers:
    zeta, Z = dx * (dx - 1) // 2, unseen_degree(C)
    table = np.zeros((dx + zeta - 2, C - Z + 1), np.int64)
    table[: dx - 1] = steps(dx, C - Z) * multiset(zeta, Z)
    table[dx - 1 :, : Z + 1] = steps(zeta, Z)
    return table


def _numbers(dx: int, table: Sums, degrees: Degrees) -> Numbers:
    """The numbers of such monomials among all of degree ``sum(degrees)`` in the entries of G."""
    exponents = np.empty((len(table), dx * (dx + 1) // 2), np.int64)
    groups = (seen_variables(dx), unseen_variables(dx))
    for variables, sums, degree in zip(groups, np.split(table, [dx - 1], axis=1), degrees, strict=True):
        exponents[:, variables] = np.diff(sums, axis=1, prepend=0, append=degree)
    total = np.zeros(len(table), np.int64)
    for place, sums in zip(steps(exponents.shape[1], sum(degrees)), np.cumsum(exponents, axis=1).T, strict=False):
        total += place[sums]
    return total


def _over_exponents(sizes: Numbers, prime: int) -> Numbers:
    """The product of ``sizes[v, e_v]`` over the variables, modulo the prime, for every monomial of the top degree."""
    variables, degree = sizes.shape[0], sizes.shape[1] - 1
    total = np.ones(multiset(variables, degree), np.int64)
    exponents = np.diff(monomials(variables, degree), axis=1, prepend=0, append=degree)
    for size, exponent in zip(sizes, exponents.T, strict=True):
        total = total * size[exponent] % prime
    return total


def _factorials(variables: int, degree: int, prime: int) -> Numbers:
    sizes = [factorial(e) % prime for e in range(degree + 1)]
    return _over_exponents(np.array([sizes] * variables, np.int64), prime)


def _values(variables: Numbers, degree: int, prime: int) -> Numbers:
    sizes = [[pow(value, e, prime) for e in range(degree + 1)] for value in variables.tolist()]
    return _over_exponents(np.array(sizes, np.int64), prime)


def _compare_with_network(part: Form, weights: Weights, prime: int) -> None:
    """The coefficient of t**Z in the network where the unseen entries are multiplied by t, by differences in t."""
    arch = weights.architecture
    d, Z = arch.dx, unseen_degree(arch.C)
    x, *half = residues(0, "unseen check", (d + 1, d), prime)
    gram = np.triu(half) + np.triu(half, 1).T
    pairs = variable_pairs(d)
    values = np.array([gram[i, j] for i, j in pairs])
    seen, unseen = seen_variables(d), unseen_variables(d)
    by_t = []
    for t in range(Z + 1):
        scaled = gram.copy()
        for i, j in pairs[unseen]:
            scaled[i, j] = scaled[j, i] = gram[i, j] * t % prime
        by_t.append(_network_at(weights, scaled, x, prime))
    expected = sum((-1) ** (Z - t) * comb(Z, t) * value for t, value in enumerate(by_t)) % prime
    of_seen, of_unseen = _values(values[seen], arch.C - Z, prime), _values(values[unseen], Z, prime)
    forms = [int(((form * of_unseen % prime).sum(axis=1) % prime * of_seen % prime).sum()) for form in part]
    found = sum(int(q) * form for q, form in zip(x, forms, strict=True)) * factorial(Z) % prime
    if found != expected:
        raise ArithmeticError(f"the part of degree {Z} gives {found} at a random input, the network {expected}")


def _network_at(weights: Weights, gram: Numbers, x: Numbers, prime: int) -> int:
    """The first entry of the output of the token x where the tokens have this Gram matrix."""
    for heads in zip(*weights.as_residues(prime), strict=True):
        layer = np.zeros_like(gram)
        for query, key, value, output in zip(*heads, strict=True):
            inner = matmul(matmul(value, gram, prime), key.T, prime)
            layer = (layer + matmul(matmul(output, inner, prime), query, prime)) % prime
        x = matmul(layer, x[:, None], prime)[:, 0]
        gram = matmul(matmul(layer, gram, prime), layer.T, prime)
    return int(x[0])
