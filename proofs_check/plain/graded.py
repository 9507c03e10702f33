"""Blocks for long input from polynomials in the entries of G: ``y = sum_q x_q f_q(G)``, and derivatives of f_q.

Block k has the rank of the matrix of all derivatives of order k of f_1, ..., f_d. With m! the product of the
factorials of the exponents, its entry at operator b and (q, monomial c) is ``(b c)!`` times the coefficient of
``b c`` in f_q, up to nonzero factors of rows and columns: needs a prime above C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import flint

from proofs_check.plain.sparse import Polynomial, exponents, variable

Form = list[list[Polynomial]]


def output_forms(arrays: Iterable[Any], prime: int, entry: int = 0) -> list[Polynomial]:
    """f_1, ..., f_d of the network without skip connections, in the variables G_ij, i <= j, row by row.

    ``M_l = sum_h W^O W^V G_l (W^K)^T W^Q``, ``G_{l+1} = M_l G_l M_l^T``, ``f = e_p^T M_L ... M_1``.
    """
    layers = list(zip(*(array.tolist() for array in arrays), strict=True))
    dx = len(layers[0][3][0])
    places = {pair: number for number, pair in enumerate((i, j) for i in range(dx) for j in range(i, dx))}
    gram: Form = [[variable(places[min(i, j), max(i, j)], prime) for j in range(dx)] for i in range(dx)]
    maps: list[Form] = []
    for layer in layers:
        if maps:
            gram = _times(_times(maps[-1], gram), [list(column) for column in zip(*maps[-1], strict=True)])
        maps.append(_layer_map(list(zip(*layer, strict=True)), gram, prime))
    rows = [maps[-1][entry]]
    for matrix in reversed(maps[:-1]):
        rows = _times(rows, matrix)
    return rows[0]


def _layer_map(heads: Any, gram: Form, prime: int) -> Form:
    dx = len(gram)
    total = [[Polynomial({}, prime) for _ in range(dx)] for _ in range(dx)]
    for query, key, value, output in heads:
        left = _numbers(output, value)
        right = _numbers([list(column) for column in zip(*key, strict=True)], query)
        for i in range(dx):
            half = [_combination(left[i], [row[j] for row in gram], prime) for j in range(dx)]
            for j in range(dx):
                total[i][j] = total[i][j] + _combination([row[j] for row in right], half, prime)
    return total


def _numbers(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[sum(map(int.__mul__, row, column)) for column in zip(*b, strict=True)] for row in a]


def _combination(factors: Sequence[int], entries: Sequence[Polynomial], prime: int) -> Polynomial:
    total = Polynomial({}, prime)
    for factor, entry in zip(factors, entries, strict=True):
        total = total + entry * factor
    return total


def _times(a: Form, b: Form) -> Form:
    found = []
    for row in a:
        products = [[p * q for p, q in zip(row, column, strict=True)] for column in zip(*b, strict=True)]
        found.append([sum(terms[1:], terms[0]) for terms in products])
    return found


@cache
def monomials(count: int, degree: int) -> tuple[int, ...]:
    """All monomials of that degree in `count` variables, packed."""
    single = [1 << (6 * number) for number in range(count)]
    return tuple(sum(chosen) for chosen in combinations_with_replacement(single, degree))


def derivative_rank(forms: Sequence[Polynomial], order: int, C: int, factorials: bool = True) -> int:
    """Rank of the matrix of the derivatives of that order; without `factorials`, of coefficients in their place."""
    dx, prime = len(forms), forms[0].prime
    s = dx * (dx + 1) // 2

    def scale(key: int) -> int:
        return prod(map(factorial, exponents(key, s))) if factorials else 1

    scaled = [{key: value * scale(key) % prime for key, value in form.terms.items()} for form in forms]
    operators, left = monomials(s, order), monomials(s, C - order)
    flat = [terms.get(b + c, 0) for b in operators for terms in scaled for c in left]
    return int(flint.nmod_mat(len(operators), dx * len(left), flat, prime).rank())


def derivative_ranks(arrays: Iterable[Any], C: int, prime: int, factorials: bool = True) -> tuple[int, ...]:
    """The ranks of all blocks k = 0..C, exact modulo the prime at these weights, for long input."""
    forms = output_forms(arrays, prime)
    return tuple(derivative_rank(forms, k, C, factorials) for k in range(C + 1))
