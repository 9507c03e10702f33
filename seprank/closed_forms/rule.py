"""A bound as data: what it is called, what it states, where it applies, and how to evaluate it.

A rule says whether it is proved for a case; a printed bound that is not is judged in `report` against the
proved ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from seprank.closed_forms.case import Case
from seprank.closed_forms.magnitude import Magnitude

PAPER = "levine2020depth, {}"
OWN = "derived for this project: docs/theory.md, {}"


@dataclass(frozen=True)
class Rule:
    """A bound on the separation rank of almost every network of an architecture.

    `value` returns None where the bound says nothing about the case; `proved` whether this project proves it
    there outright; `remark` a clause to add to the scope for the case, or "".
    """

    id: str
    kind: Literal["lower", "upper"]
    title: str
    formula: str
    scope: str
    source: str
    about: str
    value: Callable[[Case], Magnitude | None]
    proved: Callable[[Case], bool]
    remark: Callable[[Case], str] = lambda case: ""


def always(case: Case) -> bool:
    """Proved wherever it applies."""
    return True


def when_implied(case: Case) -> bool:
    """Never outright; `report` compares with the proved bounds."""
    return False


def printed_for(case: Case) -> str:
    """A remark where a printed bound is stated for other networks than the one at hand."""
    notes = []
    if not case.arch.is_standard:
        notes.append("stated for H da = dx")
    if case.arch.residual:
        notes.append("stated without skip connections")
    return "; ".join(notes)
