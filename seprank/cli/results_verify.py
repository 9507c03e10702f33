"""`seprank results verify`: stored results, checked again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from seprank.cli.options import output_options
from seprank.cli.output import emit, to_json
from seprank.cli.progress import progress_bar
from seprank.cli.results_selection import selection, selection_options


@click.command()
@selection_options()
@click.option("--budget", metavar="TIME", help="Leave checks that would take longer, such as 10m; cheapest first.")
@output_options("table", "json")
def command(
    store: Path,
    L: str | None,
    dx: str | None,
    H: str | None,
    status: str | None,
    key: str | None,
    budget: str | None,
    fmt: str,
    output: Path | None,
) -> int:
    """Check every row again: its key, its claim beside the bounds as proved now, and its certificate.

    Certificates go through the slow checker of `seprank check-certificate`, which evaluates every entry of every
    claimed minor again. Exit code 0: nothing is wrong; 1: some row is, with the reason.
    """
    from seprank.study.ranges import seconds_of
    from seprank.study.verify import WRONG, verify

    limit = None if budget is None else seconds_of("budget", budget)
    chosen = selection(store, L=L, dx=dx, H=H, status=status, key=key)
    with progress_bar("checking") as progress:
        verdicts = verify(store, chosen, limit, progress)
    rows = [
        {
            "key": verdict.record.key[:10],
            "L": verdict.record.L,
            "dx": verdict.record.dx,
            "H": verdict.record.H,
            "NA": verdict.record.NA,
            "NB": verdict.record.NB,
            "rank": verdict.record.rank,
            "outcome": verdict.outcome,
            "reason": verdict.reason,
        }
        for verdict in verdicts
    ]
    counts = Counter(verdict.outcome for verdict in verdicts)
    if fmt == "json":
        emit(to_json({"schema": "seprank.results-verify/1", "counts": dict(counts), "cases": rows}), output)
    else:
        from seprank.cli.tables import to_table

        summary = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items())) or "no case"
        table = to_table(rows, for_terminal=None if output is None else False) + "\n" if rows else ""
        emit(f"{table}{summary}", output)
    return int(bool(counts[WRONG]))
