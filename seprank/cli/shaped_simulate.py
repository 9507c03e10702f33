"""`seprank shaped simulate`: the law of variances and correlations along depth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit
from seprank.cli.shaped_options import model_options, setup_from, size_options

if TYPE_CHECKING:
    from seprank.shaped.setup import Law, Setup

ENGINES = ("sde", "network", "full-network", "fokker-planck")


@click.command()
@size_options()
@model_options(block="full")
@click.option("--engine", type=click.Choice(ENGINES), default="sde", show_default=True, help="How it is computed.")
@threads_option()
@output_options("table", "json", "csv")
def command(
    n: int,
    depth: int,
    head_dim: int | None,
    engine: str,
    threads: int | None,
    fmt: str,
    output: Path | None,
    **options: Any,
) -> None:
    """How are variances and correlations of tokens distributed behind every layer, in the limit or in networks?

    sde integrates the covariance SDE of the limit; network draws the covariances of networks of width n exactly;
    full-network multiplies real weight matrices (PyTorch); fokker-planck solves two tokens without sampling. Paths stop
    where the norm of the covariance reaches the radius, by default 20 times its start with attention and never
    without; validity is the largest norm met over tau0 sqrt(n), far below 1 where the limit describes the network.

    \b
    seprank shaped simulate --m 4 --n 300 --depth 150 --gamma 0.5 --tau0 1
    seprank shaped simulate --m 2 --n 100 --depth 100 --gamma 0.7 --tau0 1 --block residual --engine fokker-planck
    """
    from seprank.cli import shaped_simulate_page
    from seprank.field.kernels import thread_limit
    from seprank.machine import usable_cores

    setup = setup_from(options, n, depth, head_dim)
    with thread_limit(usable_cores() if threads is None else threads):
        started = perf_counter()
        law = simulated(setup, engine)
        taken = perf_counter() - started
    emit(shaped_simulate_page.text(setup, engine, law, taken, fmt, None if output is None else False), output)


def simulated(setup: Setup, engine: str) -> Law:
    """The law of `setup` by the engine of that name, with a bar on stderr; imports no other engine."""
    from seprank.cli.progress import progress_bar

    if engine == "fokker-planck":
        from seprank.shaped.two_tokens import fokker_planck

        return fokker_planck(setup)
    run = {"sde": _sde, "network": _network, "full-network": _full_network}[engine](setup)
    with progress_bar("paths") as progress:
        return run(setup, progress=progress)


def _sde(setup: Setup) -> Callable[..., Law]:
    from seprank.cli.progress import announce
    from seprank.shaped.integrate import integrate, refuse_if_large, seconds, step_grid

    grid = step_grid(setup)
    refuse_if_large(setup, grid)
    announce(seconds(setup, grid))
    return integrate


def _network(setup: Setup) -> Callable[..., Law]:
    from seprank.shaped import finite

    return finite.simulate


def _full_network(setup: Setup) -> Callable[..., Law]:
    from seprank.cli.torch_needed import need_torch

    need_torch("shaped simulate --engine full-network")
    from seprank.shaped import full_network

    return full_network.simulate
