"""Norm and scatter taken as independent give eq. 18.   Source: noci2022signal, eq. 18, appendix A.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens
from proofs_check.plain.signal_formulas import eq18
from proofs_check.plain.signal_isserlis import scatter_moments
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq18.independent",
    title="Eq. 18 is what E ||X||^2 E ||B||^2 gives, norm and scatter taken as independent",
    statement=r"$\frac{\sigma_v^2\sigma_k^2d_v}{n^2}\,\mathbb E\|X\|_F^2\;\mathbb E\|X^\top X-n\bar x\bar "
    r"x^\top\|_F^2=\sigma_x^6\sigma_v^2"
    r"\sigma_k^2d_vd^2(1-\rho)^2\frac{(n-1)(n+d)}n$; the second mean is $\sigma_x^4(1-\rho)^2d(n-1)(n+d)$.",
    source="noci2022signal, eq. 18 and appendix A.2",
    scope="n = 2 to 8, d = 2 to 8, rho = -0.4 to 0.7; Isserlis sums in exact fractions to 1e-12, draws within 5 "
    "standard errors and "
    "0.5 %",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Its Xavier form needs d_k = d, not d_v = d alone. In the three terms of its proof b' is printed twice as a "
    "summation index; "
    "it runs over a, a', b, b'. The independence itself fails: SP.eq18.",
)


class Case(NamedTuple):
    """Sizes and draws."""

    layer: Layer
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Small sizes, where exact sums are short, and larger ones."""
    more = 10 if level == "full" else 1
    yield Case(Layer(2, 2, 2, 2, 0.25), 0)
    yield Case(Layer(2, 3, 5, 4, -0.375), 0)
    yield Case(Layer(3, 2, 2, 2, 0.5), 0)
    yield Case(Layer(4, 4, 4, 4), 100000 * more)
    yield Case(Layer(8, 8, 8, 8, 0.25), 20000 * more)


def _weights(layer: Layer) -> float:
    return 1 / (layer.dk * layer.n**2)


def by_moments(case: Case) -> Estimate:
    """Draws of tokens, or Isserlis sums in fractions."""
    layer = case.layer
    if not case.draws:
        fourth, _ = scatter_moments(layer.n, layer.d, Fraction(layer.rho))
        return Estimate(_weights(layer) * layer.sigma**6 * layer.n * layer.d * float(fourth))
    X = tokens(layer, case.draws, 82)
    R = X - X.mean(axis=1, keepdims=True)
    norm, norm_error = mean_and_error((X**2).sum(axis=(1, 2)))
    scatter, scatter_error = mean_and_error(((R @ R.transpose(0, 2, 1)) ** 2).sum(axis=(1, 2)))
    value = norm * scatter * _weights(layer)
    return Estimate(value, value * ((norm_error / norm) ** 2 + (scatter_error / scatter) ** 2) ** 0.5)


def by_formula(case: Case) -> Estimate:
    """The library's eq. 18."""
    from seprank.signal.gaussian import query_norm_printed
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens

    n, d, dk, dv, rho, sigma, _ = case.layer
    return Estimate(query_norm_printed(GaussianTokens(n, d, rho, sigma), LayerSizes(d, dk, dv)))


def roads() -> Mapping[str, Road]:
    """The product of means, twice."""
    return {"Isserlis in fractions, or tokens drawn": by_moments, "library": by_formula}


def _relative(case: Case) -> float:
    return 0.005 if case.draws else 1e-12


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors and 0.5 %, or up to rounding."""
    return first.agrees(other, relative=_relative(case))


def holds(case: Case, result: Estimate) -> bool:
    """Eq. 18."""
    return result.agrees(Estimate(eq18(case.layer)), relative=_relative(case))


def mutants() -> Mapping[str, Claim]:
    """Other degrees of freedom, another power."""

    def all_degrees(case: Case, result: Estimate) -> bool:
        n, d = case.layer.n, case.layer.d
        wrong = eq18(case.layer) * n * (n + d + 1) / ((n - 1) * (n + d))
        return result.agrees(Estimate(wrong), relative=_relative(case))

    return {
        "n (n + d + 1) in place of (n - 1)(n + d)": all_degrees,
        "1 - rho, not squared": is_number(lambda case: eq18(case.layer) / (1 - case.layer.rho), 0.005),
    }
