"""Which position belongs to which side, written as a word such as "AABB"."""

from __future__ import annotations

from itertools import groupby

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput

LONGEST = 4096


def checked_order(order: object) -> str:
    """`order` if it is a word of the letters A and B with both in it; raises `InvalidInput` otherwise.

    >>> checked_order("ABBA")
    'ABBA'
    """
    if not isinstance(order, str) or set(order) != {"A", "B"}:
        raise InvalidInput(f"order must be a word of the letters A and B with both in it, got {order!r}")
    if len(order) > LONGEST:
        raise InvalidInput(f"order must have at most {LONGEST} letters, got {len(order)}")
    return order


def sides(order: str) -> Partition:
    """The number of positions on the two sides."""
    return Partition(order.count("A"), order.count("B"))


def runs(order: str) -> list[str]:
    """The side of every run of equal letters.

    >>> runs("AABBA")
    ['A', 'B', 'A']
    """
    return [letter for letter, _ in groupby(order)]
