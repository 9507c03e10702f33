"""Stored results, checked again: keys, claims, and certificates by the slow checker."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.report import bounds
from seprank.errors import CheckFailed, InvalidInput, TooLarge
from seprank.separation.certificate_file import read_certificate
from seprank.separation.check import check_certificate, work_of
from seprank.separation.result import whole_value
from seprank.study.reading import certificate
from seprank.study.record import DONE, Record

CONFIRMED, WRONG, UNCHECKED = "confirmed", "wrong", "unchecked"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Verdict:
    """What checking a row came to: "confirmed", "wrong" with the reason, or "unchecked" with the reason."""

    record: Record
    outcome: str
    reason: str
    seconds: float = 0.0


@dataclass(frozen=True)
class _Task:
    record: Record
    document: dict[str, Any] | None = None
    seconds: float = 0.0
    verdict: Verdict | None = None


def verify(
    path: str | Path, found: Iterable[Record], budget: float | None = None, progress: Progress | None = None
) -> list[Verdict]:
    """A verdict on every one of these records of the store at `path`, cheapest check first.

    A row is wrong when its key is not the hash of its case, when its rank, blocks, closed forms and certificate
    contradict one another, or when the slow checker does not confirm its certificate. Rows without a certificate, and
    those that would take more than what is left of `budget` seconds, are not checked further.
    """
    start = time.monotonic()
    tasks = sorted((_task(path, record) for record in found), key=lambda task: task.seconds)
    total, done, verdicts = sum(task.seconds for task in tasks), 0.0, []
    for task in tasks:
        late = budget is not None and task.seconds > budget - (time.monotonic() - start)
        verdicts.append(task.verdict or _unchecked(task, "no time left") if late else _checked(task))
        done += task.seconds
        if progress is not None:
            progress(round(1000 * done), round(1000 * total) or 1)
    return verdicts


def _task(path: str | Path, record: Record) -> _Task:
    """The certificate of a record and the time that its check takes, or the verdict where that is known already."""
    fault = _fault(record)
    if fault:
        return _Task(record, verdict=Verdict(record, WRONG, fault))
    if record.rank is None:
        return _Task(record, verdict=Verdict(record, UNCHECKED, "no rank"))
    text = certificate(path, record.key)
    if text is None and record.has_certificate:
        return _Task(record, verdict=Verdict(record, WRONG, "the certificate is gone"))
    if text is None:
        return _Task(record, verdict=Verdict(record, UNCHECKED, f"method {record.method} leaves no certificate"))
    try:
        document = _document(text)
        _refuse_other_claim(record, document)
        return _Task(record, document, work_of(document).seconds)
    except (CheckFailed, InvalidInput) as error:
        return _Task(record, verdict=Verdict(record, WRONG, str(error)))


def _checked(task: _Task) -> Verdict:
    if task.verdict is not None or task.document is None:
        return task.verdict or _unchecked(task, "no certificate")
    try:
        checked = check_certificate(task.document)
    except CheckFailed as error:
        return Verdict(task.record, WRONG, str(error))
    except TooLarge as error:
        return _unchecked(task, str(error))
    return Verdict(task.record, CONFIRMED, f"{checked.entries} entries evaluated again", checked.seconds)


def _unchecked(task: _Task, reason: str) -> Verdict:
    return Verdict(task.record, UNCHECKED, reason)


def _fault(record: Record) -> str | None:
    """What is wrong with a row by itself, or beside the closed forms as they are now."""
    if not record.key_fits:
        return "the key is not that of the case"
    if (record.rank is None) != (record.what == "bounds" or record.status != DONE):
        return f"rank {record.rank} with status {record.status}"
    if record.rank is None:
        return None
    if record.blocks and sum(block["rank"] for block in record.blocks) != record.rank:
        return "the ranks of the blocks do not add up to the rank"
    sizes = Architecture(record.L, record.dx, record.H, record.da, record.residual)
    best = bounds(sizes, Partition(record.NA, record.NB)).best_upper
    limit = None if best is None else whole_value(best)
    if limit is not None and record.rank > limit:
        return f"the rank {record.rank} exceeds the proved bound {limit}"
    if record.certified_exact and record.rank != limit:
        return f"the rank {record.rank} is said to be exact, and the proved bound is {limit}"
    return None


def _document(text: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "certificate.json")
        file.write_text(text, encoding="utf-8")
        return read_certificate(file)


def _refuse_other_claim(record: Record, document: dict[str, Any]) -> None:
    """Raise `CheckFailed` when a certificate is not that of the row."""
    case = record.document()
    pairs = {name: (document[name], case[name]) for name in ("architecture", "partition", "prime")}
    pairs |= {"seed": (document["draw"]["seed"], record.seed), "rank": (document["rank"], record.rank)}
    for name, (claimed, stored) in pairs.items():
        if claimed != stored:
            raise CheckFailed(f"the certificate has {name} {claimed}, and the row {stored}")
