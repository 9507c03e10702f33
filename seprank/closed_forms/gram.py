"""The Gram bound: the output is linear in its own token and of degree C in G = G_A + G_B.

Source: the Gram form of levine2020depth, eq. 3; derived for this project (docs/theory.md, Gram bound).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.combinatorics import (
    long_partitions,
    multiset,
    multiset_run,
    partition_count,
    partitions,
    schur_dimension,
    shapes_with_one_odd_part,
)
from seprank.closed_forms.magnitude import Magnitude, context, log3, log3_multiset, log3_sum

MOST_SHAPES = 40_000  # partitions summed for one bound; about half a second
MOST_LONG = 150  # largest number whose partitions with many parts are listed
MOST_BLOCKS = 1_200  # blocks listed one by one: up to L = 7
EXACT_BITS = 20_000  # integers up to this size are formed to place the switch of the Gram bound
SWITCH_BITS = 80  # beyond, the switch is placed to this many leading bits (any place gives a valid bound)


@cache
def side_B_dimension(d: int, n: int, k: int) -> int:
    """D_B(k): dimension of the polynomials of degree `k` in G_B on `n` tokens of width `d`.

    The sum of ``dim S_{2 lambda}`` over partitions of k with at most min(n, d) rows; all of
    ``multiset(s, k)`` when no partition is longer.
    """
    rows = min(n, d)
    whole = multiset(d * (d + 1) // 2, k)
    if rows >= min(d, k):
        return whole
    if _few_long(k, rows):
        return whole - sum(schur_dimension(tuple(2 * part for part in shape), d) for shape in long_partitions(k, rows))
    return sum(schur_dimension(tuple(2 * part for part in shape), d) for shape in partitions(k, rows))


@cache
def side_A_dimension(d: int, n: int, c: int) -> int:
    """D_A(c): dimension of the functions x_q m(G_A), deg m = `c`, on `n` tokens of width `d`, x one of them.

    The sum of ``dim S_mu`` over partitions mu of 2c + 1 with exactly one odd part and at most min(n, d) rows.
    """
    rows = min(n, d)
    whole = d * multiset(d * (d + 1) // 2, c)
    if rows >= min(d, c + 1):
        return whole
    short = _few_short(c, rows)
    total = 0
    for shape in partitions(c, rows) if short else long_partitions(c, rows - 1):
        for grown in shapes_with_one_odd_part(shape):
            if (len(grown) <= rows) == short:
                total += schur_dimension(grown, d)
    return total if short else whole - total


def _few_long(k: int, rows: int) -> bool:
    """Whether the partitions of k with more than `rows` parts are fewer than the others."""
    return k <= MOST_LONG and 2 * partition_count(k, rows) > partition_count(k, k)


def _few_short(c: int, rows: int) -> bool:
    return not _few_long(c, rows - 1)


def _shapes(k: int, rows: int) -> int:
    """Number of partitions that one dimension sums over, at most."""
    if _few_long(k, rows - 1):
        return partition_count(k, k) - partition_count(k, rows - 1)
    return partition_count(k, rows)


def affordable(arch: Architecture, partition: Partition) -> bool:
    """Whether the N-dependent dimensions that the bound needs can be summed in a fraction of a second."""
    if partition.is_long(arch.dx):
        return arch.C <= MOST_BLOCKS
    if arch.C > MOST_BLOCKS:
        return False
    total = 0
    for side in (partition.NA, partition.NB):
        rows = min(side, arch.dx)
        for k in range(2 * arch.C // 3 + 1):  # the switch lies near the middle
            if rows < min(arch.dx, k + 1):
                if k > MOST_LONG and rows > 4:
                    return False
                total += _shapes(k, rows)
            if total > MOST_SHAPES:
                return False
    return True


def gram_blocks(arch: Architecture, partition: Partition | None) -> list[int]:
    """The Gram bound of every block k = 0..C, ``min(D_B(k), D_A(C - k))``; None is long input.

    Upper bounds on the ranks of the bidegree blocks, for all weights (plain network). D_B(k) rises with k and
    D_A(C - k) falls, so only the smaller ones are formed.
    """
    d, C = arch.dx, arch.C
    if partition is None or partition.is_long(d):
        run = multiset_run(arch.s, C)
        return [min(run[k], d * run[C - k]) for k in range(C + 1)]
    NA, NB = partition.NA, partition.NB
    m = _switch(C, lambda k: side_B_dimension(d, NB, k) <= side_A_dimension(d, NA, C - k))
    rising = [side_B_dimension(d, NB, k) for k in range(m + 1)]
    return rising + [side_A_dimension(d, NA, C - k) for k in range(m + 1, C + 1)]


@dataclass(frozen=True)
class GramBound:
    """The bound, and whether the number of tokens entered it (False: the long-input form stands in)."""

    magnitude: Magnitude
    counts_tokens: bool


def gram_bound(arch: Architecture, partition: Partition | None) -> GramBound:
    """Upper bound on the separation rank for all weights, with or without skip connections, at every N."""
    if partition is not None and not partition.is_long(arch.dx) and affordable(arch, partition):
        return GramBound(Magnitude.of(sum(gram_blocks(arch, partition))), True)
    long = partition is None or partition.is_long(arch.dx)
    return GramBound(long_gram_bound(arch.dx, arch.C), long)


def long_gram_bound(d: int, C: int, s: int | None = None) -> Magnitude:
    """``binom(s+m, m) + d binom(s+C-m-1, C-m-1)``, m the last block where the B side is the smaller.

    Closed sum of ``min(multiset(s, k), d multiset(s, C-k))`` over k = 0..C, with d forms of the token and s forms of G
    (by default the ``d (d + 1) / 2`` entries of G).
    """
    forms = d * (d + 1) // 2 if s is None else s
    if min(forms, C) * max(forms, C).bit_length() < EXACT_BITS:
        m = _switch(C, lambda k: multiset(forms, k) <= d * multiset(forms, C - k))
        return Magnitude.of(long_gram_sum(d, C, m, forms))
    ctx = context()
    log_d = log3(ctx, d)
    m = _switch(C, lambda k: log3_multiset(forms, k) <= log_d + log3_multiset(forms, C - k))
    terms = [log3_multiset(forms + 1, m)]
    if m < C:
        terms.append(log_d + log3_multiset(forms + 1, C - m - 1))
    return Magnitude(log3_sum(ctx, terms), exact=lambda: (Fraction(long_gram_sum(d, C, m, forms)), 1))


def long_gram_sum(d: int, C: int, m: int, s: int | None = None) -> int:
    """The closed sum for a given switch `m`; a valid bound for every m, least at the true switch."""
    forms = d * (d + 1) // 2 if s is None else s
    return multiset(forms + 1, m) + d * multiset(forms + 1, C - m - 1)


def _switch(C: int, small: Callable[[int], bool]) -> int:
    """Largest k in 0..C with small(k), which holds at 0 and fails for good once it fails."""
    low, high = 0, C
    least_step = 1 << max(C.bit_length() - SWITCH_BITS, 0)
    while high - low >= least_step and low < high:
        middle = (low + high + 1) // 2
        if small(middle):
            low = middle
        else:
            high = middle - 1
    return low
