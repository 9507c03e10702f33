"""Centred logits have the moments S1 and S2.   Source: noci2023shaped, Lemma C.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from proofs_check.plain.shaped_formulas import s1, s2
from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._logits import Case, logit_cases, logits_drawn
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.C.2",
    title="Lemma C.2: the moments S1 and S2 of centred logits",
    statement=r"$\mathbb E[(Y^{\alpha\delta}-\overline{Y^\alpha})(Y^{\beta\omega}-\overline{Y^\beta})]="
    r"n_kV^{\alpha\beta}(V^{\delta\omega}-V^{\delta\bar x}-V^{\omega\bar x}+V^{\bar x\bar x})$; "
    r"$\mathbb E[(Y^{\alpha\delta}-\overline{Y^\alpha})^2-\overline{(Y^\alpha-\overline{Y^\alpha})^2}]="
    r"n_kV^{\alpha\alpha}(V^{\delta\delta}-2V^{\delta\bar x}+2V^{\bar x\bar x}-\bar V)$.",
    source="noci2023shaped, Lemma C.2",
    scope="every weight drawn, m = 3, n = 6, nk = 2 (full: also m = 4), V not exchangeable, within 5 standard errors; "
    "rows of S1 and S2 sum to 0 to 1e-12",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Errors in S2 need m >= 3 and unequal variances or covariances to be seen.",
)


def cases(level: str) -> Iterable[Case]:
    """Small widths."""
    return logit_cases(level)


def by_weights(case: Case) -> Entries:
    """Mean products and mean centred squares of centred logits."""
    Y = logits_drawn(case)
    Y = Y - Y.mean(axis=2, keepdims=True)
    squares = Y**2 - (Y**2).mean(axis=2, keepdims=True)
    products = np.einsum("cad,cbw->cadbw", Y, Y)
    return Entries(*mean_and_error(np.concatenate([products.reshape(len(Y), -1), squares.reshape(len(Y), -1)], axis=1)))


def by_library(case: Case) -> Entries:
    """The library's S1 and S2."""
    from seprank.shaped.moments import S1, S2

    V = STARTS[case.m]
    return Entries(case.nk * np.concatenate([np.ravel(S1(V)), np.ravel(S2(V))]))


def roads() -> Mapping[str, Road]:
    """S1 and S2 times n_k, twice."""
    return {"weights drawn": by_weights, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _moments(case: Case, bars: float = 2.0) -> np.ndarray:
    V = STARTS[case.m]
    return case.nk * np.concatenate([s1(V).ravel(), s2(V, bars).ravel()])


def holds(case: Case, result: Entries) -> bool:
    """The formulas, whose rows sum to 0."""
    V = STARTS[case.m]
    sums = max(np.abs(s1(V).sum(axis=1)).max(), np.abs(s2(V).sum(axis=1)).max())
    return bool(sums <= 1e-12) and are_entries(_moments, 1e-12)(case, result)


def mutants() -> Mapping[str, Claim]:
    """The constant of S2, logits not centred."""

    def plain(case: Case) -> np.ndarray:
        V = STARTS[case.m]
        return case.nk * np.concatenate([np.einsum("ab,dw->adbw", V, V).ravel(), s2(V).ravel()])

    return {
        "one V^{xbar xbar} in S2 (needs m >= 3)": are_entries(lambda case: _moments(case, 1.0), 1e-12),
        "no V^{xbar xbar} in S2": are_entries(lambda case: _moments(case, 0.0), 1e-12),
        "S1 = V^{ab} V^{dw}": are_entries(plain, 1e-12),
    }
