"""A results store open for writing: finished cases, and claims that keep two sweeps from doing one case twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from seprank.errors import SeprankError
from seprank.study.case import Case
from seprank.study.owner import is_gone, own_name
from seprank.study.record import DONE, NAMES, to_row
from seprank.study.schema import clear_errors, open_to_write

LEASE = 120.0  # seconds that a claim lasts without being renewed
Claim = Literal["mine", "taken", "finished"]


class Store:
    """The store at `path`, made if it is not there; a context manager.

    Every method is one transaction that reaches the disk or leaves no trace. `owner` names this process in its claims.
    Raises `InvalidInput` for a file that is not a store of the known version, and never writes to one.

    >>> import tempfile
    >>> from seprank import Architecture, Partition
    >>> from seprank.study.work import request, solve
    >>> case = Case(Architecture(L=1, dx=2), Partition(2, 2))
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/results.sqlite") as store:
    ...     before = store.claim(case.key, "rank")
    ...     kept = store.finish(case, solve(request(case, "rank")))
    ...     before, kept, store.claim(case.key, "rank")
    ('mine', True, 'finished')
    """

    def __init__(self, path: str | Path, owner: str | None = None) -> None:
        self.path = Path(path)
        self.owner = own_name() if owner is None else owner
        self._connection = open_to_write(self.path)
        self._file = self.path.stat().st_ino

    def finished(self) -> dict[str, tuple[str, str]]:
        """What was asked and the status, for the key of every finished case."""
        with clear_errors(self.path):
            rows = self._connection.execute("SELECT key, what, status FROM results").fetchall()
        return {key: (what, status) for key, what, status in rows}

    def claim(self, key: str, what: str, retry: bool = False) -> Claim:
        """Take a case, unless it is finished or a living process holds it.

        With `retry`, a case that failed or was too large is not finished. The claim lasts for `LEASE` seconds, and ends
        at once when this process does, as far as others can tell.
        """
        now = time.time()
        with self._transaction() as run:
            row = run("SELECT what, status FROM results WHERE key = ?", (key,)).fetchone()
            if row is not None and is_settled(row[0], row[1], what, retry):
                return "finished"
            held = run("SELECT owner, expires FROM claims WHERE key = ?", (key,)).fetchone()
            if held is not None and held[0] != self.owner and held[1] > now and not is_gone(held[0]):
                return "taken"
            run("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, self.owner, now + LEASE))
        return "mine"

    def finish(self, case: Case, outcome: dict[str, Any]) -> bool:
        """Keep the outcome of a case as `seprank.study.work.solve` returns it, and give up the claim.

        A row that is there stays unless it failed, or has no rank and this one was to have it. Returns whether this
        outcome was kept.
        """
        outcome = dict(outcome)
        document = outcome.pop("certificate", None)
        row = to_row(_case_fields(case) | {"has_certificate": document is not None} | outcome)
        names = [name for name in NAMES if name in row]
        others = ", ".join(f"{name} = excluded.{name}" for name in NAMES)
        statement = (
            f"INSERT INTO results ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)}) "
            f"ON CONFLICT (key) DO UPDATE SET {others} "
            f"WHERE results.what < excluded.what OR (results.what = excluded.what AND results.status != '{DONE}')"
        )
        with self._transaction() as run:
            kept = run(statement, row).rowcount > 0
            if kept and document is not None:
                run("INSERT OR REPLACE INTO certificates VALUES (?, ?)", (case.key, document))
            run("DELETE FROM claims WHERE key = ? AND owner = ?", (case.key, self.owner))
        return kept

    def renew(self) -> None:
        """Prolong all claims of this process. Raises `SeprankError` if the file was moved or deleted meanwhile."""
        if not self.path.exists() or self.path.stat().st_ino != self._file:
            raise SeprankError(f"the store {str(self.path)!r} was moved or deleted while it was in use")
        with self._transaction() as run:
            run("UPDATE claims SET expires = ? WHERE owner = ?", (time.time() + LEASE, self.owner))

    def give_up(self) -> None:
        """Give up all claims of this process."""
        with self._transaction() as run:
            run("DELETE FROM claims WHERE owner = ?", (self.owner,))

    def close(self) -> None:
        """Close the file; claims of this process stay until `give_up` or its end."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with clear_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def is_settled(what: str, status: str, asked: str, retry: bool) -> bool:
    """Whether a row that holds `what` with `status` answers what is `asked`."""
    if what == "bounds" and asked == "rank":
        return False
    return status == DONE or not retry


def _case_fields(case: Case) -> dict[str, Any]:
    document = case.document()
    return {
        "key": case.key,
        **document["architecture"],
        **document["partition"],
        "variant": case.variant,
        "asked_method": case.method,
        "prime": case.prime,
        "seed": case.seed,
        "engine": case.engine,
    }
