"""`seprank plot mpc-rounds`: draws `seprank.plots.mpc_rounds.mpc_rounds`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import WholeNumber
from seprank.cli.output import check_output, emit, to_csv
from seprank.cli.plot_options import draw, figure_option

if TYPE_CHECKING:
    from seprank.parallel.round_counts import Case, RoundCount


class Sizes(click.ParamType):
    """Whole numbers with commas between them, each once, in ascending order."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """`value` as a tuple."""
        if not isinstance(value, str):
            return tuple(value)
        return tuple(sorted({WholeNumber(6).convert(part.strip(), param, ctx) for part in value.split(",")}))


@click.command()
@click.option(
    "--family",
    "families",
    multiple=True,
    default=("path", "cycle", "gnp"),
    show_default=True,
    metavar="NAME",
    help="path, cycle, two-cycles, star, grid or gnp (of mean degree 4); may be repeated.",
)
@click.option(
    "--sizes", type=Sizes(), default="16,32,64,128,256", show_default=True, metavar="N,N,...", help="Vertices."
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    default=("random-mate", "label-propagation", "hook-and-shortcut"),
    show_default=True,
    metavar="NAME",
    help="May be repeated.",
)
@click.option("--delta", type=float, default=0.4, show_default=True, metavar="D", help="Memory s = c (input)^D.")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, metavar="S", help="Seed of all draws.")
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV that keeps the counts; what it has is not run.",
)
@figure_option()
def command(
    families: tuple[str, ...],
    sizes: tuple[int, ...],
    protocols: tuple[str, ...],
    delta: float,
    seed: int,
    records: Path | None,
    output: Path,
) -> None:
    """Rounds of protocols for connected components against the number of vertices, on simulated machines.

    Every run is compared with networkx. As it is, about half a minute; with --records a second drawing takes none.

    \b
    seprank plot mpc-rounds -o rounds.png
    seprank plot mpc-rounds --family cycle --sizes 64,256,1024 --protocol random-mate --records rounds.csv -o cycle.png
    """
    from seprank.parallel.round_counts import checked_cases, read_counts

    check_output(records, "records")
    cases = checked_cases(dict.fromkeys(families), sizes, dict.fromkeys(protocols), delta, seed)
    known = {} if records is None else read_counts(records)
    draw(output, "mpc_rounds", _counted(cases, known, records))


def _counted(cases: list[Case], known: dict[Case, RoundCount], records: Path | None) -> list[RoundCount]:
    """The counts of `cases`; those that are not known are run, and the file is brought up to date after each."""
    from seprank.cli.progress import announce, progress_bar
    from seprank.parallel.round_counts import count_rounds, guessed_seconds

    missing = [case for case in cases if case not in known]
    announce(sum(map(guessed_seconds, missing)))
    with progress_bar("running protocols") as progress:
        for place, case in enumerate(missing, start=1):
            known[case] = count_rounds(case)
            if records is not None:
                emit(to_csv([count.row() for count in known.values()]), records)
            if progress is not None:
                progress(place, len(missing))
    return [known[case] for case in cases]
