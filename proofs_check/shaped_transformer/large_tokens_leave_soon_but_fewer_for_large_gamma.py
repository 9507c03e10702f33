"""From tokens of norm 10 sqrt(n) networks blow up fast, yet not monotonically in gamma.

Source: noci2023shaped, Figure 5 (left)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.shaped_laws import stopped_networks
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.fig5",
    title="Figure 5, left: tokens of norm 10 sqrt(n) make attention networks unstable, fewer of them for large gamma",
    statement=r"Shaped attention, two tokens, $V_0$ = 100 times unit variances and correlation 0.2, $\tau_0=1$, depth "
    r"$n$: "
    r"the share of networks with $\lVert V\rVert\geq1000$ by $T=1$ is near 1 at $\gamma=0.3$, falls from there "
    r"to $\gamma=0.9$, and is near 0 at $\gamma=0.1$; from $V_0=1$ it is near 0.",
    source="noci2023shaped, Figure 5 (left)",
    scope="n = 200, gamma = 0.1, 0.3, 0.5, 0.9, 200 networks (full: 500); not a statement about the SDE",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The start is adversarial: V_0 lies outside the range of the SDE, ||V|| far below tau0 sqrt(n). Large gamma "
    "gives faster crossings, but fewer.",
)
GAMMAS = (0.1, 0.3, 0.5, 0.9)
RADIUS = 1000.0


class Case(NamedTuple):
    """Variance of the start, width, networks."""

    start: float
    n: int
    networks: int


def cases(level: str) -> Iterable[Case]:
    """Adversarial and ordinary tokens."""
    for start in (100.0, 1.0):
        yield Case(start, 200, 500 if level == "full" else 200)


def _start(case: Case) -> Any:
    return case.start * np.array([[1.0, 0.2], [0.2, 1.0]])


def _shares(case: Case, found: list[Any]) -> Entries:
    shares = np.array([float(np.mean(np.linalg.norm(V, axis=(1, 2)) >= RADIUS)) for V in found])
    return Entries(shares, np.sqrt((shares * (1 - shares) + 1 / case.networks) / case.networks))


def by_networks(case: Case) -> Entries:
    """Shares for every gamma from networks drawn."""
    rest = 1.0, (0.0, 0.0), case.n, case.n, RADIUS, case.networks, 51  # tau0, slopes, n, depth, ...
    return _shares(case, [stopped_networks(_start(case), "attention", gamma, *rest) for gamma in GAMMAS])


def by_library(case: Case) -> Entries:
    """Shares from the library's networks, three times as many."""
    from seprank.shaped.finite import simulate
    from seprank.shaped.setup import Setup

    more = case._replace(networks=3 * case.networks)
    found = []
    for gamma in GAMMAS:
        setup = Setup(
            2, case.n, case.n, gamma, 1.0, "attention", V0=_start(case), radius=RADIUS, paths=more.networks, seed=52
        )
        found.append(np.asarray(simulate(setup, [case.n]).covariances)[:, -1])
    return _shares(more, found)


def roads() -> Mapping[str, Road]:
    """Shares, twice."""
    return {"networks drawn": by_networks, "library, Gram factors": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def holds(case: Case, result: Entries) -> bool:
    """Nearly all at 0.3, fewer at 0.9, none at 0.1; almost none from ordinary tokens."""
    slow, small, middle, large = result.values
    if case.start == 1.0:
        return bool(max(result.values) < 0.1)
    return bool(slow < 0.1 and small > 0.8 and small - large > 0.15 and middle - large > 0.1)


def mutants() -> Mapping[str, Claim]:
    """Other readings of the figure."""

    def adversarial(claim: Claim) -> Claim:
        return lambda case, result: case.start == 1.0 or claim(case, result)

    return {
        "large gamma is the cause: the share grows with gamma": adversarial(
            lambda case, result: bool((np.diff(result.values) > 0).all())
        ),
        "every gamma leaves": adversarial(lambda case, result: bool(min(result.values) > 0.3)),
        "ordinary tokens leave as well": lambda case, result: bool(max(result.values) > math.sqrt(0.1)),
    }
