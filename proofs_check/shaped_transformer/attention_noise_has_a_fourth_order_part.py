"""The noise of shaped attention.   Source: noci2023shaped, Theorem 4.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from proofs_check.plain.shaped_formulas import attention_noise, linear_noise
from proofs_check.plain.shaped_moments import covariance_and_error, in_chunks
from proofs_check.plain.shaped_networks import attention_step, source
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS, Step
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.T4.2.covariance",
    title="Theorem 4.2, noise: Sigma = gamma^2 (2 - gamma^2) Sigma_lin + gamma^4/tau_0^2 A",
    statement=r"$\Sigma=\gamma^2(2-\gamma^2)\Sigma_{\rm lin}+\gamma^4\tau_0^{-2}\mathcal A$, $\mathcal "
    r"A^{\alpha\beta,\delta\omega}=m^{-2}\sum_{\nu\kappa}(V^{\alpha\kappa}V^{\delta\nu}S_1^{\beta\kappa,\omega\nu}+"
    r"\dots)$, four terms.",
    source="noci2023shaped, Theorem 4.2",
    scope="one layer, m = 3 and 4 with unequal norms, n = 500 and 2000, gamma = 0.8, tau_0 = 0.4, nk = 2; within 5 "
    "standard errors and 1 % (n = 2000) or 2 %",
    expected=Verdict.HOLDS,
    paper="ST",
    note="tau_0 is away from 1, else 1/tau_0 for 1/tau_0^2 is not seen.",
)


def cases(level: str) -> Iterable[Step]:
    """Small tau_0, where A matters."""
    if level == "quick":
        yield Step(3, 0.8, 0.4, 500, 2, 20_000)
    else:
        yield Step(3, 0.8, 0.4, 2000, 2, 60_000)
        yield Step(4, 0.8, 0.4, 500, 2, 40_000)


def by_layers(case: Step) -> Entries:
    """n Cov(V') of layers drawn."""
    V, draw = STARTS[case.m], source(14, case.m)

    def step(count: int) -> np.ndarray:
        return attention_step(V, case.gamma, case.tau0, case.n, case.nk, count, draw)

    values, errors = covariance_and_error(in_chunks(step, case.draws), case.n)
    return Entries(upper(values), upper(errors))


def by_library(case: Step) -> Entries:
    """The same in compact form."""
    return Entries(upper(_library.attention_noise(STARTS[case.m], case.gamma, case.tau0)))


def by_index(case: Step, linear: float | None = None, power: float = 4.0, tau: float = 2.0) -> np.ndarray:
    """The sums as printed, and with other factors."""
    V, gamma = STARTS[case.m], case.gamma
    weight = gamma**2 * (2 - gamma**2) if linear is None else linear * gamma**2
    return upper_noise(weight * linear_noise(V) + gamma**power / case.tau0**tau * attention_noise(V))


def roads() -> Mapping[str, Road]:
    """The noise, twice."""
    return {"layers drawn": by_layers, _library.ROAD: by_library}


def _relative(case: Step) -> float:
    return 0.01 if case.n >= 2000 else 0.02


def agree(case: Step, first: Entries, other: Entries) -> bool:
    """5 standard errors and a part for the width; the compact form is the index form to 1e-12."""
    return first.agrees(other, relative=_relative(case)) and Entries(by_index(case)).agrees(other, relative=1e-12)


def holds(case: Step, result: Entries) -> bool:
    """The formula."""
    return are_entries(by_index, _relative(case))(case, result)


def mutants() -> Mapping[str, Claim]:
    """Without A, other powers, other multiples of Sigma_lin."""

    def variant(linear: float | None = None, power: float = 4.0, tau: float = 2.0) -> Claim:
        return lambda case, result: result.agrees(Entries(by_index(case, linear, power, tau)), relative=_relative(case))

    return {
        "no A": variant(power=99.0),
        "gamma^2 A": variant(power=2.0),
        "2 gamma^2 Sigma_lin": variant(linear=2.0),
        "gamma^2 Sigma_lin": variant(linear=1.0),
        "A/tau_0": variant(tau=1.0),
    }
