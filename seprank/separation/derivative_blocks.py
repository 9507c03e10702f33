"""The rank of one block modulo a prime, class by class, from the scaled coefficients of the output.

The entry at an operator b of order k and a pair of a component q and a monomial m of degree C - k is
``(b m)! [b m] f_q``; up to nonzero factors of rows and columns this is the matrix of all derivatives of order k.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seprank.field.draw import words
from seprank.field.elimination import Pivots, eliminate
from seprank.field.kernels import run_tiles
from seprank.separation.derivative_gradings import Sides
from seprank.separation.derivative_kernels import Coefficients, Numbers, fill, steps

SPARE = 20  # lines sampled beyond 9/8 of the shorter side
_TILE = 2**18  # entries filled at a time

Minor = tuple[Numbers, Numbers]  # its rows and columns


def sample(short: int, long: int) -> int:
    """How many lines of the longer side are tried first."""
    return min(long, short + short // 8 + SPARE)


def block_pivots(
    forms: Coefficients,
    sides: Sides,
    C: int,
    prime: int,
    *,
    bound: int | None = None,
    seed: int = 0,
    memory: int = 2**62,
    progress: Callable[[int], None] | None = None,
) -> Pivots:
    """Rank modulo `prime` of a block at the weights of `forms`: a lower bound on its rank for almost all weights.

    Parameters
    ----------
    forms : `scaled_coefficients`, residues of shape (dx, monomials of degree C).
    sides : the monomials of both sides in classes; the grading must be one of the weights.
    bound : a proved upper bound. A sample of the longer side of every class comes first; classes where it falls
        short are then done whole (while that fits in `memory` bytes), until the sum meets the bound.
    progress : called with the number of entries of every class done.

    The rank is that of the whole block unless `memory` was too small or the bound is met. The pivots, numbers of
    monomials and of pairs ``q * len(left) + m``, are those of all classes: their minor has one block for each class.
    """
    s = sides.operators.shape[1] + 1
    places = steps(s, C)
    minors: list[Minor] = []
    short_of = []
    for number, (rows, columns) in enumerate(sides.classes()):
        across = len(rows) > len(columns)
        short, long = (columns, rows) if across else (rows, columns)
        wanted = sample(len(short), len(long))
        if wanted < len(long):
            order = np.argsort(words(seed, f"lines {number}", 0, len(long)), kind="stable")
            long = long[order]
        minors.append(_minor(forms, sides, places, short, long[:wanted], across, prime))
        if len(minors[-1][0]) < len(short) and wanted < len(long):
            short_of.append((number, short, long, across))
        if progress is not None:
            progress(len(short) * wanted)
    for number, short, long, across in short_of:
        if bound is not None and sum(len(rows) for rows, _ in minors) >= bound:
            break
        if 8 * len(short) * len(long) <= memory:
            minors[number] = _minor(forms, sides, places, short, long, across, prime)
    chosen = [sorted(n for minor in minors for n in minor[side].tolist()) for side in (0, 1)]
    return Pivots(len(chosen[0]), tuple(chosen[0]), tuple(chosen[1]))


def _minor(
    forms: Coefficients, sides: Sides, places: Numbers, short: Numbers, long: Numbers, across: bool, prime: int
) -> Minor:
    rows, columns = (long, short) if across else (short, long)
    operators = sides.operators[rows]
    components, monomials = np.divmod(columns, len(sides.left))
    left = sides.left[monomials]
    work = np.empty((len(short), len(long)), np.float64)
    height = max(1, _TILE // max(1, len(long)))

    def tile(top: int) -> None:
        part = slice(top, top + height)
        if across:
            fill(forms, places, operators, left[part], components[part], prime, True, work[part])
        else:
            fill(forms, places, operators[part], left, components, prime, False, work[part])

    run_tiles(tile, range(0, len(short), height))
    found = eliminate(work, prime)
    chosen = short[list(found.rows)], long[list(found.columns)]
    return chosen[::-1] if across else chosen
