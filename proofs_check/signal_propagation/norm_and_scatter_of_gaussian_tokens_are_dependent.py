"""Eq. 18 leaves out the factor 1 + 4 (1 - rho)/(n d).   Source: noci2022signal, eq. 18."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens
from proofs_check.plain.signal_formulas import eq18, eq18_exact
from proofs_check.plain.signal_isserlis import scatter_moments
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq18",
    title="Eq. 18 is too small by exactly 1 + 4 (1 - rho)/(n d): norm and scatter of the tokens are dependent",
    statement=r"Printed, assuming that norm and correlation propagate independently: $\mathbb E\|\partial S/\partial "
    r"W_Q\|_F^2=\sigma_x^6"
    r"\sigma_v^2\sigma_k^2d_vd^2(1-\rho)^2\frac{(n-1)(n+d)}n$. Exact for Gaussian tokens under uniform attention: "
    r"this times "
    r"$1+\frac{4(1-\rho)}{nd}$.",
    source="noci2022signal, eq. 18 and appendix A.2",
    scope="sixth-order Isserlis sums in exact fractions at n d <= 6, to 1e-12; draws at n = d = 2, 4, 8 within 5 "
    "standard errors",
    expected=Verdict.CORRECTED,
    paper="SP",
    note="A factor 2 at n = d = 2 and rho = 0, 1.25 at n = d = 4, below 1 % once n d > 400. Proof: ||X||^2 = n "
    "||mean||^2 + tr B, the "
    "mean is independent of B, and tr B is independent of ||B||^2/(tr B)^2.",
)


class Case(NamedTuple):
    """Sizes and draws; 0 draws for the exact sum."""

    layer: Layer
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Exact sums first, then draws."""
    full = level == "full"
    yield Case(Layer(2, 2, 2, 2), 0)
    yield Case(Layer(2, 2, 3, 2, 0.25), 0)
    yield Case(Layer(2, 3, 3, 3, -0.375), 0)
    if full:
        yield Case(Layer(3, 2, 2, 2, 0.375), 0)
        yield Case(Layer(3, 2, 2, 2, -0.25), 0)
    more = 8 if full else 1
    yield Case(Layer(2, 2, 2, 2, -0.9), 300000 * more)
    yield Case(Layer(4, 4, 4, 4), 100000 * more)
    yield Case(Layer(4, 4, 4, 4, 0.7, 0.5), 100000 * more)
    yield Case(Layer(8, 8, 8, 8, 0.2), 20000 * more)


def by_moments(case: Case) -> Estimate:
    """Isserlis sums of sixth order in fractions, or joint means of tokens drawn."""
    layer = case.layer
    scale = 1 / (layer.dk * layer.n**2)
    if not case.draws:
        _, sixth = scatter_moments(layer.n, layer.d, Fraction(layer.rho))
        return Estimate(scale * layer.sigma**6 * float(sixth))
    samples = []
    for part in range(10):
        X = tokens(layer, case.draws // 10, 83 + 1000 * part)
        R = X - X.mean(axis=1, keepdims=True)
        samples += list((X**2).sum(axis=(1, 2)) * ((R @ R.transpose(0, 2, 1)) ** 2).sum(axis=(1, 2)) * scale)
    return Estimate(*mean_and_error(samples))


def by_formula(case: Case) -> Estimate:
    """The library's exact value."""
    from seprank.signal.gaussian import query_norm
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens

    n, d, dk, dv, rho, sigma, _ = case.layer
    return Estimate(query_norm(GaussianTokens(n, d, rho, sigma), LayerSizes(d, dk, dv)))


def roads() -> Mapping[str, Road]:
    """The joint mean, twice."""
    return {"Isserlis in fractions, or tokens drawn": by_moments, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors, or up to rounding."""
    return first.agrees(other, relative=1e-12)


def _claim(factor: float) -> Claim:
    """Eq. 18 times 1 + factor (1 - rho)/(n d)."""

    def claim(case: Case, result: Estimate) -> bool:
        layer = case.layer
        value = eq18(layer) * (1 + factor * (1 - layer.rho) / (layer.n * layer.d))
        return result.agrees(Estimate(value), relative=1e-12)

    return claim


def printed(case: Case, result: Estimate) -> bool:
    """Eq. 18 as printed."""
    return result.agrees(Estimate(eq18(case.layer)), relative=1e-12)


def holds(case: Case, result: Estimate) -> bool:
    """Eq. 18 with its factor."""
    return result.agrees(Estimate(eq18_exact(case.layer)), relative=1e-12)


def mutants() -> Mapping[str, Claim]:
    """The printed value, and other factors."""
    return {"eq. 18 alone": printed, "1 + 2 (1 - rho)/(n d)": _claim(2.0), "1 + 6 (1 - rho)/(n d)": _claim(6.0)}
