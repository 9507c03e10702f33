"""The file of a results store: SQLite with a mark of its own, and what is refused at the door."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from seprank.errors import InvalidInput, SeprankError

APPLICATION_ID = 0x53455052  # "SEPR"
VERSION = 1
PATIENCE = 60.0  # seconds to wait for another process that is writing
_NO_ACCESS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_HEADER = b"SQLite format 3\0"

_TABLES = """
CREATE TABLE results (
    key TEXT PRIMARY KEY NOT NULL,
    status TEXT NOT NULL,
    what TEXT NOT NULL,
    L INTEGER NOT NULL, dx INTEGER NOT NULL, H INTEGER NOT NULL, da INTEGER NOT NULL, residual INTEGER NOT NULL,
    NA INTEGER NOT NULL, NB INTEGER NOT NULL,
    variant TEXT NOT NULL, asked_method TEXT, prime INTEGER NOT NULL, seed NOT NULL, engine TEXT NOT NULL,
    method TEXT, used_prime INTEGER, points INTEGER, rank, certified_exact INTEGER, claim TEXT,
    regime TEXT,
    best_lower TEXT, best_lower_log3 REAL, best_lower_value,
    best_upper TEXT, best_upper_log3 REAL, best_upper_value,
    gram_bound,
    blocks TEXT, bounds TEXT,
    has_certificate INTEGER NOT NULL, error TEXT,
    seconds REAL, memory INTEGER, versions TEXT
);
CREATE TABLE certificates (key TEXT PRIMARY KEY NOT NULL REFERENCES results (key), document TEXT NOT NULL);
CREATE TABLE claims (key TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, expires REAL NOT NULL);
"""


def open_to_read(path: str | Path) -> sqlite3.Connection:
    """A connection that cannot change the store at `path`, once it is known to be one.

    Raises `InvalidInput` for a file that is missing, torn, no store, or of an unknown schema version.
    """
    path = Path(path)
    _refuse_other_files(path)
    with clear_errors(path):
        connection = _read_only(path)
        try:
            _refuse_other_stores(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


def open_to_write(path: str | Path) -> sqlite3.Connection:
    """A connection to the store at `path`, made if there is no such file.

    Every commit reaches the disk; readers and one writer at a time work side by side (write-ahead log). Any file that
    is not a store of the known version is left exactly as it is, and `InvalidInput` raised.
    """
    path = Path(path).resolve()
    if not path.parent.is_dir():
        raise InvalidInput(f"store must be in a folder that exists, got {str(path)!r}")
    if not path.exists():
        _create(path)
    open_to_read(path).close()
    with clear_errors(path):
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextmanager
def clear_errors(path: str | Path) -> Iterator[None]:
    """Within the block, an error of SQLite becomes one line that names the store."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise SeprankError(f"the store {str(path)!r} cannot be used: {error}") from None
    except sqlite3.DatabaseError as error:
        raise InvalidInput(f"store must be a results store, got {str(path)!r}: {error}") from None


def _refuse_other_files(path: Path) -> None:
    """Raise `InvalidInput` for a file that does not even start like one of SQLite."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_HEADER))
    except OSError as error:
        raise InvalidInput(f"store must be a file that can be read, got {str(path)!r}: {error.strerror}") from None
    if start != _HEADER:
        reason = "it is not an SQLite file" if start else "it is empty"
        raise InvalidInput(f"store must be a results store, got {str(path)!r}: {reason}")


def _read_only(path: Path) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF not in _NO_ACCESS or _has_log(path):
            raise
        # In a folder that cannot be written the index of the log cannot be made, and without a log is not needed.
        return sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
    return connection


def _refuse_other_stores(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `InvalidInput` unless the file carries our mark, a known version, and is whole."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise InvalidInput(f"store must be a results store, got {str(path)!r}: it is an SQLite file of another program")
    version = _pragma(connection, "user_version")
    if version != VERSION:
        raise InvalidInput(
            f"store must have schema version {VERSION}, got {version} in {str(path)!r}: another seprank made it"
        )
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"results", "certificates", "claims"} <= tables:
        raise InvalidInput(f"store must be whole, got {str(path)!r}: it lacks tables")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise InvalidInput(f"store must be whole, got {str(path)!r}: {' '.join(str(found).split())}")
    if path.stat().st_size % _pragma(connection, "page_size") and not _has_log(path):
        raise InvalidInput(f"store must be whole, got {str(path)!r}: it is cut off")


def _has_log(path: Path) -> bool:
    """Whether there is something in the write-ahead log, from which SQLite mends what a power cut left undone."""
    log = path.resolve()
    log = log.with_name(f"{log.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _create(path: Path) -> None:
    """Make an empty store under another name and give it its own in one step, unless another process was faster."""
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with clear_errors(path), closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
            connection.executescript(f"BEGIN; {_TABLES} {marks} COMMIT; PRAGMA journal_mode = WAL;")
        _give_name(draft, path)
    except OSError as error:
        raise InvalidInput(f"store must be where a file can be made, got {str(path)!r}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def _give_name(draft: Path, path: Path) -> None:
    """Make `draft` the file `path`, unless there is one by now."""
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not path.exists():
            draft.rename(path)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    with closing(connection.execute(f"PRAGMA {name}")) as cursor:
        return int(cursor.fetchone()[0])
