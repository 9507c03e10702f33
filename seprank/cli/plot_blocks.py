"""`seprank plot blocks`: draws `seprank.plots.blocks.blocks` from a results store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import choice, choice_options, draw, figure_option, store_option, stored


@click.command()
@store_option()
@click.option("--L", "L", type=WholeNumber(), metavar="L", help="Depth of the network.")
@click.option("--dx", "dx", type=WholeNumber(), metavar="DX", help="Width of the network.")
@choice_options()
@figure_option()
def command(store: Path, L: int | None, dx: int | None, output: Path, **chosen: Any) -> None:
    """The block ranks of one measured network against their proved bounds.

    Where the options leave several networks, the one of the largest rank is drawn.

    \b
    seprank plot blocks --store results.sqlite --L 2 --dx 8 --H 2 -o blocks.png
    """
    draw(output, "blocks", stored(store), choice(**chosen), L, dx)
