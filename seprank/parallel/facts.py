"""What is exactly true of the k-hop task, for every string.   Source: docs/parallel.md, structural facts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.parallel.hop import find
from seprank.validate import whole_number


def earlier_counts(X: ArrayLike) -> NDArray[np.int64]:
    """``a[j, c]``: how often symbol c occurs before position j = 1..N; shape ``(N, alphabet)``, row j at index j - 1.

    >>> earlier_counts([0, 1, 0]).tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    find(X)  # refuses what is no string
    symbols = np.unique(np.asarray(X), return_inverse=True)[1]
    seen = np.cumsum(np.eye(int(symbols.max()) + 1, dtype=np.int64)[symbols], axis=0)
    return np.concatenate([np.zeros_like(seen[:1]), seen[:-1]])


def find_by_counts(X: ArrayLike) -> NDArray[np.int64]:
    """find^1 without a search for the latest: the first j with ``a[j, c] = a[p, c]``, c the symbol at p, or 0.

    The count of c does not fall and rises right after every c, so the positions with the count of p reach from
    "after the last earlier c" to p. This turns a search for the most recent into an exact match, and works from any
    stored position, which a causal mask alone does not give.

    >>> find_by_counts([0, 1, 2, 0, 1, 3, 2, 0]).tolist()
    [0, 0, 0, 2, 3, 0, 4, 5]
    """
    counts = earlier_counts(X)
    symbols = np.unique(np.asarray(X), return_inverse=True)[1]
    own = counts[np.arange(len(symbols)), symbols]
    first = [int(np.argmax(counts[:, c] == count)) + 1 for c, count in zip(symbols, own, strict=True)]
    return np.where(own > 0, first, 0)


def undefined_positions(X: ArrayLike, k: int) -> int:
    """How many positions have ``find^k = 0``.

    For k = 1 it is the number d of distinct symbols; each further hop adds at most d - 1, since find^1 is injective
    where it is not 0.

    >>> undefined_positions([0, 1, 2, 0, 1, 3, 2, 0], 1)
    4
    """
    return int(np.count_nonzero(find(X, k) == 0))


def most_undefined(distinct: int, k: int) -> int:
    """The proved upper bound ``d + (d - 1) (k - 1)`` on `undefined_positions`, for d distinct symbols and k >= 1.

    >>> most_undefined(4, 3)
    10
    """
    distinct = whole_number("distinct", distinct)
    return distinct + (distinct - 1) * (whole_number("k", k) - 1)
