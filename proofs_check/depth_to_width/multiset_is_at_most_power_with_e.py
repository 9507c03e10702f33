"""Lemma 4 is true without its factor 2.   Source: docs/theory.md, The paper's statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from proofs_check.plain.printed_bounds import E_HIGH, E_LOW, choices
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.lemma4",
    title="Lemma 4 without its factor 2: ((n, k)) is at most (e(n + k)/n)^n",
    statement=r"$\left(\!\binom nk\!\right)\le\binom{n+k}n\le\bigl(\frac{e(n+k)}n\bigr)^n$ for $n\ge1$, $k\ge0$.",
    source="docs/theory.md, The paper's statements",
    scope="n <= 40, k <= 120, and k = 3^j - 1 <= 3^12 for n <= 12: exact fractions with e between two rationals, and "
    "intervals",
    expected=Verdict.HOLDS,
    note="True for all n, k: binom(n+k, n) <= (n+k)^n / n! and n! >= (n/e)^n. The result of a case is the whole part "
    "of (e(n+k)/n)^n over binom(n+k, n).",
)


class Pair(NamedTuple):
    """n kinds, k choices."""

    n: int
    k: int


def cases(level: str) -> Iterable[Pair]:
    """A grid with its edges, and large k."""
    full = level == "full"
    kinds, most = (range(1, 41), range(121)) if full else ((1, 2, 3, 5, 13, 40), (0, 1, 2, 3, 5, 13, 60, 120))
    yield from (Pair(n, k) for n in kinds for k in most)
    yield from (Pair(n, 3**j - 1) for n in range(1, 13 if full else 4) for j in range(5, 13))


def between_rationals(case: Pair) -> int | None:
    """Exact fractions, e from below and from above."""
    n, k = case
    low, high = ((e * (n + k) / n) ** n // comb(n + k, n) for e in (E_LOW, E_HIGH))
    return int(low) if low == high else None


def in_intervals(case: Pair) -> int | None:
    """The library's coefficient of n + 1 kinds, interval arithmetic with 200 digits."""
    from mpmath.ctx_iv import MPIntervalContext

    from seprank.closed_forms.combinatorics import multiset

    n, k = case
    iv = MPIntervalContext()
    iv.dps = 200
    quotient = (iv.e * (n + k) / n) ** n / multiset(n + 1, k)
    low, high = int(quotient.a), int(quotient.b)
    return low if low == high else None


def roads() -> Mapping[str, Road]:
    """The whole part of right over middle, twice."""
    return {"e between two rationals": between_rationals, "interval arithmetic": in_intervals}


def holds(case: Pair, result: int) -> bool:
    """Left at most middle at most right."""
    return choices(*case) <= comb(case.n + case.k, case.n) and result >= 1


def mutants() -> Mapping[str, Claim]:
    """A smaller constant, a strict first inequality."""

    def without_e(case: Pair, result: int) -> bool:
        return choices(case.n, case.k) <= Fraction(case.n + case.k, case.n) ** case.n

    def two(case: Pair, result: int) -> bool:
        return choices(case.n, case.k) <= Fraction(2 * (case.n + case.k), case.n) ** case.n

    def strict(case: Pair, result: int) -> bool:
        return choices(case.n, case.k) < comb(case.n + case.k, case.n)

    return {
        "without e (n = k = 3: 10 > 8)": without_e,
        "2 in place of e": two,
        "the first inequality strict at k = 0": strict,
    }
