"""`seprank signal advise`: predictions for a real model's sizes, and what restores balance."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, architecture_from, architecture_options, config_options, output_options
from seprank.cli.output import emit
from seprank.errors import InvalidInput


@click.command()
@architecture_options(required=False, residual=False)
@config_options()
@click.option("--tokens", "tokens", type=WholeNumber(2), required=True, metavar="N", help="Number of tokens.")
@click.option("--rho", type=float, default=0.0, metavar="R", show_default=True, help="Correlation of input tokens.")
@click.option(
    "--sigma", type=float, default=1.0, metavar="S", show_default=True, help="Standard deviation of input entries."
)
@click.option(
    "--activation",
    type=click.Choice(["relu", "linear"]),
    default="relu",
    show_default=True,
    help="Of the feed-forward branch.",
)
@output_options("table", "json")
def command(
    L: int | None,
    dx: int | None,
    H: int | None,
    da: int | None,
    config: Path | None,
    stack: str | None,
    tokens: int,
    rho: float,
    sigma: float,
    activation: str,
    fmt: str,
    output: Path | None,
) -> None:
    """Predicted token correlation and gradient imbalance at initialisation, with and without layer norm and scaling.

    Weights have mean 0 and variance 1/dx, heads act side by side, branches are scaled by 1 or 1/sqrt(L). Each
    prediction takes attention to be uniform and says whether that is near enough to softmax ("valid").

    \b
    seprank signal advise --config config.json --tokens 1024
    seprank signal advise --L 48 --dx 1024 --H 16 --tokens 512
    """
    if config is None and stack is not None:
        raise InvalidInput(f"stack goes with --config, got --stack {stack} without it")
    given = [f"{name}={value}" for name, value in (("L", L), ("dx", dx), ("H", H), ("da", da)) if value is not None]
    if config is not None and given:
        raise InvalidInput(f"config excludes sizes on the command line, got {', '.join(given)} with --config")
    if config is None and L is None and dx is None:
        raise InvalidInput("L and dx must be given with --L and --dx, or --config FILE in their place, got neither")

    from seprank.attention.config import read_config
    from seprank.cli import signal_advise_page
    from seprank.signal.advice import advise
    from seprank.signal.tokens import LARGEST
    from seprank.validate import whole_number

    whole_number("tokens", tokens, least=2, most=LARGEST)
    reading = None if config is None else read_config(config, stack=stack)
    arch = architecture_from(L, dx, H, da) if reading is None else reading.architecture
    advice = advise(arch, tokens, rho, sigma, activation)
    emit(signal_advise_page.text(advice, reading, fmt, None if output is None else False), output)
