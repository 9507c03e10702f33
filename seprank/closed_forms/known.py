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
    (2, 16, 2): 11609,
    (3, 2, 1): 232,
    (3, 3, 1): 3102,
    (3, 4, 1): 31456,
    (3, 2, 2): 215,
    (3, 3, 3): 2441,
    (3, 4, 2): 31095,
    (3, 4, 4): 16335,
    (3, 5, 1): 248008,
    (4, 2, 1): 4538,
    (4, 2, 2): 4263,
    (4, 3, 1): 679581,
    (4, 3, 3): 499591,
    (5, 2, 1): 109024,
    (5, 2, 2): 102746,
    (6, 2, 1): 2826912,
}
# (L, dx, H, da) with H da > dx: the Gram bound, so also that of every wider network
CERTIFIED_WIDE = {
    (3, 4, 2, 4): 31460,
    (3, 4, 3, 2): 31460,
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
    """The exact generic separation rank where it is proved or certified for this very network, or None.

    Heads wider than dx bring nothing new, and a network with a full head (da >= dx) that reaches the Gram bound alone
    reaches it with more heads, too.
    """
    L, d, C = arch.L, arch.dx, arch.C
    if L == 1:
        return Known(one_layer(arch), "one layer, proved for every H and N: min(dx, H da) + 1")
    if d == 1:
        return Known(C + 1, "dx = 1, proved for every L, H and N: C(L) + 1")
    n = _tokens(arch, partition)
    if L == 2 and n == d and arch.da >= d:
        return Known(theorem_A(d), "theorem A (L = 2, H = 1, long input), proved for every dx")
    if L == 2 and n == d and (arch.H, arch.da) == (d, 1):
        return Known(theorem_C(d), "theorem C (L = 2, H = dx, long input), proved for every dx >= 2")
    for (depth, width, H, da), wide in CERTIFIED_WIDE.items():
        if (L, d, n) == (depth, width, width) and arch.H >= H and arch.da >= da:
            return Known(wide, _certified(L, d, H, f"da = {da}, long input"))
    da = min(arch.da, d) if arch.H == 1 else arch.da
    if arch.H * da != d:
        return None
    if n == d:
        value = CERTIFIED_LONG.get((L, d, arch.H))
        return None if value is None else Known(value, _certified(L, d, arch.H, "long input"))
    even = partition is not None and partition.NA == partition.NB
    value = CERTIFIED_SHORT.get((L, d, arch.H, n)) if even else None
    return None if value is None else Known(value, _certified(L, d, arch.H, f"N = {2 * n}"))


def contained_value(arch: Architecture, partition: Partition | None) -> Known | None:
    """The largest exact value of a network contained in this one, or None.

    Setting weights to zero leaves a narrower network, or one with fewer or thinner heads, and setting tokens to zero
    one with fewer tokens; the value is a lower bound on the generic separation rank.
    """
    candidates = list(_contained(arch, _tokens(arch, partition)))
    return max(candidates, key=lambda known: known.value, default=None)


def _tokens(arch: Architecture, partition: Partition | None) -> int:
    return arch.dx if partition is None else min(partition.n, arch.dx)


def _certified(L: int, d: int, H: int, tokens: str) -> str:
    return f"certified for L = {L}, dx = {d}, H = {H}, {tokens}: a rank modulo a prime meets a proved upper bound"


def _contained(arch: Architecture, n: int) -> Iterator[Known]:
    """Exact values of contained networks, `n` tokens on the smaller side (counted up to dx)."""
    if arch.L == 2:
        width = min(arch.dx, arch.da, n)
        yield Known(theorem_A(width), f"contains L = 2, dx = {width}, H = 1 (theorem A)")
        width = min(arch.dx, arch.H, n)
        if width >= 2:
            yield Known(theorem_C(width), f"contains L = 2, dx = H = {width} (theorem C)")

    def fits(L: int, d: int, H: int) -> bool:
        return arch.L == L and arch.dx >= d and arch.H >= H and arch.da >= d // H

    for (L, d, H, da), value in CERTIFIED_WIDE.items():
        if fits(L, d, H) and arch.da >= da and n >= d:
            yield Known(value, f"contains a network {_certified(L, d, H, f'da = {da}, long input')}")
    for (L, d, H), value in CERTIFIED_LONG.items():
        if fits(L, d, H) and n >= d:
            yield Known(value, f"contains a network {_certified(L, d, H, 'long input')}")
    for (L, d, H, tokens), value in CERTIFIED_SHORT.items():
        if fits(L, d, H) and n >= tokens:
            yield Known(value, f"contains a network {_certified(L, d, H, f'N = {2 * tokens}')}")
