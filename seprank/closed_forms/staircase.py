"""The staircase bound: several thin heads see few combinations of the entries of G in layer 1.

Source: derived for this project (docs/theory.md, staircase bound); at L = 2 reached for H = dx.
"""

from __future__ import annotations

from itertools import accumulate

from seprank.attention.architecture import Architecture
from seprank.closed_forms.combinatorics import multiset_run

MOST_DEPTH = 6  # the sum has about 9**L / 12 terms


def narrow_forms(arch: Architecture) -> int:
    """mu: number of linear forms in G that the first layer's heads can see, ``min(s, H da**2)`` or fewer.

    A head sees V G K^T. Where 2 da > dx its value and key spaces meet in 2 da - dx dimensions, and the antisymmetric
    combinations on these vanish: da**2 - binom(2 da - dx, 2) forms are left, s of them for da >= dx. The bound is then
    the Gram bound.
    """
    da = min(arch.da, arch.dx)
    common = max(2 * da - arch.dx, 0)
    return min(arch.s, arch.H * (da**2 - common * (common - 1) // 2))


def token_forms(arch: Architecture) -> int:
    """Number of linear forms through which the output's own token enters: ``min(dx, H da)``.

    All dx with skip connections, which pass the token on.
    """
    return arch.dx if arch.residual else min(arch.dx, arch.H * arch.da)


def gram_forms(arch: Architecture) -> int:
    """Number of linear forms of G that enter at all: s, or fewer when the inner width m = H da is below dx.

    The second layer sees ``G_2 = sum O_h S_h (Q_h G Q_g^T) S_g^T O_g^T`` with ``S_h = V_h G K_h^T``: mu forms and
    m (m + 1) / 2 more.
    """
    m = token_forms(arch)
    return arch.s if m == arch.dx else min(arch.s, narrow_forms(arch) + m * (m + 1) // 2)


def staircase_blocks(arch: Architecture) -> list[int]:
    """Upper bound on the rank of every block k = 0..C, for all weights, at every N (plain network).

    The matrix of a block, sorted by degree in the forms that layer 1 does not see, is zero where the two
    degrees add up to more than Z = C(L-1); its rank is at most the least number of lines that cover the rest:
    ``min over t of d sum_{j<t} S_mu(C-k-j) S_zeta(j) + sum_{i<=Z-t} S_mu(k-i) S_zeta(i)``, with d the number of
    forms of the token, mu + zeta the number of forms of G.
    """
    C = arch.C
    Z = (3 ** (arch.L - 1) - 1) // 2
    mu = narrow_forms(arch)
    seen, unseen = multiset_run(mu, C), multiset_run(gram_forms(arch) - mu, Z)
    return [_cover(token_forms(arch), k, C, Z, seen, unseen) for k in range(C + 1)]


def _cover(d: int, k: int, C: int, Z: int, seen: list[int], unseen: list[int]) -> int:
    """Least number of rows and columns that cover the staircase of block k."""
    rows = [d * seen[C - k - j] * unseen[j] if j <= C - k else 0 for j in range(Z + 1)]
    columns = [seen[k - i] * unseen[i] if i <= k else 0 for i in range(Z + 1)]
    first_rows = [0, *accumulate(rows)]
    first_columns = [0, *accumulate(columns)]
    return min(first_rows[t] + first_columns[Z + 1 - t] for t in range(Z + 2))
