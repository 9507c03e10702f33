"""Query and key weights N(0, n^(-3/2)) absorb the extra sqrt(n).   Source: noci2023shaped, appendix D and D.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.plain.shaped_networks import source, tokens
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.qk",
    title="The extra sqrt(n) of the temperature is a factor n^(-1/2) on the query and key variance, not 1/n",
    statement=r"Appendix D: 'decreasing the variance of their entries by a factor of $1/n$'. D.1: $N(0,n^{-3/2})$, "
    r"which is a factor $n^{-1/2}$ on $N(0,n^{-1})$ and right: $n\,\mathrm{Var}(XW_QW_K^\top X^\top/\sqrt{n_k})^{\alpha"
    r"\delta}=V^{\alpha\alpha}V^{\delta\delta}$ at $\tau_0=1$.",
    source="noci2023shaped, appendix D and D.1",
    scope="every weight drawn, m = 3, n = 48, nk = 8 (full: also n = 96); within 5 standard errors",
    expected=Verdict.CORRECTED,
    paper="ST",
    note="With N(0, n^(-2)) the logits are smaller by 1/sqrt(n) and attention vanishes from the limit.",
)


class Case(NamedTuple):
    """Width, query and key columns, draws."""

    n: int
    nk: int
    draws: int


class Scaled(NamedTuple):
    """n Var of the logits with variances n^(-3/2) and n^(-2)."""

    right: Entries
    lowered: Entries

    def __str__(self) -> str:
        return f"n^-1.5: {self.right}"


def cases(level: str) -> Iterable[Case]:
    """Small widths; the identity is exact."""
    yield Case(48, 8, 20_000)
    if level == "full":
        yield Case(96, 8, 20_000)


def by_weights(case: Case) -> Scaled:
    """Weights drawn with either variance."""
    X, found = tokens(STARTS[3], case.n), []
    for power in (-1.5, -2.0):
        draw, scale, parts = source(24), float(case.n) ** (power / 2), []
        for _ in range(0, case.draws, 1000):
            Q, K = (scale * X @ draw.standard_normal((1000, case.n, case.nk)) for _ in range(2))
            parts.append(case.n / case.nk * (Q @ np.swapaxes(K, 1, 2)) ** 2)
        found.append(Entries(*mean_and_error(np.concatenate(parts).reshape(case.draws, -1))))
    return Scaled(*found)


def by_library(case: Case) -> Scaled:
    """The library's second moment of the logits n^-1 X W_Q W_K^T X^T / tau of standard weights."""
    from seprank.shaped.moments import logit_moment

    square = np.einsum("adad->ad", logit_moment(STARTS[3])).ravel()  # over nk, at tau = sqrt(n nk): times 1/n
    return Scaled(Entries(square), Entries(square / case.n))


def roads() -> Mapping[str, Road]:
    """n times the variance of the logits, twice."""
    return {"weights drawn": by_weights, "library": by_library}


def agree(case: Case, first: Scaled, other: Scaled) -> bool:
    """Within 5 standard errors."""
    return first.right.agrees(other.right) and first.lowered.agrees(other.lowered)


def _product(case: Case) -> np.ndarray:
    own = np.diag(STARTS[3])
    return np.outer(own, own).ravel()


def holds(case: Case, result: Scaled) -> bool:
    """The variance of D.1."""
    return are_entries(_product, 0.0)(case, result.right)


def printed(case: Case, result: Scaled) -> bool:
    """The variance of appendix D."""
    return are_entries(_product, 0.0)(case, result.lowered)


def mutants() -> Mapping[str, Claim]:
    """Products of covariances, or the variance of ordinary attention."""

    def mixed(case: Case, result: Scaled) -> bool:
        return are_entries(lambda case: (STARTS[3] ** 2).ravel(), 0.0)(case, result.right)

    def ordinary(case: Case, result: Scaled) -> bool:
        return are_entries(lambda case: case.n * _product(case), 0.0)(case, result.right)

    return {"(V^{ad})^2": mixed, "as with N(0, 1/n)": ordinary}
