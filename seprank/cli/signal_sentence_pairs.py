"""`seprank signal sentence-pairs`: train an encoder-decoder on a TSV of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import check_output, emit
from seprank.cli.torch_needed import need_torch


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path), metavar="PAIRS.tsv")
@click.option("--L", "L", type=WholeNumber(), default=6, show_default=True, metavar="L", help="Blocks of each side.")
@click.option("--d", "d", type=WholeNumber(2), default=512, show_default=True, metavar="D", help="Width.")
@click.option("--H", "H", type=WholeNumber(), default=8, show_default=True, metavar="H", help="Heads.")
@click.option("--dF", "dF", type=WholeNumber(), metavar="DF", help="Feed-forward width.  [default: d]")
@click.option(
    "--norm",
    type=click.Choice(["none", "post", "pre"]),
    default="none",
    show_default=True,
    help="Layer norm: nowhere, behind each sum, at the entrance of each branch.",
)
@click.option("--alpha", default="1/sqrt(L)", show_default=True, metavar="A", help="Branch scale: a number or a rule.")
@click.option("--fixed", is_flag=True, help="Branch scales stay as they are; otherwise they are trained.")
@click.option("--tau", type=float, default=8.5, show_default=True, metavar="T", help="Final inverse temperature.")
@click.option(
    "--warm-up", type=WholeNumber(0), default=1000, show_default=True, metavar="K", help="Steps from 1 to tau."
)
@click.option("--steps", type=WholeNumber(), default=10000, show_default=True, metavar="K", help="Steps of training.")
@click.option("--batch", type=WholeNumber(), default=64, show_default=True, metavar="B", help="Pairs a step.")
@click.option(
    "--optimiser",
    type=click.Choice(["sgd", "adam"]),
    default="sgd",
    show_default=True,
    help="sgd: a tenth of the rate from 40 % of the steps, a hundredth from 80 %.",
)
@click.option("--rate", type=float, default=0.02, show_default=True, metavar="R", help="Learning rate.")
@click.option("--weight-decay", type=float, default=0.0, show_default=True, metavar="W", help="Decoupled.")
@click.option("--vocabulary", type=WholeNumber(5), default=10000, show_default=True, metavar="V", help="Most words.")
@click.option("--longest", type=WholeNumber(), default=100, show_default=True, metavar="N", help="Words of a sentence.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the state in FILE, and go on from it after a kill.",
)
@output_options("table", "json")
def command(pairs: Path, longest: int, checkpoint: Path | None, fmt: str, output: Path | None, **options: Any) -> None:
    """Train on a file with a sentence, a tab and its translation on each line; words are parted by spaces.

    Shows losses on the way, and scales, correlation and norm behind each layer of the trained encoder. As it is: SGD
    without layer norm, trained scales from 1/sqrt(L) and a temperature with its warm-up.

    \b
    seprank signal sentence-pairs pairs.tsv --checkpoint pairs.pt
    seprank signal sentence-pairs pairs.tsv --optimiser adam --rate 0.0005 --norm post --alpha 1 --fixed --tau 1
    """
    from seprank.cli import signal_sentence_pairs_page
    from seprank.cli.progress import progress_bar
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.scaling import branch_scale
    from seprank.signal.sentence_files import read_pairs

    check_output(checkpoint, "checkpoint")
    alpha = branch_scale("alpha", options.pop("alpha"), options["L"])
    names = {name: options.pop(name) for name in ("L", "d", "H", "dF", "norm", "tau")}
    trainable, tau_steps = not options.pop("fixed"), options.pop("warm_up")
    sizes = NetworkSizes(**names, alpha1=alpha, alpha2=alpha, trainable=trainable, tau_steps=tau_steps)
    found = read_pairs(pairs, longest)
    need_torch("signal sentence-pairs")
    from seprank.signal.sentence_pairs import PairTask, refuse_if_large, train_on_pairs

    task = PairTask(sizes, **options)
    refuse_if_large(task, found)
    with progress_bar("training") as progress:
        trained = train_on_pairs(found, task, checkpoint, progress)
    page = signal_sentence_pairs_page.text(trained, task, found, fmt, None if output is None else False)
    emit(page, output)
