"""The upper bounds of plain networks, carried over to networks that are contained in one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from operator import add

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.case import Case
from seprank.closed_forms.combinatorics import multiset_run
from seprank.closed_forms.report import bounds
from seprank.separation.result import whole_value
from seprank.variants.variant import Upper

FORM = ("gram", "staircase", "isotropic", "gram.narrow", "gram.two-tokens", "gram.simple")
MOST_DEPTH = 6  # staircase sums have about 9**L / 12 terms


def plain_uppers(arch: Architecture, partition: Partition, only: Iterable[str] | None = None) -> tuple[Upper, ...]:
    """The proved upper bounds of `arch`, those named in `only` or all, with their blocks where they have some."""
    report = bounds(arch, partition)
    names = None if only is None else set(only)
    return tuple(
        Upper(bound.id, whole_value(bound), bound.scope, blocks=_blocks(bound.id, arch, partition))
        for bound in report
        if bound.kind == "upper" and bound.valid and (names is None or bound.id in names)
    )


def failing(uppers: Iterable[Upper], reason: str) -> tuple[Upper, ...]:
    """The same bounds as ones that do not hold, with the reason."""
    return tuple(Upper(bound.id, bound.value, reason, holds=False) for bound in uppers)


def _blocks(id: str, arch: Architecture, partition: Partition) -> tuple[int, ...] | None:
    if arch.residual:
        return None
    case = Case(arch, partition)
    found = {
        "gram": case.gram_blocks,
        "staircase": case.staircase_blocks,
        "isotropic": case.isotropic_blocks,
    }.get(id)
    return None if found is None else tuple(found)


def staircase_cover(L: int, d: int, seen: int) -> tuple[int, ...] | None:
    """The staircase bound of every part k = 0..C where layer 1 sees `seen` of the ``d (d + 1) / 2`` forms of G.

    The least number of rows (degree j < t in the unseen forms) and columns (at most Z - t derivatives along them) that
    cover the pattern, over t = 0..Z + 1; see docs/theory.md, staircase bound. None for L above 6.

    >>> staircase_cover(2, 4, 8)
    (1, 10, 52, 40, 4)
    """
    if L > MOST_DEPTH:
        return None
    C, Z = (3**L - 1) // 2, (3 ** (L - 1) - 1) // 2
    by_seen, by_unseen = multiset_run(seen, C), multiset_run(d * (d + 1) // 2 - seen, Z)
    return tuple(_least_cover(d, k, by_seen, by_unseen) for k in range(C + 1))


def _least_cover(d: int, k: int, by_seen: list[int], by_unseen: list[int]) -> int:
    left = len(by_seen) - 1 - k
    rows = (d * by_seen[left - j] * count if j <= left else 0 for j, count in enumerate(by_unseen))
    columns = (by_seen[k - i] * count if i <= k else 0 for i, count in enumerate(by_unseen))
    return min(map(add, accumulate(rows, initial=0), reversed(list(accumulate(columns, initial=0)))))
