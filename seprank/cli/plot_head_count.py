"""`seprank plot head-count`: draws `seprank.plots.head_count.head_count` from a results store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.plot_options import choice, choice_options, draw, figure_option, store_option, stored


@click.command()
@store_option()
@choice_options(heads=False)
@figure_option()
def command(store: Path, output: Path, **chosen: Any) -> None:
    """Rank against the number of heads, one panel for each depth, one line for each width.

    \b
    seprank plot head-count --store results.sqlite -o heads.png
    """
    draw(output, "head_count", stored(store), choice(**chosen))
