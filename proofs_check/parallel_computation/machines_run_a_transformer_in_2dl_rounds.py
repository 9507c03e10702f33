"""Theorem 3.4: a transformer on N + N^2 machines in 2 D L rounds.   Source: sanford2024log, Theorem 3.4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.transformer_pass import drawn_pass
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.thm3.4",
    title="Theorem 3.4: depth L takes 2 D L rounds on N + N^2 machines",
    statement=r"Token machines and pair machines, trees of branching $b=\lfloor s/\max(3mH,(m+2)H)\rfloor$, "
    r"$D=\lceil\log_bN\rceil$, and an associative merge of (maximum, denominator, numerator): $R=2DL$ rounds. With "
    r"$mH=N^\delta$, $s=N^{\delta'}$ this is $O(L/(\delta'-\delta))$.",
    source="sanford2024log, Theorem 3.4; docs/parallel.md, transformers by machines",
    scope="message level, N = 5 to 20 (32 at the full level), m = 2 and 4, L = 1 to 3, H = 1 and 3, outputs within "
    "1e-12 of the direct pass, caps enforced",
    expected=Verdict.HOLDS,
    paper="PC",
)


class Case(NamedTuple):
    """Sizes and words of a machine."""

    N: int
    m: int
    L: int
    H: int
    words: int


class Outcome(NamedTuple):
    """Rounds, machines, outputs."""

    rounds: int
    machines: int
    outputs: Any

    def __str__(self) -> str:
        return f"{self.rounds} rounds, {self.machines} machines, sum of outputs {self.outputs.sum():.9f}"


def cases(level: str) -> Iterable[Case]:
    """Several depths of trees."""
    yield Case(5, 2, 2, 1, 24)
    yield Case(16, 2, 3, 1, 24)
    yield Case(16, 2, 3, 1, 96)
    yield Case(20, 4, 1, 1, 40)
    yield Case(9, 2, 2, 3, 60)
    if level == "full":
        yield Case(32, 2, 2, 1, 24)
        yield Case(32, 2, 2, 1, 48)


def by_machines(case: Case) -> Outcome:
    """Messages under enforced caps."""
    from seprank.parallel.transformer_as_mpc import TransformerSizes, run_on_machines

    outputs, run, _ = run_on_machines(TransformerSizes(*case[:4]), case.words)
    return Outcome(run.rounds, len(run.memories), outputs)


def _levels(case: Case, b: int) -> int:
    levels, reach = 1, b
    while reach < case.N:
        levels, reach = levels + 1, reach * b
    return levels


def by_direct_pass(case: Case) -> Outcome:
    """The usual forward pass, rounds by formula."""
    b = case.words // max(3 * case.m * case.H, (case.m + 2) * case.H)
    return Outcome(2 * _levels(case, b) * case.L, case.N + case.N**2, drawn_pass(*case[:4]))


def roads() -> Mapping[str, Road]:
    """Rounds, machines, outputs, twice."""
    return {"machines": by_machines, "direct pass": by_direct_pass}


def agree(case: Case, first: Outcome, other: Outcome) -> bool:
    """Outputs up to rounding."""
    return first[:2] == other[:2] and bool(np.allclose(first.outputs, other.outputs, rtol=1e-12, atol=1e-12))


def holds(case: Case, result: Outcome) -> bool:
    """Rounds in terms of depth."""
    return result.rounds % (2 * case.L) == 0 and result.machines == case.N * (case.N + 1)


def mutants() -> Mapping[str, Claim]:
    """A larger branching; another merge; fewer machines."""

    def larger_branching(case: Case, result: Outcome) -> bool:
        from seprank.errors import SeprankError
        from seprank.parallel.mpc import run_protocol
        from seprank.parallel.transformer_as_mpc import AttentionByPairs, TransformerSizes

        b = case.words // ((2 * case.m + 2) * case.H)
        memories = [{"x": row.view(np.int64)} for row in TransformerSizes(*case[:4]).tokens()]
        try:
            run_protocol(AttentionByPairs(*case[:4], 0, b), [*memories, *[{}] * case.N**2], case.words, 99)
        except SeprankError:
            return False
        return True

    def averages(case: Case, result: Outcome) -> bool:
        wrong = drawn_pass(*case[:4], block=max(2, case.N // 2 - 1))
        return bool(np.allclose(wrong, result.outputs, rtol=1e-6))

    return {
        "b = floor(s / (2 m + 2))": larger_branching,
        "averages of normalised blocks in place of merged triples": averages,
        "N + N (N - 1) / 2 machines": lambda case, result: result.machines == case.N + case.N * (case.N - 1) // 2,
    }
