"""`seprank plot rank-growth`: draws `seprank.plots.rank_growth.rank_growth` from a results store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.plot_options import choice, choice_options, draw, figure_option, store_option, stored


@click.command()
@store_option()
@choice_options()
@figure_option()
def command(store: Path, output: Path, **chosen: Any) -> None:
    """log3 rank against depth, one line for each width, between the proved bounds.

    \b
    seprank plot rank-growth --store results.sqlite -o rank-growth.png
    seprank plot rank-growth --store results.sqlite --H dx -o rank-growth.pdf
    """
    draw(output, "rank_growth", stored(store), choice(**chosen))
