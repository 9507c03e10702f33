"""The coefficient matrix of a polynomial for any split of the positions, and its exact rank.

Rows are the monomials in the tokens of side A, columns those in the other tokens. Monomials are linearly
independent functions, so the rank of this matrix is the separation rank of the function, by definition: nothing is
sampled. Source: levine2020depth, section 3 (separation rank).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np

from seprank.attention.polynomial import NetworkPolynomial
from seprank.errors import InvalidInput
from seprank.separation.rational_rank import rational_rank

Exponents = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CoefficientMatrix:
    """The coefficients of a polynomial, sorted by side.

    `rows` and `columns` hold the exponents of the monomials that occur, in increasing order, over the token entries
    of `A` and of the other positions, each in increasing order of position. `entries` maps ``(row, column)`` to a
    coefficient that is not zero: an int (from 0 to ``prime - 1`` with a `prime`) or a Fraction.
    """

    A: tuple[int, ...]
    rows: tuple[Exponents, ...]
    columns: tuple[Exponents, ...]
    entries: dict[tuple[int, int], Any]
    prime: int | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.columns)

    def dense(self) -> list[list[Any]]:
        """All entries, as a list of rows."""
        return _dense(self.entries, *self.shape)

    def blocks(self) -> list[list[list[Any]]]:
        """The matrix cut into blocks, as dense matrices, that share no row or column; all else is zero.

        Without skip connections monomials of different bidegree lie in different blocks.
        """
        parts: dict[int, dict[tuple[int, int], Any]] = {}
        component = _components(self.entries, len(self.rows))
        for (row, column), value in self.entries.items():
            parts.setdefault(component[row], {})[row, column] = value
        return [_compact(part) for _, part in sorted(parts.items())]

    @property
    def rank(self) -> int:
        """The exact rank, over the rationals or modulo `prime`: the separation rank of the polynomial for this split.

        >>> from seprank.attention.architecture import Architecture
        >>> from seprank.attention.polynomial import network_polynomial
        >>> from seprank.attention.poly_weights import small_weights
        >>> y = network_polynomial(small_weights(Architecture(L=1, dx=2), seed=0), N=2)
        >>> coefficient_matrix(y, A=[0]).rank
        3
        """
        return sum(_rank(block, self.prime) for block in self.blocks())


def coefficient_matrix(polynomial: NetworkPolynomial, A: Iterable[int]) -> CoefficientMatrix:
    """The coefficient matrix for the positions `A` (from 0) on one side and all others on the other side.

    `A` holds distinct positions, at least one and not all; the output position may be on either side. The weights
    must be numbers and the tokens variables. Raises `InvalidInput` otherwise.
    """
    if not polynomial.symbolic_tokens or polynomial.symbolic_weights:
        raise InvalidInput("polynomial must have symbolic tokens and weights that are numbers, for a rank")
    side = polynomial.side(A)
    pairs = {}
    for exponents, value in polynomial.terms():
        pairs[polynomial.split(exponents, side)] = value
    rows = {monomial: index for index, monomial in enumerate(sorted({a for a, _ in pairs}))}
    columns = {monomial: index for index, monomial in enumerate(sorted({b for _, b in pairs}))}
    entries = {(rows[a], columns[b]): value for (a, b), value in pairs.items()}
    return CoefficientMatrix(side, tuple(rows), tuple(columns), entries, polynomial.prime)


def coefficient_rank(polynomial: NetworkPolynomial, A: Iterable[int]) -> int:
    """The separation rank of the polynomial for the side `A`, exactly: the rank of `coefficient_matrix`.

    Over ZZ and QQ the rank is the rational one; over GF(p) it is the rank modulo p, a lower bound on the rational
    rank of a polynomial over ZZ with that image. Errors as in `coefficient_matrix`.
    """
    return coefficient_matrix(polynomial, A).rank


def _rank(block: list[list[Any]], prime: int | None) -> int:
    if prime is None:
        return rational_rank([_whole(row) for row in block])
    from seprank.field.elimination import rank

    return rank(np.array(block, np.int64), prime)


def _whole(row: list[Any]) -> list[int]:
    """The row times its common denominator."""
    scale = lcm(*(value.denominator for value in row))
    return [int(value * scale) for value in row]


def _components(entries: Iterable[tuple[int, int]], height: int) -> dict[int, int]:
    """For every row, the least row that it is linked to through shared columns."""
    parent = list(range(height))

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    first: dict[int, int] = {}
    for row, column in entries:
        a, b = sorted((root(row), root(first.setdefault(column, row))))
        parent[b] = a
    return {row: root(row) for row in range(height)}


def _compact(part: dict[tuple[int, int], Any]) -> list[list[Any]]:
    rows, columns = ({index: n for n, index in enumerate(sorted(indices))} for indices in _indices(part))
    moved = {(rows[row], columns[column]): value for (row, column), value in part.items()}
    return _dense(moved, len(rows), len(columns))


def _indices(part: dict[tuple[int, int], Any]) -> Iterator[set[int]]:
    yield {row for row, _ in part}
    yield {column for _, column in part}


def _dense(entries: dict[tuple[int, int], Any], height: int, width: int) -> list[list[Any]]:
    matrix: list[list[Any]] = [[0] * width for _ in range(height)]
    for (row, column), value in entries.items():
        matrix[row][column] = value
    return matrix
