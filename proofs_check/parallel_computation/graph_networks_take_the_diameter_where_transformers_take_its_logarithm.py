"""Messages along edges against doubling.   Source: sanford2024log, Section 3.3; docs/parallel.md, contrasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.graphs import graph, propagation_rounds
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.gnn-contrast",
    title="Label propagation takes linear time on paths and cycles where doubling takes a logarithm",
    statement=r"What a message-passing network does along edges takes about the diameter, $\Theta(n)$ on paths "
    r"and cycles; "
    r"a transformer of depth $\lceil\log_2(n+1)\rceil+2$ decides a cycle.",
    source="sanford2024log, Section 3.3 (from loukas2020graph, Corollary 4.2)",
    scope="label propagation on paths and cycles, n = 16 to 64 (128 at the full level), random names; the lower bound "
    "L sqrt(m) = Omega~(N^(1/4)) for every message-passing network is cited, not checked",
    expected=Verdict.HOLDS,
    paper="PC",
)


class Case(NamedTuple):
    """Family and vertices."""

    kind: str
    n: int


def cases(level: str) -> Iterable[Case]:
    """Growing sizes, and stars, on which nothing grows."""
    sizes = (16, 32, 64, 128) if level == "full" else (16, 32, 64)
    return [Case(kind, n) for kind in ("path", "cycle", "star") for n in sizes]


def by_machines(case: Case) -> int:
    """Iterations of the library's protocol, without the one in which all machines learn that nothing changed."""
    import numpy as np

    from seprank.parallel.graph_input import connected_components
    from seprank.parallel.sizes import Sizes

    edges = np.array(graph(case.kind, case.n))
    return connected_components(edges, case.n, "label-propagation", Sizes(2, 6000, 2)).iterations - 1


def by_rounds(case: Case) -> int:
    """Rounds of synchronous updates."""
    return propagation_rounds(graph(case.kind, case.n), case.n)


def roads() -> Mapping[str, Road]:
    """Iterations until nothing changes."""
    return {"machines": by_machines, "synchronous rounds": by_rounds}


def _depth(n: int) -> int:
    return n.bit_length() + 2


def holds(case: Case, result: int) -> bool:
    """At least half the vertices of a path (name 0 lies somewhere), half a cycle exactly, three on a star."""
    expected = {"path": result >= case.n / 2, "cycle": result >= case.n / 2, "star": result <= 3}[case.kind]
    return expected and (case.kind == "star" or case.n < 32 or result > 1.5 * _depth(case.n))


def mutants() -> Mapping[str, Claim]:
    """No contrast; evidence from stars."""
    return {
        "label propagation within the transformer's depth": lambda case, result: result <= _depth(case.n),
        "linear on every graph, stars too": lambda case, result: result >= case.n / 4,
    }
