"""`seprank results list`: one line for every case of a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import output_options
from seprank.cli.output import emit, to_csv, to_json
from seprank.cli.results_selection import selection, selection_options

if TYPE_CHECKING:
    from seprank.study import Record

_KEY_DIGITS = 10


@click.command()
@selection_options()
@output_options("table", "json", "csv")
def command(
    store: Path,
    L: str | None,
    dx: str | None,
    H: str | None,
    status: str | None,
    key: str | None,
    fmt: str,
    output: Path | None,
) -> None:
    """One line for every case: sizes, rank, what it certifies, best proved bounds, time.

    A rank is a proved lower bound on the separation rank for almost all weights, and exact where it says so.

    \b
    seprank results list --store results.sqlite
    seprank results list --store results.sqlite --L 2 --dx 4:8 --status done
    """
    rows = [_row(record) for record in selection(store, L=L, dx=dx, H=H, status=status, key=key)]
    if fmt == "json":
        emit(to_json({"schema": "seprank.results/1", "store": str(store), "cases": rows}), output)
    elif fmt == "csv":
        emit(to_csv(rows), output)
    elif not rows:
        emit("no case", output)
    else:
        from seprank.cli.tables import to_table

        emit(to_table(rows, for_terminal=None if output is None else False), output)


def _row(record: Record) -> dict[str, object]:
    upper = record.best_upper_value
    return {
        "key": record.key[:_KEY_DIGITS],
        "L": record.L,
        "dx": record.dx,
        "H": record.H,
        "da": record.da,
        **({"residual": True} if record.residual else {}),
        "NA": record.NA,
        "NB": record.NB,
        "prime": record.prime,
        "seed": record.seed,
        "status": record.status,
        "rank": record.rank,
        "exact": None if record.rank is None else bool(record.certified_exact),
        "best upper": record.best_upper,
        "upper": upper if upper is None or upper < 10**15 else f"3^{record.best_upper_log3:.6g}",
        "method": record.method,
        "seconds": None if record.seconds is None else round(record.seconds, 3),
        **({"error": record.error} if record.error else {}),
    }
