"""Logits have mean 0 and a product covariance.   Source: noci2023shaped, Lemma C.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._logits import Case, logit_cases, logits_drawn
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.C.1",
    title="Lemma C.1: E Y^{ad} Y^{bw} = n_k V^{ab} V^{dw}",
    statement=r"$\mathbb EY^{\alpha\delta}=0$, $\mathbb E[Y^{\alpha\delta}Y^{\beta\omega}]=n_kV^{\alpha\beta}"
    r"V^{\delta\omega}$ for $Y=n^{-1}XW_QW_K^\top X^\top$.",
    source="noci2023shaped, Lemma C.1",
    scope="every weight drawn, m = 3, n = 6, nk = 2 (full: also m = 4, n = 8, nk = 5), within 5 standard errors; exact "
    "at every width",
    expected=Verdict.HOLDS,
    paper="ST",
)


def cases(level: str) -> Iterable[Case]:
    """Small widths."""
    return logit_cases(level)


def by_weights(case: Case) -> Entries:
    """Mean products of logits of layers drawn."""
    Y = logits_drawn(case)
    products = np.einsum("cad,cbw->cadbw", Y, Y).reshape(len(Y), -1)
    return Entries(*mean_and_error(products))


def by_library(case: Case) -> Entries:
    """The library's moment."""
    from seprank.shaped.moments import logit_moment

    return Entries(case.nk * np.ravel(logit_moment(STARTS[case.m])))


def roads() -> Mapping[str, Road]:
    """All second moments of logits, twice."""
    return {"weights drawn": by_weights, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _product(case: Case, order: str = "ab,dw->adbw") -> np.ndarray:
    V = STARTS[case.m]
    return case.nk * np.einsum(order, V, V).ravel()


holds = are_entries(_product, 0.0)


def mutants() -> Mapping[str, Claim]:
    """Indices swapped, n_k left out."""
    return {
        "V^{ad} V^{bw}": are_entries(lambda case: _product(case, "ad,bw->adbw"), 0.0),
        "V^{aw} V^{db}": are_entries(lambda case: _product(case, "aw,db->adbw"), 0.0),
        "without n_k": are_entries(lambda case: _product(case) / case.nk, 0.0),
    }
