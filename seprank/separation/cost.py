"""What a rank costs: memory before it starts, so that a job that cannot fit is refused instead of killed."""

from __future__ import annotations

from collections.abc import Iterable

from seprank.errors import TooLarge
from seprank.machine import memory_available, memory_limit

BYTES_PER_ENTRY = 24  # residues, the working copy of the elimination, and its temporaries
SHARE = 0.8  # of the available memory that one job may plan with
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def usable_memory() -> int:
    """Bytes that this process may still take: what the system has left, under any limit of its control group."""
    rooms = (memory_available(), memory_limit())
    return min((room for room in rooms if room is not None), default=2**32)


def memory_needed(shapes: Iterable[tuple[int, int]]) -> int:
    """Bytes for the largest of the matrices, of the given shapes, with its elimination."""
    return BYTES_PER_ENTRY * max(rows * columns for rows, columns in shapes)


def refuse_if_too_large(what: str, shapes: list[tuple[int, int]], way_out: str, available: int | None = None) -> int:
    """The bytes that a job may use; raises `TooLarge` when the largest matrix needs more, naming `way_out`.

    `way_out` may hold ``{points}``, filled with the number of points per side that would fit.
    """
    room = int((usable_memory() if available is None else available) * SHARE)
    need = memory_needed(shapes)
    if need > room:
        rows, columns = max(shapes, key=lambda shape: shape[0] * shape[1])
        points = int((room / BYTES_PER_ENTRY) ** 0.5)
        raise TooLarge(
            f"{what} needs a matrix of {short_count(rows)} x {short_count(columns)}, about {readable(need)} of "
            f"memory, and {readable(room)} may be used: {way_out.format(points=points)}"
        )
    return room


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
    digits = str(number) if number < 10**4000 else ""
    if digits and len(digits) < 10:
        return digits
    exponent = len(digits) - 1 if digits else int(number.bit_length() * 0.30103)
    return f"{digits[0]}.{digits[1]}e{exponent}" if digits else f"about 1e{exponent}"
