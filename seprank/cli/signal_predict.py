"""`seprank signal predict`: expected squared gradient norms of one attention layer on Gaussian tokens."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit


@click.command()
@click.option("--n", "n", type=WholeNumber(2), required=True, metavar="N", help="Number of tokens.")
@click.option("--d", "d", type=WholeNumber(), required=True, metavar="D", help="Width of a token.")
@click.option("--rho", type=float, default=0.0, metavar="R", show_default=True, help="Correlation of two tokens.")
@click.option(
    "--sigma", type=float, default=1.0, metavar="S", show_default=True, help="Standard deviation of token entries."
)
@click.option("--dk", type=WholeNumber(), metavar="DK", help="Query and key width.  [default: d]")
@click.option("--dv", type=WholeNumber(), metavar="DV", help="Value width.  [default: d]")
@click.option("--tau", type=float, default=1.0, metavar="T", show_default=True, help="Inverse temperature.")
@output_options("table", "json")
def command(
    n: int,
    d: int,
    rho: float,
    sigma: float,
    dk: int | None,
    dv: int | None,
    tau: float,
    fmt: str,
    output: Path | None,
) -> None:
    """Expected squared norms of dS/dWV, dS/dWQ, dS/dWK and dS/dX for S = softmax(tau X WQ WK^T X^T / sqrt(dk)) X WV.

    Tokens are Gaussian with correlation rho; weights have mean 0 and variance 1/dv (values) and 1/dk (queries, keys).
    The formulas take attention to be uniform: `valid` says whether softmax is near enough to that at these sizes.

    \b
    seprank signal predict --n 16 --d 64 --rho 0.2 --sigma 0.125
    seprank signal predict --n 16 --d 64 --format json
    """
    from seprank.cli import signal_predict_page
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens

    tokens = GaussianTokens(n, d, rho, sigma)
    sizes = LayerSizes(d, d if dk is None else dk, d if dv is None else dv, tau)
    emit(signal_predict_page.text(tokens, sizes, fmt, None if output is None else False), output)
