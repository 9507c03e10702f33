"""Options of the commands that build a construction of the k-hop task."""

from __future__ import annotations

import click

from seprank.cli.options import Decorator, WholeNumber, add_options


def construction_options(sizes_required: bool = True) -> Decorator:
    """Add ``--k --N --alphabet --construction --dtype --digits``, named like the arguments of `hop_construction`.

    With ``sizes_required=False``, `N` and `alphabet` may be left out, where a text can give them.
    """
    return add_options(
        click.option("--k", "k", type=WholeNumber(), metavar="K", required=True, help="Number of hops."),
        click.option(
            "--N", "N", type=WholeNumber(), metavar="N", required=sizes_required, help="Length of the strings."
        ),
        click.option(
            "--alphabet", type=WholeNumber(), metavar="SIZE", required=sizes_required, help="Number of symbols."
        ),
        click.option(
            "--construction",
            type=click.Choice(["C1", "C2", "C3"]),
            default="C3",
            show_default=True,
            help="C1: one head, pointers. C2: one head, counts. C3: constant width, ranks.",
        ),
        click.option(
            "--dtype",
            type=click.Choice(["float64", "float32"]),
            default="float64",
            show_default=True,
            help="Numbers.",
        ),
        click.option("--digits", type=WholeNumber(), metavar="1|2", help="C2: counts in one number or two digits."),
    )
