"""Eq. 19 is true with at most two tokens on a side.   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from proofs_check.plain.explicit_networks import monomial, monomial_rank, some_rows
from proofs_check.plain.printed_bounds import choices, eq19, gaps
from proofs_check.plain.schur import side_A, side_B
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition

STATEMENT = Statement(
    id="NEW.eq19-true",
    title="Eq. 19 is true for all weights when one side has at most two tokens",
    statement=r"For $\min(N_A,N_B)\le2$: $\mathrm{sep}\le\left(\!\binom dC\!\right)\left(\!\binom{d+1}C\!\right)\le "
    r"d\left(\!\binom d{2C}\!\right)(\frac{2C}d+1)^d$, from $D_B(k)=\nu_k(\nu_k+1)/2$ and $D_A(c)=\nu_c\nu_{c+1}$ on "
    r"two tokens, $\nu_k=\left(\!\binom dk\!\right)$. The quotient of the last two is $\frac{d(d+C)}{d+2C}\prod_{i\le "
    r"d}(1+\frac{2C}d)(1-\frac{C^2}{(C+i)^2})\ge\frac d2e^{d\Phi(C/d)}$, and $\Phi\ge0$.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="dimensions at d <= 6, degree <= 8; the inequality in exact integers for d <= 32 and d = 48, 64, L <= 12; "
    "the quotient as an identity in C for d <= 12; Phi' symbolically, its sign and that of Phi in interval "
    "arithmetic; the Riemann sum is left to the note",
    expected=Verdict.HOLDS,
    note="docs/theory.md proves it for all sizes, residual networks included: the product is a right Riemann sum of an "
    "increasing function with integral Phi(C/d), Phi(0) = 0, and Phi'(c) = 2 (ln(1-t) + t/(1-t)) >= 0 at "
    "t = 1/(2c+2). For d <= 2 eq. 19 holds for any number of tokens. With three it fails: at d = 4, L = 11 a "
    "diagonal network that uses three rows of G is a mutant's counterexample.",
)


class Step(NamedTuple):
    """A step of the proof, with the width and one more number: degree, depth or nothing."""

    step: str
    d: int
    number: int = 0


def cases(level: str) -> Iterable[Step]:
    """Dimensions, inequality, quotient, Phi, and the network with three rows."""
    full = level == "full"
    for d in range(1, 7 if full else 5):
        yield from (Step(step, d, k) for step in ("D_B", "D_A") for k in range(9 if full else 5))
    for d in (*range(1, 33), 48, 64) if full else (1, 2, 3, 4, 8, 24):
        yield from (Step("two tokens", d, L) for L in range(1, 13 if full else 8))
    yield Step("three rows", 4, 11)
    yield from (Step("quotient", d) for d in range(1, 13 if full else 5))
    yield Step("Phi", 0)


def library(case: Step) -> Any:
    """The library's closed forms; sympy for the quotient and Phi."""
    from seprank.closed_forms import explicit, gram, rules
    from seprank.closed_forms.case import Case

    if case.step == "D_B":
        return gram.side_B_dimension(case.d, 2, case.number)
    if case.step == "D_A":
        return gram.side_A_dimension(case.d, 2, case.number)
    if case.step == "two tokens":
        rule = next(rule for rule in rules.RULES if rule.id == "gram.two-tokens")
        magnitude = rule.value(Case(Architecture(case.number, case.d), Partition(2, 2)))
        return None if magnitude is None or magnitude.exact is None else int(magnitude.exact()[0])
    if case.step == "three rows":
        exponents = explicit.diagonal_exponents(case.number, case.d, explicit.row_schedule(case.d, 3))
        exact = explicit.diagonal_rank(exponents).exact
        return None if exact is None else int(exact()[0])
    return _symbolic_quotient(case.d) if case.step == "quotient" else _symbolic_phi()


def _symbolic_quotient(d: int) -> bool:
    """Eq. 19 over the two-token bound, as rational functions of C."""
    import sympy

    C = sympy.Symbol("C")

    def multiset(n: int, k: Any) -> Any:
        return sympy.prod([k + i for i in range(1, n)]) / sympy.factorial(n - 1)

    left = d * multiset(d, 2 * C) * (2 * C / d + 1) ** d / (multiset(d, C) * multiset(d + 1, C))
    right = d * (d + C) / (d + 2 * C)
    for i in range(1, d + 1):
        right *= (1 + 2 * C / d) * (1 - C**2 / (C + i) ** 2)
    return bool(sympy.cancel(left - right) == 0)


def _symbolic_phi() -> bool:
    """Phi' = 2 (ln(1-t) + t/(1-t)) at t = 1/(2c+2), and Phi(0) = 0."""
    import sympy

    c = sympy.Symbol("c", positive=True)
    t = 1 / (2 * c + 2)
    phi = 2 * ((c + 1) * sympy.log((2 * c + 1) / (c + 1)) - c * sympy.log(2))
    rest = sympy.cancel(1 - t)  # (2c + 1)/(2c + 2)
    slope = 2 * (sympy.log(rest) + sympy.cancel(t / rest))
    difference = sympy.expand_log(sympy.diff(phi, c) - slope.subs(rest, (2 * c + 1) / (2 * (c + 1))), force=True)
    return bool(sympy.simplify(difference) == 0 and phi.subs(c, 0) == 0)


def plain(case: Step) -> Any:
    """Hook lengths, binomial coefficients, exponents carried forward; exact points and intervals for the rest."""
    if case.step in ("D_A", "D_B"):
        return (side_B if case.step == "D_B" else side_A)(case.d, 2, case.number)
    if case.step == "two tokens":
        C = gaps(case.number)
        return choices(case.d, C) * choices(case.d + 1, C)
    if case.step == "three rows":
        return monomial_rank(monomial(case.number, case.d, some_rows(case.d, 3)))
    return _quotient_at_points(case.d) if case.step == "quotient" else _phi_by_intervals()


def _quotient_at_points(d: int) -> bool:
    """Both sides at more values of C than the degrees of numerator and denominator (at most 4 d + 2) allow."""
    for C in range(1, 8 * d + 6):
        right = Fraction(d * (d + C), d + 2 * C)
        for i in range(1, d + 1):
            right *= (1 + Fraction(2 * C, d)) * (1 - Fraction(C**2, (C + i) ** 2))
        if eq19(d, C) / (choices(d, C) * choices(d + 1, C)) != right:
            return False
    return True


def _phi_by_intervals() -> bool:
    """Phi > 0 and Phi' > 0 at c = 1/1000, ..., 1000, in interval arithmetic."""
    from mpmath import iv

    for j in range(-12, 13):
        c = iv.mpf(1000) ** (iv.mpf(j) / 12)
        phi = 2 * ((c + 1) * iv.log((2 * c + 1) / (c + 1)) - c * iv.log(2))
        slope = 2 * (iv.log((2 * c + 1) / (2 * c + 2)) + 1 / (2 * c + 1))
        if not (phi.a > 0 and slope.a > 0):
            return False
    return True


def roads() -> Mapping[str, Road]:
    """Every step twice."""
    return {"library, sympy": library, "hook lengths and integers, points, intervals": plain}


def holds(case: Step, result: Any) -> bool:
    """The dimensions, the inequality, the identities; nothing is claimed for three rows."""
    nu, more = (choices(case.d, case.number + i) if case.d else 0 for i in (0, 1))
    claims = {
        "D_B": lambda: result == nu * (nu + 1) // 2,
        "D_A": lambda: result == nu * more,
        "two tokens": lambda: result <= eq19(case.d, gaps(case.number)),
        "three rows": lambda: True,
    }
    return claims[case.step]() if case.step in claims else result is True


def mutants() -> Mapping[str, Claim]:
    """Three tokens, and half the degree."""

    def three_tokens(case: Step, result: Any) -> bool:
        return case.step not in ("two tokens", "three rows") or result <= eq19(case.d, gaps(case.number))

    def half_degree(case: Step, result: Any) -> bool:
        if case.step != "two tokens":
            return True
        C = gaps(case.number)
        return result <= case.d * choices(case.d, C) * (Fraction(C, case.d) + 1) ** case.d

    def all_pairs(case: Step, result: Any) -> bool:
        return case.step != "D_B" or result == choices(case.d, case.number) ** 2

    return {
        "eq. 19 for three tokens a side": three_tokens,
        "C in place of 2C in eq. 19": half_degree,
        "D_B(k) = nu_k^2 on two tokens": all_pairs,
    }
