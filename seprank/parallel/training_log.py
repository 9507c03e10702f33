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

_NUMBERS = ("depth", "H", "step", "hops", "wrong", "scored")


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


def read_log(path: str | PathLike[str]) -> list[Measured]:
    """The errors at the last step of every depth in the log of a run.

    Raises `InvalidInput` for a file that is no log, or that holds no evaluation.
    """
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = [{field: int(row[field]) for field in _NUMBERS} for row in csv.DictReader(file)]
    except OSError as error:
        raise InvalidInput(f"log must be a file of 'seprank hop train --log', got {name!r}: {error.strerror}") from None
    except (csv.Error, KeyError, TypeError, ValueError):
        raise InvalidInput(f"log must be a file of 'seprank hop train --log', got {name!r}") from None
    if not rows:
        raise InvalidInput(f"log must hold an evaluation, got none in {name!r}")
    last = max(row["step"] for row in rows)
    return [
        Measured(row["depth"], row["H"], FRESH, row["hops"], row["wrong"], row["scored"])
        for row in rows
        if row["step"] == last
    ]
