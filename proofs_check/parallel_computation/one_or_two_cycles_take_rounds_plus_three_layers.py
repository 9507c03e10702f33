"""Theorem 3.1 end to end: one cycle or two, from edge tokens.   Source: sanford2024log, Theorem 3.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.graphs import graph, least_labels
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.thm3.1",
    title="Theorem 3.1, end to end: an R-round protocol as a transformer of depth R + 3, from raw edge tokens",
    statement=r"Doubling of pointers tells one cycle from two in $R=\lceil\log_2(n+1)\rceil-1$ rounds with "
    r"4 words a machine; as layers over the $2n$ edge tokens it has depth $R+3$: partner of the edge, "
    r"neighbours of the vertex, $R$ rounds, one comparison.",
    source="sanford2024log, Theorem 3.1; docs/parallel.md, routing",
    scope="n = 6 to 32 (64 at the full level), one cycle and two cycles of n / 2, names and edges shuffled; any "
    "protocol goes the same way (tests run sorting, prefix sums and three protocols for components)",
    expected=Verdict.HOLDS,
    paper="PC",
    note="The paper's depth O(R) is meant for every protocol with s = O(N^delta) words; constants are ours.",
)


class Case(NamedTuple):
    """Vertices, cycles, seed."""

    n: int
    cycles: int
    seed: int


def cases(level: str) -> Iterable[Case]:
    """Both answers."""
    full = level == "full"
    for seed in range(2 if full else 1):
        for n in (6, 8, 16, 32, *((64,) if full else ())):
            yield Case(n, 1, seed)
            yield Case(n, 2, seed)


def _edges(case: Case) -> list[tuple[int, int]]:
    return graph("cycle" if case.cycles == 1 else "two cycles", case.n, case.seed)


def by_attention(case: Case) -> Result:
    """One cycle?, depth, labels."""
    from seprank.parallel.cycles_from_edges import one_cycle_by_attention

    found = one_cycle_by_attention(_edges(case), case.seed)
    return found.one_cycle, found.depth, tuple(found.labels.tolist())


def by_joining_sets(case: Case) -> Result:
    """The components, and the depth by formula."""
    labels = least_labels(_edges(case), case.n)
    rounds = 0
    while 2 ** (rounds + 1) < case.n + 1:
        rounds += 1
    return len(set(labels)) == 1, rounds + 3, labels


def roads() -> Mapping[str, Road]:
    """Verdict, depth, labels, twice."""
    return {"attention": by_attention, "joining sets, formula": by_joining_sets}


def holds(case: Case, result: Result) -> bool:
    """The right number of cycles."""
    return (case.cycles == 1) is result[0] and len(set(result[2])) == case.cycles


def mutants() -> Mapping[str, Claim]:
    """A layer less."""

    def shorter(case: Case, result: Result) -> bool:
        from seprank.parallel.cycles_from_edges import one_cycle_by_attention

        return one_cycle_by_attention(_edges(case), case.seed, fewer=1).one_cycle is result[0]

    return {
        "one routing layer less": shorter,
        "depth R + 2": lambda case, result: result[1] == case.n.bit_length() + 1,
        "depth R + 4": lambda case, result: result[1] == case.n.bit_length() + 3,
    }
