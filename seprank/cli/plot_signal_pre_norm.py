"""`seprank plot signal-pre-norm`: draws `seprank.plots.signal_pre_norm.signal_pre_norm`."""

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
    """Correlation and gradient norms with PRE-LN beside POST-LN (Fig. 10).

    \b
    seprank plot signal-pre-norm -o pre-norm.png
    """
    need_torch("plot signal-pre-norm")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import pre_norm_runs

    with progress_bar("measuring") as progress:
        found = pre_norm_runs(L, seeds, progress)
    draw(output, "signal_pre_norm", found)
