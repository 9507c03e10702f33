"""`seprank plot mpc-loads`: draws `seprank.plots.mpc_loads.mpc_loads`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option


@click.command()
@click.option("--graph", default="path:256", show_default=True, metavar="GRAPH", help="path:N, cycle:N, ... or a file.")
@click.option(
    "--protocol",
    type=click.Choice(["random-mate", "label-propagation", "hook-and-shortcut"]),
    default="random-mate",
    show_default=True,
)
@click.option("--delta", type=float, default=0.4, show_default=True, metavar="D", help="Memory s = c (input)^D.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@figure_option()
def command(graph: str, protocol: str, delta: float, seed: int, output: Path) -> None:
    """Words sent, received and kept by the busiest machine in every round, against the memory of a machine.

    \b
    seprank plot mpc-loads -o loads.png
    seprank plot mpc-loads --graph gnp:500:0.01 --protocol hook-and-shortcut -o loads.pdf
    """
    from seprank.cli.progress import progress_bar
    from seprank.parallel.round_counts import components_of

    with progress_bar("running rounds") as progress:
        _, found = components_of(graph, protocol, delta, seed, progress)
    draw(output, "mpc_loads", found, graph, protocol)
