"""Transition sizes and their errors follow from the fit and one covariance.   Source: levine2020depth, section 5 "
"(eq. 10, 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from proofs_check.plain.transition import B_ROUNDED, COVARIANCE, ERROR_A, ERROR_B, A, B, digits
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.transition",
    title="The quoted transition sizes and errors follow from log d = a + b L with negatively correlated a and b",
    statement=r"$N(L)=12\,L\,e^{2a+2bL}$, $(\Delta N/N)^2=4(\sigma_a^2+L^2\sigma_b^2+2L\sigma_{ab})$ with "
    r"$a=5.039\pm0.030$, "
    r"$b=(5.551\pm0.13)\cdot10^{-2}$, $\sigma_{ab}=-3.7\cdot10^{-5}$ gives the text's $N(96)=1.17\pm0.23\cdot10^{12}$, "
    r"$N(80)=1.65\pm0.25\cdot10^{11}$ and $\Delta N/N=0.2$ at $L=100$.",
    source="levine2020depth, section 5 (eq. 10, 11 and Projecting to larger networks)",
    scope="L = 80, 96, 100, to the printed digits; every correlation in thousandths; every b in millionths at a = "
    "5.039",
    expected=Verdict.HOLDS,
    note="Eq. 10 and 11 were not at hand; their constants are recalled, and judged by the numbers in the text. "
    "Rounded as "
    "recalled, "
    "b = 0.0555 gives 1.16 and 1.64 in place of 1.17 and 1.65. With a = 5.039 both sizes, and depth 80 for 175e9 "
    "parameters, come out for b = 0.055509 to 0.055545. Independent errors give 0.27 at L = 100; a correlation from "
    "-0.958 "
    "to -0.936 gives all three errors; whether eq. 11 prints a covariance is not known here.",
)

QUOTED = {80: ("1.65E+11", "2.5E+10"), 96: ("1.17E+12", "2.3E+11")}
RELATIVE = {100: "2.0E-1"}  # printed as 0.2 and as "within 20%"


class Case(NamedTuple):
    """A depth with b and the covariance, or the question for the range of "b" or of the "correlation"."""

    L: int
    b: str = B
    covariance: str = COVARIANCE
    ask: str = "size"


def cases(level: str) -> Iterable[Case]:
    """The three depths with the fit, with independent errors, with b rounded; then the two ranges."""
    yield from (Case(L) for L in (80, 96, 100))
    yield from (Case(L, covariance="0") for L in (80, 96, 100))
    yield from (Case(L, b=B_ROUNDED) for L in (80, 96))
    yield from (Case(0, ask="correlation"), Case(0, ask="b"))


def with_decimals(case: Case) -> tuple[Any, ...]:
    """Decimal arithmetic of 40 digits and the written formula."""
    with localcontext() as context:
        context.prec = 40
        if case.ask == "size":
            return _decimal_numbers(case.L, Decimal(case.b), Decimal(case.covariance))
        if case.ask == "b":
            found = [b for b in range(55400, 55601) if _decimal_sizes_fit(Decimal(b) / 10**6)]
        else:
            unit = Decimal(ERROR_A) * Decimal(ERROR_B) / 1000
            found = [
                rho for rho in range(-1000, 1) if _fits(lambda L, rho=rho: _decimal_numbers(L, Decimal(B), rho * unit))
            ]
        return found[0], found[-1], len(found)


def _decimal_numbers(L: int, b: Decimal, covariance: Decimal) -> tuple[str, str, str]:
    size = 12 * L * (2 * Decimal(A) + 2 * b * L).exp()
    variance = 4 * (Decimal(ERROR_A) ** 2 + L * L * Decimal(ERROR_B) ** 2 + 2 * L * covariance)
    relative = getcontext().sqrt(variance)
    return digits(size, 3), digits(size * relative, 2), digits(relative, 2)


def _decimal_sizes_fit(b: Decimal) -> bool:
    sizes = {L: 12 * L * (2 * Decimal(A) + 2 * b * L).exp() for L in (80, 96)}
    # Depth 80 is the nearest to 175e9 parameters.
    nearest = 12 * Decimal("80.5") * (2 * Decimal(A) + 161 * b).exp() > 175 * 10**9
    return nearest and all(digits(sizes[L], 3) == QUOTED[L][0] for L in sizes)


def _fits(numbers: Any) -> bool:
    """Whether all errors of the text come out."""
    return all(numbers(L)[1] == QUOTED[L][1] for L in QUOTED) and numbers(100)[2] == RELATIVE[100]


def with_derivatives(case: Case) -> tuple[Any, ...]:
    """mpmath, 40 digits: gradient of N(a, b) by differences, J S J^T with the covariance matrix S."""
    import mpmath

    ctx = mpmath.MPContext()
    ctx.dps = 40

    def size(L: Any, a: Any, b: Any) -> Any:
        return 12 * L * ctx.exp(a + b * L) ** 2

    def numbers(L: int, b: Any, covariance: Any) -> tuple[str, str, str]:
        h, a = ctx.mpf(10) ** -15, ctx.mpf(A)
        gradient = ctx.matrix(
            [[(size(L, a + h, b) - size(L, a - h, b)) / (2 * h), (size(L, a, b + h) - size(L, a, b - h)) / (2 * h)]]
        )
        S = ctx.matrix([[ctx.mpf(ERROR_A) ** 2, covariance], [covariance, ctx.mpf(ERROR_B) ** 2]])
        error, value = ctx.sqrt((gradient * S * gradient.T)[0]), size(L, a, b)
        return digits(ctx.nstr(value, 20), 3), digits(ctx.nstr(error, 20), 2), digits(ctx.nstr(error / value, 20), 2)

    if case.ask == "size":
        return numbers(case.L, ctx.mpf(case.b), ctx.mpf(case.covariance))
    if case.ask == "b":
        found = [b for b in range(55400, 55601) if _sizes_fit(size, ctx.mpf(A), ctx.mpf(b) / 10**6, ctx)]
    else:
        unit = ctx.mpf(ERROR_A) * ctx.mpf(ERROR_B) / 1000
        found = [rho for rho in range(-1000, 1) if _fits(lambda L, rho=rho: numbers(L, ctx.mpf(B), rho * unit))]
    return found[0], found[-1], len(found)


def _sizes_fit(size: Any, a: Any, b: Any, ctx: Any) -> bool:
    quoted = all(digits(ctx.nstr(size(L, a, b), 20), 3) == QUOTED[L][0] for L in QUOTED)
    return bool(quoted and size(ctx.mpf("80.5"), a, b) > ctx.mpf("175e9"))


def roads() -> Mapping[str, Road]:
    """Size, error and relative error, or a range, twice."""
    return {"written formula, decimals": with_decimals, "gradient and covariance matrix": with_derivatives}


def holds(case: Case, result: tuple[Any, ...]) -> bool:
    """The text's numbers with the fit; other numbers without the covariance or with b rounded; the ranges."""
    if case.ask != "size":
        return result == RANGES[case.ask]
    if case.b == B_ROUNDED:
        return result[0] == {80: "1.64E+11", 96: "1.16E+12"}[case.L]
    if Fraction(case.covariance) == 0:
        return result[2] == {80: "2.2E-1", 96: "2.6E-1", 100: "2.7E-1"}[case.L]
    return result[:2] == QUOTED[case.L] if case.L in QUOTED else result[2] == RELATIVE[case.L]


RANGES = {"correlation": (-958, -936, 23), "b": (55509, 55545, 37)}


def mutants() -> Mapping[str, Claim]:
    """The quoted numbers from other readings of the fit."""

    def independent(case: Case, result: tuple[Any, ...]) -> bool:
        return case.covariance != "0" or case.L not in RELATIVE or result[2] == RELATIVE[case.L]

    def rounded(case: Case, result: tuple[Any, ...]) -> bool:
        return case.b != B_ROUNDED or result[0] == QUOTED[case.L][0]

    def not_squared(case: Case, result: tuple[Any, ...]) -> bool:
        size = 12 * case.L * (Decimal(A) + Decimal(case.b) * case.L).exp()
        return case.ask != "size" or digits(size, 3) == result[0]

    return {
        "independent errors give 0.20 at L = 100": independent,
        "b = 0.0555 gives the quoted sizes": rounded,
        "N = 12 L d, the width not squared": not_squared,
    }
