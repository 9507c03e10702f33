"""Networks with fewer heads than coordinates exceed the printed bounds.   Source: docs/theory.md, eq. 19 section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.explicit_networks import monomial, monomial_rank, shifts
from proofs_check.plain.printed_bounds import E_HIGH, eq19, gaps, theorem2
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

MOST = 90
NETWORKS = ("quadric", "shift")
FIRST = {
    ("eq. 19", "quadric"): {
        (8, 1): 55,
        (9, 1): 25,
        (10, 1): 19,
        (12, 1): 15,
        (16, 1): 12,
        (8, 2): 71,
        (10, 2): 23,
        (12, 2): 18,
        (14, 2): 16,
        (16, 2): 14,
        (12, 4): 29,
    },
    ("eq. 19", "shift"): {(16, 8): 21, (14, 7): 66},
    ("Theorem 2", "quadric"): {(16, 1): 14, (16, 2): 16, (16, 4): 20},
}
NEVER = [(d, H) for d in range(2, 8) for H in range(1, d) if d % H == 0] + [(8, 4), (10, 5), (12, 6)]

STATEMENT = Statement(
    id="NEW.heads-false",
    title="Eq. 19 and Theorem 2 fail for fewer heads than coordinates too, one head included, from d = 8 on",
    statement=r"The power $q(Z)^K$ of a quadratic form in $r=JHm(d_a-m)$ variables ($d_a\ge3$) or a diagonal network "
    "on $H$ coordinates exceeds eq. 19 first at $L=55,25,19,15,12$ ($H=1$, $d=8,9,10,12,16$), $71,23,18,16,14$ "
    "($H=2$, $d=8,10,12,14,16$), $29$ for $(12,4)$, $21$ and $66$ for $(16,8)$ and $(14,7)$; Theorem 2 at $14,16,20$ "
    "for $d=16$, $H=1,2,4$.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="every depth listed, exact integers (Theorem 2 with e between two rationals), all smaller depths excluded "
    "for the network named; no violation by these networks up to L = 90 for H < d <= 7 and (8,4), (10,5), (12,6)",
    expected=Verdict.HOLDS,
    note="A result is the first depth, 0 for none up to L = 90. The lower bounds are proved in docs/theory.md "
    "(Quadric, Diagonal networks), for long input. In the cases without violation r and H(H+1)/2 are at most 2d - 1, "
    "the growth rate of eq. 19, so no large depth can bring one by these networks; whether eq. 19 holds there is "
    "open.",
)


class Sizes(NamedTuple):
    """Printed bound, explicit network, width and heads."""

    bound: str
    network: str
    d: int
    H: int


def cases(level: str) -> Iterable[Sizes]:
    """Pairs without a violation, then the lists; at the quick level depths below 30 only."""
    for d, H in NEVER if level == "full" else [(6, 1), (8, 4)]:
        yield from (Sizes("eq. 19", network, d, H) for network in NETWORKS)
    yield from (
        Sizes(*key, *pair) for key, pairs in FIRST.items() for pair in pairs if level == "full" or pairs[pair] < 30
    )


def library(case: Sizes) -> int:
    """The library's lower and printed bounds, compared as it compares them."""
    from seprank.closed_forms import explicit, paper

    for L in range(1, MOST + 1):
        arch = Architecture(L, case.d, case.H)
        if case.network == "quadric":
            value = explicit.quadric_bound(arch, None)
        else:
            exponents = explicit.diagonal_exponents(L, case.H, explicit.shift_schedule(case.H))
            value = explicit.diagonal_rank(exponents)
        bound = paper.eq19(case.d, arch.C) if case.bound == "eq. 19" else paper.theorem2_upper(arch)
        if value is not None and value.compare(bound) == 1:
            return L
    return 0


def plain(case: Sizes) -> int:
    """Binomial coefficients over all choices of m and J, or exponents carried forward; exact fractions."""
    for L in range(1, MOST + 1):
        if case.network == "quadric":
            best = max(_quadrics(L, case.d, case.H), default=0)
        else:
            best = monomial_rank(monomial(L, case.H, shifts(case.H)))
        bound = eq19(case.d, gaps(L)) if case.bound == "eq. 19" else theorem2(case.d, L, E_HIGH)
        if best > bound:
            return L
    return 0


def _choices_of_the_quadric(d: int, H: int) -> Iterator[tuple[int, int]]:
    """Number of variables r, and the layer at which the form is complete."""
    da = d // H
    for m in range(2, da, 2):
        mixing = 0
        while 2**mixing < H * m // 2:
            mixing += 1
        yield from ((J * H * m * (da - m), J + mixing + 1) for J in range(1, H + 1))


def _quadrics(L: int, d: int, H: int) -> Iterator[int]:
    for r, layer in _choices_of_the_quadric(d, H):
        if layer <= L:
            K = 3 ** (L - layer)
            yield 2 * comb(r + K - 1, r) + comb(r + K - 1, r - 1)


def roads() -> Mapping[str, Road]:
    """The first depth, twice; 0: not up to L = 90."""
    return {"library": library, "binomial coefficients, exact fractions": plain}


def holds(case: Sizes, result: int) -> bool:
    """The lists; where there is no violation the growth rate excludes one at every depth."""
    known = FIRST.get((case.bound, case.network), {}).get((case.d, case.H), 0)
    rates = [case.H * (case.H + 1) // 2, *(r for r, _ in _choices_of_the_quadric(case.d, case.H))]
    return result == known and (known > 0 or max(rates) <= 2 * case.d - 1)


def mutants() -> Mapping[str, Claim]:
    """A violation that there is not, and one that is missed."""

    def at_six(case: Sizes, result: int) -> bool:
        return (case.d, case.H) != (6, 1) or result > 0

    def only_thin_heads(case: Sizes, result: int) -> bool:
        return case.H >= case.d // 2 or result == 0

    def only_many_heads(case: Sizes, result: int) -> bool:
        return case.H > 1 or result == 0

    return {
        "a violation at (d, H) = (6, 1)": at_six,
        "only heads of size at most 2 can exceed eq. 19": only_thin_heads,
        "one head never exceeds eq. 19": only_many_heads,
    }
