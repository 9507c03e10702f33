"""The rank of one block modulo a prime, class by class, from the scaled coefficients of the output.

The entry at an operator b of order k and a pair of a component q and a monomial m of degree C - k is
``(b m)! [b m] f_q``; up to nonzero factors of rows and columns this is the matrix of all derivatives of order k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from seprank.field.draw import words
from seprank.field.elimination import Pivots, eliminate
from seprank.field.kernels import run_tiles, threads
from seprank.field.roads import elimination_bytes, exact_dtypes
from seprank.separation.derivative_kernels import Coefficients, Numbers, fill
from seprank.separation.derivative_sides import Sides

SPARE = 20  # lines sampled beyond 9/8 of the shorter side
_TILE = 2**18  # entries filled at a time

_NONE = np.zeros(0, np.int64)

Minor = tuple[Numbers, Numbers]  # its rows and columns


def sample(short: int, long: int) -> int:
    """How many lines of the longer side are tried first."""
    return min(long, short + short // 8 + SPARE)


def block_pivots(
    forms: Coefficients,
    sides: Sides,
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
    forms : the scaled coefficients of the output, residues of shape (dx, monomials).
    sides : the monomials of both sides in classes, of the grading that `forms` belong to.
    bound : a proved upper bound. A sample of the longer side of every class comes first; classes where it falls
        short are then done whole (while that fits in memory), until the sum meets the bound.
    memory : bytes that may be used beside what one sampled class takes.
    progress : called with the number of entries of every class done.

    The rank is that of the whole block unless `memory` was too small or the bound is met. The pivots, numbers of
    monomials and of pairs as in `Sides.named_columns`, are those of all classes: their minor has one block for each
    class, with zeros on one side at least of every two of these (on both but for "unseen").
    """
    found: dict[int, Minor] = {}
    lock = Lock()

    def measure(lines: _Lines) -> None:
        minor = _minor(forms, sides, lines, prime)
        with lock:
            if progress is not None and lines.number not in found:
                progress(len(lines.short) * len(lines.long))
            found[lines.number] = minor

    every = [_Lines.sampled(number, *lines, seed) for number, lines in enumerate(sides.classes())]
    _side_by_side(measure, every, memory, prime)
    short = [lines for lines in every if len(found[lines.number][0]) < len(lines.short) and len(lines.rest)]
    for lines in short:
        if bound is not None and sum(len(rows) for rows, _ in found.values()) >= bound:
            break
        whole = lines.whole()
        if whole.bytes(prime) <= memory:
            measure(whole)
    rows, columns = (np.concatenate([found[n][side] for n in sorted(found)] or [_NONE]) for side in (0, 1))
    named = np.sort(sides.named_rows(rows)), np.sort(sides.named_columns(columns))
    return Pivots(len(rows), tuple(named[0].tolist()), tuple(named[1].tolist()))


@dataclass(frozen=True)
class _Lines:
    """A class: all of its shorter side, and lines of the longer one, which is that of the rows if `across`."""

    number: int
    short: Numbers
    long: Numbers
    rest: Numbers
    across: bool

    @classmethod
    def sampled(cls, number: int, rows: Numbers, columns: Numbers, seed: int) -> _Lines:
        across = len(rows) > len(columns)
        short, long = (columns, rows) if across else (rows, columns)
        wanted = sample(len(short), len(long))
        if wanted < len(long):
            long = long[np.argsort(words(seed, f"lines {number}", 0, len(long)), kind="stable")]
        return cls(number, short, long[:wanted], long[wanted:], across)

    def whole(self) -> _Lines:
        return replace(self, long=np.concatenate([self.long, self.rest]), rest=_NONE)

    def bytes(self, prime: int) -> int:
        return elimination_bytes(len(self.short), len(self.long), exact_dtypes(prime)[0])


def _side_by_side(measure: Callable[[_Lines], None], every: list[_Lines], memory: int, prime: int) -> None:
    """All classes, the largest first; several at once, on one thread each, where they fit in memory together."""
    ordered = sorted(every, key=lambda lines: -len(lines.short))
    others = sum(lines.bytes(prime) for lines in ordered[1 : threads()])
    run_tiles(measure, ordered, None if others <= memory else 1)


def _minor(forms: Coefficients, sides: Sides, lines: _Lines, prime: int) -> Minor:
    short, long, across = lines.short, lines.long, lines.across
    rows, columns = (long, short) if across else (short, long)
    operators = sides.operators[rows]
    components, monomials = np.divmod(columns, len(sides.left))
    left = sides.left[monomials]
    work = np.empty((len(short), len(long)), exact_dtypes(prime)[0])
    height = max(1, _TILE // max(1, len(long)))

    def tile(top: int) -> None:
        part = slice(top, top + height)
        if across:
            fill(forms, sides.places, operators, left[part], components[part], prime, True, work[part])
        else:
            fill(forms, sides.places, operators[part], left, components, prime, False, work[part])

    run_tiles(tile, range(0, len(short), height))
    found = eliminate(work, prime)
    chosen = short[list(found.rows)], long[list(found.columns)]
    return chosen[::-1] if across else chosen
