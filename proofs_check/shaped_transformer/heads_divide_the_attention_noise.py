"""h concatenated heads divide the noise A by h.   Source: own, on noci2023shaped, Theorem 4.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import attention_noise, linear_noise
from proofs_check.plain.shaped_moments import covariance_and_error, in_chunks
from proofs_check.plain.shaped_networks import added, logits, root, shaped, source, tokens
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.heads",
    title="h heads: the same drift, noise gamma^2 (2 - gamma^2) Sigma_lin + gamma^4/(h tau_0^2) A",
    statement=r"$h$ independent heads with $n/h$ value columns each, concatenated: $\mathcal A$ is divided by $h$; "
    r"with an output projection $W_O$ the factor of $\Sigma_{\rm lin}$ becomes $2\gamma^2$.",
    source="noci2023shaped, Theorem 4.2 (several heads, own derivation)",
    scope="one layer, m = 3, h = 4, n = 240 (full: 1600, with and without W_O), gamma = 0.8, tau_0 = 0.7, V = 2 "
    "V_golden; within 5 standard errors and 3 % (full: 1.5 %)",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The theorem is for one head; D.1 trains with 8.",
)
GAMMA, TAU0, HEADS = 0.8, 0.7, 4


class Case(NamedTuple):
    """Width, whether W_O follows, layers drawn."""

    n: int
    projected: bool
    draws: int


def cases(level: str) -> Iterable[Case]:
    """With and without output projection."""
    if level == "quick":
        yield Case(240, False, 15_000)
    else:
        yield Case(1600, False, 20_000)
        yield Case(1600, True, 20_000)


def _covariance() -> np.ndarray:
    return 2 * STARTS[3]


def _step(case: Case, draw: np.random.Generator, count: int) -> np.ndarray:
    """V' with the columns of every head drawn for tokens whose features are all alike."""
    V = _covariance()
    X, R, tau = tokens(V, case.n), root(V), TAU0 * math.sqrt(case.n * 2)
    parts = []
    for _ in range(HEADS):
        A = np.eye(3) + shaped(logits(R, 2, count, draw), tau)
        parts.append(A @ R @ draw.standard_normal((count, 3, case.n // HEADS)))
    G = np.concatenate(parts, axis=2)
    if case.projected:
        return added(V, root(G @ np.swapaxes(G, 1, 2) / case.n), GAMMA, math.sqrt(1 - GAMMA**2), case.n, draw)
    after = math.sqrt(1 - GAMMA**2) * X + GAMMA * G
    return after @ np.swapaxes(after, 1, 2) / case.n


def by_layers(case: Case) -> Entries:
    """n Cov(V') of layers drawn."""
    draw = source(32, case.projected)
    values, errors = covariance_and_error(in_chunks(partial(_step, case, draw), case.draws), case.n)
    return Entries(upper(values), upper(errors))


def by_library(case: Case) -> Entries:
    """The library's noise with heads."""
    return Entries(upper(_library.attention_noise(_covariance(), GAMMA, TAU0, None, HEADS, case.projected)))


def _formula(case: Case, heads: int = HEADS, linear: float = 0.0) -> np.ndarray:
    V = _covariance()
    weight = linear or (2 * GAMMA**2 if case.projected else GAMMA**2 * (2 - GAMMA**2))
    return upper_noise(weight * linear_noise(V) + GAMMA**4 / (heads * TAU0**2) * attention_noise(V))


def roads() -> Mapping[str, Road]:
    """The noise, twice."""
    return {"layers drawn": by_layers, _library.ROAD: by_library}


def _relative(case: Case) -> float:
    return 0.03 if case.n < 1000 else 0.015


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and a part for the width."""
    return first.agrees(other, relative=_relative(case))


def holds(case: Case, result: Entries) -> bool:
    """The formula with h."""
    return are_entries(_formula, _relative(case))(case, result)


def mutants() -> Mapping[str, Claim]:
    """No division, division by h^2, another multiple of Sigma_lin."""

    def variant(heads: int = HEADS, linear: float = 0.0) -> Claim:
        return lambda case, result: result.agrees(Entries(_formula(case, heads, linear)), relative=_relative(case))

    return {
        "A not divided by h": variant(heads=1),
        "A divided by h^2": variant(heads=HEADS**2),
        "gamma^2 Sigma_lin": variant(linear=GAMMA**2),
    }
