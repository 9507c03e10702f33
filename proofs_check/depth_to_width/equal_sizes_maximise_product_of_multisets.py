"""A product of multiset coefficients is at most that of equal sizes.   Source: levine2020depth, Lemma 3 (A.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import NamedTuple

from proofs_check.verdict import Claim, Road, Statement, Verdict

Sides = tuple[Fraction, Fraction]

STATEMENT = Statement(
    id="D2W.lemma3",
    title="Lemma 3: a product of multiset coefficients is at most its value at equal sizes",
    statement=r"$\prod_{j=1}^k\left(\!\binom n{r_j}\!\right)\le\frac{\prod_{t=1}^{n-1}(M/k+t)^k}{((n-1)!)^k}$, "
    r"$M=\sum_jr_j$; for $n=2$: $\prod_j(r_j+1)\le(M/k+1)^k$.",
    source="levine2020depth, Lemma 3 (A.5)",
    scope="all r with entries up to 6, k <= 4, n <= 6, exact fractions",
    expected=Verdict.HOLDS,
    note="True for all n, k >= 1 and r_j >= 0: the inequality of arithmetic and geometric means, for each factor t "
    "on its own.",
)


class Choice(NamedTuple):
    """Kinds n, and the sizes r."""

    n: int
    r: tuple[int, ...]


def cases(level: str) -> Iterable[Choice]:
    """All multisets of sizes, equal ones (where equality holds) included."""
    most, kinds = (6, 6) if level == "full" else (4, 4)
    for k in range(1, 5 if level == "full" else 4):
        for r in combinations_with_replacement(range(most + 1), k):
            yield from (Choice(n, r) for n in range(1, kinds + 1))


def factor_by_factor(case: Choice) -> Sides:
    """The library's multiset coefficients; the right side as it is printed."""
    from seprank.closed_forms.combinatorics import multiset

    mean, k = Fraction(sum(case.r), len(case.r)), len(case.r)
    right = prod(((mean + t) ** k for t in range(1, case.n)), start=Fraction(1))
    return Fraction(prod(multiset(case.n, r) for r in case.r)), right / factorial(case.n - 1) ** k


def counted(case: Choice) -> Sides:
    """Monomials counted one by one; on the right a generalised binomial coefficient, in whole numbers."""
    left = prod(sum(1 for _ in combinations_with_replacement(range(case.n), r)) for r in case.r)
    k, M = len(case.r), sum(case.r)
    top, bottom = 1, 1
    for t in range(1, case.n):
        top, bottom = top * (M + t * k), bottom * t * k
    return Fraction(left), Fraction(top, bottom) ** k


def roads() -> Mapping[str, Road]:
    """Both sides, twice."""
    return {"closed form": factor_by_factor, "enumeration, whole numbers": counted}


def holds(case: Choice, result: Sides) -> bool:
    """Left at most right, equal for equal sizes."""
    left, right = result
    return left <= right and (left == right or len(set(case.r)) > 1)


def mutants() -> Mapping[str, Claim]:
    """Rounded means, fewer factors."""

    def rounded(case: Choice, result: Sides) -> bool:
        k = len(case.r)
        return result[0] <= comb(sum(case.r) // k + case.n - 1, case.n - 1) ** k

    def one_factor_less(case: Choice, result: Sides) -> bool:
        mean, k = Fraction(sum(case.r), len(case.r)), len(case.r)
        return case.n == 1 or result[0] * (mean + case.n - 1) ** k <= result[1]

    def equality(case: Choice, result: Sides) -> bool:
        return result[0] == result[1]

    return {"M/k rounded down": rounded, "t only up to n - 2": one_factor_less, "always an equality": equality}
