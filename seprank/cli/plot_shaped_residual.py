"""`seprank plot shaped-residual`: draws `seprank.plots.shaped_residual.shaped_residual`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.cli.plot_shaped_options import shaped_figure_options


@click.command()
@shaped_figure_options(n=100, networks=8000)
@figure_option()
def command(n: int, networks: int, seed: int, output: Path) -> None:
    """Law of the correlation in residual networks of depth n, networks and SDE (Fig. 3).

    \b
    seprank plot shaped-residual -o residual.png
    """
    from seprank.cli.progress import progress_bar
    from seprank.shaped.figure_laws import residual_laws

    with progress_bar("simulating") as progress:
        found = residual_laws(n, networks, seed=seed, progress=progress)
    draw(output, "shaped_residual", n, seed, found)
