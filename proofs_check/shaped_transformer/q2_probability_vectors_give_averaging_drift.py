"""Reviewers' question 2: attention that stays a probability vector.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_networks import logits, root, shaped, source
from proofs_check.plain.shaped_samples import biased, mixture, probability_drift
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, upper
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q2",
    title="Question 2: can attention keep rows that are nonnegative and sum to one?",
    statement=r"$A=\mathrm{softmax}(Y/(\tau_0\sqrt{n_k})+\log(n/\kappa_0)I)$ is a probability vector in every row, "
    r"with drift $b^{\alpha\beta}=\gamma^2\kappa_0\sum_\nu[w^{\alpha\nu}(V^{\nu\beta}-V^{\alpha\beta})+w^{\beta\nu}"
    r"(V^{\nu\alpha}-V^{\alpha\beta})]$, $w^{\alpha\nu}=(1-V^{\alpha\alpha}D^{\alpha\nu}/(\tau_0^2n_k))^{-n_k/2}$; "
    r"rows of shaped attention have negative entries and entries above 1.",
    source="noci2023shaped, public reviews (question on attention as proper probability vectors)",
    scope="m = 3, n = 30000, nk = 16, tau_0 = 2, kappa_0 = 1: drift within 5 standard errors and 2 %; over "
    "99 % of shaped matrices at n = 1000 have an entry outside [0, 1], no mixture has",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: yes, two ways: this diagonal bias, and the mixture of ST.pmf (converges faster, prefer it). The "
    "price: where the drift is of order 1/n the off-diagonal mass has mean of order 1/n, hence no noise A in the "
    "limit (an argument; both constructions agree with it) and a pure averaging drift that moves tokens together.",
)
GAMMA, TAU0, NK, KAPPA, N = 0.8, 2.0, 16, 1.0, 30_000


class Case(NamedTuple):
    """The drift of the bias, or whether matrices leave [0, 1]; draws."""

    what: str
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Both questions."""
    yield Case("drift", 400_000 if level == "full" else 60_000)
    yield Case("outside", 20_000 if level == "full" else 4000)


def by_layers(case: Case) -> Entries:
    """Layers drawn: n E[V' - V], or whether over 99 % of shaped matrices and any mixture leave [0, 1]."""
    V = STARTS[3]
    if case.what == "drift":
        attention = partial(biased, kappa0=KAPPA, tau0=TAU0, n=N, nk=NK)
        return Entries(*probability_drift(V, GAMMA, attention, N, NK, case.draws, 49))
    Y = logits(root(V), NK, case.draws, source(50))
    both = np.eye(3) + shaped(Y, math.sqrt(1000 * NK)), mixture(Y, 1.0, 1.0, 1000, NK)
    shares = [((A < 0) | (A > 1)).any(axis=(1, 2)).mean() for A in both]
    return Entries(np.array([shares[0] > 0.99, shares[1] > 0], float))


def by_quadrature(case: Case) -> Entries:
    """Mean off-diagonal weights given the query, then its length; rows of P sum to 0 and nearly all have both signs."""
    if case.what == "outside":
        return Entries(np.array([1.0, 0.0]))
    V = STARTS[3]
    w = np.array([[_weight(V, a, k) for k in range(3)] for a in range(3)])
    return Entries(_drift(V, w))


def by_library(case: Case) -> Entries | None:
    """The library's drift."""
    from seprank.shaped.probability_attention import logit_bias_drift

    if case.what == "outside":
        return None
    return Entries(upper(logit_bias_drift(STARTS[3], GAMMA, KAPPA, TAU0, NK)))


def _weight(V: np.ndarray, a: int, k: int) -> float:
    """E exp((Y^{ak} - Y^{aa})/(tau_0 sqrt nk)) as an integral over the chi-square length of the query."""
    rate = V[a, a] * (V[a, a] + V[k, k] - 2 * V[a, k]) / (2 * TAU0**2 * NK)
    x = np.linspace(0, 160, 200_001)[1:]
    density = np.exp((NK / 2 - 1) * np.log(x) - x / 2 - NK / 2 * math.log(2) - math.lgamma(NK / 2))
    return float(np.sum(density * np.exp(rate * x)) * (x[1] - x[0]))


def _drift(V: np.ndarray, w: np.ndarray) -> np.ndarray:
    side = w @ V - w.sum(axis=1)[:, None] * V
    return GAMMA**2 * KAPPA * upper(side + side.T)


def _closed(V: np.ndarray) -> np.ndarray:
    own = np.diag(V)
    D = own[:, None] + own[None, :] - 2 * V
    return (1 - own[:, None] * D / (TAU0**2 * NK)) ** (-NK / 2)


def roads() -> Mapping[str, Road]:
    """Both answers, twice or three times."""
    return {"layers drawn": by_layers, "quadrature": by_quadrature, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and 2 %; the two answers exactly."""
    return first.agrees(other, relative=0.02 if case.what == "drift" else 0.0)


def _claim(case: Case, result: Entries, w: np.ndarray) -> bool:
    return result.agrees(Entries(_drift(STARTS[3], w)), relative=0.02)


def holds(case: Case, result: Entries) -> bool:
    """The drift; shaped matrices leave [0, 1] and mixtures never do."""
    if case.what == "outside":
        return bool(result.values[0] == 1 and result.values[1] == 0)
    return _claim(case, result, _closed(STARTS[3]))


def mutants() -> Mapping[str, Claim]:
    """Uniform weights, other distances, shaped rows as probability vectors."""

    def drift(w: np.ndarray) -> Claim:
        return lambda case, result: case.what != "drift" or _claim(case, result, w)

    return {
        "equal weights": drift(np.ones((3, 3))),
        "w transposed": drift(_closed(STARTS[3]).T),
        "shaped rows are probability vectors": lambda case, result: case.what == "drift" or result.values[0] == 0,
    }
