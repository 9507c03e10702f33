"""Hidden width r n: noise gamma^2 (2 - gamma^2 + gamma^2/r) Sigma_lin.   Source: noci2023shaped, Theorem 3.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import linear_noise
from proofs_check.plain.shaped_moments import covariance_and_error, in_chunks
from proofs_check.plain.shaped_networks import residual_step, source
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.ratio",
    title="With hidden width r n the residual noise is gamma^2 (2 - gamma^2 + gamma^2/r) Sigma_lin",
    statement=r"$X'=\lambda X+\gamma(rn)^{-1/2}\varphi_s(\sqrt{c/n}XW_{\rm pre})W_{\rm post}$, $W_{\rm pre}\in\mathbb "
    r"R^{n\times rn}$: $\Sigma_{\rm res}=\gamma^2(2-\gamma^2+\gamma^2/r)\Sigma_{\rm lin}$; the drift is unchanged if "
    r"the slopes are defined by $n$.",
    source="noci2023shaped, Theorem 3.2 (hidden width r n, own derivation)",
    scope="one block, m = 2, gamma = 0.8, r = 4 and 1/2, n = 200 (full: 500); within 5 standard errors and 2.5 % (1.5 "
    "%)",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The theorem has r = 1, its 2 gamma^2; D.1 trains with 768 and 3072, r = 4.",
)


class Case(NamedTuple):
    """Ratio, width, blocks drawn."""

    r: float
    n: int
    draws: int


GAMMA, C = 0.8, (0.0, -1.0)


def cases(level: str) -> Iterable[Case]:
    """The ratio of BERT, and a narrow one."""
    full = level == "full"
    yield Case(4.0, 500 if full else 200, 40_000 if full else 15_000)
    if full:
        yield Case(0.5, 500, 60_000)


def by_layers(case: Case) -> Entries:
    """n Cov(V') of blocks drawn."""
    draw, V = source(33), STARTS[2]

    def step(count: int) -> np.ndarray:
        return residual_step(V, GAMMA, C, case.n, round(case.r * case.n), count, draw)

    values, errors = covariance_and_error(in_chunks(step, case.draws), case.n)
    return Entries(upper(values), upper(errors))


def by_library(case: Case) -> Entries:
    """The library's noise."""
    return Entries(upper(_library.residual_noise(STARTS[2], GAMMA, case.r)))


def _formula(case: Case, ratio: float | None = None) -> np.ndarray:
    r = case.r if ratio is None else ratio
    return GAMMA**2 * (2 - GAMMA**2 + GAMMA**2 / r) * upper_noise(linear_noise(STARTS[2]))


def roads() -> Mapping[str, Road]:
    """The noise, twice."""
    return {"blocks drawn": by_layers, _library.ROAD: by_library}


def _relative(case: Case) -> float:
    return 0.025 if case.n < 500 else 0.015


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and a part for the width."""
    return first.agrees(other, relative=_relative(case))


def holds(case: Case, result: Entries) -> bool:
    """The formula with r."""
    return are_entries(_formula, _relative(case))(case, result)


def mutants() -> Mapping[str, Claim]:
    """r = 1, the whole noise divided, no noise of the kernel at all."""

    def variant(value: float) -> Claim:
        return lambda case, result: are_entries(partial(_formula, ratio=value), _relative(case))(case, result)

    return {
        "2 gamma^2, as for r = 1": variant(1.0),
        "2 gamma^2/r": lambda case, result: are_entries(lambda c: _formula(c, 1.0) / c.r, _relative(case))(
            case, result
        ),
        "no noise of the hidden kernel": variant(math.inf),
    }
