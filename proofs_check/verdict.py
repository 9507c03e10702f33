"""What a checker declares, and what a run of it finds.

A checker is a module with

* ``STATEMENT``: a `Statement`;
* ``cases(level)``: finitely many cases in a fixed order, for level "quick" or "full", boundary cases included;
* ``roads()``: a dict from a name to a function of a case; at least two of them must answer (not None) in every
  case, and they must agree; they share no code beyond data classes, prime checks and random draws;
* ``agree(case, first, other)``: when two roads agree, only where they are not equal to the last digit (estimates with
  their errors, see `proofs_check.estimate`); the claim and the mutants are judged on the result of the first road;
* ``holds(case, result)``: whether the claim holds in a case, given the result that the roads agree on;
* ``mutants()``: a dict from a name to a wrong variant of the claim, a function ``(case, result) -> bool`` that
  must be False in at least one case;
* ``printed(case, result)``: only where the printed claim is wrong: the claim as printed, which must be False in
  at least one case while ``holds`` is its mended form (CORRECTED), or while there is none (REFUTED).

An OPEN statement has no cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from seprank.tabular import to_html, to_latex

Case = Any
Result = Any
Road = Callable[[Case], Result]
Claim = Callable[[Case, Result], bool]

LEVELS = ("quick", "full")


class Verdict(StrEnum):
    """What a run says about a statement, in the sense of its scope."""

    PROVED = "PROVED"  # a symbolic identity, or an exhaustive check of a finite claim
    HOLDS = "HOLDS"  # on the stated cases, nothing more
    CORRECTED = "CORRECTED"  # false as printed, the mended form holds; both shown
    REFUTED = "REFUTED"  # with the counterexample
    OPEN = "OPEN"  # not decided


@dataclass(frozen=True)
class Statement:
    """A statement of a paper (``D2W.*``, ``SP.*``, ``ST.*``, ``PC.*``) or of this project (``NEW.*``).

    `statement` is in words and formulas ($...$), `scope` says what the verdict covers and no more, `expected` is
    the verdict recorded in the ledger, `proved_by` names the argument of a PROVED verdict.
    """

    id: str
    title: str
    statement: str
    source: str
    scope: str
    expected: Verdict
    paper: str = "D2W"
    note: str = ""

    def __post_init__(self) -> None:
        if not self.id.startswith((f"{self.paper}.", "NEW.")):
            raise ValueError(f"id must start with {self.paper}. or NEW., got {self.id!r}")


class Checker(Protocol):
    """A module that checks one statement; see the module docstring."""

    STATEMENT: Statement

    def cases(self, level: str) -> Iterable[Case]: ...
    def roads(self) -> Mapping[str, Road]: ...
    def holds(self, case: Case, result: Result) -> bool: ...
    def mutants(self) -> Mapping[str, Claim]: ...


@dataclass(frozen=True)
class Record:
    """The outcome of one checker. A record with `problems` fails the run."""

    statement: Statement
    verdict: Verdict | None
    roads: tuple[tuple[str, str], ...] = ()
    mutants: tuple[tuple[str, bool], ...] = ()
    cases: int = 0
    seconds: float = 0.0
    counterexample: str = ""
    problems: tuple[str, ...] = field(default=())

    @property
    def good(self) -> bool:
        """Whether the run confirms what the ledger says."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The record as the JSON of ``seprank verify`` prints it."""
        statement = self.statement
        return {
            "id": statement.id,
            "paper": statement.paper,
            "title": statement.title,
            "statement": statement.statement,
            "source": statement.source,
            "scope": statement.scope,
            "verdict": None if self.verdict is None else str(self.verdict),
            "expected": str(statement.expected),
            "roads": [{"name": name, "result": result} for name, result in self.roads],
            "mutants": [{"name": name, "refuted": refuted} for name, refuted in self.mutants],
            "cases": self.cases,
            "seconds": round(self.seconds, 3),
            "note": " ".join(filter(None, [statement.note, self.counterexample, *self.problems])),
        }

    def _repr_html_(self) -> str:
        return to_html(self._rows(), f"{self.statement.id}: {self.statement.title}")

    def _repr_latex_(self) -> str:
        return to_latex(self._rows(), f"{self.statement.id}: {self.statement.title}")

    def _rows(self) -> list[dict[str, object]]:
        verdict = "-" if self.verdict is None else str(self.verdict)
        rows: list[dict[str, object]] = [
            {"what": "verdict", "result": f"{verdict}, {self.cases} cases"},
            {"what": "scope", "result": self.statement.scope},
        ]
        rows += [{"what": f"road: {name}", "result": result} for name, result in self.roads]
        rows += [
            {"what": f"wrong variant: {name}", "result": "refuted" if refuted else "NOT refuted"}
            for name, refuted in self.mutants
        ]
        return rows + [{"what": "problem", "result": problem} for problem in self.problems]
