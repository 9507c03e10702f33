"""`seprank results show`: everything about some cases of a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import output_options
from seprank.cli.output import check_output, emit, to_json
from seprank.cli.results_selection import selection, selection_options
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.study import Record


@click.command()
@selection_options()
@click.option(
    "--certificate",
    "certificate_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the certificate of the one case chosen to FILE, for `seprank check-certificate`.",
)
@output_options("text", "json")
def command(
    store: Path,
    L: str | None,
    dx: str | None,
    H: str | None,
    status: str | None,
    key: str | None,
    certificate_file: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """All about some cases: what was found and what it certifies, every bound, every block, time, memory, versions.

    \b
    seprank results show --store results.sqlite --L 2 --dx 4 --H 2
    seprank results show --store results.sqlite --key 85c20279 --certificate out.json
    """
    check_output(certificate_file)
    chosen = selection(store, L=L, dx=dx, H=H, status=status, key=key)
    if certificate_file is not None:
        emit(_certificate(store, chosen), certificate_file)
    if fmt == "json":
        from seprank.study.export import json_row

        emit(to_json({"schema": "seprank.case/1", "cases": [json_row(record) for record in chosen]}), output)
        return
    for_terminal = None if output is None else False
    emit("\n".join(_text(record, for_terminal) for record in chosen) or "no case", output)


def _certificate(store: Path, chosen: list[Record]) -> str:
    from seprank.study import certificate

    if len(chosen) != 1:
        raise InvalidInput(f"certificate needs one case, got {len(chosen)}: choose it with --key, --L, --dx or --H")
    text = certificate(store, chosen[0].key)
    if text is None:
        raise InvalidInput(f"certificate must be in the store, got a case without one ({chosen[0].status})")
    return text


def _text(record: Record, for_terminal: bool | None) -> str:
    from seprank.cli.tables import to_table

    skip = ", with skip connections" if record.residual else ""
    sizes = f"L = {record.L}, dx = {record.dx}, H = {record.H}, da = {record.da}{skip}"
    lines = [
        f"{sizes}; NA = {record.NA}, NB = {record.NB}",
        f"prime {record.prime}, seed {record.seed}, variant {record.variant}, {record.engine}",
        f"key: {record.key}",
        f"status: {record.status}{'' if record.error is None else f': {record.error}'}",
    ]
    if record.rank is not None:
        lines += [f"rank: {record.rank} (method {record.method})", f"claim: {record.claim}"]
        lines += [f"certificate: {'in the store' if record.has_certificate else 'none'}"]
    lines += [_cost(record), ""]
    if record.blocks:
        lines += [to_table(list(record.blocks), for_terminal=for_terminal)]
    if record.bounds:
        rows = [{name: bound[name] for name in ("id", "kind", "log3", "value", "valid")} for bound in record.bounds]
        lines += [to_table(rows, for_terminal=for_terminal)]
    return "\n".join(lines)


def _cost(record: Record) -> str:
    from seprank.separation.room import readable

    seconds = "" if record.seconds is None else f"{record.seconds:.3f} s"
    memory = "" if record.memory is None else f", {readable(record.memory)} at most in the worker"
    versions = ", ".join(f"{name} {version}" for name, version in (record.versions or {}).items())
    return f"{seconds}{memory}; {versions}"
