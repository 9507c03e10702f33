"""A popular label overloads its owner unless requests are combined on the way.   Source: docs/parallel.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.graphs import graph, least_labels
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.mpc-caps",
    title="With a combining tree no machine exceeds its memory; without one a popular label does",
    statement=r"The minimum over all machines for every key, back to all who asked, in $2\lceil\log_fq\rceil$ rounds: "
    r"a load is a sum of independent weights of at most $3f$ words, so it exceeds $s$ with probability at most "
    r"$e^{-(s\ln(s/\mu)-s+\mu)/3f}$. Without the tree a label that all machines ask for puts $3q$ words on one.",
    source="docs/parallel.md, sizes",
    scope="random mate on paths, stars, grids, random graphs, hook and shortcut on two of them, delta = 0.35 to "
    "0.5, n = 64 and 200 (600 at the full "
    "level), default sizes; probability over the public hash",
    expected=Verdict.HOLDS,
    paper="PC",
)


class Case(NamedTuple):
    """Family, vertices, delta, protocol."""

    kind: str
    n: int
    delta: float
    protocol: str


def cases(level: str) -> Iterable[Case]:
    """All families."""
    for kind in ("path", "star", "grid", "random"):
        for n in (64, 200, 600) if level == "full" else (64,):
            yield Case(kind, n, 0.5, "random-mate")
            yield Case(kind, n, 0.35, "random-mate")
            if kind in ("star", "random") and n < 600:
                yield Case(kind, n, 0.4, "hook-and-shortcut")
    yield Case("star", 600, 0.35, "random-mate")


@cache
def _run(case: Case, fan: int | None = None) -> Any:
    from seprank.parallel.graph_input import connected_components
    from seprank.parallel.sizes import Sizes, default_sizes

    edges = graph(case.kind, case.n)
    sizes = default_sizes(case.n, len(edges), case.delta, protocol=case.protocol)
    if fan is not None:
        sizes = Sizes(sizes.machines, sizes.words, fan)
    return connected_components(np.array(edges), case.n, case.protocol, sizes)


def by_machines(case: Case) -> Result:
    """Labels; the simulator raises where a cap is broken."""
    return tuple(_run(case).labels.tolist())


def by_joining_sets(case: Case) -> Result:
    """Labels, by union of sets."""
    return least_labels(graph(case.kind, case.n), case.n)


def roads() -> Mapping[str, Road]:
    """The least vertex of every component, twice."""
    return {"machines": by_machines, "joining sets": by_joining_sets}


def holds(case: Case, result: Result) -> bool:
    """Loads at most s, as the run itself counts them."""
    found = _run(case)
    return bool(max(found.run.max_load, found.run.max_memory) <= found.sizes.words)


def mutants() -> Mapping[str, Claim]:
    """No tree; rounds that do not depend on the fan-in."""

    def without_tree(case: Case, result: Result) -> bool:
        from seprank.errors import SeprankError

        try:
            _run(case, fan=10**6)
        except SeprankError:
            return False
        return True

    return {
        "without the tree": without_tree,
        "two rounds an iteration whatever the fan-in": lambda case, result: bool(
            (found := _run(case)).run.rounds == 2 * found.iterations
        ),
    }
