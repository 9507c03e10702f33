"""The width of Lemma 3.2, in exact integers.   Source: sanford2024log, Lemma 3.2; docs/parallel.md, routing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log2

from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.lem3.2.width",
    title="Tables that serve every pattern at once take a width of 16 to 17.1 times s^4 log2 q",
    statement=r"With $2s^2$ buckets a row a message is alone with probability at least $1/2$, so $R$ rows serve every "
    r"set of $s^2$ (source, destination) pairs at once as soon as $s^2q^{2s^2}2^{-R}<1$; the width $4\cdot2s^2R$ is "
    r"$O(s^4\log q)$, the $N^{4\delta}\log N$ of Theorem 3.1.",
    source="sanford2024log, Lemma 3.2 and Theorem 3.1; docs/parallel.md, routing",
    scope="s = 2 to 12, q = 64 to 10^6; the counting argument covers all",
    expected=Verdict.HOLDS,
    paper="PC",
    note="An argument of existence; the tables drawn for an instance need far fewer rows.",
)

Case = tuple[int, int]


def cases(level: str) -> Iterable[Case]:
    """Machines and words."""
    return [(q, s) for q in (64, 1000, 10**6) for s in range(2, 13)]


def by_library(case: Case) -> tuple[int, int]:
    """Rows and width."""
    from seprank.parallel.contrasts import routing_value_width

    return routing_value_width(*case)


def by_halving(case: Case) -> tuple[int, int]:
    """Doubling 2^R until it passes the number of patterns."""
    q, s = case
    failures, rows = s * s * q ** (2 * s * s), 0
    while failures >= 1:
        failures, rows = failures // 2, rows + 1
    return rows, 4 * 2 * s * s * rows


def roads() -> Mapping[str, Road]:
    """Rows and width, twice."""
    return {"library": by_library, "halving": by_halving}


def holds(case: Case, result: tuple[int, int]) -> bool:
    """The ratio to s^4 log2 q."""
    q, s = case
    return 16 <= result[1] / (s**4 * log2(q)) <= 17.1


def mutants() -> Mapping[str, Claim]:
    """A power less; a row less."""
    return {
        "width at most 40 s^3 log2 q": lambda case, result: result[1] <= 40 * case[1] ** 3 * log2(case[0]),
        "one row fewer": lambda case, result: case[1] ** 2 * case[0] ** (2 * case[1] ** 2) < 2 ** (result[0] - 1),
    }
