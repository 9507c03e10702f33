"""`seprank plot transition`: draws `seprank.plots.transition.transition`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option


@click.command()
@click.option(
    "--fit", "points", type=click.Path(path_type=Path), metavar="FILE", help="Fit and draw these transition points."
)
@figure_option()
def command(points: Path | None, output: Path) -> None:
    """The fit of transition widths, the paper's or that of your own points, and the sizes that follow.

    \b
    seprank plot transition -o transition.png
    seprank plot transition --fit points.csv -o transition.pdf
    """
    from seprank.cli.plan_cases import fitted

    draw(output, "transition", None if points is None else fitted(points))
