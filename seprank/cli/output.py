"""Results as text (JSON, CSV, LaTeX, tables) and the one place where text leaves the program."""

from __future__ import annotations

import csv
import io
import json
import math
import operator
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from seprank.atomic_file import replace_file
from seprank.errors import InvalidInput, SeprankError
from seprank.tabular import Row, cell, column_names


@dataclass(frozen=True)
class Number:
    """A JSON number given by its digits, for values beyond the range of a float, such as ``6.6e477``.

    Raises ValueError if `text` is no JSON number.
    """

    text: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", self.text):
            raise ValueError(f"text must be a JSON number, got {self.text!r}")

    def __str__(self) -> str:
        return self.text


def to_json(document: Mapping[str, object]) -> str:
    """`document` as one JSON object, indented by 2, with a newline at the end.

    Values are mappings with text keys, sequences, text, Booleans, None, whole numbers, finite floats and `Number`.
    Raises ValueError for NaN and infinities and TypeError for anything else.

    >>> print(to_json({"rank": 4, "bound": Number("6.6e477")}), end="")
    {
      "rank": 4,
      "bound": 6.6e477
    }
    """
    return "".join(_json(document, "\n")) + "\n"


def _json(value: object, newline: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        items = [(json.dumps(_key(key), ensure_ascii=False) + ": ", item) for key, item in value.items()]
        yield from _nested("{}", items, newline)
    elif isinstance(value, list | tuple):
        yield from _nested("[]", [("", item) for item in value], newline)
    else:
        yield _scalar(value)


def _nested(brackets: str, items: list[tuple[str, object]], newline: str) -> Iterator[str]:
    inner = newline + "  "
    yield brackets[0]
    for index, (start, item) in enumerate(items):
        yield f"{',' if index else ''}{inner}{start}"
        yield from _json(item, inner)
    yield (newline if items else "") + brackets[1]


def _scalar(value: object) -> str:
    if isinstance(value, Number):
        return value.text
    if value is None or isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no number {value}")
        return repr(float(value))
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"JSON has no form for {type(value).__name__}") from None


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"keys of a JSON object must be text, got {key!r}")
    return key


def to_csv(rows: Sequence[Row]) -> str:
    """`rows` as CSV with a header line; a key that a row lacks is an empty cell.

    >>> print(to_csv([{"L": 2, "exact": True}, {"L": 3}]), end="")
    L,exact
    2,true
    3,
    """
    names = column_names(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def emit(text: str, output: Path | None = None) -> None:
    """Write `text` (with a newline at the end) to standard output, or to the file `output` in one step.

    A regular file is replaced as a whole or left as it was, through a temporary file in the same folder; links are
    followed, permissions kept. Raises `InvalidInput` if `output` cannot be written to.
    """
    text = text if text.endswith("\n") else text + "\n"
    if output is None or str(output) == "-":
        _to_stdout(text)
        return
    emit_bytes(text.encode("utf-8"), output)


def emit_bytes(content: bytes, output: Path) -> None:
    """Write `content` to the file `output` in one step, as `emit` does with text. Raises `InvalidInput`."""
    check_output(output)
    try:
        if output.exists() and not output.is_file():
            output.write_bytes(content)
        else:
            replace_file(output, content)
    except OSError as error:
        raise InvalidInput(_cannot_write(output, error.strerror or str(error))) from None


def check_output(output: Path | None, name: str = "output") -> None:
    """Raise `InvalidInput` if `output` is a folder, lies in no folder or may not be written; None and ``-`` pass.

    The line calls it by `name`.
    """
    if output is None or str(output) == "-":
        return
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            output.stat()  # names that are too long, and links that lead round in a circle
        if output.is_dir():
            raise InvalidInput(_cannot_write(output, "it is a folder", name))
        if not output.resolve().parent.is_dir():
            raise InvalidInput(_cannot_write(output, f"there is no folder '{output.resolve().parent}'", name))
        place = output if output.exists() else output.resolve().parent
        if not os.access(place, os.W_OK):
            raise InvalidInput(_cannot_write(output, "permission denied", name))
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(_cannot_write(output, getattr(error, "strerror", None) or str(error), name)) from None


def _cannot_write(output: Path, reason: str, name: str = "output") -> str:
    return f"{name} must be a file that can be written, got {str(output)!r}: {reason}"


def _to_stdout(text: str) -> None:
    if sys.stdout is None:
        raise SeprankError("cannot write to standard output: it is closed")
    try:
        sys.stdout.write(_in_encoding(text, sys.stdout.encoding or "utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SeprankError(f"cannot write to standard output: {error.strerror}") from None


def _in_encoding(text: str, encoding: str) -> str:
    # Signs that standard output cannot show are written as \uXXXX, which JSON reads back.
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        units = (sign.encode("utf-16-be", "surrogatepass").hex() for sign in text)
        escaped = (re.sub(r"(....)", r"\\u\1", unit) for unit in units)
        return "".join(sign if sign.isascii() else code for sign, code in zip(text, escaped, strict=True))
    return text
