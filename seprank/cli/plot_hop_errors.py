"""`seprank plot hop-errors`: draws `seprank.plots.hop_errors.hop_errors`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.parallel.measured import FRESH

CAPTION = """
Wrong answers where hop_k is defined, on 100 strings for each k, models trained on fresh strings. Estimates:
differences of 1 to 2 points are noise. Dotted: chance, about 75 % for 4 symbols.
"""
CAVEAT = (
    "The authors' file was measured with dropout 0.1 switched on; their models without it, on 200 strings for each k."
)


@click.command()
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Log of 'seprank hop train'; may be repeated, also with several seeds of a depth.",
)
@click.option("--no-table", is_flag=True, help="Leave out the authors' table.")
@figure_option()
def command(logs: tuple[Path, ...], no_table: bool, output: Path) -> None:
    """Error against k, one line a depth: the authors' models (Figure 2), the same without dropout, and your own runs.

    \b
    seprank plot hop-errors -o errors.png
    seprank plot hop-errors --log two.csv --log three.csv --no-table -o own.png
    """
    from seprank.parallel.measured import authors_errors, errors_without_dropout
    from seprank.parallel.training_log import read_logs

    panels = {}
    if not no_table:
        fresh = [row for row in authors_errors() if row.samples == FRESH]
        panels = {f"{heads} heads, the file": [row for row in fresh if row.heads == heads] for heads in (4, 8)}
        panels["4 heads, dropout off"] = list(errors_without_dropout())
    if logs:
        panels["own runs, dropout off"] = read_logs(logs)
    draw(output, "hop_errors", panels, CAPTION if no_table else f"{CAPTION} {CAVEAT}")
