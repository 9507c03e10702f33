"""Theorem 5: the closed form of its recursion, and why it is true.   Source: levine2020depth, Theorem 5 (A.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import NamedTuple

from proofs_check.depth_to_width._ranks import SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.printed_bounds import gaps, long_gram
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="D2W.thm5",
    title="Theorem 5, skip connections: the bound L l_L in closed form, true because it is above the Gram bound",
    statement=r"$\mathrm{sep}(\text{residual})\le L\,\ell_L$, $\ell_1=\frac{Nd^4}H$, "
    r"$\ell_l=\frac{Nd^4}H(l\,\ell_{l-1})^3$, that is $\ell_L=(\frac{Nd^4}H)^{C}\prod_{l=2}^Ll^{\,3^{L-l+1}}$. For "
    r"$N\ge2$, $d\ge1$: $\ell_L\ge(d+1)^C\ge$ Gram bound.",
    source="levine2020depth, Theorem 5 (A.4)",
    scope="recursion and product in exact integers: L <= 6, dx = 1, 2, 3, 4, 6, 8, 12, every H dividing dx, N = 2, "
    "3, 4, 16; residual ranks at random weights, every H: L = 1, 2 with dx <= 3 and L = 3 with dx = 2, sides (1, 1), "
    "(2, 1), (dx, dx)",
    expected=Verdict.HOLDS,
    note="The outer factor L is restored from the recursion described in the text. The Gram bound itself, without N, "
    "bounds the residual network (NEW.residual), so Theorem 5 is far from tight.",
)


class Sizes(NamedTuple):
    """Sizes; NA = 0 asks for the bound at N = NB tokens."""

    L: int
    dx: int
    H: int
    NA: int
    NB: int


def cases(level: str) -> Iterable[Sizes]:
    """Bounds, then ranks."""
    full = level == "full"
    widths = (1, 2, 3, 4, 6, 8, 12) if full else (1, 2, 4, 6)
    heads = [(dx, H) for dx in widths for H in range(1, dx + 1) if dx % H == 0]
    tokens = (2, 3, 4, 16) if full else (2, 7)
    yield from (Sizes(L, dx, H, 0, N) for L in range(1, 7 if full else 5) for dx, H in heads for N in tokens)
    for L, dx in [(1, 1), (1, 3), (2, 2)] + ([(1, 2), (2, 1), (2, 3), (3, 2)] if full else []):
        sides = ((1, 1), (2, 1), (dx, dx))
        yield from (Sizes(L, dx, H, NA, NB) for H in range(1, dx + 1) if dx % H == 0 for NA, NB in sides)


def library(case: Sizes) -> int:
    """The library's closed form, or rank."""
    from seprank.closed_forms.paper import theorem5

    arch = Architecture(case.L, case.dx, case.H, residual=True)
    if case.NA:
        return library_rank(weights_of_kind("random", arch), case.NA, case.NB, _points(case))
    exact = theorem5(arch, case.NB).exact
    return -1 if exact is None else int(exact()[0])


def plain(case: Sizes) -> int:
    """The recursion, or the rank by eq. 3."""
    if case.NA:
        arch = Architecture(case.L, case.dx, case.H, residual=True)
        return attention_rank(weights_of_kind("random", arch), case.NA, case.NB, _points(case))
    return _recursion(case)


def _points(case: Sizes) -> int:
    return gram_bound(case.L, case.dx, case.NA, case.NB) + SPARE


def _recursion(case: Sizes) -> int:
    N = case.NA + case.NB
    first = N * case.dx**4 // case.H
    longest = first
    for layer in range(2, case.L + 1):
        longest = first * (layer * longest) ** 3
    return case.L * longest


def roads() -> Mapping[str, Road]:
    """Bounds and ranks, twice."""
    return {"library": library, "recursion, or eq. 3 and flint": plain}


def holds(case: Sizes, result: int) -> bool:
    """Ranks below; the bound above (d + 1)^C and the Gram bound."""
    if case.NA:
        return result <= _recursion(case)
    return result // case.L >= (case.dx + 1) ** gaps(case.L) >= long_gram(case.dx, gaps(case.L))


def mutants() -> Mapping[str, Claim]:
    """Other closed forms."""

    def product_form(case: Sizes, result: int, shift: int) -> bool:
        factors = prod(layer**3 ** (case.L - layer + shift) for layer in range(2, case.L + 1))
        first = case.NB * case.dx**4 // case.H
        return case.NA > 0 or result == case.L * first ** gaps(case.L) * factors

    return {
        "exponent 3^(L-l) in the product": lambda case, result: product_form(case, result, 0),
        "no product: skip connections cost a factor L only": lambda case, result: (
            case.NA > 0 or result == case.L * (case.NB * case.dx**4 // case.H) ** gaps(case.L)
        ),
    }
