"""The public tables of a routing layer: sign vectors that name machines, and hash tables that spread messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.field.draw import words
from seprank.validate import whole_number


def default_dimension(machines: int, fan_in: int) -> int:
    """``16 beta ln N`` rounded up to a multiple of 8: in practice other machines then score below 1/2.

    >>> default_dimension(64, 4)
    272
    """
    return 8 * max(1, math.ceil(2 * fan_in * math.log(max(machines, 2))))


def rows_for_all_patterns(machines: int, fan_in: int) -> int:
    """Rows of hash tables with which one draw of them serves every pattern at once, proved by counting patterns.

    ``2 s**2 log2 q + 2 log2 s + 1`` with s = `fan_in`, q = `machines`; the patterns of an instance need far fewer.

    >>> rows_for_all_patterns(64, 4)
    197
    """
    return math.ceil(2 * fan_in**2 * math.log2(max(machines, 2)) + 2 * math.log2(fan_in)) + 1


@dataclass(frozen=True, eq=False)
class Codebook:
    """Everything that the machines of a routing layer agree on beforehand.

    Parameters
    ----------
    machines : number N of machines, at least 1.
    fan_in : most messages that one machine sends or receives, beta, from 1 to N.
    dimension : length d of the sign vectors; left out, `default_dimension`.
    rows : rows of hash tables, R; each has ``2 beta**2`` buckets.
    seed : the tables are a function of it alone.

    Raises `InvalidInput` for a size that breaks its rule. Source: docs/parallel.md, routing.

    >>> book = Codebook(machines=16, fan_in=2)
    >>> book.signs.shape, book.buckets
    ((16, 96), 8)
    """

    machines: int
    fan_in: int
    dimension: int | None = None
    rows: int = 12
    seed: int = 0
    signs: NDArray[np.float64] = field(init=False, repr=False)
    _salt: NDArray[np.uint64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        machines = whole_number("machines", self.machines)
        fan_in = whole_number("fan_in", self.fan_in, most=machines)
        length = default_dimension(machines, fan_in) if self.dimension is None else self.dimension
        object.__setattr__(self, "dimension", whole_number("dimension", length))
        whole_number("rows", self.rows)
        bits = words(self.seed, "codebook", 0, machines * length) >> np.uint64(63)
        object.__setattr__(self, "signs", 2.0 * bits.reshape(machines, length) - 1)
        object.__setattr__(self, "_salt", words(self.seed, "hash tables", 0, self.rows))

    @property
    def buckets(self) -> int:
        """Buckets in a row: ``2 beta**2``, so that a message is alone in its own with probability at least 1/2."""
        return 2 * self.fan_in**2

    def key(self, destinations: Sequence[int]) -> NDArray[np.float64]:
        """The certificate z of a set of machines, shape ``(d,)``: ``<w_i, z> / d = 1`` for each of them; 0 for none.

        ``z = d A^T (A A^T)**-1 1`` with the sign vectors of the set as rows of A. Raises `InvalidInput` when they are
        dependent: the dimension is too small for the set.
        """
        rows = self.signs[list(destinations)]
        if not len(rows):
            return np.zeros(self.signs.shape[1])
        gram = rows @ rows.T
        if np.linalg.matrix_rank(gram) < len(rows):
            raise InvalidInput(
                f"dimension must keep the codes of {len(rows)} destinations independent, got {self.dimension}"
            )
        solved: NDArray[np.float64] = rows.T @ np.linalg.solve(gram, np.ones(len(rows)))
        return solved * rows.shape[1]

    def bucket(self, row: ArrayLike, sender: ArrayLike, receiver: ArrayLike) -> NDArray[np.int64]:
        """Buckets of messages in rows of tables: a fixed public function of the row, the sender and the receiver.

        The arguments are whole numbers from 0 on, of one shape or single; the answer has one axis.
        """
        sender, receiver = (np.atleast_1d(np.asarray(value, np.uint64)) for value in (sender, receiver))
        mixed = sender * np.uint64(0x9E3779B97F4A7C15) + receiver
        mixed = (mixed ^ self._salt[np.asarray(row)]) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
        return ((mixed ^ (mixed >> np.uint64(32))) % np.uint64(self.buckets)).astype(np.int64)
