"""Run one checker: every case by every road, the claim, its mutants, and the verdict that follows."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from types import ModuleType

from proofs_check.verdict import Case, Claim, Record, Result, Road, Statement, Verdict

SHOWN = 70  # characters of a result that a record shows


def run_checker(checker: ModuleType, level: str) -> Record:
    """The record of one checker at a level. It never raises on account of the mathematics: problems are listed."""
    statement: Statement = checker.STATEMENT
    if statement.expected is Verdict.OPEN:
        return Record(statement, Verdict.OPEN)
    start = time.perf_counter()
    roads: Mapping[str, Road] = checker.roads()
    agree = getattr(checker, "agree", _equal)
    cases = list(checker.cases(level))
    problems: list[str] = []
    agreed: list[tuple[Case, Result]] = []
    shown: dict[str, str] = {}
    for case in cases:
        answers = {name: road(case) for name, road in roads.items()}
        given = {name: answer for name, answer in answers.items() if answer is not None}
        shown |= {name: f"{_short(case)}: {_short(answer)}" for name, answer in given.items()}
        if len(given) < 2:
            problems.append(f"only {len(given)} road answers for {_short(case)}")
            continue
        first, *others = given.values()
        if not all(agree(case, first, other) for other in others):
            found = ", ".join(f"{name}: {_short(answer)}" for name, answer in given.items())
            problems.append(f"the roads disagree for {_short(case)} ({found})")
            continue
        agreed.append((case, first))
    if not cases:
        problems.append("no case was run")
    problems += [f"the road {name} never answers" for name in roads if name not in shown and cases]
    mutants = tuple((name, _fails(claim, agreed) is not None) for name, claim in checker.mutants().items())
    problems += [f"the mutant survives: {name}" for name, refuted in mutants if not refuted]
    if len(mutants) < 2:
        problems.append(f"a checker needs at least two mutants, this one has {len(mutants)}")
    verdict, counterexample = _verdict(checker, agreed)
    if verdict is not statement.expected:
        problems.append(f"the ledger says {statement.expected}, this run {verdict}")
    return Record(
        statement,
        verdict,
        roads=tuple((name, shown.get(name, "no answer")) for name in roads),
        mutants=mutants,
        cases=len(cases),
        seconds=time.perf_counter() - start,
        counterexample=counterexample,
        problems=tuple(problems),
    )


def _equal(case: Case, first: Result, other: Result) -> bool:
    return bool(first == other)


def _verdict(checker: ModuleType, agreed: list[tuple[Case, Result]]) -> tuple[Verdict, str]:
    """The verdict of the cases on which the roads agree, and the first counterexample to what is printed."""
    broken = _fails(checker.holds, agreed)
    printed: Claim | None = getattr(checker, "printed", None)
    if printed is None:
        if broken is not None:
            return Verdict.REFUTED, f"Counterexample: {broken}."
        return (Verdict.PROVED if checker.STATEMENT.expected is Verdict.PROVED else Verdict.HOLDS), ""
    counterexample = _fails(printed, agreed)
    if counterexample is None:
        return Verdict.HOLDS, ""
    text = f"Counterexample to the printed form: {counterexample}."
    mended = broken is None and checker.STATEMENT.expected is not Verdict.REFUTED
    return (Verdict.CORRECTED if mended else Verdict.REFUTED), text


def _fails(claim: Claim, agreed: list[tuple[Case, Result]]) -> str | None:
    """The first case in which the claim is false, in words, or None."""
    for case, result in agreed:
        if not claim(case, result):
            return f"{_short(case)} gives {_short(result)}"
    return None


def _short(value: object) -> str:
    """A case or a result in at most `SHOWN` characters; a long number by its size."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**SHOWN:
        return f"a number of {int(value.bit_length() * math.log10(2)) + 1} digits or one less"
    plain = isinstance(value, tuple | list) and not hasattr(value, "_fields")
    text = "(" + ", ".join(map(_short, value)) + ")" if plain else str(value)  # type: ignore[call-overload]
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]} ..."
