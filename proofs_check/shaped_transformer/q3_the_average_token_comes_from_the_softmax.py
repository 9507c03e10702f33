"""Reviewers' question 3: the average token is no artefact of the identity.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_moments import entries, mean_and_error
from proofs_check.plain.shaped_networks import logits, root, shaped, source
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q3",
    title="Question 3: is the dependence on the average token an artefact of the bias towards the diagonal?",
    statement=r"Without any identity, $A=\mathrm{softmax}(Y/\tau)-m^{-1}\mathbf 1\mathbf 1^\top$ already has "
    r"$n\,\mathbb E[AVA^\top]\to\|C\|_F^2V/(m^2\tau_0^2)$ with $C=HVH$ the covariance of tokens less their average.",
    source="noci2023shaped, public reviews (question on the average token and long range)",
    scope="m = 3 and 4, tau_0 = 0.7, n = 4000, nk = 2; within 5 standard errors and 1 %",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: no. It comes from expanding the softmax around the uniform row (ST.E8), with or without + I; with "
    "the logit bias of ST.Q2, which expands elsewhere, pairwise distances take its place. Long range: b and Sigma are "
    "equivariant under permutations of tokens (ST.hom), so nothing decays with the distance of tokens.",
)
TAU0, N, NK = 0.7, 4000, 2


class Case(NamedTuple):
    """Tokens, draws."""

    m: int
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Two sizes."""
    draws = 400_000 if level == "full" else 60_000
    yield Case(3, draws)
    yield Case(4, draws // 2)


def by_layers(case: Case) -> Entries:
    """n A V A^T over matrices drawn without identity."""
    V, draw, found = STARTS[case.m], source(51), []
    for _ in range(0, case.draws, 10_000):
        P = shaped(logits(root(V), NK, 10_000, draw), TAU0 * math.sqrt(N * NK))
        found.append(entries(N * P @ V @ np.swapaxes(P, 1, 2)))
    return Entries(*mean_and_error(np.concatenate(found)))


def by_library(case: Case) -> Entries:
    """The library's S1, summed against V."""
    from seprank.shaped.moments import S1

    V = STARTS[case.m]
    return Entries(upper(np.einsum("nk,anbk->ab", V, S1(V))) / (case.m * TAU0) ** 2)


def roads() -> Mapping[str, Road]:
    """n E[A V A^T], twice."""
    return {"matrices drawn": by_layers, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors and 1 %."""
    return first.agrees(other, relative=0.01)


def _formula(case: Case, shift: float = 1.0) -> np.ndarray:
    V, m = STARTS[case.m], case.m
    H = np.eye(m) - shift / m
    return float(((H @ V @ H) ** 2).sum()) / (m * TAU0) ** 2 * upper(V)


holds = are_entries(_formula, 0.01)


def mutants() -> Mapping[str, Claim]:
    """No average token, only half of it."""
    return {
        "V in place of C: no average token": are_entries(lambda case: _formula(case, 0.0), 0.01),
        "half of the average token removed": are_entries(lambda case: _formula(case, 0.5), 0.01),
    }
