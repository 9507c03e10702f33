"""`seprank signal collapse`: residuals of pure attention layer by layer, in extended precision."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit


@click.command()
@click.option("--n", "n", type=WholeNumber(2), default=6, show_default=True, metavar="N", help="Number of tokens.")
@click.option("--d", "d", type=WholeNumber(), default=8, show_default=True, metavar="D", help="Width of a token.")
@click.option("--L", "L", type=WholeNumber(), default=6, show_default=True, metavar="L", help="Depth.")
@click.option(
    "--digits", type=WholeNumber(20), default=400, show_default=True, metavar="K", help="Decimal digits of precision."
)
@click.option("--dk", type=WholeNumber(), metavar="DK", help="Query and key width.  [default: d]")
@click.option(
    "--sigma", type=float, default=1.0, metavar="S", show_default=True, help="Standard deviation of token entries."
)
@click.option("--rho", type=float, default=0.0, metavar="R", show_default=True, help="Correlation of two tokens.")
@click.option("--tau", type=float, default=1.0, metavar="T", show_default=True, help="Inverse temperature.")
@click.option("--seed", type=WholeNumber(0), default=0, metavar="S", show_default=True, help="Seed of all draws.")
@output_options("table", "json", "csv")
def command(
    n: int,
    d: int,
    L: int,
    digits: int,
    dk: int | None,
    sigma: float,
    rho: float,
    tau: float,
    seed: int,
    fmt: str,
    output: Path | None,
) -> None:
    """The distance of the tokens from their mean behind every layer of pure attention: no skips, no feed-forward.

    The logarithm of the residual triples with every layer, so that floats see nothing after the third; ball arithmetic
    of the digits asked for does, with every digit shown proved for the weights drawn.

    \b
    seprank signal collapse --n 6 --d 8 --L 6 --digits 400
    """
    from seprank.cli import signal_collapse_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.signal.extended import collapse, refuse_if_endless, seconds
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens

    tokens, sizes = GaussianTokens(n, d, rho, sigma), LayerSizes(d, d if dk is None else dk, tau=tau)
    refuse_if_endless(tokens, sizes, L, digits)
    announce(seconds(tokens, sizes, L, digits))
    with progress_bar("collapsing") as progress:
        found = collapse(n, d, L, digits, dk, sigma, rho, tau, seed, progress)
    emit(signal_collapse_page.text(found, fmt, None if output is None else False), output)
