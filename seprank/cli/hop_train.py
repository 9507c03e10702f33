"""`seprank hop train`: a small model trained on the k-hop task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import check_output, emit, to_csv
from seprank.cli.torch_needed import need_torch
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.parallel.training import HopTraining
    from seprank.parallel.training_task import HopTask


@click.command()
@click.option("--k", "k", type=WholeNumber(), default=3, show_default=True, metavar="K", help="Most hops: 0..K.")
@click.option("--N", "N", type=WholeNumber(), default=32, show_default=True, metavar="N", help="Letters of a string.")
@click.option("--depth", type=WholeNumber(), default=3, show_default=True, metavar="L", help="Layers.")
@click.option("--alphabet", type=WholeNumber(), default=4, show_default=True, metavar="SIZE", help="Number of symbols.")
@click.option("--dx", "dx", type=WholeNumber(), default=64, show_default=True, metavar="DX", help="Width.")
@click.option("--H", "H", type=WholeNumber(), default=4, show_default=True, metavar="H", help="Heads of a layer.")
@click.option("--batch", type=WholeNumber(), default=32, show_default=True, metavar="B", help="Strings of a step.")
@click.option("--rate", type=float, default=2e-3, show_default=True, metavar="R", help="Learning rate of AdamW.")
@click.option("--warmup", type=WholeNumber(), default=200, show_default=True, metavar="K", help="Steps of warm-up.")
@click.option("--dropout", type=float, default=0.0, show_default=True, metavar="P", help="Dropout in training.")
@click.option("--steps", type=WholeNumber(), default=5000, show_default=True, metavar="K", help="Steps in all.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Of weights and strings.")
@click.option(
    "--every", type=WholeNumber(), default=500, show_default=True, metavar="K", help="Steps from note to note."
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the run in FILE every 100 steps, and go on from it.",
)
@click.option("--log", "log", type=click.Path(path_type=Path), metavar="FILE", help="Notes of all steps as CSV.")
@output_options("table", "json", "csv")
def command(
    k: int,
    N: int,
    depth: int,
    alphabet: int,
    dx: int,
    H: int,
    batch: int,
    rate: float,
    warmup: int,
    dropout: float,
    steps: int,
    seed: int,
    every: int,
    checkpoint: Path | None,
    log: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Train a small decoder to answer hop_0 to hop_K, told by a first token, and count its errors.

    Errors are counted in evaluation mode (dropout off) on 100 fresh strings for each k, at positions where hop_k is
    defined. Torch runs on one thread; seed and sizes fix the result on one machine. A run that is killed goes on from
    its checkpoint with the same result; with more --steps a finished one goes on, too.

    \b
    seprank hop train --k 3 --N 32 --depth 2 --checkpoint two.pt --log two.csv
    seprank hop train --k 3 --N 32 --depth 3 --checkpoint three.pt --log three.csv
    """
    from seprank.parallel.training_task import HopTask

    task = HopTask(k, N, depth, alphabet, dx, H, batch, rate, warmup, dropout, seed)
    for path, name in ((checkpoint, "checkpoint"), (log, "log")):
        check_output(path, name)
    given = [path.resolve() for path in (checkpoint, log, output) if path is not None]
    if len(set(given)) < len(given):
        raise InvalidInput(f"checkpoint, log and output must be different files, got {str(given[0])!r} more than once")
    need_torch("hop train")
    run = _trained(task, steps, every, checkpoint, log)

    from seprank.cli import hop_train_page

    emit(hop_train_page.text(run, fmt, None if output is None else False), output)


def _trained(task: HopTask, steps: int, every: int, checkpoint: Path | None, log: Path | None) -> HopTraining:
    """The run after `steps` steps; its log is brought up to date after every note."""
    from seprank.cli.progress import announce, progress_bar
    from seprank.parallel.training import HopTraining
    from seprank.parallel.training_log import log_rows

    kept = checkpoint is not None and checkpoint.exists()
    run = HopTraining.resume(checkpoint, task) if kept and checkpoint is not None else HopTraining.start(task)

    def noted() -> None:
        if log is not None:
            emit(to_csv(log_rows(task, run.notes)), log)

    announce(task.seconds_per_step * (steps - run.step))
    with progress_bar("training") as progress:
        run.train(steps, checkpoint, every=every, progress=progress, noted=noted)
    noted()
    return run
