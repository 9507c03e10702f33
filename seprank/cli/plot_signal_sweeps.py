"""`seprank plot signal-sweeps`: draws `seprank.plots.signal_sweeps.signal_sweeps`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--draws", type=WholeNumber(2), default=150, show_default=True, metavar="K", help="Layers at each point.")
@figure_option()
def command(draws: int, output: Path) -> None:
    """Query gradients of one layer against eq. 18, over d, n, rho and sigma (Fig. 12).

    \b
    seprank plot signal-sweeps -o sweeps.png
    """
    need_torch("plot signal-sweeps")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import sweeps

    with progress_bar("measuring") as progress:
        found = sweeps(draws, progress)
    draw(output, "signal_sweeps", found)
