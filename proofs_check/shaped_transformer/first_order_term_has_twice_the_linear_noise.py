"""The term of first order of a residual block has mean 0 and noise 2 Sigma_lin.   Source: noci2023shaped, Lemma B.1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import linear_noise, normaliser, relu_drift
from proofs_check.plain.shaped_moments import entries, mean_and_error
from proofs_check.plain.shaped_networks import activation, slopes, source, tokens
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.B.1",
    title="Lemma B.1: E T1 = 0 and E T1 T1 = 2 Sigma_lin + O(1/n)",
    statement=r"$\mathcal T_1=n^{-1/2}(XF^\top+FX^\top)$, $F=n^{-1/2}\phi W_{\rm post}$: $\mathbb E\mathcal T_1=0$, "
    r"$\mathbb E[\mathcal T_1^{\alpha\beta}\mathcal T_1^{\delta\omega}]=V^{\alpha\delta}\mathbb EK^{\beta\omega}+"
    r"V^{\alpha\omega}\mathbb EK^{\beta\delta}+V^{\beta\delta}\mathbb EK^{\alpha\omega}+V^{\beta\omega}"
    r"\mathbb EK^{\alpha\delta}=2\Sigma_{\rm lin}+O(n^{-1})$.",
    source="noci2023shaped, Lemma B.1",
    scope="every weight drawn, m = 3, n = 16 and slopes (0, -2); the form with E K exactly, within 5 standard errors",
    expected=Verdict.HOLDS,
    paper="ST",
)
C = (0.0, -2.0)


class Case(NamedTuple):
    """Width, blocks drawn."""

    n: int
    draws: int


def cases(level: str) -> Iterable[Case]:
    """A small width: the form with E K is exact."""
    yield Case(16, 300_000 if level == "full" else 30_000)


def by_weights(case: Case) -> Entries:
    """Means of T1 and of its products over blocks with both weight matrices drawn."""
    n, X, s, draw = case.n, tokens(STARTS[3], case.n), slopes(*C, case.n), source(56)
    scale, found = math.sqrt(2 / (s[0] ** 2 + s[1] ** 2) / n), []
    for _ in range(0, case.draws, 5000):
        hidden = activation(scale * X @ draw.standard_normal((5000, n, n)), s)
        F = hidden @ draw.standard_normal((5000, n, n)) / math.sqrt(n)
        cross = X @ np.swapaxes(F, 1, 2) / math.sqrt(n)
        T = entries(cross + np.swapaxes(cross, 1, 2))
        found.append(np.concatenate([T, np.einsum("ci,cj->cij", T, T).reshape(len(T), -1)], axis=1))
    return Entries(*mean_and_error(np.concatenate(found)))


def _moments(K: np.ndarray) -> np.ndarray:
    """Zero means, then V^{ad} K^{bw} and its three companions."""
    V, (a, b) = STARTS[3], np.triu_indices(3)
    one = np.einsum("ad,bw->abdw", V, K) + np.einsum("ad,bw->abdw", K, V)
    both = one + one.transpose(0, 1, 3, 2)
    return np.concatenate([np.zeros(len(a)), both[a[:, None], b[:, None], a[None, :], b[None, :]].ravel()])


def by_library(case: Case) -> Entries:
    """The library's mean kernel."""
    V = STARTS[3]
    return Entries(_moments(V + _library.normaliser(*C, case.n) / case.n * _library.relu_drift(V, *C)))


def roads() -> Mapping[str, Road]:
    """Moments of T1, twice."""
    return {"weights drawn": by_weights, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def holds(case: Case, result: Entries) -> bool:
    """The form with E K, which tends to twice Sigma_lin."""
    V = STARTS[3]
    K = V + normaliser(C[0], C[1], case.n) / case.n * relu_drift(V, (C[0] - C[1]) ** 2)
    a, b = np.triu_indices(3)
    limit = 2 * linear_noise(V)[a[:, None], b[:, None], a[None, :], b[None, :]].ravel()
    return result.agrees(Entries(_moments(K))) and np.allclose(_moments(V)[6:], limit, rtol=1e-12)


def mutants() -> Mapping[str, Claim]:
    """Other multiples."""
    return {
        "Sigma_lin": lambda case, result: result.agrees(Entries(_moments(STARTS[3]) / 2)),
        "4 Sigma_lin": lambda case, result: result.agrees(Entries(_moments(STARTS[3]) * 2)),
    }
