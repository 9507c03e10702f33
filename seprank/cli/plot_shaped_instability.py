"""`seprank plot shaped-instability`: draws `seprank.plots.shaped_instability.shaped_instability`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option
from seprank.cli.plot_shaped_options import shaped_figure_options


@click.command()
@shaped_figure_options(n=1000, networks=300)
@figure_option()
def command(n: int, networks: int, seed: int, output: Path) -> None:
    """When attention networks of widths n and n / 5 blow up, beside the SDE (Fig. 5).

    \b
    seprank plot shaped-instability -o instability.png
    """
    from seprank.cli.progress import progress_bar
    from seprank.shaped.figure_laws import exits

    with progress_bar("simulating") as progress:
        found = exits(networks, widths=sorted({max(2, n // 5), n}), seed=seed, progress=progress)
    draw(output, "shaped_instability", seed, found)
