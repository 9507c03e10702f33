"""Theorem 1's lower bound holds wherever it is stated, both parities of dx - H.   Source: levine2020depth, Theorem "
"1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, comb
from typing import NamedTuple

from proofs_check.plain.networks import Heads
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.thm1.lower",
    title="Theorem 1, lower bound: log3 sep >= 3^(L-2) (log3(dx - H) + a) for L < log3 dx",
    statement=r"$\log_3\mathrm{sep}(y^i_p)\ge3^{L-2}\bigl(\log_3(d_x-H)+a\bigr)$, $a=-L+2-\log_32$, almost everywhere "
    r"for "
    r"$L<\log_3d_x$. Checked as: the least whole rank that it asks for is at most "
    r"$\left(\!\binom{\lfloor(d_x+1)/2\rfloor}"
    r"{3^{L-2}}\!\right)$ ($d_x+1$ at $L=1$), a proved lower bound, and at most a measured rank.",
    source="levine2020depth, Theorem 1 (lower side)",
    scope="closed forms: L <= 5, dx from 3^L + 1 to 3^L + 12 and 2 3^L, 4 3^L, every H < dx dividing dx; measured: L "
    "= 1, "
    "dx = 4..8, L = 2, dx = 10..16, and (L, dx, H) = (3, 28, 7), (3, 28, 14), random weights modulo a prime",
    expected=Verdict.HOLDS,
    note="The printed proof needs L >= 2 and dx - H even; NEW.lower covers every parity, and L = 1 has rank dx + 1. "
    "Proved for all sizes that way.",
)


class Sizes(NamedTuple):
    """An architecture, and whether a rank is measured."""

    L: int
    dx: int
    H: int
    measured: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """From the least width of every depth on; odd and even dx - H; the largest H."""
    full = level == "full"
    for L in range(1, 6 if full else 5):
        widths = (*range(3**L + 1, 3**L + 13), 2 * 3**L, 4 * 3**L) if full else (3**L + 1, 3**L + 2, 2 * 3**L)
        yield from (Sizes(L, dx, H) for dx in widths for H in range(1, dx) if dx % H == 0)
    one = [(1, dx, H) for dx in range(4, 9) for H in range(1, dx) if dx % H == 0]
    two = [(2, dx, H) for dx in range(10, 17) for H in range(1, dx) if dx % H == 0]
    three = [(3, 28, 7), (3, 28, 14)]
    for sizes in one + two + three if full else [(1, 4, 2), (1, 5, 1), (2, 10, 1), (2, 10, 5), (3, 28, 14)]:
        yield Sizes(*sizes, measured=True)


def asked(case: Sizes) -> int:
    """The least whole number whose log3 is at least the form, by fractions."""
    gap, k = case.dx - case.H, 3 ** max(case.L - 2, 0)
    if case.L == 1:
        return next(r for r in range(1, gap + 2) if 2 * r**3 >= 3 * gap)
    return ceil(Fraction(gap, 2 * k) ** k)


def by_fractions(case: Sizes) -> tuple[int, int] | None:
    """The rank asked for and the proved one, in whole numbers."""
    if case.measured:
        return None
    k = 3 ** max(case.L - 2, 0)
    return asked(case), case.dx + 1 if case.L == 1 else comb((case.dx + 1) // 2 + k - 1, k)


def closed_forms(case: Sizes) -> tuple[int, int] | None:
    """The library's two bounds."""
    if case.measured:
        return None
    from seprank.closed_forms.magnitude import integer_root
    from seprank.closed_forms.paper import all_heads_base, multiset_power, theorem1_lower

    arch = Architecture(case.L, case.dx, case.H)
    form = theorem1_lower(arch).exact
    base, root = (Fraction(0), 1) if form is None else form()
    below = integer_root(base.numerator // base.denominator, root)
    least = below if Fraction(below) ** root == base else below + 1
    bound = multiset_power(all_heads_base(arch), case.L).exact if case.L > 1 else None
    return least, case.dx + 1 if bound is None else int(bound()[0])


def gram_form(case: Sizes) -> tuple[int, int] | None:
    """The rank asked for, and the rank of a sample of that size (of size dx + 2 at L = 1), by the library."""
    if not case.measured:
        return None
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    arch = Architecture(case.L, case.dx, case.H)
    A, B = residues(1, "tokens", (2, _size(case), 1, case.dx), PRIME)
    return asked(case), full_rank(network_function(random_weights(arch, PRIME, 0), PRIME), A, B, PRIME).rank


def explicit_tokens(case: Sizes) -> tuple[int, int] | None:
    """The same by eq. 3 on explicit tokens and python-flint."""
    if not case.measured:
        return None
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    layers = layers_modulo(*Heads(*random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0)), PRIME)
    A, B = residues(1, "tokens", (2, _size(case), 1, case.dx), PRIME).tolist()
    return asked(case), value_rank(lambda x: output_entry(layers, x, PRIME), A, B, PRIME)


def _size(case: Sizes) -> int:
    return case.dx + 2 if case.L == 1 else asked(case)


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
    return result[0] <= result[1]


def mutants() -> Mapping[str, Claim]:
    """Bounds that the proof does not give, on the closed forms (a measured sample is no larger than asked)."""

    def without_log_two(case: Sizes, result: tuple[int, int]) -> bool:
        k = 3 ** max(case.L - 2, 0)
        return case.measured or case.L == 1 or Fraction(case.dx - case.H, k) ** k <= result[1]

    def one_layer_more(case: Sizes, result: tuple[int, int]) -> bool:
        return case.measured or result[0] ** 3 <= result[1]

    return {
        "a = -L + 2 follows from the multiset coefficient": without_log_two,
        "exponent 3^(L-1) follows from it": one_layer_more,
        "a rank above 1 is never asked for": lambda case, result: result[0] <= 1,
    }
