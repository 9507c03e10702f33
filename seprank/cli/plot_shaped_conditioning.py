"""`seprank plot shaped-conditioning`: draws `seprank.plots.shaped_conditioning.shaped_conditioning`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.cli.plot_shaped_options import shaped_figure_options


@click.command()
@shaped_figure_options(n=200, depth=200, gamma=0.5, networks=1000, paths=8192)
@figure_option()
def command(n: int, depth: int, gamma: float, networks: int, paths: int, seed: int, output: Path) -> None:
    """Correlation of tokens with depth: shaped networks and their SDE, plain softmax, Pre-LN (Fig. 1).

    \b
    seprank plot shaped-conditioning -o conditioning.png
    """
    from seprank.cli.progress import progress_bar
    from seprank.shaped.figure_data import conditioning

    with progress_bar("simulating") as progress:
        found = conditioning(n, depth, gamma, networks, paths, seed, progress=progress)
    draw(output, "shaped_conditioning", found)
