"""C1: pointer doubling with one head and constant width.   Source: docs/parallel.md, C1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.parallel_computation._constructions import (
    Answers,
    Case,
    by_attention,
    by_definition,
    sizes,
    with_fewer_layers,
)
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.thm4.2.pointers",
    title="Pointer doubling computes hop_k with one head, width 15 and depth ceil(log2 k) + 2",
    statement=r"With the moves 'previous token', 'last occurrence' and 'follow a stored pointer', one head and 15 "
    r"numbers a row, $\mathrm{hop}_k$ takes $\lceil\log_2k\rceil+2$ layers, for $k$ a power of two the depth of "
    r"Theorem 4.2.",
    source="docs/parallel.md, C1",
    scope="float64; all strings of lengths 5 and 4 (7 and 6 at the full level) over 2 and 3 symbols, k = 1..6; strings "
    "of four kinds with N = 60 (100), 4 symbols, k up to 16; N = 300, k = 33 at the full level",
    expected=Verdict.HOLDS,
    paper="PC",
    note="With these moves 2^(l - 2) is the largest exponent after l layers (induction), so k = 3 needs four layers.",
)


def cases(level: str) -> Iterable[Case]:
    """C1 alone."""
    return sizes(("C1",), level)


def by_recurrence(case: Case) -> Answers:
    """The definition and the formula."""
    return by_definition(case, (case.k - 1).bit_length() + 2)


def roads() -> Mapping[str, Road]:
    """Layers that attended, all answers."""
    return {"attention": by_attention, "recurrence, formula": by_recurrence}


def holds(case: Case, result: Answers) -> bool:
    """The depth, by doubling."""
    doublings, reach = 0, 1
    while reach < case.k:
        doublings, reach = doublings + 1, 2 * reach
    return result[0] == doublings + 2


def mutants() -> Mapping[str, Claim]:
    """Less depth."""
    return {
        "one layer fewer": lambda case, result: with_fewer_layers(case) == result[1],
        "depth floor(log2 k) + 2": lambda case, result: result[0] == case.k.bit_length() + 1,
    }
