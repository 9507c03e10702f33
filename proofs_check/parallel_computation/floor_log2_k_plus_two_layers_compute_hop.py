"""C2 and C3: floor(log2 k) + 2 layers of softmax attention compute hop_k.   Source: sanford2024log, Theorem 4.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.parallel_computation._constructions import (
    Answers,
    Case,
    by_attention,
    by_definition,
    sizes,
    with_fewer_layers,
    without_mask,
)
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.thm4.2",
    title="Theorem 4.2: depth floor(log2 k) + 2 computes hop_k (by C2 and C3)",
    statement=r"A causally masked transformer of depth $\lfloor\log_2k\rfloor+2$ computes $\mathrm{hop}_k$ for every "
    r"$k$: C2 with one head and width $4\sigma+8$, C3 with constant width and two heads in the first two layers.",
    source="sanford2024log, Theorem 4.2; constructions: docs/parallel.md, C2 and C3",
    scope="float64; all strings of lengths 5 and 4 (7 and 6 at the full level) over 2 and 3 symbols, k = 1..6; strings "
    "of four kinds with N = 60 (100), 4 symbols, k up to 16; N = 300, k = 33 at the full level",
    expected=Verdict.HOLDS,
    paper="PC",
    note="Whether one head and constant width go together for alphabets that grow with N is open "
    "(NEW.open.hop-one-head-constant-width).",
)


def cases(level: str) -> Iterable[Case]:
    """Both constructions."""
    return sizes(("C2", "C3"), level)


def _depth(k: int) -> int:
    return k.bit_length() + 1


def by_recurrence(case: Case) -> Answers:
    """The definition and the formula."""
    return by_definition(case, _depth(case.k))


def roads() -> Mapping[str, Road]:
    """Layers that attended, all answers."""
    return {"attention": by_attention, "recurrence, formula": by_recurrence}


def holds(case: Case, result: Answers) -> bool:
    """The depth, by halving k."""
    halvings, k = 0, case.k
    while k > 1:
        halvings, k = halvings + 1, k // 2
    return result[0] == halvings + 2


def mutants() -> Mapping[str, Claim]:
    """Less depth, no mask, the other rounding."""
    return {
        "one layer fewer": lambda case, result: with_fewer_layers(case) == result[1],
        "no causal mask": lambda case, result: without_mask(case) == result[1],
        "depth ceil(log2 k) + 2": lambda case, result: result[0] == (case.k - 1).bit_length() + 2,
    }
