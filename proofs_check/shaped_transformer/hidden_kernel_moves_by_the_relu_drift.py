"""The kernel of the hidden units moves by c_n b_ReLU / n.   Source: noci2023shaped, Lemma B.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import normaliser, relu_drift
from proofs_check.plain.shaped_moments import entries, mean_and_error
from proofs_check.plain.shaped_networks import activation, root, slopes, source
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.B.2",
    title="Lemma B.2: E K = V + c_n b_ReLU(V)/n, exactly at every width",
    statement=r"$\mathbb E\mathcal T_2=\mathbb EK=V+n^{-1}c_nb_{\rm ReLU}(V)$, "
    r"$b_{\rm ReLU}^{\alpha\beta}=\nu(\rho^{\alpha\beta})\sqrt{V^{\alpha\alpha}V^{\beta\beta}}$.",
    source="noci2023shaped, Lemma B.2",
    scope="m = 3 and 4, n = 500 and 2000, slopes (0, -2) and (1, -1); within 5 standard errors",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The lemma states it to leading order; with the factor c_n there is no finite-width error (9 % at n = 500 "
    "without it, slopes (0, -2)).",
)


class Case(NamedTuple):
    """Tokens, width, slopes, columns of hidden units."""

    m: int
    n: int
    c: tuple[float, float]
    columns: int


def cases(level: str) -> Iterable[Case]:
    """Unequal norms; the first case shows c_n."""
    columns = 6_000_000 if level == "full" else 300_000
    yield Case(3, 500, (0.0, -2.0), columns)
    yield Case(4, 2000, (1.0, -1.0), columns // 3)


def by_columns(case: Case) -> Entries:
    """n (K - V) / c_n over columns G and -G, with G G^T as control variate of known mean V."""
    draw, R, s = source(12, case.m), root(STARTS[case.m]), slopes(*case.c, case.n)
    c, found = 2 / (s[0] ** 2 + s[1] ** 2), []
    for _ in range(0, case.columns, 100_000):
        G = (R @ draw.standard_normal((case.m, 100_000))).T
        F, back = activation(G, s), activation(-G, s)
        products = np.einsum("ca,cb->cab", F, F) + np.einsum("ca,cb->cab", back, back)
        found.append(entries(case.n * (products / 2 - np.einsum("ca,cb->cab", G, G) / c)))
    return Entries(*mean_and_error(np.concatenate(found)))


def by_library(case: Case) -> Entries:
    """The library's drift."""
    return Entries(upper(_library.relu_drift(STARTS[case.m], *case.c)))


def roads() -> Mapping[str, Road]:
    """b_ReLU, twice."""
    return {"columns drawn": by_columns, _library.ROAD: by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors; the diagonal is 0 up to rounding times n."""
    return first.agrees(other, relative=1e-9)


def _drift(case: Case, factor: float = 1.0) -> np.ndarray:
    return factor * upper(relu_drift(STARTS[case.m], (case.c[0] - case.c[1]) ** 2))


holds = are_entries(_drift, 1e-9)


def mutants() -> Mapping[str, Claim]:
    """The factor of the width, the diagonal, the slopes."""

    def diagonal(case: Case) -> np.ndarray:
        V = STARTS[case.m]
        return _drift(case) + upper(np.diag(np.diag(V)) * 0.05)

    return {
        "without dividing by c_n": are_entries(
            lambda case: _drift(case, normaliser(case.c[0], case.c[1], case.n)), 1e-9
        ),
        "norms drift, too": are_entries(diagonal, 1e-9),
        "(c_+ + c_-)^2": are_entries(
            lambda case: upper(relu_drift(STARTS[case.m], (case.c[0] + case.c[1]) ** 2)), 1e-9
        ),
    }
