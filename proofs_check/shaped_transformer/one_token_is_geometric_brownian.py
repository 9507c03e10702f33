"""The norm of one token is geometric Brownian motion.   Source: noci2023shaped, Theorems 3.2 and 4.2 at m = 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_laws import stopped_networks
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.R1",
    title="One token: log(V_T/V_0) is normal, with mean -2 gamma^2 T and variance 4 gamma^2 T (residual block)",
    statement=r"$\log(V_T/V_0)\sim N(-sT,2sT)$ with $s=2\gamma^2$ (residual), $s=\gamma^2(2-\gamma^2)$ (attention): "
    r"$\nu(1)=0$ and $\mathcal A=0$ for $m=1$.",
    source="noci2023shaped, Theorems 3.2 and 4.2 at m = 1",
    scope="gamma = 0.6 and 0.8, T = 1, width and depth 60 (full: 100); mean and variance within 5 standard errors and "
    "4 % of the variance for the width",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The mean of V stays V_0 while its median decays like e^(-sT): report quantiles, not means.",
)


class Case(NamedTuple):
    """Block, gamma, width = depth, networks."""

    block: str
    gamma: float
    n: int
    paths: int


def cases(level: str) -> Iterable[Case]:
    """Both blocks."""
    n, paths = (100, 10_000) if level == "full" else (60, 5000)
    yield Case("residual", 0.6, n, paths)
    yield Case("attention", 0.8, n, paths)


def moments(logs: np.ndarray) -> Entries:
    """Mean and variance with their standard errors."""
    spread, count = float(logs.var(ddof=1)), len(logs)
    return Entries(
        np.array([logs.mean(), spread]), np.array([math.sqrt(spread / count), spread * math.sqrt(2 / count)])
    )


def by_networks(case: Case) -> Entries:
    """Networks drawn column by column."""
    start, c = np.ones((1, 1)), (0.0, -1.0)
    V = stopped_networks(start, case.block, case.gamma, 1.0, c, case.n, case.n, math.inf, case.paths, 18)
    return moments(np.log(V[:, 0, 0]))


def by_library(case: Case) -> Entries:
    """The library's finite networks, from Gram matrices."""
    from seprank.shaped.finite import simulate
    from seprank.shaped.setup import Setup

    setup = Setup(1, case.n, case.n, case.gamma, 1.0, block=case.block, radius=1e30, paths=4 * case.paths, seed=19)
    law = simulate(setup, (0, case.n))
    return moments(np.log(np.asarray(law.covariances)[:, -1, 0, 0]))


def roads() -> Mapping[str, Road]:
    """Mean and variance of log V, twice."""
    return {"networks drawn": by_networks, "library, Gram matrices": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _moments(case: Case, factor: float = 1.0) -> np.ndarray:
    s = 2 * case.gamma**2 if case.block == "residual" else case.gamma**2 * (2 - case.gamma**2)
    return np.array([-s, 2 * s * factor])


holds = are_entries(_moments, 0.04)


def mutants() -> Mapping[str, Claim]:
    """Half the variance, no drift of the logarithm, one block for the other."""
    return {
        "variance 2 gamma^2 T": are_entries(lambda case: _moments(case, 0.5), 0.04),
        "mean 0": are_entries(lambda case: _moments(case) * np.array([0, 1]), 0.04),
        "attention has the noise of the residual block": are_entries(
            lambda case: case.gamma**2 * np.array([-2.0, 4.0]), 0.04
        ),
    }
