"""`seprank sweep`: a grid of cases into a results store, on all cores or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit
from seprank.cli.sweep_file import read_options
from seprank.errors import InvalidInput, SeprankError

if TYPE_CHECKING:
    from seprank.study.grid import Grid
    from seprank.study.outlook import Outlook
    from seprank.study.sweep import Standing


@click.command()
@click.argument(
    "file", required=False, type=click.Path(path_type=Path), is_eager=True, callback=read_options, expose_value=False
)
@click.option("--L", "L", metavar="RANGE", required=True, help="Depths: 3, 1:4 (both ends), 1:9:2, 1,2,5.")
@click.option("--dx", "dx", metavar="RANGE", required=True, help="Widths.")
@click.option("--H", "H", metavar="RANGE", default="1", show_default=True, help="Heads; dx and dx/2 may stand, too.")
@click.option(
    "--N",
    "N",
    metavar="RANGE",
    default="long",
    show_default=True,
    help="Positions: long (dx on each side), 2:6 (half on each side), 3+5 (NA + NB).",
)
@click.option("--residual", is_flag=True, help="Layers add their input (skip connections).")
@click.option("--what", default="rank,bounds", show_default=True, help="rank (the bounds come with it) or bounds.")
@click.option(
    "--method",
    type=click.Choice(["blocks", "full", "grid", "derivative"]),
    help="As in `seprank rank`.  [default: chosen by cost]",
)
@click.option("--prime", type=WholeNumber(2), metavar="P", help="Prime at most 2147483647.  [default: 4194301]")
@click.option("--seed", type=WholeNumber(0), default=0, metavar="S", show_default=True, help="Seed of all draws.")
@click.option("--store", type=click.Path(path_type=Path), metavar="FILE", help="The results store; made if need be.")
@click.option("--workers", type=WholeNumber(), metavar="K", help="Processes.  [default: usable cores]")
@click.option("--threads", type=WholeNumber(), metavar="T", default=1, show_default=True, help="Threads of each.")
@click.option("--budget", metavar="TIME", help="End after this time, such as 2h, 90m or 1h30m.")
@click.option("--dask", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler, or on a new one: local.")
@click.option("--retry", is_flag=True, help="Do cases again that failed or were too large.")
@click.option("--dry-run", is_flag=True, help="Only say how many cases there are, and estimate time and memory.")
@output_options("table", "json")
def command(
    L: str,
    dx: str,
    H: str,
    N: str,
    residual: bool,
    what: str,
    method: str | None,
    prime: int | None,
    seed: int,
    store: Path | None,
    workers: int | None,
    threads: int,
    budget: str | None,
    dask: str | None,
    retry: bool,
    dry_run: bool,
    fmt: str,
    output: Path | None,
) -> None:
    """Measure every case of a grid, cheapest first, and keep each result in a store as soon as it is there.

    FILE is a TOML file with the same options, L = "1:4" and so on; the command line goes before it. Whatever ends a
    sweep (an interrupt, a crash, a power cut), finished cases stay, and the same command goes on from there; several
    sweeps may share a store. Cases in which H does not divide dx are skipped, those too large are recorded as such.
    With --dask the cases go to a cluster, and the store stays here.

    \b
    seprank sweep --L 1:3 --dx 2:8 --H 1,2,dx --store results.sqlite
    seprank sweep --L 1:3 --dx 2:4 --N long,2,4 --budget 2h --store results.sqlite --dry-run
    seprank sweep study.toml --dask tcp://10.0.0.1:8786
    """
    asked = _asked(what)
    if store is None and not dry_run:
        raise InvalidInput("store must be given with --store, got no such option")

    from seprank.cli import sweep_page
    from seprank.field.primes import DEFAULT_PRIME
    from seprank.study.grid import grid
    from seprank.study.ranges import seconds_of

    limit = None if budget is None else seconds_of("budget", budget)
    cases = grid(
        L, dx, H, N, residual=residual, method=method, prime=DEFAULT_PRIME if prime is None else prime, seed=seed
    )
    options = {"what": asked, "retry": retry, "threads": threads}
    if dry_run or store is None:
        emit(sweep_page.outlook_text(cases, _outlook(cases, store, workers, options), store, fmt), output)
        return
    standing = _run(cases, store, workers, dask, limit, options)
    emit(sweep_page.result_text(cases, standing, store, fmt), output)


def _asked(what: str) -> str:
    names = {name.strip() for name in what.split(",")}
    if not names <= {"rank", "bounds"}:
        raise InvalidInput(f"what must be rank, bounds or both, got {what!r}")
    return "rank" if "rank" in names else "bounds"


def _outlook(cases: Grid, store: Path | None, workers: int | None, options: dict[str, Any]) -> Outlook:
    """What would be done, without writing anything."""
    from seprank.cli.progress import progress_bar
    from seprank.study import records
    from seprank.study.jobs import jobs
    from seprank.study.outlook import outlook
    from seprank.study.workers import LocalWorkers

    kept = [] if store is None or not store.exists() else records(store)
    finished = {record.key: (record.what, record.status) for record in kept}
    capacity = LocalWorkers(workers).capacity()
    with progress_bar("planning") as progress:
        return outlook(jobs(cases.cases, finished, capacity=capacity, progress=progress, **options), capacity)


def _run(
    cases: Grid, store: Path, workers: int | None, dask: str | None, budget: float | None, options: dict[str, Any]
) -> Standing:
    from seprank.cli.progress import announce, progress_bar
    from seprank.cli.sweep_bar import sweep_bar
    from seprank.study.dask_workers import DaskWorkers
    from seprank.study.jobs import jobs, wall_seconds
    from seprank.study.store import Store
    from seprank.study.sweep import sweep
    from seprank.study.workers import LocalWorkers

    total = len(cases.cases)
    with Store(store) as kept:
        try:
            with LocalWorkers(workers) if dask is None else DaskWorkers(dask, workers) as hands:
                capacity = hands.capacity()
                with progress_bar("planning") as progress:
                    pending = jobs(cases.cases, kept.finished(), capacity=capacity, progress=progress, **options)
                announce(min(wall_seconds(pending, capacity.slots), budget or float("inf")))
                with sweep_bar() as report:
                    return sweep(pending, kept, hands, budget=budget, total=total, report=report, **options)
        except KeyboardInterrupt:
            finished = kept.finished()
            there = sum(case.key in finished for case in cases.cases)
            raise SeprankError(
                f"interrupted: {there} of {total} cases are in {store}, and the same command goes on from there"
            ) from None
