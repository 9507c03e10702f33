"""Trained models against the two rules for the depth of hop_k.   Source: sanford2024log, Figure 2 and Section 4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.parallel_computation._table import ceiling_rule, cells, floor_rule, smallest_depth
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.fig2",
    title="The measured threshold is floor(log2 k) + 2: so at 8 heads, ceil(log2 k) + 2 at 4 heads",
    statement=r"The smallest depth whose error is below a level, for $k=1..16$, in the authors' file: with 4 "
    r"heads it is "
    r"$\lceil\log_2k\rceil+2$ for 13 of 16 $k$ at 5 % (11 at 2 %), with 8 heads $\lfloor\log_2k\rfloor+2$ for 15 "
    r"of 16 at "
    r"2 % (14 at 1 %).",
    source="sanford2024log, Figure 2 and Section 4",
    scope="models trained on fresh samples, 4 and 8 heads, levels 1, 2 and 5 %, dropout on (NEW.hop-dropout)",
    expected=Verdict.CORRECTED,
    paper="PC",
    note="Printed: the empirical threshold coincides with floor(log2 k) + 2. A trained model is approximate, so "
    "an exact "
    "construction's depth does not bind it; differences of 1 to 2 points are noise.",
)

EXPECTED = {(4, 5): (6, 13), (4, 2): (8, 11), (8, 2): (15, 9), (8, 1): (14, 10)}


class Case(NamedTuple):
    """Heads, level in per cent."""

    heads: int
    per_cent: int


def cases(level: str) -> Iterable[Case]:
    """Heads and levels."""
    return [Case(4, 5), Case(4, 2), Case(8, 2), Case(8, 1)]


def by_library(case: Case) -> Result:
    """The smallest depth for each k."""
    from seprank.parallel.measured import authors_errors
    from seprank.parallel.thresholds import thresholds

    return tuple(row.smallest for row in thresholds(authors_errors(), case.per_cent / 100, case.heads).rows)


def by_counts(case: Case) -> Result:
    """The same from the file, in whole numbers."""
    found = cells("authors_errors.csv")
    return tuple(smallest_depth(found, case.heads, k, case.per_cent) for k in range(1, 17))


def roads() -> Mapping[str, Road]:
    """Smallest depths for k = 1..16."""
    return {"library": by_library, "whole numbers": by_counts}


def _agreement(result: Result) -> tuple[int, int]:
    floors = sum(depth == floor_rule(k) for k, depth in enumerate(result, start=1))
    return floors, sum(depth == ceiling_rule(k) for k, depth in enumerate(result, start=1))


def holds(case: Case, result: Result) -> bool:
    """The counts named."""
    floors, ceilings = _agreement(result)
    return {(4, 5): ceilings == 13, (4, 2): ceilings == 11, (8, 2): floors == 15, (8, 1): floors == 14}[case]


def printed(case: Case, result: Result) -> bool:
    """The floor rule for most k, whatever the heads."""
    return _agreement(result)[0] > 8


def mutants() -> Mapping[str, Claim]:
    """One rule for all models."""
    return {
        "the floor rule fits every k": lambda case, result: _agreement(result)[0] == 16,
        "the ceiling rule fits 13 of 16 with 8 heads, too": lambda case, result: _agreement(result)[1] >= 13,
    }
