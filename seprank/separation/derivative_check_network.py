"""The network at a random input, by eq. 3 on explicit tokens, to compare the checker's coefficients with."""

from __future__ import annotations

from math import comb, factorial
from typing import Any

import flint

from seprank.separation.derivative_check_monomials import Monomials
from seprank.separation.derivative_check_weights import variable_pairs
from seprank.separation.slow_road import words


def refuse_wrong(weights: dict[str, Any], forms: list[dict[int, int]], monomials: Monomials, prime: int) -> None:
    """Raise `ArithmeticError` if the forms ``m! [m] f_q`` differ from the network at a random input."""
    differs = _differs_from_tokens if weights["unseen"] is None else _differs_from_differences
    if differs(weights, forms, monomials, prime):
        raise ArithmeticError("the coefficients differ from eq. 3 at a random input")


def _differs_from_tokens(weights: dict[str, Any], forms: list[dict[int, int]], of: Monomials, prime: int) -> bool:
    """``sum_q x_q f_q(G)`` against eq. 3 on d tokens of each side."""
    d = len(weights["keys"])
    numbers = _residues("tokens", 2 * d * d, prime)
    X = flint.nmod_mat(2 * d, d, numbers, prime)
    gram = X.transpose() * X
    point = [int(gram[i, j]) for i, j in variable_pairs(d)]
    found = sum(x * value for x, value in zip(numbers[:d], _values(forms, point, of, prime), strict=True))
    for heads in zip(*(weights[kind] for kind in "QKVO"), strict=True):
        total = X * 0
        for Q, K, V, O in ([_flint(matrix, prime).transpose() for matrix in head] for head in zip(*heads, strict=True)):
            total += (X * Q) * (X * K).transpose() * (X * V) * O
        X = total
    return found % prime != int(X[0, 0])


def _differs_from_differences(weights: dict[str, Any], forms: list[dict[int, int]], of: Monomials, prime: int) -> bool:
    """The part of degree Z in the unseen entries against differences of the network at ``G + t D``, D in these."""
    d, Z = len(weights["keys"]), of.components[0]
    pairs = variable_pairs(d)
    point = _residues("gram", len(pairs), prime)
    gram, step = ([0] * (d * d) for _ in range(2))
    for v, (i, j) in enumerate(pairs):
        target = step if of.keys[v] else gram
        target[i * d + j] = target[j * d + i] = point[v]
    start, along = (flint.nmod_mat(d, d, entries, prime) for entries in (gram, step))
    rows = [_output_row(weights, start + along * t, prime) for t in range(Z + 1)]
    expected = [sum((-1) ** (Z - t) * comb(Z, t) * row[q] for t, row in enumerate(rows)) % prime for q in range(d)]
    return expected != [value * factorial(Z) % prime for value in _values(forms, point, of, prime)]


def _output_row(weights: dict[str, Any], gram: flint.nmod_mat, prime: int) -> list[int]:
    """The first row of ``M_L ... M_1``, ``M = sum_h O V G K^T Q`` and ``M G M^T`` in place of G from layer to layer."""
    d = len(weights["keys"])
    total = flint.nmod_mat(d, d, [int(i == j) for i in range(d) for j in range(d)], prime)
    for heads in zip(*(weights[kind] for kind in "QKVO"), strict=True):
        M = gram * 0
        for Q, K, V, O in ([_flint(matrix, prime) for matrix in head] for head in zip(*heads, strict=True)):
            M += O * (V * gram * K.transpose()) * Q
        total, gram = M * total, M * gram * M.transpose()
    return [int(total[0, q]) for q in range(d)]


def _values(forms: list[dict[int, int]], point: list[int], of: Monomials, prime: int) -> list[int]:
    """The forms at values of the variables: sums of scaled coefficients times divided powers."""
    mask = (1 << of.bits) - 1
    powers = []
    for x in point:
        row = [1]
        for e in range(1, min(mask, prime - 1) + 1):
            row.append(row[-1] * x * pow(e, -1, prime) % prime)
        powers.append(row)
    totals = []
    for form in forms:
        total = 0
        for m, value in form.items():
            for row in powers:
                if not m:
                    break
                value = value * row[m & mask] % prime
                m >>= of.bits
            total += value
        totals.append(total % prime)
    return totals


def _residues(stream: str, count: int, prime: int) -> list[int]:
    return [word % prime for word in words(0, f"check of the coefficients, {stream}", 0, count)]


def _flint(matrix: list[list[int]], prime: int) -> flint.nmod_mat:
    return flint.nmod_mat(len(matrix), len(matrix[0]), [x for row in matrix for x in row], prime)
