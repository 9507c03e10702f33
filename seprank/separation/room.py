"""The memory that a job may plan with, and large numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from seprank.machine import memory_available, memory_limit

SHARE = 0.8  # of the available memory that one job may plan with
_promised: ContextVar[int | None] = ContextVar("seprank_room", default=None)
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def room() -> int:
    """Bytes that a job may plan with: a share of what the system has left, under the limits of its control groups.

    Within `room_limit` it is the number of bytes stated there.
    """
    promised = _promised.get()
    if promised is not None:
        return promised
    rooms = (memory_available(), memory_limit())
    return int(SHARE * min((free for free in rooms if free is not None), default=2**32))


@contextmanager
def room_limit(promised: int | None) -> Iterator[None]:
    """Within the block, plan with so many bytes, for jobs that share a machine; None leaves the choice to `room`.

    >>> with room_limit(2**30):
    ...     readable(room())
    '1.0 GiB'
    """
    token = _promised.set(promised)
    try:
        yield
    finally:
        _promised.reset(token)


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
