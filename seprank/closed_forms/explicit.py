"""Lower bounds from networks written down explicitly: product, diagonal, quadric, saturated growth.

One weight setting bounds almost all of them from below. Extra heads, head size or tokens are set to zero.
Source: derived for this project (docs/theory.md, explicit networks); they refute levine2020depth, eq. 19.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.magnitude import (
    EXACT_DIGITS,
    Magnitude,
    Real,
    context,
    log3,
    log3_multiset,
    log3_powers_plus_one,
    log3_sum,
)

MOST_STEPS = 60_000  # coordinate updates spent on one schedule of a diagonal network

Schedule = Callable[[int, int], tuple[int, int]]  # (layer, head), 1-based and 0-based -> the pair (a, b)


def symmetric_dimension(d: int, n: int) -> int:
    """rho(n): dimension of the symmetric d x d matrices of rank at most n, ``n d - binom(n, 2)`` for n <= d.

    >>> symmetric_dimension(3, 1), symmetric_dimension(3, 5)
    (3, 6)
    """
    rows = min(n, d)
    return rows * d - rows * (rows - 1) // 2


def thin_heads(arch: Architecture) -> int:
    """Number of coordinates that heads of size 1 can serve one each."""
    return min(arch.H, arch.dx)


def tokens_per_side(arch: Architecture, partition: Partition | None) -> int:
    """Size of the smaller side; dx for long input, beyond which nothing changes."""
    return arch.dx if partition is None else min(partition.n, arch.dx)


# --- product networks -------------------------------------------------------------------------------------


def product_bound(arch: Architecture, partition: Partition | None) -> Magnitude:
    """Rank of ``x_p prod_l ell_l(G)**(3**(L-l))`` with independent linear forms ell_l.

    ``prod_{l<t} (3**(L-l) + 1) * ((3**(L-t+1) - 1) / 2 + 1)`` with t = min(L, rho(n)) forms, the last one
    repeated from layer t on; at t = L the last factor is 2 and this is the full product.
    """
    L = arch.L
    forms = min(L, symmetric_dimension(thin_heads(arch), tokens_per_side(arch, partition)))
    repeated = (3 ** (L - forms + 1) + 1) // 2
    size = log3_powers_plus_one(L - forms + 1, L - 1) + log3(context(), repeated)

    def exact() -> tuple[Fraction, int]:
        return Fraction(repeated * math.prod(3**power + 1 for power in range(L - forms + 1, L))), 1

    return Magnitude(size, exact=exact)


# --- diagonal networks ------------------------------------------------------------------------------------


def shift_schedule(m: int) -> Schedule:
    """Head h reads the pair (h, h + l - 1 mod m) in layer l."""
    return lambda layer, head: (head, (head + layer - 1) % m)


def doubling_schedule(m: int, L: int) -> Schedule:
    """The shift schedule with shifts 1, 2, 4, ... in the last ceil(log2 m) layers, which mix all coordinates."""
    start = L - (m - 1).bit_length()

    def pair(layer: int, head: int) -> tuple[int, int]:
        shift = layer - 1 if layer <= start else 1 << (layer - start - 1)
        return head, (head + shift) % m

    return pair


def row_schedule(m: int, rows: int) -> Schedule:
    """Head h reads (l - 1 mod rows, h + l - 1 mod m): only the first `rows` rows of G, free at rank `rows`."""
    return lambda layer, head: ((layer - 1) % rows, (head + layer - 1) % m)


def diagonal_exponents(L: int, m: int, schedule: Schedule) -> Counter[tuple[int, int]]:
    """e_ab in ``y = x_0 prod_{a<=b} G_ab**e_ab`` for heads h = 0..m-1, one coordinate each.

    From the last layer to the first: n_L = delta_0 and ``n_{l-1}(c) = n_l(c) + sum_h n_l(h) ([a=c] + [b=c])``.
    The exponents add up to C(L).
    """
    exponents: Counter[tuple[int, int]] = Counter()
    copies = [1] + [0] * (m - 1)
    for layer in range(L, 0, -1):
        grown = list(copies)
        for head, count in enumerate(copies):
            if count:
                a, b = schedule(layer, head)
                exponents[min(a, b), max(a, b)] += count
                grown[a] += count
                grown[b] += count
        copies = grown
    return exponents


def diagonal_rank(exponents: Counter[tuple[int, int]]) -> Magnitude:
    """``prod (e_ab + 1)``: the separation rank when the entries of G that occur are free on both sides."""
    ctx = context()
    factors = [exponent + 1 for exponent in exponents.values()]
    size = ctx.fsum(log3(ctx, factor) for factor in factors)
    return Magnitude(size, exact=lambda: (Fraction(math.prod(factors)), 1))


def diagonal_bound(arch: Architecture, partition: Partition | None) -> Magnitude:
    """The best of the schedules above, or the closed form where their exponents would take too long."""
    m, n, L = thin_heads(arch), tokens_per_side(arch, partition), arch.L
    best: Magnitude | None = None
    for schedule in _schedules(L, m, n):
        exponents = diagonal_exponents(L, m, schedule)
        if n < m and any(a >= n for a, _ in exponents):
            continue
        rank = diagonal_rank(exponents)
        if best is None or rank.log3 > best.log3:
            best = rank
    if best is not None:
        return best
    width = min(m, n)
    return max(diagonal_closed_form(L, width), product_bound(arch, partition), key=lambda rank: rank.log3)


def _schedules(L: int, m: int, n: int) -> Iterator[Schedule]:
    # A schedule costs at most L m steps on integers of up to 1.6 L bits.
    if L * m * (1 + L // 500) > MOST_STEPS:
        return
    if n >= m:
        yield shift_schedule(m)
        if L > (m - 1).bit_length():
            yield doubling_schedule(m, L)
    for rows in sorted({min(rows, n, m) for rows in (1, 2, 3, 4, n)}):
        yield row_schedule(m, rows)


def diagonal_closed_form(L: int, m: int) -> Magnitude:
    """``prod_{l<=J} (3**(L-k-l) + 1)**m``, k = ceil(log2 m), J = min(ceil(m/2), L - k); 1 when J < 1."""
    k = (m - 1).bit_length()
    J = min((m + 1) // 2, L - k)
    if J < 1:
        return Magnitude.of(1)
    low, high = L - k - J, L - k - 1

    def exact() -> tuple[Fraction, int]:
        return Fraction(math.prod(3**power + 1 for power in range(low, high + 1)) ** m), 1

    return Magnitude(m * log3_powers_plus_one(low, high), exact=exact)


# --- quadric ----------------------------------------------------------------------------------------------


def quadric_power(r: int, K: int) -> Magnitude:
    """Separation rank of ``q(Z_A + Z_B)**K``, q a nondegenerate quadratic form in r variables.

    ``2 multiset(r+1, K-1) + multiset(r, K)``: the sum over j = 0..2K of the smaller of multiset(r, j) and
    multiset(r, 2K-j).
    """
    if min(r, K) * max(r, K).bit_length() < 4 * EXACT_DIGITS:
        return Magnitude.of(2 * multiset(r + 1, K - 1) + multiset(r, K))
    ctx = context()
    size = log3_sum(ctx, [log3(ctx, 2) + log3_multiset(r + 1, K - 1), log3_multiset(r, K)])
    return Magnitude(size, exact=lambda: (Fraction(2 * multiset(r + 1, K - 1) + multiset(r, K)), 1))


def quadric_sizes(arch: Architecture, partition: Partition | None) -> tuple[int, int] | None:
    """The best (r, K) of the quadric inside a network with head size at least 3, or None when there is none.

    ``r = J H m (da - m)``, ``K = 3**(L - l)``, ``l = J + ceil(log2(H m / 2)) + 1 <= L``, m even, 2 <= m < da,
    1 <= J <= H; needs H da <= dx coordinates (fewer heads or thinner ones otherwise) and as many tokens.
    """
    best: tuple[float, int, int] | None = None
    for H, da in _head_shapes(arch):
        if partition is not None and partition.n < H * da:
            continue
        for r, depth in _quadrics(H, da, arch.L):
            score = float(_rough_log(r, depth))
            if best is None or score > best[0]:
                best = score, r, depth
    return None if best is None else (best[1], 3 ** best[2])


def _head_shapes(arch: Architecture) -> set[tuple[int, int]]:
    shapes = {(min(arch.H, arch.dx // min(arch.da, arch.dx)), min(arch.da, arch.dx))}
    if arch.H * arch.da > arch.dx and arch.dx >= arch.H:
        shapes.add((arch.H, arch.dx // arch.H))
    return shapes


def _quadrics(H: int, da: int, L: int) -> Iterator[tuple[int, int]]:
    """(r, L - l) for every J and, for every number k of mixing layers, the best m that needs no more of them.

    m (da - m) rises up to da / 2, so the best m for k is the largest even one with H m / 2 <= 2**k, up to there.
    """
    middle = 2 * ((da + 2) // 4)
    if middle < 2 or middle >= da:
        return
    for k in range((H - 1).bit_length(), (H * middle // 2 - 1).bit_length() + 1):
        m = min(2 * (2**k // H), middle)
        for J in range(1, min(H, L - k - 1) + 1):
            yield J * H * m * (da - m), L - J - k - 1


def _rough_log(r: int, depth: int) -> float:
    """Natural logarithm of multiset(r + 1, 3**depth), well enough to choose between cases."""
    log_K = depth * math.log(3)
    if log_K > math.log(r) + 35:
        return r * (log_K - math.log(r) + 1) - math.log(2 * math.pi * r) / 2
    K = math.exp(log_K)
    if r + K > 1e6:  # log-gamma values would cancel too many digits: Stirling's formula for their difference
        return r * math.log1p(K / r) + K * math.log1p(r / K) - math.log(2 * math.pi * r * K / (r + K)) / 2
    return math.lgamma(r + K + 1) - math.lgamma(K + 1) - math.lgamma(r + 1)


def quadric_bound(arch: Architecture, partition: Partition | None) -> Magnitude | None:
    """Lower bound from the power of a quadratic form, almost everywhere; None when it does not apply."""
    sizes = quadric_sizes(arch, partition)
    return None if sizes is None else quadric_power(*sizes)


# --- saturated growth -------------------------------------------------------------------------------------


def growth_applies(arch: Architecture, partition: Partition | None) -> bool:
    """Whether ``L >= 2 H + 5 log2 dx`` and the input is long; wider heads than dx / H are allowed."""
    long = partition is None or partition.is_long(arch.dx)
    divides = arch.dx % arch.H == 0 and arch.da >= arch.dx // arch.H
    deep = arch.L >= 2 * arch.H and 2 ** (arch.L - 2 * arch.H) >= arch.dx**5
    return long and divides and deep


def growth_bound(arch: Architecture) -> Magnitude:
    """``3**(dx**2 L / 16)``, a lower bound where `growth_applies`."""
    power = arch.dx**2 * arch.L
    ctx = context()
    size: Real = ctx.mpf(power) / 16
    return Magnitude(size, exact=lambda: (Fraction(3**power), 16))
