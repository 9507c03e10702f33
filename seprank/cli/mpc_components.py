"""`seprank mpc components`: connected components by a protocol on simulated machines."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit


@click.command()
@click.option("--graph", metavar="GRAPH", required=True, help="path:N, cycle:N, two-cycles:N, star:N, ... or a file.")
@click.option(
    "--protocol",
    type=click.Choice(["random-mate", "label-propagation", "hook-and-shortcut"]),
    default="random-mate",
    show_default=True,
    help="What the machines do.",
)
@click.option("--delta", type=float, default=0.4, show_default=True, metavar="D", help="Memory s = c (input)^D.")
@click.option("--words", type=WholeNumber(), metavar="S", help="Words of memory a machine, in place of --delta's.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@output_options("table", "json")
def command(
    graph: str, protocol: str, delta: float, words: int | None, seed: int, fmt: str, output: Path | None
) -> int:
    """Connected components of GRAPH on simulated machines with enforced memory, compared with networkx.

    GRAPH is path:N, cycle:N, two-cycles:N (two cycles of N / 2), star:N, grid:R:C, gnp:N:P, or a file with an edge a
    line (two names; further columns are ignored). Edges have no direction, count once, and loops are left out. The
    seed numbers the vertices anew, draws gnp and is that of the public hash. The exit code is 1 where networkx finds
    other components.

    \b
    seprank mpc components --graph path:1000
    seprank mpc components --graph gnp:500:0.01 --protocol hook-and-shortcut
    """
    import numpy as np

    from seprank.cli import mpc_components_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.parallel.graph_input import connected_components, likely_seconds
    from seprank.parallel.graph_sources import least_vertices, named_graph
    from seprank.parallel.sizes import default_sizes

    default_sizes(1, 0, delta, words, protocol)  # refuses bad options before a large file is read
    given = named_graph(graph, seed).shuffled(seed)
    sizes = default_sizes(given.vertices, len(given.edges), delta, words, protocol)
    announce(likely_seconds(given.vertices, sizes, protocol))
    with progress_bar("running rounds", then="comparing with networkx") as progress:
        found = connected_components(given.edges, given.vertices, protocol, sizes, seed, progress=progress)
        agrees = bool(np.array_equal(found.labels, least_vertices(given)))
    page = mpc_components_page.Page(given, protocol, None if words else delta, seed, found, agrees)
    emit(page.json() if fmt == "json" else page.text(), output)
    return 0 if agrees else 1
