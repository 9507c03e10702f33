"""Values of a grid as people write them: ``1:4``, ``1,2,dx``, ``long,2,3+5``, ``2h``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput

MOST_VALUES = 100_000  # of one range
Text = str | int | Iterable[str | int]
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def whole_values(name: str, text: Text) -> tuple[int, ...]:
    """Whole numbers of at least 1: ``3``, ``1,2,5``, ``1:4`` (both ends included), ``2:10:4`` (in steps of 4).

    >>> whole_values("L", "1:3,8"), whole_values("dx", "2:8:3"), whole_values("L", [1, 2])
    ((1, 2, 3, 8), (2, 5, 8), (1, 2))
    """
    rule = "whole numbers of at least 1 or ranges of them such as 1:4"
    return tuple(value for item in _items(text) for value in _range(name, item, rule, least=1))


def head_counts(text: Text) -> tuple[int | str, ...]:
    """Numbers of heads: whole numbers and ranges, ``dx`` and quotients such as ``dx/2``.

    >>> head_counts("1:2,dx,dx/2")
    (1, 2, 'dx', 'dx/2')
    """
    rule = "whole numbers of at least 1, ranges of them such as 1:4, dx or dx/2"
    found: list[int | str] = []
    for item in _items(text):
        if re.fullmatch(r"dx(/[1-9][0-9]{0,8})?", item):
            found.append(item)
        else:
            found += _range("H", item, rule, least=1)
    return tuple(found)


def heads_at(dx: int, heads: int | str) -> int | None:
    """The number of heads at a width; None where a quotient of the width is no whole number.

    >>> heads_at(6, "dx/2"), heads_at(5, "dx/2"), heads_at(5, 3)
    (3, None, 3)
    """
    if isinstance(heads, int):
        return heads
    divisor = int(heads.removeprefix("dx").removeprefix("/") or 1)
    return None if dx % divisor else dx // divisor


def token_counts(text: Text) -> tuple[int | str, ...]:
    """Input lengths: ``long`` (dx tokens a side), whole numbers (half a side) and ranges, and sides such as ``3+5``.

    >>> token_counts("long,2:4,3+5")
    ('long', 2, 3, 4, '3+5')
    """
    rule = "long, whole numbers of at least 2, ranges of them such as 2:6, or two sides such as 3+5"
    found: list[int | str] = []
    for item in _items(text):
        if item == "long" or re.fullmatch(r"[1-9][0-9]{0,17}\+[1-9][0-9]{0,17}", item):
            found.append(item)
        else:
            found += _range("N", item, rule, least=2)
    return tuple(found)


def partition_at(dx: int, tokens: int | str) -> Partition | None:
    """The two sides at a width; None for an odd number of tokens, which has no half.

    >>> partition_at(4, "long"), partition_at(4, 6), partition_at(4, "3+5"), partition_at(4, 3)
    (Partition(NA=4, NB=4), Partition(NA=3, NB=3), Partition(NA=3, NB=5), None)
    """
    if tokens == "long":
        return Partition(dx, dx)
    if isinstance(tokens, int):
        return None if tokens % 2 else Partition.balanced(tokens)
    NA, NB = tokens.split("+")
    return Partition(int(NA), int(NB))


def seconds_of(name: str, text: str | float) -> float:
    """A time in seconds: ``2h``, ``90m``, ``1h30m``, ``45s``, ``1d``, or a number of seconds.

    >>> seconds_of("budget", "1h30m"), seconds_of("budget", 45)
    (5400.0, 45.0)
    """
    found = re.fullmatch(
        r"(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?", str(text)
    )
    total = 0.0
    if found is not None:
        total = sum(float(number or 0) * size for number, size in zip(found.groups(), _UNITS.values(), strict=True))
    if not 0 < total < 1e10 or isinstance(text, bool):
        raise InvalidInput(f"{name} must be a positive time such as 2h, 90m, 1h30m or 45s, got {text!r}")
    return total


def _items(text: Text) -> list[str]:
    if isinstance(text, str):
        return [item.strip() for item in text.split(",")]
    if isinstance(text, int):
        return [str(text)]
    return [str(item).strip() for item in text]


def _range(name: str, item: str, rule: str, least: int) -> range:
    found = re.fullmatch(r"([0-9]{1,18})(?::([0-9]{1,18})(?::([0-9]{1,18}))?)?", item)
    first, last, step = (0, 0, 1) if found is None else (int(found[1]), int(found[2] or found[1]), int(found[3] or 1))
    if first < least or step < 1:
        raise InvalidInput(f"{name} must be {rule}, got {item!r}")
    if last < first:
        raise InvalidInput(f"{name} must be a range from the smaller to the larger end, got {item!r}")
    values = range(first, last + 1, step)
    if len(values) > MOST_VALUES:
        raise InvalidInput(f"{name} must have at most {MOST_VALUES} values, got {item!r}")
    return values
