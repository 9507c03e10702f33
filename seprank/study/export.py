"""Records as rows for files: JSON, CSV, Parquet, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from seprank.study.record import FLAGS, LARGE, NAMES, NESTED, REAL, WHOLE, Record


def json_row(record: Record) -> dict[str, Any]:
    """A record as a JSON object: every field, lists and objects as they are.

    Whole numbers are written with all their digits, however many.
    """
    found = {name: getattr(record, name) for name in NAMES}
    return found | {name: list(found[name]) for name in ("blocks", "bounds")}


def flat_row(record: Record) -> dict[str, Any]:
    """A record for a table without nesting: blocks, bounds and versions as JSON text, empty ones as None."""
    found = {name: getattr(record, name) for name in NAMES}
    return found | {name: json.dumps(found[name]) if found[name] else None for name in NESTED}


def from_text(row: dict[str, str]) -> Record:
    """The record of a CSV row; empty cells are None. Raises ValueError for a row that is none.

    >>> from seprank.study.export import flat_row
    >>> record = Record("ab", "done", "rank", 2, 4, 2, 2, False, 4, 4, "plain", None, 4194301, 0, "1", rank=107)
    >>> from_text({name: "" if value is None else str(value) for name, value in flat_row(record).items()}) == record
    True
    """
    return Record(**{name: _value(name, row[name]) for name in NAMES})


def digits_for(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in which whole numbers that may exceed 64 bits are text, for formats that have no longer ones."""
    return [row | {name: None if row[name] is None else str(row[name]) for name in LARGE} for row in found]


def _value(name: str, text: str) -> Any:
    if text == "":
        return () if name in ("blocks", "bounds") else None
    if name in NESTED:
        value = json.loads(text)
        return value if name == "versions" else tuple(value)
    if name in FLAGS:
        return {"true": True, "false": False}[text.lower()]
    if name in WHOLE or name in LARGE:
        return int(text)
    return float(text) if name in REAL else text
