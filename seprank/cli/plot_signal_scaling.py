"""`seprank plot signal-scaling`: draws `seprank.plots.signal_scaling.signal_scaling`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--L", "L", type=WholeNumber(), default=12, show_default=True, metavar="L", help="Depth.")
@click.option("--seeds", type=WholeNumber(), default=20, show_default=True, metavar="K", help="Networks of each kind.")
@figure_option()
def command(L: int, seeds: int, output: Path) -> None:
    """Gradients and correlation of POST-LN networks with branch scales 1, 0.5 and 1/sqrt(L) (Fig. 3).

    \b
    seprank plot signal-scaling -o scaling.png
    """
    need_torch("plot signal-scaling")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import scaling_runs

    with progress_bar("measuring") as progress:
        found = scaling_runs(L, seeds, progress)
    draw(output, "signal_scaling", found)
