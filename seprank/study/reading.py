"""Reading a results store: plain records, or a pandas DataFrame."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seprank.errors import InvalidInput
from seprank.study.record import FLAGS, NAMES, REAL, WHOLE, Record, from_row
from seprank.study.schema import clear_errors, open_to_read

if TYPE_CHECKING:
    import pandas

ORDER = "L, dx, H, da, residual, NA, NB, variant, asked_method, prime, seed, engine, key"


def records(path: str | Path) -> list[Record]:
    """Every finished case of the store at `path`, ordered by its sizes, while others may be writing to it.

    Raises `InvalidInput` for a file that is not a results store of a known version.
    """
    with closing(open_to_read(path)) as connection, clear_errors(path):
        connection.row_factory = sqlite3.Row
        rows = connection.execute(f"SELECT {', '.join(NAMES)} FROM results ORDER BY {ORDER}").fetchall()
    return [_record(dict(row), path) for row in rows]


def certificate(path: str | Path, key: str) -> str | None:
    """The certificate of the case with that key, as JSON text; None where it has none."""
    with certificates(path) as find:
        return find(key)


@contextmanager
def certificates(path: str | Path) -> Iterator[Callable[[str], str | None]]:
    """A function from keys to certificates, as `certificate` gives them, for many of one store."""
    with closing(open_to_read(path)) as connection:

        def find(key: str) -> str | None:
            with clear_errors(path):
                row = connection.execute("SELECT document FROM certificates WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])

        yield find


def load(path: str | Path) -> pandas.DataFrame:
    """The store at `path` as a DataFrame, one row a case, one column a field of `Record` (docs/studies.md).

    Whole numbers are nullable integers (`Int64`, seeds `UInt64`), flags nullable Booleans, logarithms and seconds
    nullable floats; `rank`, `gram_bound` and the values of bounds are Python integers of any length or None; `blocks`
    and `bounds` hold tuples of dicts. Needs pandas (the extra `frames`). Raises `InvalidInput` without it, and for a
    file that is not a results store.
    """
    return frame([{name: getattr(record, name) for name in NAMES} for record in records(path)])


def frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    """A DataFrame of rows that have the fields of `Record`, typed as `load` says. Raises `InvalidInput`."""
    try:
        import pandas
    except ImportError:
        raise InvalidInput(
            "a DataFrame needs pandas, got an environment without it: pip install 'seprank[frames]'"
        ) from None
    return pandas.DataFrame({name: pandas.Series([row[name] for row in rows], dtype=_dtype(name)) for name in NAMES})


def _dtype(name: str) -> str:
    """The pandas type of a column."""
    if name == "seed":
        return "UInt64"
    kinds = {"Int64": WHOLE, "boolean": FLAGS, "Float64": REAL}
    return next((kind for kind, names in kinds.items() if name in names), "object")


def _record(row: dict[str, Any], path: str | Path) -> Record:
    try:
        return from_row(row)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"store must be a results store, got {str(path)!r}: row {row['key']!r} is malformed"
        ) from None
