"""The value Jacobian of Gaussian tokens, sigma^2 d dv (1 + rho (n - 1)).   Source: noci2022signal, eq. 17."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens
from proofs_check.plain.signal_formulas import eq17
from proofs_check.plain.signal_isserlis import moment
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq17",
    title="Eq. 17: for Gaussian tokens E ||dS/dWV||^2 = sigma^2 d dv (1 + rho (n - 1))",
    statement=r"Uniform attention, Gaussian tokens with variance $\sigma_x^2$ and correlation $\rho$: "
    r"$\mathbb E\|\partial S/\partial W_V\|_F^2=\sigma_x^2dd_v(1+\rho(n-1))$.",
    source="noci2022signal, eq. 17",
    scope="n = 2 to 16, d = 2 to 64, rho from -1/(n - 1) to 1; draws within 5 standard errors, second moments in "
    "exact fractions "
    "to 1e-12, relative",
    expected=Verdict.HOLDS,
    paper="SP",
)


class Case(NamedTuple):
    """Sizes and draws."""

    layer: Layer
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Both ends of the correlation."""
    more = 10 if level == "full" else 1
    yield Case(Layer(2, 2, 2, 2), 40000 * more)
    yield Case(Layer(3, 2, 2, 5, -0.5, 1.5), 40000 * more)
    yield Case(Layer(4, 4, 4, 3, 0.7, 0.5), 20000 * more)
    yield Case(Layer(16, 64, 64, 64, 0.25), 1000 * more)
    yield Case(Layer(5, 3, 3, 3, 1.0), 20000 * more)


def by_draws(case: Case) -> Estimate:
    """dv ||J X/n||^2 of tokens drawn."""
    n = case.layer.n
    X = tokens(case.layer, case.draws, 81)
    return Estimate(*mean_and_error(case.layer.dv * n * (X.sum(axis=1) ** 2).sum(axis=1) / n**2))


def by_moments(case: Case) -> Estimate:
    """Second moments in fractions, every pair of tokens."""
    n, d, _, dv, rho, sigma, _ = case.layer
    total = sum(moment(((k, 0), (m, 0)), Fraction(rho)) for k in range(n) for m in range(n))
    return Estimate(float(Fraction(dv) * Fraction(sigma) ** 2 * d * total / n))


def by_formula(case: Case) -> Estimate:
    """The library's closed form."""
    from seprank.signal.gaussian import value_norm
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens

    n, d, dk, dv, rho, sigma, _ = case.layer
    return Estimate(value_norm(GaussianTokens(n, d, rho, sigma), LayerSizes(d, dk, dv)))


def roads() -> Mapping[str, Road]:
    """The expectation, three times."""
    return {"tokens drawn": by_draws, "moments in fractions": by_moments, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors."""
    return _near(first, other.value)


def _near(result: Estimate, value: float) -> bool:
    """Up to errors and rounding; at rho = -1/(n - 1) the value is 0."""
    return result.agrees(Estimate(value), relative=1e-12) or abs(result.value - value) < 1e-12


def holds(case: Case, result: Estimate) -> bool:
    """Eq. 17."""
    return _near(result, eq17(case.layer))


def mutants() -> Mapping[str, Claim]:
    """Other counts of pairs."""

    def pairs(case: Case, result: Estimate, count: int) -> bool:
        layer = case.layer
        return _near(result, layer.sigma**2 * layer.d * layer.dv * (1 + layer.rho * count))

    return {
        "1 + rho n": lambda case, result: pairs(case, result, case.layer.n),
        "1 - rho (n - 1)": lambda case, result: pairs(case, result, 1 - case.layer.n),
    }
