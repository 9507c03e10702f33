"""`seprank hop verify`: run a k-hop transformer against the definition of the task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.hop_options import construction_options
from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit, to_json

if TYPE_CHECKING:
    from seprank.parallel.construction import Construction
    from seprank.parallel.verify_construction import HopCheck


@click.command()
@construction_options()
@click.option(
    "--strings", type=WholeNumber(), default=40, show_default=True, metavar="R", help="Strings where all are too many."
)
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of the strings.")
@output_options("table", "json")
def command(
    k: int,
    N: int,
    alphabet: int,
    construction: str,
    dtype: str,
    digits: int | None,
    strings: int,
    seed: int,
    fmt: str,
    output: Path | None,
) -> int:
    """Run a construction of hop_k by attention and compare every position with the definition.

    All strings are tried where there are at most 60000 of them; then no error is a proof for this size in this
    arithmetic. The exit code is 1 where a position is wrong.

    \b
    seprank hop verify --k 16 --N 100 --alphabet 4 --construction C1
    seprank hop verify --k 3 --N 7 --alphabet 2 --construction C2
    """
    from seprank.cli.progress import progress_bar
    from seprank.parallel.constructions import first_refused_length, hop_construction
    from seprank.parallel.verify_construction import verify_construction

    built = hop_construction(construction, k, N, alphabet, dtype, digits)
    with progress_bar("running strings") as progress:
        found = verify_construction(built, strings, seed, progress)
    refused = first_refused_length(construction, k, alphabet, dtype, digits)
    emit(to_json(_document(built, found, seed, refused)) if fmt == "json" else _page(built, found, refused), output)
    return 1 if found.errors else 0


def _document(built: Construction, found: HopCheck, seed: int, refused: int | None) -> dict[str, Any]:
    return {
        "schema": "seprank.hop.verify/1",
        "construction": built.name,
        "k": built.k,
        "N": built.N,
        "alphabet": built.alphabet,
        "dtype": built.dtype,
        "depth": found.depth,
        "depth_formula": found.depth_formula,
        "width": found.width,
        "heads": found.heads,
        "errors": found.errors,
        "checked": found.checked,
        "strings": found.strings,
        "exhaustive": found.exhaustive,
        "seed": None if found.exhaustive else seed,
        "worst_margin": found.worst_margin,
        "first_refused_N": refused,
    }


def _page(built: Construction, found: HopCheck, refused: int | None) -> str:
    kind = "all" if found.exhaustive else "random"
    scope = "proved for this size and number type" if found.exhaustive else "checked on these strings, not a proof"
    limit = "none up to 2^40" if refused is None else str(refused)
    return "\n".join(
        [
            f"{built.name} for hop_{built.k}, N = {built.N}, {built.alphabet} symbols, {built.dtype}",
            f"depth:         {found.depth} calls of attention, formula {found.depth_formula}",
            f"width, heads:  {found.width}, {found.heads}",
            f"errors:        {found.errors} of {found.checked} positions ({kind} {found.strings} strings; {scope})",
            f"worst margin:  {found.worst_margin:.4f} of 0.5 left before a rounding goes wrong",
            f"first N that {built.dtype} cannot carry: {limit}",
        ]
    )
