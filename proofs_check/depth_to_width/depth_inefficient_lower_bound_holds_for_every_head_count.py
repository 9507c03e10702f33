"""Theorem 2's lower bound holds wherever it is stated, both parities of dx - H.   Source: levine2020depth, Theorem "
"2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from proofs_check.plain.logs import floor_log3
from proofs_check.plain.networks import Heads
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.thm2.lower",
    title="Theorem 2, lower bound: log3 sep >= dx L/2 + b_1 + b_2 for L > log3 dx",
    statement=r"$\log_3\mathrm{sep}(y^i_p)\ge\tfrac12d_xL+b_1+b_2$, $b_1=-L(\tfrac H2+1)$, "
    r"$b_2=-d_x(1+\tfrac12\log_3\tfrac{d_x-H}2)$, almost everywhere for $L>\log_3d_x$, $H<d_x$. Checked as: the least "
    r"whole "
    r"rank that it asks for is at most $\left(\!\binom{\lfloor(d_x+1)/2\rfloor}{3^{L-2}}\!\right)$, a proved lower "
    r"bound, "
    "and at most a measured rank.",
    source="levine2020depth, Theorem 2 (lower side)",
    scope="closed forms: dx = 2..26 and 40, 81, the four depths after log3 dx and L = 12, 24, every H < dx dividing "
    "dx; "
    "measured at random weights modulo a prime: dx = 6..12, L = 5..8, six cases that ask for a rank of 3 to 111",
    expected=Verdict.HOLDS,
    note="The form is empty at H = dx. It is weak: it is negative for many small sizes. Proved for all sizes through "
    "multiset(b, k) >= (k/n)^(n-1) at L >= 2, b = floor((dx+1)/2) >= n = (dx-H)/2; L = 1, dx = 2 asks for rank 1.",
)


class Sizes(NamedTuple):
    """An architecture, and whether a rank is measured."""

    L: int
    dx: int
    H: int
    measured: bool = False


MEASURED = ((5, 10, 1), (6, 8, 1), (6, 10, 2), (8, 6, 1), (6, 9, 1), (7, 12, 3))


def cases(level: str) -> Iterable[Sizes]:
    """From the first depth of the regime on, deep networks, odd and even dx - H, the largest H."""
    full = level == "full"
    for dx in (*range(2, 27), 40, 81) if full else (2, 3, 8, 9, 10, 26):
        first = next(L for L in range(1, 9) if 3**L > dx)
        for L in (first, first + 1, first + 2, first + 3, 12, 24) if full else (first, first + 3):
            if L <= 12 or dx <= 27:
                yield from (Sizes(L, dx, H) for H in range(1, dx) if dx % H == 0)
    for sizes in MEASURED if full else MEASURED[:2]:
        yield Sizes(*sizes, measured=True)


def square_asked(case: Sizes) -> Fraction:
    """The square of the rank that the form asks for, a fraction."""
    L, dx, H, _ = case
    return Fraction(3) ** (dx * L - L * (H + 2) - 2 * dx) * Fraction(2, dx - H) ** dx


def asked(case: Sizes) -> int:
    """The least whole rank whose log3 is at least the form, for small ones."""
    return next(r for r in range(1, 10**6) if r * r >= square_asked(case))


def by_fractions(case: Sizes) -> tuple[int, bool] | None:
    """log3 of the squared rank asked for, rounded down, and whether the proved one is no less."""
    if case.measured:
        return None
    k = 3 ** max(case.L - 2, 0)
    bound = case.dx + 1 if case.L == 1 else comb((case.dx + 1) // 2 + k - 1, (case.dx + 1) // 2 - 1)
    return floor_log3(square_asked(case)), bound**2 >= square_asked(case)


def closed_forms(case: Sizes) -> tuple[int, bool] | None:
    """The library's two bounds, by logarithms with 50 digits; floors within 1e-30 of an integer count as it."""
    if case.measured:
        return None
    from mpmath import mpf

    from proofs_check.plain.logs import real_floor
    from seprank.closed_forms.paper import all_heads_base, multiset_power, theorem2_lower

    arch = Architecture(case.L, case.dx, case.H)
    form = theorem2_lower(arch).log3
    bound = multiset_power(all_heads_base(arch), case.L).log3 if case.L > 1 else mpf(1)
    return real_floor(2 * form), bool(bound - form > -1e-30)


def gram_form(case: Sizes) -> tuple[int, int] | None:
    """The rank asked for, and the rank of a sample of that size, by the library."""
    if not case.measured:
        return None
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    arch = Architecture(case.L, case.dx, case.H)
    A, B = residues(1, "tokens", (2, asked(case), 1, case.dx), PRIME)
    return asked(case), full_rank(network_function(random_weights(arch, PRIME, 0), PRIME), A, B, PRIME).rank


def explicit_tokens(case: Sizes) -> tuple[int, int] | None:
    """The same by eq. 3 on explicit tokens and python-flint."""
    if not case.measured:
        return None
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    layers = layers_modulo(*Heads(*random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0)), PRIME)
    A, B = residues(1, "tokens", (2, asked(case), 1, case.dx), PRIME).tolist()
    return asked(case), value_rank(lambda x: output_entry(layers, x, PRIME), A, B, PRIME)


def roads() -> Mapping[str, Road]:
    """Two ways to the closed forms, two to the measured rank."""
    return {
        "fractions": by_fractions,
        "closed forms": closed_forms,
        "measured, Gram form": gram_form,
        "measured, eq. 3 in flint": explicit_tokens,
    }


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """The rank asked for is there."""
    return result[0] <= result[1] if case.measured else bool(result[1])


def mutants() -> Mapping[str, Claim]:
    """Corrections left out, against the proved rank; a claim about the strength of the form."""

    def stronger(case: Sizes, factor: Fraction) -> bool:
        k = 3 ** max(case.L - 2, 0)
        bound = case.dx + 1 if case.L == 1 else comb((case.dx + 1) // 2 + k - 1, k)
        return case.measured or bound**2 >= square_asked(case) * factor

    return {
        "b_1 = 0 follows from the multiset coefficient": lambda case, result: stronger(
            case, Fraction(3) ** (case.L * (case.H + 2))
        ),
        "b_2 = -dx follows from it": lambda case, result: stronger(case, Fraction(case.dx - case.H, 2) ** case.dx),
        "a rank above 1 is never asked for": lambda case, result: result[0] <= 1 if case.measured else result[0] <= 0,
    }
