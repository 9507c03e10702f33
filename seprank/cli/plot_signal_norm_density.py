"""`seprank plot signal-norm-density`: draws `seprank.plots.signal_norm_density.signal_norm_density`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option(
    "--networks", type=WholeNumber(2), default=500, show_default=True, metavar="K", help="Networks of each kind."
)
@figure_option()
def command(networks: int, output: Path) -> None:
    """Density of the representation norm with softmax and uniform attention (Fig. 11).

    \b
    seprank plot signal-norm-density -o norms.png
    """
    need_torch("plot signal-norm-density")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import norm_samples

    with progress_bar("measuring") as progress:
        found = norm_samples(networks, progress)
    draw(output, "signal_norm_density", found)
