"""What `seprank sweep` prints: the outlook of a dry run, or what became of the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seprank.cli.output import to_json
from seprank.cli.progress import LONG, duration
from seprank.separation.room import readable

if TYPE_CHECKING:
    from seprank.study.grid import Grid
    from seprank.study.jobs import Job
    from seprank.study.outlook import Outlook
    from seprank.study.sweep import Standing


def outlook_text(cases: Grid, found: Outlook, store: Path | None, fmt: str) -> str:
    """The number of cases, and estimates of time and memory."""
    return to_json(_outlook(cases, found, store)) if fmt == "json" else "\n".join(_lines(cases, found, store)) + "\n"


def result_text(cases: Grid, standing: Standing, store: Path, fmt: str) -> str:
    """What became of the cases."""
    if fmt == "json":
        return to_json(_result(cases, standing, store))
    counts = [
        (standing.done, "done"),
        (standing.too_large, "too large"),
        (standing.failed, "failed (`seprank results list --status error` shows why)"),
        (standing.elsewhere, "done by another sweep meanwhile"),
        (standing.before, "in the store before"),
        (standing.left, "left, since the time is over: the same command goes on"),
    ]
    text = ", ".join(f"{number} {what}" for number, what in counts if number) or "none"
    lines = [f"cases: {standing.total}: {text}", *_left_out(cases)]
    return "\n".join([*lines, f"store: {store}, after {_time(standing.seconds)}"]) + "\n"


def _outlook(cases: Grid, found: Outlook, store: Path | None) -> dict[str, Any]:
    return {
        "schema": "seprank.sweep-plan/1",
        "store": None if store is None else str(store),
        **_counts(cases),
        "finished": len(cases.cases) - found.pending,
        "pending": found.pending,
        "too_large": found.too_large,
        "refused": dict(found.refused),
        "workers": found.workers,
        "seconds": round(found.seconds, 3),
        "wall_seconds": round(found.wall_seconds, 3),
        "memory": {"largest_case": found.largest_case, "all_workers": found.all_workers},
    }


def _result(cases: Grid, standing: Standing, store: Path) -> dict[str, Any]:
    names = ("before", "done", "too_large", "failed", "elsewhere", "left", "budget_spent")
    return {
        "schema": "seprank.sweep/1",
        "store": str(store),
        **_counts(cases),
        **{name: getattr(standing, name) for name in names},
        "seconds": round(standing.seconds, 3),
    }


def _counts(cases: Grid) -> dict[str, Any]:
    return {"cases": len(cases.cases), "skipped": dict(cases.skipped), "repeated": cases.repeated}


def _lines(cases: Grid, found: Outlook, store: Path | None) -> list[str]:
    total = len(cases.cases)
    lines = [f"cases: {total}", *_left_out(cases)]
    if found.pending < total:
        lines.append(f"finished: {total - found.pending} are in {store}, {found.pending} are left")
    if found.too_large:
        lines.append(f"too large: {found.too_large} would not fit in memory, and are recorded as such")
    lines += [f"refused: {number} will be recorded as failed: {reason}" for reason, number in found.refused.items()]
    workers = f"{found.workers} worker{'s' if found.workers > 1 else ''}"
    lines.append(f"time: about {_time(found.seconds)} of computing, {_time(found.wall_seconds)} with {workers}")
    lines.append(
        f"memory: about {readable(found.largest_case)} for the largest case, {readable(found.all_workers)} for "
        f"{workers} with their programs"
    )
    return lines if found.longest is None else [*lines, f"longest: {_named(found.longest)}"]


def _named(job: Job) -> str:
    arch, sides = job.case.architecture, job.case.partition
    sizes = f"L = {arch.L}, dx = {arch.dx}, H = {arch.H}, NA = {sides.NA}, NB = {sides.NB}"
    return f"{sizes}: about {_time(job.estimate.seconds)}"


def _left_out(cases: Grid) -> list[str]:
    lines = [f"skipped: {number}, since {reason}" for reason, number in cases.skipped.items()]
    return lines + ([f"repeated: {cases.repeated}, listed more than once"] if cases.repeated else [])


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < LONG else duration(seconds)
