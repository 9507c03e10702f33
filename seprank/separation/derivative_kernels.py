"""Compiled loops over the monomials of one degree in s variables.

A monomial with exponents ``e_0, ..., e_{s-1}`` is held by the running sums ``b_v = e_0 + ... + e_v``. Its number is
``sum_v binom(v + b_v, v + 1)`` over ``v < s - 1`` (the combinatorial number system): a bijection of the monomials of
degree c with ``0 .. binom(s + c - 1, c) - 1``. The running sums of a product are the sums of those of its factors, so
the number of a product takes ``s - 1`` look-ups, and no table of products is needed.

Coefficients are residues from 0 to p - 1 in int32, of shape (components, monomials). Kernels that share the step
from one monomial to the next stand in this file together.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.field.kernels import kernel

Coefficients = NDArray[np.int32]
Sums = NDArray[np.int16]
Numbers = NDArray[np.int64]


def steps(s: int, degree: int) -> Numbers:
    """``binom(v + b, v + 1)`` for ``v < s - 1`` and ``b <= degree``, of shape (s - 1, degree + 1).

    >>> steps(3, 2).tolist()
    [[0, 1, 2], [0, 1, 3]]
    """
    table = [[comb(v + b, v + 1) for b in range(degree + 1)] for v in range(s - 1)]
    return np.array(table, np.int64).reshape(s - 1, degree + 1)


@kernel
def advance(sums: Numbers) -> int:
    """Step to the monomial with the next number; returns the highest place that changed (s - 1 after the last)."""
    last = sums.size - 1
    v = 0
    while v < last and sums[v] == sums[v + 1]:
        sums[v] = 0
        v += 1
    if v < last:
        sums[v] += 1
    return v


@kernel
def list_monomials(degree: int, table: Sums) -> None:
    """Fill `table`, of shape (monomials, s - 1), with the running sums of every monomial, in order."""
    sums = np.zeros(table.shape[1] + 1, np.int64)
    sums[-1] = degree
    for m in range(table.shape[0]):
        for v in range(table.shape[1]):
            table[m, v] = sums[v]
        advance(sums)


@kernel
def times_gram(row: Coefficients, degree: int, ends: Numbers, places: Numbers, prime: int, out: Coefficients) -> None:
    """Add to `out` the row vector `row` of forms of this degree, times the symmetric matrix of the variables.

    `ends` has the pair (i, j), i <= j, of every variable; `places` is `steps` up to degree + 1 at least.
    """
    s = ends.shape[0]
    sums = np.zeros(s, np.int64)
    sums[s - 1] = degree
    for m in range(row.shape[1]):
        place = m
        for v in range(s - 1, -1, -1):
            if v < s - 1:
                place += places[v, sums[v] + 1] - places[v, sums[v]]
            i, j = ends[v, 0], ends[v, 1]
            total = np.int64(out[j, place]) + row[i, m]
            out[j, place] = total - prime if total >= prime else total
            if i != j:
                total = np.int64(out[i, place]) + row[j, m]
                out[i, place] = total - prime if total >= prime else total
        advance(sums)


@kernel
def add_times_matrix(row: Coefficients, matrix: Numbers, prime: int, out: Coefficients) -> None:
    """Add to `out` the row vector `row` of forms times a constant matrix of residues."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            factor = matrix[i, j]
            if factor:
                for m in range(row.shape[1]):
                    if row[i, m]:
                        out[j, m] = (out[j, m] + factor * row[i, m]) % prime


@kernel
def times_factorials(forms: Coefficients, degree: int, s: int, prime: int) -> None:
    """Multiply the coefficient of every monomial by the product of the factorials of its exponents."""
    factorial = np.ones(degree + 1, np.int64)
    for e in range(2, degree + 1):
        factorial[e] = factorial[e - 1] * e % prime
    sums = np.zeros(s, np.int64)
    sums[s - 1] = degree
    above = np.ones(s + 1, np.int64)  # of the exponents from this place on
    above[s - 1] = factorial[degree]
    for u in range(s - 1):
        above[u] = above[s - 1]
    for m in range(forms.shape[1]):
        for q in range(forms.shape[0]):
            if forms[q, m]:
                forms[q, m] = forms[q, m] * above[0] % prime
        v = advance(sums)
        if v < s - 1:
            above[v + 1] = above[v + 2] * factorial[sums[v + 1] - sums[v]] % prime
            value = above[v + 1] * factorial[sums[v]] % prime
            for u in range(v + 1):
                above[u] = value


@kernel
def value_at(forms: Coefficients, x: Numbers, variables: Numbers, degree: int, prime: int) -> int:
    """``sum_q x_q f_q`` at values of the variables, modulo the prime."""
    s = variables.size
    powers = np.ones((s, degree + 1), np.int64)
    for v in range(s):
        for e in range(1, degree + 1):
            powers[v, e] = powers[v, e - 1] * variables[v] % prime
    sums = np.zeros(s, np.int64)
    sums[s - 1] = degree
    above = np.ones(s + 1, np.int64)
    above[: s - 1] = powers[s - 1, degree]
    above[s - 1] = powers[s - 1, degree]
    total = 0
    for m in range(forms.shape[1]):
        inner = 0
        for q in range(forms.shape[0]):
            if forms[q, m]:
                inner = (inner + x[q] * forms[q, m]) % prime
        if inner:
            total = (total + inner * above[0]) % prime
        v = advance(sums)
        if v < s - 1:
            above[v + 1] = above[v + 2] * powers[v + 1, sums[v + 1] - sums[v]] % prime
            value = above[v + 1] * powers[v, sums[v]] % prime
            for u in range(v + 1):
                above[u] = value
    return total


@kernel
def monomial_keys(table: Sums, degree: int, variables: Numbers, signs: bool, out: Numbers) -> None:
    """The weight of every monomial of `table`: sums of the keys of its variables, or exclusive ors for signs."""
    s = variables.size
    for m in range(table.shape[0]):
        key, before = 0, 0
        for v in range(s):
            now = degree if v == s - 1 else int(table[m, v])
            if now > before:
                if not signs:
                    key += (now - before) * variables[v]
                elif (now - before) % 2:
                    key ^= variables[v]
            before = now
        out[m] = key


@kernel
def fill(
    forms: Coefficients,
    places: Numbers,
    operators: Sums,
    left: Sums,
    components: Numbers,
    prime: int,
    across: bool,
    out: NDArray[Any],
) -> None:
    """The balanced residues of f_q at the products of operators and of monomials left over.

    Entry (r, c) of `out` has operator r and the pair c of a component and a monomial; with `across` it is the
    other way round.
    """
    half = prime // 2
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            r, c = (b, a) if across else (a, b)
            place = 0
            for v in range(operators.shape[1]):
                place += places[v, operators[r, v] + left[c, v]]
            value = forms[components[c], place]
            out[a, b] = value - prime if value > half else value
