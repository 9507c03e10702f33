"""Separation ranks that are known exactly: proved for a family, or certified case by case.

Source: derived for this project (docs/theory.md, exact values). "Certified" is a rank modulo a prime that
meets a proved upper bound, so nothing about it is probable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition


@dataclass(frozen=True)
class Known:
    """An exact generic separation rank of a plain network, and the evidence for it."""

    value: int
    evidence: str


# (L, dx, H): long input, da = dx / H
CERTIFIED_LONG = {
    (2, 4, 2): 107,
    (2, 6, 2): 379,
    (2, 6, 3): 340,
    (2, 8, 2): 989,
    (2, 8, 4): 789,
    (3, 2, 1): 232,
    (3, 3, 1): 3102,
    (3, 4, 1): 31456,
    (3, 2, 2): 215,
    (3, 3, 3): 2441,
    (3, 4, 2): 31095,
    (3, 4, 4): 16335,
    (4, 2, 1): 4538,
    (4, 2, 2): 4263,
    (4, 3, 1): 679581,
    (5, 2, 1): 109024,
    (6, 2, 1): 2826912,
}
# (L, dx, H, N per side) with N < dx
CERTIFIED_SHORT = {
    (2, 2, 1, 1): 15,
    (2, 6, 2, 2): 379,
    (2, 6, 3, 2): 340,
    (2, 6, 6, 2): 231,
    (3, 2, 1, 1): 105,
    (3, 3, 1, 2): 2640,
}


def one_layer(arch: Architecture) -> int:
    """L = 1: one block of rank 1 and one of rank min(dx, H da), for every N."""
    return min(arch.dx, arch.H * arch.da) + 1


def theorem_A(d: int) -> int:
    """L = 2, H = 1, long input: the Gram bound, with blocks 1, s, binom(s+1, 2), d s, d."""
    s = d * (d + 1) // 2
    return 1 + s + s * (s + 1) // 2 + d * s + d


def theorem_C(d: int) -> int:
    """L = 2, H = d >= 2, long input: the staircase bound, ``1+2s+d(s-d)+d^2+min(d(s-d), binom(d+2,3))+d``."""
    s = d * (d + 1) // 2
    return 1 + 2 * s + d * (s - d) + d * d + min(d * (s - d), d * (d + 1) * (d + 2) // 6) + d


def known_value(arch: Architecture, partition: Partition | None) -> Known | None:
    """The largest exact value of a network contained in this one, or None.

    A network with more or wider heads contains those with fewer or narrower ones (set weights to zero), so
    the value is a lower bound on the generic separation rank; it is the exact one for the network named.
    """
    candidates = list(_candidates(arch, partition))
    return max(candidates, key=lambda known: known.value, default=None)


def _candidates(arch: Architecture, partition: Partition | None) -> Iterator[Known]:
    L, d = arch.L, arch.dx
    if L == 1:
        yield Known(one_layer(arch), "one layer, proved for every H and N: min(dx, H da) + 1")
    if d == 1:
        yield Known(arch.C + 1, "dx = 1, proved for every L, H and N: C(L) + 1")
    long = partition is None or partition.is_long(d)
    if L == 2 and long and arch.da >= d:
        yield Known(theorem_A(d), "theorem A (L = 2, H = 1, long input), proved for every dx")
    if L == 2 and long and arch.H >= d >= 2:
        yield Known(theorem_C(d), "theorem C (L = 2, H = dx, long input), proved for every dx >= 2")
    yield from _certified(arch, None if long else partition)


def _certified(arch: Architecture, short: Partition | None) -> Iterator[Known]:
    def contained(L: int, d: int, H: int) -> bool:
        return (L, d) == (arch.L, arch.dx) and arch.H >= H and arch.da >= d // H

    evidence = "certified for L = {}, dx = {}, H = {}{}: a rank modulo a prime meets a proved upper bound"
    if short is None:
        for (L, d, H), value in CERTIFIED_LONG.items():
            if contained(L, d, H):
                yield Known(value, evidence.format(L, d, H, ", long input"))
        return
    for (L, d, H, n), value in CERTIFIED_SHORT.items():
        # More tokens on a side can only raise the rank: set them to zero.
        if contained(L, d, H) and short.n >= n:
            yield Known(value, evidence.format(L, d, H, f", N = {2 * n}"))
