"""Corollary 3.3 by random mate: components in O(log n) iterations.   Source: sanford2024log, Corollary 3.3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import log2
from typing import Any, NamedTuple

from proofs_check.plain.graphs import graph, least_labels, propagation_rounds
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.cor3.3",
    title="Corollary 3.3: connected components in a logarithmic number of rounds, hence of layers",
    statement=r"Random mate finds the components of every graph in $O(\log n)$ iterations of $O(1/\delta)$ rounds on "
    r"machines of $n^\delta$ words, in expectation over its public coins; so a transformer of depth $O(\log N)$ does.",
    source="sanford2024log, Corollary 3.3; docs/parallel.md, random mate",
    scope="paths, cycles, two cycles, stars, grids and random graphs, n = 32 to 128 (512 at the full level): labels "
    "right, at most 4 log2 n iterations; expectation: a label with an edge goes with probability at least 1/4",
    expected=Verdict.HOLDS,
    paper="PC",
)

KINDS = ("path", "cycle", "two cycles", "star", "grid", "random")


class Case(NamedTuple):
    """Family, vertices, seed."""

    kind: str
    n: int
    seed: int


def cases(level: str) -> Iterable[Case]:
    """All families."""
    sizes = ((32, 0), (128, 0), (512, 1)) if level == "full" else ((32, 0), (128, 0))
    return [Case(kind, n, seed) for n, seed in sizes for kind in KINDS]


def by_machines(case: Case) -> Result:
    """Labels, on simulated machines."""
    return tuple(_run(case, "random-mate").labels.tolist())


@cache
def _run(case: Case, protocol: str) -> Any:
    import numpy as np

    from seprank.parallel.graph_input import connected_components

    edges = np.array(graph(case.kind, case.n, case.seed))
    return connected_components(edges, case.n, protocol, seed=case.seed)


def by_joining_sets(case: Case) -> Result:
    """Labels, by union of sets."""
    return least_labels(graph(case.kind, case.n, case.seed), case.n)


def roads() -> Mapping[str, Road]:
    """The least vertex of every component, twice."""
    return {"machines": by_machines, "joining sets": by_joining_sets}


def holds(case: Case, result: Result) -> bool:
    """Few iterations."""
    return bool(_run(case, "random-mate").iterations <= 4 * log2(case.n))


def mutants() -> Mapping[str, Claim]:
    """Label propagation; too few iterations."""

    def propagation(case: Case, result: Result) -> bool:
        return propagation_rounds(graph(case.kind, case.n, case.seed), case.n) <= 4 * log2(case.n)

    return {
        "label propagation needs at most 4 log2 n rounds": propagation,
        "at most log2(n) / 2 iterations": lambda case, result: bool(
            _run(case, "random-mate").iterations <= log2(case.n) / 2
        ),
    }
