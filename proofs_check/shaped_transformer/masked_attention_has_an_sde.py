"""Masked shaped attention has an SDE of its own.   Source: noci2023shaped, section 4.2 (masking)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain import shaped_compact
from proofs_check.plain.shaped_formulas import attention_drift, attention_noise, linear_noise
from proofs_check.plain.shaped_moments import attention_drift_samples, covariance_and_error, in_chunks, mean_and_error
from proofs_check.plain.shaped_networks import attention_step, source
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.mask",
    title="With a mask every row is centred over its m_a allowed tokens; drift and noise follow with H_a",
    statement=r"$A=I+\mathrm{softmax}_{\mathcal M}(Y/\tau)-[m_\alpha^{-1}1_{\nu\in\mathcal M_\alpha}]$ has the drift "
    r"and noise of Theorem 4.2 with $H_\alpha=\mathrm{diag}(e_\alpha)-m_\alpha^{-1}e_\alpha e_\alpha^\top$ for $H$: "
    r"$\frac{V^{\alpha\beta}\mathrm{tr}(VH_\alpha VH_\beta)}{m_\alpha m_\beta}$, "
    r"$N^{ij}_{xy}=\frac{V^{ij}(VH_iVH_jV)^{xy}}{m_im_j}$.",
    source="noci2023shaped, section 4.2 (masking, derivation ours)",
    scope="one layer, causal mask, m = 3 and 4, and a band, n = 4000 (drift) and 500 (noise), tau_0 = 0.5; within 5 "
    "standard errors and 1 % (noise: 2 %)",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The text says that masking is possible by centring with 1/m_i; it states no coefficients.",
)
GAMMA, TAU0 = 0.8, 0.5


class Case(NamedTuple):
    """Drift or noise, tokens, mask, draws."""

    what: str
    m: int
    mask: str
    draws: int


def mask_of(case: Case) -> np.ndarray:
    """Lower triangle, or neighbours only."""
    causal = np.tril(np.ones((case.m, case.m), bool))
    return causal if case.mask == "causal" else causal & ~np.tril(causal, -2) | np.eye(case.m, k=1, dtype=bool)


def cases(level: str) -> Iterable[Case]:
    """Causal and band masks."""
    more = 6 if level == "full" else 1
    yield Case("drift", 3, "causal", 60_000 * more)
    yield Case("drift", 4, "band", 60_000 * more)
    yield Case("noise", 3, "causal", 15_000 * min(more, 3))


def by_layers(case: Case) -> Entries:
    """Drift or noise of layers drawn."""
    V, mask = STARTS[case.m], mask_of(case)
    if case.what == "drift":
        return Entries(*mean_and_error(attention_drift_samples(V, GAMMA, TAU0, 4000, 2, case.draws, 34, mask)))
    draw = source(35)
    samples = in_chunks(lambda count: attention_step(V, GAMMA, TAU0, 500, 2, count, draw, mask), case.draws)
    values, errors = covariance_and_error(samples, 500)
    return Entries(upper(values), upper(errors))


def by_library(case: Case) -> Entries:
    """The library's coefficients under the mask."""
    V, mask = STARTS[case.m], mask_of(case)
    if case.what == "drift":
        return Entries(upper(_library.attention_drift(V, GAMMA, TAU0, mask)))
    return Entries(upper(_library.attention_noise(V, GAMMA, TAU0, mask)))


def _formula(case: Case) -> np.ndarray:
    V, mask = STARTS[case.m], mask_of(case)
    if case.what == "drift":
        return upper(shaped_compact.drift(V, GAMMA, TAU0, mask))
    return upper_noise(shaped_compact.noise(V, GAMMA, TAU0, mask))


def _unmasked(case: Case) -> np.ndarray:
    V = STARTS[case.m]
    if case.what == "drift":
        return upper(attention_drift(V, GAMMA, TAU0))
    return upper_noise(GAMMA**2 * (2 - GAMMA**2) * linear_noise(V) + GAMMA**4 / TAU0**2 * attention_noise(V))


def roads() -> Mapping[str, Road]:
    """Drift and noise, twice."""
    return {"layers drawn": by_layers, _library.ROAD: by_library}


def _tolerance(case: Case) -> float:
    return 0.01 if case.what == "drift" else 0.02


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and a part for the width."""
    return first.agrees(other, relative=_tolerance(case))


def holds(case: Case, result: Entries) -> bool:
    """The masked formulas."""
    return are_entries(_formula, _tolerance(case))(case, result)


def mutants() -> Mapping[str, Claim]:
    """The formulas without a mask, and rows centred with 1/m."""

    def claim(formula: object, kind: str) -> Claim:
        return lambda case, result: case.what != kind or are_entries(formula, _tolerance(case))(case, result)  # type: ignore[arg-type]

    def whole_rows(case: Case) -> np.ndarray:
        mask = mask_of(case)
        scale = mask.sum(axis=1) / case.m
        return upper(shaped_compact.drift(STARTS[case.m], GAMMA, TAU0, mask) * np.outer(scale, scale))

    return {
        "the unmasked drift": claim(_unmasked, "drift"),
        "the unmasked noise": claim(_unmasked, "noise"),
        "1/m in place of 1/m_a": claim(whole_rows, "drift"),
    }
