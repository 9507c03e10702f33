"""The log of a training run as rows of a CSV file, and such files read back for figures and thresholds."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from os import PathLike
from pathlib import Path

from seprank.errors import InvalidInput
from seprank.parallel.measured import FRESH, Measured
from seprank.parallel.training_task import HopTask

_NUMBERS = ("N", "alphabet", "depth", "H", "step", "hops", "wrong", "scored")


def log_rows(
    task: HopTask, notes: Iterable[tuple[int, float, tuple[int, ...], tuple[int, ...]]]
) -> list[dict[str, object]]:
    """One row for each note and number of hops: the sizes, the step, the loss, wrong and scored positions."""
    sizes = {field.name: getattr(task, field.name) for field in fields(task)}
    return [
        {
            **sizes,
            "step": step,
            "loss": loss,
            "hops": hops,
            "wrong": wrong[hops],
            "scored": scored[hops],
            "mode": "eval",
        }
        for step, loss, wrong, scored in notes
        for hops in range(task.k + 1)
    ]


def read_logs(paths: Iterable[str | PathLike[str]]) -> list[Measured]:
    """The errors at the last step of every run in the logs; runs of one depth and number of heads are added up.

    Such runs are those of several seeds. Raises `InvalidInput` for a file that is no log or holds no evaluation, and
    for runs on strings of different length or alphabet.
    """
    counts: dict[tuple[int, int, int], tuple[int, int]] = {}
    strings: dict[tuple[int, int], str] = {}
    for path in paths:
        for row in _last_rows(path):
            strings.setdefault((row["N"], row["alphabet"]), str(path))
            key = (row["depth"], row["H"], row["hops"])
            wrong, scored = counts.get(key, (0, 0))
            counts[key] = (wrong + row["wrong"], scored + row["scored"])
    if len(strings) > 1:
        kinds = ", ".join(f"{name!r} with {N} of {alphabet} symbols" for (N, alphabet), name in strings.items())
        raise InvalidInput(f"log must be of one kind of strings, got {kinds}")
    return [Measured(depth, H, FRESH, hops, *found) for (depth, H, hops), found in sorted(counts.items())]


def _last_rows(path: str | PathLike[str]) -> list[dict[str, int]]:
    """The rows of the last step of one log."""
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = [{field: int(row[field]) for field in _NUMBERS} for row in csv.DictReader(file)]
        if any(not 0 <= row["wrong"] <= row["scored"] or row["scored"] < 1 for row in rows):
            raise ValueError
    except OSError as error:
        raise InvalidInput(f"log must be a file of 'seprank hop train --log', got {name!r}: {error.strerror}") from None
    except (csv.Error, KeyError, TypeError, ValueError):
        raise InvalidInput(f"log must be a file of 'seprank hop train --log', got {name!r}") from None
    if not rows:
        raise InvalidInput(f"log must hold an evaluation, got none in {name!r}")
    last = max(row["step"] for row in rows)
    return [row for row in rows if row["step"] == last]
