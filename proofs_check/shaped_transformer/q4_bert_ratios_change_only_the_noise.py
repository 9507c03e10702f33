"""Reviewers' question 4: depth, width and hidden width as in BERT.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_networks import residual_step, source
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q4",
    title="Question 4: how do results change with depth, width and hidden width in the ratios of BERT?",
    statement=r"At width 768, hidden width 3072 ($r=4$), 12 layers: $T=d/n=0.0156$, and one token has "
    r"$\log(V_T/V_0)\sim N(-sT,2sT)$ with $s=\gamma^2(2-\gamma^2+\gamma^2/r)$; at $\gamma=1$ that is $1.25$, not $2$.",
    source="noci2023shaped, public reviews (question on the ratios of BERT base)",
    scope="residual blocks of 12 layers, n = 96, r = 4 and T = 0.125 (full: also n = 768, T = 0.0156), gamma = 1 and "
    "0.7: mean and variance within 5 standard errors and 3 %",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: the drift is unchanged, the noise of the hidden kernel is divided by r (ST.ratio), and T = 0.0156 is "
    "small: noise of artanh(rho) of about sqrt(2 s T) = 0.2 at gamma = 1, so BERT base at initialisation is close to "
    "deterministic. The submitted version used 200 for both widths (a reviewer's statement), r = 1.",
)


class Case(NamedTuple):
    """Width, gamma, networks."""

    n: int
    gamma: float
    networks: int


DEPTH, RATIO, C = 12, 4, (0.0, -1.0)


def cases(level: str) -> Iterable[Case]:
    """Ratios of BERT at a smaller width; the width of BERT."""
    yield Case(96, 1.0, 6000)
    yield Case(96, 0.7, 3000)
    if level == "full":
        yield Case(768, 1.0, 4000)


def _moments(logs: np.ndarray) -> Entries:
    spread, count = float(logs.var(ddof=1)), len(logs)
    return Entries(
        np.array([logs.mean(), spread]), np.array([math.sqrt(spread / count), spread * math.sqrt(2 / count)])
    )


def by_networks(case: Case) -> Entries:
    """Networks drawn, hidden units one by one."""
    draw, found = source(52), []
    for _ in range(0, case.networks, 1000):
        V = np.ones((1000, 1, 1))
        for _ in range(DEPTH):
            V = residual_step(V, case.gamma, C, case.n, RATIO * case.n, 1000, draw)
        found.append(np.log(V[:, 0, 0]))
    return _moments(np.concatenate(found))


def by_library(case: Case) -> Entries:
    """The library's finite networks."""
    from seprank.shaped.finite import simulate
    from seprank.shaped.setup import Setup

    setup = Setup(
        1, case.n, DEPTH, case.gamma, 1.0, "residual", mlp_ratio=RATIO, radius=1e9, paths=4 * case.networks, seed=53
    )
    law = simulate(setup, (0, DEPTH))
    return _moments(np.log(np.asarray(law.covariances)[:, -1, 0, 0]))


def roads() -> Mapping[str, Road]:
    """Mean and variance of log V, twice."""
    return {"networks drawn": by_networks, "library, Gram matrices": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _law(case: Case, r: float = RATIO, T: float | None = None) -> np.ndarray:
    square = case.gamma**2
    sT = square * (2 - square + square / r) * (DEPTH / case.n if T is None else T)
    return np.array([-sT, 2 * sT])


holds = are_entries(_law, 0.03)


def mutants() -> Mapping[str, Claim]:
    """r = 1, depth over hidden width, no noise of the kernel."""
    return {
        "r = 1": are_entries(lambda case: _law(case, 1.0), 0.03),
        "T = d/(r n)": are_entries(lambda case: _law(case, T=DEPTH / (RATIO * case.n)), 0.03),
        "no noise of the hidden kernel": are_entries(lambda case: _law(case, math.inf), 0.03),
    }
