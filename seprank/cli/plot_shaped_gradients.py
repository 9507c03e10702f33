"""`seprank plot shaped-gradients`: draws `seprank.plots.shaped_gradients.shaped_gradients`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.cli.plot_shaped_options import shaped_figure_options
from seprank.cli.torch_needed import need_torch


@click.command()
@shaped_figure_options(n=100, depth=100, gamma=0.5, networks=20)
@figure_option()
def command(n: int, depth: int, gamma: float, networks: int, seed: int, output: Path) -> None:
    """Squared gradients layer by layer: shaped attention, plain softmax, Pre-LN (Fig. 2).

    \b
    seprank plot shaped-gradients -o gradients.png
    """
    need_torch("plot shaped-gradients")
    from seprank.cli.progress import progress_bar
    from seprank.shaped.figure_data import gradient_bands
    from seprank.shaped.setup import Setup

    setup = Setup(4, n, depth, gamma, 1.0, "attention", paths=networks, seed=seed)
    with progress_bar("simulating") as progress:
        found = gradient_bands(setup, progress=progress)
    draw(output, "shaped_gradients", setup, found)
