"""`seprank results export`: a store as JSON, CSV or Parquet."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.output import check_output, emit, emit_bytes, to_csv
from seprank.cli.results_selection import selection, selection_options
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.study import Record


@click.command()
@selection_options()
@click.option("--to", "to", type=click.Choice(["json", "csv", "parquet"]), required=True, help="Format.")
@click.option(
    "-o",
    "--output",
    "output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of standard output, in one step; needed for Parquet.",
)
def command(
    store: Path,
    L: str | None,
    dx: str | None,
    H: str | None,
    status: str | None,
    key: str | None,
    to: str,
    output: Path | None,
) -> None:
    """Write the cases of a store, one row each; docs/studies.md describes the columns.

    JSON is a list of objects. In CSV and Parquet blocks, bounds and versions are JSON text; in Parquet, numbers that
    may exceed 64 bits are text, too. Parquet needs pandas and pyarrow (the extra `frames`).

    \b
    seprank results export --store results.sqlite --to json
    seprank results export --store results.sqlite --to parquet -o results.parquet
    """
    if to == "parquet" and (output is None or str(output) == "-"):
        raise InvalidInput("output must be a file for parquet, got standard output: give one with -o FILE")
    check_output(output)
    chosen = selection(store, L=L, dx=dx, H=H, status=status, key=key)
    if to == "parquet" and output is not None:
        emit_bytes(_parquet(chosen), output)
    else:
        emit(_csv(chosen) if to == "csv" else _json(chosen), output)


def _json(chosen: list[Record]) -> str:
    from seprank.study.export import json_row

    rows = ",\n".join(json.dumps(json_row(record), ensure_ascii=False, allow_nan=False) for record in chosen)
    return f"[\n{rows}\n]\n" if rows else "[]\n"


def _csv(chosen: list[Record]) -> str:
    from seprank.study.export import flat_row
    from seprank.study.record import NAMES

    return to_csv([flat_row(record) for record in chosen]) if chosen else ",".join(NAMES) + "\n"


def _parquet(chosen: list[Record]) -> bytes:
    from seprank.study.export import digits_for, flat_row
    from seprank.study.reading import frame

    buffer = io.BytesIO()
    try:
        frame(digits_for([flat_row(record) for record in chosen])).to_parquet(buffer, index=False)
    except ImportError:
        raise InvalidInput(
            "parquet needs pyarrow, got an environment without it: pip install 'seprank[frames]'"
        ) from None
    return buffer.getvalue()
