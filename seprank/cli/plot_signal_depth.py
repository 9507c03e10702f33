"""`seprank plot signal-depth`: draws `seprank.plots.signal_depth.signal_depth`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.cli.signal_options import network_options, sizes_from
from seprank.cli.torch_needed import need_torch


@click.command()
@network_options(depth=48)
@click.option("--seeds", type=WholeNumber(), default=20, show_default=True, metavar="K", help="Networks.")
@figure_option()
def command(seeds: int, output: Path, **options: Any) -> None:
    """Correlation of tokens and gradient norms layer by layer, measured and predicted (Fig. 1 as it is).

    \b
    seprank plot signal-depth -o depth.png
    seprank plot signal-depth --norm pre --L 24 -o pre.svg
    """
    sizes, tokens = sizes_from(options)
    need_torch("plot signal-depth")
    from seprank.cli.progress import announce, progress_bar
    from seprank.signal.depth import depth_run, refuse_if_large, seconds

    refuse_if_large(sizes, tokens.n)
    announce(seconds(sizes, tokens.n, seeds))
    with progress_bar("measuring") as progress:
        run = depth_run(sizes, tokens, seeds, progress)
    draw(output, "signal_depth", run)
