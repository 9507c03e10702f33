"""`seprank plot regimes`: draws `seprank.plots.regimes.regimes` from a results store."""

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
    """Ranks over depth and width, against the proved bounds and the thresholds log3 dx and 2 log3 dx.

    \b
    seprank plot regimes --store results.sqlite -o regimes.png
    seprank plot regimes --store results.sqlite --H dx -o regimes.pdf
    """
    draw(output, "regimes", stored(store), choice(**chosen))
