"""`seprank plot shaped-ablations`: draws `seprank.plots.shaped_ablations.shaped_ablations`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.cli.plot_shaped_options import shaped_figure_options


@click.command()
@shaped_figure_options(n=200, depth=200, gamma=0.5, networks=1000, paths=8192)
@figure_option()
def command(n: int, depth: int, gamma: float, networks: int, paths: int, seed: int, output: Path) -> None:
    """Shaped attention without centring, identity or temperature, beside the SDE (Fig. 4).

    \b
    seprank plot shaped-ablations -o ablations.png
    """
    from seprank.cli.progress import progress_bar
    from seprank.shaped.figure_data import ablations

    with progress_bar("simulating") as progress:
        found = ablations(n, depth, gamma, networks, paths, seed, progress=progress)
    draw(output, "shaped_ablations", found)
