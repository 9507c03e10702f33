"""Correlation with depth in closed form, without the feed-forward scale.   Source: noci2022signal, Theorem 3.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import mean_and_error
from proofs_check.plain.signal_uniform_networks import (
    grams,
    outputs,
    plain,
    ratio_of_expectations,
    tokens_with_correlation,
)
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.thm3.2",
    title="Theorem 3.2: 1 - rho_L = (1 - rho_0)/(1 + c h) with c = (1 + alpha1^2)^L - 1, h = (1 + (n - 1) rho_0)/n",
    statement=r"For equal input norms, uniform attention, linear branches: $\rho_L=\frac{\rho_0+c_Lh}{1+c_Lh}$, "
    r"$c_L=(1+\alpha_1^2)^L-1$, $h=\frac{1+(n-1)\rho_0}n$, $\rho$ the average over pairs of $\mathbb E\langle "
    r"X_k,X_{k'}\rangle/"
    r"\sqrt{\mathbb E\|X_k\|^2\mathbb E\|X_{k'}\|^2}$.",
    source="noci2022signal, Theorem 3.2",
    scope="n = 4 and 8, d = 16 and 64, L = 6 to 16, alpha = 0.25 to 1, within 5 standard errors of the ratio of "
    "expectations",
    expected=Verdict.HOLDS,
    paper="SP",
    note="It needs equal input norms, and for the limit 1 at fixed alpha a mean token other than 0 (else rho stays "
    "at -1/(n - 1)). "
    "alpha2 drops out. The mean cosine of samples is another statistic, below it by an amount of order 1/d that "
    "grows with depth.",
)


class Case(NamedTuple):
    """Sizes, scales, input correlation, networks drawn."""

    n: int
    d: int
    L: int
    alpha1: float
    alpha2: float
    rho: float
    draws: int


class Correlation(NamedTuple):
    """The ratio of expectations, and the mean cosine of samples where networks are drawn."""

    ratio: Estimate
    cosine: Estimate | None = None

    def __str__(self) -> str:
        return f"{self.ratio}" if self.cosine is None else f"{self.ratio} (mean cosine {self.cosine})"


def cases(level: str) -> Iterable[Case]:
    """Unscaled and scaled branches."""
    full = level == "full"
    yield Case(4, 16, 6, 1.0, 1.0, 0.1, 10000 if full else 4000)
    yield Case(4, 16, 16, 0.25, 0.25, 0.1, 5000 if full else 2500)
    if full:
        yield Case(4, 64, 6, 1.0, 1.0, 0.1, 700)
        yield Case(4, 64, 8, 0.25, 0.9, 0.1, 1500)
        yield Case(8, 64, 16, 0.25, 0.25, 0.0, 400)


@cache
def by_networks(case: Case) -> Correlation:
    """Networks drawn literally."""
    X = tokens_with_correlation(case.n, case.d, case.rho, 76)
    G = grams(outputs(plain(case.L, case.alpha1, case.alpha2, case.d), X, case.draws, 76))
    norms = np.sqrt(np.einsum("ckk->ck", G))
    cosines = (np.einsum("ckl,ck,cl->c", G, 1 / norms, 1 / norms) - case.n) / (case.n * (case.n - 1))
    return Correlation(Estimate(*ratio_of_expectations(G)), Estimate(*mean_and_error(cosines)))


def by_formula(case: Case) -> Correlation:
    """The library's closed form."""
    from seprank.signal.correlation import correlation_at_depth

    return Correlation(Estimate(correlation_at_depth(case.rho, case.n, case.L, case.alpha1)))


def roads() -> Mapping[str, Road]:
    """The correlation at depth L, twice."""
    return {"networks drawn": by_networks, "library": by_formula}


def agree(case: Case, first: Correlation, other: Correlation) -> bool:
    """The ratios of expectations, within 5 standard errors."""
    return first.ratio.agrees(other.ratio)


def _rho(case: Case, with_alpha2: bool = False) -> float:
    growth = (1 + case.alpha1**2) * ((1 + case.alpha2**2) if with_alpha2 else 1)
    weight = (growth**case.L - 1) * (1 + (case.n - 1) * case.rho) / case.n
    return (case.rho + weight) / (1 + weight)


def holds(case: Case, result: Correlation) -> bool:
    """The closed form for the ratio of expectations."""
    return result.ratio.agrees(Estimate(_rho(case)))


def mutants() -> Mapping[str, Claim]:
    """alpha2 in the exponent, and another statistic."""

    def with_alpha2(case: Case, result: Correlation) -> bool:
        return result.ratio.agrees(Estimate(_rho(case, with_alpha2=True)))

    def mean_cosine(case: Case, result: Correlation) -> bool:
        return result.cosine is not None and result.cosine.agrees(Estimate(_rho(case)))

    return {"(1 + alpha1^2)(1 + alpha2^2) in c": with_alpha2, "the mean cosine of samples has this value": mean_cosine}
