"""`seprank signal reverse-task`: scaled branches learn to reverse a string, unscaled ones do not."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import check_output, emit
from seprank.cli.torch_needed import need_torch


@click.command()
@click.option("--L", "L", type=WholeNumber(), default=12, show_default=True, metavar="L", help="Blocks.")
@click.option(
    "--alpha",
    "alphas",
    multiple=True,
    default=("1", "1/sqrt(L)"),
    show_default=True,
    metavar="A",
    help="Branch scale: a number or a rule; may be repeated.",
)
@click.option("--steps", type=WholeNumber(), default=700, show_default=True, metavar="K", help="Steps of training.")
@click.option("--seeds", type=WholeNumber(), default=3, show_default=True, metavar="K", help="Seeds 1 to K.")
@click.option("--length", type=WholeNumber(2), default=20, show_default=True, metavar="N", help="Digits of a string.")
@click.option("--d", "d", type=WholeNumber(2), default=16, show_default=True, metavar="D", help="Width.")
@click.option("--batch", type=WholeNumber(), default=64, show_default=True, metavar="B", help="Strings a step.")
@click.option("--rate", type=float, default=0.01, show_default=True, metavar="R", help="Learning rate of Adam.")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the state in FILE, and go on from it after a kill.",
)
@output_options("table", "json")
def command(
    L: int,
    alphas: tuple[str, ...],
    steps: int,
    seeds: int,
    length: int,
    d: int,
    batch: int,
    rate: float,
    checkpoint: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Train POST-LN encoders to print a string of digits from its end; about two minutes as it is.

    Deep encoders with alpha = 1 start with collapsed tokens and query gradients near 0 and do not learn it; with
    1/sqrt(L) they do.

    \b
    seprank signal reverse-task
    seprank signal reverse-task --checkpoint reverse.pt --steps 1000
    """
    from seprank.cli import signal_reverse_task_page
    from seprank.cli.progress import announce, progress_bar
    from seprank.signal.reverse_task import ReverseTask, refuse_if_large, reverse_task, seconds

    task = ReverseTask(L, alphas, steps, seeds, length, d, batch, rate)
    check_output(checkpoint, "checkpoint")
    refuse_if_large(task)
    need_torch("signal reverse-task")
    announce(seconds(task))
    with progress_bar("training") as progress:
        result = reverse_task(task, checkpoint, progress)
    emit(signal_reverse_task_page.text(result, fmt, None if output is None else False), output)
