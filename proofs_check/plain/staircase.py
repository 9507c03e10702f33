"""The staircase bound as a covering problem: sizes of the pattern, largest matching, least cover, random filling."""

from __future__ import annotations

from math import comb

import numpy as np

from proofs_check.plain.field_rank import array_rank

Pattern = tuple[list[int], list[int], int]  # rows by degree j, columns by number i of derivatives, largest i + j


def monomial_count(n: int, k: int) -> int:
    """Monomials of degree k in n variables."""
    if k < 0:
        return 0
    return comb(n + k - 1, k) if n else int(k == 0)


def pattern(L: int, d: int, mu: int, k: int, reach: int = 0) -> Pattern:
    """Rows and columns of block k by their degree in the s - mu unseen forms; `reach` is added to Z."""
    s, C, Z = d * (d + 1) // 2, (3**L - 1) // 2, (3 ** (L - 1) - 1) // 2 + reach
    rows = [d * monomial_count(mu, C - k - j) * monomial_count(s - mu, j) for j in range(C - k + 1)]
    columns = [monomial_count(mu, k - i) * monomial_count(s - mu, i) for i in range(k + 1)]
    return rows, columns, Z


def largest_matching(found: Pattern) -> int:
    """Largest matching of rows and columns with i + j <= Z: rows with fewest partners are served first."""
    rows, columns, Z = found
    matched = 0
    free = 0  # columns that the rows so far may use and have not
    for j in range(max(Z, len(rows) - 1), -1, -1):
        if 0 <= Z - j < len(columns):
            free += columns[Z - j]
        used = min(free, rows[j]) if j < len(rows) and j <= Z else 0
        matched, free = matched + used, free - used
    return matched


def least_cover(found: Pattern, steps: int | None = None) -> int:
    """Least number of rows with j < t and columns with i <= Z - t that cover the pattern, t = 0..Z + 1."""
    rows, columns, Z = found
    last = Z + 1 if steps is None else steps
    return min(sum(rows[:t]) + sum(columns[: Z - t + 1]) for t in range(last + 1))


def random_filling_rank(found: Pattern, prime: int, seed: int = 0) -> int:
    """Rank of a matrix with random entries where i + j <= Z and zeros elsewhere."""
    rows, columns, Z = found
    j = np.repeat(np.arange(len(rows)), rows)
    i = np.repeat(np.arange(len(columns)), columns)
    filling = np.random.default_rng(seed).integers(0, prime, (len(j), len(i)))
    return array_rank(filling * (j[:, None] + i[None] <= Z), prime)


def bounds(L: int, d: int, H: int, da: int, reach: int = 0, mu: int | None = None) -> list[int]:
    """The staircase bound of every block k = 0..C; the Gram bound where layer 1 sees all of G."""
    s, C = d * (d + 1) // 2, (3**L - 1) // 2
    seen = min(s, H * da * da) if mu is None else mu
    return [largest_matching(pattern(L, d, seen, k, reach)) for k in range(C + 1)]
