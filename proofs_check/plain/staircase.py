"""The staircase bound as a covering problem: sizes of the pattern, largest matching, least cover, random filling."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.field_rank import array_rank

Pattern = tuple[list[int], list[int], int]  # rows by degree j, columns by number i of derivatives, largest i + j


def monomial_count(n: int, k: int) -> int:
    """Monomials of degree k in n variables."""
    if k < 0:
        return 0
    return comb(n + k - 1, k) if n else int(k == 0)


class Forms(NamedTuple):
    """Numbers of linear forms: of the output's own token, of G in layer 1 (seen), and of G in all."""

    token: int
    seen: int
    all: int


@cache
def forms(d: int, H: int, da: int, prime: int = 4194301) -> Forms:
    """The ranks of the forms that random value, key and query matrices define, over F_p.

    Layer 1 sees the entries of V_h G K_h^T; where H da < d later layers see those of Q G Q^T besides, Q stacked.
    """
    draw = np.random.default_rng(d * 10000 + H * 100 + da)
    query, key, value = draw.integers(0, prime, (3, H, da, d))
    stacked = query.reshape(-1, d)
    token = array_rank(stacked, prime)
    seen = [_form(v, k) for V, K in zip(value, key, strict=True) for v in V for k in K]
    more = (
        [_form(a, b) for a in stacked for b in stacked]
        if token < d
        else [_form(a, b) for a in np.eye(d) for b in np.eye(d)]
    )
    return Forms(token, array_rank(np.array(seen), prime), array_rank(np.array(seen + more), prime))


def _form(v: Any, k: Any) -> Any:
    """Coefficients of v^T G k in the entries G_ij, i <= j."""
    product = np.outer(v, k).astype(np.int64)
    return (np.triu(product) + np.triu(product.T, 1))[np.triu_indices(len(v))]


def pattern(L: int, sizes: Forms, k: int, reach: int = 0) -> Pattern:
    """Rows and columns of block k by their degree in the unseen forms; `reach` is added to Z."""
    C, Z = (3**L - 1) // 2, (3 ** (L - 1) - 1) // 2 + reach
    mu, zeta = sizes.seen, sizes.all - sizes.seen
    rows = [sizes.token * monomial_count(mu, C - k - j) * monomial_count(zeta, j) for j in range(C - k + 1)]
    columns = [monomial_count(mu, k - i) * monomial_count(zeta, i) for i in range(k + 1)]
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


def bounds(L: int, sizes: Forms, reach: int = 0) -> list[int]:
    """The staircase bound of every block k = 0..C; the Gram bound where layer 1 sees all of G."""
    return [largest_matching(pattern(L, sizes, k, reach)) for k in range((3**L - 1) // 2 + 1)]
