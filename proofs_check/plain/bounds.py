"""Proved bounds in whole numbers, written from their formulas: the Gram bound of long input and two lower bounds."""

from __future__ import annotations

from math import comb, prod


def multiset(n: int, k: int) -> int:
    """binom(n + k - 1, k), by the shorter product."""
    return comb(n + k - 1, min(k, n - 1)) if n else int(k == 0)


def gram_bound(d: int, L: int) -> int:
    """Sum over k of min(multiset(s, k), d multiset(s, C - k)), closed at the place where the minimum changes sides."""
    s, C = d * (d + 1) // 2, (3**L - 1) // 2
    low, high = 0, C
    while low < high:
        m = (low + high + 1) // 2
        low, high = (m, high) if multiset(s, m) <= d * multiset(s, C - m) else (low, m - 1)
    return comb(s + low, s) + (d * comb(s + C - low - 1, s) if low < C else 0)


def quadric(r: int, K: int) -> int:
    """2 multiset(r + 1, K - 1) + multiset(r, K)."""
    return 2 * multiset(r + 1, K - 1) + multiset(r, K)


def quadric_sizes(H: int, da: int, m: int, J: int, L: int) -> tuple[int, int] | None:
    """(r, K) of the quadric with m coordinates of U per head and J mixing layers; None when L is too small."""
    layer = J + (H * m // 2 - 1).bit_length() + 1
    return (J * H * m * (da - m), 3 ** (L - layer)) if layer <= L else None


def doubling(H: int, J: int, L: int) -> int:
    """prod over l <= J of (3^(L-k-l) + 1)^H, k = ceil(log2 H); 1 when L is too small."""
    rest = L - (H - 1).bit_length()
    return int(prod(3 ** (rest - layer) + 1 for layer in range(1, J + 1)) ** H) if J <= rest else 1
