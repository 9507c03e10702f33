"""`seprank signal depth`: tokens and gradients of a deep network layer by layer, measured and predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit
from seprank.cli.plot_options import checked_figure, draw
from seprank.cli.signal_options import network_options, sizes_from
from seprank.cli.torch_needed import need_torch


@click.command()
@network_options()
@click.option("--seeds", type=WholeNumber(), default=20, show_default=True, metavar="K", help="Networks: 0 to K - 1.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=checked_figure,
    help="Draw the run, too: .png, .svg or .pdf.",
)
@output_options("table", "json")
def command(seeds: int, plot: Path | None, fmt: str, output: Path | None, **options: Any) -> None:
    """Do tokens collapse at initialisation, at which layer, and do query and key gradients vanish with them?

    Real networks in float64, each seed with weights, tokens and a random linear loss of its own, beside what the theory
    says from the sizes alone, with its range.

    \b
    seprank signal depth --L 48 --norm post --alpha 1 --activation relu --n 16 --d 64
    seprank signal depth --L 48 --alpha "1/sqrt(L)" --plot depth.png
    """
    sizes, tokens = sizes_from(options)
    need_torch("signal depth")
    from seprank.cli import signal_depth_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.signal.depth import depth_run, refuse_if_large, seconds

    refuse_if_large(sizes, tokens.n)
    announce(seconds(sizes, tokens.n, seeds))
    with progress_bar("measuring") as progress:
        run = depth_run(sizes, tokens, seeds, progress)
    if plot is not None:
        draw(plot, "signal_depth", run)
    emit(signal_depth_page.text(run, fmt, None if output is None else False), output)
