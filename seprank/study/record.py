"""A row of a store as a plain record, and as a row again."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from seprank.study.key import case_key

DONE, TOO_LARGE, ERROR = "done", "too-large", "error"
STATUSES = (DONE, TOO_LARGE, ERROR)
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Record:
    """One finished case. docs/studies.md describes every field; those that a case lacks are None or empty.

    `rank` is a proved lower bound on the separation rank for almost all weights, and the exact value where
    `certified_exact` is True. `best_lower_...` and `best_upper_...` are closed forms proved for the case.
    """

    key: str
    status: str
    what: str
    L: int
    dx: int
    H: int
    da: int
    residual: bool
    NA: int
    NB: int
    variant: str
    asked_method: str | None
    prime: int
    seed: int
    engine: str
    method: str | None = None
    used_prime: int | None = None
    points: int | None = None
    rank: int | None = None
    certified_exact: bool | None = None
    claim: str | None = None
    regime: str | None = None
    best_lower: str | None = None
    best_lower_log3: float | None = None
    best_lower_value: int | None = None
    best_upper: str | None = None
    best_upper_log3: float | None = None
    best_upper_value: int | None = None
    gram_bound: int | None = None
    blocks: tuple[dict[str, Any], ...] = ()
    bounds: tuple[dict[str, Any], ...] = ()
    has_certificate: bool = False
    error: str | None = None
    seconds: float | None = None
    memory: int | None = None
    versions: dict[str, str] | None = None

    def document(self) -> dict[str, Any]:
        """The case as plain data, as `seprank.study.case.Case.document` writes it."""
        return {
            "architecture": {name: getattr(self, name) for name in ("L", "dx", "H", "da", "residual")},
            "partition": {"NA": self.NA, "NB": self.NB},
            "variant": self.variant,
            "method": self.asked_method,
            "prime": self.prime,
            "seed": self.seed,
            "engine": self.engine,
        }

    @property
    def key_fits(self) -> bool:
        """Whether the key is the hash of the case as stored."""
        return case_key(self.document()) == self.key


NAMES = tuple(field.name for field in fields(Record))
WHOLE = ("L", "dx", "H", "da", "NA", "NB", "prime", "seed", "used_prime", "points", "memory")
LARGE = ("rank", "best_lower_value", "best_upper_value", "gram_bound")  # may be longer than 64 bits
REAL = ("best_lower_log3", "best_upper_log3", "seconds")
FLAGS = ("residual", "certified_exact", "has_certificate")
NESTED = ("blocks", "bounds", "versions")


def to_row(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record as SQLite holds them: nested ones as JSON, whole numbers beyond 64 bits as digits."""
    return {name: _to_cell(name, value) for name, value in record.items()}


def from_row(row: dict[str, Any]) -> Record:
    """The record of a row. Raises ValueError or TypeError when a cell is not what `to_row` writes."""
    return Record(**{name: _from_cell(name, row[name]) for name in NAMES})


def _to_cell(name: str, value: Any) -> Any:
    if name in NESTED:
        return None if not value else json.dumps(value, separators=(",", ":"), allow_nan=False)
    if name in FLAGS:
        return None if value is None else int(value)
    if isinstance(value, int):
        return value if value <= _LARGEST else str(value)
    return value


def _from_cell(name: str, value: Any) -> Any:
    if name in ("blocks", "bounds"):
        return () if value is None else tuple(_objects(json.loads(value)))
    if value is None:
        return None
    if name in NESTED:
        return dict(json.loads(value))
    if name in FLAGS:
        return bool(value)
    if name in WHOLE or name in LARGE:
        return int(value)
    return float(value) if name in REAL else str(value)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [dict(item) for item in value]
