"""Proved upper bounds on the blocks for long input, worked out a second time (docs/theory.md).

They are the checker's own: the staircase by running sums, isotropic directions by runs of joined positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import accumulate, combinations
from math import comb


def monomials(n: int, k: int) -> int:
    """Monomials of degree k in n variables.

    >>> monomials(3, 2), monomials(0, 0), monomials(2, -1)
    (6, 1, 0)
    """
    if k < 0 or n == 0:
        return int(k == 0)
    return comb(n + k - 1, k)


def block_bound(id: str, L: int, d: int, H: int, k: int) -> int | None:
    """The upper bound of that name on block k; None for a name that does not go with the number of heads.

    >>> [block_bound("staircase", 2, 4, 2, k) for k in range(5)]
    [1, 10, 52, 40, 4]
    >>> block_bound("isotropic", 3, 4, 1, 7), block_bound("gram", 3, 4, 1, 7)
    (11436, 11440)
    """
    C, s = (3**L - 1) // 2, d * (d + 1) // 2
    rows, columns = monomials(s, k), d * monomials(s, C - k)
    if id == "gram":
        return min(rows, columns)
    if id == "isotropic" and H == 1:
        return min(rows - _isotropic_loss(L, d, k), columns)
    if id == "staircase" and H > 1:
        return _staircase(L, d, H, k)
    return None


def _staircase(L: int, d: int, H: int, k: int) -> int:
    C, Z = (3**L - 1) // 2, (3 ** (L - 1) - 1) // 2
    mu = d * d // H
    zeta = d * (d + 1) // 2 - mu
    outer = [monomials(zeta, n) for n in range(Z + 1)]
    rows = accumulate((d * monomials(mu, C - k - j) * outer[j] for j in range(Z + 1)), initial=0)
    columns = list(accumulate((monomials(mu, k - i) * outer[i] for i in range(Z + 1)), initial=0))
    return min(map(int.__add__, rows, columns[::-1]))


def _isotropic_loss(L: int, d: int, k: int) -> int:
    """Most independent k-th powers of u u^T that are proved to vanish."""
    losses = [0]
    for quadrics in range(1, L + 1):
        for coordinates in (d, d - 1):
            free = coordinates - quadrics
            if free >= 1 and k > _least_degree(L, quadrics, coordinates < d):
                # the coefficient of z^2k in (1 - z^2)^quadrics / (1 - z)^coordinates
                losses.append(sum(comb(quadrics, j) * monomials(free, 2 * k - j) for j in range(quadrics + 1)))
    return max(losses)


@cache
def _least_degree(L: int, size: int, row: bool) -> int:
    """The least number of factors u u^T that can stand together, over the sets of so many links."""
    word = tuple(_links(L))
    return min(_degree(word, set(chosen), row) for chosen in combinations(range(1, L + 1), size))


def _degree(word: tuple[int, ...], chosen: set[int], row: bool) -> int:
    """Positions without neighbours joined by a chosen link: every second one of each run of joined positions."""
    runs = [1]
    for link in word:
        if link in chosen:
            runs[-1] += 1
        else:
            runs.append(1)
    runs[0] -= row
    return sum((run + 1) // 2 for run in runs)


def _links(L: int) -> Iterator[int]:
    """The links of ``P_L = P_{L-1} B_1 G B_1^T P_{L-1}^T B_L P_{L-1}`` in order, from ``P_1 = G``."""
    if L > 1:
        before = list(_links(L - 1))
        yield from before
        yield from (1, 1)
        yield from reversed(before)
        yield L
        yield from before
