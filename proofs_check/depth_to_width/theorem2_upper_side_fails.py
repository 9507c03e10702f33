"""Theorem 2's upper side follows from eq. 19 and fails with it.   Source: levine2020depth, Theorem 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.plain.explicit_networks import monomial, monomial_rank, shifts
from proofs_check.plain.printed_bounds import E_HIGH, E_LOW, eq19, gaps, long_gram, theorem2
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.thm2.upper",
    title="Theorem 2, upper bound, fails for deep networks; the growth in depth is at most dx (dx + 1)/2 L",
    statement=r"Printed, for $L>\log_3d_x$: $\log_3\mathrm{sep}\le2d_xL+c_1+c_2$, $c_1=L$, "
    r"$c_2=-2d_x\log_3\frac{d_x}{2\sqrt{2e}}+\log_3d_x$; eq. 19, Lemma 4 and $d_x\le3^L$ would give $2d_xL+c_2$. "
    r"Mended: $\log_3\mathrm{sep}\le\log_3(\text{Gram bound})\le\frac{d_x(d_x+1)}2L$.",
    source="levine2020depth, Theorem 2 (upper side)",
    scope="shift-schedule networks, long input, d = H = 3..16, every L from the least with 3^L > d to 14 (d = 4: to "
    "33), in exact integers with e between two rationals that differ by less than 10^-47; the derivation as "
    "exponents of 3^L, 2, e and d at d <= 16, and as an inequality of exact fractions at L <= 8",
    expected=Verdict.CORRECTED,
    note="Proved true for min(NA, NB) <= 2, for d <= 3, and for d = 4 with 3 tokens on a side; false for large L if "
    "d = H and d >= 5 with 3 tokens a side or d = 4 with 4 (NEW.thm2-false has the first depths, NEW.heads-false "
    "fewer heads). The derivation from eq. 19 is right, and c_1 is not needed in it.",
)


class Sizes(NamedTuple):
    """Width and depth; depth 0 asks for the derivation."""

    d: int
    L: int


def cases(level: str) -> Iterable[Sizes]:
    """The derivation, then ranks of networks."""
    full = level == "full"
    for d in range(1, 17) if full else (1, 2, 3, 5, 8):
        yield Sizes(d, 0)
    for d in range(3, 17) if full else (3, 4, 5, 8):
        deepest = 33 if d == 4 else 14
        yield from (Sizes(d, L) for L in range(2 if d < 9 else 3, deepest + 1))


def library(case: Sizes) -> Result:
    """The library's rank of the shift network; sympy for the derivation."""
    from seprank.closed_forms import explicit

    if case.L == 0:
        return _by_sympy(case.d)
    exponents = explicit.diagonal_exponents(case.L, case.d, explicit.shift_schedule(case.d))
    exact = explicit.diagonal_rank(exponents).exact
    return -1 if exact is None else int(exact()[0])


def _by_sympy(width: int) -> tuple[int, ...]:
    """Exponents of 3^L, 2, e, d in d (2e (d + 2C)/d)^d ((2C + d)/d)^d with 2C + d replaced by 2 3^L."""
    import sympy

    d, power, two = sympy.symbols("d power two", positive=True)
    total = two * power  # 2C + d = 3^L - 1 + d <= 2 3^L
    lemma4, factor = (two * sympy.E * total / d) ** d, (total / d) ** d
    logarithm = sympy.expand_log(sympy.log(d * lemma4 * factor), force=True)
    parts = sympy.expand(logarithm)
    found = [parts.coeff(sympy.log(power)), parts.coeff(sympy.log(two)), None, parts.coeff(sympy.log(d))]
    logs = ((0, power), (1, two), (3, d))
    found[2] = sympy.simplify(parts - sum(found[i] * sympy.log(symbol) for i, symbol in logs))
    return tuple(int(coefficient.subs(d, width)) for coefficient in found)


def plain(case: Sizes) -> Result:
    """Exponents carried forward; for the derivation those of the printed constant c_2."""
    if case.L:
        return monomial_rank(monomial(case.L, case.d, shifts(case.d)))
    # 3^(2 d L) d (2 sqrt(2 e) / d)^(2 d): sqrt(2 e) squared is 2 e
    d = case.d
    return (2 * d, 2 * d + d, d, 1 - 2 * d)


def roads() -> Mapping[str, Road]:
    """Ranks, and the derivation forwards and backwards."""
    return {"library, or sympy": library, "forward recursion, or the exponents in c_2": plain}


def printed(case: Sizes, result: Result) -> bool:
    """Theorem 2 as printed."""
    return case.L == 0 or result <= theorem2(case.d, case.L, E_HIGH)


def holds(case: Sizes, result: Result) -> bool:
    """The Gram bound and 3^(s L); the derivation: eq. 19 is at most Theorem 2 without c_1 wherever d <= 3^L."""
    if case.L:
        return result <= long_gram(case.d, gaps(case.L)) <= 3 ** (case.d * (case.d + 1) // 2 * case.L)
    depths = [L for L in range(1, 9) if case.d <= 3**L]
    return E_HIGH - E_LOW < Fraction(1, 10**47) and all(
        eq19(case.d, gaps(L)) <= theorem2(case.d, L, E_LOW) / 3**L for L in depths
    )


def mutants() -> Mapping[str, Claim]:
    """Another constant, and other repairs."""

    def other_constant(case: Sizes, result: Result) -> bool:
        return case.L > 0 or result == (2 * case.d, 2 * case.d, 2 * case.d, 1 - 2 * case.d)

    def one_more_layer(case: Sizes, result: Result) -> bool:
        return case.L == 0 or result <= 3**case.d * theorem2(case.d, case.L, E_HIGH)

    return {
        "c_2 with 2e in place of 2 sqrt(2e)": other_constant,
        "a factor 3^dx, half a layer, repairs it": one_more_layer,
    }
