"""With 1/sqrt(L) scaling the correlation has a limit below 1.   Source: noci2022signal, Theorem 3.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import mpmath

from proofs_check.estimate import Estimate
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.thm3.2.limit",
    title="Theorem 3.2, limit: for alpha1^2 = a1/L the correlation tends to (rho_0 + c h)/(1 + c h), c = e^a1 - 1",
    statement=r"$\lim_L\rho_L=\frac{\rho_0+(e^{a_1}-1)h}{1+(e^{a_1}-1)h}=\frac{ne^{a_1}C}{(n-1)((e^{a_1}-1)C"
    r"+nN)}-\frac1{n-1}$ with "
    r"$C=C(X_0)$, $N=\|X_0\|_F^2$, $h=C/(nN)$; "
    r"$\rho_L-\rho_\infty\approx-\frac{a_1^2}{2L}\frac{e^{a_1}h(1-\rho_0)}{(1+(e^{a_1}-1)h)^2}$.",
    source="noci2022signal, Theorem 3.2",
    scope="n = 2 to 64, rho_0 from -1/(n - 1) to 0.9, a1 = 0.25 to 4; both forms and the closed form at L = 10^30 to "
    "1e-12, the "
    "finite-depth error at L = 10^6 to 1e-4, relative",
    expected=Verdict.HOLDS,
    paper="SP",
    note="'Preserved' means bounded away from 1: rho_0 = 0.5, n = 16, a1 = 1 gives 0.74. The finite-depth error is "
    "ours.",
)

DIGITS = 80


class Case(NamedTuple):
    """Tokens, input correlation (as a fraction of its digits), a1; the limit, or L times the finite-depth error."""

    n: int
    rho: float
    a1: float
    ask: str


def cases(level: str) -> Iterable[Case]:
    """Both ends of the correlation, small and large a1."""
    grid = [(4, 0.0, 1.0), (8, -0.125, 0.25), (16, 0.5, 1.0), (2, 0.9, 4.0), (64, 0.1, 2.0)]
    if level == "full":
        grid += [(n, rho, a1) for n in (3, 12) for rho in (-0.0625, 0.0, 0.3) for a1 in (0.5, 3.0)]
    for n, rho, a1 in grid:
        yield from (Case(n, rho, a1, ask) for ask in ("limit", "error"))


def library(case: Case) -> Estimate:
    """The library's limit, and its leading error times L."""
    from seprank.signal.correlation import correlation_limit, finite_depth_error

    if case.ask == "limit":
        return Estimate(correlation_limit(case.rho, case.n, case.a1))
    return Estimate(finite_depth_error(case.rho, case.n, 1, case.a1))


def by_recursion(case: Case) -> Estimate:
    """The recursion of C and N for equal norms at a huge depth, 80 digits."""
    ctx = mpmath.MPContext()
    ctx.dps = DIGITS
    L = 10**30 if case.ask == "limit" else 10**6
    n, a1 = case.n, ctx.mpf(case.a1)
    C = n * (1 + (n - 1) * ctx.mpf(case.rho))
    # N grows by alpha1^2 C_l/n a layer, a geometric sum; C by the factor 1 + alpha1^2.
    factor = (1 + a1 / L) ** L
    N = n + C * (factor - 1) / n
    rho = (factor * C - N) / ((n - 1) * N)
    if case.ask == "limit":
        return Estimate(float(rho))
    return Estimate(float(L * (rho - _limit(ctx, case))))


def _limit(ctx: Any, case: Case, a: float | None = None) -> Any:
    """The second form, in C and N."""
    n, grown = case.n, ctx.exp(ctx.mpf(case.a1 if a is None else a))
    C, N = n * (1 + (n - 1) * ctx.mpf(case.rho)), ctx.mpf(n)
    return n * grown * C / ((n - 1) * ((grown - 1) * C + n * N)) - ctx.mpf(1) / (n - 1)


def roads() -> Mapping[str, Road]:
    """The limit, or L (rho_L - rho_inf), twice."""
    return {"recursion of C and N at huge depth": by_recursion, "library": library}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """To 1e-12, or to the next order in 1/L."""
    return _near(case, first.value, other.value)


def _near(case: Case, found: float, claimed: float) -> bool:
    return abs(found - claimed) <= (1e-12 if case.ask == "limit" else 1e-4 * max(abs(claimed), 1e-3))


def _claim(case: Case, a: float | None = None, halved: bool = False) -> float:
    ctx = mpmath.MPContext()
    ctx.dps = DIGITS
    if case.ask == "limit":
        return float(_limit(ctx, case, a))
    h = (1 + (case.n - 1) * case.rho) / case.n
    grown = float(ctx.exp(case.a1))
    lead = case.a1**2 / (1 if halved else 2)
    return -lead * grown * h * (1 - case.rho) / (1 + (grown - 1) * h) ** 2


def holds(case: Case, result: Estimate) -> bool:
    """The second form of the limit, the stated error."""
    return _near(case, result.value, _claim(case))


def mutants() -> Mapping[str, Claim]:
    """Other exponents."""
    return {
        "e^(a1 + a2) with a2 = a1": lambda case, result: _near(case, result.value, _claim(case, 2 * case.a1)),
        "a1^2/L in the finite-depth error": lambda case, result: _near(case, result.value, _claim(case, halved=True)),
    }
