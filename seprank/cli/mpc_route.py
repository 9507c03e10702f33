"""`seprank mpc route`: deliver a round of messages by one softmax attention layer."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit
from seprank.validate import whole_number


@click.command()
@click.option("--machines", type=WholeNumber(), required=True, metavar="N", help="Number of machines.")
@click.option("--beta", type=WholeNumber(), required=True, metavar="B", help="Most messages sent or received by one.")
@click.option("--words", type=WholeNumber(), default=1, show_default=True, metavar="W", help="Words in a message.")
@click.option(
    "--payload", type=WholeNumber(), default=1000, show_default=True, metavar="P", help="Words are below this."
)
@click.option(
    "--pattern",
    type=click.Choice(["random", "shift", "blocks", "self", "empty", "to-one", "transpose"]),
    default="random",
    show_default=True,
    help="Who sends to whom.",
)
@click.option("--rows", type=WholeNumber(), default=12, show_default=True, metavar="R", help="Rows of hash tables.")
@click.option("--dimension", type=WholeNumber(), metavar="D", help="Code length.  [default: 16 beta ln N]")
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32", "float16"]),
    default="float64",
    show_default=True,
    help="Numbers.",
)
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@output_options("table", "json")
def command(
    machines: int,
    beta: int,
    words: int,
    payload: int,
    pattern: str,
    rows: int,
    dimension: int | None,
    dtype: str,
    seed: int,
    fmt: str,
    output: Path | None,
) -> int:
    """Deliver all messages of a round by one softmax attention layer over machine tokens and a sink (Lemma 3.2).

    Receivers do not know their senders. Each checks itself and raises a flag when it cannot decode what it got; here
    what arrived is compared with what was sent besides. The exit code is 1 where a message is wrong or a flag is up.

    \b
    seprank mpc route --machines 64 --beta 4
    seprank mpc route --machines 64 --beta 2 --rows 1
    """
    from seprank.cli import mpc_route_page
    from seprank.parallel.codebook import Codebook
    from seprank.parallel.patterns import message_pattern
    from seprank.parallel.routing import refuse_if_large, route

    whole_number("beta", beta, most=machines)
    refuse_if_large(machines, beta, words, rows, dimension)
    outboxes = message_pattern(pattern, machines, beta, words, payload, seed)
    book = Codebook(machines, beta, dimension, rows, seed)
    found = route(book, outboxes, payload, words, dtype)
    page = mpc_route_page.Page(book, pattern, payload, words, dtype, outboxes, found)
    emit(page.json() if fmt == "json" else page.text(), output)
    return 1 if page.wrong or found.flagged else 0
