"""`seprank shaped stability`: explosion criterion, hitting probability, deterministic blow-up time, advice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import output_options, threads_option
from seprank.cli.output import emit
from seprank.cli.shaped_options import model_options, setup_from


@click.command()
@model_options(block="attention", m=2, paths=4096)
@threads_option()
@output_options("table", "json")
def command(threads: int | None, fmt: str, output: Path | None, **options: Any) -> None:
    """When does the covariance of shaped attention blow up, with what probability, and what prevents it?

    D is the mean squared distance of two tokens over n, V_aa + V_bb - 2 V_ab. For two tokens under attention the
    probability that D ever meets --radius, and that of explosion, have closed forms; anything else is estimated by
    Monte Carlo with its error. The radius is one of D here, by default 100 tau0 or 20 times the start, the larger one.

    \b
    seprank shaped stability --gamma 0.5 --tau0 1
    seprank shaped stability --gamma 0.9 --tau0 1 --m 4 --block full --radius 50
    """
    from seprank.cli import shaped_stability_page
    from seprank.cli.progress import progress_bar
    from seprank.field.kernels import thread_limit
    from seprank.machine import usable_cores
    from seprank.shaped.stability_report import stability

    radius = options.pop("radius")
    setup = setup_from({**options, "radius": None})
    with thread_limit(usable_cores() if threads is None else threads), progress_bar("paths") as progress:
        found = stability(setup, radius, progress)
    emit(shaped_stability_page.text(setup, found, fmt, None if output is None else False), output)
