"""A progress bar on a terminal for work that takes over a second; nothing anywhere else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

DELAY = 1.0  # seconds before anything is shown
LONG = 60.0  # seconds from which on work is announced
_UNITS = ((60.0, "min"), (3600.0, "h"), (86400.0, "days"), (31557600.0, "years"))


def announce(seconds: float) -> None:
    """One line on stderr, before the work starts, when it is estimated to take more than a minute."""
    if seconds > LONG:
        with suppress(OSError):
            click.echo(f"seprank: this will take about {duration(seconds)}", err=True)


def duration(seconds: float) -> str:
    """A rough time of more than a minute with its unit.

    >>> duration(600), duration(5400), duration(1e12)
    ('10 min', '1.5 h', '32000 years')
    """
    size, unit = max((size, unit) for size, unit in _UNITS if seconds >= size or unit == "min")
    amount = float(f"{seconds / size:.2g}")
    return f"{amount:.0e} {unit}" if amount >= 1e6 else f"{amount:g} {unit}"


@contextmanager
def progress_bar(title: str, then: str = "") -> Iterator[Callable[[int, int], None] | None]:
    """A callable ``(done, total)`` that moves a bar on stderr, or None when stderr is no terminal.

    `then` names the work that goes on after the last step, while the bar stays full.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(title, then)
    timer = threading.Timer(DELAY, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.move
    finally:
        timer.cancel()
        bar.close()


class _Bar:
    def __init__(self, title: str, then: str) -> None:
        self._title, self._then = title, then
        self._lock = threading.Lock()
        self._state = (0, 1)
        self._closed = False
        self._progress: object = None

    def move(self, done: int, total: int) -> None:
        with self._lock:
            self._state = done, total
            self._draw()

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with self._lock:
            if self._closed:
                return
            progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = progress.add_task(self._title, total=1.0)
            self._progress = progress
            self._draw()
            progress.start()

    def _draw(self) -> None:
        progress = self._progress
        if progress is None:
            return
        done, total = self._state
        after = done >= total > 0 and self._then
        share = done / total if total else 0.0
        progress.update(self._task, completed=share, description=after or self._title)  # type: ignore[attr-defined]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            progress, self._progress = self._progress, None
        if progress is not None:
            progress.stop()  # type: ignore[attr-defined]
