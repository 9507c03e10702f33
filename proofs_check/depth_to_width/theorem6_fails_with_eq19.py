"""Theorem 6 is false for deep networks with skip connections.   Source: levine2020depth, Theorem 6 (A.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import factorial
from typing import Any, NamedTuple

import flint

from proofs_check.depth_to_width._ranks import SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.explicit_networks import monomial, monomial_rank, shifts
from proofs_check.plain.printed_bounds import eq19, gaps, long_gram
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

FIRST = dict(zip(range(4, 17), (12, 9, *[8] * 11), strict=True))

STATEMENT = Statement(
    id="D2W.thm6",
    title="Theorem 6, skip connections, fails for deep networks; the Gram bound holds in its place",
    statement=r"Printed: $\mathrm{sep}(\text{residual})\le(C+1)\,d\left(\!\binom d{2C}\!\right)(\frac{2C}d+1)^d$. "
    r"Mended: $\mathrm{sep}(\text{residual})\le$ Gram bound. The printed form is true for $d\le3$, where it is above "
    r"$\binom{s+C}s\ge$ Gram bound.",
    source="levine2020depth, Theorem 6 (A.4)",
    scope="shift-schedule networks, d = H = 3..16, long input, L <= 14, exact integers: first above the printed form "
    "at L = 12 (d = 4), 9 (d = 5), 8 (d = 6 to 16), never for d = 3; residual ranks of these networks measured at d "
    "<= 3, L <= 3; d <= 3: coefficients of the difference as a polynomial in C",
    expected=Verdict.CORRECTED,
    note="The rank with skip connections is at least the plain one of the same weights (NEW.residual), which is the "
    "result of a case without measurement. True for min(NA, NB) <= 2 as well, since eq. 19 is and the Gram bound "
    "needs no factor C + 1.",
)


class Sizes(NamedTuple):
    """What is computed ("rank", "measured", "polynomial"), width, depth."""

    what: str
    d: int
    L: int = 0


def cases(level: str) -> Iterable[Sizes]:
    """Polynomials, measured ranks, closed ranks."""
    full = level == "full"
    yield from (Sizes("polynomial", d) for d in (1, 2, 3, 4))
    yield from (
        Sizes("measured", d, L) for d, L in [(1, 2), (2, 1), (2, 2), (3, 2)] + ([(2, 3), (3, 3)] if full else [])
    )
    yield from (Sizes("rank", d, L) for d in range(3, 17) if full or d < 7 for L in range(1, 15))


def _measured(case: Sizes) -> tuple[Any, int, int, int]:
    weights = weights_of_kind("shift", Architecture(case.L, case.d, case.d, residual=True))
    return weights, case.d, case.d, min(long_gram(case.d, gaps(case.L)), 2 * _closed(case)) + SPARE


def _closed(case: Sizes) -> int:
    return monomial_rank(monomial(case.L, case.d, shifts(case.d)))


def library(case: Sizes) -> Result:
    """The library's closed rank or measured rank; sympy for the polynomial."""
    from seprank.closed_forms import explicit

    if case.what == "polynomial":
        return _by_sympy(case.d)
    if case.what == "measured":
        return library_rank(*_measured(case))
    exponents = explicit.diagonal_exponents(case.L, case.d, explicit.shift_schedule(case.d))
    exact = explicit.diagonal_rank(exponents).exact
    return -1 if exact is None else int(exact()[0])


def _by_sympy(d: int) -> tuple[str, ...]:
    import sympy

    C = sympy.Symbol("C")
    s = d * (d + 1) // 2
    bound = (C + 1) * d * sympy.prod([2 * C + i for i in range(1, d)]) / sympy.factorial(d - 1) * (2 * C / d + 1) ** d
    rest = bound - sympy.prod([C + i for i in range(1, s + 1)]) / sympy.factorial(s)
    return tuple(str(coefficient) for coefficient in reversed(sympy.Poly(rest, C).all_coeffs()))


def plain(case: Sizes) -> Result:
    """Exponents carried forward, eq. 3 with skip connections, or polynomials in python-flint."""
    if case.what == "measured":
        return attention_rank(*_measured(case))
    if case.what == "rank":
        return _closed(case)
    d, s = case.d, case.d * (case.d + 1) // 2
    bound, above = flint.fmpq_poly([d, d]), flint.fmpq_poly([1])
    for i in range(1, d):
        bound *= flint.fmpq_poly([i, 2])
    bound *= flint.fmpq_poly([1, flint.fmpq(2, d)]) ** d
    for i in range(1, s + 1):
        above *= flint.fmpq_poly([i, 1])
    return tuple(map(str, (bound / factorial(d - 1) - above / factorial(s)).coeffs()))


def roads() -> Mapping[str, Road]:
    """Ranks and polynomials, twice."""
    return {"library, or sympy": library, "forward recursion, eq. 3, or python-flint": plain}


def _theorem6(case: Sizes) -> Any:
    return (gaps(case.L) + 1) * eq19(case.d, gaps(case.L))


def _positive(result: Result) -> bool:
    return not any(coefficient.startswith("-") for coefficient in result)


def printed(case: Sizes, result: Result) -> bool:
    """Theorem 6 as printed."""
    return case.what == "polynomial" or result <= _theorem6(case)


def holds(case: Sizes, result: Result) -> bool:
    """The Gram bound; the printed form for d <= 3; the first depths of the scope."""
    if case.what == "polynomial":
        return _positive(result) or case.d > 3
    if case.what == "measured":
        return _closed(case) <= result <= long_gram(case.d, gaps(case.L))
    first = result <= _theorem6(case) or case.L >= FIRST[case.d]
    return first and result <= long_gram(case.d, gaps(case.L)) and (case.d > 3 or result <= _theorem6(case))


def mutants() -> Mapping[str, Claim]:
    """Other scopes."""
    return {
        "true for d = 4 as well": lambda case, result: case.d > 4 or printed(case, result),
        "the polynomial of d = 4 has no negative coefficient": lambda case, result: (
            case.what != "polynomial" or _positive(result)
        ),
        "false as soon as eq. 19 is (L = 7 at d = 5)": lambda case, result: (
            case.what != "rank" or (case.d, case.L) != (5, 7) or result > _theorem6(case)
        ),
    }
