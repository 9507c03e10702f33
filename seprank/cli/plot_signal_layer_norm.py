"""`seprank plot signal-layer-norm`: draws `seprank.plots.signal_layer_norm.signal_layer_norm`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--L", "L", type=WholeNumber(), default=48, show_default=True, metavar="L", help="Depth.")
@click.option("--seeds", type=WholeNumber(), default=20, show_default=True, metavar="K", help="Networks of each kind.")
@figure_option()
def command(L: int, seeds: int, output: Path) -> None:
    """Correlation against depth with PRE-LN, POST-LN and scaled branches (Fig. 4).

    \b
    seprank plot signal-layer-norm -o layer-norm.png
    """
    need_torch("plot signal-layer-norm")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import layer_norm_runs

    with progress_bar("measuring") as progress:
        found = layer_norm_runs(L, seeds, progress)
    draw(output, "signal_layer_norm", found)
