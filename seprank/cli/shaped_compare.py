"""`seprank shaped compare`: is a finite network described by the SDE?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit
from seprank.cli.shaped_options import model_options, setup_from, size_options


@click.command()
@size_options()
@model_options(block="full")
@click.option(
    "--monitoring",
    type=click.Choice(["layers", "continuous"]),
    default="layers",
    show_default=True,
    help="When the SDE tests the radius; networks test it behind each layer.",
)
@click.option("--finite-width", is_flag=True, help="Multiply the ReLU drift of the SDE by c_n, its value at width n.")
@threads_option()
@output_options("table", "json")
def command(
    n: int,
    depth: int,
    head_dim: int | None,
    monitoring: str,
    finite_width: bool,
    threads: int | None,
    fmt: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Do networks of width n and the SDE have one law at T = depth / n?

    Both are sampled, stopped at the radius, and compared by the two-sample Kolmogorov-Smirnov distance of every
    variance and correlation, with its critical value and p-value. The verdict is a statistical test at 5 % for all
    entries together; the exit status is 0 either way.

    \b
    seprank shaped compare --m 2 --n 100 --depth 50 --gamma 0.5 --tau0 1
    seprank shaped compare --m 3 --n 50 --depth 50 --gamma 0.8 --tau0 0.5 --block attention --mask causal
    """
    from seprank.cli import shaped_compare_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.field.kernels import thread_limit
    from seprank.machine import usable_cores
    from seprank.shaped import finite
    from seprank.shaped.compare import compare
    from seprank.shaped.finite_start import network_shape
    from seprank.shaped.integrate import refuse_if_large, seconds, step_grid

    setup = setup_from(options, n, depth, head_dim)
    network_shape(setup)
    grid = step_grid(setup, layers=(depth,))
    refuse_if_large(setup, grid)
    finite.refuse_if_large(setup, 1)
    announce(seconds(setup, grid) + finite.seconds(setup))
    with thread_limit(usable_cores() if threads is None else threads), progress_bar("networks") as progress:
        found = compare(setup, monitoring, finite_width, progress)
    emit(shaped_compare_page.text(found, fmt, None if output is None else False), output)
