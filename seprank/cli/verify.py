"""`seprank verify`: run the ledger, one record for every statement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit, to_json

if TYPE_CHECKING:
    from proofs_check.verdict import Record, Statement


@click.command()
@click.option("--paper", metavar="NAME", help="Statements of this paper only, e.g. D2W (its NEW.* ones included).")
@click.option("--id", "ids", multiple=True, metavar="ID", help="This statement only; may be repeated.")
@click.option(
    "--level",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="How many cases: under a minute, or all.",
)
@click.option("--list", "only_list", is_flag=True, help="List the statements with the recorded verdicts; run nothing.")
@output_options("table", "json", "junit", "markdown")
@threads_option()
def command(
    paper: str | None,
    ids: tuple[str, ...],
    level: str,
    only_list: bool,
    fmt: str,
    output: Path | None,
    threads: int | None,
) -> int:
    """Check the statements of the ledger: every case by two roads, and the wrong variants that must fail.

    Exit code 1 when a verdict differs from the one recorded, when roads disagree, or when a wrong variant survives.
    """
    from proofs_check import ledger

    if only_list:
        _list(ledger.statements(paper, ids), fmt, output)
        return 0

    from seprank.cli.progress import progress_bar
    from seprank.machine import usable_cores

    with progress_bar("verifying") as progress:
        records = ledger.verify(paper, ids, level, progress, usable_cores() if threads is None else threads)
    emit(_text(records, fmt, None if output is None else False), output)
    return 0 if all(record.good for record in records) else 1


def _list(statements: list[Statement], fmt: str, output: Path | None) -> None:
    if fmt == "json":
        found = [
            {"id": s.id, "paper": s.paper, "title": s.title, "source": s.source, "expected": str(s.expected)}
            for s in statements
        ]
        emit(to_json({"schema": "seprank.statements/1", "statements": found}), output)
        return
    from seprank.cli.tables import to_table

    rows = [{"id": s.id, "expected": str(s.expected), "statement": s.title} for s in statements]
    emit(to_table(rows, for_terminal=None if output is None else False), output)


def _text(records: list[Record], fmt: str, for_terminal: bool | None) -> str:
    if fmt == "json":
        return to_json({"schema": "seprank.verify/1", "records": [record.as_dict() for record in records]})
    from proofs_check import report

    if fmt == "markdown":
        return report.to_markdown(records)
    if fmt == "junit":
        return report.to_junit(records)
    from seprank.cli.tables import to_table

    rows = [
        {
            "id": record.statement.id,
            "verdict": str(record.verdict),
            "cases": record.cases,
            "mutants": f"{sum(refuted for _, refuted in record.mutants)}/{len(record.mutants)}",
            "seconds": f"{record.seconds:.2f}",
            "statement": record.statement.title,
        }
        for record in records
    ]
    problems = [f"{record.statement.id}: {problem}" for record in records for problem in record.problems]
    bad = sum(not record.good for record in records)
    summary = f"{len(records)} statements, {len(records) - bad} as recorded, {bad} not"
    return "\n".join([to_table(rows, for_terminal=for_terminal).rstrip("\n"), "", *problems, summary]) + "\n"
