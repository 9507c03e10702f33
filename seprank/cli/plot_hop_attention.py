"""`seprank plot hop-attention`: a construction's attention, and a trained model's below it."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.options import WholeNumber
from seprank.cli.plot_options import draw, figure_option
from seprank.errors import InvalidInput


@click.command()
@click.option("--checkpoint", type=click.Path(path_type=Path), metavar="FILE", help="A run of 'seprank hop train'.")
@click.option("--k", "k", type=WholeNumber(), metavar="K", help="Hops.  [default: 4, or the most of the checkpoint]")
@click.option("--N", "N", type=WholeNumber(), metavar="N", help="Letters.  [default: 32, or those of the checkpoint]")
@click.option("--alphabet", type=WholeNumber(2), metavar="SIZE", help="Symbols.  [default: 4, or the checkpoint's]")
@click.option("--construction", type=click.Choice(["C1", "C2", "C3"]), default="C2", show_default=True)
@click.option("--all-heads", is_flag=True, help="All heads, not only the one of each layer that looks furthest.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of the string.")
@figure_option()
def command(
    checkpoint: Path | None,
    k: int | None,
    N: int | None,
    alphabet: int | None,
    construction: str,
    all_heads: bool,
    seed: int,
    output: Path,
) -> None:
    """Where a construction looks and where a trained model looks, on the same string.

    \b
    seprank plot hop-attention -o attention.png
    seprank plot hop-attention --checkpoint three.pt -o both.png
    """
    from seprank.parallel.attention_maps import construction_maps, furthest, trained_maps
    from seprank.parallel.constructions import hop_construction
    from seprank.parallel.strings import string_without_repeats

    if checkpoint is None:
        word = string_without_repeats(N or 32, alphabet or 4, seed)
        built = hop_construction(construction, k or 4, len(word), alphabet or 4)
        rows, note = {built.name: construction_maps(built, word)}, ""
    else:
        from seprank.cli.torch_needed import need_torch

        need_torch("plot hop-attention")
        from seprank.parallel.training import HopTraining

        run = HopTraining.resume(checkpoint)
        for name, asked, own in (("N", N, run.task.N), ("alphabet", alphabet, run.task.alphabet)):
            if asked is not None and asked != own:
                raise InvalidInput(f"{name} must be that of the checkpoint, {own}, got {asked}")
        word = string_without_repeats(run.task.N, run.task.alphabet, seed)
        built = hop_construction(construction, k or run.task.k, run.task.N, run.task.alphabet)
        rows = {built.name: construction_maps(built, word)}
        rows[f"trained, L = {run.task.depth}"] = trained_maps(run, word, built.k)
        note = f" and of a model trained for {run.step} steps, dropout off,"
    if not all_heads:
        rows = {name: furthest(maps) for name, maps in rows.items()}
    caption = (
        f"Attention of {built.name} with exact weights{note} for hop_{built.k}, on one string of {built.N} letters; "
        f"{'all heads' if all_heads else 'of each layer the head that looks furthest'}."
    )
    from seprank.plots.hop_attention import letters

    draw(output, "hop_attention", rows, letters(word.tolist()), caption)
