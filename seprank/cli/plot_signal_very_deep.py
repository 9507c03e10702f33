"""`seprank plot signal-very-deep`: draws `seprank.plots.signal_very_deep.signal_very_deep`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--L", "L", type=WholeNumber(), default=200, show_default=True, metavar="L", help="Depth.")
@click.option("--seeds", type=WholeNumber(), default=20, show_default=True, metavar="K", help="Networks of each kind.")
@figure_option()
def command(L: int, seeds: int, output: Path) -> None:
    """Norm and correlation of networks without layer norm, scaled and unscaled (Fig. 9).

    \b
    seprank plot signal-very-deep -o very-deep.png
    """
    need_torch("plot signal-very-deep")
    from seprank.cli.progress import progress_bar
    from seprank.signal.figure_runs import very_deep_runs

    with progress_bar("measuring") as progress:
        found = very_deep_runs(L, seeds, progress)
    draw(output, "signal_very_deep", found)
