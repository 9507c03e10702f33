"""The memory that a job may plan with, and large numbers as people read them."""

from __future__ import annotations

from seprank.machine import memory_available, memory_limit

SHARE = 0.8  # of the available memory that one job may plan with
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def room() -> int:
    """Bytes that a job may plan with: a share of what the system has left, under the limits of its control groups."""
    rooms = (memory_available(), memory_limit())
    return int(SHARE * min((free for free in rooms if free is not None), default=2**32))


def readable(amount: int) -> str:
    """A number of bytes with a unit.

    >>> readable(3 * 2**30 // 2)
    '1.5 GiB'
    """
    size, unit = amount, 0
    while size >= 1024 * 1000 and unit < len(_UNITS) - 1:
        size, unit = size // 1024, unit + 1
    if size < 1000:
        return f"{size} {_UNITS[unit]}"
    if unit == len(_UNITS) - 1:
        return f"{short_count(size)} {_UNITS[unit]}"
    return f"{size / 1024:.1f} {_UNITS[unit + 1]}"


def short_count(number: int) -> str:
    """A whole number, in scientific notation from ten digits on.

    >>> short_count(11440), short_count(10**12)
    ('11440', '1.0e12')
    """
    if number < 10**9:
        return str(number)
    if number < 10**4000:
        digits = str(number)
        return f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
    return f"1e{int(number.bit_length() * 0.30103)}"
