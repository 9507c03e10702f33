"""Rank and pivots modulo a prime by blocked elimination: nearly all the work is exact matrix products.

The columns are halved recursively down to narrow panels. The pivots of the left half are eliminated from the
right half by two products, then the right half is treated in the same way. Of the factorisation (rows
permuted) ``A = L U`` only ``-L`` is kept, as it is all that later columns need: the coefficients of pivot
number ``t`` take the place of column ``t`` of the array, where everything is already used up. ``L`` has an
identity block for each panel, so a panel's pivot block goes to ``U`` whole and no triangular system is solved
within it.

A block without pivots causes no product, so a matrix costs what its rank costs: about ``2 m n r`` operations
for rank ``r`` much below ``m`` and ``n``.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from seprank.field.arithmetic import Floats, is_zero, swap_to_top
from seprank.field.blas_threads import blas_limit
from seprank.field.entries import balanced, integer_matrix
from seprank.field.kernels import run_tiles
from seprank.field.panel import panel_pivots
from seprank.field.primes import check_prime
from seprank.field.products import add_product
from seprank.field.roads import PANEL, exact_dtypes
from seprank.field.tiling import Room, Tile, tiles, workers


@dataclass(frozen=True)
class Pivots:
    """The rank of a matrix modulo a prime, and rows and columns (from 0) whose minor is not zero modulo it.

    `rows` and `columns` increase and have `rank` entries each. The minor on them proves that the rank, modulo the
    prime and over the rationals, is at least `rank`.
    """

    rank: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]


def rank(matrix: ArrayLike, prime: int) -> int:
    """The rank of an integer matrix modulo a prime: exact, and a lower bound of the rank over the rationals.

    Parameters
    ----------
    matrix : integer array or nested list of shape ``(m, n)``, ``m, n >= 0``; entries of any size and sign. It
        is not changed; a copy of it in floating point is (``8 m n`` bytes, ``4 m n`` for a prime below ``2**11``).
    prime : a prime at most 2147483647. Primes below ``2**11`` go through float32, which is faster, and as exact.

    The answer does not depend on the number of threads (see `thread_limit`). Raises `InvalidInput` for a
    composite modulus, for entries that are not whole numbers (floats and Booleans included) and for other
    shapes.

    >>> rank([[2, 1], [1, 2]], 3), rank([[2, 1], [1, 2]], 5)
    (1, 2)
    """
    return pivots(matrix, prime).rank


def pivots(matrix: ArrayLike, prime: int) -> Pivots:
    """The rank of an integer matrix modulo a prime, with rows and columns whose minor proves it.

    Arguments and errors as for `rank`. The rank is exact; the minor alone proves the lower bound.

    >>> pivots([[0, 0, 3], [0, 0, 6], [5, 0, 1]], 7)
    Pivots(rank=2, rows=(0, 2), columns=(0, 2))
    """
    modulus = check_prime(prime)
    return eliminate(balanced(integer_matrix("matrix", matrix), modulus, exact_dtypes(modulus)[0]), modulus)


def eliminate(work: Floats, prime: int) -> Pivots:
    """The pivots of a C-contiguous matrix of balanced residues, which is destroyed.

    For callers that fill such an array themselves and cannot spare a copy. Its dtype is the road that is taken, one of
    ``exact_dtypes(prime)``; `ArithmeticError` is raised for another, which could not hold the numbers that occur.
    Nothing else is checked: `work` must be as `balanced` returns it and `prime` as `check_prime` does. In all the work
    takes at most ``elimination_bytes(*work.shape, work.dtype, threads)``.

    >>> eliminate(balanced(np.array([[1, 6], [6, 1]]), 7), 7)
    Pivots(rank=1, rows=(0,), columns=(0,))
    """
    if work.dtype not in exact_dtypes(prime):
        raise ArithmeticError(f"{work.dtype} cannot hold products modulo {prime} exactly")
    state = _State(work, prime, np.arange(work.shape[0]), Room(work.dtype))
    with blas_limit(1):
        _eliminate_columns(state, 0, work.shape[1])
    found = state.ends[-1]
    return Pivots(found, tuple(sorted(state.order[:found].tolist())), tuple(sorted(state.columns)))


@dataclass
class _State:
    """What is known half-way: the first ``ends[-1]`` rows of `work` are pivot rows, one block per panel."""

    work: Floats
    prime: int
    order: np.ndarray  # original row numbers
    room: Room
    columns: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])


def _eliminate_columns(state: _State, left: int, right: int) -> None:
    """Find the pivots of columns `left` to `right` - 1, in the rows that have no pivot yet."""
    if state.ends[-1] == state.work.shape[0]:
        return
    panels = -(-(right - left) // PANEL)
    if panels <= 1:
        _eliminate_panel(state, left, right)
        return
    first = len(state.ends) - 1
    middle = left + panels // 2 * PANEL
    _eliminate_columns(state, left, middle)
    _update(state, first, slice(middle, right))
    _eliminate_columns(state, middle, right)


def _eliminate_panel(state: _State, left: int, right: int) -> None:
    top = state.ends[-1]
    if is_zero(state.work, top, left, right):
        return
    panel = state.work[top:, left:right].copy()
    rows, columns, inverse = panel_pivots(panel, state.prime, state.room)
    if not rows:
        return
    swap_to_top(state.work, state.order, top, top + np.array(rows))
    state.columns += [left + j for j in columns]
    state.ends.append(top + len(rows))
    if right < state.work.shape[1]:
        swap_to_top(panel, np.arange(len(panel)), 0, np.array(rows))
        below = panel[len(rows) :]
        whole = columns == list(range(right - left))
        _keep_coefficients(state, below if whole else below[:, columns], -inverse)


def _keep_coefficients(state: _State, pivotal: Floats, negated: Floats) -> None:
    """Write the columns of -L that belong to the newest panel, below its pivot rows."""
    top, end = state.ends[-2:]
    add_product(state.work, end, top, pivotal, negated, state.prime, state.room, fresh=True)


def _update(state: _State, first: int, columns: slice) -> None:
    """Eliminate the pivots of panel number `first` and later from some columns to the right of them."""
    last = len(state.ends) - 1
    top, end = state.ends[first], state.ends[last]
    if end == top or end == state.work.shape[0]:
        return
    width = columns.stop - columns.start

    def solve(tile: Tile) -> None:
        _solve(state, first, last, slice(columns.start + tile[1].start, columns.start + tile[1].stop))

    if last - first > 1:
        count = workers(end - top, (end - top) // 2, width)
        run_tiles(solve, tiles(1, width, parts=count), count)
    _add_multiples(state, slice(top, end), slice(end, state.work.shape[0]), columns)


def _solve(state: _State, first: int, last: int, columns: slice) -> None:
    """Eliminate the pivots of panels `first` to `last` - 1 from one another's rows."""
    if last - first <= 1:
        return
    middle = (first + last) // 2
    bounds = [state.ends[i] for i in (first, middle, last)]
    _solve(state, first, middle, columns)
    _add_multiples(state, slice(*bounds[:2]), slice(*bounds[1:]), columns)
    _solve(state, middle, last, columns)


def _add_multiples(state: _State, pivots: slice, rows: slice, columns: slice) -> None:
    """``work[rows, columns] += (-L)[rows, pivots] @ work[pivots, columns]``."""
    A, B = state.work[rows, pivots], state.work[pivots, columns]
    add_product(state.work, rows.start, columns.start, A, B, state.prime, state.room)
