"""Options of the commands that build a network of the theory, and what they describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import Decorator, WholeNumber, add_options

if TYPE_CHECKING:
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.tokens import GaussianTokens


def network_options(depth: int | None = None) -> Decorator:
    """Add the sizes and the kind of a network and of its tokens, passed as one dictionary to `sizes_from`.

    `depth` is the default of ``--L``, which must be given without one.
    """
    given: dict[str, Any] = {"required": True} if depth is None else {"default": depth, "show_default": True}
    options = [
        click.option("--L", "L", type=WholeNumber(), metavar="L", help="Depth: number of blocks.", **given),
        click.option("--n", "n", type=WholeNumber(2), default=16, show_default=True, metavar="N", help="Tokens."),
        click.option("--d", "d", type=WholeNumber(), default=64, show_default=True, metavar="D", help="Width."),
        click.option(
            "--norm",
            type=click.Choice(["none", "post", "pre"]),
            default="post",
            show_default=True,
            help="Layer norm: nowhere, behind each sum, at the entrance of each branch.",
        ),
        click.option(
            "--alpha", default="1", show_default=True, metavar="A", help="Branch scale: a number, or a rule: 1/sqrt(L)."
        ),
        click.option("--alpha2", metavar="A", help="Scale of the feed-forward branch.  [default: alpha]"),
        click.option(
            "--activation",
            type=click.Choice(["relu", "linear"]),
            default="relu",
            show_default=True,
            help="Of the feed-forward branch.",
        ),
        click.option(
            "--attention",
            type=click.Choice(["softmax", "uniform"]),
            default="softmax",
            show_default=True,
            help="uniform: its limit tau -> 0, query and key gradients in units of tau.",
        ),
        click.option("--sigma", type=float, default=1.0, show_default=True, metavar="S", help="Std of token entries."),
        click.option(
            "--rho", type=float, default=0.0, show_default=True, metavar="R", help="Correlation of input tokens."
        ),
        click.option("--tau", type=float, default=1.0, show_default=True, metavar="T", help="Inverse temperature."),
        click.option("--H", "H", type=WholeNumber(), default=1, show_default=True, metavar="H", help="Heads."),
        click.option("--dk", type=WholeNumber(), metavar="DK", help="Query and key width of a head.  [default: d/H]"),
        click.option("--dv", type=WholeNumber(), metavar="DV", help="Value width of a head; must be d/H."),
        click.option("--dF", "dF", type=WholeNumber(), metavar="DF", help="Feed-forward width.  [default: d]"),
        click.option("--causal", is_flag=True, help="Tokens attend to themselves and those before them."),
    ]

    return add_options(*options)


def sizes_from(options: dict[str, Any]) -> tuple[NetworkSizes, GaussianTokens]:
    """The network and the tokens that the options of `network_options` describe; others are left alone."""
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.scaling import branch_scale
    from seprank.signal.tokens import GaussianTokens

    names = ("L", "d", "H", "dk", "dv", "dF", "attention", "activation", "norm", "tau", "causal")
    alpha, alpha2 = options["alpha"], options["alpha2"]
    first = branch_scale("alpha", alpha, options["L"])
    second = first if alpha2 is None else branch_scale("alpha2", alpha2, options["L"])
    sizes = NetworkSizes(**{name: options[name] for name in names}, alpha1=first, alpha2=second)
    return sizes, GaussianTokens(options["n"], options["d"], options["rho"], options["sigma"])
