"""An upper bound for networks whose layers read few numbers: by the degrees in what every layer reads."""

from __future__ import annotations

from itertools import product
from math import prod

from seprank.closed_forms.combinatorics import multiset_run

MOST_TERMS = 20_000


def layer_form_blocks(L: int, d: int, read: int) -> tuple[int, ...] | None:
    """Upper bound on every part k = 0..C of a network whose layers read `read` linear forms of their Gram matrix each.

    The forms that layer l reads are linear combinations of at most ``t_l = min(s, m (m**(l-1)) (m**(l-1) + 1) / 2)``
    forms of the input's Gram matrix, m = `read`, times products of what earlier layers read, and the output has degree
    ``3**(L-l)`` in them. Proof in docs/variants.md. None where the sum is too long.

    >>> sum(layer_form_blocks(3, 5, 1))
    80
    """
    degrees = [3 ** (L - 1 - l) for l in range(L)] if L < 10 else []
    if not degrees or prod(degree + 1 for degree in degrees) > MOST_TERMS:
        return None
    forms = [min(d * (d + 1) // 2, read * read**l * (read**l + 1) // 2) for l in range(L)]
    counts = [multiset_run(count, degree) for count, degree in zip(forms, degrees, strict=True)]
    own = min(d, read**L)
    blocks = [0] * (sum(degrees) + 1)
    for powers in product(*(range(degree + 1) for degree in degrees)):
        side_B = prod(run[k] for run, k in zip(counts, powers, strict=True))
        side_A = own * prod(run[degree - k] for run, degree, k in zip(counts, degrees, powers, strict=True))
        blocks[sum(powers)] += min(side_A, side_B)
    return tuple(blocks)
