"""`seprank plot signal-grid`: draws `seprank.plots.signal_grid.signal_grid`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--draws", type=WholeNumber(2), default=60, show_default=True, metavar="K", help="Layers at each point.")
@click.option(
    "--of",
    type=click.Choice(["ratio", "query", "key", "value"]),
    default="ratio",
    show_default=True,
    help="What is shown: a squared gradient, or queries over values.",
)
@figure_option()
def command(draws: int, of: str, output: Path) -> None:
    """Heat maps of gradient norms over rho, sigma, n and d, measured and expected (Figs. 13 and 14).

    \b
    seprank plot signal-grid -o grid.png
    """
    need_torch("plot signal-grid")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import grid

    with progress_bar("measuring") as progress:
        found = grid(draws, progress)
    draw(output, "signal_grid", found, of)
