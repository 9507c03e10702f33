"""From which depth on trained models do k hops: smallest depths in a table of errors, against two rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from seprank.errors import InvalidInput
from seprank.parallel.measured import FRESH, Measured
from seprank.validate import real_number, whole_number

CAVEAT = (
    "the authors' file was measured with dropout 0.1 switched on; without it the same models err far less "
    "(depth 4, k = 8: 21.6 % in the file, 6.8 % without)"
)


class Threshold(NamedTuple):
    """For one k: the smallest depth whose error is below the level (None: no depth of the table), and the two rules.

    `errors` maps each depth of the table to its error.
    """

    k: int
    smallest: int | None
    floor_rule: int
    ceiling_rule: int
    errors: Mapping[int, float]


class ThresholdTable(NamedTuple):
    """Thresholds of the models of one kind: `heads` heads, trained on `samples` strings (-1: fresh ones)."""

    heads: int
    samples: int
    level: float
    rows: tuple[Threshold, ...]

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths of the table."""
        return tuple(sorted({depth for row in self.rows for depth in row.errors}))

    @property
    def floor_agrees(self) -> tuple[int, int]:
        """For how many k the smallest depth is that of the floor rule, of how many whose rule lies in the table."""
        return self._agrees([row.floor_rule for row in self.rows])

    @property
    def ceiling_agrees(self) -> tuple[int, int]:
        """For how many k the smallest depth is that of the ceiling rule, of how many whose rule lies in the table."""
        return self._agrees([row.ceiling_rule for row in self.rows])

    def _agrees(self, rule: list[int]) -> tuple[int, int]:
        judged = [(row.smallest, L) for row, L in zip(self.rows, rule, strict=True) if L in self.depths]
        return sum(smallest == L for smallest, L in judged), len(judged)

    @property
    def reach(self) -> dict[int, int]:
        """For every depth, the largest k such that the error is below the level for all of 1..k."""
        return {depth: self._reach(depth) for depth in self.depths}

    def _reach(self, depth: int) -> int:
        reached = 0
        for row in self.rows:
            if row.k != reached + 1 or row.errors.get(depth, 1.0) >= self.level:
                break
            reached = row.k
        return reached


def floor_rule(k: int) -> int:
    """``floor(log2 k) + 2``, the depth of the constructions C2 and C3, for k at least 1.

    >>> [floor_rule(k) for k in (1, 2, 3, 4, 7, 8)]
    [2, 3, 3, 4, 4, 5]
    """
    return whole_number("k", k).bit_length() + 1


def ceiling_rule(k: int) -> int:
    """``ceil(log2 k) + 2``, the depth of the construction C1, for k at least 1.

    >>> [ceiling_rule(k) for k in (1, 2, 3, 4, 7, 8)]
    [2, 3, 4, 4, 5, 5]
    """
    return (whole_number("k", k) - 1).bit_length() + 2


def thresholds(rows: Iterable[Measured], level: float = 0.05, heads: int = 4, samples: int = FRESH) -> ThresholdTable:
    """The smallest depth with an error below `level` for each k from 1 on, among the models of one kind.

    What it certifies: nothing beyond the table. A trained model is approximate, so that an exact construction's depth
    does not bind it from either side; differences of one or two points between errors are noise. Raises
    `InvalidInput` for a level outside (0, 1) or a kind of model that `rows` does not hold.

    >>> from seprank.parallel.measured import authors_errors
    >>> found = thresholds(authors_errors(), level=0.05)
    >>> found.reach, found.ceiling_agrees, found.floor_agrees
    ({2: 1, 3: 3, 4: 5, 5: 8, 6: 15}, (13, 16), (6, 16))
    """
    level = real_number("level", level, positive=True)
    if level >= 1:
        raise InvalidInput(f"level must be a number between 0 and 1, got {level!r}")
    rows = list(rows)
    chosen = [row for row in rows if (row.heads, row.samples) == (heads, samples) and row.k >= 1]
    if not chosen:
        kinds = ", ".join(f"({a}, {b})" for a, b in sorted({(row.heads, row.samples) for row in rows}))
        raise InvalidInput(f"(heads, samples) must be one of {kinds}, got ({heads}, {samples})")
    errors: dict[int, dict[int, float]] = {}
    for row in sorted(chosen, key=lambda row: (row.k, row.depth)):
        errors.setdefault(row.k, {})[row.depth] = row.error
    found = tuple(
        Threshold(k, _smallest(each, level), floor_rule(k), ceiling_rule(k), each) for k, each in errors.items()
    )
    return ThresholdTable(heads, samples, level, found)


def _smallest(errors: Mapping[int, float], level: float) -> int | None:
    return min((depth for depth, error in errors.items() if error < level), default=None)
