"""The separation rank is at most the sum of the smaller sides of its blocks.   Source: docs/theory.md, Gram bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.depth_to_width._ranks import KINDS, SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.schur import gram_bound, gram_terms
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights

STATEMENT = Statement(
    id="NEW.gram-bound",
    title="The separation rank is at most the Gram bound, whose minimum changes sides once",
    statement=r"$\mathrm{sep}(y)\le\sum_{k\le C}\min(D_B(k),D_A(C-k))$ for all weights, $H$, $N_A$, $N_B$, with or "
    r"without skip connections; for $N_A,N_B\ge d$ the sum is $\binom{s+m}{m}+d\binom{s+C-m-1}{C-m-1}$ at the switch.",
    source="docs/theory.md, Gram bound",
    scope="value, single switch and closed sum: L <= 4 for dx <= 3, L <= 3 for dx = 4, all NA, NB <= dx, long input "
    "also at L <= 6, dx <= 12; ranks of random and special weights, plain and residual, every H dividing dx: L = 1, "
    "2 with dx = 2, 3, 4 and L = 3 with dx = 2, short and unequal sides",
    expected=Verdict.HOLDS,
    note="The proof in docs/theory.md covers all sizes. For ranks a case shows the measured rank; the claim "
    "compares it with the sum.",
)


class Sizes(NamedTuple):
    """Sizes, and the kind of weights whose rank is measured; "" asks for the bound itself."""

    L: int
    dx: int
    NA: int
    NB: int
    H: int = 1
    weights: str = ""
    residual: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """The bound at short, unequal and long sides, then ranks."""
    full = level == "full"
    depths = {1: 5, 2: 4, 3: 4, 4: 3} if full else {1: 4, 2: 3, 3: 3, 4: 2}
    for dx, deepest in depths.items():
        sides = range(1, dx + 1)
        yield from (Sizes(L, dx, NA, NB) for L in range(1, deepest + 1) for NA in sides for NB in sides)
    long = range(1, 13) if full else (5, 12)
    yield from (Sizes(L, dx, dx + 1, dx) for L in range(1, 7 if full else 5) for dx in long)
    tokens = {2: ((1, 1), (1, 3), (2, 1), (2, 2)), 3: ((1, 2), (3, 3)), 4: ((1, 1), (2, 3))}
    for dx, sides_of in tokens.items():
        for L in (1, 2) if full else (1, 2)[: 4 - dx]:
            heads = [H for H in (1, 2, 3, 4) if dx % H == 0] if full else [1, dx]
            yield from _measured(L, dx, sides_of, heads, KINDS if full else ("tied", "shift", "random"))
    if full:
        yield from _measured(3, 2, tokens[2], [1, 2], KINDS)


def _measured(
    L: int, dx: int, sides: Iterable[tuple[int, int]], heads: Iterable[int], kinds: Iterable[str]
) -> Iterable[Sizes]:
    for H in heads:
        some = [kind for kind in kinds if dx == H or kind not in ("shift", "product")]
        for NA, NB in sides:
            yield from (Sizes(L, dx, NA, NB, H, kind, residual) for kind in some for residual in (False, True))


def _weights(case: Sizes) -> Weights:
    return weights_of_kind(case.weights, Architecture(case.L, case.dx, case.H, residual=case.residual))


def library(case: Sizes) -> int:
    """The library's bound: complements of Schur functors, the closed sum for long input; or its rank."""
    from seprank.closed_forms.gram import gram_bound as sum_of_minima

    if case.weights:
        return library_rank(_weights(case), case.NA, case.NB, _terms(case) + SPARE)
    pair = sum_of_minima(Architecture(case.L, case.dx), Partition(case.NA, case.NB)).magnitude.pair
    return -1 if pair is None else int(pair[0])


def plain(case: Sizes) -> int:
    """Term by term: Schur functors by hook lengths, monomials counted for long input; or the rank by eq. 3."""
    if case.weights:
        return attention_rank(_weights(case), case.NA, case.NB, _terms(case) + SPARE)
    return _terms(case)


def _terms(case: Sizes) -> int:
    return sum(map(min, _sides(case)))


def _sides(case: Sizes) -> list[tuple[int, int]]:
    if min(case.NA, case.NB) < case.dx:
        return gram_terms(case.L, case.dx, case.NA, case.NB)
    s, C = case.dx * (case.dx + 1) // 2, (3**case.L - 1) // 2
    return [(comb(s + k - 1, k), case.dx * comb(s + C - k - 1, C - k)) for k in range(C + 1)]


def roads() -> Mapping[str, Road]:
    """Bounds and ranks, twice."""
    return {"library": library, "term by term, or eq. 3 and flint": plain}


def holds(case: Sizes, result: int) -> bool:
    """Ranks below the sum; for the bound one switch and, in the long-input cases, the closed sum."""
    if case.weights:
        return result <= _terms(case)
    smaller = [b <= a for b, a in _sides(case)]
    m = sum(smaller) - 1
    if smaller != sorted(smaller, reverse=True):
        return False
    s, C = case.dx * (case.dx + 1) // 2, len(smaller) - 1
    closed = comb(s + m, m) + (case.dx * comb(s + C - m - 1, s) if m < C else 0)
    return result == closed if min(case.NA, case.NB) >= case.dx else gram_bound(*case[:4]) <= closed


def mutants() -> Mapping[str, Claim]:
    """Counts that leave something out."""

    def without_the_token(case: Sizes, result: int) -> bool:
        return result <= sum(min(b, a // case.dx) for b, a in _sides(case))

    def other_side(case: Sizes, result: int) -> bool:
        return not case.weights or result <= sum(map(min, gram_terms(case.L, case.dx, case.NB, case.NA)))

    def one_token(case: Sizes, result: int) -> bool:
        return not case.weights or result <= gram_bound(case.L, case.dx, 1, 1)

    return {
        "D_A(c) without the factor dx of long input (2, not 3, at L = 1, dx = 2)": without_the_token,
        "NA and NB exchanged": other_side,
        "the bound of one token a side, at every N": one_token,
    }
