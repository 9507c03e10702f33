"""The multiset coefficient is at most (2e(n+k)/n)^n.   Source: levine2020depth, Lemma 4 (A.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from proofs_check.plain.printed_bounds import E_HIGH, E_LOW, choices
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.lemma4",
    title="Lemma 4: the multiset coefficient ((n, k)) is at most (2e(n + k)/n)^n",
    statement=r"$\left(\!\binom nk\!\right)\le\bigl(\frac{2e(n+k)}n\bigr)^n$ for $n\ge1$, $k\ge0$.",
    source="levine2020depth, Lemma 4 (A.5)",
    scope="n <= 40, k <= 120, and k = 3^j - 1 <= 3^12 for n <= 12: exact fractions with e between two rationals, and "
    "intervals",
    expected=Verdict.HOLDS,
    note="True for all n, k, even without the 2 (NEW.lemma4). The result of a case is the whole part of right over "
    "left.",
)


class Pair(NamedTuple):
    """n kinds, k choices."""

    n: int
    k: int


def cases(level: str) -> Iterable[Pair]:
    """A grid with its edges, and the large k that Theorem 2 needs."""
    full = level == "full"
    kinds, most = (range(1, 41), range(121)) if full else ((1, 2, 3, 5, 13, 40), (0, 1, 2, 3, 5, 13, 60, 120))
    yield from (Pair(n, k) for n in kinds for k in most)
    yield from (Pair(n, 3**j - 1) for n in range(1, 13 if full else 4) for j in range(5, 13))


def between_rationals(case: Pair) -> int | None:
    """Exact fractions, e from below and from above."""
    n, k = case
    low, high = ((2 * e * (n + k) / n) ** n // choices(n, k) for e in (E_LOW, E_HIGH))
    return int(low) if low == high else None


def in_intervals(case: Pair) -> int | None:
    """The library's coefficient, interval arithmetic with 200 digits."""
    from mpmath.ctx_iv import MPIntervalContext

    from seprank.closed_forms.combinatorics import multiset

    n, k = case
    iv = MPIntervalContext()
    iv.dps = 200
    quotient = (2 * iv.e * (n + k) / n) ** n / multiset(n, k)
    low, high = int(quotient.a), int(quotient.b)
    return low if low == high else None


def roads() -> Mapping[str, Road]:
    """The whole part of right over left, twice."""
    return {"e between two rationals": between_rationals, "interval arithmetic": in_intervals}


def holds(case: Pair, result: int) -> bool:
    """Right is at least left."""
    return result >= 1


def mutants() -> Mapping[str, Claim]:
    """Without the constants; with the denominators of the other form of the inequality."""

    def without_constants(case: Pair, result: int) -> bool:
        return choices(case.n, case.k) <= Fraction(case.n + case.k, case.n) ** case.n

    def other_denominator(case: Pair, result: int) -> bool:
        return case.k == 0 or choices(case.n, case.k) <= (2 * E_HIGH * Fraction(case.n + case.k, case.k)) ** case.n

    return {"without 2e (n = k = 3: 10 > 8)": without_constants, "divided by k in place of n": other_denominator}
