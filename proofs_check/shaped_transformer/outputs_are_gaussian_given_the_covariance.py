"""Given the last tokens, outputs are iid N(0, V).   Source: noci2023shaped, section 2 (output distribution)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.plain.shaped_networks import shaped, source, tokens
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.P3",
    title="Given V_d, the output neurons are iid Gaussian vectors of covariance V_d",
    statement=r"$X_{\rm out}=n^{-1/2}X_dW_{\rm out}$: conditioned on $X_d$ its columns are iid $N(0,V_d)$ at every "
    r"width, so in the limit a mixture over $V_T$, $T=d/n$.",
    source="noci2023shaped, section 2 (output distribution)",
    scope="one network of shaped attention with every weight drawn, m = 3, n = 16, three layers; second and fourth "
    "moments over output neurons within 5 standard errors",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Not conditioned, outputs are no Gaussian process: V_T is random in this limit.",
)


class Case(NamedTuple):
    """Seed of the network, output neurons."""

    seed: int
    neurons: int


def cases(level: str) -> Iterable[Case]:
    """Several networks."""
    yield from (Case(seed, 400_000 if level == "full" else 100_000) for seed in range(2))


def _network(case: Case) -> np.ndarray:
    """X_d of one network."""
    X, n, draw = tokens(STARTS[3], 16), 16, source(57, case.seed)
    for _ in range(3):
        Q, K = draw.standard_normal((n, 4)), draw.standard_normal((n, 4))
        A = np.eye(3) + shaped((X @ Q) @ (X @ K).T / n, math.sqrt(n * 4))
        X = 0.6 * X + 0.8 / math.sqrt(n) * A @ X @ draw.standard_normal((n, n))
    return X


def by_neurons(case: Case) -> Entries:
    """Moments over output neurons drawn."""
    outputs = _network(case) @ source(58).standard_normal((16, case.neurons)) / 4
    pairs = np.einsum("ai,bi->iab", outputs, outputs).reshape(case.neurons, -1)
    fourth = np.einsum("ia,ib->iab", pairs, pairs[:, :3]).reshape(case.neurons, -1)
    return Entries(*mean_and_error(np.concatenate([pairs, fourth], axis=1)))


def by_covariance(case: Case) -> Entries:
    """Moments of N(0, V_d) by Isserlis."""
    X = _network(case)
    return Entries(_gaussian(X @ X.T / 16))


def _gaussian(V: np.ndarray, fourth: float = 1.0) -> np.ndarray:
    four = (
        np.einsum("ab,dw->abdw", V, V)
        + fourth * np.einsum("ad,bw->abdw", V, V)
        + fourth * np.einsum("aw,bd->abdw", V, V)
    )
    return np.concatenate([V.ravel(), four.reshape(9, 9)[:, :3].ravel()])


def roads() -> Mapping[str, Road]:
    """Second and fourth moments of outputs, twice."""
    return {"output neurons drawn": by_neurons, "Isserlis": by_covariance}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def holds(case: Case, result: Entries) -> bool:
    """Gaussian moments of V_d."""
    return result.agrees(by_covariance(case))


def mutants() -> Mapping[str, Claim]:
    """The covariance of the first layer, outputs of fixed size."""

    def first(case: Case, result: Entries) -> bool:
        return result.agrees(Entries(_gaussian(STARTS[3])))

    def flat(case: Case, result: Entries) -> bool:
        X = _network(case)
        return result.agrees(Entries(_gaussian(X @ X.T / 16, 0.0)))

    return {"covariance V_0": first, "fourth moments of a constant": flat}
