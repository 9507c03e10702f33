"""The network at G = I + e Z as a power series in e, by the recursion for G on matrices of coefficients in flint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint

from proofs_check.plain.networks import Heads

Series = list[Any]  # matrices over F_p, the coefficients of 1, e, e^2, ...


def output_series(
    heads: Heads,
    upper: Sequence[Sequence[int]],
    rows: Sequence[int],
    columns: Sequence[int],
    x: Sequence[int],
    terms: int,
) -> list[int]:
    """First `terms` coefficients of output entry 0 for the token `x`, at ``Z[rows[i], columns[j]] = upper[i][j]``.

    Z is symmetric. With G = tau I + Z the output is ``tau**C`` times this at ``e = 1 / tau``. The prime is `PRIME`.
    """
    d = len(x)
    Z = [[0] * d for _ in range(d)]
    for i, row in zip(rows, upper, strict=True):
        for j, value in zip(columns, row, strict=True):
            Z[i][j] = Z[j][i] = value
    one = flint.nmod_mat(d, d, [int(i == j) for i in range(d) for j in range(d)], PRIME)
    G: Series = [one, _matrix(Z), *(one * 0 for _ in range(terms - 2))]
    y: Series = [_matrix([[value] for value in x]), *(_matrix([[0]] * d) for _ in range(terms - 1))]
    for query, key, value, output in zip(*heads, strict=True):
        parts = [
            (_matrix(o) * _matrix(v), _matrix(k).transpose() * _matrix(q))
            for q, k, v, o in zip(query, key, value, output, strict=True)
        ]
        M = [sum((left * g * right for left, right in parts), one * 0) for g in G]
        y = _times(M, y)
        G = _times(_times(M, G), [m.transpose() for m in M])
    return [int(term[0, 0]) for term in y]


PRIME = 2147483629


def _matrix(rows: Any) -> Any:
    listed = [[int(x) % PRIME for x in row] for row in rows]
    return flint.nmod_mat(len(listed), len(listed[0]), [x for row in listed for x in row], PRIME)


def _times(a: Series, b: Series) -> Series:
    zero = a[0] * b[0] * 0
    return [sum((a[i] * b[k - i] for i in range(k + 1)), zero) for k in range(len(a))]
