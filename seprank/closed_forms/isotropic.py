"""The isotropic correction: with one head and L >= 3 the Gram bound is not always reached.

Source: derived for this project (docs/theory.md, isotropic directions). For a set T of links (one per layer,
`1`..`L`) and perhaps the output row `a`, vectors u with u^T B_l u = 0 (and a^T u = 0) make powers of u u^T
of more than tau_T factors vanish in the word of the network.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

from seprank.attention.architecture import Architecture
from seprank.closed_forms.combinatorics import multiset

MOST_DEPTH = 6  # the word has (3**L - 1) / 2 letters and there are 2**(L + 1) sets of links


def link_word(L: int) -> tuple[int, ...]:
    """The layer of the link between neighbouring Gram factors, in order: C(L) - 1 numbers from 1..L.

    >>> link_word(3)
    (1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2)
    """
    word: tuple[int, ...] = ()
    for layer in range(2, L + 1):
        word = (*word, 1, 1, *reversed(word), layer, *word)
    return word


@cache
def degree_in_isotropic_direction(L: int, links: frozenset[int], row: bool) -> int:
    """tau_T: most Gram factors that can hold u u^T at once, by a two-state walk along the word.

    Two neighbours joined by a link in `links` cannot both; the first cannot when `row` (a^T u = 0).
    """
    without, with_ = 0, -(10**9) if row else 1
    for link in link_word(L):
        grown = (without if link in links else max(without, with_)) + 1
        without, with_ = max(without, with_), grown
    return max(without, with_)


def hilbert_function(coordinates: int, quadrics: int, degree: int) -> int:
    """Hilbert function of a complete intersection of `quadrics` quadrics in `coordinates` coordinates.

    The coefficient of z**degree in (1 - z**2)**quadrics / (1 - z)**coordinates.

    >>> hilbert_function(3, 2, 14)
    4
    """
    return sum(
        (-1) ** j * math.comb(quadrics, j) * multiset(coordinates, degree - 2 * j)
        for j in range(min(quadrics, degree // 2) + 1)
    )


def isotropic_loss(arch: Architecture) -> list[int]:
    """h_k for k = 0..C: block k has at most ``multiset(s, k) - h_k`` independent B-side operators.

    For one head, plain network, all weights (the bound at generic weights holds at all others).
    """
    d, L, C = arch.dx, arch.L, arch.C
    loss = [0] * (C + 1)
    for size in range(1, L + 1):
        for chosen in combinations(range(1, L + 1), size):
            for row in (False, True):
                coordinates = d - row
                if size > coordinates - 1:  # no such vector for generic weights
                    continue
                start = degree_in_isotropic_direction(L, frozenset(chosen), row) + 1
                for k in range(start, C + 1):
                    loss[k] = max(loss[k], hilbert_function(coordinates, size, 2 * k))
    return loss


def isotropic_blocks(arch: Architecture) -> list[int]:
    """Upper bound on the rank of every block of a plain one-head network, at every N, for all weights."""
    s, d, C = arch.s, arch.dx, arch.C
    loss = isotropic_loss(arch)
    return [min(multiset(s, k) - loss[k], d * multiset(s, C - k)) for k in range(C + 1)]
