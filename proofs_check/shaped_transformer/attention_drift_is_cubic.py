"""The drift of shaped attention.   Source: noci2023shaped, Theorem 4.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from proofs_check.plain.shaped_formulas import RIGHT, Variant, attention_drift
from proofs_check.plain.shaped_moments import attention_drift_samples, mean_and_error
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS, Step
from proofs_check.shaped_transformer._results import Entries, are_entries, upper
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.T4.2.drift",
    title="Theorem 4.2, drift: b = gamma^2/tau_0^2 (sum V S1/m^2 + sum (V S2 + V S2)/(2m)), cubic in V",
    statement=r"$b^{\alpha\beta}=\frac{\gamma^2}{\tau_0^2}\Big[\frac1{m^2}\sum_{\nu\kappa}V^{\nu\kappa}"
    r"S_1^{\alpha\nu,\beta\kappa}+\frac1{2m}\sum_\nu(V^{\beta\nu}S_2^{\alpha\nu}+V^{\alpha\nu}S_2^{\beta\nu})\Big]$.",
    source="noci2023shaped, Theorem 4.2",
    scope="one layer, m = 2, 3 and 4 with unequal norms, n = 4000, tau_0 = 0.5 and 0.7, nk = 1 to 16; within 5 "
    "standard errors and 1 % for the width",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Wrong variants of S2 need m >= 3 and a V that is not exchangeable: S2 = 0 for m = 2 and for equal variances "
    "and covariances, so a check there cannot see them.",
)


def cases(level: str) -> Iterable[Step]:
    """Unequal norms; the last case cannot see S2."""
    draws = 1_000_000 if level == "full" else 100_000
    yield Step(3, 0.8, 0.7, 4000, 2, draws)
    yield Step(3, 0.6, 0.5, 4000, 1, draws)
    if level == "full":
        yield Step(4, 0.8, 0.7, 4000, 16, draws // 2)
        yield Step(2, 0.8, 0.7, 4000, 4, draws)


def by_layers(case: Step) -> Entries:
    """n (E[V' | A] - V) over the logits and their negatives."""
    _, gamma, tau0, n, nk, draws = case
    return Entries(*mean_and_error(attention_drift_samples(STARTS[case.m], gamma, tau0, n, nk, draws, 13)))


def by_library(case: Step) -> Entries:
    """The same in compact form."""
    return Entries(upper(_library.attention_drift(STARTS[case.m], case.gamma, case.tau0)))


def by_index(case: Step, variant: Variant = RIGHT) -> np.ndarray:
    """The sums as printed."""
    return upper(attention_drift(STARTS[case.m], case.gamma, case.tau0, variant))


def roads() -> Mapping[str, Road]:
    """The drift, twice."""
    return {"layers drawn": by_layers, _library.ROAD: by_library}


def agree(case: Step, first: Entries, other: Entries) -> bool:
    """5 standard errors and 1 %; the compact form is the index form to 1e-12."""
    return first.agrees(other, relative=0.01) and Entries(by_index(case)).agrees(other, relative=1e-12)


holds = are_entries(by_index, 0.01)


def mutants() -> Mapping[str, Claim]:
    """Every factor of the formula."""

    def variant(**wrong: float) -> Claim:
        return are_entries(partial(by_index, variant=Variant(**wrong)), 0.01)

    return {
        "no S2 (needs m >= 3, V not exchangeable)": variant(s2=0.0),
        "S2/m in place of S2/(2m) (needs m >= 3, V not exchangeable)": variant(s2=2.0),
        "one V^{xbar xbar} in S2 (needs m >= 3)": variant(bars=1.0),
        "S1/m in place of S1/m^2": are_entries(lambda case: by_index(case, Variant(s1=float(case.m))), 0.01),
        "no S1": variant(s1=0.0),
        "1/tau_0": are_entries(lambda case: by_index(case) * case.tau0, 0.01),
        "gamma": are_entries(lambda case: by_index(case) / case.gamma, 0.01),
    }
