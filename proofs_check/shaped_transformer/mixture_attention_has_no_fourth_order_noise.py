"""Attention that stays a probability vector: averaging drift, no noise A.   Source: noci2023shaped, section 4.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import attention_noise, linear_noise
from proofs_check.plain.shaped_moments import covariance_and_error, in_chunks
from proofs_check.plain.shaped_networks import added, logits, root, source
from proofs_check.plain.shaped_samples import mixture, probability_drift
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.pmf",
    title="A = (1 - eta_0/n) I + (eta_0/n) softmax: drift gamma^2 eta_0 (S V + V S^T - 2V), noise Sigma_lin only",
    statement=r"For $A=(1-\eta_0/n)I+(\eta_0/n)\mathrm{softmax}(Y/(\tau_0\sqrt{n_k}))$: $b=\gamma^2\eta_0(\bar "
    r"SV+V\bar S^\top-2V)$, $\bar S=\mathbb E\,\mathrm{softmax}$, $\Sigma=\gamma^2(2-\gamma^2)\Sigma_{\rm lin}$.",
    source="noci2023shaped, section 4.2 (alternative to equation 9, own derivation)",
    scope="one layer, m = 3, n = 1000 (noise: 500), nk = 2, eta_0 = 1.5, tau_0 = 0.5 (noise: V = 2 V_golden); S by "
    "quadrature; within 5 standard errors and 0.5 % (noise: 2 %)",
    expected=Verdict.HOLDS,
    paper="ST",
)
GAMMA, ETA, NK = 0.8, 1.5, 2


class Case(NamedTuple):
    """Drift or noise, draws."""

    what: str
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Both coefficients."""
    yield Case("drift", 400_000 if level == "full" else 60_000)
    yield Case("noise", 50_000 if level == "full" else 15_000)


def _setting(case: Case) -> tuple[np.ndarray, float, int]:
    return (STARTS[3], 0.5, 1000) if case.what == "drift" else (2 * STARTS[3], 0.5, 500)


def by_layers(case: Case) -> Entries:
    """n E[V' - V] given the logits, or n Cov(V')."""
    V, tau0, n = _setting(case)
    if case.what == "drift":
        return Entries(
            *probability_drift(V, GAMMA, partial(mixture, eta0=ETA, tau0=tau0, n=n, nk=NK), n, NK, case.draws, 36)
        )
    draw, R = source(37), root(V)

    def step(count: int) -> np.ndarray:
        A = mixture(logits(R, NK, count, draw), ETA, tau0, n, NK)
        return added(V, A @ R, GAMMA, math.sqrt(1 - GAMMA**2), n, draw)

    values, errors = covariance_and_error(in_chunks(step, case.draws), n)
    return Entries(upper(values), upper(errors))


@cache
def mean_softmax(tau0: float) -> np.ndarray:
    """E softmax of a row: given its query of squared length q, logits are normal with covariance q V / nk."""
    V, m = STARTS[3], 3
    x, w = np.polynomial.hermite_e.hermegauss(24)
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, m)
    weight = np.prod(np.stack(np.meshgrid(w, w, w, indexing="ij"), axis=-1).reshape(-1, m), axis=1)
    weight = weight / weight.sum()
    keys = grid @ root(V).T
    halves, chances = np.polynomial.laguerre.laggauss(40)  # squared length of two queries: twice an exponential
    out = np.zeros((m, m))
    for a in range(m):
        for half, chance in zip(halves, chances, strict=True):
            Y = keys * math.sqrt(V[a, a] * 2 * half / NK) / tau0
            E = np.exp(Y - Y.max(axis=1, keepdims=True))
            out[a] += chance * (weight @ (E / E.sum(axis=1, keepdims=True)))
    return out


def by_library(case: Case) -> Entries:
    """The library's drift, S by quadrature, and its Sigma_lin."""
    V, tau0, _ = _setting(case)
    if case.what == "drift":
        from seprank.shaped.probability_attention import mixture_drift

        return Entries(upper(mixture_drift(V, GAMMA, ETA, mean_softmax(tau0))))
    from seprank.shaped.coefficients import attention_rate, packed, sigma_lin

    return Entries(upper(attention_rate(GAMMA) * packed(sigma_lin(V))))


def _drift(S: np.ndarray) -> np.ndarray:
    V = STARTS[3]
    return GAMMA**2 * ETA * upper(S @ V + V @ S.T - 2 * V)


def _noise(case: Case, fourth: float = 0.0) -> np.ndarray:
    V, tau0, _ = _setting(case)
    found = GAMMA**2 * (2 - GAMMA**2) * linear_noise(V) + fourth * GAMMA**4 / tau0**2 * attention_noise(V)
    return upper_noise(found)


def roads() -> Mapping[str, Road]:
    """Drift and noise, twice."""
    return {"layers drawn": by_layers, "library, S by quadrature": by_library}


def _tolerance(case: Case) -> float:
    return 0.005 if case.what == "drift" else 0.02


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within the stated tolerances."""
    return first.agrees(other, relative=_tolerance(case))


def holds(case: Case, result: Entries) -> bool:
    """The formulas."""
    if case.what == "drift":
        return result.agrees(Entries(_drift(mean_softmax(_setting(case)[1]))), relative=0.005)
    return are_entries(_noise, 0.02)(case, result)


def mutants() -> Mapping[str, Claim]:
    """The noise of Theorem 4.2, uniform mixing, mixing from one side."""

    def uniform(case: Case, result: Entries) -> bool:
        return case.what == "noise" or result.agrees(Entries(_drift(np.full((3, 3), 1 / 3))), relative=0.005)

    def fourth(case: Case, result: Entries) -> bool:
        return case.what == "drift" or are_entries(partial(_noise, fourth=1.0), 0.02)(case, result)

    def transposed(case: Case, result: Entries) -> bool:
        return case.what == "noise" or result.agrees(Entries(_drift(mean_softmax(0.5).T)), relative=0.005)

    return {"with A in the noise": fourth, "S = 1/m": uniform, "S^T in place of S": transposed}
