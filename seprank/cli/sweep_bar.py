"""The progress bar of a sweep: cases done, and the time left by the cost model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from seprank.cli.progress import duration

if TYPE_CHECKING:
    from seprank.study.sweep import Standing


@contextmanager
def sweep_bar() -> Iterator[Callable[[Standing], None] | None]:
    """A callable that shows how far a sweep is in a line on stderr, or None when stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting workers", total=1.0)
        yield lambda standing: progress.update(task, completed=standing.share, description=described(standing))


def described(standing: Standing) -> str:
    """The standing in one line."""
    parts = [f"{standing.total - standing.left} of {standing.total} cases"]
    for number, what in ((standing.too_large, "too large"), (standing.failed, "failed")):
        parts += [f"{number} {what}"] if number else []
    left = standing.seconds_left
    return ", ".join(parts) + f", about {f'{left:.0f} s' if left < 60 else duration(left)} left,"
