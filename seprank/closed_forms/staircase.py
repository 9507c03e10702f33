"""The staircase bound: several thin heads see few combinations of the entries of G in layer 1.

Source: derived for this project (docs/theory.md, staircase bound); at L = 2 reached for H = dx.
"""

from __future__ import annotations

from itertools import accumulate

from seprank.attention.architecture import Architecture
from seprank.closed_forms.combinatorics import multiset_run

MOST_DEPTH = 6  # the sum has about 9**L / 12 terms


def narrow_forms(arch: Architecture) -> int:
    """mu: number of linear forms in G that the first layer's heads can see, ``min(s, H da**2)``.

    Equal to s when the heads are wide enough to see all of G; the bound is then the Gram bound.
    """
    return min(arch.s, arch.H * arch.da**2)


def staircase_blocks(arch: Architecture) -> list[int]:
    """Upper bound on the rank of every block k = 0..C, for all weights, at every N (plain network).

    The matrix of a block, sorted by degree in the forms that layer 1 does not see, is zero where the two
    degrees add up to more than Z = C(L-1); its rank is at most the least number of lines that cover the rest:
    ``min over t of d sum_{j<t} S_mu(C-k-j) S_zeta(j) + sum_{i<=Z-t} S_mu(k-i) S_zeta(i)``.
    """
    d, C = arch.dx, arch.C
    Z = (3 ** (arch.L - 1) - 1) // 2
    mu = narrow_forms(arch)
    seen, unseen = multiset_run(mu, C), multiset_run(arch.s - mu, Z)
    if mu == arch.s:
        unseen = [1] + [0] * Z
    return [_cover(d, k, C, Z, seen, unseen) for k in range(C + 1)]


def _cover(d: int, k: int, C: int, Z: int, seen: list[int], unseen: list[int]) -> int:
    """Least number of rows and columns that cover the staircase of block k."""
    rows = [d * seen[C - k - j] * unseen[j] if j <= C - k else 0 for j in range(Z + 1)]
    columns = [seen[k - i] * unseen[i] if i <= k else 0 for i in range(Z + 1)]
    first_rows = [0, *accumulate(rows)]
    first_columns = [0, *accumulate(columns)]
    return min(first_rows[t] + first_columns[Z + 1 - t] for t in range(Z + 2))
