"""One layer of the shaped MLP has noise Sigma_lin.   Source: noci2023shaped, equation 3 and Proposition A.3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.shaped_formulas import linear_noise, normaliser
from proofs_check.plain.shaped_moments import covariance_and_error, in_chunks
from proofs_check.plain.shaped_networks import mlp_step, source
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries, upper, upper_noise
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.P2",
    title="The covariance of the shaped MLP follows dV = b_ReLU dt + Sigma_lin^(1/2) dB",
    statement=r"$n\,\mathrm{Cov}(V')\to\Sigma_{\rm lin}^{\alpha\beta,\delta\omega}=V^{\alpha\delta}V^{\beta\omega}+"
    r"V^{\alpha\omega}V^{\beta\delta}$ for $X'=\sqrt{c_n}\,\varphi_s(n^{-1/2}XW)$; the drift is ST.nu and ST.B.2.",
    source="noci2023shaped, equation 3",
    scope="one layer, m = 2 and 3, n = 400, slopes (0, -2); within 5 standard errors and 2 % for the width",
    expected=Verdict.HOLDS,
    paper="ST",
)


class Case(NamedTuple):
    """Tokens, width, layers drawn."""

    m: int
    n: int
    draws: int


C = (0.0, -2.0)


def cases(level: str) -> Iterable[Case]:
    """Unequal norms and correlations."""
    full = level == "full"
    yield Case(3, 1000 if full else 400, 100000 if full else 20000)
    if full:
        yield Case(2, 400, 100000)


def by_layers(case: Case) -> Entries:
    """n Cov(V') of layers drawn."""
    draw, V = source(11, case.m), STARTS[case.m]
    samples = in_chunks(lambda count: mlp_step(V, C, case.n, count, draw), case.draws)
    values, errors = covariance_and_error(samples, case.n)
    return Entries(upper(values), upper(errors))


def by_library(case: Case) -> Entries:
    """The library's Sigma_lin."""
    return Entries(upper(_library.linear_noise(STARTS[case.m])))


def roads() -> Mapping[str, Road]:
    """The noise of one layer, twice."""
    return {"layers drawn": by_layers, _library.ROAD: by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and 2 % of the largest entry."""
    return first.agrees(other, relative=0.02)


holds = are_entries(lambda case: upper_noise(linear_noise(STARTS[case.m])), 0.02)


def mutants() -> Mapping[str, Claim]:
    """Twice the noise (that of a residual block), one of the two products, noise with c_n^2."""
    return {
        "2 Sigma_lin": are_entries(lambda case: 2 * upper_noise(linear_noise(STARTS[case.m])), 0.02),
        "half of Sigma_lin": are_entries(lambda case: upper_noise(linear_noise(STARTS[case.m])) / 2, 0.02),
        "multiplied by c_n^2": are_entries(
            lambda case: normaliser(*C, case.n) ** 2 * upper_noise(linear_noise(STARTS[case.m])), 0.02
        ),
    }
