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
from seprank.study.reading import certificates
from seprank.study.record import DONE, Record

CONFIRMED, WRONG, UNCHECKED = "confirmed", "wrong", "unchecked"
Progress = Callable[[int, int], None]
Certificates = Callable[[str], str | None]


@dataclass(frozen=True)
class Verdict:
    """What checking a row came to: "confirmed", "wrong" with the reason, or "unchecked" with the reason."""

    record: Record
    outcome: str
    reason: str
    seconds: float = 0.0


@dataclass(frozen=True)
class _Task:
    """A record whose certificate takes so many seconds to check, or what is known without checking it."""

    record: Record
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
    with certificates(path) as find:
        return _verdicts(find, found, budget, progress)


def _verdicts(
    find: Certificates, found: Iterable[Record], budget: float | None, progress: Progress | None
) -> list[Verdict]:
    start = time.monotonic()
    tasks = sorted((_task(find, record) for record in found), key=lambda task: task.seconds)
    total, done, verdicts = sum(task.seconds for task in tasks), 0.0, []
    for task in tasks:
        late = budget is not None and task.seconds > budget - (time.monotonic() - start)
        unknown = _unchecked(task.record, "no time left") if late else None
        verdicts.append(task.verdict or unknown or _checked(find, task.record))
        done += task.seconds
        if progress is not None:
            progress(round(1000 * done), round(1000 * total) or 1)
    return verdicts


def _task(find: Certificates, record: Record) -> _Task:
    """The time that the check of a record takes, or the verdict where that is known already."""
    fault = _fault(record)
    if fault is not None:
        return _Task(record, verdict=Verdict(record, WRONG, fault))
    if record.rank is None:
        return _Task(record, verdict=_unchecked(record, "no rank"))
    if not record.has_certificate:
        return _Task(record, verdict=_unchecked(record, "no certificate"))
    try:
        return _Task(record, work_of(_document(find, record)).seconds)
    except (CheckFailed, InvalidInput) as error:
        return _Task(record, verdict=Verdict(record, WRONG, str(error)))


def _checked(find: Certificates, record: Record) -> Verdict:
    try:
        checked = check_certificate(_document(find, record))
    except CheckFailed as error:
        return Verdict(record, WRONG, str(error))
    except TooLarge as error:
        return _unchecked(record, str(error))
    return Verdict(record, CONFIRMED, f"{checked.entries} entries worked out again", checked.seconds)


def _unchecked(record: Record, reason: str) -> Verdict:
    return Verdict(record, UNCHECKED, reason)


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


def _document(find: Certificates, record: Record) -> dict[str, Any]:
    """The certificate of a record. Raises `InvalidInput` if it is none, and `CheckFailed` if it is that of another."""
    text = find(record.key)
    if text is None:
        raise CheckFailed("the certificate is gone")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "certificate.json")
        file.write_text(text, encoding="utf-8")
        document = read_certificate(file)
    _refuse_other_claim(record, document)
    return document


def _refuse_other_claim(record: Record, document: dict[str, Any]) -> None:
    case = record.document()
    pairs = {"rank": (document["rank"], record.rank), "prime": (document["prime"], record.used_prime)}
    pairs["architecture"] = (document["architecture"], case["architecture"])
    if "partition" in document:
        pairs["partition"] = (document["partition"], case["partition"])
        pairs["seed"] = (document["draw"]["seed"], record.seed)
    elif min(record.NA, record.NB) < record.dx:
        raise CheckFailed(f"the certificate is for long input, and the row has NA = {record.NA}, NB = {record.NB}")
    for name, (claimed, stored) in pairs.items():
        if claimed != stored:
            raise CheckFailed(f"the certificate has {name} {claimed}, and the row {stored}")
