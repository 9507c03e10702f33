"""Both sides of the matrix of a block: its monomials, their classes, and where a product of two stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seprank.closed_forms.combinatorics import multiset
from seprank.separation.derivative_kernels import Numbers, Sums, list_monomials


@dataclass(frozen=True)
class Sides:
    """The monomials of both sides of the matrix of block k, in classes outside which all entries vanish.

    `operators` and `left` hold running sums (see `derivative_kernels`); the coefficient at a product stands at the sum
    over v of ``places[v, b_v]`` with b its running sums. `rows` and `columns` are the members of the classes one
    after the other, class number n from ``row_ends[n]`` to ``row_ends[n + 1]``; a column is the number
    ``q * len(left) + m``. `operator_numbers` and `left_numbers` number the monomials among all of their degree (there
    are `left_count` on the other side).
    """

    places: Numbers
    operators: Sums
    left: Sums
    rows: Numbers
    columns: Numbers
    row_ends: Numbers
    column_ends: Numbers
    operator_numbers: Numbers
    left_numbers: Numbers
    left_count: int

    def __len__(self) -> int:
        return len(self.row_ends) - 1

    def classes(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Rows and columns of every class."""
        for n in range(len(self)):
            yield (
                self.rows[self.row_ends[n] : self.row_ends[n + 1]],
                self.columns[self.column_ends[n] : self.column_ends[n + 1]],
            )

    def shapes(self) -> Numbers:
        """Sizes of the classes, of shape (classes, 2)."""
        return np.stack([np.diff(self.row_ends), np.diff(self.column_ends)], axis=1)

    def named_rows(self, rows: Numbers) -> Numbers:
        """Rows as numbers of monomials of degree k."""
        return self.operator_numbers[rows]

    def named_columns(self, columns: Numbers) -> Numbers:
        """Columns as numbers ``q * left_count + m``, m the number of a monomial of degree C - k."""
        q, m = np.divmod(columns, len(self.left))
        return q * self.left_count + self.left_numbers[m]


def monomials(s: int, degree: int) -> Sums:
    """The running sums of all monomials of a degree in s variables, in order; of shape (monomials, s - 1)."""
    table = np.empty((multiset(s, degree), s - 1), np.int16)
    list_monomials(degree, table)
    return table
