"""`seprank hop thresholds`: from which depth on trained models do k hops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit, to_csv, to_json
from seprank.cli.plot_options import checked_figure, draw
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.parallel.measured import Measured


@click.command()
@click.option("--level", type=float, default=0.05, show_default=True, metavar="E", help="Error to be below, 0 to 1.")
@click.option("--heads", type=WholeNumber(), metavar="H", help="4 (width 128) or 8 (width 256).  [default: 4]")
@click.option(
    "--samples", type=WholeNumber(), metavar="M", help="Training set of 1000, 3000 or 10000 strings.  [default: fresh]"
)
@click.option("--without-dropout", is_flag=True, help="The models of 4 heads with dropout switched off.")
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Logs of 'seprank hop train' in place of the authors' table; may be repeated.",
)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", callback=checked_figure, help="Draw into FILE as well."
)
@output_options("table", "json", "csv")
def command(
    level: float,
    heads: int | None,
    samples: int | None,
    without_dropout: bool,
    logs: tuple[Path, ...],
    plot: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """The smallest depth whose trained model errs less than a level, for every k, against two rules.

    The table is the authors' (425 errors of models of depth 2 to 6); its errors were measured with dropout switched
    on. Rules: floor(log2 k) + 2 and ceil(log2 k) + 2.

    \b
    seprank hop thresholds
    seprank hop thresholds --level 0.02 --heads 8 --plot thresholds.png
    seprank hop thresholds --without-dropout
    """
    from seprank.cli import hop_thresholds_page
    from seprank.parallel.measured import FRESH
    from seprank.parallel.thresholds import thresholds

    rows, source = _table(without_dropout, logs)
    if heads is None:
        heads = min(row.heads for row in rows)
    found = thresholds(rows, level, heads, FRESH if samples is None else samples)
    if plot is not None:
        draw(plot, "hop_thresholds", found, source)
    if fmt == "json":
        text = to_json(hop_thresholds_page.document(found, source))
    elif fmt == "csv":
        text = to_csv(hop_thresholds_page.rows(found))
    else:
        text = hop_thresholds_page.page(found, source, None if output is None else False)
    emit(text, output)


def _table(without_dropout: bool, logs: tuple[Path, ...]) -> tuple[list[Measured], str]:
    """The errors and the name of their source."""
    from seprank.parallel.measured import authors_errors, errors_without_dropout
    from seprank.parallel.training_log import read_logs

    if without_dropout and logs:
        raise InvalidInput(f"log excludes --without-dropout, got both with {str(logs[0])!r}")
    if logs:
        return read_logs(logs), "own runs"
    return (
        (list(errors_without_dropout()), "without dropout") if without_dropout else (list(authors_errors()), "authors")
    )
