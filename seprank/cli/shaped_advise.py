"""`seprank shaped advise`: what the limit says about a real model's sizes."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import (
    WholeNumber,
    architecture_from,
    architecture_options,
    config_options,
    output_options,
    threads_option,
)
from seprank.cli.output import emit
from seprank.cli.shaped_options import BLOCKS
from seprank.errors import InvalidInput, TooLarge

MOST_TOKENS = 32


@click.command()
@architecture_options(required=False, residual=False)
@config_options()
@click.option("--tokens", type=WholeNumber(2), default=4, show_default=True, metavar="M", help="Tokens, at most 32.")
@click.option(
    "--level", type=float, default=0.9, show_default=True, metavar="R", help="Where the 95 % correlation should stay."
)
@click.option("--rho0", type=float, default=0.2, show_default=True, metavar="R", help="Correlation of input tokens.")
@click.option("--block", type=click.Choice(BLOCKS), default="full", show_default=True, help="Kind of block.")
@click.option("--causal", is_flag=True, help="Tokens attend to themselves and those before them.")
@click.option("--mlp-ratio", type=float, default=4.0, show_default=True, metavar="R", help="Hidden width over width.")
@click.option("--c-plus", type=float, default=0.0, show_default=True, metavar="C", help="Slope 1 + C/sqrt(dx) above 0.")
@click.option(
    "--c-minus", type=float, default=-1.0, show_default=True, metavar="C", help="Slope 1 + C/sqrt(dx) below 0."
)
@click.option("--paths", type=WholeNumber(), default=2048, show_default=True, metavar="N", help="Paths of the SDE.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@threads_option()
@output_options("table", "json")
def command(
    L: int | None,
    dx: int | None,
    H: int | None,
    da: int | None,
    config: Path | None,
    stack: str | None,
    tokens: int,
    level: float,
    rho0: float,
    block: str,
    causal: bool,
    mlp_ratio: float,
    c_plus: float,
    c_minus: float,
    paths: int,
    seed: int,
    threads: int | None,
    fmt: str,
    output: Path | None,
) -> None:
    """T = L / dx of a real model, noise or not, and the gamma and tau0 that keep its tokens apart when shaped.

    The model is taken with shaped attention and shaped ReLU, without layer norm, at initialisation. For each tau0 the
    largest gamma is found whose 95th percentile of |correlation| behind the last layer stays below --level.

    \b
    seprank shaped advise --config config.json
    seprank shaped advise --L 48 --dx 1024 --H 16 --tokens 8 --level 0.8
    """
    if config is None and stack is not None:
        raise InvalidInput(f"stack goes with --config, got --stack {stack} without it")
    given = [f"{name}={value}" for name, value in (("L", L), ("dx", dx), ("H", H), ("da", da)) if value is not None]
    if config is not None and given:
        raise InvalidInput(f"config excludes sizes on the command line, got {', '.join(given)} with --config")
    if config is None and L is None and dx is None:
        raise InvalidInput("L and dx must be given with --L and --dx, or --config FILE in their place, got neither")
    if tokens > MOST_TOKENS:
        raise TooLarge(f"tokens must be at most {MOST_TOKENS}, got {tokens}: a step costs tokens^3 for every path")

    from seprank.attention.config import read_config
    from seprank.cli import shaped_advise_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.field.kernels import thread_limit
    from seprank.machine import usable_cores
    from seprank.shaped.advice import refuse_if_large, seconds, shaped_advice
    from seprank.shaped.setup import Setup, causal_mask

    reading = None if config is None else read_config(config, stack=stack)
    arch = architecture_from(L, dx, H, da) if reading is None else reading.architecture
    base = Setup(
        tokens,
        arch.dx,
        arch.L,
        1.0,
        1.0,
        block,
        causal_mask(tokens) if causal else None,
        arch.H,
        arch.da,
        mlp_ratio,
        c_plus,
        c_minus,
        seed=seed,
        paths=paths,
    )
    refuse_if_large(base)
    announce(seconds(base))
    with thread_limit(usable_cores() if threads is None else threads), progress_bar("laws") as progress:
        advice = shaped_advice(base, rho0, level, progress=progress)
    emit(shaped_advise_page.text(advice, reading, fmt, None if output is None else False), output)
