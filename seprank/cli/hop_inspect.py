"""`seprank hop inspect`: where the heads of a trained model look."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit, to_csv, to_json
from seprank.cli.plot_options import checked_figure, draw
from seprank.cli.torch_needed import need_torch


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path))
@click.option(
    "--k", "k", type=WholeNumber(0), metavar="K", help="Hops asked for.  [default: the most it was trained on]"
)
@click.option("--strings", type=WholeNumber(), default=20, show_default=True, metavar="R", help="Strings to average.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of the strings.")
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", callback=checked_figure, help="Draw into FILE as well."
)
@output_options("table", "json", "csv")
def command(
    checkpoint: Path, k: int | None, strings: int, seed: int, plot: Path | None, fmt: str, output: Path | None
) -> None:
    """The share of attention that every head of a trained model puts on find^j(i) and on the previous token.

    CHECKPOINT is a file of 'seprank hop train'. Shares are means over positions beyond the first fifth of each string,
    dropout off. A head that looks at find^(b+1) where only find^b was known before searches one hop further.

    \b
    seprank hop inspect three.pt
    seprank hop inspect three.pt --k 2 --plot heads.png
    """
    need_torch("hop inspect")
    from seprank.cli import hop_inspect_page
    from seprank.parallel.inspection import inspect_run
    from seprank.parallel.training import HopTraining

    run = HopTraining.resume(checkpoint)
    asked = run.task.k if k is None else k
    heads = inspect_run(run, asked, strings, seed)
    if plot is not None:
        draw(plot, "hop_heads", heads, f"depth {run.task.depth} after {run.step} steps, k = {asked}")
    if fmt == "json":
        text = to_json(hop_inspect_page.document(run, asked, strings, seed, heads))
    elif fmt == "csv":
        text = to_csv(hop_inspect_page.rows(heads))
    else:
        text = hop_inspect_page.page(run, asked, strings, heads, None if output is None else False)
    emit(text, output)
