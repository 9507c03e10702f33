"""Transition points from a CSV file; every way in which that can fail is one line of `InvalidInput`."""

from __future__ import annotations

import csv
import io
import os
from os import PathLike
from pathlib import Path

from seprank.errors import InvalidInput
from seprank.planning.least_squares import TransitionPoint

MAX_BYTES = 16 * 2**20
COLUMNS = ("depth", "width", "error")


def read_points(source: str | PathLike[str]) -> tuple[TransitionPoint, ...]:
    """The points of a CSV file with a header line and the columns ``depth``, ``width`` and ``error`` in any order.

    `error` is the standard error of the width, in the same units. Other columns are ignored, empty lines too, and
    lines that start with ``#``. Raises `InvalidInput` with the file and the line for anything else.
    """
    path = Path(os.fsdecode(source))
    lines = [
        (number, line)
        for number, line in enumerate(_text(path).splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise InvalidInput(f"points must hold a header line {','.join(COLUMNS)}, got no line in {_shown(path)}")
    names = [name.strip() for name in _cells(lines[0][1])]
    for name in COLUMNS:
        if names.count(name) != 1:
            found = ",".join(names)[:60]
            raise InvalidInput(f"points must have one column '{name}', got the header {found!r} in {_shown(path)}")
    return tuple(_point(names, line, f"{_shown(path)} line {number}") for number, line in lines[1:])


def _point(names: list[str], line: str, where: str) -> TransitionPoint:
    cells = _cells(line)
    if len(cells) != len(names):
        raise InvalidInput(f"points must have {len(names)} cells a line, got {len(cells)} in {where}")
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    try:
        return TransitionPoint(*(_number(name, row[name]) for name in COLUMNS))  # type: ignore[arg-type]
    except InvalidInput as error:
        raise InvalidInput(f"{error} in {where}") from None


def _number(name: str, text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        raise InvalidInput(f"{name} must be a number, got {text[:40]!r}") from None
    return int(number) if name == "depth" and number.is_integer() else number


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line)))
    except csv.Error as error:
        raise InvalidInput(f"points must be CSV, got a line that is not: {error}") from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InvalidInput(f"points must be an existing file, got {_shown(path)}") from None
    except IsADirectoryError:
        raise InvalidInput(f"points must be a file, got the folder {_shown(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"points must be a file that can be read, got {_shown(path)}: {reason}") from None
    if len(content) > MAX_BYTES:
        raise InvalidInput(f"points must be at most {MAX_BYTES >> 20} MiB, got more in {_shown(path)}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"offset {error.start} in {_shown(path)}"
        raise InvalidInput(f"points must be UTF-8 text, got byte 0x{content[error.start]:02x} at {where}") from None


def _shown(path: Path) -> str:
    return repr(str(path))
